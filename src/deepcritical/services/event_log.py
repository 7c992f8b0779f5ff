"""The append-only log of one run. Whatever shows a run tails it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

from deepcritical.domain.errors import StorageError
from deepcritical.domain.events import TERMINAL, Event, LoggedEvent, Stage

__all__ = ["EventLog"]


class EventLog:
    """Events in order, kept in memory and, given a path, in a JSONL file.

    Args:
        run_id: The run that the events belong to.
        path: File to append to, or None.
    """

    def __init__(self, run_id: str, path: Path | None = None) -> None:
        self.run_id = run_id
        self._path = path
        self._events: list[LoggedEvent] = []
        # Guards the order of the file's lines: a writer to disk may be overtaken while it waits.
        self._writing = asyncio.Lock()
        self._grown = asyncio.Condition()

    @property
    def events(self) -> tuple[LoggedEvent, ...]:
        """All events so far."""
        return tuple(self._events)

    @property
    def ended(self) -> bool:
        """Whether the terminal event is in."""
        return bool(self._events) and isinstance(self._events[-1].event, TERMINAL)

    async def append(self, event: Event, stage: Stage, progress: float) -> LoggedEvent:
        """Add an event. Progress never goes back: a lower figure is raised to the last one.

        Raises:
            StorageError: The run has ended already, or the file cannot be written; whoever tails
                the log sees the event even then.
        """
        # Shielded, so that a writer that is cancelled leaves no line that the log does not know.
        return await asyncio.shield(self._append(event, stage, progress))

    async def _append(self, event: Event, stage: Stage, progress: float) -> LoggedEvent:
        async with self._writing:
            if self.ended:
                raise StorageError(
                    f"The log of run {self.run_id} has ended; "
                    "nothing can follow its terminal event."
                )
            last = self._events[-1].progress if self._events else 0.0
            logged = LoggedEvent(
                run_id=self.run_id,
                seq=len(self._events) + 1,
                at=datetime.now(UTC),
                stage=stage,
                progress=max(last, progress),
                event=event,
            )
            self._events.append(logged)
            async with self._grown:
                self._grown.notify_all()
            if self._path:
                await asyncio.to_thread(_append_line, self._path, logged.model_dump_json())
        return logged

    async def tail(self, after: int = 0) -> AsyncIterator[LoggedEvent]:
        """Events with a sequence number above `after`, as they come, up to the terminal one."""
        seen = after
        while True:
            async with self._grown:
                while len(self._events) <= seen and not self.ended:
                    await self._grown.wait()
            for logged in self._events[seen:]:
                seen = logged.seq
                yield logged
            if self.ended and seen >= len(self._events):
                return


def _append_line(path: Path, line: str) -> None:
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
    except OSError as error:
        raise StorageError(
            f"The run's log {path} cannot be written: {error.strerror}.",
            "Choose another folder with --out.",
        ) from error
