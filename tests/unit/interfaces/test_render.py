from __future__ import annotations

from typing import Any, get_args

import pytest
from pydantic import BaseModel

from deepcritical.domain.appraisal.checklist import Coverage, ItemCoverage
from deepcritical.domain.question.frame import Condition, Drug
from deepcritical.domain.question.question import QuestionForm, ResearchQuestion
from deepcritical.domain.run import events
from deepcritical.domain.run.budget import RunLimits, Spent
from deepcritical.domain.run.events import StopReason
from deepcritical.interfaces.render import describe
from tests.unit.domain.run.test_events import CHECKLIST, INQUIRY

UNION: tuple[type[BaseModel], ...] = get_args(get_args(events.Event)[0])

CANDIDATES = ResearchQuestion(
    text="What could be repurposed for testitis?",
    form=QuestionForm.CONDITION,
    condition=Condition(name="testitis"),
)
HYPOTHESIS = ResearchQuestion(
    text="Does examplol help in testitis through testase?",
    form=QuestionForm.HYPOTHESIS,
    drug=Drug(name="examplol"),
    condition=Condition(name="testitis"),
    mechanism_terms=("testase",),
)

LINES: list[tuple[Any, list[str]]] = [
    (events.RunStarted(question="Q?", reasoner="made"), ["Q?", "made"]),
    (events.SourcesOpened(sources=("a: live", "b")), ["a: live; b"]),
    (
        events.IntegrityChecked(checked=3, failed=1, found=("T",)),
        ["3 records", "1 of them without an answer", "T"],
    ),
    (events.InquiryRefined(inquiry=INQUIRY), ["effect", "examplol"]),
    (events.ChecklistMade(checklist=CHECKLIST), ["Item 1?", "Item 3?"]),
    (
        events.FactsMapped(read=3, facts_located=2, facts_dropped=1),
        ["3 records", "2 sentences", "1 dropped"],
    ),
    (
        events.CompletenessChecked(
            iteration=2, items=(ItemCoverage(item="C1", coverage=Coverage.PARTIAL, reason="w"),)
        ),
        ["Round 2", "C1 partial"],
    ),
    (
        events.AnswerWritten(satisfied=1, items=3, references=2),
        ["1 of 3 checklist items", "2 references"],
    ),
    (
        events.BudgetPlanned(
            model="m", estimate=Spent(calls=9, input_tokens=5000), limits=RunLimits(max_calls=20)
        ),
        ["m", "9 calls", "5,000 tokens", "price unknown", "at most 20 calls"],
    ),
    (
        events.DeadlineMoved(model="m", first_answer_s=20.4, deadline_s=300.0),
        ["m took 20 s", "300 s"],
    ),
    (
        events.JudgementMade(
            judgement="reading",
            made_by="rules",
            reason="it was late",
            dropped=2,
            spent=Spent(calls=3, output_tokens=7, cost_usd=0.5),
        ),
        ["Reading by rules", "it was late", "2 parts", "3 calls", "7 tokens", "$0.5"],
    ),
    (events.QuestionRefined(question=CANDIDATES), ["candidates", "testitis"]),
    (events.QuestionRefined(question=HYPOTHESIS), ["examplol", "testitis", "testase"]),
    (events.AgentCalled(agent="A", instruction="Do.", iteration=2), ["A", "round 2)", "Do."]),
    (
        events.AgentCalled(agent="A", instruction="Do.", iteration=2, chosen_by="model"),
        ["round 2, chosen by the model)"],
    ),
    (
        events.SourceSearched(source="s", query="q", outcome="data", identified=7, new=2),
        ["s", "q", "7", "2 new"],
    ),
    (
        events.SourceSearched(source="s", query="q", outcome="degraded", identified=7, new=2),
        ["7", "2 new"],
    ),
    (
        events.SourceSearched(source="s", query="q", outcome="unavailable", identified=0, new=0),
        ["unavailable"],
    ),
    (
        events.EvidenceProcessed(read=5, included=4, facts_located=9, facts_dropped=3),
        ["5", "4", "9", "3 dropped"],
    ),
    (
        events.RecordsRanked(records=2, retrieval="hybrid (BM25 + words)"),
        ["Retrieval: hybrid (BM25 + words)", "2 records"],
    ),
    (
        events.StudiesRead(
            records=(
                events.RecordRead(evidence_id="E1", reader="curated", results=2),
                events.RecordRead(evidence_id="E2", reader="openai:made-up", results=1),
                events.RecordRead(
                    evidence_id="E3", reader="rules", results=0, unread=("results_not_given",)
                ),
            )
        ),
        ["3 records", "1 curated", "1 by openai:made-up", "1 by rules", "1 give no result"],
    ),
    (events.HypothesesProposed(chains=("a → b", "c → d")), ["a → b", "c → d"]),
    (events.HypothesesProposed(chains=()), ["No mechanism chain"]),
    (
        events.EvidenceAssessed(
            mechanism_score=2, clinical_score=7, recommendation="continue", gaps=("x", "y")
        ),
        ["2/10", "7/10", "2 gaps", "continue"],
    ),
    (
        events.RoundChosen(
            iteration=2, gaps=("No x.", "y"), searches=7, postponed=1, made_by="model", wanted=True
        ),
        ["Round 2", "chosen by model", "No x, and 1 more gap;", "7 searches", "1 left for later"],
    ),
    (
        events.RoundChosen(
            iteration=3, gaps=(), searches=4, postponed=0, made_by="rules", wanted=False
        ),
        ["by rules: further sides", "the judge found it enough"],
    ),
    (events.ReferencesValidated(kept=3, removed=("False title",)), ["3", "1", "False title"]),
    (events.ClaimsChecked(checked=8, failed=("Untrue.",)), ["8", "1"]),
    (events.ReportWritten(verdict="mixed", references=4), ["mixed", "4"]),
    (events.Notice(message="Mind this."), ["Mind this."]),
    (
        events.RunCompleted(stop_reason=StopReason.DEADLINE, verdict="mixed", references=4),
        ["deadline", "mixed", "4"],
    ),
    (events.RunFailed(error="E", message="It broke.", advice="Mend it."), ["It broke. Mend it."]),
    (events.RunCancelled(), ["Cancelled"]),
]


def test_the_table_has_every_event_of_the_union() -> None:
    assert {type(event) for event, _ in LINES} == set(UNION)


@pytest.mark.parametrize(("event", "said"), LINES, ids=lambda value: getattr(value, "type", ""))
def test_every_event_is_told_in_one_line(event: Any, said: list[str]) -> None:
    line = describe(event)
    assert "\n" not in line
    assert line.strip() == line
    for part in said:
        assert part in line


def test_what_is_no_event_is_a_programming_error() -> None:
    with pytest.raises(TypeError, match="ResearchQuestion"):
        describe(CANDIDATES)  # type: ignore[arg-type]  # the error is the point
