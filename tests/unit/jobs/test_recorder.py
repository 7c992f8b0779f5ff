"""Events of a call that is being recorded are told at once, and once."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from deepcritical.domain.budget import RunLimits
from deepcritical.domain.errors import StorageError
from deepcritical.domain.events import Notice, RunCancelled, Stage
from deepcritical.jobs.engine import Effect, Journal
from deepcritical.jobs.recorder import Form, Host, Recorder
from deepcritical.reasoning.base import ExtractiveReasoner
from deepcritical.research.session import ResearchSession
from deepcritical.services.event_log import EventLog
from tests.conftest import DEMO_QUESTION

LENGTH: Form[int] = Form("count", int)
TOLD = Notice(message="Half of it is read.")


class Kept(Journal):
    """A journal in memory."""

    def __init__(self) -> None:
        self.outcomes: dict[str, dict[str, Any]] = {}

    async def record(self, name: str, effect: Effect) -> dict[str, Any]:
        if name not in self.outcomes:
            self.outcomes[name] = await effect()
        return self.outcomes[name]


def session() -> ResearchSession:
    return ResearchSession(
        text=DEMO_QUESTION,
        limits=RunLimits(),
        reasoner=ExtractiveReasoner(),
        log=EventLog("made"),
        clock=time.monotonic,
        searched_on="2999-01-01",
    )


def messages(run: ResearchSession) -> list[Any]:
    return [logged.event for logged in run.log.events]


async def test_what_a_call_tells_is_in_the_log_before_it_ends() -> None:
    run, go_on = session(), asyncio.Event()
    recorder = Recorder(run, Host())

    async def slow() -> int:
        await recorder.tell(TOLD)
        await go_on.wait()
        return 3

    call = asyncio.create_task(recorder.call(LENGTH, slow))
    async for logged in run.log.tail():
        assert logged.event == TOLD
        break
    assert not call.done()
    go_on.set()
    assert await call == 3
    assert messages(run) == [TOLD]


async def test_a_replay_tells_from_the_record() -> None:
    journal = Kept()

    async def effect() -> int:
        await recorder.tell(TOLD)
        return 3

    for run in (session(), session()):
        recorder = Recorder(run, Host(journal))
        assert await recorder.call(LENGTH, effect) == 3
        assert messages(run) == [TOLD]


async def test_that_the_log_has_ended_is_no_outcome_of_the_call() -> None:
    journal, run = Kept(), session()
    recorder = Recorder(run, Host(journal))
    await run.log.append(RunCancelled(), Stage.DONE, 1.0)

    async def effect() -> int:
        await recorder.tell(TOLD)
        return 3

    with pytest.raises(StorageError):
        await recorder.call(LENGTH, effect)
    assert journal.outcomes["count"]["result"] == 3
    assert journal.outcomes["count"]["error"] is None
