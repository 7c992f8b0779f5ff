"""Chats over the real tools and a snapshot, and what must hold of every turn."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from deepcritical.bootstrap import ChatService, open_chats, place_of
from deepcritical.domain.tool.chat import ENDS_TURN, ChatAnswer, ChatEvent, SimilarRun, ToolCalled
from deepcritical.domain.tool.registry import ToolCaller, ToolRegistry
from deepcritical.interfaces.render import describe
from deepcritical.jobs.runs import RunService
from deepcritical.orchestrators.chat import Chat
from deepcritical.reasoning.chatting import ChatReasoner
from deepcritical.services.chroma import ChromaIndex
from deepcritical.services.llamaindex_rag import LlamaIndexRAGService
from deepcritical.settings import Settings
from deepcritical.tools.snapshot import SnapshotSource
from deepcritical.toolset.research_tools import RunEvidence, registered_tools
from tests.conftest import opened, run_service

LEXICAL = partial(LlamaIndexRAGService, embeddings=None, index=ChromaIndex())


@asynccontextmanager
async def tools(
    source: Path, runs: RunService | None = None
) -> AsyncIterator[tuple[RunService, ToolRegistry]]:
    """The registered tools over a snapshot."""
    service = runs or run_service(source, max_iterations=1)
    evidence = RunEvidence(service, LEXICAL)
    search = partial(opened, SnapshotSource(source))
    try:
        yield service, registered_tools(service, search, evidence, describe)
    finally:
        await evidence.close()
        await service.close()


async def none_former(_tool: str, _question: str, _caller: ToolCaller) -> tuple[SimilarRun, ...]:
    return ()


@asynccontextmanager
async def chatting(
    source: Path, reasoner: ChatReasoner | None = None, **options: Any
) -> AsyncIterator[tuple[RunService, Chat]]:
    """A chat, and the runs that it may start."""
    given = {"similar": none_former, "caller": ToolCaller(), **options}
    async with tools(source) as (runs, registry):
        yield runs, Chat(registry, reasoner or ChatReasoner(), **given)


def chats_over(
    source: Path, runs: RunService, **settings: Any
) -> AbstractAsyncContextManager[ChatService]:
    """The chats of an application over a snapshot, as a server opens them."""
    made = Settings.model_validate({"snapshot": str(source), "embedding_model": "", **settings})
    return open_chats(made, runs, place_of(made), describe)


async def turn(chat: Chat, message: str) -> list[ChatEvent]:
    """The events of one turn, of which the last one alone ends it."""
    return checked([event async for event in chat.say(message)])


def checked(events: list[ChatEvent]) -> list[ChatEvent]:
    assert [isinstance(event, ENDS_TURN) for event in events] == [False] * (len(events) - 1) + [
        True
    ]
    for event in events:
        if isinstance(event, ChatAnswer):
            assert_cited(event)
    return events


def called(events: list[ChatEvent]) -> list[str]:
    """The tools that were run in a turn."""
    return [event.tool for event in events if isinstance(event, ToolCalled)]


def assert_cited(answer: ChatAnswer) -> None:
    """Every sentence names a reference, and the place of its words in it."""
    for sentence in answer.sentences:
        reference = answer.references[sentence.number - 1]
        assert reference.text[sentence.start : sentence.end] == sentence.quote
        assert sentence.text == sentence.quote
        if reference.text_kind == "summary":
            assert sentence.wording != "quote"
