"""The durable engine: DBOS Transact in the database of the runs (docs/decisions/0015).

The library has one instance a process, and runs what it takes up on the loop that launched it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from dbos import DBOS, DBOSClient, SetEnqueueOptions, SetWorkflowID
from dbos import error as dbos_errors

from deepcritical.domain.errors import StorageError, TraceNotFoundError
from deepcritical.jobs.dbos_journal import DbosJournal
from deepcritical.jobs.dbos_setup import (
    APP,
    LEFT,
    SHARED,
    THREADS,
    JsonSerializer,
    Shares,
    config_of,
    prepare_file,
    quiet,
    refusals_told,
    register_queues,
)
from deepcritical.jobs.engine import Conduct, EngineBusyError, LostRun, Standing
from deepcritical.services.worker_files import WorkerName

__all__ = ["DbosEngine", "forget"]

T = TypeVar("T")

_ACTIVE = ("PENDING", "ENQUEUED", "DELAYED")


class _Host:
    """What this process conducts runs with, while an engine is started."""

    conduct: Conduct | None = None


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
    """See `Engine`.

    Args:
        url: A normalised address.
        name: The name of this process among all that share the database.
        shares: How many runs may be under way; None for a process that takes none of those that
            wait.
    """

    def __init__(self, url: str, name: WorkerName, shares: Shares | None) -> None:
        self.worker = name.name
        self._name = name
        self._url = url
        self._shares = shares
        self._started = False

    async def start(self, conduct: Conduct) -> None:
        """Launch on the running loop."""
        if _Host.conduct is not None:
            raise EngineBusyError
        _Host.conduct = conduct
        try:
            library = await _in_thread(self._make)
            # What is taken up from the queue runs on the loop that the library knows of. It takes
            # the one that it is launched on, which a launch would block.
            library._background_event_loop.set_main_loop()
            await _in_thread(self._launch)
        except Exception as error:
            _Host.conduct = None
            await _in_thread(DBOS.destroy)
            _own_threads()
            raise StorageError(
                f"The records of runs cannot be used: {type(error).__name__}.",
                "Name another database in DATABASE_URL.",
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
        """Start the run here."""
        with SetWorkflowID(run_id):
            await DBOS.start_workflow_async(_research_run, run_id)

    @refusals_told()
    async def enqueue(self, run_id: str, user_id: str) -> None:
        """Put the run into the queue, behind those of its user."""
        with SetWorkflowID(run_id), SetEnqueueOptions(queue_partition_key=user_id):
            await DBOS.enqueue_workflow_async(SHARED, _research_run, run_id)

    @refusals_told()
    async def resume(self, run_id: str, user_id: str) -> None:
        """Put the run into the queue again, without the failures that it ended with."""
        status = await DBOS.get_workflow_status_async(run_id)
        if status is None:
            raise TraceNotFoundError(
                f"The run {run_id} cannot be resumed: nothing is recorded of its steps.",
                "Ask its question again.",
            )
        if status.status in _ACTIVE:
            return
        steps = await DBOS.list_workflow_steps_async(run_id)
        await DBOS.rewind_workflow_async(
            run_id,
            start_step=_kept(steps) + 1,
            queue_name=SHARED,
            queue_partition_key=user_id,
        )

    @refusals_told()
    async def hand_over(self, run_ids: Collection[str]) -> None:
        """Put runs that this process has into the queue, those of servers into that of users."""
        for run_id in run_ids:
            status = await DBOS.get_workflow_status_async(run_id)
            of_user = status is not None and status.queue_partition_key is not None
            await DBOS.resume_workflow_async(run_id, queue_name=SHARED if of_user else LEFT)

    @refusals_told()
    async def take_over(self, live: Collection[str]) -> None:
        """Put the runs of other workers into the queue."""
        listed = await DBOS.list_workflows_async(
            status="PENDING", load_input=False, load_output=False
        )
        left = [found for found in listed if found.executor_id not in live]
        for found in left:
            now = await DBOS.get_workflow_status_async(found.workflow_id)
            # Another one may have been faster.
            if now and now.status == "PENDING" and now.executor_id == found.executor_id:
                await self.hand_over([found.workflow_id])

    @refusals_told()
    async def standing(self, run_id: str) -> Standing:
        """By the run's row."""
        status = await DBOS.get_workflow_status_async(run_id)
        if status is None:
            return "unknown"
        return "open" if status.status in _ACTIVE else "ended"

    @refusals_told()
    async def lost(self, run_ids: Collection[str]) -> frozenset[str]:
        """Those that are not pending here."""
        listed = await DBOS.list_workflows_async(
            workflow_ids=list(run_ids), load_input=False, load_output=False
        )
        gone = (w for w in listed if w.status != "PENDING" or w.executor_id != self.worker)
        return frozenset(workflow.workflow_id for workflow in gone)

    @refusals_told()
    async def forget(self, run_id: str) -> None:
        """Delete the run's steps."""
        await DBOS.delete_workflow_async(run_id)

    async def close(self) -> None:
        """End the library's threads, and give the loop threads of its own again."""
        self._name.close()
        if not self._started:
            return
        self._started = False
        _Host.conduct = None
        await _in_thread(DBOS.destroy)
        _own_threads()


def _kept(steps: list[Any]) -> int:
    """The number of the last step that is no failure."""
    done = [step for step in steps if step["error"] is None and not _failed(step["output"])]
    return max((int(step["function_id"]) for step in done), default=0)


def _failed(outcome: object) -> bool:
    return isinstance(outcome, dict) and outcome.get("error") is not None


async def _in_thread(work: Callable[[], T]) -> T:
    """Run in a thread of its own: those of the loop may be the library's, which come and go."""
    thread = ThreadPoolExecutor(1, thread_name_prefix="engine")
    try:
        return await asyncio.get_running_loop().run_in_executor(thread, work)
    finally:
        thread.shutdown(wait=False)


def _own_threads() -> None:
    """Give the loop threads again: it has those of the library, which has ended them."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS))


async def forget(url: str, run_id: str) -> None:
    """Delete what is recorded of a run, from a process that conducts none.

    Raises:
        StorageError: It cannot be deleted.
    """

    def work() -> None:
        quiet()
        client = DBOSClient(
            system_database_url=url,
            serializer=JsonSerializer(),
            application_name=APP,
            retry_connection_errors=False,
        )
        try:
            client.delete_workflow(run_id)
        finally:
            client.destroy()

    try:
        await _in_thread(work)
    except dbos_errors.DBOSNonExistentWorkflowError:
        return
    except dbos_errors.DBOSException as error:
        raise StorageError(f"The steps of the run {run_id} cannot be deleted: {error}") from error
