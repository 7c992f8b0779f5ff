from __future__ import annotations

import pytest

from deepcritical.domain.errors import SearchError
from deepcritical.tools.jats import MAX_BYTES, parse_jats
from tests.jats import RESULT, TABLE, article


def test_sections_have_a_path_and_the_kind_of_the_outermost() -> None:
    text = parse_jats(article())
    assert [(s.path, s.kind) for s in text.sections] == [
        (("Introduction",), "introduction"),
        (("Methods",), "methods"),
        (("3. Results",), "results"),
        (("3. Results", "Harms"), "results"),
        (("Discussion",), "discussion"),
    ]
    assert text.complete


def test_marks_of_references_and_notes_are_no_figures() -> None:
    told = [p for s in parse_jats(article()).sections for p in s.paragraphs]
    assert told == [
        "Others failed.",
        "They were blinded.",
        f"{RESULT}.",
        "Nobody was harmed in 10^3 days.",
        "It was made up.",
    ]


def test_a_cell_stands_in_every_row_and_column_that_it_covers() -> None:
    (table,) = parse_jats(article()).tables
    assert table.header == ("Outcome", "Week 12 Drugazole", "Week 12 Placebo")
    assert table.rows == (
        ("Primary", "Primary", "Primary"),
        ("Itching, points", "3.1", "5.2"),
        ("Itching, points", "2.9", "5.0"),
    )
    assert table.lines[0] == (
        "Table 2. Itching. Adults only; Outcome: Itching, points; Week 12 Drugazole: 3.1; "
        "Week 12 Placebo: 5.2."
    )
    assert len(table.lines) == 2


@pytest.mark.parametrize(
    ("licence", "name", "kept"),
    [
        ("https://creativecommons.org/licenses/by/4.0/", "cc by", True),
        ("http://creativecommons.org/licenses/by-sa/3.0/", "cc by-sa", True),
        ("https://creativecommons.org/licenses/by-nc/4.0/", "cc by-nc", True),
        ("https://creativecommons.org/licenses/by-nc-nd/4.0/", "cc by-nc-nd", False),
        ("https://creativecommons.org/publicdomain/zero/1.0/", "cc0", True),
        ("This is CC BY 4.0.", "cc by", True),
        ("All rights reserved.", "All rights reserved.", False),
        ("", "", False),
    ],
)
def test_only_some_licences_allow_keeping_the_text(licence: str, name: str, kept: bool) -> None:
    text = parse_jats(article(licence))
    assert (text.licence, text.may_be_kept) == (name, kept)


def deep(levels: int) -> str:
    return "<sec><title>A</title><p>B.</p>" * levels + "</sec>" * levels


@pytest.mark.parametrize(
    "payload",
    [
        article(before='<!DOCTYPE article [<!ENTITY a "aaaa">]>'),
        article(
            before='<!DOCTYPE article SYSTEM "x.dtd" [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
        ),
        '<!DOCTYPE article [<!ENTITY a "aa">]><article/>'.encode("utf-16"),
        article(more=deep(200)),
        b"<article>" + b" " * MAX_BYTES + b"</article>",
        b"",
        b"no xml",
        b"<html><body><p>Down.</p></body></html>",
        b"<article><front/></article>",
        b"<article><body><sec><title>Results</title></sec></body></article>",
    ],
)
def test_what_is_hostile_or_no_article_is_refused(payload: bytes) -> None:
    with pytest.raises(SearchError, match=r"The full text .* The abstract is read instead"):
        parse_jats(payload)


def test_a_document_that_names_its_dtd_is_read() -> None:
    named = '<!DOCTYPE article PUBLIC "-//NLM//DTD JATS//EN" "JATS-archivearticle1.dtd">'
    assert parse_jats(article(before=named)).complete


def test_of_broken_xml_what_stands_before_the_fault_is_kept() -> None:
    payload = article()
    text = parse_jats(payload[: payload.index(b"<sec><title>Discussion")])
    assert not text.complete
    assert text.sections[2].paragraphs == (f"{RESULT}.",)


def test_spans_of_absurd_size_make_a_small_table() -> None:
    cell = '<td colspan="999999" rowspan="99999999">1</td>'
    payload = article(
        results=f"<p>A.</p><table-wrap><table><tr>{cell * 500}</tr></table></table-wrap>"
    )
    (table,) = parse_jats(payload).tables
    assert (len(table.rows), len(table.rows[0])) == (1, 40)


@pytest.mark.parametrize(
    "title", ["Results and Discussion", "Discussion of main findings", "Findings of other studies"]
)
def test_a_section_that_tells_of_other_studies_has_no_results(title: str) -> None:
    more = f"<sec><title>{title}</title><p>Others.</p>{TABLE.replace('Table 2', 'Table 9')}</sec>"
    text = parse_jats(article(more=more))
    (section,) = [s for s in text.sections if s.path == (title,)]
    assert section.kind == "discussion"
    assert [table.label for table in text.tables] == ["Table 2"]


def test_tables_of_answers_to_an_article_are_not_its_own() -> None:
    answer = f"<sub-article><body><sec><p>B.</p>{TABLE}</sec></body></sub-article></article>"
    text = parse_jats(article().replace(b"</article>", answer.encode()))
    assert [table.label for table in text.tables] == ["Table 2"]
