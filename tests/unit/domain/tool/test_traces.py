from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest

from deepcritical.domain.appraisal.checklist import (
    Aspect,
    Checklist,
    ChecklistItem,
    Coverage,
    Inquiry,
    InquiryKind,
    ItemCoverage,
)
from deepcritical.domain.question.question import QuestionForm, ResearchQuestion
from deepcritical.domain.run.budget import Spent
from deepcritical.domain.run.events import (
    TERMINAL,
    AgentCalled,
    ChecklistMade,
    CompletenessChecked,
    Event,
    EventKeys,
    EvidenceAssessed,
    InquiryRefined,
    JudgementMade,
    LoggedEvent,
    Notice,
    QuestionRefined,
    RunCancelled,
    RunCompleted,
    RunFailed,
    RunStarted,
    SourceSearched,
    Stage,
    StopReason,
)
from deepcritical.domain.tool.traces import TraceState, TraceStatus, fold

START = datetime(2999, 1, 1, tzinfo=UTC)


def logged(*events: Event, progress: float = 0.5) -> list[LoggedEvent]:
    return [
        LoggedEvent(
            run_id="made",
            seq=seq,
            at=START + timedelta(seconds=seq),
            stage=Stage.DONE if isinstance(event, TERMINAL) else Stage.SEARCH,
            progress=progress,
            event=event,
        )
        for seq, event in enumerate(events, 1)
    ]


def searched(source: str, new: int) -> SourceSearched:
    return SourceSearched(source=source, query="q", outcome="data", identified=9, new=new)


def asked(calls: int, cost: float | None = None) -> JudgementMade:
    spent = Spent(calls=calls, input_tokens=10 * calls, output_tokens=calls, cost_usd=cost)
    return JudgementMade(judgement="reading", made_by="model", spent=spent)


def called(iteration: int) -> AgentCalled:
    return AgentCalled(agent="SearchAgent", instruction="made", iteration=iteration)


COMPLETED = RunCompleted(stop_reason=StopReason.SUFFICIENT_EVIDENCE, verdict="mixed", references=1)


def test_nothing_has_happened_before_the_first_event() -> None:
    folded = fold([])
    assert (folded.status, folded.progress, folded.started_at) == (TraceStatus.PENDING, 0.0, None)


@pytest.mark.parametrize(
    ("end", "status", "error"),
    [
        (COMPLETED, TraceStatus.COMPLETED, ""),
        (RunCancelled(), TraceStatus.CANCELLED, ""),
        (
            RunFailed(error="SearchError", message="No.", advice="Try."),
            TraceStatus.FAILED,
            "No. Try.",
        ),
    ],
)
def test_the_terminal_event_ends_the_trace(end: Event, status: TraceStatus, error: str) -> None:
    begun = fold(logged(RunStarted(question="q", reasoner="rules")))
    assert (begun.status, begun.completed_at) == (TraceStatus.IN_PROGRESS, None)
    folded = fold(logged(RunStarted(question="q", reasoner="rules"), end))
    assert (folded.status, folded.error_message) == (status, error)
    assert (folded.started_at, folded.completed_at) == (
        START + timedelta(seconds=1),
        START + timedelta(seconds=2),
    )
    assert (folded.current_stage, status.ended) == ("done", True)
    with pytest.raises(ValueError, match="follows the end"):
        fold(logged(Notice(message="late")), folded)


def test_what_was_found_and_what_it_cost_are_added_up() -> None:
    question = ResearchQuestion(text="made", form=QuestionForm.DRUG_CONDITION)
    gaps = EvidenceAssessed(
        mechanism_score=1, clinical_score=2, recommendation="continue", gaps=("no trial",)
    )
    events = (
        QuestionRefined(question=question),
        called(1),
        searched("PubMed", 3),
        searched("PubMed", 0),
        searched("Europe PMC", 2),
        asked(1, 0.5),
        called(2),
        asked(3, 1.5),
        asked(2, 1.0),
        gaps,
    )
    folded = fold(logged(*events))
    assert folded.state.refined_question == question
    assert folded.state.knowledge_base.gaps == ("no trial",)
    assert folded.state.iterations == folded.metrics.iterations == 2
    assert folded.metrics.queries == {"PubMed": 2, "Europe PMC": 1}
    assert folded.metrics.sources_processed == 5
    # Calls that were made at once tell of the whole so far in any order: the most counts.
    assert (folded.metrics.llm_calls, folded.metrics.tokens) == (3, 33)
    assert folded.metrics.cost_usd == 1.5


def test_requests_without_an_answer_are_counted_apart() -> None:
    lost = Spent(calls=1, input_tokens=10, output_tokens=1, cost_usd=0.5, unanswered=2)
    fallen_back = JudgementMade(judgement="report", made_by="rules", spent=lost)
    metrics = fold(logged(asked(1, 0.5), fallen_back)).metrics
    assert (metrics.llm_calls, metrics.unanswered, metrics.cost_usd) == (1, 2, 0.5)


def test_a_free_question_is_kept_as_understood_too() -> None:
    inquiry = Inquiry(text="made", kind=InquiryKind.EFFECT)
    folded = fold(logged(InquiryRefined(inquiry=inquiry)))
    assert folded.state.refined_question == inquiry
    assert TraceState.model_validate_json(folded.state.model_dump_json()) == folded.state


def test_progress_never_goes_back() -> None:
    high = fold(logged(Notice(message="a"), progress=0.8))
    assert fold(logged(Notice(message="b"), progress=0.3), high).progress == 0.8


@pytest.mark.parametrize("cut", range(6))
def test_a_fold_may_be_taken_up_at_any_event(cut: int) -> None:
    events = logged(called(1), searched("PubMed", 1), asked(1), called(2), COMPLETED)
    assert fold(events[cut:], fold(events[:cut])) == fold(events)


class TestKeys:
    def test_equal_events_of_one_run_have_keys_of_their_own(self) -> None:
        keys = EventKeys()
        given = [keys.of(Notice(message=text).model_dump(mode="json")) for text in "abaab"]
        assert len(set(given)) == 5

    def test_a_run_taken_up_anew_gives_the_same_keys_in_whatever_order(self) -> None:
        events = [Notice(message=text).model_dump(mode="json") for text in "aabbcdddd"]
        first = EventKeys()
        expected = {first.of(event) for event in events}
        for seed in range(20):
            again = EventKeys()
            mixed = random.Random(seed).sample(events, len(events))  # noqa: S311 - no secret
            assert {again.of(event) for event in mixed} == expected


def test_the_checklist_is_told_and_how_far_each_item_is_covered() -> None:
    texts = ("What is the answer?", "What harm?", "In whom?")
    aspects = (Aspect.ANSWER, Aspect.SAFETY, Aspect.PEOPLE)
    items = tuple(
        ChecklistItem(id=f"C{n}", aspect=aspect, text=text)
        for n, (aspect, text) in enumerate(zip(aspects, texts, strict=True), 1)
    )
    made = fold(logged(ChecklistMade(checklist=Checklist(items=items))))
    assert [(i.text, i.coverage) for i in made.state.checklist] == [(t, None) for t in texts]
    checked = CompletenessChecked(
        iteration=2,
        items=(
            ItemCoverage(item="C1", coverage=Coverage.SATISFIED, reason="one"),
            ItemCoverage(item="C2", coverage=Coverage.PARTIAL, reason="two"),
            ItemCoverage(item="C3", coverage=Coverage.UNSATISFIED, reason="three"),
        ),
    )
    state = fold(logged(ChecklistMade(checklist=Checklist(items=items)), checked)).state
    assert [i.reason for i in state.checklist] == ["one", "two", "three"]
    assert state.knowledge_base.gaps == texts[1:]
    assert state.iterations == 2
