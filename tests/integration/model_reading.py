"""A model reader over real HTTP: what it reads, and what its server was asked."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.run.budget import RunLimits
from deepcritical.domain.study.reading import StudyReading
from deepcritical.models.asking import open_asker
from deepcritical.models.desk import RunDesk
from deepcritical.models.providers import model_server
from deepcritical.reading.library import Readings
from deepcritical.reading.model import ModelReader
from tests.servers.answers import Answer
from tests.servers.models import ModelServer
from tests.servers.running import running

Study = dict[str, Any]
Change = Callable[[int, list[Study]], list[Study]]
"""The number of the question from 1, and the sane studies, to what is answered instead."""


class Read(NamedTuple):
    """The readings of a reader, and the requests to its model."""

    readings: Readings
    server: ModelServer
    kept: list[str]
    """Ids of the records in the order in which their readings were kept."""
    bodies: list[bytes]
    """Every request to the server, as it was sent."""

    @property
    def prompts(self) -> list[str]:
        return self.server.prompts("read_studies")


class Recording:
    """Passes requests on, and keeps their bodies."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.bodies: list[bytes] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = bytearray()

        async def noted() -> Message:
            message = await receive()
            body.extend(message.get("body", b""))
            if message["type"] == "http.request" and not message.get("more_body"):
                self.bodies.append(bytes(body))
            return message

        await self._app(scope, noted, send)


def never_waits(_server: ModelServer) -> None:
    """Leave the server as it is."""


async def read(
    shown: Mapping[str, Evidence],
    prepare: Callable[[ModelServer], object] = never_waits,
    limits: RunLimits | None = None,
) -> Read:
    """Have a made-up model read records, over HTTP."""
    server = ModelServer()
    prepare(server)
    recording = Recording(server.app)
    kept: list[str] = []

    async def keep(readings: Mapping[str, StudyReading]) -> None:
        kept.extend(readings)

    async with running(recording) as url:
        resolved = model_server(
            "openai-chat:made-up", base_url=f"{url}v1", api_key="made-up-key", profile="large"
        )
        resolved.mode = "tool"  # as after the run's first question
        begun = time.monotonic()
        desk = RunDesk(limits or RunLimits(), lambda: time.monotonic() - begun)
        async with open_asker(resolved, desk) as asker:
            readings = await ModelReader(asker).read(shown, keep)
    return Read(readings, server, kept, recording.bodies)


def answering(change: Change) -> Callable[[ModelServer], None]:
    """Return what prepares a server to answer other studies."""
    numbers = itertools.count(1)

    def changed(_task: str, sane: Answer) -> Answer:
        return {"studies": change(next(numbers), sane["studies"])}

    def prepare(server: ModelServer) -> None:
        server.change = changed

    return prepare
