"""The `SearchTool` protocol of a source, its query and result types, and source descriptions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from pydantic import Field, InstanceOf

from deepcritical.domain.base import Model
from deepcritical.domain.evidence.drug_facts import DrugFacts
from deepcritical.domain.evidence.record import Evidence, Integrity
from deepcritical.domain.question.frame import Drug, OutsideName
from deepcritical.domain.question.question import SearchQuery
from deepcritical.tools.deadline import Deadline

if TYPE_CHECKING:
    from deepcritical.tools.http import SourceClient
    from deepcritical.tools.rate_limiter import Limiter

CheckIntegrity = Callable[[Sequence[Evidence], float], Awaitable[tuple[Evidence, ...]]]
"""The records with what is known of their retraction, in the same order, after some seconds."""

LookUpFacts = Callable[[Sequence[Drug], float], Awaitable[tuple[DrugFacts, ...]]]
"""Looks up facts on each drug in curated sources, in the same order, within so many seconds.

Who could not be asked is told in the facts; nothing is raised.
"""

LookUpNames = Callable[[Sequence[OutsideName]], Awaitable[tuple[OutsideName, ...]]]
"""Of names that no table has, those that are known where a run searches, as they are known there.

Raises:
    SearchError: Whoever knows could not be asked.
"""

WORST_FIRST: tuple[Integrity, ...] = ("retracted", "concern", "corrected", "clean", "not_checked")


class SourceOutcome(StrEnum):
    """The outcome of a source call. "Found nothing" and "was down" are different facts."""

    DATA = "data"
    EMPTY = "empty"
    DEGRADED = "degraded"
    """Some of the answer could not be read."""
    UNAVAILABLE = "unavailable"
    NOT_APPLICABLE = "not_applicable"


def outcome_of(found: Sized, lost: Sized = ()) -> SourceOutcome:
    """`degraded` where something was lost, else whether anything was found."""
    if lost:
        return SourceOutcome.DEGRADED
    return SourceOutcome.DATA if found else SourceOutcome.EMPTY


class SourceQuery(SearchQuery):
    """A query to a source, with the number of results and the deadline."""

    max_results: int = Field(default=10, ge=1)
    answer_by: InstanceOf[Deadline] | None = None
    """Until when requests may last; what has come by then is kept. Of this one query alone."""


class SourceResult(Model):
    """The answer of a source."""

    outcome: SourceOutcome
    evidence: tuple[Evidence, ...] = ()
    query_as_run: str
    """The query exactly as it was sent."""
    filters: tuple[str, ...] = ()
    """Filters, order and limits that went with it (PRISMA-S, items 8 and 9)."""
    understood_as: tuple[str, ...] = ()
    """The query as the source says that it understood it, then the mappings that it made."""
    total: int = 0
    """Records that match at the source, whether or not they are in this answer."""
    skipped: tuple[str, ...] = ()
    """Records that could not be read, each with the reason."""
    cached: bool = False
    """Whether the answer was kept from an earlier query."""


RETRACTED = "Retracted Publication"
"""The type by which grading knows a retraction."""


def with_integrity(
    evidence: Evidence, integrity: Integrity, notices: Sequence[str] = ()
) -> Evidence:
    """The record with that status and further notices; a retraction shows in its types, too."""
    meta = evidence.metadata
    more = (RETRACTED,) if integrity == "retracted" else ()
    update = {
        "integrity": integrity,
        "notices": tuple(dict.fromkeys((*meta.notices, *notices))),
        "publication_types": tuple(dict.fromkeys((*meta.publication_types, *more))),
    }
    return evidence.model_copy(update={"metadata": meta.model_copy(update=update)})


class Parsed(NamedTuple):
    """The content of a source's payload."""

    records: tuple[Evidence, ...]
    skipped: tuple[str, ...] = ()
    """Records that could not be read, each named with the reason."""


class Page(NamedTuple):
    """One page of an answer."""

    records: tuple[Evidence, ...]
    skipped: tuple[str, ...]
    """Records that could not be read, each named with the reason."""
    total: int | None
    """Records that match at the source, as far as the page says."""
    next_page: str
    """Token of the next page; '' on the last one."""


def ranked(records: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """The records with a score by their rank, which does not depend on how many there are."""
    return tuple(
        record.model_copy(update={"relevance_score": round(1 / (1 + rank / 10), 4)})
        for rank, record in enumerate(records)
    )


class Ranking(Model):
    """The relevance of records to a question, and how it was determined."""

    retrieval: str
    """``hybrid (BM25 + all-MiniLM-L6-v2)``, or ``lexical (BM25): `` and the reason."""
    relevance: dict[str, float]
    """Evidence id -> 0-1, best first; comparable only within one ranking."""
    likeness: dict[str, dict[int, float]] = Field(default_factory=dict)
    """Of the best records: start of a sentence -> cosine of its meaning and the text's; empty
    without vectors."""


class RankRecords(Protocol):
    """Ranks the records of one run."""

    def begin(self) -> None:
        """Make ready in the background what ranking needs; returns at once."""
        ...

    async def rank(
        self, text: str, records: Mapping[str, Evidence], *, sentences: bool = False
    ) -> Ranking:
        """All records by evidence id, ranked for a text; what no word or vector finds has 0.

        With `sentences` those of the best records are likened to the text, too.
        """
        ...


@runtime_checkable
class SearchTool(Protocol):
    """A source of evidence. One that inherits it has `search` by its `fetch`."""

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
        """The records alone, best first; raises as `fetch` does."""
        found = await self.fetch(SourceQuery(text=query, max_results=max_results))
        return list(found.evidence)


class Means(NamedTuple):
    """The resources that a source is opened with; what it opens closes by itself."""

    client: Callable[[], SourceClient]
    """A client for the address of the source, paced and cached."""
    limiter: Callable[[], Limiter]
    """The limiter of its host, for a source that has a client of its own."""
    email: str = ""
    """Address of who runs this program; '' for none."""


class AgentSearch(NamedTuple):
    """The search of one source among the tools for agents."""

    name: str
    """As in ``search_pubmed``."""
    finds: str
    """Its purpose, as it goes on behind "Search PubMed"."""


@dataclass(frozen=True, kw_only=True)
class SourceDescription:
    """A source that is searched live."""

    key: str
    """Its key for users: letters and digits, such as ``pubmed``."""
    name: str
    """Its name for readers."""
    url: str
    """Base address; ``DEEPCRITICAL_<KEY>_URL`` replaces it."""
    service: str = ""
    """The service at the address, where its name is not that of the source."""
    fixed: bool = False
    """True if no setting replaces the address."""
    per_second: int
    """Requests a second that the host allows."""
    api_key: str = ""
    """The setting with a key that is sent as `api_key`."""
    per_second_with_key: int = 0
    """Requests a second that it allows with that key."""
    by_requests: bool = False
    """True if it is asked by `RequestsTransport`, as its firewall rejects httpx."""
    by_default: bool = False
    """True if runs search it unless told otherwise."""
    in_all: bool = True
    """True if ``deepcritical search all`` asks it."""
    by_id: Mapping[str, str] = field(default_factory=dict)
    """Kind of id -> the query for one; no two sources take the same kind."""
    agent_search: AgentSearch | None = None
    """None offers agents no search of it."""
    indexes: str
    """Its content, for the documentation."""
    asked: str
    """The way in which it is asked."""
    beside: str = ""
    """Other remarks for a reader; its pace is told anyway."""
    terms: str
    """Address of its terms of use."""
    open: Callable[[Means], SearchTool]
    """Makes the source."""

    @property
    def url_setting(self) -> str:
        """Name of the setting with the address, in lower case and without prefix."""
        return f"{self.key}_url"
