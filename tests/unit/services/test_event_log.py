from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from deepcritical.domain.errors import StorageError
from deepcritical.domain.run.events import (
    TERMINAL,
    LoggedEvent,
    Notice,
    RunCancelled,
    RunFailed,
    Stage,
)
from deepcritical.services.event_log import EventLog
from tests.conftest import collected


async def filled(notices: int, path: Path | None = None) -> EventLog:
    log = EventLog("made", path)
    for number in range(1, notices + 1):
        await log.append(Notice(message=str(number)), Stage.SEARCH, number / 10)
    return log


async def end(log: EventLog) -> LoggedEvent:
    return await log.append(RunCancelled(), Stage.DONE, 1.0)


def lines(path: Path) -> list[LoggedEvent]:
    text = path.read_text(encoding="utf-8")
    return [LoggedEvent.model_validate_json(line) for line in text.splitlines()]


class TestAppend:
    async def test_events_are_numbered_without_a_gap(self) -> None:
        log = await filled(3)
        assert [logged.seq for logged in log.events] == [1, 2, 3]
        assert {logged.run_id for logged in log.events} == {"made"}

    async def test_writers_at_once_get_numbers_of_their_own(self, tmp_path: Path) -> None:
        path = tmp_path / "events.jsonl"
        log = EventLog("made", path)
        many = [log.append(Notice(message=str(n)), Stage.SEARCH, 0.1) for n in range(20)]
        await asyncio.gather(*many)
        assert [logged.seq for logged in log.events] == list(range(1, 21))
        assert tuple(await asyncio.to_thread(lines, path)) == log.events

    async def test_progress_never_goes_back(self) -> None:
        log = EventLog("made")
        for progress in (0.2, 0.1, 0.5, 0.0):
            await log.append(Notice(message="made"), Stage.SEARCH, progress)
        assert [logged.progress for logged in log.events] == [0.2, 0.2, 0.5, 0.5]

    @pytest.mark.parametrize("ending", [kind for kind in TERMINAL if kind is not RunFailed][1:])
    async def test_nothing_follows_the_terminal_event(self, ending: type[RunCancelled]) -> None:
        log = await filled(1)
        await log.append(ending(), Stage.DONE, 1.0)
        assert log.ended
        for late in (Notice(message="late"), RunCancelled()):
            with pytest.raises(StorageError, match="has ended"):
                await log.append(late, Stage.DONE, 1.0)
        assert len(log.events) == 2


class TestTail:
    @pytest.mark.parametrize("after", range(6))
    async def test_every_event_after_a_number_comes_once(self, after: int) -> None:
        log = await filled(4)
        await end(log)
        seen = await collected(log.tail(after))
        assert [logged.seq for logged in seen] == list(range(after + 1, 6))

    async def test_a_number_beyond_the_end_gives_nothing(self) -> None:
        log = await filled(1)
        await end(log)
        assert await collected(log.tail(99)) == []

    async def test_a_tail_that_began_early_sees_what_came_later(self) -> None:
        log = EventLog("made")
        tails = [asyncio.create_task(collected(log.tail(after))) for after in (0, 0, 2)]
        await asyncio.sleep(0)
        for number in range(3):
            await log.append(Notice(message=str(number)), Stage.SEARCH, 0.1)
            await asyncio.sleep(0)
        await end(log)
        seen = [[logged.seq for logged in events] for events in await asyncio.gather(*tails)]
        assert seen == [[1, 2, 3, 4], [1, 2, 3, 4], [3, 4]]

    async def test_a_slow_reader_misses_nothing(self) -> None:
        log = await filled(2)
        tail = log.tail()
        first = await anext(tail)
        await log.append(Notice(message="meanwhile"), Stage.SEARCH, 0.9)
        await end(log)
        assert [first.seq, *(logged.seq for logged in await collected(tail))] == [1, 2, 3, 4]

    async def test_a_reader_who_leaves_disturbs_no_other(self) -> None:
        log = EventLog("made")
        leaver, stayer = (asyncio.create_task(collected(log.tail())) for _ in range(2))
        await asyncio.sleep(0)
        leaver.cancel()
        await end(log)
        assert len(await stayer) == 1


class TestFile:
    async def test_the_lines_parse_back_into_the_events(self, tmp_path: Path) -> None:
        path = tmp_path / "events.jsonl"
        log = await filled(3, path)
        await log.append(Notice(message="line\nbreak \u2028 “examplol” \x85"), Stage.SEARCH, 0.9)
        await end(log)
        text = await asyncio.to_thread(path.read_text, encoding="utf-8")
        parsed = [LoggedEvent.model_validate_json(line) for line in text.strip().split("\n")]
        assert tuple(parsed) == log.events

    async def test_a_file_that_cannot_be_written_is_a_storage_error(self, tmp_path: Path) -> None:
        log = EventLog("made", tmp_path / "gone" / "events.jsonl")
        with pytest.raises(StorageError, match="cannot be written"):
            await log.append(Notice(message="made"), Stage.SEARCH, 0.1)

    async def test_the_terminal_event_reaches_the_readers_even_then(self, tmp_path: Path) -> None:
        log = EventLog("made", tmp_path / "gone" / "events.jsonl")
        with pytest.raises(StorageError):
            await end(log)
        async with asyncio.timeout(1):
            assert len(await collected(log.tail())) == 1

    async def test_a_writer_cancelled_on_the_way_leaves_no_line_unknown_to_the_log(
        self, tmp_path: Path
    ) -> None:
        path = tmp_path / "events.jsonl"
        log = EventLog("made", path)
        writer = asyncio.create_task(log.append(Notice(message="cut"), Stage.SEARCH, 0.1))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        writer.cancel()
        await asyncio.gather(writer, return_exceptions=True)
        await end(log)
        assert tuple(await asyncio.to_thread(lines, path)) == log.events
        assert [logged.seq for logged in log.events] == list(range(1, len(log.events) + 1))


class TestTakenUp:
    async def test_what_was_told_is_not_told_again(self) -> None:
        first = await filled(3)
        again = EventLog("made", told=first.events)
        for number in (1, 2, 3):
            told = await again.append(Notice(message=str(number)), Stage.DONE, 1.0)
            assert told == first.events[number - 1]
        assert again.events == first.events
        new = await again.append(Notice(message="4"), Stage.SEARCH, 0.1)
        assert (new.seq, new.progress) == (4, first.events[-1].progress)

    async def test_what_was_told_twice_is_told_twice(self) -> None:
        first = EventLog("made")
        for _ in range(3):
            await first.append(Notice(message="made"), Stage.SEARCH, 0.1)
        again = EventLog("made", told=first.events[:2])
        for _ in range(3):
            await again.append(Notice(message="made"), Stage.SEARCH, 0.1)
        assert [logged.seq for logged in again.events] == [1, 2, 3]
        assert again.events[:2] == first.events[:2]

    async def test_whoever_tails_it_sees_all_from_where_they_were(self) -> None:
        first = await filled(3)
        again = EventLog("made", told=first.events)
        tail = asyncio.create_task(collected(again.tail(after=2)))
        await end(again)
        assert [logged.seq for logged in await tail] == [3, 4]

    async def test_an_end_that_was_told_stays_the_end(self) -> None:
        first = await filled(1)
        await end(first)
        again = EventLog("made", told=first.events)
        assert again.ended
        assert await end(again) == first.events[-1]
        with pytest.raises(StorageError, match="has ended"):
            await again.append(Notice(message="late"), Stage.DONE, 1.0)

    async def test_a_run_that_is_let_go_keeps_nobody_waiting(self) -> None:
        log = await filled(2)
        tail = asyncio.create_task(collected(log.tail()))
        await asyncio.sleep(0)
        await log.leave()
        assert [logged.seq for logged in await tail] == [1, 2]
        assert not log.ended
