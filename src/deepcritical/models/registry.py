"""Lists the providers of the installed pydantic-ai, with their needs, and opens one.

The list is the library's own, so that a newer release brings its providers along.
"""

from __future__ import annotations

import pkgutil
import re
from functools import cache
from inspect import signature
from typing import Any, NamedTuple

from pydantic_ai import providers
from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model, infer_model

from deepcritical.domain.errors import ConfigurationError
from deepcritical.domain.model_keys import provider_of

_LEFT_OUT = frozenset(
    "elevenlabs github openai-decisions sentence-transformers system-one typesafe voyageai "
    "openai-chatgpt openai-codex".split()
)
"""They speak, decide or embed, were shut down, or take the login of a person and no key."""
_APIS = ("chat", "responses")
"""Endings of a provider's name that choose one of its APIs."""
_URLS = ("base_url", "azure_endpoint", "api_base")
_KEYS = ("api_key", "token")
_OTHER_LOGINS = frozenset({"credentials", "profile_name", "entra"})
"""Arguments of providers that log in otherwise, too."""
_EXTRA = re.compile(r"pydantic-ai-slim\[([\w-]+)\]")
_HINT = " To try Pydantic AI without"

_CONFLICTS = frozenset({"bedrock", "google", "huggingface", "xai"})
"""Extras that ask for releases of libraries which constraints.txt does not have. Tried with
``pip install --dry-run -c constraints.txt 'pydantic-ai-slim[EXTRA]'``."""
_COMPATIBLE_AT = {
    "bedrock": "https://bedrock-runtime.REGION.amazonaws.com/openai/v1",
    "cohere": "https://api.cohere.ai/compatibility/v1",
    "google": "https://generativelanguage.googleapis.com/v1beta/openai",
    "groq": "https://api.groq.com/openai/v1",
    "mistral": "https://api.mistral.ai/v1",
    "xai": "https://api.x.ai/v1",
}
"""OpenAI-compatible addresses of the same models, for providers with a library of their own."""


class Listed(NamedTuple):
    """A provider of the library."""

    key: str
    """The name before the colon."""
    kind: type[providers.Provider[Any]] | None
    """None when its library is not installed."""
    extra: str = ""
    """The extra of pydantic-ai-slim that brings the missing library."""

    @property
    def conflicts(self) -> bool:
        """Return whether the extra cannot be installed beside ours."""
        return self.extra in _CONFLICTS

    @property
    def compatible_at(self) -> str:
        """The base URL of the OpenAI-compatible interface; '' where unknown."""
        return _COMPATIBLE_AT.get(self.key, "")

    @property
    def needs_key(self) -> bool:
        """Return whether a key is all that opens it."""
        takes = self.takes
        return any(name in takes for name in _KEYS) and not takes & _OTHER_LOGINS

    @property
    def takes(self) -> frozenset[str]:
        """The arguments that it is made with."""
        return frozenset(signature(self.kind.__init__).parameters if self.kind else ())

    def arguments(self, secret: str | None, url: str | None) -> dict[str, str]:
        """Return the constructor's arguments, as far as it takes them."""
        given = {"key": (secret, _KEYS), "url": (url, _URLS)}
        return {
            next(name for name in names if name in self.takes): value
            for value, names in given.values()
            if value and self.takes.intersection(names)
        }


def listed_provider(key: str) -> Listed | None:
    """The provider of this name; None when the library has none that gives typed answers."""
    base = provider_of(key)
    if base in _LEFT_OUT or "/" in key:
        return None
    try:
        return Listed(key, providers.infer_provider_class(key))
    except ValueError:
        return None
    except ImportError as error:
        extra = _EXTRA.search(str(error))
        return Listed(key, None, extra[1] if extra else base)


@cache
def listed_providers() -> tuple[Listed, ...]:
    """All of them, by name."""
    modules = (module.name for module in pkgutil.iter_modules(providers.__path__))
    names = [name.replace("_", "-") for name in modules if not name.startswith("_")]
    names += [f"{name}-{api}" for name in names for api in _APIS]
    found = (listed_provider(name) for name in sorted(names))
    return tuple(one for one in found if one)


def opened(provider: Listed, model: str, secret: str | None, url: str | None) -> Model:
    """A client for one of its models; nothing is sent.

    Without `secret` the provider looks for its own in the environment.

    Raises:
        ConfigurationError: Its library is not installed, or it lacks something else.
    """
    if provider.kind is None:
        raise _missing(provider, model)
    arguments = provider.arguments(secret, url)
    try:
        made = provider.kind(**arguments)
        if url and url not in arguments.values():
            made.client.base_url = url  # every client of these providers lets it be set
        return infer_model(f"{provider.key}:{model}", lambda _name: made)
    except UserError as error:
        raise ConfigurationError(
            f"The provider {provider.key} cannot be used: {str(error).partition(_HINT)[0]}",
            "Set in the environment what it asks for, or use another provider.",
        ) from error


def _missing(provider: Listed, model: str) -> ConfigurationError:
    wanted = f"pydantic-ai-slim[{provider.extra}]"
    why = f"The provider {provider.key} needs a library that is not installed, of {wanted}"
    at = provider.compatible_at or "the address of an OpenAI-compatible server of it"
    round_it = f"DEEPCRITICAL_MODEL=compatible:{model} and DEEPCRITICAL_MODEL_BASE_URL={at}"
    if provider.conflicts:
        return ConfigurationError(
            f"{why}, and it conflicts with the releases that DeepCritical is locked to.",
            f"Use its OpenAI-compatible API instead: {round_it}.",
        )
    return ConfigurationError(
        f"{why}.", f"Install it with: pip install -c constraints.txt '{wanted}'. Or use {round_it}."
    )
