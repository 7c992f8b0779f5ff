"""No text in any field breaks a format."""

from __future__ import annotations

import csv
import io
import json
import xml.etree.ElementTree as ET
from collections.abc import Callable

import html5lib
import pytest
import rispy
from bibtexparser.entrypoint import parse_string
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pypdf import PdfReader

from deepcritical.domain.report.report import ResearchReport
from deepcritical.export.formats import FORMATS
from deepcritical.export.writers import STUDY_COLUMNS
from tests.unit.export.briefs import brief_of
from tests.unit.export.reports import IMPRINT, REFERENCES, report_of

# Letters and signs that mean something to one of the formats, among all others.
SPECIAL = st.sampled_from(
    list("\\{}[]<>&\"'`$%#_^~@=+-|,;:\n\r\t\x00\x0b\x1c\u0085\u2028\ufeff\ufffe\u202e\U0001f600αβ–")
)
WORDS = st.sampled_from(["and", "ER  - ", "TY  - JOUR", "others", "[1]", "```", "|", "et al."])
CHARACTERS = st.characters(codec="utf-8")
TEXTS = st.lists(st.one_of(SPECIAL, WORDS, CHARACTERS), max_size=24).map("".join)


def rendered(suffix: str, text: str) -> bytes:
    return FORMATS[suffix].render(report_of(text), IMPRINT)


@given(TEXTS)
@settings(max_examples=60, deadline=None)
def test_reference_managers_read_every_reference(text: str) -> None:
    library = parse_string(rendered("bib", text).decode())
    assert not library.failed_blocks
    assert len(library.entries) == len(REFERENCES)
    assert len(rispy.loads(rendered("ris", text).decode())) == len(REFERENCES)
    assert len(json.loads(rendered("csl.json", text))) == len(REFERENCES)


@given(TEXTS)
@settings(max_examples=60, deadline=None)
def test_a_spreadsheet_reads_every_row_and_no_formula(text: str) -> None:
    told = rendered("evidence.csv", text).decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(told, newline="")))
    assert {len(row) for row in rows} == {24}
    assert len(rows) == 1 + len(REFERENCES)
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row)


@given(TEXTS)
@settings(max_examples=60, deadline=None)
def test_figures_are_well_formed(text: str) -> None:
    for suffix in ("prisma.svg", "mechanism.svg", "timeline.svg"):
        ET.fromstring(rendered(suffix, text))  # noqa: S314 - our own file
    json.loads(rendered("figures.json", text))


@given(TEXTS)
@settings(max_examples=60, deadline=None)
def test_a_spreadsheet_reads_every_study_and_no_formula(text: str) -> None:
    told = FORMATS["studies.csv"].render(brief_of(text), IMPRINT).decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(told, newline="")))
    assert [len(row) for row in rows] == [len(STUDY_COLUMNS)] * 2
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row)


@pytest.mark.slow
@given(TEXTS, st.sampled_from([report_of, brief_of]))
@example("```", report_of)
@example("~~~\n    x", brief_of)
@settings(max_examples=25, deadline=None)
def test_the_page_and_the_pdf_are_written(
    text: str, filled: Callable[[str], ResearchReport]
) -> None:
    report = filled(text)
    page = html5lib.parse(FORMATS["html"].render(report, IMPRINT).decode())
    assert not [e for e in page.iter() if str(e.tag).endswith("}script")]
    assert len(PdfReader(io.BytesIO(FORMATS["pdf"].render(report, IMPRINT))).pages) >= 1
