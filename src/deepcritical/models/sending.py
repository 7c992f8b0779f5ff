"""Notes a request to a model when it goes out, for what is noted is charged.

A process may die between the note and the request, and nobody answers that: so it is the client
that notes, when it has the request ready to be sent, and not who asks for it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from pydantic_ai.models import Model, create_async_httpx2_client
from pydantic_ai.models.wrapper import WrapperModel

if TYPE_CHECKING:
    from types import TracebackType

    from httpx2 import AsyncClient

_NOTE: ContextVar[Callable[[], Awaitable[None]] | None] = ContextVar("note", default=None)


@asynccontextmanager
async def noted(note: Callable[[], Awaitable[None]], *, by_client: bool) -> AsyncIterator[None]:
    """Note the request that is made within: now, or by a client of `noting_client`."""
    if not by_client:
        await note()
    before = _NOTE.set(note if by_client else None)
    try:
        yield
    finally:
        _NOTE.reset(before)


def noting_client() -> AsyncClient:
    """Return a client that notes each request once it is ready."""
    client = create_async_httpx2_client()
    hooks = client.event_hooks
    client.event_hooks = {**hooks, "request": [*hooks["request"], _note]}
    return client


async def _note(_request: object) -> None:
    if note := _NOTE.get():
        _NOTE.set(None)
        await note()


class NotedModel(WrapperModel):
    """A model whose client notes its requests; it is closed with the model."""

    def __init__(self, model: Model, client: AsyncClient) -> None:
        super().__init__(model)
        self._http = client

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        """Close the client, too."""
        try:
            return await super().__aexit__(kind, error, trace)
        finally:
            await self._http.aclose()
