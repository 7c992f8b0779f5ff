"""Stores of readings, made-up readings, and a reader that counts what it reads."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.study.reading import Reader, ReaderKind, Result, StudyReading
from deepcritical.reading.building import record_id
from deepcritical.reading.sentences import text_hash
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.study_readings import StudyReadings, reading_key
from tests.conftest import make_evidence, paper
from tests.databases import fresh_database

KINDS = ("sqlite", "postgresql")
MODEL = "made-up:reader"
NOW = datetime(2999, 1, 1, tzinfo=UTC)


@asynccontextmanager
async def opened_store(kind: str, folder: Path) -> AsyncIterator[StudyReadings]:
    with fresh_database(kind, folder) as url:
        async with database_store(url) as store:
            yield store


@asynccontextmanager
async def database_store(url: str) -> AsyncIterator[StudyReadings]:
    """Yield the store of a database, as one process sees it."""
    database = Database(url)
    try:
        yield StudyReadings(database)
    finally:
        await database.close()


def trials(number: int) -> dict[str, Evidence]:
    """Return so many made-up trials by the ids E1, E2 and so on."""
    return {f"E{n}": made_trial(n) for n in range(1, number + 1)}


def made_trial(number: int = 1, more: str = "") -> Evidence:
    """Return a made-up trial of examplol in testitis."""
    made = paper(number)
    return make_evidence(made["title"], f"{made['text']}{more}", pmid=f"990000{number:03}")


def made_reading(
    text: str | Evidence, kind: ReaderKind = "model", name: str = MODEL, **fields: Any
) -> StudyReading:
    """Return a reading of a record, or of any text."""
    if isinstance(text, str):
        known, digest = "pmid:99000001", hashlib.sha256(text.encode()).hexdigest()
    else:
        known, digest = record_id(text), text_hash(text)
    made = {
        "record_id": known,
        "text_sha256": digest,
        "reader": Reader(kind=kind, name=name),
        "read_at": NOW,
        "results": (Result(outcome=f"symptoms, read by {name}", better="a", sentences=(2,)),),
    }
    return StudyReading.model_validate(made | fields)


def key_of(reading: StudyReading, owner: str = "") -> str:
    """Return what a reading is kept under."""
    return reading_key(reading.text_sha256, reading.reader.name, owner)


async def keep_all(
    store: StudyReadings, *readings: StudyReading, owner: str = "", accepted: bool = True
) -> list[str]:
    """Keep readings, and return their keys."""
    keyed = {key_of(reading, owner): reading for reading in readings}
    await store.keep(keyed, owner, accepted=accepted)
    return list(keyed)
