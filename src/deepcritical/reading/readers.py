"""The seam of a reader that is asked, such as a model, and what it gives."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from deepcritical.domain.errors import ReasoningError
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.study.reading import StudyReading

Keep = Callable[[Mapping[str, StudyReading]], Awaitable[None]]
"""Takes in readings as soon as they are there: what was read is not lost when time ends."""


@dataclass
class Readings:
    """The readings of the records that a reader was given."""

    found: dict[str, StudyReading] = field(default_factory=dict)
    """By the ids of the records."""
    failed: list[ReasoningError] = field(default_factory=list)
    """Errors that tell why records are not among them."""
    not_its_own: set[str] = field(default_factory=set)
    """Of those found, what another read in its place: not kept under its name."""
    strange: int = 0
    """Studies in answers that were of no record shown, or of one told before."""


class AskedReader(Protocol):
    """Reads records for one run, within its budget and time."""

    @property
    def identity(self) -> str:
        """Return what its readings are kept under, beside the text: who reads, by which prompt."""
        ...

    @property
    def holder(self) -> str:
        """Return its name while it reads, in whichever process; '' where that has no name."""
        ...

    async def begun(self) -> Sequence[Sequence[str]]:
        """Return what it was given to read before its process died, by the ids of the records."""
        ...

    async def begin(self, ids: Sequence[str]) -> None:
        """Note what it is given to read next."""
        ...

    def seconds_left(self) -> float:
        """Seconds in which the run may still read."""
        ...

    async def read(self, records: Mapping[str, Evidence], keep: Keep) -> Readings:
        """Read records, those that matter most first; `keep` is given every reading that stands.

        Raises:
            ConfigurationError: It cannot be asked at all.
        """
        ...
