"""Follow-ups to a report, answered by code from its own verdict, rows, studies and trials."""

from __future__ import annotations

import pytest

from deepcritical.answering.of_report import follow_up
from deepcritical.appraisal.body.what_if import recomputed
from deepcritical.domain.appraisal.verdict import Verdict, VerdictLabel
from deepcritical.domain.evidence.certainty import Certainty
from deepcritical.domain.report.parts import DrugCandidate
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.tool.chat import ChatAnswer
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
    "Could you please explain the verdict?",
    "Why is metformin mixed for Alzheimer's disease?",
    "Which trials are under way in Alzheimer's disease?",
    "What harms does Glucophage have?",
)
NOT_ON_THE_REPORT = (
    "What ongoing trials are there in ALS?",
    "Which trials were done in Parkinson's disease?",
    "What is the evidence for exercise in depression?",
    "Which studies link air pollution to dementia?",
    "What is the certainty of evidence for psychotherapy in PTSD?",
    "Summarise Parkinson's disease",
    "Leave out studies of poor quality",
    "without sun exposure",
    "without 3 mg",
    "without Sun",
    "Which studies are retracted?",
    "Which trials showed a benefit?",
    "What trials failed?",
    "List the evidence against",
    "Does metformin work without diabetes?",
    "What is the effect in patients without diabetes?",
    "Is it safe to take without food?",
    "Can I take metformin without a prescription?",
    "Were pregnant women excluded?",
    "Leaving out the observational studies, what remains?",
    "Was this analysis planned?",
    "Are planned pregnancies affected?",
    "grade 3 adverse events?",
    "How sure are we that it causes lactic acidosis?",
    "Summarise the harms",
    "since when is it approved?",
    "What new drugs are there?",
    "What is the quote of the day?",
    "Quote the FDA",
    "aspirin compared to warfarin",
    "compare aspirin to warfarin",
    "compared with last year, what changed?",
    "compare these results with the guidelines",
    "compare it with the guidelines",
    "compare it with metformin",
    "Why is metformin supported?",
    "What are the harms of donepezil?",
    "Is the dose known?",
    "Does it cause hair loss?",
    "Is it well tolerated?",
    "Can aspirin be repurposed for dementia?",
    "latest trials of metformin in dementia",
    "Is metformin better than donepezil for Alzheimer's disease?",
    "why " * 100,
)


@pytest.fixture(scope="module")
def report() -> ResearchReport:
    return sample_report()


@pytest.fixture(scope="module")
def candidates(report: ResearchReport) -> ResearchReport:
    """A report on two candidates, of which the first has an invented verdict."""
    first = Verdict(label=VerdictLabel.PROMISING, certainty=Certainty.LOW, rule="An invented rule.")
    return report.model_copy(
        update={
            "research_question": "What could be repurposed for Alzheimer's disease?",
            "verdict": first,
            "drug_candidates": (
                DrugCandidate(name="insulin", verdict=first, studies=1),
                DrugCandidate(name="metformin", verdict=report.verdict, studies=2),
            ),
        }
    )


def answered(message: str, report: ResearchReport) -> ChatAnswer:
    said = follow_up(message, report)
    assert said is not None, message
    return said[0]


@pytest.mark.parametrize("message", FOLLOW_UPS)
def test_each_is_answered_and_cites_what_it_rests_on(message: str, report: ResearchReport) -> None:
    answer = answered(message, report)
    numbers = {n for p in answer.points for n in p.numbers} | {s.number for s in answer.sentences}
    assert numbers == set(range(1, len(answer.references) + 1))
    for quote in answer.sentences:
        text = answer.references[quote.number - 1].text
        assert text[quote.start : quote.end] == quote.quote
    assert all(point.text in as_text(answer) for point in answer.points)


@pytest.mark.parametrize("message", NOT_ON_THE_REPORT)
def test_all_else_is_for_the_records_or_a_run(message: str, report: ResearchReport) -> None:
    assert follow_up(message, report) is None


@pytest.mark.parametrize("number", [1, 2, 3, 10])
def test_without_a_study_the_verdict_is_that_of_the_rules(
    report: ResearchReport, number: int
) -> None:
    reference = report.references[number - 1]
    other = recomputed(report.studies, [reference.evidence_id])
    for name in (f"[{number}]", f"study {number}", reference.public_ids[0]):
        answer = answered(f"What would it be without {name}?", report)
        assert other.certainty.value in answer.head
        assert other.label.value in answer.head.lower()
        assert other.rule in answer.points[0].text
        assert reference in answer.references


def test_a_record_keeps_the_number_that_it_has_in_the_report(report: ResearchReport) -> None:
    for message in FOLLOW_UPS:
        answer = answered(message, report)
        numbered = zip(answer.printed_numbers, answer.references, strict=True)
        assert all(report.references[n - 1] == reference for n, reference in numbered)
    told = as_text(answered("without [10]", report))
    assert f"\n[10] {report.references[9].title}" in told
    assert "[1]" not in told


@pytest.mark.parametrize(
    ("named", "left_out"),
    [
        ("PMID 26890736", {"Luchsinger 2016"}),
        ("doi 10.3233/jad-150493", {"Luchsinger 2016"}),
        ("NCT00620191", {"Luchsinger 2016"}),
        ("PMID 40023730", {"PMID 40023730"}),
        ("DOI 10.3233/adr-220002", {"DOI 10.3233/adr-220002"}),
        ("[4]", {"Hui 2025"}),
        ("Koenig et al. (2017) and [2]", {"Koenig 2017", "Luchsinger 2016"}),
        ("sun 2025", {"Sun 2025"}),
    ],
)
def test_a_study_is_left_out_and_no_other(
    named: str, left_out: set[str], report: ResearchReport
) -> None:
    told = answered(f"What if {named} were left out?", report).points[0].text
    names = told.removeprefix("Without ").partition(": ")[0]
    assert set(names.split(", ")) == left_out


@pytest.mark.parametrize(
    "message",
    [
        "leave out Bogus 1999",
        "without [99]",
        "without 0",
        "without PMID 1 and [2]",
        "quote of NCT99999999",
    ],
)
def test_a_study_that_the_report_has_not_is_told_as_such(
    message: str, report: ResearchReport
) -> None:
    answer = answered(message.replace("quote", "show the quote"), report)
    assert answer.head == "The report has no such study."
    assert not answer.references


def test_only_the_studies_that_decide_are_listed(report: ResearchReport) -> None:
    answer = answered("Which studies decide the verdict?", report)
    assert {r.evidence_id for r in answer.references} == set(report.verdict.deciding_ids)


@pytest.mark.parametrize(
    ("message", "head"),
    [
        ("Why this verdict?", "Promising, low certainty on insulin, the first of 2 candidates."),
        ("Why is insulin promising?", "Promising, low certainty on whether insulin helps."),
        ("Why is metformin mixed?", "Mixed, very low certainty on whether metformin helps."),
        ("Explain the verdict on metformin", "Mixed, very low certainty on whether metformin"),
    ],
)
def test_of_candidates_the_one_named_has_its_own_verdict(
    message: str, head: str, candidates: ResearchReport
) -> None:
    assert answered(message, candidates).head.startswith(head)


@pytest.mark.parametrize(
    "message",
    [
        "Why is lithium mixed?",
        "Why is insulin mixed?",
        "What is the verdict for rapamycin? Explain the verdict",
        "What harms does lithium have?",
        "What harms does metformin have?",
        "Summarise metformin",
    ],
)
def test_of_candidates_no_other_drug_is_answered_with_the_first(
    message: str, candidates: ResearchReport
) -> None:
    assert follow_up(message, candidates) is None


def test_nothing_is_told_as_not_found_where_nothing_was_looked_at(report: ResearchReport) -> None:
    old = report.model_copy(update={"brief": None, "studies": (), "study_table": ()})
    for message in (
        "Which trials are under way?",
        "What are the harms?",
        "Does the verdict hang on a single study?",
        "Which studies decide the verdict?",
    ):
        assert follow_up(message, old) is None


def test_a_summary_is_the_first_two_sentences_of_the_answer(report: ResearchReport) -> None:
    assert report.brief
    points = answered("Please sum up", report).points
    assert [p.text for p in points] == [s.text for s in report.brief.answer[:2]]


@pytest.mark.parametrize(
    ("message", "other"),
    [
        ("How does it compare with donepezil?", "donepezil"),
        ("How does metformin compare with SGLT2 inhibitors?", "SGLT2 inhibitors"),
    ],
)
def test_a_comparison_is_offered_as_a_run_of_its_own(
    message: str, other: str, report: ResearchReport
) -> None:
    said = follow_up(message, report)
    assert said is not None
    assert said[1] == f"Is metformin better than {other} for Alzheimer's disease?"
