"""The runs that a service started, and those that the database has: begun, found, ended."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from deepcritical.domain import errors
from deepcritical.domain.run.events import RunFailed, Stage
from deepcritical.domain.run.recipe import Once, Recipe
from deepcritical.domain.tool.traces import LOCAL_USER, TraceSummary
from deepcritical.jobs import requests
from deepcritical.jobs.conduct import DEFECT, Tool, conduct, failed
from deepcritical.jobs.durable_runs import CLOSE_S, DurableRuns
from deepcritical.jobs.engine import EngineBusyError
from deepcritical.jobs.hosting import Parts
from deepcritical.jobs.recorder import Host
from deepcritical.jobs.run import Run, RunOf, RunView, open_stored
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from deepcritical.services.storage.uploads import Uploads

_LOG = logging.getLogger(__name__)

AGAIN_S = 2.0
"""Time after which a database that is away is asked again."""
DECIDED_S = 10.0
"""Longest time that a repeatable start waits until the database says which request was first."""
MAX_ACTIVE = 20
"""Runs of a service that may be under way at once."""
MAX_KEPT = 200
"""Runs without a database that a service remembers; the oldest that have ended go first."""


@dataclass(kw_only=True, eq=False)
class KnownRuns(ABC):
    """Conducts runs, or has the engine conduct them, and does what users ask of them.

    Every coroutine raises StorageError when the database cannot be used.
    """

    durable: DurableRuns | None = None
    """Keeps the runs, so that they outlive this process; None has them end with it."""
    _runs: dict[str, Run] = field(default_factory=dict, init=False)
    _handing_out: dict[str, asyncio.Task[None]] = field(default_factory=dict, init=False)
    _alone: dict[str, asyncio.Task[None]] = field(default_factory=dict, init=False)
    """Runs that no engine conducts."""

    @property
    @abstractmethod
    def tools(self) -> dict[str, Tool]:
        """Return how the runs of each tool are conducted."""

    @abstractmethod
    def parts_of(self, recipe: Recipe) -> Parts:
        """Return what a run of another process needs here; raise DeepCriticalError without it."""

    @property
    def traces(self) -> ToolTraceService | None:
        """Return what keeps the runs; None where they are in memory only."""
        return self.durable.traces if self.durable else None

    @property
    def keeps_runs(self) -> bool:
        """Return whether runs are kept, so that a user can list them."""
        return self.durable is not None

    @cached_property
    def uploads(self) -> Uploads | None:
        """Documents that users uploaded; None without a database, where none can be."""
        return Uploads(self.traces.database) if self.traces else None

    async def start_engine(self) -> None:
        """Start the engine, which takes runs that wait; nothing without a database."""
        if self.durable:
            await self.durable.start(self.parts_of, self.tools)

    async def start_engine_when_ready(self) -> None:
        """Start the engine as soon as there is a database; one that is away ends no server.

        Nothing is begun in a process whose engine another service has.
        """
        while True:
            try:
                return await self.start_engine()
            except EngineBusyError as error:
                _LOG.warning("runs that wait are not conducted here: %s", error)
                return None
            except errors.StorageError as error:
                _LOG.warning("runs that wait are not conducted yet: %s", error)
                await asyncio.sleep(AGAIN_S)

    async def _hand_out(self, durable: DurableRuns, run: RunOf[Any]) -> None:
        """Give a new run to the engine, or conduct it here if the engine cannot take it."""
        try:
            await self.start_engine()
            await durable.submit(run)
        except errors.CapacityError as error:
            await _tell_failed(run, failed(error), error)
        except (EngineBusyError, errors.StorageError) as error:
            # As text: a record that keeps the error keeps its frames, and the key in them.
            _LOG.warning("the run %s ends with this process: %s", run.run_id, str(error))
            if run.ended or (run.cancelled and not run.taken_in):
                return  # those who wait are told, or just about to be
            self._conduct_alone(run)
            if run.cancelled:
                self._stop(run.run_id)
        except Exception as error:
            await _tell_failed(run, DEFECT, error)
            raise

    def _conduct_alone(self, run: RunOf[Any]) -> None:
        task = asyncio.create_task(_alone(run, self.tools[run.tool_name]))
        self._alone[run.run_id] = task
        task.add_done_callback(lambda _task: self._alone.pop(run.run_id, None))

    def _stop(self, run_id: str) -> None:
        if task := self._alone.get(run_id):
            # Not before the task's first step: cancelled earlier, it would never write its end.
            task.get_loop().call_soon(task.cancel)
        elif self.durable:
            self.durable.stop(run_id)

    async def _handed_out(self) -> None:
        """Wait until the database knows the runs started here, if it can be used."""
        if self._handing_out:
            await asyncio.wait(self._handing_out.values(), timeout=CLOSE_S)

    def cancel_all(self) -> None:
        """Stop every run of this process; a durable one continues in the next process."""
        for run_id in list(self._alone):
            self._stop(run_id)
        if self.durable:
            self.durable.let_go()

    async def close(self) -> None:
        """Stop every run, and close the database when all is written or handed over."""
        await self._handed_out()
        self.cancel_all()
        if self._alone:
            await asyncio.wait(self._alone.values(), timeout=CLOSE_S)
        if self.durable:
            await self.durable.close()
            await self.durable.traces.close()

    async def queue_position(self, run_id: str) -> int | None:
        """Return the place of a run in the queue, from 1; None for a run that does not wait."""
        return await self.durable.board.queue_position(run_id) if self.durable else None

    def conducts(self, run_id: str) -> bool:
        """Return whether this process conducts a run that another one began."""
        return self.durable is not None and run_id in self.durable.hosted

    async def anybody_conducts(self) -> bool:
        """Return whether a living process takes runs from the queue."""
        durable = self.durable
        return durable is None or await durable.board.anybody_conducts(durable.ttl_s)

    async def resume(self, run_id: str) -> bool:
        """Resume a run that failed, was cancelled, or whose process died.

        Returns:
            Whether it is under way in another process, which is left to continue it.

        Raises:
            TraceNotFoundError: There is no such run, or nothing is recorded of its steps.
            StorageError: It is completed.
        """
        if self.durable is None:
            raise _unknown(run_id)
        await self.start_engine()
        elsewhere = await self.durable.resume(run_id)
        if (run := self._runs.get(run_id)) and run.ended:
            del self._runs[run_id]  # its end was told here before the database knew of it
        return elsewhere

    async def find(self, run_id: str) -> RunView | None:
        """Return the run of that id, of this process or in the database."""
        if run_id in self._runs or self.traces is None:
            return self._runs.get(run_id)
        return await open_stored(self.traces, run_id)

    async def began(self, once: Once) -> bool:
        """Return whether a repeatable start has begun its run in any process.

        Of several requests with one key, the database decides which was first.

        Raises:
            QuestionError: The same key began another run.
            DatabaseBusyError: The database has not decided yet; the start may be repeated.
            StorageError: The database cannot be used.
        """
        try:
            async with asyncio.timeout(DECIDED_S):
                request = await self._first_request(once.run_id)
        except TimeoutError as error:
            raise errors.DatabaseBusyError(
                "The database did not answer in time whether this Idempotency-Key is new.",
                "Send the same request with the same key again.",
            ) from error
        if request is None:
            return False
        if request != once.request:
            raise errors.QuestionError(
                "This Idempotency-Key was sent with another request.", "Make a new one."
            )
        return True

    async def _first_request(self, run_id: str) -> str | None:
        """Return the request that began a run of a repeatable start; None if none did."""
        run = self._runs.get(run_id)
        if handing_out := self._handing_out.get(run_id):
            await asyncio.wait([handing_out])
        if run and run.writer and run_id in self._alone:
            with contextlib.suppress(errors.TraceEndedError):  # the trace names the other request
                await run.writer.make()
        if self.traces:
            with contextlib.suppress(errors.TraceNotFoundError):
                trace = await self.traces.get_trace(run_id)
                return str(trace.input_params.get("request", ""))
        return run.once.request if run and run.once else None

    async def find_own(self, beginning: str) -> RunView:
        """Return the local user's run of this id, or of at least its first four characters.

        Raises:
            TraceNotFoundError: There is none, or more than one.
        """
        if self.traces is None:
            raise _unknown(beginning)
        run_id = (await self.traces.find_trace(beginning, user_id=LOCAL_USER)).id
        run = await self.find(run_id)
        if run is None:
            raise _unknown(run_id)  # deleted meanwhile
        return run

    async def cancel(self, run_id: str) -> None:
        """Stop a run; one that has ended stays as it is.

        Raises:
            TraceNotFoundError: There is no such run.
        """
        if run := self._runs.get(run_id):
            run.cancel()
        elif self.durable:
            await requests.cancel(self.durable.traces, self.durable.board, run_id)
        else:
            raise _unknown(run_id)

    async def write_now(self, run_id: str) -> None:
        """End the search of a run after its current step, and have it write from what it found.

        Raises:
            TraceNotFoundError: There is no such run under way.
        """
        run = self._runs.get(run_id)
        if run:
            run.write_now()
        if self.durable:
            # Noted in any case: another process may have begun with it, or take it over.
            with contextlib.suppress(errors.StorageError) if run else contextlib.nullcontext():
                await requests.write_now(self.durable.traces, self.durable.board, run_id)
        elif run is None:
            raise _unknown(run_id)

    async def delete(self, run_id: str) -> None:
        """Delete a run that has ended.

        Raises:
            TraceNotFoundError: There is no such run.
            StorageError: It has not ended.
        """
        run = self._runs.get(run_id)
        if run and not run.ended:
            raise errors.StorageError(f"The run {run_id} has not ended.", "Cancel it first.")
        if self.durable:
            traces = self.durable.traces
            user_id = (await traces.get_trace(run_id)).user_id
            await requests.delete(traces, self.durable.board, run_id, user_id=user_id)
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
        """Return a user's runs, the newest first; none without a database.

        `before` is the id of a run; of `words` the question has each, in any case.
        """
        if self.traces is None:
            return ()
        await self._handed_out()
        return await self.traces.list_traces(
            user_id, tool_name, most=most, before=before, words=words
        )

    def _make_room(self, user_id: str) -> None:
        ended = [run_id for run_id, run in self._runs.items() if run.ended]
        most = self.durable.board.most_of_user if self.durable else MAX_ACTIVE
        counted = (run for run in self._runs.values() if not run.ended)
        if sum(self.durable is None or run.user_id == user_id for run in counted) >= most:
            raise errors.CapacityError(
                f"{most} runs are under way, and that is the limit.", "Try again in a minute."
            )
        for run_id in ended[: max(0, len(self._runs) - MAX_KEPT + 1)]:
            del self._runs[run_id]


async def _tell_failed(run: RunOf[Any], event: RunFailed, error: Exception) -> None:
    """End a run for its waiting user, who may have cancelled it already."""
    if not run.ended:
        await run.session.emit(event, Stage.DONE)
        run.resolve(error)


async def _alone(run: RunOf[Any], tool: Tool) -> None:
    try:
        await conduct(run, tool, Host(telemetry=tool.telemetry))
    except asyncio.CancelledError:
        run.resolve(None)
    except Exception as error:  # noqa: BLE001 - it is raised for those who wait
        run.resolve(error)


def _unknown(run_id: str) -> errors.TraceNotFoundError:
    return errors.TraceNotFoundError(f"There is no run {run_id} here.", "Look up its id.")
