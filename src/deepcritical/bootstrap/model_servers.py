"""Settings in, the servers of models out: that of a run, those of its steps, and its fallback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, get_args

from deepcritical.domain.budget import Step
from deepcritical.domain.errors import ConfigurationError
from deepcritical.settings import Settings

if TYPE_CHECKING:
    from deepcritical.models.providers import ModelServer


def build_model_server(settings: Settings, model: str) -> ModelServer:
    """The server of the settings' model, with those of its steps and its fallback.

    Raises:
        ConfigurationError: A model cannot be resolved.
    """
    server = _own_server(settings, model)
    beside = {step: settings.of_step(step) for step in get_args(Step)}
    made = {name: _server_beside(settings, name) for name in beside.values() if name}
    server.steps = {step: made[name] for step, name in beside.items() if name}
    if settings.fallback_model:
        server.fallback = _server_beside(settings, settings.fallback_model)
    return server


def _server_beside(settings: Settings, model: str) -> ModelServer:
    """The server of another model; what is set for the model of the run is not meant for it."""
    own = settings.with_model(model)
    if model != settings.model:
        own = own.model_copy(update={"model_profile": "auto", "model_context": None})
    return _own_server(own, model)


def _own_server(settings: Settings, model: str) -> ModelServer:
    with libraries_of(model):
        from deepcritical.models.providers import model_server
    key = settings.model_key
    return model_server(
        model,
        base_url=settings.model_base_url,
        api_key=key.value.get_secret_value() if key else None,
        profile=settings.model_profile,
        context=settings.model_context,
        effort=settings.reasoning_effort,
        timeout_s=settings.model_timeout_s,
    )


def users_server(settings: Settings, model: str) -> ModelServer:
    """The server of a model that a user chose, which is its provider's own.

    Raises:
        ConfigurationError: The model is none that may be chosen.
    """
    with libraries_of(model):
        from deepcritical.models.providers import hosted_model_server
    return hosted_model_server(model, timeout_s=settings.model_timeout_s)


@contextmanager
def libraries_of(model: str) -> Iterator[None]:
    """Imports that are late: without a model nobody waits for its libraries, or needs them."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"The model {model} needs a library that is not installed: {error.name}.",
            "Install it in a checkout with: pip install '.[llm]'",
        ) from error
