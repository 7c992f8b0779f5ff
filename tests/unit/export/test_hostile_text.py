"""Texts that attack a browser, a parser or a spreadsheet, in every field of a report."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable

import html5lib
import pytest

from deepcritical.domain.report.report import ResearchReport
from deepcritical.export.forest_figure import draw_forests
from deepcritical.export.formats import FORMATS
from deepcritical.export.svg import standalone
from tests.unit.export.briefs import brief_of, brief_report
from tests.unit.export.reports import IMPRINT, full_report, report_of

CORPUS = (
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "' onmouseover='alert(1)",
    "javascript:alert(1)",
    "[x](javascript:alert(1))",
    "![x](https://evil.example/p.png)",
    "<https://evil.example>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<style>*{background:url(https://evil.example)}</style>",
    "</style><script>alert(1)</script>",
    "</title></desc></svg><script>alert(1)</script>",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<!-- --><script>alert(1)</script>",
    "<form action=https://evil.example><input name=q>",
    "<a href='javascript:alert(1)'>x</a>",
    "{{ 7 * 7 }}{% raw %}${7*7}",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;script&#62;",
    "\x00<scr\x00ipt>",
    "\u202ereversed\u2066",
    "<math><mi//xlink:href='data:x,<script>alert(1)</script>'>",
)
LOADING = {"script", "img", "iframe", "object", "embed", "form", "input", "link", "base", "math"}
WHOLE = (full_report(), brief_report())
DRAWN = {"svg", "title", "desc", "style", "g", "rect", "path", "text", "tspan"}
XHTML = "{http://www.w3.org/1999/xhtml}"


def local(element: ET.Element) -> str:
    return str(element.tag).rpartition("}")[2]


@pytest.mark.parametrize("attack", CORPUS)
@pytest.mark.parametrize("filled", [report_of, brief_of])
def test_no_text_becomes_an_element_of_the_page(
    filled: Callable[[str], ResearchReport], attack: str
) -> None:
    written = FORMATS["html"].render(filled(attack), IMPRINT).decode()
    page = html5lib.parse(written, namespaceHTMLElements=True)
    assert LOADING & {local(element) for element in page.iter()} == set()
    for element in page.iter():
        for name, value in element.attrib.items():
            assert not name.lower().startswith("on"), (name, value)
            assert name not in ("src", "srcdoc", "formaction")
            if name.endswith("href"):
                assert value.startswith(("https://", "#part-")), value
    assert "evil.example" not in {a.get("href") for a in page.iter(f"{XHTML}a")}


@pytest.mark.parametrize("report", WHOLE)
def test_the_page_is_valid_html(report: ResearchReport) -> None:
    written = FORMATS["html"].render(report, IMPRINT).decode()
    # The parser is of an older standard than light-dark() and popover, which it need not know.
    html5lib.HTMLParser(strict=True).parse(written)


@pytest.mark.parametrize("report", WHOLE)
def test_ids_of_the_page_are_unique_and_referred_to(report: ResearchReport) -> None:
    written = FORMATS["html"].render(report, IMPRINT).decode()
    page = html5lib.parse(written)
    ids = [e.get("id") for e in page.iter() if e.get("id")]
    assert len(ids) == len(set(ids))
    named = {e.get("popovertarget") for e in page.iter()} - {None}
    assert named <= set(ids)
    assert {e.get("href", "#")[1:] for e in page.iter() if e.get("href", "")[:1] == "#"} <= set(ids)
    labels = " ".join(e.get("aria-labelledby", "") for e in page.iter()).split()
    assert labels
    assert set(labels) <= set(ids)


@pytest.mark.parametrize("attack", CORPUS)
def test_no_text_becomes_an_element_of_a_forest_plot(attack: str) -> None:
    (drawing,) = draw_forests(brief_of(attack))
    root = ET.fromstring(standalone(drawing))  # noqa: S314 - our own file
    assert {local(element) for element in root.iter()} <= DRAWN


@pytest.mark.parametrize("attack", CORPUS)
@pytest.mark.parametrize("suffix", [s for s in FORMATS if s.endswith(".svg")])
def test_no_text_becomes_an_element_of_a_figure(suffix: str, attack: str) -> None:
    root = ET.fromstring(FORMATS[suffix].render(report_of(attack), IMPRINT))  # noqa: S314
    assert {local(element) for element in root.iter()} <= DRAWN
    for element in root.iter():
        for name, value in element.attrib.items():
            assert not re.match(r"on|.*href", name), (name, value)
            assert "url(" not in value
