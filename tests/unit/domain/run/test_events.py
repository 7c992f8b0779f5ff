from __future__ import annotations

import types
from datetime import UTC, datetime
from typing import get_args

import pytest
from pydantic import TypeAdapter, ValidationError

from deepcritical.domain.appraisal.checklist import (
    Aspect,
    Checklist,
    ChecklistItem,
    Coverage,
    Inquiry,
    InquiryKind,
    ItemCoverage,
)
from deepcritical.domain.question.frame import Condition, Drug
from deepcritical.domain.question.question import QuestionForm, ResearchQuestion
from deepcritical.domain.run import events
from deepcritical.domain.run.budget import RunLimits, Spent
from deepcritical.domain.run.events import TERMINAL, Event, LoggedEvent, Stage, StopReason

QUESTION = ResearchQuestion(
    text="Does examplol help in testitis?",
    form=QuestionForm.DRUG_CONDITION,
    drug=Drug(name="examplol"),
    condition=Condition(name="testitis"),
)
INQUIRY = Inquiry(text="Does examplol help?", kind=InquiryKind.EFFECT, key_terms=("examplol",))
CHECKLIST = Checklist(
    items=tuple(
        ChecklistItem(id=f"C{n}", aspect=aspect, text=f"Item {n}?")
        for n, aspect in enumerate((Aspect.ANSWER, Aspect.TRIALS, Aspect.AGAINST), 1)
    )
)
EXAMPLES: tuple[Event, ...] = (
    events.RunStarted(question=QUESTION.text, reasoner="a test"),
    events.BudgetPlanned(model="made:up", estimate=Spent(calls=9), limits=RunLimits()),
    events.DeadlineMoved(model="made:up", first_answer_s=20.0, deadline_s=300.0),
    events.JudgementMade(judgement="reading", made_by="rules", reason="Down.", spent=Spent()),
    events.SourcesOpened(sources=("a: searched live",)),
    events.IntegrityChecked(checked=3, failed=1, found=("Examplol cures all",)),
    events.QuestionRefined(question=QUESTION),
    events.AgentCalled(agent="SearchAgent", instruction="Search.", iteration=1),
    events.SourceSearched(source="a", query="examplol", outcome="data", identified=3, new=2),
    events.EvidenceProcessed(read=2, included=1, facts_located=4, facts_dropped=1),
    events.RecordsRanked(records=2, retrieval="hybrid (BM25 + words)"),
    events.StudiesRead(records=(events.RecordRead(evidence_id="E1", reader="rules", results=2),)),
    events.HypothesesProposed(chains=("examplol → targetase → testitis",)),
    events.EvidenceAssessed(
        mechanism_score=3, clinical_score=7, recommendation="continue", gaps=("A gap.",)
    ),
    events.RoundChosen(
        iteration=2, gaps=("A gap.",), searches=3, postponed=1, made_by="model", wanted=True
    ),
    events.InquiryRefined(inquiry=INQUIRY),
    events.ChecklistMade(checklist=CHECKLIST),
    events.FactsMapped(read=3, facts_located=2, facts_dropped=1),
    events.CompletenessChecked(
        iteration=1, items=(ItemCoverage(item="C1", coverage=Coverage.PARTIAL, reason="Why."),)
    ),
    events.AnswerWritten(satisfied=1, items=3, references=2),
    events.ReferencesValidated(kept=1, removed=("Examplol cures all",), dangling=(9,)),
    events.ClaimsChecked(checked=3, failed=("It fell.",)),
    events.ReportWritten(verdict="mixed", references=2),
    events.Notice(message="Mind this."),
    events.RunCompleted(stop_reason=StopReason.NO_EVIDENCE, verdict="mixed", references=0),
    events.RunFailed(error="SearchError", message="It broke.", advice="Mend it."),
    events.RunCancelled(),
)
UNION: types.UnionType = get_args(Event)[0]
event_adapter: TypeAdapter[Event] = TypeAdapter(Event)


def logged(event: Event, **changes: object) -> LoggedEvent:
    fields = {"run_id": "r", "seq": 1, "at": datetime(2020, 1, 1, tzinfo=UTC), "progress": 0.5}
    return LoggedEvent.model_validate({**fields, "stage": Stage.SEARCH, "event": event, **changes})


def test_there_is_an_example_of_each_event() -> None:
    assert {type(event) for event in EXAMPLES} == set(get_args(UNION))


@pytest.mark.parametrize("event", EXAMPLES, ids=lambda event: event.type)
def test_an_event_survives_json(event: Event) -> None:
    copy = event_adapter.validate_json(event_adapter.dump_json(event))
    assert (type(copy), copy) == (type(event), event)


@pytest.mark.parametrize("event", EXAMPLES, ids=lambda event: event.type)
def test_a_logged_event_survives_json(event: Event) -> None:
    entry = logged(event)
    assert LoggedEvent.model_validate_json(entry.model_dump_json()) == entry


def test_no_two_events_have_one_type() -> None:
    assert len({event.type for event in EXAMPLES}) == len(EXAMPLES)


def test_an_unknown_event_is_refused() -> None:
    with pytest.raises(ValidationError, match="does not match any of the expected tags"):
        event_adapter.validate_json('{"type": "run_exploded"}')


@pytest.mark.parametrize("changes", [{"seq": 0}, {"progress": 1.1}, {"progress": -0.1}])
def test_a_log_entry_out_of_range_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match="should be"):
        logged(EXAMPLES[0], **changes)


def test_an_event_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        EXAMPLES[-4].__setattr__("message", "Forget this.")


def test_a_run_ends_completed_failed_or_cancelled() -> None:
    assert [event.type for event in EXAMPLES if isinstance(event, TERMINAL)] == [
        "run_completed",
        "run_failed",
        "run_cancelled",
    ]
