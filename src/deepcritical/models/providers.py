"""Resolves ``provider:name``, a base URL and a key into one model server.

``openai`` is the Responses API, ``openai-chat`` Chat Completions. ``huggingface`` is asked by its
router, and local servers as OpenAI-compatible, whose key never leaves for anybody else. Every other
name is a provider of the library.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Literal, NamedTuple
from urllib.parse import urlsplit

from genai_prices import Usage, calc_price
from genai_prices.data_snapshot import get_snapshot
from genai_prices.types import AbstractUsage
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.profiles import ModelProfile, merge_profile
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from pydantic_ai.settings import ModelSettings

from deepcritical.domain.errors import ConfigurationError
from deepcritical.domain.model_keys import key_variable
from deepcritical.domain.run.budget import STEPS, Price, Step
from deepcritical.models.desk import OutputMode
from deepcritical.models.profiles import LARGE, Profile, ProfileName, profile_for
from deepcritical.models.registry import Listed, listed_provider, listed_providers, opened
from deepcritical.models.sending import NotedModel, noting_client

if TYPE_CHECKING:
    from httpx2 import AsyncClient

Effort = Literal["low", "medium", "high"]
_EFFORT_TOKENS: Mapping[Effort, int] = {"low": 4_000, "medium": 12_000, "high": 20_000}
"""Tokens that a model may think with before its answer; servers count them into that."""
_MOST_TOKENS = 21_000
"""Of an answer: with more, the client of Anthropic streams it, and a stream that breaks off may
look whole."""


Cost = Callable[[AbstractUsage], float | None]
"""US dollars for the usage that a server told; None when the price is unknown."""


def cost_of(provider: str, model: str, url: str) -> Cost:
    """The cost of a model's answers.

    By the address first: several services sell one model.
    """

    def cost(used: AbstractUsage) -> float | None:
        for priced, asked in (
            (partial(calc_price, used, model, provider_api_url=url), (None, url)),
            (partial(calc_price, used, model, provider_id=provider), (provider, None)),
        ):
            # Not on the list, or a usage that cannot be.
            with suppress(LookupError, ValueError):
                if _is_listed(model, *asked):
                    return float(priced().total_price)
        return None

    return cost


@lru_cache(maxsize=256)
def _is_listed(model: str, provider_id: str | None, provider_api_url: str | None) -> bool:
    """Return whether the list of prices has the model: to look for one in vain takes it 4 ms."""
    try:
        get_snapshot().find_provider_model(model, None, provider_id, provider_api_url)
    except (LookupError, ValueError):
        return False
    return True


class _Provider(NamedTuple):
    api: Literal["responses", "chat", "anthropic"]
    base_url: str
    needs_key: bool
    """True if it is somebody's service and needs a key."""


PROVIDERS: dict[str, _Provider] = {
    "openai": _Provider("responses", "https://api.openai.com/v1", True),
    "openai-chat": _Provider("chat", "https://api.openai.com/v1", True),
    "anthropic": _Provider("anthropic", "https://api.anthropic.com", True),
    "huggingface": _Provider("chat", "https://router.huggingface.co/v1", True),
    "ollama": _Provider("chat", "http://127.0.0.1:11434/v1", False),
    "vllm": _Provider("chat", "http://127.0.0.1:8000/v1", False),
    "llamacpp": _Provider("chat", "http://127.0.0.1:8080/v1", False),
    "lmstudio": _Provider("chat", "http://127.0.0.1:1234/v1", False),
    "litellm": _Provider("chat", "http://127.0.0.1:4000/v1", False),
    "compatible": _Provider("chat", "", False),
}
"""The providers that are opened in a way of our own, by the name before the colon; ``compatible``
needs a base URL."""

_LONGEST_NAME = 200


@dataclass
class ModelServer:
    """One model at one address. Runs share it; keys and clients are each run's own."""

    name: str
    """As the reader is told: ``provider:name``."""
    open: Callable[[str | None], Model]
    """Makes a client with a run's own key, or else the configured one."""
    address: str = ""
    """Its address."""
    needs_key: bool = False
    """True if it is somebody's service, which answers nobody without a key."""
    profile: Profile = LARGE
    cost: Cost = lambda _used: None
    timeout_s: float = 60.0
    """Seconds for one answer."""
    effort: Effort | None = None
    """Its effort in thinking; None for a model that cannot be told, or is not."""
    notes: bool = False
    """True if its client notes a request when it goes out."""
    takes_temperature: bool = True
    """True if it is asked with a temperature, of 0; False also once its server refused one."""
    steps: Mapping[Step, ModelServer] = field(default_factory=dict)
    """The models of single steps, beside this one for all others."""
    fallback: ModelServer | None = None
    """Answers where a server fails."""
    mode: OutputMode | None = field(default=None, init=False)
    """The abilities found in the server; None until it first answered."""

    @property
    def price(self) -> Price:
        """The price of so many tokens."""
        return lambda read, written: self.cost(Usage(input_tokens=read, output_tokens=written))

    @property
    def all(self) -> Mapping[str, ModelServer]:
        """Those that a run may ask, by name; this one first."""
        ours = (self, *self.steps.values(), *((self.fallback,) if self.fallback else ()))
        return {one.name: one for one in reversed(ours)}

    def server_for(self, judgement: str) -> ModelServer:
        """The one that is asked for a judgement: that of its step, or this one."""
        step = STEPS.get(judgement)
        return self.steps.get(step, self) if step else self

    @property
    def output_tokens(self) -> int:
        """Tokens that it may write, with those that it thinks with."""
        thought = _EFFORT_TOKENS[self.effort] if self.effort else 0
        return min(self.profile.output_tokens + thought, _MOST_TOKENS)

    def settings(self, judgement: str) -> ModelSettings:
        """Return the settings of a request for a judgement.

        Rules and form of what is asked for many times in a run are kept by the server, where it
        offers that and wants it said; they stand first in every question.
        """
        settings = ModelSettings(max_tokens=self.output_tokens, max_retries=0)
        if self.effort:
            settings["thinking"] = self.effort
        if self.takes_temperature:
            settings["temperature"] = 0.0
        if judgement in STEPS:
            settings["cache"] = {"messages": False}
        return settings


def model_server(
    spec: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    profile: ProfileName = "auto",
    context: int | None = None,
    effort: Effort | None = None,
    timeout_s: float = 60.0,
) -> ModelServer:
    """The server of a model; nothing is sent.

    Args:
        spec: ``provider:name``, such as ``anthropic:claude-opus-4-6`` or ``ollama:qwen3:8b``.
        base_url: Address of the API; without it the provider's own.
        api_key: A hosted provider needs one unless every run brings its own.
        profile: How much is asked at once; ``auto`` decides as `profile_for` does.
        context: Tokens of the model's context, where it is less or more than is known of it.
        effort: How long it thinks, if it can be told.
        timeout_s: For one answer.

    Raises:
        ConfigurationError: The provider is unknown, lacks a library, or no address is known.
    """
    way = _Way(spec, base_url, api_key)
    known = way.client(api_key or ("none" if way.needs_key else None))
    name, address = known.model_name, base_url or str(known.base_url)
    effort = effort if known.profile.get("supports_thinking") else None
    return ModelServer(
        spec,
        way.own_client,
        address=_shown(address),
        needs_key=way.needs_key,
        profile=profile_for(name, context, known.profile.get("context_window"), of=profile),
        cost=cost_of(known.system, name, address),
        timeout_s=timeout_s,
        effort=effort,
        notes=isinstance(known, NotedModel),
        takes_temperature=effort is None and _takes_temperature(known.profile),
    )


class _Way:
    """The construction of one model's clients. Its key is in no representation."""

    def __init__(self, spec: str, base_url: str | None, api_key: str | None) -> None:
        self._spec = spec
        self._key, _, self._name = spec.partition(":")
        self._provider = _provider(self._key, self._name, spec)
        self._url = _url(self._provider, base_url)
        self._api_key = api_key
        self.needs_key = self._provider.needs_key and base_url is None

    def own_client(self, own_key: str | None) -> Model:
        """A client with a run's own key, or else the configured one."""
        secret = own_key or self._api_key
        if self.needs_key and not secret:
            raise _no_key(self._spec)
        return self.client(secret)

    def client(self, secret: str | None) -> Model:
        # Never None at an address that was set: the libraries would then look for a key in the
        # environment, and might send that of one service to another.
        secret = _checked_key(secret) if secret else None
        if isinstance(self._provider, Listed):
            secret = secret or ("none" if self._url else None)
            return opened(self._provider, self._name, secret, self._url)
        return _model(self._provider, self._key, self._name, self._url or "", secret or "none")


def _takes_temperature(profile: ModelProfile) -> bool:
    """Return whether the model takes a temperature; else the library omits it with a warning."""
    refusing = ("anthropic_disallows_sampling_settings", "bedrock_disallows_sampling_settings")
    if any(profile.get(name) for name in refusing):
        return False
    thinks = profile.get("thinking_enabled_by_default")
    can_stop = profile.get("openai_supports_reasoning_effort_none")
    return not profile.get("openai_supports_reasoning") or bool(can_stop and not thinks)


def _no_key(spec: str) -> ConfigurationError:
    return ConfigurationError(
        f"The model {spec} needs a key.",
        f"Set DEEPCRITICAL_MODEL_API_KEY or {key_variable(spec)}, or unset DEEPCRITICAL_MODEL to "
        "run without one.",
    )


def hosted_model_server(spec: str, *, timeout_s: float = 60.0) -> ModelServer:
    """The server of a hosted provider's model, at the provider's own address, without a key.

    It is for names that anybody may type: no other address can be reached through it, and a run
    must bring its key.

    Raises:
        ConfigurationError: No hosted provider is named.
    """
    key, _, name = spec.partition(":")
    _provider(key, name, spec, hosted=True)
    return model_server(spec, timeout_s=timeout_s)


def _provider(key: str, name: str, spec: str, *, hosted: bool = False) -> _Provider | Listed:
    """The provider of this name.

    Raises:
        ConfigurationError: There is none, or it does not open with a key alone when it must.
    """
    found = PROVIDERS.get(key) or listed_provider(key)
    named = name and name.isprintable() and len(spec) <= _LONGEST_NAME
    if found is None or not named or (hosted and not found.needs_key):
        known = {one.key: one for one in listed_providers()} | PROVIDERS
        usable = (other for other, one in known.items() if not hosted or one.needs_key)
        raise ConfigurationError(
            f'"{spec[:_LONGEST_NAME]}" names no model that can be used here.',
            f"Write provider:name with one of {', '.join(usable)}.",
        )
    return found


def _checked_key(key: str) -> str:
    """A key as a header takes it; the error says nothing of what is in it."""
    stripped = key.strip()
    if not stripped.isascii() or not stripped.isprintable() or not stripped:
        raise ConfigurationError(
            "The key of the model holds characters that no key has, or nothing.",
            "Copy it again, without what stands around it.",
        )
    return stripped


def _url(provider: _Provider | Listed, base_url: str | None) -> str | None:
    """The address that is set, or ours; None leaves it to the library's provider."""
    url = base_url if isinstance(provider, Listed) else base_url or provider.base_url
    return url if url is None else _checked(url)


def _checked(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ConfigurationError(
            f"The address of the model server {url!r} cannot be used.",
            "Set DEEPCRITICAL_MODEL_BASE_URL to one such as http://127.0.0.1:8080/v1.",
        )
    return url


def _shown(url: str) -> str:
    """An address without what may be secret in it."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _model(provider: _Provider, key: str, name: str, url: str, secret: str) -> Model:
    client = noting_client()
    return NotedModel(_library_model(provider, key, name, url, secret, client), client)


def _library_model(
    provider: _Provider, key: str, name: str, url: str, secret: str, client: AsyncClient
) -> Model:
    if provider.api == "anthropic":
        return AnthropicModel(
            name,
            provider=AnthropicProvider(api_key=secret, base_url=url, http_client=client),
            profile={"supports_json_schema_output": True},
        )
    if key in ("openai", "openai-chat"):
        openai = OpenAIProvider(base_url=url, api_key=secret, http_client=client)
        kind = OpenAIResponsesModel if provider.api == "responses" else OpenAIChatModel
        return kind(name, provider=openai)
    compatible = OpenAICompatibleProvider(key, base_url=url, api_key=secret, http_client=client)
    return OpenAIChatModel(
        name,
        provider=compatible,
        profile=merge_profile(
            compatible.model_profile(name),
            OpenAIModelProfile(
                supports_json_schema_output=True, openai_chat_supports_max_completion_tokens=False
            ),
        ),
    )
