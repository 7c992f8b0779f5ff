"""Follow-ups to a report, answered by code from its own verdict, rows, studies and trials."""

from __future__ import annotations

import pytest

from deepcritical.answering.of_report import follow_up, is_follow_up
from deepcritical.appraisal.what_if import recomputed
from deepcritical.domain.chat import ChatAnswer
from deepcritical.domain.report import ResearchReport
from deepcritical.interfaces.render import as_text
from deepcritical.interfaces.shared_pages import sample_report

FOLLOW_UPS = (
    "Why is the verdict mixed?",
    "What if study [2] were left out?",
    "Does the verdict hang on a single study?",
    "Which trials are under way?",
    "What are the harms?",
    "Summarise in two sentences",
    "Explain GRADE here",
    "Show the quote of [1]",
    "What is missing?",
    "Which studies decide the verdict?",
    "What has changed since then?",
)


@pytest.fixture(scope="module")
def report() -> ResearchReport:
    return sample_report()


def answered(message: str, report: ResearchReport) -> ChatAnswer:
    said = follow_up(message, report)
    assert said is not None, message
    return said[0]


@pytest.mark.parametrize("message", FOLLOW_UPS)
def test_each_is_answered_and_cites_what_it_rests_on(message: str, report: ResearchReport) -> None:
    assert is_follow_up(message, report)
    answer = answered(message, report)
    numbers = {n for p in answer.points for n in p.numbers} | {s.number for s in answer.sentences}
    assert numbers == set(range(1, len(answer.references) + 1))
    for quote in answer.sentences:
        text = answer.references[quote.number - 1].text
        assert text[quote.start : quote.end] == quote.quote
    assert all(point.text in as_text(answer) for point in answer.points)


@pytest.mark.parametrize("number", [1, 2, 3, 10])
def test_without_a_study_the_verdict_is_that_of_the_rules(
    report: ResearchReport, number: int
) -> None:
    evidence_id = report.references[number - 1].evidence_id
    answer = answered(f"What would it be without [{number}]?", report)
    other = recomputed(report.studies, [evidence_id])
    assert other.certainty.value in answer.head
    assert other.label.value in answer.head.lower()
    assert other.rule in answer.points[0].text


def test_a_study_is_found_by_its_name_as_by_its_number(report: ResearchReport) -> None:
    row = next(row for row in report.study_table if row.counts == "decides")
    named = answered(f"What if {row.name} were left out?", report)
    assert set(row.evidence_ids) & {r.evidence_id for r in named.references}
    assert row.name in named.points[0].text


def test_a_summary_is_the_first_two_sentences_of_the_answer(report: ResearchReport) -> None:
    assert report.brief
    points = answered("Please sum up", report).points
    assert [p.text for p in points] == [s.text for s in report.brief.answer[:2]]


def test_a_comparison_is_offered_as_a_run_of_its_own(report: ResearchReport) -> None:
    said = follow_up("How does it compare with donepezil?", report)
    assert said is not None
    assert "metformin" in said[1].lower()
    assert "donepezil" in said[1]


@pytest.mark.parametrize(
    "message",
    ["What are the harms of donepezil?", "Is the dose known?", "Does it cause hair loss?"],
)
def test_the_records_are_asked_what_the_report_does_not_weigh(
    message: str, report: ResearchReport
) -> None:
    assert follow_up(message, report) is None


@pytest.mark.parametrize(
    ("message", "is_one"),
    [
        ("Is it well tolerated?", True),
        ("Why this verdict?", True),
        ("What are the harms of donepezil?", False),
        ("Can aspirin be repurposed for dementia?", False),
        ("latest trials of metformin in dementia", False),
        ("Is metformin better than donepezil for Alzheimer's disease?", False),
    ],
)
def test_a_question_of_its_own_is_no_follow_up(
    message: str, is_one: bool, report: ResearchReport
) -> None:
    assert is_follow_up(message, report) is is_one
