from __future__ import annotations

import pytest

from deepcritical.appraisal.body.verdict import decide
from deepcritical.domain.evidence.authors import author_name
from deepcritical.domain.report.parts import (
    Claim,
    DrugCandidate,
    EdgeTested,
    HypothesisTested,
    Quoted,
    Reference,
    ReportSection,
)
from deepcritical.domain.text.markdown import escape_markdown, table
from tests.unit.domain.records import TITLE, paper, reference, report, study

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "table cell": "a | b",
    "link": "[x](javascript:alert(1))",
    "image": "![x](https://example.org/x.png)",
    "code": "`rm`",
    "heading on a new line": "a\n# b",
    "emphasis": "**a** _b_ ~c~",
    "citation": "see [1]",
    "escaped already": "\\[x\\]",
}
hostile = pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(HOSTILE["script"], "\\<script\\>alert(1)\\</script\\>", id="script"),
        pytest.param(HOSTILE["table cell"], "a \\| b", id="table cell"),
        pytest.param(HOSTILE["link"], "\\[x\\](javascript:alert(1))", id="link"),
        pytest.param(HOSTILE["code"], "\\`rm\\`", id="code"),
        pytest.param(HOSTILE["heading on a new line"], "a # b", id="heading on a new line"),
        pytest.param(HOSTILE["escaped already"], "\\\\\\[x\\\\\\]", id="escaped already"),
        pytest.param("# a", "\\# a", id="heading"),
        pytest.param("### a", "\\### a", id="third heading"),
        pytest.param("---", "\\---", id="rule"),
        pytest.param("- a", "\\- a", id="list"),
        pytest.param("1. a", "1\\. a", id="numbered list"),
        pytest.param("12) a", "12\\) a", id="numbered list with a parenthesis"),
        pytest.param("1.5 mg (p = 0.02)", "1.5 mg (p = 0.02)", id="decimals stay"),
        pytest.param("#1 -a", "#1 -a", id="no blank, no markup"),
        pytest.param("  a \n b ", "a b", id="blanks"),
        pytest.param("", "", id="empty"),
    ],
)
def test_text_is_made_safe_for_markdown(text: str, expected: str) -> None:
    assert escape_markdown(text) == expected


def test_a_table_has_a_dash_for_an_empty_cell() -> None:
    assert table(("A", "B"), [("1", "")]) == "| A | B |\n| --- | --- |\n| 1 | – |"


@hostile
@pytest.mark.parametrize("field", ["title", "research_question"])
def test_a_hostile_field_of_the_report_is_escaped(field: str, text: str) -> None:
    written = report(**{field: text}).to_markdown()
    assert escape_markdown(text) in written
    assert text not in written


@hostile
@pytest.mark.parametrize("field", ["title", "journal", "date", "volume_pages"])
def test_a_hostile_field_of_a_reference_is_escaped(field: str, text: str) -> None:
    written = report("", reference(paper(), **{field: text})).to_markdown()
    assert escape_markdown(text) in written
    assert text not in written


@hostile
def test_a_hostile_author_is_escaped(text: str) -> None:
    written = report("", reference(paper(), authors=(text,))).to_markdown()
    assert escape_markdown(text) in written
    assert text not in written


@hostile
def test_a_hostile_record_that_decides_is_escaped(text: str) -> None:
    cited = reference(paper(), evidence_id="E1", title=text)
    written = report("", cited, verdict=decide([study()])).to_markdown()
    assert f"Decided by: “{escape_markdown(text)}” [1]." in written
    assert text not in written


@hostile
def test_a_hostile_id_is_escaped(text: str) -> None:
    assert text not in report("", reference(paper(), ids=(f"doi:{text}",))).to_markdown()


@hostile
def test_a_hostile_drug_is_escaped(text: str) -> None:
    candidate = DrugCandidate(name=text, verdict=decide(()), studies=0)
    assert f"| {escape_markdown(text)} |" in report(drug_candidates=(candidate,) * 2).to_markdown()


@hostile
def test_a_hostile_chain_is_escaped(text: str) -> None:
    tested = HypothesisTested(
        chain=(text, text),
        prediction=text,
        confidence=0,
        complete=False,
        edges=(EdgeTested(subject=text, object=text, finding="no evidence"),),
    )
    written = report(hypotheses_tested=(tested,)).to_markdown()
    assert written.count(escape_markdown(text)) == 5
    assert text not in written


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        pytest.param("https://example.org/a", True, id="https"),
        pytest.param("javascript:alert(1)", False, id="script"),
        pytest.param("http://example.org", False, id="http"),
        pytest.param("https://example.org/><script>", False, id="angle brackets"),
        pytest.param("https://example.org/\n# b", False, id="new line"),
        pytest.param("https://example.org/a b", False, id="blank"),
        pytest.param("https://example.org/`", False, id="backtick"),
        pytest.param("", False, id="none"),
    ],
)
def test_only_a_clean_address_becomes_a_link(url: str, shown: bool) -> None:
    written = report("", reference(paper(), url=url)).to_markdown()
    assert (f" <{url}>" in written) is shown
    assert written.count("<") == int(shown)


def test_a_reference_reads_as_a_bibliography_does() -> None:
    cited = Reference(
        evidence_id="E1",
        title=f"{TITLE}.",
        authors=tuple(f"Tester {letter}" for letter in "ABCDEFG"),
        source="pubmed",
        date="2020",
        journal="Journal of Tests",
        volume_pages="1:2-3",
        ids=("pmid:11111111", "url:example.org"),
        text_kind="summary",
    )
    assert (
        "1. Tester A, Tester B, Tester C, Tester D, Tester E, Tester F, et al. "
        f"{TITLE}. Journal of Tests 2020 1:2-3. pmid:11111111. "
        "Text used: a summary, not the abstract itself.\n"
    ) in report("", cited).to_markdown()


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        pytest.param({"authors": ("Tester AB", "Other C")}, "Tester 2020", id="index order"),
        pytest.param({"authors": ("Ann B Tester",)}, "Tester 2020", id="journal order"),
        pytest.param({"authors": ("van Tester, Ann B",)}, "van Tester 2020", id="catalogue order"),
        pytest.param({"authors": ("Du Tester R",)}, "Du Tester 2020", id="family of two words"),
        pytest.param({"authors": ("Ann B Tester Jr",)}, "Tester 2020", id="suffix"),
        pytest.param({"authors": ("Testers",)}, "Testers 2020", id="a group"),
        pytest.param({}, "“A study of examplol in testitis” 2020", id="title of six words"),
        pytest.param(
            {"title": f"{TITLE} and more"}, "“A study of examplol in testitis …” 2020", id="title"
        ),
        pytest.param(
            {"source": "clinicaltrials", "ids": ("nct:NCT11111111",)}, "NCT11111111", id="trial"
        ),
        pytest.param({"source": "clinicaltrials", "ids": ()}, TITLE, id="trial without an id"),
    ],
)
def test_a_record_has_a_short_name(changes: dict[str, object], name: str) -> None:
    assert reference(paper(), date="2020-05-01", **changes).short_name == name


@pytest.mark.parametrize("author", ["", " "])
def test_a_record_with_a_blank_author_has_a_short_name(author: str) -> None:
    assert reference(paper(), authors=(author,)).short_name == "“A study of examplol in testitis”"


def test_a_long_summary_is_cut_at_a_sentence() -> None:
    sentence = f"It fell {'x' * 200} [1]. "
    assert report(executive_summary=sentence * 3).executive_summary == (sentence * 2).strip()


def test_a_report_without_references_says_so() -> None:
    assert "## References\n\nNone." in report().to_markdown()


def test_a_report_survives_json() -> None:
    written = report("It fell [1].", reference(paper()))
    assert type(written).model_validate_json(written.model_dump_json()) == written


@pytest.mark.parametrize(
    ("text_kind", "printed"),
    [("abstract", "“Pain fell.”"), ("registry", "“Pain fell.”"), ("summary", "Pain fell.")],
)
def test_a_quote_has_marks_only_where_the_words_are_the_sources(
    text_kind: str, printed: str
) -> None:
    assert f"[1]: {printed}" in quoting("Pain fell.", text_kind=text_kind)


@pytest.mark.parametrize("text", ["Pain fell [12].", "Pain <b>fell</b>.", "Pain *fell*."])
def test_a_quote_is_no_markup_and_no_citation(text: str) -> None:
    assert f"“{escape_markdown(text)}”" in quoting(text)
    assert text not in quoting(text)


def quoting(text: str, **changes: str) -> str:
    cited = reference(paper(), evidence_id="E1", **changes)
    claim = Claim(sentence=text, evidence_id="E1", quote=text, start=0, end=len(text))
    part = ReportSection(title="Safety", quoted=(Quoted(claims=(claim,)),))
    return report("", cited, safety=part).to_markdown()


@pytest.mark.parametrize("text", [HOSTILE[n] for n in HOSTILE if n != "escaped already"])
def test_a_claim_leads_to_its_record_and_to_the_place_of_its_quote(text: str) -> None:
    cited = reference(paper(), evidence_id="E1")
    claims = (
        Claim(sentence=text, evidence_id="E1", quote=text, start=9, end=9 + len(text)),
        Claim(sentence="It helped.", evidence_id="E1", quote=text, start=2, end=8, place="p. 3"),
        Claim(sentence="Unheard of.", evidence_id="E99", quote=text, start=0, end=1),
    )
    ledger = report("", cited, claims=claims).to_markdown().partition("What each sentence")[2]
    named = f"**“{escape_markdown(TITLE)}”** [1]\n\n"
    quoted = escape_markdown(text)
    assert f"{named}- It helped. *p. 3, 2–8: “{quoted}”*\n- " in ledger
    assert ledger.endswith(f"*9–{9 + len(text)}*\n")
    assert text not in ledger
    assert "Unheard" not in ledger


@pytest.mark.parametrize(
    ("printed", "inverted"),
    [
        ("Invented AB", "Invented, AB"),
        ("Du Invented R", "Du Invented, R"),
        ("Ada B Invented", "Invented, Ada B"),
        ("Invented, E W", "Invented, E W"),
        ("Mary van der Invented", "van der Invented, Mary"),
        ("van Invented WA", "van Invented, WA"),
        ("Invented J Jr", "Invented, Jr, J"),
        ("Made-Up Collaborative Group", "Made-Up Collaborative Group"),
        ("Invented", "Invented"),
        ("", ""),
        (" , Jr", ", Jr"),
    ],
)
def test_a_name_is_inverted(printed: str, inverted: str) -> None:
    assert author_name(printed).inverted == inverted


def test_a_group_is_no_person() -> None:
    assert author_name("Made-Up Trial Investigators").group
    assert not author_name("Invented AB").group
