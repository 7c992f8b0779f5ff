"""Traces on every database: the same suite on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from deepcritical.domain.errors import StorageError, TraceEndedError, TraceNotFoundError
from deepcritical.domain.run.events import (
    Event,
    EventKeys,
    KeyedEvent,
    LoggedEvent,
    Notice,
    RunCancelled,
    RunCompleted,
    RunStarted,
    Stage,
    StopReason,
)
from deepcritical.domain.tool.traces import TraceResult, TraceStatus, fold
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from tests.conftest import QUESTION, ROOT, collected
from tests.servers.commands import forked_module

STARTED = RunStarted(question=QUESTION, reasoner="rules")
COMPLETED = RunCompleted(stop_reason=StopReason.SUFFICIENT_EVIDENCE, verdict="mixed", references=1)
HOSTILE = "NUL \x00, lone surrogate \ud800, quotes '\"; DROP TABLE tool_traces; -- ☃ 😀 \u2028"
WRITERS = 4
EVENTS = 25


def numbered(trace_id: str, *events: Event, after: int = 0) -> list[KeyedEvent]:
    keys = EventKeys()
    return [
        KeyedEvent(
            keys.of(event.model_dump(mode="json")),
            LoggedEvent(
                run_id=trace_id,
                seq=seq,
                at=datetime.now(UTC),
                stage=Stage.SEARCH,
                progress=seq / 100,
                event=event,
            ),
        )
        for seq, event in enumerate(events, after + 1)
    ]


async def made(traces: ToolTraceService, **more: str) -> str:
    return (await traces.create_trace("research", {"question": QUESTION}, **more)).id


class TestLife:
    async def test_a_trace_goes_from_pending_to_completed(self, traces: ToolTraceService) -> None:
        trace = await traces.create_trace("research", {"question": QUESTION, "depth": "quick"})
        assert (trace.status, trace.progress, trace.user_id) == (TraceStatus.PENDING, 0.0, "local")
        assert trace.input_params == {"question": QUESTION, "depth": "quick"}
        await traces.append_events(trace.id, numbered(trace.id, STARTED))
        begun = await traces.get_trace(trace.id)
        assert (begun.status, begun.current_stage) == (TraceStatus.IN_PROGRESS, "search")
        await traces.append_event(trace.id, Notice(message="Reading"), (Stage.JUDGEMENT, 0.5))
        await traces.append_event(trace.id, COMPLETED, ending=TraceResult({"title": "Made"}))
        done = await traces.get_trace(trace.id)
        assert (done.status, done.progress, done.result) == ("completed", 1.0, {"title": "Made"})
        assert done.started_at
        assert done.completed_at
        assert trace.created_at <= done.started_at <= done.completed_at

    async def test_the_trace_is_the_fold_of_its_events(self, traces: ToolTraceService) -> None:
        trace_id = await made(traces)
        entries = numbered(trace_id, STARTED, Notice(message="a"), Notice(message="b"))
        await traces.append_events(trace_id, entries[:2])
        await traces.append_events(trace_id, entries[2:])
        trace, folded = await traces.get_trace(trace_id), fold(await traces.events(trace_id))
        for name in type(folded).model_fields:
            assert getattr(trace, name) == getattr(folded, name), name

    async def test_events_come_back_as_they_were(self, traces: ToolTraceService) -> None:
        trace_id = await made(traces)
        entries = numbered(trace_id, STARTED, Notice(message=HOSTILE), COMPLETED)
        await traces.append_events(trace_id, entries, TraceResult({"text": HOSTILE}))
        assert await traces.events(trace_id) == tuple(entry.logged for entry in entries)
        assert (await traces.get_trace(trace_id)).result == {"text": HOSTILE}
        assert [logged.seq for logged in await traces.events(trace_id, after=2)] == [3]

    async def test_a_failure_says_why(self, traces: ToolTraceService) -> None:
        trace_id = await made(traces)
        await traces.fail_trace(trace_id, "SearchError", f"No source. {HOSTILE[:4]}\x00", "Try.")
        trace = await traces.get_trace(trace_id)
        assert trace.status is TraceStatus.FAILED
        assert trace.error_message == "No source. NUL  Try."
        assert trace.result is None

    @pytest.mark.parametrize("first", ["complete", "fail", "cancel"])
    async def test_an_end_is_final(self, traces: ToolTraceService, first: str) -> None:
        trace_id = await made(traces)
        ends: dict[str, Callable[[], Awaitable[object]]] = {
            "complete": lambda: traces.append_event(trace_id, COMPLETED, ending=TraceResult({})),
            "fail": lambda: traces.fail_trace(trace_id, "SearchError", "No."),
            "cancel": lambda: traces.cancel_trace(trace_id),
        }
        await ends[first]()
        before = await traces.get_trace(trace_id), await traces.events(trace_id)
        for end in ends.values():
            with pytest.raises(TraceEndedError):
                await end()
        with pytest.raises(TraceEndedError):
            await traces.append_event(trace_id, Notice(message="late"), (Stage.SEARCH, 0.1))
        with pytest.raises(TraceEndedError):
            await traces.append_events(trace_id, numbered(trace_id, STARTED, after=1))
        assert (await traces.get_trace(trace_id), await traces.events(trace_id)) == before

    async def test_of_ends_at_once_one_wins(self, traces: ToolTraceService) -> None:
        trace_id = await made(traces)
        ends = [traces.cancel_trace(trace_id) for _ in range(4)]
        ends += [traces.fail_trace(trace_id, "SearchError", str(n)) for n in range(4)]
        results = await asyncio.gather(*ends, return_exceptions=True)
        assert [result is None for result in results].count(True) == 1
        assert all(isinstance(r, TraceEndedError) for r in results if r is not None)
        assert len(await traces.events(trace_id)) == 1


class TestReplay:
    async def test_what_is_told_again_changes_nothing(self, traces: ToolTraceService) -> None:
        trace_id = await made(traces)
        entries = numbered(trace_id, STARTED, Notice(message="a"), Notice(message="a"))
        assert await traces.append_events(trace_id, entries) == 3
        before = await traces.get_trace(trace_id), await traces.events(trace_id)
        assert await traces.append_events(trace_id, list(reversed(entries))) == 0
        assert (await traces.get_trace(trace_id), await traces.events(trace_id)) == before

    async def test_what_is_new_behind_it_is_added(self, traces: ToolTraceService) -> None:
        trace_id = await made(traces)
        entries = numbered(trace_id, STARTED, Notice(message="a"), COMPLETED)
        await traces.append_events(trace_id, entries[:2])
        assert await traces.append_events(trace_id, entries, TraceResult({})) == 1
        assert await traces.append_events(trace_id, entries, TraceResult({"other": 1})) == 0
        assert (await traces.get_trace(trace_id)).result == {}

    async def test_a_second_writer_of_a_run_is_refused(self, traces: ToolTraceService) -> None:
        trace_id = await made(traces)
        await traces.append_events(trace_id, numbered(trace_id, STARTED, Notice(message="a")))
        with pytest.raises(TraceEndedError, match="Another process"):
            await traces.append_events(trace_id, numbered(trace_id, Notice(message="b"), after=1))
        assert len(await traces.events(trace_id)) == 2

    async def test_a_trace_made_twice_is_one(self, traces: ToolTraceService) -> None:
        trace_id = str(uuid4())
        first = await traces.create_trace("research", {"question": "a"}, trace_id=trace_id)
        again = await traces.create_trace("research", {"question": "b"}, trace_id=trace_id)
        assert first == again


class TestOwners:
    async def test_users_list_only_their_own(self, traces: ToolTraceService) -> None:
        mine = [await made(traces, user_id="ada") for _ in range(3)]
        theirs = await made(traces, user_id="bob")
        assert [trace.id for trace in await traces.list_traces("ada")] == mine[::-1]
        assert [trace.id for trace in await traces.list_traces("bob")] == [theirs]
        assert await traces.list_traces("eve") == ()
        assert len(await traces.list_traces("ada", most=2)) == 2

    async def test_a_tool_is_listed_alone(self, traces: ToolTraceService) -> None:
        await made(traces)
        other = await traces.create_trace("deep_research", {"question": QUESTION})
        listed = await traces.list_traces(tool_name="deep_research")
        assert [trace.id for trace in listed] == [other.id]

    async def test_the_id_opens_a_trace_but_its_user_alone_rules_it(
        self, traces: ToolTraceService
    ) -> None:
        trace_id = await made(traces, user_id="ada")
        assert (await traces.get_trace(trace_id)).user_id == "ada"
        for refused in (
            traces.get_trace(trace_id, user_id="bob"),
            traces.find_trace(trace_id[:8], user_id="bob"),
            traces.cancel_trace(trace_id, user_id="bob"),
            traces.delete(trace_id, user_id="bob", under_way=True),
        ):
            with pytest.raises(TraceNotFoundError):
                await refused
        assert (await traces.get_trace(trace_id)).status is TraceStatus.PENDING

    @pytest.mark.parametrize("unknown", ["", "nobody", "%", "_" * 36, "\x00", "é" * 36, "0" * 36])
    async def test_an_id_of_nobody_is_not_found(
        self, traces: ToolTraceService, unknown: str
    ) -> None:
        await made(traces)
        for refused in (traces.get_trace, traces.find_trace, traces.events):
            with pytest.raises(TraceNotFoundError):
                await refused(unknown)

    async def test_the_beginning_of_an_id_must_be_of_one_trace(
        self, traces: ToolTraceService
    ) -> None:
        ids = [f"abcd{n}{'0' * 3}-0000-4000-8000-{n:012d}" for n in range(2)]
        for trace_id in ids:
            await made(traces, trace_id=trace_id)
        assert (await traces.find_trace("abcd1")).id == ids[1]
        with pytest.raises(TraceNotFoundError, match="Several"):
            await traces.find_trace("abcd")


class TestDelete:
    async def test_nothing_of_it_stays(self, traces: ToolTraceService) -> None:
        trace_id, other = await made(traces), await made(traces)
        for each in (trace_id, other):
            await traces.append_events(each, numbered(each, STARTED, RunCancelled()))
        await traces.delete(trace_id)
        for refused in (traces.get_trace, traces.events, traces.delete):
            with pytest.raises(TraceNotFoundError):
                await refused(trace_id)
        assert len(await traces.events(other)) == 2

    async def test_a_run_under_way_is_deleted_only_by_force(self, traces: ToolTraceService) -> None:
        trace_id = await made(traces)
        with pytest.raises(StorageError, match="has not ended"):
            await traces.delete(trace_id)
        await traces.delete(trace_id, under_way=True)
        with pytest.raises(TraceNotFoundError):
            await traces.append_events(trace_id, numbered(trace_id, STARTED))


class TestTail:
    async def test_it_follows_what_another_process_writes(
        self, url: str, traces: ToolTraceService
    ) -> None:
        trace_id = await made(traces)
        elsewhere = ToolTraceService(Database(url))
        tail = asyncio.create_task(collected(traces.tail(trace_id)))
        entries = numbered(trace_id, STARTED, Notice(message="a"), RunCancelled())
        for entry in entries:
            await elsewhere.append_events(trace_id, [entry])
            await asyncio.sleep(0)
        async with asyncio.timeout(5):
            assert await tail == [entry.logged for entry in entries]
        await elsewhere.close()

    async def test_a_number_beyond_the_end_gives_nothing(self, traces: ToolTraceService) -> None:
        trace_id = await made(traces)
        await traces.cancel_trace(trace_id)
        async with asyncio.timeout(5):
            assert await collected(traces.tail(trace_id, after=99)) == []

    async def test_it_ends_when_the_trace_is_deleted(self, traces: ToolTraceService) -> None:
        trace_id = await made(traces)
        tail = asyncio.create_task(collected(traces.tail(trace_id)))
        await asyncio.sleep(0.05)
        await traces.delete(trace_id, under_way=True)
        with pytest.raises(TraceNotFoundError):
            await tail


WRITER = """
import asyncio, sys
from deepcritical.domain.run.events import Notice, Stage
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.tool_trace_service import ToolTraceService

async def main(url, shared, events):
    traces = ToolTraceService(Database(url))
    own = (await traces.create_trace("research", {"question": "made"})).id
    for number in range(events):
        for trace_id in (own, shared):
            await traces.append_event(trace_id, Notice(message=str(number)), (Stage.SEARCH, 0.5))
    await traces.cancel_trace(own)
    await traces.close()

asyncio.run(main(sys.argv[2], sys.argv[3], int(sys.argv[4])))
"""


@pytest.mark.slow
async def test_processes_at_once_lose_nothing(url: str) -> None:
    """They make the database at once, write one trace each, and all of them one trace together."""
    shared = str(uuid4())
    first = ToolTraceService(Database(url))
    creating = asyncio.create_task(made(first, trace_id=shared))
    await asyncio.sleep(0)
    await creating
    writers = [
        await asyncio.create_subprocess_exec(
            *(*forked_module(), "tests.servers.program", WRITER, url, shared, str(EVENTS)),
            cwd=ROOT,
            stderr=subprocess.PIPE,
        )
        for _ in range(WRITERS)
    ]
    for writer in writers:
        _, said = await writer.communicate()
        assert writer.returncode == 0, said.decode()
    together = await first.events(shared)
    assert [logged.seq for logged in together] == list(range(1, WRITERS * EVENTS + 1))
    own = [trace for trace in await first.list_traces() if trace.id != shared]
    assert len(own) == WRITERS
    for trace in own:
        assert trace.status is TraceStatus.CANCELLED
        assert len(await first.events(trace.id)) == EVENTS + 1
    await first.close()
