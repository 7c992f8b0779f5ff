from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from deepcritical.bootstrap import build_runs, read_settings
from deepcritical.domain.errors import ConfigurationError, SnapshotNotFoundError
from deepcritical.settings import PRIVATE_NETWORKS, Settings
from tests.conftest import paper, snapshot


def test_nothing_needs_to_be_set() -> None:
    settings = read_settings()
    assert settings.snapshot is None
    assert settings.sources == ("pubmed", "clinicaltrials", "europepmc")
    assert (settings.max_iterations, settings.deadline_s) == (None, None)


def test_the_environment_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEEPCRITICAL_SNAPSHOT", "made.jsonl")
    monkeypatch.setenv("DEEPCRITICAL_MAX_ITERATIONS", "2")
    monkeypatch.setenv("DEEPCRITICAL_DEADLINE_S", "1.5")
    settings = read_settings()
    assert (settings.snapshot, settings.max_iterations) == ("made.jsonl", 2)
    assert settings.deadline_s == 1.5


def test_a_dot_env_file_is_read_and_the_environment_outranks_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lines = "DEEPCRITICAL_SNAPSHOT=of-file\nDEEPCRITICAL_MAX_ITERATIONS=2\nSOMETHING_ELSE=1\n"
    (tmp_path / ".env").write_text(lines, encoding="utf-8")
    monkeypatch.setenv("DEEPCRITICAL_SNAPSHOT", "of-shell")
    assert (read_settings().snapshot, read_settings().max_iterations) == ("of-shell", 2)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MAX_ITERATIONS", "0"),
        ("MAX_ITERATIONS", "11"),
        ("MAX_ITERATIONS", "many"),
        ("DEADLINE_S", "0"),
        ("DEADLINE_S", "-1"),
        ("DEADLINE_S", "soon"),
        ("DEADLINE_S", "nan"),
        ("SOURCES", "pubmed,nowhere"),
        ("SOURCES", ","),
    ],
)
def test_a_setting_that_is_not_usable_is_named_without_a_stack_of_internals(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(f"DEEPCRITICAL_{name}", value)
    with pytest.raises(ConfigurationError, match=f"DEEPCRITICAL_{name} is not usable") as caught:
        read_settings()
    assert "pydantic" not in str(caught.value)
    assert caught.value.advice


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("DATABASE_URL", "mysql://x", "it must begin with sqlite:/// or postgresql://"),
        ("DEEPCRITICAL_SOURCES", "nowhere", "there is no source nowhere"),
    ],
)
def test_a_wrong_value_is_told_under_the_name_that_was_set_and_in_plain_words(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, why: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigurationError) as caught:
        read_settings()
    assert caught.value.message.startswith(f"The setting {name} is not usable: {why}")


@pytest.mark.parametrize(
    "text", ["europepmc,pubmed", " PubMed , europepmc,pubmed", "pubmed europepmc"]
)
def test_sources_are_names_with_commas(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("DEEPCRITICAL_SOURCES", text)
    assert read_settings().sources == ("pubmed", "europepmc")


def test_an_empty_snapshot_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEEPCRITICAL_SNAPSHOT", "")
    assert read_settings().snapshot is None


@pytest.mark.parametrize(
    ("told", "believed"),
    [
        ({}, None),
        ({"SPACE_ID": "team/space"}, PRIVATE_NETWORKS),
        ({"FORWARDED_ALLOW_IPS": "192.0.2.1"}, "192.0.2.1"),
        ({"DEEPCRITICAL_PROXIES": "192.0.2.2", "FORWARDED_ALLOW_IPS": "192.0.2.1"}, "192.0.2.2"),
        ({"SPACE_ID": "team/space", "FORWARDED_ALLOW_IPS": "192.0.2.1"}, "192.0.2.1"),
        ({"SPACE_ID": "team/space", "FORWARDED_ALLOW_IPS": ""}, ""),
    ],
    ids=str,
)
def test_the_proxy_of_a_space_is_believed_unless_others_are_named(
    monkeypatch: pytest.MonkeyPatch, told: dict[str, str], believed: str | None
) -> None:
    for name in ("SPACE_ID", "FORWARDED_ALLOW_IPS", "DEEPCRITICAL_PROXIES"):
        monkeypatch.delenv(name, raising=False)
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    assert read_settings().proxies == believed


class TestSnapshot:
    def test_a_missing_snapshot_is_told_before_anything_runs(self) -> None:
        with pytest.raises(SnapshotNotFoundError, match="nowhere"):
            build_runs(Settings(snapshot="nowhere"))

    def test_the_argument_outranks_the_setting(self, tmp_path: Path) -> None:
        path = snapshot(tmp_path / "made.jsonl", paper())
        build_runs(Settings(snapshot="nowhere"), snapshot=str(path))

    def test_sources_and_a_snapshot_at_once_are_a_programming_error(self) -> None:
        with pytest.raises(ValueError, match="either"):
            build_runs(Settings(), snapshot="demo", sources=("pubmed",))

    def test_an_empty_name_is_no_silent_demo(self) -> None:
        with pytest.raises(SnapshotNotFoundError):
            build_runs(Settings(), snapshot="")


KEY = SecretStr("made-up-key")
GIVEN = SecretStr("given-now")
HERE, THERE = "http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1"


class TestAnotherModel:
    """Of each row: the settings, what is given, and the model, address and key that follow."""

    @pytest.mark.parametrize(
        ("settings", "given", "expected"),
        [
            (Settings(model="vllm:a", model_api_key=KEY), {}, ("vllm:a", None, KEY)),
            # Another model of one service keeps address and key, another service neither.
            (
                Settings(model="vllm:a", model_base_url=HERE, model_api_key=KEY),
                {"model": "vllm:b"},
                ("vllm:b", HERE, KEY),
            ),
            (
                Settings(model="vllm:a", model_base_url=HERE, model_api_key=KEY),
                {"model": "anthropic:b"},
                ("anthropic:b", None, None),
            ),
            (
                Settings(model="openai:a", model_api_key=KEY),
                {"model": "openai-chat:b"},
                ("openai-chat:b", None, KEY),
            ),
            # Another address does not get the key.
            (
                Settings(model="vllm:a", model_base_url=HERE, model_api_key=KEY),
                {"base_url": THERE},
                ("vllm:a", THERE, None),
            ),
            (
                Settings(model="openai:a", model_api_key=KEY),
                {"base_url": THERE},
                ("openai:a", THERE, None),
            ),
            # A key that was set without a model is for the one that is named now.
            (
                Settings(model_api_key=KEY),
                {"model": "vllm:b", "base_url": HERE},
                ("vllm:b", HERE, KEY),
            ),
            (
                Settings(model="vllm:a", model_api_key=KEY),
                {"model": "anthropic:b", "api_key": GIVEN},
                ("anthropic:b", None, GIVEN),
            ),
            (Settings(model="vllm:a", model_api_key=KEY), {"model": ""}, (None, None, None)),
        ],
    )
    def test_nothing_that_was_set_for_one_service_goes_to_another(
        self, settings: Settings, given: dict[str, Any], expected: tuple[object, ...]
    ) -> None:
        made = settings.with_model(**given)
        assert (made.model, made.model_base_url, made.model_api_key) == expected

    @pytest.mark.parametrize("given", [{"base_url": HERE}, {"api_key": GIVEN}])
    def test_an_address_or_a_key_without_a_model_is_refused(self, given: dict[str, Any]) -> None:
        with pytest.raises(ConfigurationError, match="no model"):
            Settings().with_model(**given)


def test_a_misspelt_variable_is_named_wherever_it_stands(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DEEPCRITICAL_MODEL", "vllm:a")
    monkeypatch.setenv("deepcritical_max_calls", "1")
    assert Settings.misspelt() == ()
    monkeypatch.setenv("DEEPCRITICAL_OPENAI_API_KEY", "read by nobody")
    (tmp_path / ".env").write_text("DEEPCRITICAL_SOURCE=pubmed\nOTHER=1\n", encoding="utf-8")
    names = [line.split()[0] for line in Settings.misspelt()]
    assert names == ["DEEPCRITICAL_OPENAI_API_KEY", "DEEPCRITICAL_SOURCE"]
    assert "DEEPCRITICAL_SOURCES" in Settings.misspelt()[1]
