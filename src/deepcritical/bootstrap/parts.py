"""Builds single parts from the settings: model servers, telemetry, stores."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, get_args

from deepcritical.domain.budget import Step
from deepcritical.domain.errors import ConfigurationError
from deepcritical.jobs.hosting import MOST_TAKEOVERS
from deepcritical.jobs.tending import TTL_S
from deepcritical.services.database import Database
from deepcritical.services.study_readings import StudyReadings
from deepcritical.services.telemetry import OFF, Telemetry
from deepcritical.settings import Settings

if TYPE_CHECKING:
    from deepcritical.models.providers import ModelServer
    from deepcritical.services.operations import Operations


def build_model_server(settings: Settings, model: str) -> ModelServer:
    """The server of the settings' model, with those of its steps and its fallback."""
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
        unset = {"model_profile": "auto", "model_context": None, "model_at_once": None}
        own = own.model_copy(update=unset)
    return _own_server(own, model)


def _own_server(settings: Settings, model: str) -> ModelServer:
    with libraries_of(model):
        from deepcritical.models.providers import model_server
    key = settings.model_key
    server = model_server(
        model,
        base_url=settings.model_base_url,
        api_key=key.value.get_secret_value() if key else None,
        profile=settings.model_profile,
        context=settings.model_context,
        effort=settings.reasoning_effort,
        timeout_s=settings.model_timeout_s,
    )
    if settings.model_at_once:
        server.profile = server.profile._replace(at_once=settings.model_at_once)
    return server


def users_server(settings: Settings, model: str) -> ModelServer:
    """The server of a model that a user chose, which is its provider's own."""
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


_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")


def open_operations(settings: Settings) -> Operations | None:
    """A look at the database of the settings; None when nothing is kept. Nothing is opened yet."""
    if settings.database_url is None:
        return None
    # Imported late, with the library of the database.
    from deepcritical.services.operations import Operations, ReadOnlyDatabase

    database = ReadOnlyDatabase(settings.database_url.get_secret_value())
    return Operations(database, ttl_s=TTL_S, most_takeovers=MOST_TAKEOVERS + 1)


def open_readings(settings: Settings) -> StudyReadings | None:
    """The store of readings; None when nothing is kept. Nothing is opened yet. Close it."""
    url = settings.database_url
    return StudyReadings(Database(url.get_secret_value())) if url else None


def open_telemetry() -> Telemetry:
    """Return the exporter of spans that OpenTelemetry's variables ask for; by default none.

    Raises:
        ConfigurationError: They ask for what cannot be done, or a library is not installed.
    """
    if not _is_wanted():
        return OFF
    protocol = next((os.environ[name] for name in _PROTOCOLS if os.environ.get(name)), "")
    if protocol not in ("", "http/protobuf"):
        raise ConfigurationError(
            f"Spans cannot be sent by the protocol {protocol}.",
            "Set OTEL_EXPORTER_OTLP_PROTOCOL to http/protobuf, or unset it.",
        )
    try:
        # Imported late: nobody waits for it, or needs it, who collects nothing.
        from deepcritical.services.otel import OtelTelemetry
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"Spans need a library that is not installed: {error.name}.",
            "Install it in a checkout with: pip install '.[telemetry]'",
        ) from error
    return OtelTelemetry()


def _is_wanted() -> bool:
    """Return whether spans are to be sent."""
    exporter = os.environ.get("OTEL_TRACES_EXPORTER", "").strip().lower()
    if exporter not in ("", "none", "otlp"):
        raise ConfigurationError(
            f"Spans cannot be sent to the exporter {exporter}.",
            "Set OTEL_TRACES_EXPORTER to otlp or none.",
        )
    if exporter == "none" or os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return False
    return exporter == "otlp" or any(os.environ.get(name) for name in _ENDPOINTS)
