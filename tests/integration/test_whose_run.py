"""The process that a run is left to: none that cannot do it, none that has lost it, one later."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar

import pytest
import sqlalchemy as sa
from pydantic import SecretStr

from deepcritical.domain.errors import CapacityError, StorageError
from deepcritical.domain.run.budget import RunLimits
from deepcritical.domain.run.events import KeyedEvent
from deepcritical.domain.run.recipe import Begun, ModelChoice, Recipe
from deepcritical.domain.tool.traces import TraceResult, TraceStatus
from deepcritical.jobs.hosting import AWAY_S
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.job_board import JobBoard
from deepcritical.services.storage.schema import jobs
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from tests.conftest import QUESTION, run_service
from tests.databases import build_durable
from tests.integration.doubles import failing
from tests.integration.durably import SOON_S, Counting, Services, full, status

T = TypeVar("T")
RECIPE = Recipe(tool="research", question=QUESTION, limits=RunLimits(), searched_on="2999-01-01")


class Leaving(Database):
    """It is away for a while from the moment on in which the first run is to end."""

    gone = False

    async def write(self, work: Callable[[sa.Connection], T]) -> T:
        if self.gone:
            raise StorageError("The database is away.")
        return await super().write(work)


class LeftAtTheEnd(ToolTraceService):
    database: Leaving
    ends = 0

    async def append_events(
        self,
        trace_id: str,
        entries: Sequence[KeyedEvent],
        ending: TraceResult | None = None,
        worker: str | None = None,
    ) -> int:
        if ending and not self.ends:
            self.database.gone = True
            asyncio.get_running_loop().call_later(2.0, setattr, self.database, "gone", False)
        self.ends += ending is not None
        return await super().append_events(trace_id, entries, ending, worker)


@pytest.mark.slow
async def test_a_run_whose_end_the_database_is_away_for_ends_when_it_is_back(
    service: Services,
) -> None:
    kept = LeftAtTheEnd(Leaving(service.url))
    runs = run_service(service.source, None, kept, build_durable(kept, ttl_s=1.0))
    service.made.append(runs)
    run = runs.submit(QUESTION)
    async with asyncio.timeout(60):
        assert (await run.result()).references
    assert kept.ends == 2
    trace = await kept.get_trace(run.run_id)
    assert (trace.status, trace.result is not None) == (TraceStatus.COMPLETED, True)
    assert (await _job(kept, run.run_id)).takeovers == 0


@pytest.mark.slow
async def test_a_command_leaves_a_run_alone_for_which_it_lacks_something(
    service: Services, traces: ToolTraceService
) -> None:
    server = service(conducts=False)
    run = server.submit(QUESTION)
    await status(traces, run, TraceStatus.PENDING)
    await server.close()
    kept = ToolTraceService(Database(service.url))
    command = run_service(service.source, None, kept, build_durable(kept, one_shot=True, ttl_s=1.0))
    service.made.append(command)
    command.model = ModelChoice(name="another")
    await command.start_engine()
    async with asyncio.timeout(SOON_S):
        while (await _job(kept, run.run_id)).worker:  # noqa: ASYNC110 - a database calls nobody
            await asyncio.sleep(0.02)
    assert (await kept.get_trace(run.run_id)).status is TraceStatus.PENDING
    assert (await _job(kept, run.run_id)).first_step_at is None  # it waits as it did
    await command.close()
    await service().start_engine()
    await status(traces, run, TraceStatus.COMPLETED)
    assert (await _job(traces, run.run_id)).takeovers == 0


@pytest.mark.slow
async def test_one_taken_over_while_the_database_was_away_is_not_begun_again(
    service: Services, traces: ToolTraceService, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = service()
    await runs.start_engine()
    durable, tried = runs.durable, asyncio.Event()
    assert durable is not None and durable._engine is not None  # noqa: PT018
    board, begin = durable.board, durable.board.begin
    await board.beat("another", 60.0)

    async def missed(run_id: str, *_: Any) -> Begun:
        monkeypatch.setattr(board, "begin", begin)
        await traces.database.write(partial(_give, run_id=run_id, worker="another"))
        tried.set()
        raise StorageError("The database is away.")

    async def unheard(_run_ids: Collection[str]) -> frozenset[str]:
        return frozenset()  # the engine asks a database that was away only now and then

    monkeypatch.setattr(board, "begin", missed)
    monkeypatch.setattr(durable._engine, "lost", unheard)
    run = runs.submit(QUESTION)
    await tried.wait()
    await asyncio.sleep(2 * AWAY_S)
    assert (await _job(traces, run.run_id)).worker == "another"


@pytest.mark.slow
async def test_a_run_of_another_version_is_not_resumed_for_nobody(
    service: Services, traces: ToolTraceService
) -> None:
    runs = service(failing("generate_queries", StorageError("It broke.")))
    run = runs.submit(QUESTION)
    await status(traces, run, TraceStatus.FAILED)
    await asyncio.sleep(0.5)  # the engine, too, has it that it ended
    await traces.database.write(
        partial(_set_engine, run_id=run.run_id, application_version="an older one")
    )
    with pytest.raises(StorageError, match="another version"):
        await runs.resume(run.run_id)
    assert (await traces.get_trace(run.run_id)).status is TraceStatus.FAILED


@pytest.mark.slow
async def test_runs_with_a_key_of_their_user_leave_slots_for_others(service: Services) -> None:
    counting = Counting()
    runs = service(counting.reasoner, slots=4)
    for _ in range(6):
        runs.submit(QUESTION, user_id="ada", model_api_key=SecretStr("made-up-key"))
    await full(counting, 3)
    other = runs.submit(QUESTION, user_id="ben")
    await full(counting, 4)
    assert any(logged.event.type == "run_started" for logged in await other.events())
    counting.gate.set()


async def test_a_users_limit_holds_over_servers(url: str) -> None:
    boards = [JobBoard(Database(url), most_of_user=3) for _ in range(2)]

    async def added(number: int) -> bool:
        board = boards[number % 2]
        try:
            await board.add(f"run-{number}", RECIPE, {"question": QUESTION}, "ada", "a server")
        except CapacityError:
            return False
        return True

    assert sum(await asyncio.gather(*map(added, range(16)))) == 3
    for board in boards:
        await board.database.close()


async def _job(traces: ToolTraceService, run_id: str) -> Any:
    asked = sa.select(jobs).where(jobs.c.run_id == run_id)
    return await traces.database.read(lambda connection: connection.execute(asked).one())


def _give(connection: sa.Connection, run_id: str, worker: str) -> None:
    _set_engine(connection, run_id, executor_id=worker)
    values = {"worker": worker, "first_step_at": datetime.now(UTC)}
    connection.execute(jobs.update().where(jobs.c.run_id == run_id).values(values))


def _set_engine(connection: sa.Connection, run_id: str, **values: str) -> None:
    schema = "dbos" if connection.dialect.name == "postgresql" else None
    names = ("workflow_uuid", *values)
    rows = sa.table("workflow_status", *map(sa.column, names), schema=schema)
    change = rows.update().where(rows.c.workflow_uuid == run_id)
    connection.execute(change.values(values))
