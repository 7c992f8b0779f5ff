"""The examples of README and docs are run as they stand, page by page, in one empty folder each.

A ``sh`` block is one script of the shell, a ``python`` block one program. A ``text`` block right
after one is what it prints, where ``...`` stands for anything. ``# exit 3`` behind a line names an
exit code that is not 0. Where a page asks ``$SERVER``, one is served. For people alone are blocks
without a language, and lines that need the checkout, such as ``make setup``.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

import pytest

from deepcritical.domain.appraisal.findings import Stance
from deepcritical.domain.appraisal.verdict import VerdictLabel
from deepcritical.domain.evidence.certainty import Certainty
from deepcritical.interfaces.cli.output import EXIT_CODES
from tests.conftest import ROOT
from tests.servers.commands import forked_command, forked_module
from tests.servers.serving import serving

PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
BIN = Path(sys.executable).parent
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXIT = re.compile(r"^(.*?)\s+# exit (\d+)$", re.MULTILINE)
OF_THE_CHECKOUT = re.compile(r"^(?:make |\. \.venv/|docker ).*\n", re.MULTILINE)
SHELL = shutil.which("sh") or "/bin/sh"


class Example(NamedTuple):
    """A block that is run; `output` is what the page says that it prints."""

    line: int
    language: str
    body: str
    output: str | None


def examples(text: str) -> Iterator[Example]:
    blocks = list(FENCE.finditer(text))
    for block, after in zip_longest(blocks, blocks[1:]):
        language, body = block.groups()
        body = OF_THE_CHECKOUT.sub("", body) if language == "sh" else body
        if language in ("sh", "python") and body.strip():
            follows = after and not text[block.end() : after.start()].strip()
            shown = after[2] if after and follows and after[1] == "text" else None
            yield Example(text.count("\n", 0, block.start()) + 1, language, body, shown)


def command_for(example: Example) -> Sequence[str]:
    if example.language == "python":
        return (*forked_module(), "tests.servers.program", example.body)
    checked = EXIT.sub(r"code=0; \1 || code=$?; test $code -eq \2", example.body)
    return (SHELL, "-euc", checked)


def fits(output: str, shown: str) -> bool:
    pattern = ".*".join(map(re.escape, shown.strip().split("...")))
    return re.fullmatch(pattern, output.strip(), re.DOTALL) is not None


RUN = [page for page in PAGES if any(examples(page.read_text(encoding="utf-8")))]


@pytest.mark.slow
@pytest.mark.parametrize("page", RUN, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_examples_of_a_page_do_what_it_says(page: Path, tmp_path: Path) -> None:
    text = page.read_text(encoding="utf-8")
    with (
        serving([forked_command(), "serve", "--port", "0"])
        if "$SERVER" in text
        else (nullcontext()) as server
    ):
        _run(page, text, tmp_path, {"SERVER": server.address} if server else {})


def _run(page: Path, text: str, folder: Path, more: Mapping[str, str]) -> None:
    environment = os.environ | {
        "PATH": os.pathsep.join((str(forked_command().parent), str(BIN), os.environ["PATH"])),
        "DEEPCRITICAL_SNAPSHOT": "demo",  # what is live for a reader, a test answers offline
        "DEEPCRITICAL_EMBEDDING_MODEL": "",  # half a minute of vectors, which change no example
        **more,
    }
    for example in examples(text):
        done = subprocess.run(  # noqa: S603 - our own examples
            command_for(example),
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        where = f"{page.name}, line {example.line}"
        assert done.returncode == 0, f"{where}: {done.stderr}"
        if example.output is not None:
            assert fits(done.stdout, example.output), f"{where} prints:\n{done.stdout}"


def test_the_pages_that_hold_examples_are_run() -> None:
    names = {str(page.relative_to(ROOT)) for page in RUN}
    assert names >= {"README.md", "docs/research.md", "docs/tutorial.md"}


@pytest.mark.parametrize(
    ("output", "shown", "fit"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\nb\nc\n", "a\n...\n", True),
        ("mixed, 4/10", "..., .../10", True),
        ("a\nb\n", "a\n", False),
        ("a.c", "a+c", False),
    ],
)
def test_only_dots_stand_for_anything(output: str, shown: str, fit: bool) -> None:
    assert fits(output, shown) is fit


def test_a_wrong_exit_code_is_noticed() -> None:
    for code, fit in ((3, True), (0, False), (7, False)):
        example = Example(1, "sh", f"(exit 3)   # exit {code}\n", None)
        done = subprocess.run(command_for(example), check=False)  # noqa: S603 - our own example
        assert (done.returncode == 0) is fit


def test_every_exit_code_of_the_command_is_documented() -> None:
    page = (ROOT / "docs/reference.md").read_text(encoding="utf-8")
    table = page.partition("## Exit codes")[2].partition("## ")[0]
    documented = {int(code) for code in re.findall(r"^\| (\d+) \|", table, re.MULTILINE)}
    assert documented == {code for _, code in EXIT_CODES} | {0, 2, 3, 130}


@pytest.mark.parametrize("words", [VerdictLabel, Certainty, Stance], ids=lambda e: e.__name__)
def test_the_glossary_has_every_word_of_a_verdict(words: type[VerdictLabel]) -> None:
    page = (ROOT / "docs/glossary.md").read_text(encoding="utf-8")
    assert [word.value for word in words if word.value not in page] == []
