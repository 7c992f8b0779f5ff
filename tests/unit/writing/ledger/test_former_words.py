"""A report in the words of an earlier version is checked by its results, and is told to be one."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from deepcritical.domain.report.parts import LedgerEntry
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.report.sentences import WORDING
from deepcritical.writing.ledger.auditing import audit
from deepcritical.writing.ledger.former_words import in_former_words, is_in_present_words
from deepcritical.writing.sentences.answers import brief_texts
from tests.unit.domain.records import paper
from tests.unit.writing.sections.test_report import report_of

TRIAL = (
    "RESULTS: 300 adults with testitis were randomised to examplol or placebo. "
    "Pain was lower with examplol than with placebo in testitis (p = 0.01). "
    "Nausea was more frequent with examplol than with placebo (p = 0.01)."
)
OTHER = (
    "RESULTS: 80 adults with testitis were randomised to examplol or placebo. "
    "Mood was better with examplol than with placebo (p = 0.03)."
)
Change = Callable[[str], str]


@pytest.fixture(scope="module")
def now() -> ResearchReport:
    """A report in the present words."""
    return report_of(
        paper("Examplol in testitis", TRIAL, pmid="99001"),
        paper("Examplol and mood in testitis", OTHER, pmid="99002"),
    )


def reworded(report: ResearchReport, change: Change, **fields: Any) -> ResearchReport:
    """Return a report of before its wording was kept, with what code says in other words."""
    assert report.brief
    told = json.loads(report.brief.model_dump_json())
    for sentence in (*told["answer"], *told["harms"], *(s["result"] for s in told["studies"])):
        sentence["text"] = change(sentence["text"])
    brief = type(report.brief).model_validate({**told, "stated": ()})
    printed = brief_texts(brief, report.references)
    old = {"schema_version": 6, "wording": 0, "brief": brief}
    return report.model_copy(update={**old, **printed, **fields})


def formerly(text: str) -> str:
    """Return a sentence as earlier versions worded it."""
    text = text.replace("Possibly: the studies found suggest", "Possibly: early evidence suggests")
    text = text.replace("compared with placebo", "against placebo")
    return text.replace(" with examplol than with placebo", " with the drug")


def failed(report: ResearchReport) -> tuple[LedgerEntry, ...]:
    return audit(report).failed


def test_the_present_words_are_written_again_and_compared(now: ResearchReport) -> None:
    assert now.wording == WORDING
    assert is_in_present_words(now)
    ledger = audit(now)
    assert (ledger.failed, in_former_words(ledger.entries)) == ((), 0)
    unkept = now.model_copy(update={"wording": 0})  # of before it was kept
    assert not is_in_present_words(unkept)
    assert failed(reworded(now, formerly, wording=WORDING))


def test_other_words_hold_as_far_as_results_go_and_say_so(now: ResearchReport) -> None:
    old = reworded(now, formerly)
    assert not is_in_present_words(old)
    ledger = audit(old)
    assert ledger.failed == ()
    assert in_former_words(ledger.entries) >= 4


@pytest.mark.parametrize(
    ("said", "forged"),
    [
        ("p = 0.01", "p = 0.001"),
        ("300 people", "3,000 people"),
        ("1 trial", "2 trials"),
        ("low certainty", "high certainty"),
        ("Possibly: ", "Yes: "),
        ("suggests", "does not suggest"),
        ("reduced", "increased"),
        ("more frequent", "less frequent"),
        ("better with", "worse with"),
        ("examplol", "metformin"),
        ("reduced", "cured"),
    ],
)
def test_what_no_result_bears_is_a_fault(now: ResearchReport, said: str, forged: str) -> None:
    old = reworded(now, formerly)
    assert old.brief
    assert any(said in sentence.text for sentence in old.brief.sentences)
    assert failed(reworded(now, lambda text: formerly(text).replace(said, forged)))


@pytest.mark.parametrize("ids", [("E2",), ("E1", "E2"), ("E9",), ()])
def test_a_sentence_with_other_citations_is_a_fault(
    now: ResearchReport, ids: tuple[str, ...]
) -> None:
    old = reworded(now, formerly)
    assert old.brief
    place = next(n for n, s in enumerate(old.brief.answer) if s.text.startswith("Examplol reduced"))
    told = old.brief.answer[place]
    answer = list(old.brief.answer)
    answer[place] = told.model_copy(update={"evidence_ids": ids})
    brief = old.brief.model_copy(update={"answer": tuple(answer)})
    forged = old.model_copy(update={"brief": brief, **brief_texts(brief, old.references)})
    assert told.text in {entry.text for entry in failed(forged)}


def test_a_retracted_record_bears_nothing(now: ResearchReport) -> None:
    old = reworded(now, formerly)
    references = tuple(r.model_copy(update={"retracted": True}) for r in old.references)
    assert failed(old.model_copy(update={"references": references}))


@pytest.mark.parametrize(
    "text",
    ["Examplol cured everybody.", "Examplol is safe.", "“Examplol cures.”", "Pain fell by 99 %."],
)
def test_words_without_a_result_are_a_fault(now: ResearchReport, text: str) -> None:
    old = reworded(now, formerly)
    assert old.brief
    more = old.brief.answer[0].model_copy(update={"text": text})
    brief = old.brief.model_copy(update={"answer": (*old.brief.answer, more)})
    assert text in {entry.text for entry in failed(old.model_copy(update={"brief": brief}))}
