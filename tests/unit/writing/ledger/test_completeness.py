"""A report or an answer from which a part was cut fails, and what cannot be checked is said."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from deepcritical.domain.report.answer import DeepAnswer, Document, read_document
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.report.sentences import WORDING
from deepcritical.writing.ledger.auditing import audit, check_sentences
from deepcritical.writing.ledger.completeness import notices_of
from deepcritical.writing.sentences.answers import answer_texts, brief_texts
from deepcritical.writing.sentences.synthesis import row_statement
from tests.unit.answering.test_auditing import ANSWER
from tests.unit.domain.records import paper
from tests.unit.writing.sections.test_report import planned, report_of

Fields = dict[str, Any]
Change = Callable[[Fields], object]
BOTH_HARMS = (
    "RESULTS: 300 adults with testitis were randomised to examplol or placebo. "
    "Pain was lower with examplol than with placebo in testitis (p = 0.01). "
    "Nausea was more frequent with examplol than with placebo (p = 0.01). "
    "Headache was more frequent with examplol than with placebo (p = 0.02)."
)
NONE = (
    "RESULTS: 80 adults with testitis were randomised to examplol or placebo. "
    "Examplol did not improve pain compared with placebo in testitis (p = 0.61)."
)

SILENT = "METHODS: 90 adults with testitis were randomised to examplol or placebo for 12 weeks."
RCT = ("Randomized Controlled Trial",)


@pytest.fixture(scope="module")
def report() -> Fields:
    """A report with two rows on harms, a second study and a trial under way."""
    told = report_of(
        paper("Examplol in testitis", BOTH_HARMS, pmid="99001"),
        paper("Examplol and pain in testitis", NONE, pmid="99002"),
        paper("Examplol by mouth in testitis", SILENT, pmid="99003", publication_types=RCT),
        planned(),
    )
    assert sum(row.importance == "harm" for row in told.verdict.rows) == 2
    fields: Fields = json.loads(told.model_dump_json())
    return fields


def changed(fields: Fields, *changes: Change) -> Document:
    """Return a document with what is printed of it written anew over the changes."""
    told = json.loads(json.dumps(fields))
    for change in changes:
        change(told)
    document = read_document(told)
    if isinstance(document, DeepAnswer):
        return document.model_copy(update=answer_texts(document))
    texts = brief_texts(document.brief, document.references) if document.brief else {}
    return document.model_copy(update=texts)


def read(fields: Fields) -> ResearchReport:
    document = changed(fields)
    assert isinstance(document, ResearchReport)
    return document


def emptied(*path: str) -> Change:
    def change(told: Fields) -> None:
        for name in path[:-1]:
            told = told[name]
        assert told[path[-1]], f"{path} has nothing to cut"
        told[path[-1]] = []

    return change


def without_harms(told: Fields, least: int = 0) -> None:
    """Take harms out of each place that tells them; a number of the rows is left."""
    verdicts = (told["verdict"], told["drug_candidates"][0]["verdict"])
    for holder, name in (*((verdict, "rows") for verdict in verdicts), (told["brief"], "findings")):
        harms = [row for row in holder[name] if row["importance"] == "harm"]
        holder[name] = [row for row in holder[name] if row not in harms[least:]]
    told["brief"]["harms"] = told["brief"]["harms"][:least]


CUT_OF_REPORTS: dict[str, Change] = {
    "the wording": lambda r: r.pop("wording"),
    "all harms": without_harms,
    "one of two harms": lambda r: without_harms(r, 1),
    "a record of a row": lambda r: r["verdict"]["rows"][0].update(evidence_ids=["E1"]),
    "rows": emptied("verdict", "rows"),
    "studies": emptied("studies"),
    "table of studies": emptied("study_table"),
    "a line of the table of studies": lambda r: r["study_table"].pop(),
    "studies with their table": lambda r: (emptied("studies")(r), emptied("study_table")(r)),
    "references": emptied("references"),
    "the last reference": lambda r: r["references"].pop(),
    "evidence table": emptied("evidence_table"),
    "drugs": emptied("drug_candidates"),
    "claims": emptied("claims"),
    "sentences on harms": emptied("safety", "quoted"),
    "counts of the search": lambda r: r.update(prisma=None),
    "answer": lambda r: r["brief"]["answer"].pop(),
    "harms of the brief": emptied("brief", "harms"),
    "rows of the brief": emptied("brief", "findings"),
    "main studies": emptied("brief", "studies"),
    "a main study": lambda r: r["brief"]["studies"].pop(),
    "what is missing": emptied("brief", "missing"),
    "trials": emptied("brief", "trials"),
}
CUT_OF_ANSWERS: dict[str, Change] = {
    "the wording": lambda a: a.pop("wording"),
    "the brief": lambda a: a.update(brief=None),
    "brief and verdict": lambda a: a.update(brief=None, verdict=None),
    "answer": lambda a: a["brief"]["answer"].pop(),
    "rows of the brief": emptied("brief", "findings"),
    "harms of the brief": emptied("brief", "harms"),
    "main studies": emptied("brief", "studies"),
    "what is missing": emptied("brief", "missing"),
    "rows": emptied("verdict", "rows"),
    "studies": emptied("studies"),
    "drugs": emptied("candidates"),
    "paragraphs": emptied("parts"),
    "a paragraph": lambda a: a["parts"].pop(0),
    "the checklist": emptied("checklist"),
    "findings": emptied("findings"),
    "claims": emptied("claims"),
    "references": emptied("references"),
    "the last reference": lambda a: a["references"].pop(),
    "evidence table": emptied("evidence_table"),
}


def test_what_is_whole_holds(report: Fields) -> None:
    for whole in (changed(report), ANSWER):
        assert audit(whole).failed == ()
        assert [*notices_of(whole)] == []


@pytest.mark.parametrize("cut", CUT_OF_REPORTS)
def test_a_report_that_was_cut_fails(report: Fields, cut: str) -> None:
    assert audit(changed(report, CUT_OF_REPORTS[cut])).failed


@pytest.mark.parametrize("cut", CUT_OF_ANSWERS)
def test_an_answer_that_was_cut_fails(cut: str) -> None:
    assert audit(changed(json.loads(ANSWER.model_dump_json()), CUT_OF_ANSWERS[cut])).failed


def test_the_printed_paragraphs_are_all_there() -> None:
    assert audit(ANSWER.model_copy(update={"sections": ANSWER.sections[1:]})).failed


@pytest.mark.parametrize("fields", ["report", "answer"])
def test_a_former_document_without_its_wording_holds_and_says_what_is_not_checked(
    report: Fields, fields: str
) -> None:
    told = report if fields == "report" else json.loads(ANSWER.model_dump_json())
    old = {"schema_version": told["schema_version"] - 1, "wording": 0}
    document = changed(told, lambda d: d.update(old), lambda d: d["brief"]["harms"].clear())
    assert audit(document).failed == ()
    assert "whether parts were cut out of it is not checked" in " ".join(notices_of(document))


def test_other_words_say_that_the_brief_is_not_checked(report: Fields) -> None:
    document = changed(report, lambda r: r.update(wording=WORDING + 1))
    assert "whether sentences of its brief were cut" in " ".join(notices_of(document))


def test_a_verdict_that_the_present_rules_do_not_give_is_told(report: Fields) -> None:
    def rate(told: Fields) -> None:
        for verdict in (told["verdict"], told["drug_candidates"][0]["verdict"]):
            verdict["rows"][0]["certainty"] = "high"

    assert "rate its studies otherwise" in " ".join(notices_of(changed(report, rate)))


@pytest.mark.parametrize("cut", [False, True])
def test_a_harm_stays_though_it_is_disputed(report: Fields, *, cut: bool) -> None:
    row = next(r for r in read(report).verdict.rows if r.outcome.startswith("nausea"))
    told = row_statement(row, "examplol")
    disputed = {"outcome": row.outcome, "told": told, "by": "other:model"}

    def dispute(fields: Fields) -> None:
        fields["brief"]["contested"] = [disputed]
        if cut:
            without_harms(fields, 1)

    assert bool(audit(changed(report, dispute)).failed) is cut


def test_references_of_a_draft_keep_their_order_when_a_sentence_is_taken_out(
    report: Fields,
) -> None:
    false = {"text": "Examplol cured 4711 people.", "evidence_ids": ["E4"], "origin": "model"}

    def lied(told: Fields) -> None:
        told["brief"]["synthesis"] = [false]
        told["references"].insert(0, told["references"].pop())
        told["evidence_table"].insert(0, told["evidence_table"].pop())

    draft = changed(report, lied)
    assert isinstance(draft, ResearchReport)
    checked, _ = check_sentences(draft)
    assert checked == changed(report)
    assert audit(checked).failed == ()
