"""Crossref's REST API over made-up works: the work itself, and notices that update it."""

from __future__ import annotations

from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route


class CrossrefServer:
    """The service, as far as the client uses it."""

    def __init__(self) -> None:
        self.works: dict[str, dict[str, Any]] = {}
        """Works by DOI in lower case."""
        self.asked: list[str] = []
        """Path and query of each request, as they were sent."""
        self.app = Starlette(
            routes=[Route("/works", self._list), Route("/works/{doi:path}", self._work)]
        )

    def add(self, doi: str, *updates: tuple[str, str]) -> None:
        """A work, with the type and the DOI of each notice that updates it."""
        listed = [{"type": kind, "DOI": by, "source": "made-up"} for kind, by in updates]
        self.works[doi.lower()] = {"DOI": doi, "updated-by": listed}

    def add_notice(self, doi: str, *updates: tuple[str, str]) -> None:
        """A notice, with the type of each update and the DOI of the work it updates."""
        listed = [{"type": kind, "DOI": of} for kind, of in updates]
        self.works[doi.lower()] = {"DOI": doi, "update-to": listed}

    async def _work(self, request: Request) -> Response:
        self._note(request)
        work = self.works.get(request.path_params["doi"].lower())
        if work is None:
            return PlainTextResponse("Resource not found.", 404)
        return JSONResponse({"status": "ok", "message-type": "work", "message": work})

    async def _list(self, request: Request) -> Response:
        self._note(request)
        filters = []
        for part in request.query_params["filter"].split(","):
            name, colon, value = part.partition(":")
            if not colon or name not in ("updates", "update-type"):
                failure = {"type": "filter-not-available", "value": part}
                return JSONResponse({"status": "failed", "message": [failure]}, 400)
            filters.append((name, value.lower()))
        items = [work for work in self.works.values() if _meets(work, dict(filters))]
        return JSONResponse(
            {"status": "ok", "message": {"total-results": len(items), "items": items}}
        )

    def _note(self, request: Request) -> None:
        query = request.scope["query_string"].decode()
        self.asked.append(request.scope["raw_path"].decode() + (f"?{query}" if query else ""))


def _meets(work: dict[str, Any], filters: dict[str, str]) -> bool:
    """Tell if a work meets each filter by any of its updates, not all by the same one."""
    updates = work.get("update-to", [])
    return any(u["DOI"].lower() == filters["updates"] for u in updates) and any(
        u["type"] == filters["update-type"] for u in updates
    )
