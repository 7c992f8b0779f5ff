"""Runs over a journal in memory that are stopped at any record and taken up anew."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from bisect import bisect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

from deepcritical.domain.errors import ResearchCancelled
from deepcritical.domain.report.answer import Document
from deepcritical.domain.run.budget import RunLimits
from deepcritical.domain.run.events import LoggedEvent
from deepcritical.domain.run.recipe import Recipe
from deepcritical.jobs.conduct import Orchestrate, Tool, conduct
from deepcritical.jobs.engine import Effect, Journal
from deepcritical.jobs.recorder import Host
from deepcritical.jobs.run import OpenSources, RunOf
from deepcritical.jobs.runs import DEEP_RESEARCH, RESEARCH
from deepcritical.orchestrators.magentic import run_team
from deepcritical.reasoning.base import ExtractiveReasoner, Reasoner
from deepcritical.research.answering import deep_research
from deepcritical.research.closing import close_answer, close_report
from deepcritical.research.session import ResearchSession
from deepcritical.services.event_log import EventLog, TraceWriter
from tests.conftest import QUESTION

AMPLE = RunLimits(max_iterations=3, deadline_s=86_400)
"""No kill of a test comes near this deadline, which counts on between the processes."""
When = Literal["before", "uncommitted", "committed"]
WHENS: tuple[When, ...] = ("before", "uncommitted", "committed")
"""Where a process dies: before the effect, behind it and before its record, behind the record."""


class Record(NamedTuple):
    """One effect on record, as text, so that nothing else can pass from process to process."""

    name: str
    text: str


class Texts(Journal):
    """Implements `Journal`: keeps records as texts, and ends the process at one of them.

    Args:
        records: Those of the processes before.
        dies_at: The record, from 0, at which this one ends; None never does.
        when: Where there.
    """

    def __init__(
        self, records: Sequence[Record] = (), dies_at: int | None = None, when: When = "before"
    ) -> None:
        self.records = list(records)
        self.done: list[str] = []
        """Names of the effects that this process ran."""
        self._place = 0
        self._places = list(range(len(records)))
        self._dies_at = dies_at
        self._when = when

    async def record(self, name: str, effect: Effect) -> dict[str, Any]:
        place, self._place = self._place, self._place + 1
        if place < len(self.records):
            assert self.records[place].name == name, f"{name} at {place}: {self.records[place]}"
            return dict(json.loads(self.records[place].text))
        self._die(place, "before")
        self.done.append(name)
        text = json.dumps(await effect(), allow_nan=False)
        self._die(place, "uncommitted")
        # Of two effects at once the later one may end first.
        at = bisect(self._places, place)
        self._places.insert(at, place)
        self.records.insert(at, Record(name, text))
        self._die(place, "committed")
        return dict(json.loads(text))

    def _die(self, place: int, when: When) -> None:
        if self._dies_at is not None and (place > self._dies_at or (place, when) == self._point):
            raise ResearchCancelled

    @property
    def _point(self) -> tuple[int | None, When]:
        return self._dies_at, self._when


@dataclass(frozen=True)
class Asked:
    """A question to one of the two schedules, over sources and with a reasoner."""

    sources: OpenSources
    schedule: Literal["team", "loop"] = "team"
    question: str = QUESTION
    reasoner: Callable[[], Reasoner] = ExtractiveReasoner
    limits: RunLimits = AMPLE


class Ended(NamedTuple):
    document: Document | None
    """None when it died."""
    events: tuple[LoggedEvent, ...]
    journal: Texts
    session: ResearchSession

    @property
    def names(self) -> list[str]:
        return [record.name for record in self.journal.records]

    @property
    def told(self) -> list[dict[str, Any]]:
        return [event.model_dump(mode="json", exclude={"at"}) for event in self.events]

    def told_by(self, at: int) -> tuple[LoggedEvent, ...]:
        """The events that the database has for sure when the record at this place is begun."""
        return self.events[:1] if at else ()


async def process(
    asked: Asked,
    journal: Texts | None = None,
    told: Sequence[LoggedEvent] = (),
    writer: TraceWriter | None = None,
    **host: Any,
) -> Ended:
    """One process that begins the run, or goes on with it, until it dies or the run ends."""
    journal = journal or Texts()
    log = EventLog("made", writer=writer, told=told)
    session = ResearchSession(
        text=asked.question,
        limits=asked.limits,
        reasoner=asked.reasoner(),
        log=log,
        clock=time.monotonic,
        searched_on=datetime.now(UTC).date().isoformat(),
    )
    team = asked.schedule == "team"
    schedule: Orchestrate = run_team if team else deep_research
    hosted = Host(journal=journal, lets_go=lambda: True, **host)
    run: RunOf[Document] = RunOf(
        recipe=Recipe(
            tool=RESEARCH if team else DEEP_RESEARCH,
            question=asked.question,
            limits=asked.limits,
            searched_on=session.searched_on,
        ),
        session=session,
        open_sources=asked.sources,
        ending=asyncio.get_running_loop().create_future(),
        writer=writer,
    )
    closing = close_report if team else close_answer
    tool = Tool(schedule, closing, lambda store: store.report if team else store.answer)
    with contextlib.suppress(ResearchCancelled):
        await conduct(run, tool, hosted)
    document = run.ending.result() if run.ending.done() else None
    return Ended(document, log.events, journal, session)
