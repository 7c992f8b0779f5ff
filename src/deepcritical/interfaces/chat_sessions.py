"""The chats that are open on a server, each of one user, for as long as they are used."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple
from uuid import uuid4

from deepcritical.orchestrators.chat import Chat

__all__ = ["ChatSessions", "Session"]


class Session(NamedTuple):
    """A chat, and whose it is."""

    chat: Chat
    user_id: str
    model: str
    """As ``provider:name``; '' for the server's."""
    used_at: float


class ChatSessions:
    """Open chats by id, in memory alone: of a user, and of all, the one unused longest goes first.

    Args:
        clock: Monotonic seconds.
    """

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
