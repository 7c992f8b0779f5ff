"""The curated sources of drug facts on one app: recorded or made-up answers, by path."""

from __future__ import annotations

import json
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route


class CuratedServer:
    """All of them; what is not set answers as the service does where it knows nothing."""

    def __init__(self) -> None:
        self.mychem: dict[str, Any] = {"took": 1, "total": 0, "hits": []}
        self.opentargets: dict[str, Any] = {"data": {"search": {"hits": []}}}
        self.labels: dict[str, Any] | None = None
        """None answers 404, as openFDA does where nothing matches."""
        self.events: dict[str, Any] | None = None
        self.relations: dict[str, list[dict[str, Any]]] = {}
        """By entity, such as ``@CHEMICAL_drugazole``."""
        self.asked: list[tuple[str, dict[str, str]]] = []
        """Path and parameters of each request; of a POST its JSON under ``body``."""
        self.app = Starlette(
            routes=[
                Route("/query", self._mychem),
                Route("/graphql", self._opentargets, methods=["POST"]),
                Route("/drug/label.json", self._labels),
                Route("/drug/event.json", self._events),
                Route("/relations", self._relations),
            ]
        )

    async def _mychem(self, request: Request) -> Response:
        self._note(request)
        return JSONResponse(self.mychem)

    async def _opentargets(self, request: Request) -> Response:
        self.asked.append((request.url.path, {"body": json.dumps(await request.json())}))
        return JSONResponse(self.opentargets)

    async def _labels(self, request: Request) -> Response:
        self._note(request)
        return _matched(self.labels)

    async def _events(self, request: Request) -> Response:
        self._note(request)
        return _matched(self.events)

    async def _relations(self, request: Request) -> Response:
        self._note(request)
        return JSONResponse(self.relations.get(request.query_params["e1"], []))

    def _note(self, request: Request) -> None:
        self.asked.append((request.url.path, dict(request.query_params)))


def _matched(answer: dict[str, Any] | None) -> Response:
    if answer is None:
        error = {"code": "NOT_FOUND", "message": "No matches found!"}
        return JSONResponse({"error": error}, 404)
    return JSONResponse(answer)
