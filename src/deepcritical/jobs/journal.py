"""What makes a run durable: its effects are recorded, and a replay takes them from the record."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

__all__ = ["Effect", "Journal", "NoJournal"]

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
