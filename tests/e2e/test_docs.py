"""The examples of README and docs are run as they stand."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "docs/research.md")
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)
EXIT = re.compile(r"\s+# exit (\d+)$")


def _blocks(language: str) -> list[str]:
    texts = [(ROOT / page).read_text(encoding="utf-8") for page in PAGES]
    return [body for text in texts for kind, body in BLOCK.findall(text) if kind == language]


COMMANDS = sorted(
    {line for b in _blocks("sh") for line in b.splitlines() if "deepcritical" in line}
)


@pytest.mark.parametrize("line", COMMANDS)
def test_a_documented_command_ends_as_documented(line: str, tmp_path: Path) -> None:
    expected = EXIT.search(line)
    command = EXIT.sub("", line).split(">")[0]
    words = [str(Path(sys.executable).parent / "deepcritical"), *shlex.split(command)[1:]]
    done = subprocess.run(  # noqa: S603 - our own command
        words, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == int(expected.group(1) if expected else 0), done.stderr
    assert done.stdout


@pytest.mark.parametrize("code", _blocks("python"))
def test_a_documented_program_runs(code: str, tmp_path: Path) -> None:
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "# Metformin for Alzheimer's disease" in done.stdout


def test_every_exit_code_of_the_command_is_documented() -> None:
    from deepcritical.interfaces.cli import EXIT_CODES

    page = (ROOT / "docs/research.md").read_text(encoding="utf-8")
    documented = {int(code) for code in re.findall(r"^\| (\d+) \|", page, re.MULTILINE)}
    assert documented == {code for _, code in EXIT_CODES} | {0, 2, 3, 130}
