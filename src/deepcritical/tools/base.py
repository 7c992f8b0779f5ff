"""The seam of a source: one query in, one typed outcome out."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple, Protocol, runtime_checkable

from pydantic import Field

from deepcritical.domain.base import Model
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.question import Condition, Drug

__all__ = ["Parsed", "SearchTool", "SourceOutcome", "SourceQuery", "SourceResult"]


class SourceOutcome(StrEnum):
    """How a source call ended. "Found nothing" and "was down" are different facts."""

    DATA = "data"
    EMPTY = "empty"
    DEGRADED = "degraded"
    """Some of the answer could not be read."""
    UNAVAILABLE = "unavailable"
    NOT_APPLICABLE = "not_applicable"
    NOT_REQUESTED = "not_requested"


class SourceQuery(Model):
    """What to ask a source."""

    text: str = Field(min_length=1)
    """In plain words; what a source without fields of its own is asked."""
    drug: Drug | None = None
    condition: Condition | None = None
    terms: tuple[str, ...] = ()
    """Words beside drug and condition that narrow the query."""
    max_results: int = Field(default=10, ge=1)


class SourceResult(Model):
    """What a source answered."""

    outcome: SourceOutcome
    evidence: tuple[Evidence, ...] = ()
    query_as_run: str
    """The query exactly as it was sent."""
    total: int = 0
    """Records that match at the source, whether or not they are in this answer."""
    skipped: tuple[str, ...] = ()
    """Records that could not be read, each with the reason."""
    cached: bool = False
    """Whether the answer was kept from an earlier query."""


class Parsed(NamedTuple):
    """What a payload of a source holds."""

    records: tuple[Evidence, ...]
    skipped: tuple[str, ...] = ()
    """Records that could not be read, each named with the reason."""


@runtime_checkable
class SearchTool(Protocol):
    """A source of evidence."""

    @property
    def name(self) -> str:
        """Name shown to the reader."""
        ...

    async def fetch(self, query: SourceQuery) -> SourceResult:
        """Ask the source.

        Raises:
            SearchError: The source could not be read.
        """
        ...

    async def search(self, query: str, max_results: int = 10) -> list[Evidence]:
        """The records alone, best first.

        Raises:
            SearchError: The source could not be read.
        """
        ...
