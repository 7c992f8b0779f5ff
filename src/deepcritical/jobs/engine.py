"""The face between a run and the durable engine; only `dbos_engine` knows the library behind it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from deepcritical.domain.errors import ResearchCancelled

Effect = Callable[[], Awaitable[dict[str, Any]]]
"""One effect on the world, such as a search or a judgement, with its outcome as JSON.

Domain errors are part of the outcome, not raised. Any other exception is a defect.
"""


class Journal(Protocol):
    """Protocol: the effects of one run, each recorded once."""

    async def record(self, name: str, effect: Effect) -> dict[str, Any]:
        """Return the recorded outcome of an effect; without one, run the effect once.

        A concurrent task makes one call, as its first await: a replay goes by the order of calls.

        Raises:
            ResearchCancelled: The run was stopped, or another worker continues it.
        """
        ...


class NoJournal:
    """Implements `Journal` for a run that ends with its process: every effect is run."""

    async def record(self, _name: str, effect: Effect) -> dict[str, Any]:
        """Return the outcome of the effect."""
        return await effect()


class EngineBusyError(RuntimeError):
    """Another service of this process has the engine, of which a process has one."""

    def __init__(self) -> None:
        super().__init__("another service of this process conducts the runs")


class LostRun(ResearchCancelled):
    """A run is no longer this worker's: another one continues it."""


class OutOfOrder(BaseException):
    """The journal has another effect in this place: the run cannot be replayed."""


class RunJournal(Journal, Protocol):
    """Protocol: the journal of one run of this process."""

    @property
    def lost(self) -> bool:
        """Whether another worker continues the run."""
        ...


Conduct = Callable[[str, RunJournal], Awaitable[None]]
"""Conducts the run of an id to its end, or raises LostRun or CancelledError to leave it."""
