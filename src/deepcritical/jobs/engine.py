"""The face of a durable engine: it hands runs out to workers, and records their effects.

Everything that knows which library that is stands behind it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Any, Literal, Protocol

from deepcritical.domain.errors import ResearchCancelled
from deepcritical.domain.jobs import EngineRow

__all__ = [
    "Conduct",
    "Effect",
    "Engine",
    "EngineBusyError",
    "Journal",
    "Leave",
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

Leave = Callable[[str], Awaitable[None]]
"""Is told of the id of a run that leaves this process."""


class Engine(Protocol):
    """Protocol: the runs of one process, and those that wait for any process."""

    @property
    def worker(self) -> str:
        """What this process is called among those that share the database."""
        ...

    async def start(self, conduct: Conduct) -> None:
        """Begin to conduct runs on the running loop; those that were left here are taken up.

        Raises:
            StorageError: The engine's records cannot be used.
            EngineBusyError: Another service of this process has the engine.
        """
        ...

    async def begin(self, run_id: str) -> None:
        """Hand out a new run to this process, at once."""
        ...

    async def enqueue(self, run_id: str, user_id: str) -> None:
        """Hand out a new run to whichever process is free first, in its user's turn."""
        ...

    async def check(self, run_id: str) -> None:
        """Find out whether a run can be gone on with.

        Raises:
            TraceNotFoundError: Nothing is recorded of it.
            StorageError: Another version did.
        """
        ...

    async def resume(self, run_id: str, user_id: str) -> None:
        """Hand out a run that ended without a result once more.

        What it has recorded is kept, but for the failures that it ended with.
        """
        ...

    async def under_way(self) -> dict[str, str]:
        """The runs that any worker has, each with its worker."""
        ...

    async def take_over(self, runs: Mapping[str, str]) -> None:
        """Hand out runs anew, each unless another worker than the one named has it by now."""
        ...

    async def standings(self, run_ids: Collection[str]) -> dict[str, Standing]:
        """How far the engine is with each of these runs."""
        ...

    async def lost(self, run_ids: Collection[str]) -> frozenset[str]:
        """Those of these runs that are not this worker's any more."""
        ...

    def row_of(self, run_id: str) -> EngineRow:
        """What says that this worker has the run, as long as he has it."""
        ...

    async def forget(self, run_id: str) -> None:
        """Delete what is recorded of a run."""
        ...

    async def close(self, leave: Leave) -> None:
        """End, and hand out what this process has; its runs must have been stopped before.

        Args:
            leave: Is told of each run before another process may begin with it.

        Raises:
            StorageError: They cannot be handed out; the engine has ended nevertheless.
        """
        ...
