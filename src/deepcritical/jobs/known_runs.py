"""The runs that are known by their ids: those of this process, and those that the database has."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from pathlib import Path

from deepcritical.domain.errors import (
    CapacityError,
    DocumentError,
    QuestionError,
    StorageError,
    TraceNotFoundError,
)
from deepcritical.domain.markdown import one_line
from deepcritical.domain.own_documents import MAX_DOCUMENTS, OwnDocument, PastedText
from deepcritical.domain.traces import LOCAL_USER, TraceSummary
from deepcritical.jobs import requests
from deepcritical.jobs.durable_runs import DurableRuns
from deepcritical.jobs.run import Once, Run, RunView, open_stored
from deepcritical.services.tool_trace_service import ToolTraceService
from deepcritical.services.uploads import UPLOAD_ID, Uploads
from deepcritical.tools.documents import document_of, documents_in
from deepcritical.verification.ids import id_named

__all__ = ["MAX_ACTIVE", "MAX_KEPT", "KnownRuns", "unknown"]

MAX_ACTIVE = 20
"""Runs of a service that may be under way at once."""
MAX_KEPT = 200
"""Runs without a database that a service remembers; the oldest that have ended go first."""


class KnownRuns:
    """Finds runs, and does to them what their users want.

    Args:
        traces: Keeps the runs; None keeps them in memory only.
        durable: Has them outlive this process; None has them end with it.
    """

    def __init__(self, traces: ToolTraceService | None, durable: DurableRuns | None) -> None:
        self._traces = traces
        self._durable = durable
        self._runs: dict[str, Run] = {}
        self.uploads = Uploads(traces.database) if traces else None
        """Documents that users uploaded; None without a database, where none can be."""

    @property
    def keeps_runs(self) -> bool:
        """Whether runs are kept, so that a user can list his own."""
        return self._traces is not None

    async def documents_of(
        self, given: Sequence[str | PastedText], user_id: str, *, reads_files: bool = False
    ) -> tuple[OwnDocument, ...]:
        """Return the documents that a user names for a run, in order.

        One named by the id of a record is looked up by the run.

        Args:
            given: Ids of records and of uploads, and texts.
            user_id: Whose uploads may be named.
            reads_files: Whether absolute paths may be named, too.

        Raises:
            DocumentError: One cannot be read, or is not there, or there are too many.
            StorageError: The database cannot be used.
        """
        ids = [one for one in given if isinstance(one, str) and UPLOAD_ID.fullmatch(one)]
        uploaded = await self.uploads.find(ids, user_id) if self.uploads else {}
        found: list[OwnDocument] = []
        for one in given:
            if isinstance(one, PastedText):
                found.append(await asyncio.to_thread(_pasted, one))
            elif one in uploaded:
                found.append(uploaded[one])
            elif reads_files and Path(one).is_absolute():
                found += await asyncio.to_thread(documents_in, Path(one))
            else:
                found.append(_looked_up(one))
        if len(found) > MAX_DOCUMENTS:
            raise DocumentError(f"A run reads at most {MAX_DOCUMENTS} documents.", "Choose some.")
        return tuple(found)

    async def queue_position(self, run_id: str) -> int | None:
        """The place of a run among those that wait, from 1 on; None for one that does not wait.

        Raises:
            StorageError: The database cannot be read.
        """
        return await self._durable.board.queue_position(run_id) if self._durable else None

    def conducts(self, run_id: str) -> bool:
        """Whether a run that another process began is by now in the hands of this one."""
        return self._durable is not None and self._durable.conducts(run_id)

    async def anybody_conducts(self) -> bool:
        """Whether a process is there that takes runs that wait; errors as of `queue_position`."""
        return self._durable is None or await self._durable.anybody_conducts()

    async def tend(self) -> None:
        """Conduct what other processes left, from now on."""

    async def resume(self, run_id: str) -> bool:
        """Go on with a run that failed, was cancelled, or has no process any more.

        Returns:
            Whether it is under way in another process, which is left to go on with it.

        Raises:
            TraceNotFoundError: There is no such run, or nothing is recorded of its steps.
            StorageError: It is completed, or the database cannot be used.
        """
        if self._durable is None:
            raise unknown(run_id)
        await self.tend()
        elsewhere = await self._durable.resume(run_id)
        if (run := self._runs.get(run_id)) and run.ended:
            del self._runs[run_id]  # its end was told here before the database knew of it
        return elsewhere

    async def _taken_in(self) -> None:
        """Until the database knows the runs that were submitted here."""

    async def find(self, run_id: str) -> RunView | None:
        """The run of that id: one of this process, or one that the database has.

        Raises:
            StorageError: The database cannot be read.
        """
        if run_id in self._runs or self._traces is None:
            return self._runs.get(run_id)
        return await open_stored(self._traces, run_id)

    async def began(self, once: Once) -> bool:
        """Whether a start that may be repeated has begun its run, here or in another process.

        Raises:
            QuestionError: It began a run of something else.
            StorageError: The database cannot be read.
        """
        if run := self._runs.get(once.run_id):
            request = run.once.request if run.once else ""
        elif self._traces:
            try:
                trace = await self._traces.get_trace(once.run_id)
            except TraceNotFoundError:
                return False
            request = str(trace.input_params.get("request", ""))
        else:
            return False
        if request != once.request:
            raise QuestionError(
                "This Idempotency-Key was sent with another request.", "Make a new one."
            )
        return True

    async def find_own(self, beginning: str, user_id: str = LOCAL_USER) -> RunView:
        """The run of a user in the database, by its id or the first four or more characters of it.

        Raises:
            TraceNotFoundError: There is none, or more than one.
            StorageError: The database cannot be read.
        """
        if self._traces is None:
            raise unknown(beginning)
        run_id = (await self._traces.find_trace(beginning, user_id=user_id)).id
        run = await self.find(run_id)
        if run is None:
            raise unknown(run_id)  # deleted meanwhile
        return run

    async def cancel(self, run_id: str) -> None:
        """Stop a run; one that has ended stays as it is.

        Raises:
            TraceNotFoundError: There is no such run.
            StorageError: The database cannot be read or written.
        """
        if run := self._runs.get(run_id):
            run.cancel()
        elif self._traces and self._durable:
            await requests.cancel(self._traces, self._durable.board, run_id)
        else:
            raise unknown(run_id)

    async def write_now(self, run_id: str) -> None:
        """End the search of a run with the step in hand, and have it write from what there is.

        Raises:
            TraceNotFoundError: There is no such run under way.
            StorageError: The database cannot be read or written.
        """
        run = self._runs.get(run_id)
        if run:
            run.write_now()
        if self._traces and self._durable:
            # Noted down in any case: another process may have begun with it, or go on with it.
            with contextlib.suppress(StorageError) if run else contextlib.nullcontext():
                await requests.write_now(self._traces, self._durable.board, run_id)
        elif run is None:
            raise unknown(run_id)

    async def delete(self, run_id: str) -> None:
        """Delete a run that has ended.

        Raises:
            TraceNotFoundError: There is no such run.
            StorageError: It has not ended, or the database cannot be written.
        """
        run = self._runs.get(run_id)
        if run and not run.ended:
            raise StorageError(f"The run {run_id} has not ended.", "Cancel it first.")
        if self._traces:
            user_id = (await self._traces.get_trace(run_id)).user_id
            if self._durable:
                await requests.delete(self._traces, self._durable.board, run_id, user_id=user_id)
            else:
                await self._traces.delete(run_id, user_id=user_id)
        self._runs.pop(run_id, None)

    async def runs_of(
        self,
        user_id: str = LOCAL_USER,
        *,
        tool_name: str | None = None,
        most: int = 50,
        before: str | None = None,
        words: Sequence[str] = (),
    ) -> tuple[TraceSummary, ...]:
        """The runs that a user started, the newest first; none without a database.

        Args:
            user_id: The user.
            tool_name: Only runs of this tool.
            most: How many.
            before: Id of a run; only older ones.
            words: Only those whose question has each of them, in any case.

        Raises:
            StorageError: The database cannot be read.
        """
        if self._traces is None:
            return ()
        await self._taken_in()
        return await self._traces.list_traces(
            user_id, tool_name, most=most, before=before, words=words
        )

    def _make_room(self, user_id: str) -> None:
        ended = [run_id for run_id, run in self._runs.items() if run.ended]
        most = self._durable.board.most_of_user if self._durable else MAX_ACTIVE
        counted = (run for run in self._runs.values() if not run.ended)
        if sum(self._durable is None or run.user_id == user_id for run in counted) >= most:
            raise CapacityError(
                f"{most} runs are under way, and that is the limit.", "Try again in a minute."
            )
        for run_id in ended[: max(0, len(self._runs) - MAX_KEPT + 1)]:
            del self._runs[run_id]


def unknown(run_id: str) -> TraceNotFoundError:
    """What is said of an id that no run has."""
    return TraceNotFoundError(f"There is no run {run_id} here.", "Look up its id.")


def _pasted(given: PastedText) -> OwnDocument:
    text = "\n".join(filter(None, (one_line(given.title), given.text)))
    record = document_of("pasted text.txt", text.encode("utf-8", "replace"))
    return OwnDocument(name="pasted text", record=record)


def _looked_up(given: str) -> OwnDocument:
    if named := id_named(given):
        return OwnDocument(name=named)
    raise DocumentError(
        f"“{one_line(given)[:80]}” is neither a PMID, PMCID, DOI or NCT number nor an upload.",
        "Correct it, or leave it out.",
    )
