from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from deepcritical.domain.errors import SearchError, SnapshotCorruptError
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.question.question import SearchQuery
from deepcritical.tools.base import SearchTool, SourceOutcome, SourceQuery, SourceResult
from deepcritical.tools.search_handler import SearchHandler, require_any
from deepcritical.tools.searching import search
from deepcritical.tools.snapshot import SnapshotSource
from tests.conftest import make_evidence, paper, queries, snapshot


class FixedSource(SearchTool):
    """A source that always ends in the same way."""

    def __init__(self, name: str, ending: SourceOutcome | BaseException, reason: str = "") -> None:
        self._name = name
        self._ending = ending
        self._reason = reason
        self.asked: list[SourceQuery] = []

    @property
    def name(self) -> str:
        return self._name

    async def fetch(self, query: SourceQuery) -> SourceResult:
        self.asked.append(query)
        if isinstance(self._ending, BaseException):
            raise self._ending
        found = (make_evidence(f"{query.text} record"),) if self._ending == "data" else ()
        skipped = (self._reason,) if self._reason else ()
        return SourceResult(
            outcome=self._ending, evidence=found, query_as_run=query.text, skipped=skipped
        )


def up(name: str = "up") -> FixedSource:
    return FixedSource(name, SourceOutcome.DATA)


def down(name: str, message: str = "The line is dead.") -> FixedSource:
    return FixedSource(name, SearchError(message, "Try later."))


class TestAnswers:
    async def test_it_is_measured_how_long_each_source_took(self) -> None:
        class Slow(FixedSource):
            async def fetch(self, query: SourceQuery) -> SourceResult:
                await asyncio.sleep(0.2)
                return await super().fetch(query)

        sources = [up(), Slow("slow", SearchError("The line is dead.", ""))]
        handler = SearchHandler(sources, now=lambda: datetime.now(UTC))
        fast, slow = await handler.execute(queries("a"), 7)
        assert fast.seconds is not None
        assert slow.seconds is not None
        assert 0 <= fast.seconds < slow.seconds
        assert 0.2 <= slow.seconds < 100  # not the milliseconds
        (unmeasured,) = await SearchHandler([up()]).execute(queries("a"), 7)
        assert unmeasured.seconds is None

    async def test_a_query_for_the_web_alone_is_put_to_no_other_source(self) -> None:
        sources = [up("one"), up("web")]
        on_web = SearchQuery(text="a", web_only=True)
        answers = await SearchHandler(sources).execute((on_web, *queries("b")), 7)
        asked = [(a.query.text, a.source) for a in answers]
        assert asked == [("a", "web"), ("b", "one"), ("b", "web")]
        assert [query.text for query in sources[0].asked] == ["b"]

    async def test_every_source_gets_every_query_with_the_limit(self) -> None:
        sources = [up("one"), up("two")]
        answers = await SearchHandler(sources).execute(queries("a", "b"), 7)
        assert [(a.query.text, a.source) for a in answers] == [
            ("a", "one"),
            ("a", "two"),
            ("b", "one"),
            ("b", "two"),
        ]
        assert [q.max_results for s in sources for q in s.asked] == [7, 7, 7, 7]

    async def test_the_broad_query_may_bring_more(self) -> None:
        source = up()
        narrow = SearchQuery(text="b", terms=("safety",), literature_only=True)
        handler = SearchHandler([source], broad_factor=3)
        await handler.execute([*queries("a"), narrow], 7)
        assert [query.max_results for query in source.asked] == [21, 7]

    async def test_no_query_is_no_answer_and_no_error(self) -> None:
        assert await SearchHandler([up()]).execute([], 10) == ()

    async def test_the_names_of_the_sources_keep_their_order(self) -> None:
        assert SearchHandler([up("b"), up("a")]).sources == ("b", "a")

    def test_a_handler_without_a_source_is_a_programming_error(self) -> None:
        with pytest.raises(ValueError, match="at least one source"):
            SearchHandler([])


class TestFailures:
    async def test_one_source_down_costs_only_its_own_answers(self) -> None:
        answers = await SearchHandler([down("dead"), up()]).execute(queries("a"), 10)
        dead, alive = (answer.result for answer in answers)
        assert dead.outcome is SourceOutcome.UNAVAILABLE
        assert dead.skipped == ("The line is dead. Try later.",)
        assert alive.outcome is SourceOutcome.DATA
        assert len(alive.evidence) == 1

    async def test_nothing_found_is_not_the_same_as_down(self) -> None:
        sources = [FixedSource("empty", SourceOutcome.EMPTY), down("dead")]
        outcomes = [
            a.result.outcome for a in await SearchHandler(sources).execute(queries("a"), 10)
        ]
        assert outcomes == [SourceOutcome.EMPTY, SourceOutcome.UNAVAILABLE]

    async def test_all_sources_down_names_every_cause_once(self) -> None:
        handler = SearchHandler([down("one", "Fire."), down("two", "Flood.")])
        answers = await handler.execute(queries("a", "b"), 10)
        with pytest.raises(SearchError, match=r"Fire\..*Flood\.") as caught:
            require_any(answers)
        assert caught.value.message.count("Fire.") == 1
        assert caught.value.advice

    async def test_a_snapshot_that_cannot_be_read_is_told_as_such(self) -> None:
        error = SnapshotCorruptError("Line 3 is no record.")
        answers = await SearchHandler([FixedSource("one", error)]).execute(queries("a"), 10)
        with pytest.raises(SnapshotCorruptError):
            require_any(answers)

    async def test_sources_that_report_themselves_unavailable_are_named_too(self) -> None:
        source = FixedSource("own", SourceOutcome.UNAVAILABLE, reason="Closed on Sundays.")
        answers = await SearchHandler([source]).execute(queries("a"), 10)
        with pytest.raises(SearchError, match="Closed on Sundays"):
            require_any(answers)

    async def test_a_source_that_was_not_meant_does_not_stand_for_one_that_is_up(self) -> None:
        sources = [FixedSource("registry", SourceOutcome.NOT_APPLICABLE), down("dead")]
        answers = await SearchHandler(sources).execute(queries("a"), 10)
        with pytest.raises(SearchError, match="The line is dead"):
            require_any(answers)

    async def test_one_answer_is_enough(self) -> None:
        require_any(await SearchHandler([down("dead"), up()]).execute(queries("a"), 10))

    @pytest.mark.parametrize("bug", [RuntimeError("bug"), KeyError("bug"), TypeError("bug")])
    async def test_a_programming_error_is_not_taken_for_an_outage(self, bug: Exception) -> None:
        with pytest.raises(type(bug)):
            await SearchHandler([up(), FixedSource("buggy", bug)]).execute(queries("a"), 10)


class TestTime:
    async def test_a_source_is_told_until_when_it_may_last(self) -> None:
        source = up()
        await SearchHandler([source], deadline_s=500).execute(queries("a"), 10, within_s=200)
        (query,) = source.asked
        assert query.answer_by is not None
        assert 100 < query.answer_by.left_s <= 200

    async def test_a_live_answer_has_its_time_and_a_snapshots_none(self) -> None:
        then = datetime(2999, 1, 1, tzinfo=UTC)
        live = await SearchHandler([up()], now=lambda: then).execute(queries("a"), 10)
        kept = await SearchHandler([up()]).execute(queries("a"), 10)
        assert (live[0].searched_at, kept[0].searched_at) == (then, None)


WITHIN_S = 5.0


def handler(tmp_path: Path, *lines: object) -> SearchHandler:
    """Two sources that hold the same records."""
    path = snapshot(tmp_path / "records.jsonl", *lines)
    return SearchHandler([SnapshotSource(path), SnapshotSource(path)])


async def test_a_work_of_two_sources_is_one_record(tmp_path: Path) -> None:
    sources = handler(tmp_path, paper(1), paper(2))
    answers, records = await search(sources, queries("examplol"), 10, WITHIN_S)
    assert [len(answer.result.evidence) for answer in answers] == [2, 2]
    assert list(records) == ["E1", "E2"]
    assert {record.metadata.pmid for record in records.values()} == {"99000001", "99000002"}


async def test_what_an_index_calls_retracted_is_so_without_a_look_up(tmp_path: Path) -> None:
    sources = handler(tmp_path, paper(1, pub_types=["Retracted Publication"]), paper(2))
    _, records = await search(sources, queries("examplol"), 10, WITHIN_S)
    found = {record.metadata.pmid: record.metadata.integrity for record in records.values()}
    assert found == {"99000001": "retracted", "99000002": "not_checked"}


async def test_each_work_is_looked_up_once(tmp_path: Path) -> None:
    asked: list[tuple[int, float]] = []

    async def look_up(records: Sequence[Evidence], within_s: float) -> tuple[Evidence, ...]:
        asked.append((len(records), within_s))
        update = {"integrity": "clean"}
        return tuple(
            r.model_copy(update={"metadata": r.metadata.model_copy(update=update)}) for r in records
        )

    sources = handler(tmp_path, paper(1), paper(2))
    _, records = await search(sources, queries("examplol"), 10, WITHIN_S, look_up)
    assert asked == [(2, WITHIN_S)]
    assert [record.metadata.integrity for record in records.values()] == ["clean", "clean"]
