"""The face between a run and the durable engine; only `dbos_engine` knows the library behind it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from deepcritical.domain.errors import ResearchCancelled

Effect = Callable[[], Coroutine[Any, Any, dict[str, Any]]]
"""One effect on the world, such as a search or a judgement, with its outcome as JSON.

Domain errors are part of the outcome, not raised. Any other exception is a defect.
"""


class Journal:
    """The effects of one run, each run once; this one records none of them."""

    lost = False
    """True where another worker continues the run."""

    async def record(self, _name: str, effect: Effect) -> dict[str, Any]:
        """Return the recorded outcome of an effect; without one, run the effect.

        A concurrent task makes one call, as its first await: a replay goes by the order of calls.

        Raises:
            ResearchCancelled: The run was stopped, or another worker continues it.
        """
        return await effect()


class EngineBusyError(RuntimeError):
    """Another service of this process has the engine, of which a process has one."""


class LostRun(ResearchCancelled):
    """A run is no longer this worker's: another one continues it."""


class OutOfOrder(BaseException):
    """The journal has another effect in this place: the run cannot be replayed."""


Conduct = Callable[[str, Journal], Awaitable[None]]
"""Conducts the run of an id to its end, or raises LostRun or CancelledError to leave it."""
