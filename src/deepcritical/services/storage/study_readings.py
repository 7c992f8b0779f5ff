"""Stores readings of studies beyond a run; each is made once and shared."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from pydantic import ValidationError

from deepcritical.domain.study.reading import SCHEMA_VERSION, StudyReading
from deepcritical.services.storage.database import Stored, engines, reads, sa, schema, writes

CLAIM_S = 120.0
"""Time that a run may take for a reading before another one makes it, too."""
_AT_ONCE = 500
"""Values in one statement; SQLite has a limit of its own."""


def reading_key(text_sha256: str, reader: str, owner: str = "") -> str:
    """Return the key of a reading: its text, reader, prompt and owner."""
    told = json.dumps([text_sha256, reader, owner, SCHEMA_VERSION])
    return hashlib.sha256(told.encode()).hexdigest()


def owner_of_run(run_id: str) -> str:
    """Return whose the readings are that go with a run; no user has a name with a colon."""
    return f"run:{run_id}"


class Kept(NamedTuple):
    """A reading with what is known of it beside."""

    key: str
    owner: str
    accepted: bool
    reading: StudyReading


def _row(key: str, reading: StudyReading, owner: str, accepted: bool) -> dict[str, object]:
    return {
        "key": key,
        "text_sha256": reading.text_sha256,
        "record_id": reading.record_id,
        "owner": owner,
        "accepted": accepted,
        "reading": reading.model_dump_json(exclude_defaults=True),
        "kept_at": time.time(),
    }


def _parts(values: Sequence[str]) -> Iterable[Sequence[str]]:
    return (values[at : at + _AT_ONCE] for at in range(0, len(values), _AT_ONCE))


def _kept(rows: Iterable[Sequence[Any]]) -> tuple[Kept, ...]:
    """The rows as readings; one that a newer version wrote is none to this one."""
    found = []
    for key, owner, accepted, reading in rows:
        with suppress(ValidationError):
            known = StudyReading.model_validate_json(reading)
            found.append(Kept(key, owner, accepted, known))
    return tuple(found)


def _select() -> sa.Select[tuple[str, str, bool, str]]:
    kept = schema.study_readings.c
    return sa.select(kept.key, kept.owner, kept.accepted, kept.reading)


def _of_texts(
    connection: sa.Connection, text_hashes: Sequence[str], owner: str
) -> tuple[Kept, ...]:
    """All accepted readings of these texts that everybody shares, or that are the owner's."""
    table = schema.study_readings
    usable = _select().where(table.c.accepted, table.c.owner.in_(("", owner)))
    return tuple(
        kept
        for part in _parts(text_hashes)
        for kept in _kept(connection.execute(usable.where(table.c.text_sha256.in_(part))))
    )


def _of_record(connection: sa.Connection, record_id: str) -> tuple[Kept, ...]:
    """Every reading of a record, for whoever operates the database."""
    table = schema.study_readings
    found = _select().where(table.c.record_id == record_id).order_by(table.c.kept_at)
    return _kept(connection.execute(found))


def _waiting(connection: sa.Connection) -> tuple[Kept, ...]:
    """The readings that were imported and not accepted."""
    table = schema.study_readings
    found = _select().where(table.c.accepted.is_(False)).order_by(table.c.kept_at)
    return _kept(connection.execute(found))


def _accept(connection: sa.Connection, keys: Sequence[str]) -> int:
    """Let imported readings be used; how many there were."""
    table = schema.study_readings
    change = sa.update(table).where(table.c.accepted.is_(False)).values(accepted=True)
    done = (connection.execute(change.where(table.c.key.in_(part))) for part in _parts(keys))
    return sum(result.rowcount for result in done)


def _insert(connection: sa.Connection, *, rows: Sequence[dict[str, object]]) -> None:
    statement = engines.inserting(connection, schema.study_readings).on_conflict_do_nothing()
    connection.execute(statement, list(rows))


def _claim(connection: sa.Connection, keys: Sequence[str], holder: str) -> frozenset[str]:
    """Return those of the keys that the holder is to read: that nobody else is reading now.

    One statement for all keys: whoever comes second finds them taken.
    """
    table, now = schema.reading_claims, time.time()
    # In one order for all, so that no two transactions wait for each other.
    rows = [{"key": key, "holder": holder, "until": now + CLAIM_S} for key in sorted(set(keys))]
    for part in (rows[at : at + _AT_ONCE] for at in range(0, len(rows), _AT_ONCE)):
        insert = engines.inserting(connection, table).values(part)
        taken = insert.on_conflict_do_update(
            index_elements=[table.c.key],
            set_={"holder": insert.excluded.holder, "until": insert.excluded.until},
            where=table.c.until <= now,
        )
        connection.execute(taken)
    own = sa.select(table.c.key).where(table.c.holder == holder)
    return frozenset(connection.scalars(own)) & frozenset(keys)


def _release(connection: sa.Connection, holder: str) -> None:
    """Give up what the holder claimed."""
    table = schema.reading_claims
    connection.execute(sa.delete(table).where(table.c.holder == holder))


class StudyReadings(Stored):
    """Readings in the database of runs, shared by its workers."""

    find = reads(_of_texts)
    claim = writes(_claim)
    release = writes(_release)
    of_record = reads(_of_record)
    waiting = reads(_waiting)
    accept = writes(_accept)

    async def keep(
        self, readings: Mapping[str, StudyReading], owner: str, *, accepted: bool = True
    ) -> None:
        """Keep readings by their keys; one that is there stays."""
        rows = [_row(key, reading, owner, accepted) for key, reading in readings.items()]
        if rows:
            await self.database.write(partial(_insert, rows=rows))
