"""A chat over REST: one is opened, each message is answered by the events of its turn."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Path, Request
from pydantic import Field, SecretStr, StringConstraints

from deepcritical.bootstrap import ChatService
from deepcritical.domain.base import Model
from deepcritical.domain.chat import ChatEvent
from deepcritical.domain.question import MAX_QUESTION_CHARS
from deepcritical.domain.tool_registry import ToolCaller
from deepcritical.interfaces.api_caller import ModelKey, Rules, Runs, Who, readable
from deepcritical.interfaces.api_models import ModelChoice
from deepcritical.interfaces.chat_render import as_text
from deepcritical.interfaces.chat_sessions import ChatSessions, Session
from deepcritical.interfaces.event_stream import EventStream

__all__ = ["chat_router"]

chat_router = APIRouter()
_STREAM: dict[int | str, dict[str, Any]] = {200: {"content": {"text/event-stream": {}}}}


class ChatRequest(Model):
    """What a chat is to be about, and what answers in it."""

    run_id: Annotated[str, StringConstraints(max_length=64)] = ""
    """A finished run whose evidence is asked; empty for quick questions."""
    model: ModelChoice = ""
    """As provider:name, with the header X-Model-Key of each message; empty for the server's."""


class OpenedChat(Model):
    """A chat that can be spoken to until an hour after its last message."""

    id: str
    links: dict[str, str]
    owner_token: str = ""
    """For an anonymous user who sent none: send it as Bearer token with each message."""


class ChatMessage(Model):
    """What the user says."""

    message: str = Field(min_length=1, max_length=MAX_QUESTION_CHARS)


class OfferAccepted(Model):
    """Research that was offered is to be started."""

    offer_id: str = Field(min_length=1, max_length=64)


async def _chats_of_app(request: Request) -> ChatService:
    chats: ChatService | None = request.app.state.chats
    if chats is None:
        raise HTTPException(404, "There is no chat on this server.")
    return chats


async def _sessions_of_app(request: Request) -> ChatSessions:
    sessions: ChatSessions = request.app.state.sessions
    return sessions


Sessions = Annotated[ChatSessions, Depends(_sessions_of_app)]
ChatId = Annotated[str, Path(max_length=64, description="The id of a chat.")]


async def _own(chat_id: ChatId, caller: Who, sessions: Sessions) -> Session:
    session = sessions.used(chat_id, caller.user_id)
    if session is None:
        raise HTTPException(404, "You have no such chat, or have it no more. Open a new one.")
    return session


Own = Annotated[Session, Depends(_own)]


@chat_router.post("/chats", status_code=201)
async def open_chat(
    asked: ChatRequest,
    caller: Who,
    request: Request,
    rules: Rules,
    chats: Annotated[ChatService, Depends(_chats_of_app)],
    sessions: Sessions,
) -> OpenedChat:
    """Open a chat over a finished run, or one for quick questions."""
    rules.admit_heavy(request)
    if asked.run_id and rules.keeps_private:
        await readable(request, asked.run_id)
    model = asked.model.strip()
    who = ToolCaller(caller.user_id, model=model)
    chat = await asyncio.to_thread(chats.chat, asked.run_id, who)
    chat_id = sessions.add(chat, caller.user_id, model)
    at = f"/api/chats/{chat_id}"
    return OpenedChat(
        id=chat_id,
        links={"self": at, "messages": f"{at}/messages", "accept": f"{at}/accept"},
        owner_token=caller.new_token.get_secret_value() if caller.new_token else "",
    )


@chat_router.post("/chats/{chat_id}/messages", responses=_STREAM)
async def say(
    said: ChatMessage, session: Own, caller: Who, rules: Rules, runs: Runs, key: ModelKey
) -> EventStream:
    """One turn: server-sent events up to its answer, or to an offer of research."""
    rules.admit_turn(caller)
    if session.chat.accepts(said.message):
        rules.admit_run(caller)
    who = await _speaker(session, runs, key)
    return EventStream(_blocks(session.chat.say(said.message, who)))


@chat_router.post("/chats/{chat_id}/accept", responses=_STREAM)
async def accept_offer(
    accepted: OfferAccepted, session: Own, caller: Who, rules: Rules, runs: Runs, key: ModelKey
) -> EventStream:
    """Start the research that was offered last: server-sent events up to its end.

    Who stops listening stops nothing: the first event of the tool names the run.
    """
    rules.admit_turn(caller)
    if accepted.offer_id == session.chat.offer_id:
        rules.admit_run(caller)
    who = await _speaker(session, runs, key)
    return EventStream(_blocks(session.chat.accept(accepted.offer_id, who)))


@chat_router.delete("/chats/{chat_id}", status_code=204)
async def close_chat(chat_id: ChatId, _session: Own, sessions: Sessions) -> None:
    """Forget a chat."""
    sessions.close(chat_id)


async def _speaker(session: Session, runs: Runs, key: SecretStr | None) -> ToolCaller:
    """The user with his key, which must go with the model as it must for a run."""
    await asyncio.to_thread(runs.reasoner_of, session.model, key)
    return ToolCaller(session.user_id, key, session.model)


async def _blocks(events: AsyncGenerator[ChatEvent, None]) -> AsyncGenerator[str, None]:
    async with aclosing(events) as coming:
        async for event in coming:
            told = {"event": event.model_dump(mode="json"), "text": as_text(event)}
            yield f"data: {json.dumps(told, ensure_ascii=False)}\n\n"
