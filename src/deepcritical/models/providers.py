"""Which model answers: ``provider:name``, a base URL and a key, resolved into one model server.

``openai`` is the Responses API, ``openai-chat`` Chat Completions. Every other server is spoken to
as OpenAI-compatible: ``huggingface`` by its router, and local ones, whose key never leaves for
anybody else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from genai_prices import Usage, calc_price
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.profiles import merge_profile
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from deepcritical.domain.budget import Price
from deepcritical.domain.errors import ConfigurationError
from deepcritical.models.desk import OutputMode

__all__ = [
    "PROVIDERS",
    "ModelServer",
    "Profile",
    "hosted_model_server",
    "model_server",
]


class _Provider(NamedTuple):
    api: Literal["responses", "chat", "anthropic"]
    base_url: str
    hosted: bool
    """Whether it is somebody's service and needs a key."""


PROVIDERS: dict[str, _Provider] = {
    "openai": _Provider("responses", "https://api.openai.com/v1", True),
    "openai-chat": _Provider("chat", "https://api.openai.com/v1", True),
    "anthropic": _Provider("anthropic", "https://api.anthropic.com", True),
    "huggingface": _Provider("chat", "https://router.huggingface.co/v1", True),
    "ollama": _Provider("chat", "http://127.0.0.1:11434/v1", False),
    "vllm": _Provider("chat", "http://127.0.0.1:8000/v1", False),
    "llamacpp": _Provider("chat", "http://127.0.0.1:8080/v1", False),
    "lmstudio": _Provider("chat", "http://127.0.0.1:1234/v1", False),
    "compatible": _Provider("chat", "", False),
}
"""The providers by the name before the colon; ``compatible`` needs a base URL."""

_BILLIONS = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)b(?![a-z])", re.IGNORECASE)
_SMALL_BILLIONS = 15
_LONGEST_NAME = 200


class Profile(NamedTuple):
    """What is asked of a model at once."""

    short: bool
    """Whether prompts are short; a model of few parameters loses the thread of long ones."""
    context_tokens: int
    """Tokens of a prompt's evidence at most."""
    output_tokens: int
    """Tokens of an answer at most."""
    batch_records: int
    """Records read in one call."""
    at_once: int
    """Calls under way at the same time."""
    temperature: float | None
    """None leaves it to the server: several hosted models refuse one."""


LARGE = Profile(False, 24_000, 8_000, 8, 12, None)
SMALL = Profile(True, 2_400, 1_500, 2, 2, 0.0)
"""With rules, schema and a usual answer it fits into 4,096 tokens, with which local servers often
start."""


@dataclass
class ModelServer:
    """One model at one address. Runs share it; keys and clients are each run's own."""

    name: str
    """As the reader is told: ``provider:name``."""
    open: Callable[[str | None], Model]
    """Makes a client with a run's own key, or else the configured one."""
    address: str = ""
    """Where it is asked."""
    needs_key: bool = False
    """Whether it is somebody's service, which answers nobody without a key."""
    profile: Profile = LARGE
    price: Price = lambda _input, _output: None
    timeout_s: float = 60.0
    """Seconds for one answer."""
    mode: OutputMode | None = field(default=None, init=False)
    """What the server was found to be able to do; None until it first answered."""


def model_server(
    spec: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    profile: Literal["auto", "small", "large"] = "auto",
    timeout_s: float = 60.0,
) -> ModelServer:
    """The server of a model; nothing is sent.

    Args:
        spec: ``provider:name``, such as ``anthropic:claude-opus-4-6`` or ``ollama:qwen3:8b``.
        base_url: Address of the API; without it the provider's own.
        api_key: The key; a hosted provider needs one unless every run brings its own.
        profile: How much is asked at once; ``auto`` takes small for local servers and for names
            that tell of fewer than 15 billion parameters.
        timeout_s: Seconds for one answer.

    Raises:
        ConfigurationError: The provider is unknown, or no address is known.
    """
    key, _, name = spec.partition(":")
    provider = _provider(key, name, spec)
    url, needs_key = _checked(base_url or provider.base_url), provider.hosted and base_url is None

    def opened(own_key: str | None) -> Model:
        if needs_key and not (own_key or api_key):
            raise _no_key(spec)
        return _model(provider, key, name, url, own_key or api_key)

    asks_little = _is_small(provider, name) if profile == "auto" else profile == "small"
    return ModelServer(
        spec,
        opened,
        address=_shown(url),
        needs_key=needs_key,
        profile=SMALL if asks_little else LARGE,
        price=_price_of(key, name),
        timeout_s=timeout_s,
    )


def _no_key(spec: str) -> ConfigurationError:
    return ConfigurationError(
        f"The model {spec} needs a key.",
        "Set DEEPCRITICAL_MODEL_API_KEY, or unset DEEPCRITICAL_MODEL to run without one.",
    )


def hosted_model_server(spec: str, *, timeout_s: float = 60.0) -> ModelServer:
    """The server of a hosted provider's model, at the provider's own address, without a key.

    It is for names that anybody may type: no other address can be reached through it, and a run
    must bring its key.

    Args:
        spec: ``provider:name``.
        timeout_s: Seconds for one answer.

    Raises:
        ConfigurationError: No hosted provider is named.
    """
    key, _, name = spec.partition(":")
    hosted = {other: provider for other, provider in PROVIDERS.items() if provider.hosted}
    _provider(key, name, spec, hosted)
    return model_server(spec, timeout_s=timeout_s)


def _provider(
    key: str, name: str, spec: str, among: Mapping[str, _Provider] | None = None
) -> _Provider:
    known = PROVIDERS if among is None else among
    provider = known.get(key)
    if provider is None or not name or not name.isprintable() or len(spec) > _LONGEST_NAME:
        raise ConfigurationError(
            f'"{spec[:_LONGEST_NAME]}" names no model that can be used here.',
            f"Write provider:name with one of {', '.join(known)}.",
        )
    return provider


def _checked_key(key: str) -> str:
    """A key as a header takes it; the error says nothing of what is in it."""
    stripped = key.strip()
    if not stripped.isascii() or not stripped.isprintable() or not stripped:
        raise ConfigurationError(
            "The key of the model holds characters that no key has, or nothing.",
            "Copy it again, without what stands around it.",
        )
    return stripped


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


def _is_small(provider: _Provider, name: str) -> bool:
    sizes = [float(size) for size in _BILLIONS.findall(name)]
    return max(sizes) < _SMALL_BILLIONS if sizes else not provider.hosted


def _model(provider: _Provider, key: str, name: str, url: str, api_key: str | None) -> Model:
    # Never None: the libraries would then look for a key in the environment, and might send that of
    # one service to another.
    secret = _checked_key(api_key) if api_key else "none"
    if provider.api == "anthropic":
        return AnthropicModel(
            name,
            provider=AnthropicProvider(api_key=secret, base_url=url),
            profile={"supports_json_schema_output": True},
        )
    if key in ("openai", "openai-chat"):
        openai = OpenAIProvider(base_url=url, api_key=secret)
        kind = OpenAIResponsesModel if provider.api == "responses" else OpenAIChatModel
        return kind(name, provider=openai)
    compatible = OpenAICompatibleProvider(key, base_url=url, api_key=secret)
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


def _price_of(key: str, name: str) -> Price:
    """The price by the model's name in the library's data; None for a name it does not have."""
    provider = {"openai-chat": "openai"}.get(key, key)
    if provider not in ("openai", "anthropic"):
        return lambda _input, _output: None

    def price(input_tokens: int, output_tokens: int) -> float | None:
        used = Usage(input_tokens=input_tokens, output_tokens=output_tokens)
        try:
            return float(calc_price(used, model_ref=name, provider_id=provider).total_price)
        except LookupError:
            return None

    return price
