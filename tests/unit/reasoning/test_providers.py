"""A model's name, address and key, resolved without sending anything."""

from __future__ import annotations

import pytest
from pydantic_ai.models.openai import OpenAIChatModel

from deepcritical.bootstrap import build_model_server, build_reasoner
from deepcritical.domain.errors import ConfigurationError
from deepcritical.models.providers import LARGE, PROVIDERS, SMALL, model_server
from deepcritical.reasoning.extractive import ExtractiveReasoner
from deepcritical.settings import Settings


@pytest.mark.parametrize("provider", [name for name in PROVIDERS if name != "compatible"])
def test_every_provider_gives_a_model_at_its_own_address(provider: str) -> None:
    server = model_server(f"{provider}:made-up", api_key="made-up")
    model = server.open(None)
    assert model.model_name == "made-up"
    assert str(model.base_url).rstrip("/") == PROVIDERS[provider].base_url
    assert server.name == f"{provider}:made-up"


@pytest.mark.parametrize("spec", ["", "gpt-4o", "nobody:gpt-4o", "openai:"])
def test_what_names_no_model_is_a_clear_error(spec: str) -> None:
    with pytest.raises(ConfigurationError, match="provider:name"):
        model_server(spec)


@pytest.mark.parametrize("address", ["", "127.0.0.1:8080", "file:///etc/passwd", "http://"])
def test_an_address_must_be_one(address: str) -> None:
    with pytest.raises(ConfigurationError, match="MODEL_BASE_URL"):
        model_server("compatible:made-up", base_url=address)


def test_a_hosted_model_needs_a_key_when_it_is_opened_and_a_runs_own_will_do() -> None:
    server = model_server("anthropic:made-up")
    with pytest.raises(ConfigurationError, match="MODEL_API_KEY"):
        server.open(None)
    assert server.open("my-own")


@pytest.mark.parametrize(
    ("spec", "profile"),
    [
        ("openai:gpt-4o", LARGE),
        ("anthropic:claude-opus-4-6", LARGE),
        ("huggingface:Qwen/Qwen3-8B", SMALL),
        ("huggingface:openai/gpt-oss-120b", LARGE),
        ("ollama:llama3.3:70b", LARGE),
        ("ollama:made-up", SMALL),
        ("llamacpp:gemma-3-4b-it", SMALL),
    ],
)
def test_small_models_are_known_by_their_server_or_their_name(spec: str, profile: object) -> None:
    assert model_server(spec).profile == profile
    assert model_server(spec, profile="large").profile == LARGE


def test_the_price_is_known_for_known_names_only() -> None:
    assert (model_server("openai-chat:gpt-4o").price(1_000_000, 0) or 0) > 0
    assert model_server("openai-chat:made-up").price(1_000_000, 0) is None
    assert model_server("ollama:gpt-4o").price(1_000_000, 0) is None


def opened_key(settings: Settings) -> str:
    """The key that the client of the settings' model sends."""
    assert settings.model
    model = build_model_server(settings, settings.model).open(None)
    assert isinstance(model, OpenAIChatModel)
    return str(model.client.api_key)


class TestSettings:
    def test_without_a_model_rules_reason_alone(self) -> None:
        assert isinstance(build_reasoner(Settings()), ExtractiveReasoner)

    def test_the_model_of_the_settings_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("DEEPCRITICAL_MODEL", "ollama:qwen3:8b")
        assert build_reasoner(Settings()).name == "model ollama:qwen3:8b"

    def test_a_providers_key_is_sent_to_no_other_address(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "for-openai-alone")
        monkeypatch.setenv("DEEPCRITICAL_MODEL", "openai-chat:made-up")
        assert opened_key(Settings()) == "for-openai-alone"
        monkeypatch.setenv("DEEPCRITICAL_MODEL_BASE_URL", "http://127.0.0.1:1/v1")
        assert opened_key(Settings()) == "none"

    def test_a_key_is_in_no_repr(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("DEEPCRITICAL_MODEL", "openai-chat:made-up")
        monkeypatch.setenv("DEEPCRITICAL_MODEL_API_KEY", "made-up-secret")
        settings = Settings()
        server = build_model_server(settings, "openai-chat:made-up")
        shown = f"{settings!r} {server!r} {server.open(None)!r} {build_reasoner(settings)!r}"
        assert "made-up-secret" not in shown
