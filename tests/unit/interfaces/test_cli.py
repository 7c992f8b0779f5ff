from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import tomllib
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from deepcritical.domain import errors
from deepcritical.domain.errors import PlanError
from deepcritical.domain.run.plan import Place
from deepcritical.interfaces.cli.output import EXIT_CODES, INTERRUPTED, NO_EVIDENCE, plain_json
from deepcritical.interfaces.cli.research import read_plan, research, write_plan
from deepcritical.interfaces.main import app
from tests.conftest import ROOT
from tests.unit.domain.run.test_plan import PLAN
from tests.unit.interfaces.terminals import command


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


@pytest.mark.parametrize("group", ["", "traces", "admin", "readings"])
def test_help_tells_each_command_in_a_whole_sentence(group: str) -> None:
    told = CliRunner().invoke(app, [*group.split(), "--help"]).stdout
    commands = told.partition("Commands:\n")[2].splitlines()
    assert commands
    assert all(line.endswith(".") and not line.endswith("...") for line in commands), told


def test_a_source_that_is_none_is_refused_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    write_plan(PLAN.model_copy(update={"place": Place(sources=("scholar",))}), path)
    with pytest.raises(PlanError, match=r"no source scholar.*at place\.sources"):
        read_plan(path)


HOSTILE = "\x1b[2J \x7f \x85 \x9b31m \u202eabc\u2066 \u200b \u2028 \U000e0041 µ 漢 😀"


@given(st.text() | st.just(HOSTILE))
def test_it_is_the_same_data_without_anything_that_steers(text: str) -> None:
    written = plain_json(json.dumps({"made up": [text]}, ensure_ascii=False, indent=2))
    assert json.loads(written) == {"made up": [text]}
    shown = written.replace("\n", "")
    assert {"Cc", "Cf", "Zl", "Zp"}.isdisjoint(map(unicodedata.category, shown))


def test_what_is_readable_stays_readable() -> None:
    assert plain_json('["µ 漢 😀"]') == '["µ 漢 😀"]'


def printed(on_terminal: bool) -> bytes:
    """A file of JSON, printed by a process of its own."""
    code = f"""
from deepcritical.interfaces.cli.output import file_to_stdout
file_to_stdout("json", {json.dumps(["abc" + chr(0x202E)], ensure_ascii=False).encode()!r})
"""
    program = command(code)
    if not on_terminal:
        return subprocess.run(program, capture_output=True, check=True).stdout  # noqa: S603
    ours, terminal = pty.openpty()
    subprocess.run(program, stdout=terminal, check=True)  # noqa: S603 - our own code
    os.close(terminal)
    said = os.read(ours, 1000)
    os.close(ours)
    return said


@pytest.mark.usefixtures("loaded_program")
def test_a_file_is_printed_byte_by_byte_but_on_a_terminal() -> None:
    assert printed(on_terminal=False) == '["abc\u202e"]'.encode()
    assert printed(on_terminal=True) == b'["abc\\u202e"]'
