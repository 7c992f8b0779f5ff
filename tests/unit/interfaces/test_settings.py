from __future__ import annotations

from pathlib import Path

import pytest

from deepcritical.bootstrap import build_runs, read_settings
from deepcritical.domain.errors import ConfigurationError, SnapshotNotFoundError
from deepcritical.settings import Settings
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
    "text", ["europepmc,pubmed", " PubMed , europepmc,pubmed", "pubmed europepmc"]
)
def test_sources_are_names_with_commas(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("DEEPCRITICAL_SOURCES", text)
    assert read_settings().sources == ("pubmed", "europepmc")


def test_an_empty_snapshot_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEEPCRITICAL_SNAPSHOT", "")
    assert read_settings().snapshot is None


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
