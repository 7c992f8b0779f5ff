"""A model's name, address and key, resolved without sending anything."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import SecretStr
from pydantic_ai.exceptions import UserError
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel

from deepcritical.bootstrap import build_model_server, build_reasoner
from deepcritical.domain.errors import ConfigurationError
from deepcritical.domain.model_keys import key_variable
from deepcritical.models.profiles import LARGE, MEDIUM, SMALL, profile_for
from deepcritical.models.providers import PROVIDERS, ModelServer, model_server
from deepcritical.models.registry import Listed, listed_provider, listed_providers
from deepcritical.models.sending import NotedModel
from deepcritical.reasoning.base import ExtractiveReasoner
from deepcritical.settings import Settings


@pytest.mark.parametrize("provider", [name for name in PROVIDERS if name != "compatible"])
def test_every_provider_gives_a_model_at_its_own_address(provider: str) -> None:
    server = model_server(f"{provider}:made-up", api_key="made-up")
    model = server.open(None)
    assert model.model_name == "made-up"
    assert str(model.base_url).rstrip("/") == PROVIDERS[provider].base_url
    assert server.name == f"{provider}:made-up"


LISTED = [one for one in listed_providers() if one.key not in PROVIDERS]
LOOPBACK = "http://127.0.0.1:1/v1"


class TestListed:
    def test_the_providers_of_the_library_are_there_by_their_own_names(self) -> None:
        keys = {one.key for one in listed_providers()}
        assert keys >= set("groq google mistral cohere bedrock azure openrouter deepseek".split())
        assert keys.isdisjoint({"elevenlabs", "voyageai", "openai-decisions", "gateway"})

    @pytest.mark.parametrize("one", [one for one in LISTED if one.kind], ids=lambda one: one.key)
    def test_one_that_is_installed_opens_at_another_address_with_a_key(self, one: Listed) -> None:
        name = "openai/made-up" if one.key == "openrouter" else "openai.gpt-oss-120b"
        if one.key in ("azure", "azure-responses", "snowflake", "bedrock-mantle"):
            pytest.skip("it wants more than a key: the next test")
        server = model_server(f"{one.key}:{name}", base_url=LOOPBACK, api_key="made-up")
        assert str(server.open(None).base_url).startswith(("https://", "http://127.0.0.1:1"))
        assert not server.needs_key

    def test_what_it_lacks_beside_a_key_is_told(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("AZURE_OPENAI_ENDPOINT", raising=False)
        with pytest.raises(ConfigurationError, match="AZURE_OPENAI_ENDPOINT"):
            model_server("azure:made-up", api_key="made-up")

    @pytest.mark.parametrize("one", [one for one in LISTED if not one.kind], ids=lambda o: o.key)
    def test_one_without_its_library_names_the_extra_and_a_way_round(self, one: Listed) -> None:
        with pytest.raises(ConfigurationError) as caught:
            model_server(f"{one.key}:made-up", api_key="made-up")
        assert f"pydantic-ai-slim[{one.extra}]" in caught.value.message
        assert "compatible:made-up" in caught.value.advice
        assert ("conflicts" in caught.value.message) is one.conflicts
        assert ("pip install" in caught.value.advice) is not one.conflicts

    @pytest.mark.parametrize(
        "one", [one for one in LISTED if one.needs_key], ids=lambda one: one.key
    )
    def test_the_variable_of_its_key_is_the_one_that_the_library_names(
        self, one: Listed, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv(key_variable(one.key), raising=False)
        more = {"azure_endpoint": LOOPBACK, "account": "made-up"}
        given = {name: value for name, value in more.items() if name in one.takes}
        assert one.kind
        with pytest.raises(UserError) as caught:
            one.kind(**given)
        assert key_variable(one.key) in re.findall(r"`(\w+)`", str(caught.value))

    def test_a_providers_own_key_is_found_in_the_environment_and_in_the_file(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.chdir(tmp_path)
        settings = Settings(model="openrouter:openai/made-up")
        (tmp_path / ".env").write_text("OPENROUTER_API_KEY=of-the-file\n", encoding="utf-8")
        assert opened_key(settings) == "of-the-file"
        monkeypatch.setenv("OPENROUTER_API_KEY", "of-the-environment")
        assert opened_key(settings) == "of-the-environment"
        elsewhere = settings.model_copy(update={"model_base_url": LOOPBACK})
        assert opened_key(elsewhere) == "none"

    def test_what_the_library_leaves_out_is_none(self) -> None:
        assert listed_provider("made-up") is None
        assert listed_provider("gateway/openai") is None


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
        ("anthropic:made-up", MEDIUM),
        ("huggingface:Qwen/Qwen3-8B", SMALL),
        ("huggingface:openai/gpt-oss-120b", LARGE),
        ("ollama:llama3.3:70b", LARGE),
        ("ollama:made-up", MEDIUM),
        ("llamacpp:gemma-3-4b-it", SMALL),
    ],
)
def test_a_profile_goes_by_the_known_context_and_the_parameters(spec: str, profile: object) -> None:
    assert model_server(spec).profile == profile
    assert model_server(spec, profile="large").profile == LARGE


@pytest.mark.parametrize(
    ("context", "profile"), [(8_192, SMALL), (16_384, MEDIUM), (200_000, LARGE)]
)
def test_a_context_that_is_set_decides_and_is_never_exceeded(context: int, profile: object) -> None:
    assert model_server("ollama:made-up", context=context).profile == profile
    forced = profile_for("made-up", context, 1_000_000, of="large")
    assert forced.context_tokens + forced.output_tokens < context


def test_the_price_is_known_for_known_names_only() -> None:
    assert (model_server("openai-chat:gpt-4o").price(1_000_000, 0) or 0) > 0
    assert model_server("openai-chat:made-up").price(1_000_000, 0) is None
    assert model_server("ollama:gpt-4o").price(1_000_000, 0) is None
    sold = model_server("deepseek:deepseek-chat", api_key="made-up")
    assert (sold.price(1_000_000, 0) or 0) > 0
    groq = "https://api.groq.com/openai/v1"
    by_address = model_server("compatible:llama-3.3-70b-versatile", base_url=groq)
    assert (by_address.price(1_000_000, 0) or 0) > 0


@pytest.mark.parametrize(
    ("spec", "takes"),
    [
        ("openai:gpt-4o", True),
        ("openai:o3", False),
        ("openai:gpt-5.2", True),
        ("anthropic:claude-opus-4-6", True),
        ("anthropic:claude-opus-4-8", False),
        ("ollama:made-up", True),
    ],
)
def test_a_temperature_is_sent_where_nothing_is_known_against_it(spec: str, takes: bool) -> None:
    assert model_server(spec).takes_temperature is takes
    assert not model_server("openai:gpt-5.2", effort="low").takes_temperature


def test_an_effort_is_for_models_that_think() -> None:
    thinking = model_server("openai:gpt-5", effort="high")
    assert thinking.settings("reading")["thinking"] == "high"
    assert thinking.output_tokens > thinking.profile.output_tokens
    assert "thinking" not in model_server("openai:gpt-4o", effort="high").settings("reading")


def test_a_small_model_gets_one_request_at_a_time_unless_it_is_set() -> None:
    settings = Settings(model="ollama:qwen3:8b", reader_model="vllm:made-up-8b", model_at_once=4)
    server = build_model_server(settings, "ollama:qwen3:8b")
    assert server.profile.at_once == 4
    assert server.server_for("reading").profile.at_once == 1


class TestSteps:
    def test_a_step_has_its_own_model_and_the_others_that_of_the_run(self) -> None:
        settings = Settings(
            model="openai:gpt-4o",
            model_api_key=SecretStr("made-up"),
            model_profile="large",
            reader_model="ollama:made-up",
            writer_model="openai:gpt-5",
            fallback_model="vllm:made-up",
        )
        server = build_model_server(settings, "openai:gpt-4o")
        names = {j: server.server_for(j).name for j in ("reading", "report", "verify", "question")}
        assert names == {
            "reading": "ollama:made-up",
            "report": "openai:gpt-5",
            "verify": "openai:gpt-4o",
            "question": "openai:gpt-4o",
        }
        assert server.fallback
        assert server.fallback.name == "vllm:made-up"
        assert server.server_for("reading").profile == MEDIUM
        assert key_of(server.server_for("report")) == "made-up"
        assert key_of(server.server_for("reading")) == "none"

    def test_another_model_for_a_call_is_asked_alone(self) -> None:
        settings = Settings(model="openai:gpt-4o", reader_model="ollama:made-up")
        assert build_model_server(settings.with_model("vllm:made-up"), "vllm:made-up").steps == {}
        assert settings.with_model("openai:gpt-4o").reader_model == "ollama:made-up"

    def test_a_model_of_a_step_alone_is_a_clear_error(self) -> None:
        with pytest.raises(ConfigurationError, match="DEEPCRITICAL_READER_MODEL"):
            build_reasoner(Settings(reader_model="ollama:made-up"))
        assert build_reasoner(Settings(reader_model="ollama:x", model="ollama:y").with_model(""))


def opened_key(settings: Settings) -> str:
    """The key that the client of the settings' model sends."""
    assert settings.model
    return key_of(build_model_server(settings, settings.model))


def key_of(server: ModelServer) -> str:
    opened = server.open(None)
    model = opened.wrapped if isinstance(opened, NotedModel) else opened
    assert isinstance(model, OpenAIChatModel | OpenAIResponsesModel)
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
