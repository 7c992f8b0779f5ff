"""What a run and the durable engine that records it know of one another.

Everything that knows which library that is stands in `dbos_engine`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Literal, Protocol

from deepcritical.domain.errors import ResearchCancelled

__all__ = [
    "Conduct",
    "Effect",
    "EngineBusyError",
    "Journal",
    "LostRun",
    "NoJournal",
    "OutOfOrder",
    "RunJournal",
    "Standing",
]


Effect = Callable[[], Awaitable[dict[str, Any]]]
"""One effect on the world, such as a search or a judgement; its outcome, errors included, as JSON.

It raises no domain error: what a schedule may catch is a part of the outcome. Any other exception
is a defect.
"""


class Journal(Protocol):
    """Protocol: the effects of one run, each recorded once."""

    async def record(self, name: str, effect: Effect) -> dict[str, Any]:
        """The outcome of an effect: of the record if it is there, else by running it once.

        A concurrent task makes one call, as its first await, because the order of the calls is what
        a replay goes by.

        Args:
            name: What it is called among the run's records, such as ``read_all``.
            effect: What is run when nothing is recorded yet.

        Raises:
            ResearchCancelled: The run was stopped, or another worker goes on with it.
        """
        ...


class NoJournal:
    """Implements `Journal` for a run that ends with its process: every effect is run."""

    async def record(self, _name: str, effect: Effect) -> dict[str, Any]:
        """The outcome of the effect."""
        return await effect()


class EngineBusyError(RuntimeError):
    """Another service of this process has the engine, of which a process has one."""

    def __init__(self) -> None:
        super().__init__("another service of this process conducts the runs")


class LostRun(ResearchCancelled):
    """A run is no longer this worker's: another one goes on with it."""


class OutOfOrder(BaseException):
    """A run's record has another effect in this place: it cannot be gone through again."""


Standing = Literal["unknown", "open", "ended"]
"""Whether the engine has a run, and whether it waits or is under way anywhere."""


class RunJournal(Journal, Protocol):
    """Protocol: the journal of one run of this process."""

    @property
    def lost(self) -> bool:
        """Whether another worker goes on with the run."""
        ...


Conduct = Callable[[str, RunJournal], Awaitable[None]]
"""Conducts the run of an id to its end, or raises LostRun or CancelledError to leave it."""
