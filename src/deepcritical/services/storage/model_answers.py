"""Stores a model's answers within a run before they are used.

The steps of a run are recorded whole. A step may ask a model many times: when its process dies, the
next one finds here what was answered, asks again only what was under way, and charges that to the
run, too.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from deepcritical.domain.errors import StorageError
from deepcritical.domain.run.budget import Spent
from deepcritical.services.storage.database import Database, engines, sa, schema

_LOG = logging.getLogger(__name__)
STEP: ContextVar[str] = ContextVar("step", default="")
"""The step of the run that is under way: its place in the run, and its name."""


@dataclass
class Place:
    """The place of a request in the record of its run."""

    step: str = ""
    content: str = ""
    number: int = 0
    """How often the step had asked the same before."""
    sent: int = 0
    """How often it was sent without being known to be unanswered."""
    answer: str = ""
    """The answer; '' until there is one."""
    spent: Spent = field(default_factory=Spent)
    """The charge to the run for it."""


class AnswerBook:
    """The requests of a run that ends with its process: nothing of them is kept."""

    @property
    def holder(self) -> str:
        """The name of the step under way, the same in every process; '' without a name."""
        return ""

    async def place(self, content: str) -> Place:
        """Return the place of the next request of this content, with its record."""
        return Place(content=content)

    async def sending(self, place: Place) -> None:
        """Note that a request is sent."""
        place.sent += 1
        await self._write(place)

    async def unanswered(self, place: Place) -> None:
        """Note that a request will not be answered, so that it is not charged."""
        place.sent -= 1
        await self._write(place)

    async def keep(self, place: Place, answer: str, spent: Spent) -> None:
        """Record an answer before it is used."""
        place.answer, place.spent = answer, spent
        await self._write(place)

    async def _write(self, place: Place) -> None:
        """Put on record what is known of a request, where there is a record."""


class RunAnswers(AnswerBook):
    """The requests of one durable run.

    A database that cannot be written costs no answer: it is used, and would be asked for again.
    """

    def __init__(self, database: Database, run_id: str, known: Mapping[Key, Place]) -> None:
        self._database = database
        self._run_id = run_id
        self._known = known
        self._asked: Counter[tuple[str, str]] = Counter()

    @classmethod
    async def of(cls, database: Database, run_id: str) -> RunAnswers:
        """Those of a run that is taken up."""
        return cls(database, run_id, await database.read(partial(_select, run_id=run_id)))

    @property
    def holder(self) -> str:
        """The run and its step."""
        return f"{self._run_id}:{STEP.get()}"[:64]

    async def place(self, content: str) -> Place:
        """As `AnswerBook.place`."""
        step = STEP.get()
        number = self._asked[step, content]
        self._asked[step, content] += 1
        return self._known.get((step, content, number)) or Place(step, content, number)

    async def _write(self, place: Place) -> None:
        row = {
            "run_id": self._run_id,
            "step": place.step,
            "content": place.content,
            "number": place.number,
            "sent": place.sent,
            "answer": place.answer,
            "spent": place.spent.model_dump(mode="json"),
        }
        try:
            await self._database.write(partial(_upsert, row=row))
        except StorageError as error:
            _LOG.warning("an answer of a model is not on record: %s", error)


Key = tuple[str, str, int]


def _select(connection: sa.Connection, *, run_id: str) -> dict[Key, Place]:
    table = schema.model_answers
    rows = connection.execute(sa.select(table).where(table.c.run_id == run_id))
    found = (
        Place(r.step, r.content, r.number, r.sent, r.answer, Spent.model_validate(r.spent))
        for r in rows
    )
    return {(place.step, place.content, place.number): place for place in found}


def _upsert(connection: sa.Connection, *, row: Mapping[str, Any]) -> None:
    table = schema.model_answers
    insert = engines.inserting(connection, table).values(row)
    changed = {name: insert.excluded[name] for name in ("sent", "answer", "spent")}
    connection.execute(insert.on_conflict_do_update(index_elements=table.primary_key, set_=changed))
