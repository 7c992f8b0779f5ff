from __future__ import annotations

import re
from typing import Any

import pytest

from deepcritical.appraisal.body.verdict import decide
from deepcritical.domain.report.parts import Claim, DrugCandidate, Reference, ReportSection
from deepcritical.domain.report.report import ResearchReport
from deepcritical.export.html import render_page
from deepcritical.export.sources import Passage, passages

TEXT = "Design: a trial. It helped. It harmed. The end."


def reference(**fields: Any) -> Reference:
    return Reference(evidence_id="E1", title="Examplol in testitis", text=TEXT, **fields)


def claim(quote: str, evidence_id: str = "E1") -> Claim:
    start = TEXT.index(quote)
    return Claim(
        sentence=quote, evidence_id=evidence_id, quote=quote, start=start, end=start + len(quote)
    )


def report(*references: Reference, **fields: Any) -> ResearchReport:
    whole: dict[str, Any] = {
        "title": "Examplol for testitis",
        "research_question": "Can examplol be repurposed for testitis?",
        "executive_summary": "Unclear [1].",
        "methodology": ReportSection(title="Methodology", content="By rules."),
        "mechanistic_findings": ReportSection(title="Mechanistic findings"),
        "clinical_findings": ReportSection(title="Clinical findings", content="It helped [1]."),
        "conclusion": "Unclear.",
        "confidence_score": 0.2,
        "references": references,
    }
    return ResearchReport(**(whole | fields))


def popover(html: str, number: int = 1) -> str:
    found = re.search(rf'<div popover id="src-{number}".*?\n</div>', html, re.DOTALL)
    assert found
    return found.group()


def test_passages_join_to_the_whole_text_and_mark_what_is_claimed() -> None:
    cut = passages(reference(), [claim("It harmed."), claim("It helped."), claim("The end.", "E2")])
    assert "".join(passage.text for passage in cut) == TEXT
    assert [passage.text for passage in cut if passage.used] == ["It helped.", "It harmed."]


def test_overlapping_quotes_are_marked_once() -> None:
    cut = passages(reference(), [claim("It helped. It harmed."), claim("It helped.")])
    assert "".join(passage.text for passage in cut) == TEXT
    assert [passage.text for passage in cut if passage.used] == ["It helped. It harmed."]


def test_a_record_without_text_has_no_passage() -> None:
    assert passages(Reference(title="Bare"), []) == ()
    assert passages(reference(), []) == (Passage(TEXT, used=False),)


def test_a_chip_opens_title_source_and_text() -> None:
    html = render_page(
        report(
            reference(
                authors=("Ada One",),
                journal="J Made-Up Rec",
                date="2999",
                url="https://pubmed.ncbi.nlm.nih.gov/99000001/",
                ids=("pmid:99000001", "title:examplol in testitis"),
            ),
            claims=(claim("It helped."),),
        )
    )
    source = popover(html)
    assert 'popovertarget="src-1"' in html
    assert "Examplol in testitis" in source
    assert "Ada One. J Made-Up Rec 2999" in source
    assert "<mark>It helped.</mark>" in source
    assert 'href="https://pubmed.ncbi.nlm.nih.gov/99000001/"' in source
    assert "pmid:99000001" in source
    assert "title:" not in source


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("summary", "not the abstract itself"),
        ("registry", "The registry's own words"),
        ("abstract", "The source's own words"),
    ],
)
def test_what_the_text_is_stands_beside_it(kind: str, said: str) -> None:
    assert said in popover(render_page(report(reference(text_kind=kind))))


def test_a_record_without_text_says_so() -> None:
    html = popover(render_page(report(Reference(title="Bare", text_kind="none"))))
    assert "no text of this record" in html
    assert "Marked" not in html


def test_a_retracted_record_is_marked_where_it_is_named_and_where_it_is_opened() -> None:
    html = render_page(report(reference(retracted=True, note="withdrawn in 2999")))
    assert html.count('class="retracted"') == 2
    assert "withdrawn in 2999" in popover(html)


@pytest.mark.parametrize("url", ["javascript:alert(1)", "http://x.example", 'https://x"onclick=1'])
def test_an_unsafe_address_is_no_link(url: str) -> None:
    html = render_page(report(reference(url=url)))
    assert 'href="http' not in html
    assert "javascript" not in html
    assert "onclick" not in html


def test_the_file_makes_no_request() -> None:
    html = render_page(report(reference(url="https://pubmed.ncbi.nlm.nih.gov/1/")))
    assert html.startswith("<!doctype html>")
    assert "default-src 'none'" in html
    assert not re.findall(r"<(?:script|link|img|iframe|object|embed|form)\b|url\(|@import", html)
    loaded = re.findall(r'\bsrc="([^"]*)"', html)
    assert loaded == []


def test_markup_in_any_field_is_text() -> None:
    bad = "<script>x</script><img src=y onerror=z>"
    html = render_page(
        report(
            Reference(evidence_id="E1", title=bad, authors=(bad,), journal=bad, note=bad, text=bad),
            title=bad,
            research_question=bad,
            notices=(bad,),
        )
    )
    assert "<script" not in html
    assert "<img" not in html
    assert html.count("&lt;script&gt;") >= 8


def test_the_ledger_is_folded_and_holds_what_is_no_quote() -> None:
    quoted = claim("It helped.")
    told = quoted.model_copy(update={"sentence": "Examplol helped."})
    html = render_page(report(reference(), claims=(quoted, told)))
    folded = html.partition('<div id="part-ledger"')[2].partition("</details>")[0]
    assert "<br>Examplol helped. <small>17–27: “It helped.”</small>" in folded
    assert "part-ledger" not in render_page(report(reference()))


def test_of_several_candidates_the_verdict_is_on_the_first() -> None:
    verdict = decide(())
    drugs = [DrugCandidate(name=n, verdict=verdict, studies=1) for n in ("exa<b>plol", "otherol")]
    html = render_page(report(reference(), drug_candidates=tuple(drugs)))
    assert "Verdict on exa&lt;b&gt;plol, the first of 2 candidates" in html
    assert "the first of" not in render_page(report(reference(), drug_candidates=(drugs[0],)))
