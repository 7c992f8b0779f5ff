"""Builds the chat from the settings: its tools, its reasoner, and the search for similar runs."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

from deepcritical.bootstrap.application import limits_of, retrieval_parts
from deepcritical.bootstrap.parts import build_model_server, open_sources_of, users_server
from deepcritical.domain.run.budget import RunLimits
from deepcritical.domain.run.events import Event
from deepcritical.domain.run.plan import Place
from deepcritical.domain.tool.registry import ToolCaller, ToolRegistry
from deepcritical.jobs.runs import RunService
from deepcritical.orchestrators.chat import TURN_LIMITS, Chat
from deepcritical.reasoning.chatting import ChatReasoner
from deepcritical.services.llamaindex_rag import LlamaIndexRAGService
from deepcritical.settings import Settings
from deepcritical.toolset.research_tools import RunEvidence, registered_tools
from deepcritical.toolset.similar_runs import SimilarRuns


@dataclass(frozen=True)
class ChatService:
    """Makes chats over the tools of one application."""

    registry: ToolRegistry
    reasoner_of: Callable[[str], ChatReasoner]
    """The reasoner of a model as ``provider:name``; '' for that of the settings."""
    similar: SimilarRuns
    limits: RunLimits

    def chat(self, run_id: str = "", caller: ToolCaller | None = None) -> Chat:
        """A new conversation, over a finished run or over none. Blocks: it may load libraries."""
        caller = caller or ToolCaller()
        return Chat(
            self.registry,
            self.reasoner_of(caller.model),
            self.similar.beside_offer,
            run_id=run_id,
            caller=caller,
            limits=self.limits,
        )


@asynccontextmanager
async def open_chats(
    settings: Settings, runs: RunService, place: Place, describe: Callable[[Event], str]
) -> AsyncIterator[ChatService]:
    """Chats over these runs, until the context ends."""
    embeddings, index = retrieval_parts(settings)
    evidence = RunEvidence(runs, lambda run_id: LlamaIndexRAGService(run_id, embeddings, index))
    # Looking for a snapshot reads the disk.
    sources = await asyncio.to_thread(open_sources_of, settings, place)
    similar = await asyncio.to_thread(build_similar, settings, runs, place)
    try:
        yield ChatService(
            registered_tools(runs, sources, evidence, describe),
            partial(_reasoner, settings),
            similar,
            TURN_LIMITS.model_copy(update={"deadline_s": settings.chat_deadline_s}),
        )
    finally:
        try:
            await evidence.close()
        finally:
            await asyncio.to_thread(index.close)


def build_similar(settings: Settings, runs: RunService, place: Place) -> SimilarRuns:
    """Return the search for former runs of nearly the same question."""
    local = place.snapshot is not None
    return SimilarRuns(
        runs,
        retrieval_parts(settings)[0],
        open_sources_of(settings, place),
        ttl_days=settings.similar_ttl_days,
        rounds=limits_of(settings, "deep", local=local).max_iterations,
    )


def _reasoner(settings: Settings, model: str) -> ChatReasoner:
    own = model in ("", settings.model)
    if own and settings.model is None:
        return ChatReasoner()
    server = (
        build_model_server(settings, settings.model or "") if own else users_server(settings, model)
    )
    # Late, as its libraries are: without a model nobody waits for them.
    from deepcritical.reasoning.llm_chat import ModelChat

    return ModelChat(server)
