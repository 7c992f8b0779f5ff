"""Refuses a question before it becomes a run, where rules alone can tell."""

from __future__ import annotations

from deepcritical.domain.frame import DeclineReason, QuestionFrame
from deepcritical.jobs.conduct import OpenSources
from deepcritical.questions.forms import require_answerable, research_question
from deepcritical.reasoning.base import Reasoner
from deepcritical.reasoning.extractive import ExtractiveReasoner
from deepcritical.research.understanding import frame_of

__all__ = ["check_question"]


async def check_question(
    text: str, context: str, open_sources: OpenSources, reasoner: Reasoner, *, is_report: bool
) -> QuestionFrame:
    """The frame of a question that a run could begin with.

    A model may understand what rules do not, so where one is asked only that is refused which no
    model can set aside.

    Args:
        text: The question.
        context: What was said beside it.
        open_sources: Opens the sources of the run, which may know a name that no table has.
        reasoner: That of the run.
        is_report: Whether a report with a verdict is wanted; else an answer.

    Raises:
        EmptyQuestionError, QuestionTooLongError: It is no question.
        QuestionDeclinedError: It is none that papers and trials answer.
        QuestionError: It is none for a report.
    """
    frame = await frame_of(text, context)
    by_rule = isinstance(reasoner, ExtractiveReasoner)
    if frame.declined is DeclineReason.UNKNOWN_NAME and by_rule:
        async with open_sources() as sources:
            frame = await frame_of(text, context, sources.look_up)
    if by_rule or frame.is_final:
        require_answerable(frame)
    if by_rule and is_report:
        research_question(frame)
    return frame
