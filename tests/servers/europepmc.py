"""Europe PMC's REST search over made-up records: cursors, an error, an answer without results."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

DATA = Path(__file__).parent.parent / "data" / "europepmc"
MOST_QUERY_BYTES = 6_000
"""Longer queries do not fit into an address."""
Record = dict[str, Any]


def made_up_records() -> list[Record]:
    """The records of tests/data/europepmc/records.json."""
    records: list[Record] = json.loads((DATA / "records.json").read_text(encoding="utf-8"))
    return records


class EuropePMCServer:
    """The service, as far as the client uses it.

    Args:
        records: What it knows; by default the made-up records.
    """

    def __init__(self, records: list[Record] | None = None) -> None:
        self.records = made_up_records() if records is None else records
        self.asked: list[dict[str, str]] = []
        """The parameters of each request."""
        self.bare = 0
        """So many answers hold neither results nor an error."""
        self.repeats = False
        """Each page begins with the last record of the one before."""
        self.cursors: dict[str, str] = {}
        """Cursors that are handed out in place of the right one."""
        self.overstated = 0
        """So many records more are counted than there are."""
        self.articles: dict[str, bytes] = {}
        """Full texts by PMCID."""
        self.articles_asked: list[str] = []
        """The PMCID of each request for one."""
        self.app = Starlette(
            routes=[
                Route("/{pmcid}/fullTextXML", self._full_text),
                Route("/search", self._search),
                Route("/searchPOST", self._search, methods=["POST"]),
            ]
        )

    async def _full_text(self, request: Request) -> Response:
        pmcid = request.path_params["pmcid"]
        self.articles_asked.append(pmcid)
        if pmcid not in self.articles:
            return Response("", 404, media_type="application/xml")
        return Response(self.articles[pmcid], media_type="application/xml")

    async def _search(self, request: Request) -> Response:
        # The same parameters, of which searchPOST takes all as fields of a form.
        form = parse_qsl((await request.body()).decode(), keep_blank_values=True)
        params = dict(form or request.query_params)
        self.asked.append(params)
        if len(request.url.query) > MOST_QUERY_BYTES:
            return Response("Request-URI Too Large", 414, media_type="text/plain")
        if self.bare:
            self.bare -= 1
            return JSONResponse({"version": "6.9"})
        cursor = params.get("cursorMark", "*")
        if cursor != "*" and not re.fullmatch(r"after-\d+", cursor):
            return JSONResponse({"version": "6.9", "errCode": 404, "errMsg": "Invalid cursorMark"})
        start = 0 if cursor == "*" else int(cursor.removeprefix("after-"))
        size = int(params.get("pageSize", "25"))
        found = self._matching(params.get("query", ""))
        end = min(start + size, len(found))
        first = start - 1 if self.repeats and start else start
        # Behind the last record the service hands the same cursor out again.
        following = f"after-{end}" if end > start else cursor
        answer = {
            "version": "6.9",
            "hitCount": len(found) + self.overstated,
            "nextCursorMark": self.cursors.get(following, following),
            "request": {"queryString": params.get("query"), "pageSize": size},
            "resultList": {"result": found[first:end]},
        }
        return JSONResponse(answer)

    def _matching(self, query: str) -> list[Record]:
        """The records that hold every word of the query, or one of each group joined by OR."""
        groups = re.split(r"\bAND\b", query)
        wanted = [re.findall(r'"([^"]+)"', group) or group.split() for group in groups]
        quoted = ['"' in group for group in groups]

        def matches(record: Record) -> bool:
            text = json.dumps(record, ensure_ascii=False).lower()
            return all(
                (any if is_or else all)(word.strip("()").lower() in text for word in words)
                for words, is_or in zip(wanted, quoted, strict=True)
            )

        return [record for record in self.records if matches(record)]
