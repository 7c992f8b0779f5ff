from __future__ import annotations

import re
import tomllib

import pytest
from typer.testing import CliRunner

from deepcritical.domain import errors
from deepcritical.interfaces.cli.output import EXIT_CODES, INTERRUPTED, NO_EVIDENCE
from deepcritical.interfaces.cli.research import research
from deepcritical.interfaces.main import app
from tests.conftest import ROOT


def listed() -> dict[int, str]:
    """The exit codes that the help text promises."""
    text = " ".join((research.__doc__ or "").split())
    _, _, codes = text.partition("Exit codes: ")
    pairs = (part.strip(" .").split(" ", 1) for part in codes.split(";"))
    return {int(code): meaning for code, meaning in pairs}


def test_the_help_lists_every_exit_code_and_no_other() -> None:
    used = {code for _, code in EXIT_CODES}
    own = {0, 2, NO_EVIDENCE, INTERRUPTED}
    assert set(listed()) == used | own


def test_each_kind_of_error_has_a_code_of_its_own() -> None:
    codes = [code for _, code in EXIT_CODES]
    assert len(set(codes)) == len(codes)


@pytest.mark.parametrize(
    "kind",
    [
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, errors.DeepCriticalError)
    ],
)
def test_every_error_of_the_tree_finds_its_own_code(kind: type[errors.DeepCriticalError]) -> None:
    first = next(known for known, _ in EXIT_CODES if issubclass(kind, known))
    closest = next(base for base in kind.__mro__ if base in dict(EXIT_CODES))
    assert first is closest


def test_the_words_of_the_help_fit_the_errors() -> None:
    codes = dict(EXIT_CODES)
    said = listed()
    assert "empty" in said[codes[errors.EmptyQuestionError]]
    assert "long" in said[codes[errors.QuestionTooLongError]]
    assert re.search("snapshot", said[codes[errors.SnapshotNotFoundError]])
    assert re.search("snapshot", said[codes[errors.SnapshotCorruptError]])
    assert "time" in said[codes[errors.BudgetExceeded]]


def test_the_version_is_that_of_the_package() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert CliRunner().invoke(app, ["--version"]).stdout == f"deepcritical {version}\n"


def test_without_arguments_it_greets_with_examples() -> None:
    done = CliRunner().invoke(app, [])
    assert done.exit_code == 0
    assert len(re.findall(r"^  deepcritical \w+", done.stdout, re.MULTILINE)) == 3
    assert "deepcritical --help" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 90


def test_help_lists_the_commands() -> None:
    assert "Commands:" in CliRunner().invoke(app, ["--help"]).stdout
