"""What the program must know of a source to offer, open, pace and describe it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from deepcritical.tools.base import SearchTool
    from deepcritical.tools.http import SourceClient
    from deepcritical.tools.rate_limiter import Limiter


class Means(NamedTuple):
    """What a source is opened with; what it opens closes by itself."""

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
    """What it is for, behind "Search PubMed"."""


@dataclass(frozen=True, kw_only=True)
class SourceDescription:
    """A source that is searched live."""

    key: str
    """What a user calls it: letters and digits, such as ``pubmed``."""
    name: str
    """What a reader calls it."""
    url: str
    """Base address; ``DEEPCRITICAL_<KEY>_URL`` replaces it."""
    service: str = ""
    """What is at the address, where that is not called as the source is."""
    fixed: bool = False
    """Whether no setting replaces the address."""
    per_second: int
    """Requests a second that the host allows."""
    api_key: str = ""
    """The setting with a key that is sent as `api_key`."""
    per_second_with_key: int = 0
    """Requests a second that it allows with that key."""
    by_requests: bool = False
    """Whether it is asked by `RequestsTransport`, as its firewall rejects httpx."""
    by_default: bool = False
    """Whether runs search it unless told otherwise."""
    in_all: bool = True
    """Whether ``deepcritical search all`` asks it."""
    by_id: Mapping[str, str] = field(default_factory=dict)
    """Kind of id -> the query for one; no two sources take the same kind."""
    agent_search: AgentSearch | None = None
    """None offers agents no search of it."""
    indexes: str
    """What it holds, for the documentation."""
    asked: str
    """How it is asked."""
    beside: str = ""
    """What else a reader should know; its pace is told anyway."""
    terms: str
    """Address of its terms of use."""
    open: Callable[[Means], SearchTool]
    """Makes the source."""

    @property
    def url_setting(self) -> str:
        """Name of the setting with the address, in lower case and without prefix."""
        return f"{self.key}_url"
