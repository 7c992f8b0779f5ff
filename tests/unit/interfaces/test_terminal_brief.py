"""The brief as a person sees it in a terminal, and as a program gets it through a pipe."""

from __future__ import annotations

import re
import unicodedata

import pytest

from tests.unit.interfaces.terminals import piped, seen

pytestmark = pytest.mark.usefixtures("loaded_program")

SHOWN = """
from deepcritical.interfaces.cli.terminal_brief import print_brief
from tests.unit.domain.report.briefs import BRIEF, brief_report, crowded
brief = {brief}
print_brief(brief_report(brief), brief, "Whole report: here")
"""
PLAIN = SHOWN.format(brief="BRIEF")
CROWDED = SHOWN.format(brief="crowded()")
ATTACK = "[bold]x[/bold] [link=https://evil.example]y[/] :smile: \x1b[2J\x07\x85\u202e\u2028 \n\n z"
HOSTILE = SHOWN.format(
    brief="BRIEF.model_copy(update={'missing': (" + repr(ATTACK) + ",), 'trials': ("
    "BRIEF.trials[0].model_copy(update={'title': " + repr(ATTACK) + "}),)})"
)


def uncoloured(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


@pytest.fixture(scope="module")
def plain() -> str:
    return piped(PLAIN)


def test_a_pipe_gets_plain_text(plain: str) -> None:
    assert plain.startswith(
        "Can examplol be repurposed for testitis?\nPromising · certainty: moderate"
    )
    assert "\x1b" not in plain
    assert plain.endswith("\n\nWhole report: here\n")
    assert not re.search(r" $", plain, re.MULTILINE)


def test_everything_of_a_small_brief_is_there(plain: str) -> None:
    words = " ".join(plain.split())
    for said in (
        "mild testitis by 2.4 points (95 % CI 0.3 to 4.5) [1][2]. A larger",
        "Harms: Diarrhoea was more common with examplol [2].",
        "• Koenig 2999, randomised trial, 1,214 people, against placebo: Executive function",
        "• No trial studied severe testitis.",
        "(recruiting, 326 people, until 2999-03) [5]",
        "[1] Koenig 2999, PMID 1",
        "[3] Van der Made-Up 2997, DOI 10.1/v, retracted",
        "[5] NCT00000005",
    ):
        assert said in words


def test_what_the_brief_does_not_cite_is_no_reference(plain: str) -> None:
    assert "Uncited" not in plain


@pytest.mark.parametrize(("columns", "most"), [(100, 40), (80, 50)])
@pytest.mark.parametrize("code", [PLAIN, CROWDED])
def test_it_fits_the_screen(code: str, columns: int, most: int) -> None:
    lines = uncoloured(seen(code, columns)).splitlines()
    assert len(lines) <= most
    assert max(map(len, lines)) <= columns


def test_what_does_not_fit_is_counted() -> None:
    text = piped(CROWDED)
    assert len(text.splitlines()) <= 40
    assert re.search(r"^\d more outcomes$", text, re.MULTILINE)
    assert re.search(r"^Trials under way \(and \d more\)$", text, re.MULTILINE)


def test_a_terminal_shows_colours_unless_they_are_unwanted() -> None:
    assert "\x1b[1;7;36m Promising \x1b[0m" in seen(PLAIN)
    assert not re.search(r"\x1b\[(?:\d+;)*3\d", seen(PLAIN, env={"NO_COLOR": "1"}))


def test_texts_of_records_neither_steer_the_terminal_nor_are_markup() -> None:
    shown = uncoloured(seen(HOSTILE))
    assert "• [bold]x[/bold] [link=https://evil.example]y[/] :smile: [2J z" in shown
    odd = {"Cc", "Cf", "Zl", "Zp"} & set(map(unicodedata.category, shown.replace("\n", "")))
    assert odd == set()
