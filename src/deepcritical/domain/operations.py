"""What whoever operates workers sees of them: who waits, who works, what is stuck, what was done.

Nothing here says what was asked: of a run it names the id, the user and the tool.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from deepcritical.domain.base import Model
from deepcritical.domain.traces import TraceStatus

__all__ = ["RunCount", "StuckBecause", "StuckRun", "WaitingRuns", "WorkerState"]


class WaitingRuns(Model):
    """The runs of one user that wait for their first step."""

    user_id: str
    runs: int
    oldest_wait_s: float
    """Seconds that the first of them has waited."""


class WorkerState(Model):
    """A process that conducts runs, or did so a short while ago."""

    name: str
    beat_s: float
    """Seconds since its last sign of life."""
    alive: bool
    """Whether that is recent enough; the runs of a worker that is not are taken over."""
    runs: int
    """Runs under way that it has."""
    conducts: bool
    """Whether it takes runs that wait; a server may only take them in."""


class StuckBecause(StrEnum):
    """Why a run may need somebody to look at it."""

    LOST = "lost"
    """Its worker gives no sign of life, and none has taken it over yet."""
    TAKEN_OVER_OFTEN = "taken over often"
    """At the next loss of its worker it ends as failed, or at the one after."""
    OVERDUE = "overdue"
    """It has waited for its first step for longer than it may."""
    SILENT = "silent"
    """It is under way, and has told nothing for long."""


class StuckRun(Model):
    """A run that has not ended, and one reason to look at it."""

    run_id: str
    user_id: str
    tool_name: str
    because: StuckBecause
    worker: str
    """Who has it; '' for a run that its own process alone conducts."""
    takeovers: int
    """How often it was taken up again after its worker was lost."""
    heard_at: datetime
    """When it last told something, or was asked (UTC)."""


class RunCount(Model):
    """How many runs of one tool are in one state."""

    tool_name: str
    status: TraceStatus
    runs: int
