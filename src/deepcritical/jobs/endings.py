"""How a run ends: in time, with what it found, or by an error that is told and forgotten."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from deepcritical.domain.budget import RunLimits
from deepcritical.domain.documents import Document
from deepcritical.domain.errors import BudgetExceeded, DeepCriticalError, ResearchCancelled
from deepcritical.domain.events import RunCompleted, RunFailed, StopReason
from deepcritical.domain.traces import TraceResult, knowledge_of
from deepcritical.research.session import ResearchSession

__all__ = ["as_result", "completed", "failed", "forget_causes", "log_defect", "within"]

_LOG = logging.getLogger(__name__)


@asynccontextmanager
async def within(limits: RunLimits, left_s: float | None = None) -> AsyncIterator[asyncio.Timeout]:
    """The time of a run.

    Args:
        limits: Of the run.
        left_s: Seconds that are left of it; None for all.

    Yields:
        Its end, which can be put off.

    Raises:
        BudgetExceeded: It is over.
    """
    try:
        async with asyncio.timeout(limits.deadline_s if left_s is None else left_s) as deadline:
            yield deadline
    except TimeoutError as error:
        if not deadline.expired():
            raise  # somebody else's time-out
        raise BudgetExceeded(
            f"The run did not end within {limits.deadline_s:g} s.",
            "Raise DEEPCRITICAL_DEADLINE_S, or ask at a lower depth.",
        ) from error


def failed(error: DeepCriticalError) -> RunFailed:
    """The terminal event of a run that ends with this error."""
    return RunFailed(error=type(error).__name__, message=error.message, advice=error.advice)


def log_defect(task: asyncio.Future[Any]) -> None:
    """Leave a trace of a defect of ours, for nobody may ask for the result of a failed run."""
    error = None if task.cancelled() else task.exception()
    if error is not None and not isinstance(error, (DeepCriticalError, ResearchCancelled)):
        _LOG.error("a run failed by a defect", exc_info=error)


def forget_causes(task: asyncio.Future[Any]) -> None:
    """Drop what hangs on the error of a failed run: its requests and frames hold the key."""
    error = None if task.cancelled() else task.exception()
    if error is None:
        return
    # The frames are emptied, not dropped, because the task keeps them for whoever asks for its
    # result.
    traceback.clear_frames(error.__traceback__)
    error.__cause__ = error.__context__ = None


def as_result(ended: Document) -> TraceResult:
    """What a trace is completed with."""
    return TraceResult(ended.model_dump(mode="json"), knowledge_of(ended))


def completed(session: ResearchSession, ended: Document) -> RunCompleted:
    """The terminal event of a run that ends with this."""
    reason = session.stop_reason or StopReason.SUFFICIENT_EVIDENCE
    if not ended.references and reason is not StopReason.USER_STOP:
        reason = StopReason.NO_EVIDENCE
    return RunCompleted(
        stop_reason=reason, verdict=ended.headline, references=len(ended.references)
    )
