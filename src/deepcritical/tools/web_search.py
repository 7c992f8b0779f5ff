"""Searches the web by DuckDuckGo; only title and snippet of each page are read.

Nothing behind a result is ever fetched: what a page says is not known beyond its snippet.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from urllib.parse import parse_qsl, quote, urlsplit, urlunsplit

from deepcritical.domain.errors import RateLimitError, SearchError
from deepcritical.domain.evidence.record import Citation, Evidence, EvidenceMetadata
from deepcritical.domain.study.identity import canonical_ids
from deepcritical.tools.base import (
    SearchTool,
    SourceDescription,
    SourceOutcome,
    SourceQuery,
    SourceResult,
    outcome_of,
    ranked,
)
from deepcritical.tools.deadline import Deadline
from deepcritical.tools.json_values import as_text
from deepcritical.tools.markup import clean_markup
from deepcritical.tools.query_utils import clean_query, is_searchable
from deepcritical.tools.rate_limiter import Limiter, Turns

DUCKDUCKGO_URL = "https://html.duckduckgo.com/html/"

Search = Callable[[str, int], Sequence[Mapping[str, object]]]
"""Finds pages for a query: at most so many, each with `title`, `href` and `body`.

It blocks, and raises RateLimitError or SearchError.
"""

_REFUSALS = frozenset({202, 403, 418, 429})
"""Statuses by which DuckDuckGo refuses a burst; 202 is its page with a riddle."""
_RIDDLE = re.compile(r"anomaly[-_]modal|anomaly\.js|challenge-form|bots use DuckDuckGo")
"""The same page with status 200."""
_RESULT_PAGE = re.compile(r"\bresult__|\bno-results?\b")
"""On a page of results, and on one that says there are none."""
_MOST_RESULTS = 50
_AS_IS = "%/:;()._-~!$&*+,=@?"
"""Characters of an address that stay; quotes and angle brackets do not."""
_TRACKING = re.compile(r"utm_\w+|fbclid|gclid|msclkid|mc_[ce]id", re.IGNORECASE)
_LOCAL = re.compile(
    r"(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|test|invalid|example|onion|arpa)$"
)
_HOST = re.compile(r"(?!-)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+")


class WebSearch(SearchTool):
    """A search tool over the open web."""

    name = "web"

    def __init__(
        self,
        search: Search | None = None,
        *,
        limiter: Limiter | None = None,
        timeout_s: float = 15.0,
    ) -> None:
        self._search = search or duckduckgo()
        self._turns = Turns(limiter) if limiter else None
        self._timeout_s = timeout_s

    async def fetch(self, query: SourceQuery) -> SourceResult:
        """Pages for a query, best first, as title and snippet.

        Raises:
            RateLimitError: The search engine refuses for the moment.
            SearchError: It cannot be reached or read.
        """
        if query.literature_only:
            return SourceResult(outcome=SourceOutcome.NOT_APPLICABLE, query_as_run="")
        asked = clean_query(query.text)
        if not is_searchable(asked):
            return SourceResult(outcome=SourceOutcome.EMPTY, query_as_run=query.text)
        wanted = min(query.max_results, _MOST_RESULTS)
        records = _records(await self._found(asked, wanted, query.answer_by))[:wanted]
        return SourceResult(
            outcome=outcome_of(records),
            evidence=ranked(records),
            query_as_run=asked,
            filters=("DuckDuckGo", "titles and snippets only", f"first {wanted}"),
            total=len(records),
        )

    async def _found(
        self, asked: str, wanted: int, by: Deadline | None
    ) -> Sequence[Mapping[str, object]]:
        try:
            async with (
                by.limit() if by else nullcontext(),
                self._turns.turn(by) if self._turns else nullcontext(),
                asyncio.timeout(self._timeout_s),
            ):
                return await asyncio.to_thread(self._search, asked, wanted)
        except SearchError:
            raise
        except TimeoutError as error:
            raise SearchError(
                "The web search did not answer in time.", "Try again later."
            ) from error
        # The engine's library has errors of its own, and of the libraries that it stands on.
        except Exception as error:
            if type(error).__name__ == "RatelimitException":
                raise _refused() from error
            raise SearchError(
                f"The web search failed ({type(error).__name__}).", "Try again later."
            ) from error


def duckduckgo(url: str = DUCKDUCKGO_URL, timeout_s: int = 10) -> Search:
    """A search of DuckDuckGo's page without scripts, read by `ddgs`.

    The library turns every refusal into "no results"; here a refusal stays one.
    """

    def search(query: str, max_results: int) -> list[Mapping[str, object]]:
        # Imported late: it starts an HTTP library that most runs never need.
        from ddgs.engines.duckduckgo import Duckduckgo

        class Engine(Duckduckgo):
            search_url = url

            def request(self, *args: object, **kwargs: object) -> str:
                response = self.http_client.request(*args, **kwargs)
                return _checked(response.status_code, response.text)

        found = Engine(timeout=timeout_s).search(query) or []
        return [vars(result) for result in found[:max_results]]

    return search


def _refused() -> RateLimitError:
    return RateLimitError(
        "The web search refuses more requests for the moment.", "Try again in some minutes."
    )


def _checked(status: int, page: str) -> str:
    """The page, if it is a list of results or says that there are none."""
    if status in _REFUSALS or _RIDDLE.search(page):
        raise _refused()
    if status != 200 or not _RESULT_PAGE.search(page):
        told = f"status {status}" if status != 200 else "something else than results"
        raise SearchError(f"The web search answered with {told}.", "Try again later.")
    return page


def _records(pages: Sequence[Mapping[str, object]]) -> list[Evidence]:
    """The pages that can be cited, each once."""
    records: list[Evidence] = []
    seen: set[str] = set()
    for page in pages:
        record = _evidence(page) if isinstance(page, Mapping) else None
        if record and not canonical_ids(record) & seen:
            records.append(record)
            seen |= canonical_ids(record)
    return records


def _evidence(page: Mapping[str, object]) -> Evidence | None:
    url = public_url(_text(page.get("href")) or _text(page.get("url")))
    title = " ".join(clean_markup(_text(page.get("title"))).split())
    snippet = " ".join(clean_markup(_text(page.get("body"))).split())
    if not url or not title:
        return None
    return Evidence(
        content=snippet,
        citation=Citation(source="web", title=title, url=url),
        metadata=EvidenceMetadata(
            text_kind="web" if snippet else "none",
            note="Web page: only its snippet in a search engine was read.",
        ),
    )


def _text(value: object) -> str:
    return as_text(value) if isinstance(value, str) else ""


def public_url(url: str) -> str:
    """The address in one spelling; '' unless it is http(s) at a public host.

    A link of the search engine that redirects is replaced by its target. Scheme http is kept only
    as https, without user, port of its own, fragment and what only tracks the reader.
    """
    try:
        parts = urlsplit(_target(url.strip()))
        host = (parts.hostname or "").rstrip(".").lower()
        port = parts.port
    except ValueError:
        return ""
    if parts.scheme.lower() not in ("http", "https") or port not in (None, 80, 443):
        return ""
    if parts.username or parts.password or not _is_public(host):
        return ""
    kept = (p for p in parts.query.split("&") if not _TRACKING.fullmatch(p.partition("=")[0]))
    query = quote("&".join(kept), safe=_AS_IS)
    path = quote(parts.path, safe=_AS_IS)
    shown = f"[{host}]" if ":" in host else host
    return urlunsplit(("https", shown, path or "/", query, ""))


def _target(url: str) -> str:
    """Return the target of a redirecting link of DuckDuckGo."""
    parts = urlsplit(f"https:{url}" if url.startswith("//") else url)
    if (parts.hostname or "").endswith("duckduckgo.com"):
        aims = [value for name, value in parse_qsl(parts.query) if name == "uddg"]
        return aims[0] if aims else ""
    return parts.geturl()


def _is_public(host: str) -> bool:
    """Return whether a host is a public address or a full name outside of private networks."""
    try:
        return ipaddress.ip_address(host).is_global
    except ValueError:
        pass
    try:
        name = host.encode("idna").decode("ascii")
    except UnicodeError:
        return False
    # A last label of digits or 0x... is an address in another notation, such as 127.1.
    odd = re.fullmatch(r"\d+|0x[0-9a-f]*", name.rpartition(".")[2]) is not None
    return not odd and _HOST.fullmatch(name) is not None and not _LOCAL.search(name)


SOURCE = SourceDescription(
    key="web",
    name="Web (DuckDuckGo)",
    url=DUCKDUCKGO_URL,
    fixed=True,  # the library that reads its page goes there
    per_second=1,
    in_all=False,  # snippets are the lowest grade of evidence
    indexes="web pages",
    asked="DuckDuckGo, titles and snippets",
    beside="nothing is fetched from the pages themselves",
    terms="https://duckduckgo.com/terms",
    open=lambda means: WebSearch(limiter=means.limiter()),
)
