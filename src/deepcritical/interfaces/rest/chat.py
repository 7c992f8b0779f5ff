"""The REST API of chats: opens one, and answers each message with the events of its turn."""

from __future__ import annotations

import asyncio
import json
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Annotated, Any, NamedTuple
from uuid import uuid4

from fastapi import APIRouter, Depends, HTTPException, Path, Request
from pydantic import Field, SecretStr, StringConstraints

from deepcritical.bootstrap import ChatService
from deepcritical.domain.base import Model
from deepcritical.domain.question.question import MAX_QUESTION_CHARS
from deepcritical.domain.tool.chat import ChatEvent
from deepcritical.domain.tool.registry import ToolCaller
from deepcritical.interfaces.caller import ModelKey, Rules, Runs, Who, part, readable
from deepcritical.interfaces.render import as_text
from deepcritical.interfaces.rest.event_stream import EventStream
from deepcritical.interfaces.rest.models import ModelChoice
from deepcritical.orchestrators.chat import Chat

chat_router = APIRouter()
_STREAM: dict[int | str, dict[str, Any]] = {200: {"content": {"text/event-stream": {}}}}


class Session(NamedTuple):
    """A chat, and whose it is."""

    chat: Chat
    user_id: str
    model: str
    """As ``provider:name``; '' for the server's."""
    used_at: float


class ChatSessions:
    """Open chats by id, in memory alone; the one unused longest goes first."""

    IDLE_S = 3600.0
    """Seconds without a message after which a chat is gone."""
    MOST_OF_USER = 8
    MOST = 1000

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._open: OrderedDict[str, Session] = OrderedDict()

    def add(self, chat: Chat, user_id: str, model: str = "") -> str:
        """The id of a chat that begins."""
        self._drop_idle()
        of_user = [i for i, session in self._open.items() if session.user_id == user_id]
        if len(of_user) >= self.MOST_OF_USER:
            del self._open[of_user[0]]
        if len(self._open) >= self.MOST:
            self._open.popitem(last=False)
        chat_id = str(uuid4())
        self._open[chat_id] = Session(chat, user_id, model, self._clock())
        return chat_id

    def used(self, chat_id: str, user_id: str) -> Session | None:
        """A user's chat, which is used now; None if he has none of this id, or has it no more."""
        self._drop_idle()
        session = self._open.get(chat_id)
        if session is None or session.user_id != user_id:
            return None
        self._open.move_to_end(chat_id)
        self._open[chat_id] = session._replace(used_at=self._clock())
        return session

    def close(self, chat_id: str) -> None:
        """Forget a chat."""
        self._open.pop(chat_id, None)

    def _drop_idle(self) -> None:
        since = self._clock() - self.IDLE_S
        while self._open and next(iter(self._open.values())).used_at < since:
            self._open.popitem(last=False)


class ChatRequest(Model):
    """The subject of a chat, and the model that answers in it."""

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
    """A message of the user."""

    message: str = Field(min_length=1, max_length=MAX_QUESTION_CHARS)


class OfferAccepted(Model):
    """Research that was offered is to be started."""

    offer_id: str = Field(min_length=1, max_length=64)


Sessions = Annotated[ChatSessions, part("sessions")]
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
    chats: Annotated[ChatService, part("chats")],
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
        owner_token=caller.owner_token,
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
