"""The durable engine: DBOS Transact in the database of the runs (docs/decisions/0015).

The library has one instance a process, and runs what it takes up on the loop that launched it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from dbos import DBOS, DBOSClient, SetEnqueueOptions, SetWorkflowID, WorkflowStatus
from dbos import error as dbos_errors

from deepcritical.domain import errors
from deepcritical.domain.run.recipe import EngineRow
from deepcritical.jobs.dbos_setup import (
    APP,
    LEFT,
    SHARED,
    THREADS,
    VERSION,
    JsonSerializer,
    Shares,
    config_of,
    prepare_file,
    quiet,
    refusals_told,
    register_queues,
)
from deepcritical.jobs.engine import Conduct, Effect, EngineBusyError, Journal, LostRun, OutOfOrder
from deepcritical.services.storage.database import check_server
from deepcritical.services.storage.database_problems import kind_of, said_by
from deepcritical.services.storage.job_board import WorkerName

_LOG = logging.getLogger(__name__)
T = TypeVar("T")

AWAY_S = 2.0
"""Seconds without an answer after which a server counts as away when this process ends."""
_ACTIVE = ("PENDING", "ENQUEUED", "DELAYED")
_LEAN: dict[str, Any] = {"load_input": False, "load_output": False}
_FULL = (errors.DatabaseFullError, errors.DatabaseReadOnlyError)
_OF_DATABASE = "sqlalche.me"
"""In the text of the database library's errors. Of a step whose outcome was refused in a former
process, the engine has the refusal on record, as a RuntimeError with this text."""
_LOST = (dbos_errors.DBOSWorkflowConflictIDError, dbos_errors.DBOSWorkflowCancelledError)


class DbosJournal(Journal):
    """Records effects as steps of the calling task's run, and none once the disk is full."""

    _unrecorded = False

    async def record(self, name: str, effect: Effect) -> dict[str, Any]:
        """Return the outcome of an effect; see `Journal.record`.

        Raises:
            LostRun: Another worker continues the run.
            OutOfOrder: The journal has another effect in this place.
            StorageError: The outcome cannot be recorded, though there is room.
        """
        if self._unrecorded:
            return await effect()
        begun, outcome = False, None

        async def kept() -> dict[str, Any]:
            nonlocal begun, outcome
            begun = True
            outcome = await effect()
            return outcome

        try:
            async with refusals_told():
                return await DBOS.run_step_async({"name": name}, kept)
        except _LOST as error:
            self.lost = True
            raise LostRun from error
        except dbos_errors.DBOSUnexpectedStepError as error:
            raise OutOfOrder(str(error)) from error
        except (*_FULL, RuntimeError) as error:
            if isinstance(error, RuntimeError) and (begun or _OF_DATABASE not in str(error)):
                raise
            _LOG.warning("the run goes on without a record of its steps: %s", said_by(error))
        self._unrecorded = True
        return outcome or await effect()


class _Host:
    conduct: Conduct | None = None
    """Conducts the runs of this process while an engine is started."""


@DBOS.workflow(name="research_run", max_recovery_attempts=1000)  # take-overs are counted by us
async def _research_run(run_id: str) -> str:
    if _Host.conduct is None:
        raise asyncio.CancelledError  # the process is ending: the run waits for the next one
    try:
        await _Host.conduct(run_id, DbosJournal())
    except LostRun as lost:
        if lost.__cause__ is None:
            raise asyncio.CancelledError from lost
        raise lost.__cause__ from None  # so that the engine waits for the other worker's outcome
    return "ended"


class DbosEngine:
    """The runs of one process, and those that wait for any process.

    `url` is normalised; without `shares` it takes no run from the queue.
    """

    def __init__(self, url: str, name: WorkerName, shares: Shares | None) -> None:
        self.worker = name.name
        self._name = name
        self._url = url
        self._shares = shares
        self._started = False
        self._library: DBOS | None = None

    async def start(self, conduct: Conduct) -> None:
        """Begin to conduct runs on the running loop, those left under this worker's name included.

        Raises:
            EngineBusyError: Another service of this process does so.
            StorageError: The database cannot be used.
        """
        if _Host.conduct is not None:
            raise EngineBusyError("another service of this process conducts the runs")
        _Host.conduct = conduct
        try:
            self._library = library = await _in_thread(self._make)
            # What is taken up from the queue runs on the loop that the library knows of. It takes
            # the one that it is launched on, which a launch would block.
            library._background_event_loop.set_main_loop()
            await _in_thread(self._launch)
        except Exception as error:
            _Host.conduct = None
            await _in_thread(DBOS.destroy)
            _own_threads()
            raise kind_of(error)(
                f"The steps of runs cannot be recorded: {said_by(error)}.",
                "See to the database and its disk, or name another one in DATABASE_URL.",
            ) from error
        self._started = True

    def _make(self) -> DBOS:
        quiet()
        prepare_file(self._url)
        return DBOS(config=config_of(self._url, self.worker))

    def _launch(self) -> None:
        if self._shares is None:
            DBOS.listen_queues([])
        DBOS.launch()
        if self._shares:
            register_queues(self._shares)

    @refusals_told()
    async def begin(self, run_id: str) -> None:
        """Conduct a new run in this process at once."""
        with SetWorkflowID(run_id):
            await DBOS.start_workflow_async(_research_run, run_id)

    @refusals_told()
    async def enqueue(self, run_id: str, user_id: str) -> None:
        """Queue a new run for the first free worker, in its user's turn."""
        with SetWorkflowID(run_id), SetEnqueueOptions(queue_partition_key=user_id):
            await DBOS.enqueue_workflow_async(SHARED, _research_run, run_id)

    @refusals_told()
    async def check(self, run_id: str) -> None:
        """Raise TraceNotFoundError or StorageError if a run cannot be resumed."""
        status = await DBOS.get_workflow_status_async(run_id)
        if status is None:
            raise errors.TraceNotFoundError(
                f"The run {run_id} cannot be resumed: nothing is recorded of its steps.",
                "Ask its question again.",
            )
        if status.app_version not in (None, VERSION):  # before its first step it has none
            raise errors.StorageError(
                f"The run {run_id} was begun by another version of DeepCritical.",
                "Ask its question again.",
            )

    @refusals_told()
    async def resume(self, run_id: str, user_id: str) -> None:
        """Queue a run that ended without a result again, without the failures it ended with."""
        status = await DBOS.get_workflow_status_async(run_id)
        if status is None or status.status in _ACTIVE:
            return
        steps = await DBOS.list_workflow_steps_async(run_id)
        await DBOS.rewind_workflow_async(
            run_id, start_step=_kept(steps) + 1, queue_name=SHARED, queue_partition_key=user_id
        )

    @refusals_told()
    async def under_way(self) -> dict[str, str]:
        """Return the runs that any worker has, each with its worker."""
        listed = await _listed(status="PENDING")
        return {found.workflow_id: str(found.executor_id) for found in listed}

    @refusals_told()
    async def take_over(self, runs: Mapping[str, str]) -> None:
        """Queue runs again, each unless another worker than the one named has it by now."""
        listed = await _listed(runs, status="PENDING")
        left = [found for found in listed if found.executor_id == runs[found.workflow_id]]
        for queue, run_ids in _by_queue(left):
            await DBOS.resume_workflows_async(run_ids, queue_name=queue)

    @refusals_told()
    async def open(self, run_ids: Collection[str]) -> dict[str, bool]:
        """Return whether runs wait or are under way anywhere; one without a journal is left out."""
        listed = await _listed(run_ids)
        return {found.workflow_id: found.status in _ACTIVE for found in listed}

    @refusals_told()
    async def lost(self, run_ids: Collection[str]) -> frozenset[str]:
        """Return those of these runs that are no longer this worker's."""
        listed = await _listed(run_ids)
        gone = (w for w in listed if w.status != "PENDING" or w.executor_id != self.worker)
        return frozenset(workflow.workflow_id for workflow in gone)

    def row_of(self, run_id: str) -> EngineRow:
        """Return the engine's row that exists as long as this worker has the run."""
        mine = {"workflow_uuid": run_id, "executor_id": self.worker, "status": "PENDING"}
        return EngineRow("workflow_status", "dbos", mine)

    @refusals_told()
    async def forget(self, run_ids: Sequence[str]) -> None:
        """Delete the journals of runs."""
        await DBOS.delete_workflows_async(list(run_ids))

    async def close(self, leave: Callable[[str], Awaitable[None]]) -> None:
        """End, and queue the runs of this process, which must have been stopped before.

        `leave` is called with each run before another process may begin with it.

        Raises:
            StorageError: They cannot be queued; the engine has ended nevertheless.
        """
        # In this order: until it has ended, the library takes up whatever waits.
        try:
            if self._started:
                self._started = False
                _Host.conduct = None
                try:
                    await _in_thread(self._end)
                finally:
                    _own_threads()
                await self._hand_over(leave)
        finally:
            self._name.close()

    def _end(self) -> None:
        """End the library.

        Raises:
            StorageError: The database is away. The library's threads retry for ever, so they are
                told to stop and nobody waits for them.
        """
        try:
            check_server(self._url, AWAY_S)
        except errors.StorageError:
            library = self._library
            if library and library._sys_db_field:
                library._sys_db_field._retry_connection_errors = False
                library._background_threads.clear()
            raise
        finally:
            DBOS.destroy()

    @refusals_told()
    async def _hand_over(self, leave: Callable[[str], Awaitable[None]]) -> None:
        mine = {"status": "PENDING", "executor_id": self.worker, **_LEAN}
        left = await _in_thread(partial(_asked, self._url, lambda c: c.list_workflows(**mine)))
        for found in left:
            await leave(found.workflow_id)
        for queue, ids in _by_queue(left):
            resume = partial(DBOSClient.resume_workflows, workflow_ids=ids, queue_name=queue)
            await _in_thread(partial(_asked, self._url, resume))


async def _listed(run_ids: Collection[str] | None = None, **which: Any) -> list[WorkflowStatus]:
    if run_ids is not None and not run_ids:
        return []  # the library would list all
    chosen = list(run_ids) if run_ids else None
    return await DBOS.list_workflows_async(workflow_ids=chosen, **_LEAN, **which)


def _by_queue(runs: Sequence[WorkflowStatus]) -> Iterator[tuple[str, list[str]]]:
    """Yield each queue with the ids of its runs; those queued by a server have a partition key."""
    for queue, shared in ((SHARED, True), (LEFT, False)):
        of_queue = (run for run in runs if (run.queue_partition_key is not None) is shared)
        if run_ids := [run.workflow_id for run in of_queue]:
            yield queue, run_ids


def _kept(steps: list[Any]) -> int:
    """Return the number of the last step that is no failure."""
    done = [step for step in steps if step["error"] is None and not _failed(step["output"])]
    return max((int(step["function_id"]) for step in done), default=0)


def _failed(outcome: object) -> bool:
    return isinstance(outcome, dict) and outcome.get("error") is not None


async def _in_thread(work: Callable[[], T]) -> T:
    """Run in a thread of its own: the loop's may be the library's, which end with it."""
    thread = ThreadPoolExecutor(1, thread_name_prefix="engine")
    try:
        return await asyncio.get_running_loop().run_in_executor(thread, work)
    finally:
        thread.shutdown(wait=False)


def _own_threads() -> None:
    """Give the loop threads again in place of the library's, which have ended."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS))


async def forget(url: str, run_id: str) -> None:
    """Delete the journal of a run, from a process that conducts none.

    Raises:
        StorageError: It cannot be deleted.
    """
    try:
        await _in_thread(partial(_asked, url, lambda client: client.delete_workflow(run_id)))
    except dbos_errors.DBOSException as error:
        raise errors.StorageError(
            f"The steps of the run {run_id} cannot be deleted: {error}"
        ) from error


def _asked(url: str, ask: Callable[[DBOSClient], T]) -> T:
    """Return what a client of the database says, where the engine itself is not started."""
    quiet()
    client = DBOSClient(
        system_database_url=url,
        serializer=JsonSerializer(),
        application_name=APP,
        retry_connection_errors=False,
    )
    try:
        return ask(client)
    finally:
        client.destroy()
