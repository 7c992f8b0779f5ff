"""One question submitted here: what can be seen of it and done to it."""

from __future__ import annotations

import asyncio
import hashlib
import json
import uuid
from collections.abc import AsyncIterator, Callable
from datetime import datetime
from typing import Generic, NamedTuple, TypeVar

from deepcritical.domain.answer import DeepAnswer
from deepcritical.domain.base import Model
from deepcritical.domain.documents import Document
from deepcritical.domain.errors import ResearchCancelled
from deepcritical.domain.events import LoggedEvent, RunCompleted
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.run_files import RUN_READINGS, RUN_RECORDS
from deepcritical.domain.traces import LOCAL_USER
from deepcritical.research.session import ResearchSession

__all__ = ["Once", "Run", "RunOf"]

Ended_co = TypeVar("Ended_co", bound=Document, covariant=True)


class Once(NamedTuple):
    """A start that a client may repeat because it did not hear the answer."""

    run_id: str
    """The same for the same key of the same user, in whichever process."""
    request: str
    """A hash of all that is asked for."""

    @classmethod
    def of(cls, user_id: str, key: str, asked: Model) -> Once:
        """The start of a user by a key of his choice."""
        told = json.dumps(["start", user_id, key]).encode()
        run_id = uuid.UUID(bytes=hashlib.sha256(told).digest()[:16], version=4)
        return cls(str(run_id), hashlib.sha256(asked.model_dump_json().encode()).hexdigest())


class RunOf(Generic[Ended_co]):
    """One submitted question, which ends with a report or with an answer."""

    def __init__(
        self,
        session: ResearchSession,
        ending: asyncio.Future[Ended_co],
        stop: Callable[[], object],
        user_id: str = LOCAL_USER,
        tool_name: str = "",
        once: Once | None = None,
    ) -> None:
        self._session = session
        self._ending = ending
        self._stop = stop
        self.user_id = user_id
        """Who asked."""
        self.tool_name = tool_name
        """What was asked for."""
        self.once = once
        """How its start may be repeated."""

    @property
    def run_id(self) -> str:
        """Id of the run."""
        return self._session.log.run_id

    @property
    def question(self) -> str:
        """The question as asked."""
        return self._session.text

    @property
    def ended(self) -> bool:
        """Whether the terminal event is in the log."""
        return self._session.log.ended

    @property
    def ending(self) -> asyncio.Future[Ended_co]:
        """What it ends with; cancelled for one that was stopped."""
        return self._ending

    @property
    def ended_at(self) -> datetime:
        """When the run ended (UTC); before its end, when the last event came."""
        return self._session.log.events[-1].at

    @property
    def report(self) -> ResearchReport | None:
        """The report; None before the run's end, and for a run that failed or was cancelled."""
        return self._session.store.report if self._completed else None

    @property
    def answer(self) -> DeepAnswer | None:
        """The answer to a free question; None as for the report."""
        return self._session.store.answer if self._completed else None

    @property
    def _completed(self) -> bool:
        events = self._session.log.events
        return bool(events) and isinstance(events[-1].event, RunCompleted)

    def evidence(self) -> bytes:
        """The records that the run has found so far, as a snapshot file."""
        return self._session.store.to_snapshot(self.run_id, self._session.searched_on)

    def files(self) -> dict[str, bytes]:
        """What a folder holds of the run beside its report: its records, and what they say."""
        readings = self._session.store.readings.values()
        lines = (reading.model_dump_json(exclude_defaults=True) for reading in readings)
        told = "".join(f"{line}\n" for line in lines).encode()
        return {RUN_RECORDS: self.evidence(), **({RUN_READINGS: told} if told else {})}

    async def events(self, after: int = 0) -> tuple[LoggedEvent, ...]:
        """The run's events so far with a number above `after`."""
        return tuple(logged for logged in self._session.log.events if logged.seq > after)

    def tail(self, after: int = 0) -> AsyncIterator[LoggedEvent]:
        """The run's events as they come, up to the terminal one."""
        return self._session.log.tail(after)

    def cancel(self) -> None:
        """Stop the run; its log ends with `run_cancelled`."""
        # Not before the run's first step: a task cancelled earlier would never write its end.
        # By the loop, so that a signal handler may call this, too.
        self._ending.get_loop().call_soon_threadsafe(self._stop)

    def write_now(self) -> None:
        """End the search with the step in hand, and write from what there is by then."""
        self._session.stop_asked = True

    async def result(self) -> Ended_co:
        """The report, or the answer.

        Raises:
            DeepCriticalError: The run failed.
            ResearchCancelled: The run was cancelled.
        """
        await asyncio.wait([self._ending])
        if self._ending.cancelled():
            raise ResearchCancelled
        return self._ending.result()


Run = RunOf[Document]
"""A run, whatever it ends with."""
