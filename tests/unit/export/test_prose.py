from __future__ import annotations

import re

import pytest

from deepcritical.domain.report.parts import Reference
from deepcritical.export.prose import to_html, to_inline_html

REFERENCES = (
    Reference(title="First", authors=("Ada One",), date="2999"),
    Reference(title='Second "quoted" <b>', date="2998"),
)


def chips(html: str) -> list[tuple[str, str]]:
    return re.findall(r'popovertarget="([^"]+)"[^>]*>(\d+)</button>', html)


def test_each_marker_is_a_chip_that_opens_its_source() -> None:
    html = to_html("It helped [1][2]. It did not [2].", REFERENCES)
    assert chips(html) == [("src-1", "1"), ("src-2", "2"), ("src-2", "2")]
    assert 'aria-label="Citation 1: One 2999"' in html


def test_the_name_on_a_chip_is_escaped() -> None:
    html = to_html("[2]", REFERENCES)
    assert "<b>" not in html
    assert "&quot;quoted&quot; &lt;b&gt;" in html


@pytest.mark.parametrize("text", [r"as shown \[1\]", "`[1]`", "[x]", "[ 1 ]", "[12345]"])
def test_what_is_no_marker_stays_text(text: str) -> None:
    assert chips(to_html(text, REFERENCES)) == []


@pytest.mark.parametrize("text", ["[3]", "[0]"])
def test_a_number_without_a_reference_is_no_button(text: str) -> None:
    assert to_html(text, REFERENCES) == f"<p>{text}</p>\n"


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[click](javascript:alert(1))",
        "[1](https://evil.example)",
        "![pixel](https://evil.example/p.png)",
        "<https://evil.example>",
        "[ref]\n\n[ref]: https://evil.example",
    ],
)
def test_no_markup_of_the_text_becomes_an_element(text: str) -> None:
    html = to_html(text, REFERENCES)
    assert set(re.findall(r"<(\w+)", html)) <= {"p", "button"}
    assert "href" not in html
    assert " src=" not in re.sub(r"&lt;.*?&gt;", "", html)


def test_a_table_scrolls_within_itself() -> None:
    html = to_html("| a | b |\n| --- | --- |\n| one [1] | two |", REFERENCES)
    opening = '<div class="scroll" role="region" aria-label="Table: a, b" tabindex="0">'
    assert html.startswith(opening)
    assert chips(html) == [("src-1", "1")]


def test_a_part_of_a_line_has_no_paragraph() -> None:
    assert to_inline_html("*raises* x", REFERENCES) == "<em>raises</em> x"
