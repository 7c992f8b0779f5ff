"""A run that is stopped at any of its effects ends, taken up anew, as if nothing had happened."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Literal

import pytest

from deepcritical.domain.errors import ConfigurationError, QuestionError, RateLimitError
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.report.answer import Document
from deepcritical.domain.run.budget import RunLimits
from deepcritical.domain.run.events import StopReason
from deepcritical.domain.tool.traces import TraceStatus
from deepcritical.jobs.run import OpenSources
from deepcritical.models.providers import model_server
from deepcritical.reasoning.base import Reasoner
from deepcritical.reasoning.llm import LLMReasoner
from deepcritical.research.session import RunSources
from deepcritical.services.event_log import TraceWriter
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from deepcritical.tools.base import SourceQuery, SourceResult
from deepcritical.tools.search_handler import SearchHandler
from deepcritical.tools.snapshot import SnapshotSource
from tests.conftest import (
    DEMO,
    DEMO_QUESTION,
    TABLE,
    as_they_stand,
    of_type,
    opened,
    paper,
    snapshot,
)
from tests.databases import fresh_database
from tests.integration.doubles import failing
from tests.integration.modelled import records
from tests.integration.replaying import WHENS, Asked, Ended, Record, Texts, When, process
from tests.servers.models import Asked as Request
from tests.servers.models import Fault, ModelServer
from tests.servers.running import running

Schedule = Literal["team", "loop"]
SCHEDULES: tuple[Schedule, ...] = ("team", "loop")
DECIDING = ("assess_evidence", "generate_item_queries")
"""Records after which code decides on another round."""


@pytest.fixture(params=SCHEDULES)
def schedule(request: pytest.FixtureRequest) -> Schedule:
    chosen: Schedule = request.param
    return chosen


Note = Callable[[str, int], None]


@pytest.fixture
def note(schedule: Schedule, record_property: Callable[[str, object], None]) -> Note:
    """Tells the table at the end how often the run was stopped without any change to its end."""

    def tell(column: str, moments: int) -> None:
        record_property(f"{TABLE}stopped, taken up, the same", (schedule, column, str(moments)))

    return tell


def over(path: Path) -> OpenSources:
    return partial(opened, SnapshotSource(path))


@asynccontextmanager
async def modelled(
    asked: Asked, *, manages: bool = False
) -> AsyncIterator[tuple[Asked, ModelServer]]:
    """The question with a made-up model, whose client each process makes anew."""
    server = ModelServer()
    async with running(server.app) as url:

        def reasoner() -> Reasoner:
            made = model_server("openai-chat:made-up", base_url=f"{url}v1", api_key="made-up")
            return LLMReasoner(made, manages=manages)

        yield Asked(asked.sources, asked.schedule, asked.question, reasoner, asked.limits), server


async def stopped_and_resumed(asked: Asked, whole: Ended, at: int, when: When) -> Ended:
    """The run as a second process ends it, after a first one that died at a record.

    What the first one told last may not have reached the database.
    """
    first = await process(asked, Texts(whole.journal.records[:at], at, when), whole.told_by(at))
    assert first.document is None
    kept = first.events[: len(first.events) - at % 3]
    second = await process(asked, Texts(first.journal.records), kept)
    assert second.events[: len(kept)] == kept
    assert second.journal.done == whole.names[at + (when == "committed") :]
    return second


def assert_same(ended: Ended, whole: Ended) -> None:
    assert ended.document == whole.document
    assert as_bytes(ended.document) == as_bytes(whole.document)
    assert ended.names == whole.names
    assert ended.told == whole.told


def as_bytes(document: Document | None) -> str:
    assert document
    return document.model_dump_json()


async def assert_survives(asked: Asked, every: int = 1) -> tuple[Ended, int]:
    """Stop the run at each of the three moments of every record, or at every so many of them.

    Returns:
        The run that was not stopped, and at how many moments it was.
    """
    whole = await process(asked)
    assert whole.document
    assert whole.document.references
    moments = [(at, when) for at in range(len(whole.names)) for when in WHENS]
    for at, when in moments[::every]:
        assert_same(await stopped_and_resumed(asked, whole, at, when), whole)
    return whole, len(moments[::every])


@pytest.mark.slow
async def test_by_rules(tmp_path: Path, schedule: Schedule, note: Note) -> None:
    whole, moments = await assert_survives(Asked(over(records(tmp_path)), schedule))
    note("rules", moments)
    assert whole.names.count("execute") > 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "every",
    [13, pytest.param(1, marks=[pytest.mark.chaos, pytest.mark.timeout(900)])],
    ids=["some", "all"],
)
async def test_over_the_demo(schedule: Schedule, every: int, note: Note) -> None:
    _, moments = await assert_survives(Asked(over(DEMO), schedule, DEMO_QUESTION), every)
    note("rules, demo", moments)


@pytest.mark.slow
@pytest.mark.parametrize(
    "every",
    [7, pytest.param(1, marks=[pytest.mark.chaos, pytest.mark.timeout(900)])],
    ids=["some", "all"],
)
@pytest.mark.parametrize(
    ("schedule", "manages"),
    [("team", False), ("team", True), ("loop", False)],
    ids=["team", "managed team", "loop"],
)
async def test_with_a_model(
    tmp_path: Path, schedule: Schedule, manages: bool, every: int, note: Note
) -> None:
    async with modelled(Asked(over(records(tmp_path)), schedule), manages=manages) as (asked, _):
        whole, moments = await assert_survives(asked, every)
    note("model, manages" if manages else "model", moments)
    assert ("ledger" in whole.names) is manages
    assert whole.session.spent.calls > 0


async def test_what_is_recorded_is_not_paid_again(tmp_path: Path, schedule: Schedule) -> None:
    async with modelled(Asked(over(records(tmp_path)), schedule)) as (asked, server):
        whole = await process(asked)
        paid = len(server.asked)
        assert paid == whole.session.spent.calls
        again = await process(asked, Texts(whole.journal.records), whole.events)
        assert len(server.asked) == paid
        assert_same(again, whole)
        assert again.session.spent == whole.session.spent
        half = len(whole.names) // 2
        await stopped_and_resumed(asked, whole, half, "committed")
        assert len(server.asked) - paid < paid


@pytest.mark.slow
async def test_the_budget_holds_across_processes(tmp_path: Path, schedule: Schedule) -> None:
    limits = RunLimits(max_calls=5)
    asked_for = Asked(over(records(tmp_path)), schedule, limits=limits)
    async with modelled(asked_for) as (asked, server):
        whole = await process(asked)
        for at in range(1, len(whole.names), 3):
            server.asked.clear()
            first = await process(asked, Texts((), at, "committed"))
            ended = await process(asked, Texts(first.journal.records), first.events)
            assert len(server.asked) <= limits.max_calls
            assert_same(ended, whole)


class Slow(SnapshotSource):
    """A snapshot that takes its time, each time another."""

    def __init__(self, path: Path, name: str, *latencies_s: float) -> None:
        super().__init__(path)
        self._called = name
        self._latencies_s = cycle(latencies_s)

    @property
    def name(self) -> str:
        return self._called

    async def fetch(self, query: SourceQuery) -> SourceResult:
        await asyncio.sleep(next(self._latencies_s))
        return await super().fetch(query)


@pytest.mark.slow
async def test_what_runs_at_once_may_take_any_time(tmp_path: Path, schedule: Schedule) -> None:
    paths = [
        snapshot(tmp_path / f"{n}.jsonl", *(paper(i) for i in range(n, n + 3))) for n in (1, 3, 6)
    ]

    def sources() -> OpenSources:
        slow = [Slow(path, f"source {n}", 0.02, 0.0, 0.01 * n) for n, path in enumerate(paths)]
        return partial(opened, *slow)

    waits_s = cycle((0.03, 0.0, 0.02, 0.0, 0.01))

    def late(_request: Request) -> Fault:
        return Fault(wait_s=next(waits_s))

    async with modelled(Asked(sources(), schedule)) as (asked, server):
        server.fault = late
        whole, _ = await assert_survives(asked, every=10)
    assert len({answer.source for answer in whole.session.store.searches}) == len(paths)


@pytest.mark.slow
async def test_taken_up_after_its_deadline_it_writes_from_what_there_is(
    tmp_path: Path, schedule: Schedule
) -> None:
    asked = Asked(over(records(tmp_path)), schedule)
    whole = await process(asked)
    last = max(n for n, name in enumerate(whole.names) if name in DECIDING)
    assert whole.session.stop_reason is not StopReason.DEADLINE
    for at in range(1, len(whole.names)):
        first = await process(asked, Texts((), at, "uncommitted"))
        ended = await process(asked, Texts(aged(first.journal.records)), first.events)
        (end,) = of_type(ended.events, "run_completed")
        decided = whole.session.stop_reason if at > last + 1 else StopReason.DEADLINE
        assert (at, end.stop_reason) == (at, decided)
        assert ended.document
        assert ended.document.references


def aged(records: Sequence[Record]) -> list[Record]:
    """The records, the last of which was made after the deadline."""
    *earlier, last = records
    return [*earlier, last._replace(text=json.dumps(json.loads(last.text) | {"elapsed_s": 1e5}))]


async def test_time_in_which_no_process_had_it_does_not_count(
    tmp_path: Path, schedule: Schedule
) -> None:
    asked = Asked(over(records(tmp_path)), schedule)
    whole = await process(asked)
    first = await process(asked, Texts((), 3, "before"))
    in_two_days = datetime.now(UTC) + timedelta(days=2)
    left = Texts(first.journal.records)
    ended = await process(asked, left, first.events, now=lambda: in_two_days)
    assert ended.session.stop_reason == whole.session.stop_reason is not StopReason.DEADLINE


async def test_after_its_deadline_a_model_has_the_time_for_the_report(
    tmp_path: Path, schedule: Schedule
) -> None:
    async with modelled(Asked(over(records(tmp_path)), schedule)) as (asked, _):
        first = await process(asked, Texts((), 6, "before"))
        ended = await process(asked, Texts(aged(first.journal.records)), first.events)
    (end,) = of_type(ended.events, "run_completed")
    made = {(one.judgement, one.made_by) for one in of_type(ended.events, "judgement_made")}
    assert end.stop_reason is StopReason.DEADLINE
    assert ("report", "model") in made
    assert ("assessment", "model") not in made


async def test_a_live_source_gets_some_time_after_the_deadline(
    tmp_path: Path, schedule: Schedule
) -> None:
    asked = Asked(partial(opened, Slow(records(tmp_path), "slow", 0.3)), schedule)
    first = await process(asked, Texts((), 2, "before"))
    ended = await process(asked, Texts(aged(first.journal.records)), first.events)
    (end,) = of_type(ended.events, "run_completed")
    assert end.stop_reason is StopReason.DEADLINE


class TestWriteNow:
    @pytest.mark.parametrize("at", range(12))
    async def test_it_ends_the_search_with_the_step_in_hand(
        self, tmp_path: Path, schedule: Schedule, at: int
    ) -> None:
        asked, journal = Asked(over(records(tmp_path)), schedule), Texts()

        def wanted() -> bool:
            return len(journal.records) >= at

        whole = await process(asked, journal, wants_stop=wanted)
        (end,) = of_type(whole.events, "run_completed")
        assert end.stop_reason is StopReason.USER_STOP
        assert end.references
        before = 9 + len({"read_studies", "match_results"}.intersection(whole.names))
        assert whole.names.count("execute") == 1 + (at >= before)
        # Whoever goes on with it need not be told so again.
        assert_same(await process(asked, Texts(whole.journal.records[:-1])), whole)


async def test_another_reasoner_does_not_go_on_with_it(tmp_path: Path) -> None:
    asked = Asked(over(records(tmp_path)))
    first = await process(asked, Texts((), 5))
    async with modelled(asked) as (other, _):
        with pytest.raises(ConfigurationError, match="was begun with the reasoner extractive"):
            await process(other, Texts(first.journal.records), first.events)


async def test_a_look_up_of_retractions_is_recorded(tmp_path: Path, schedule: Schedule) -> None:
    looked_up: list[int] = []
    path = snapshot(tmp_path / "made.jsonl", *(paper(n, doi=f"10.9999/{n}") for n in (1, 2)))

    @asynccontextmanager
    async def sources() -> AsyncIterator[RunSources]:
        async def check(found: object, _within_s: float) -> tuple[Evidence, ...]:
            assert isinstance(found, list)
            looked_up.append(len(found))
            gone = {"integrity": "retracted", "publication_types": ("Retracted Publication",)}
            first, *rest = found
            meta = first.metadata.model_copy(update=gone)
            return (first.model_copy(update={"metadata": meta}), *rest)

        yield RunSources(
            SearchHandler([SnapshotSource(path)]), ("made",), check, look_up=as_they_stand
        )

    whole = await process(Asked(sources, schedule))
    assert looked_up == [2]
    at = whole.names.index("check_integrity")
    for when in WHENS:
        looked_up.clear()
        assert_same(await stopped_and_resumed(Asked(sources, schedule), whole, at, when), whole)
        assert looked_up == [2] * (2 if when == "uncommitted" else 1)


async def test_an_error_on_record_is_raised_again(tmp_path: Path) -> None:
    asked = Asked(over(records(tmp_path)), reasoner=lambda: failing("read_evidence", LATER, 3))
    whole = await process(asked)
    assert "made-up failure" in str(of_type(whole.events, "notice"))
    sound = Asked(asked.sources)
    at = whole.names.index("read_all") + 1
    ended = await process(sound, Texts(whole.journal.records[:at]))
    assert_same(ended, whole)


LATER = RateLimitError("made-up failure", "Wait.", 3.0)


async def test_a_run_that_failed_fails_in_the_same_way(tmp_path: Path, schedule: Schedule) -> None:
    asked = Asked(over(records(tmp_path)), schedule, "Why is it so?")
    journal = Texts()
    with pytest.raises(QuestionError) as first:
        await process(asked, journal)
    again = Texts(journal.records)
    with pytest.raises(QuestionError) as second:
        await process(asked, again)
    assert again.done == []
    assert second.value.args == first.value.args


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_the_database_has_every_event_once(
    tmp_path: Path, schedule: Schedule, kind: str
) -> None:
    asked = Asked(over(records(tmp_path)), schedule)
    whole = await process(asked)
    with fresh_database(kind, tmp_path) as url:
        traces = ToolTraceService(Database(url))
        for at in range(0, len(whole.names), 4):
            run_id = (await traces.create_trace("made", {})).id
            writing = partial(TraceWriter, traces, run_id, tool_name="made", input_params={})
            await process(asked, died := Texts((), at, "uncommitted"), writer=writing())
            told = await traces.events(run_id)
            await process(asked, Texts(died.records), told, writer=writing())
            kept = await traces.events(run_id)
            assert kept[: len(told)] == told
            assert [e.event for e in kept] == [e.event for e in whole.events]
            assert [e.seq for e in kept] == list(range(1, len(kept) + 1))
            assert (await traces.get_trace(run_id)).status is TraceStatus.COMPLETED
        await traces.close()
