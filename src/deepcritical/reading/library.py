"""Gives each record its reading: a known one if there is one, else by a model, else by rules."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from typing import NamedTuple, Protocol, TypeVar
from uuid import uuid4

from deepcritical.domain.errors import ReasoningError, StorageError
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.study.reading import ReaderKind, StudyReading
from deepcritical.reading.registry import read_registry
from deepcritical.reading.rules import read_by_rules
from deepcritical.reading.sentences import text_hash
from deepcritical.services.storage.study_readings import Kept, StudyReadings, reading_key
from deepcritical.services.tasks import calculated

T = TypeVar("T")

_TRUST: dict[ReaderKind, int] = {"registry": 0, "curated": 1, "model": 2, "rules": 3}
_WAIT_S = 20.0
"""Time that a reading that another run is making is waited for, before it is made twice."""
_LOOK_S = 0.2

Keep = Callable[[Mapping[str, StudyReading]], Awaitable[None]]
"""Takes in readings as soon as they are there: what was read is not lost when time ends."""


@dataclass
class Readings:
    """The readings of the records that a reader was given."""

    found: dict[str, StudyReading] = field(default_factory=dict)
    """By the ids of the records."""
    failed: list[ReasoningError] = field(default_factory=list)
    """Errors that tell why records are not among them."""
    not_its_own: set[str] = field(default_factory=set)
    """Of those found, what another read in its place: not kept under its name."""
    strange: int = 0
    """Studies in answers that were of no record shown, or of one told before."""


class AskedReader(Protocol):
    """Reads records for one run, within its budget and time."""

    @property
    def identity(self) -> str:
        """Return what its readings are kept under, beside the text: who reads, by which prompt."""
        ...

    @property
    def holder(self) -> str:
        """Return its name while it reads, in whichever process; '' where that has no name."""
        ...

    async def begun(self) -> Sequence[Sequence[str]]:
        """Return what it was given to read before its process died, by the ids of the records."""
        ...

    async def begin(self, ids: Sequence[str]) -> None:
        """Note what it is given to read next."""
        ...

    def seconds_left(self) -> float:
        """Seconds in which the run may still read."""
        ...

    async def read(self, records: Mapping[str, Evidence], keep: Keep) -> Readings:
        """Read records, those that matter most first; `keep` is given every reading that stands.

        Raises:
            ConfigurationError: It cannot be asked at all.
        """
        ...


class Outcome(NamedTuple):
    """The readings of some records, and how a model fared that was asked for some of them."""

    readings: Mapping[str, StudyReading]
    """By the ids of the records."""
    asked: int
    """Records that a model was asked to read."""
    by_model: Readings
    """Readings by the model, and why anything is missing."""
    problem: str = ""
    """Reason why readings could not be looked up or kept; the run has them all the same."""


class Library:
    """Readings of one service, shared by its runs; without a store each run reads for itself."""

    def __init__(self, store: StudyReadings | None = None) -> None:
        self._store = store

    async def read(
        self, records: Mapping[str, Evidence], model: AskedReader | None = None, owner: str = ""
    ) -> Outcome:
        """The best reading of each record: of the registry, curated, of a model, of rules.

        Those that matter most come first. The owner's own readings may be used beside those that
        all share.

        Raises:
            ConfigurationError: The model cannot be asked at all.
        """
        hashes = {i: text_hash(evidence) for i, evidence in records.items()}
        found = await calculated(_by_code, records, hashes)
        open_ = [i for i in records if i not in found and records[i].content.strip()]
        call = _Call(self._store)
        begun = await model.begun() if model else ()
        asked = {i for wave in begun for i in wave}
        found |= await call.known([i for i in open_ if i not in asked], hashes, model, owner)
        by_model = Readings()
        open_ = [i for i in open_ if i not in found]
        if model and open_:
            of = {i: records[i] for i in open_}
            by_model = await call.by_model(model, of, hashes, owner, begun)
            found |= by_model.found
        for i in records:
            if i not in found:  # each in a turn of its own: other runs wait for one at most
                found[i] = await calculated(read_by_rules, records[i], datetime.now(UTC))
        return Outcome(
            {i: found[i] for i in records}, len(open_) if model else 0, by_model, call.problem
        )


class _Call:
    """One look into the store and round of questions; a store that is away costs no reading."""

    def __init__(self, store: StudyReadings | None) -> None:
        self._store = store
        self.problem = ""

    async def known(
        self, ids: Sequence[str], hashes: Mapping[str, str], model: AskedReader | None, owner: str
    ) -> dict[str, StudyReading]:
        """Return kept readings by the fixed precedence; with a model, none of another model."""
        none: tuple[Kept, ...] = ()
        wanted = [hashes[i] for i in ids]
        kept = await self._of_store(lambda store: store.find(wanted, owner), none)
        by_text: dict[str, list[Kept]] = {}
        for one in kept:
            by_text.setdefault(one.reading.text_sha256, []).append(one)
        found = {}
        for i in ids:
            own = reading_key(hashes[i], model.identity, owner) if model else ""
            usable = [
                one
                for one in by_text.get(hashes[i], ())
                if not model or one.key == own or one.reading.reader.kind in ("registry", "curated")
            ]
            if usable:
                best = min(usable, key=lambda one: _precedence(one, owner))
                found[i] = best.reading
        return found

    async def by_model(
        self,
        model: AskedReader,
        records: Mapping[str, Evidence],
        hashes: Mapping[str, str],
        owner: str,
        begun: Sequence[Sequence[str]] = (),
    ) -> Readings:
        """Return what the model reads, each text once; wait for what another run is reading.

        What the run had begun to read when its process died is asked for in the same way: most of
        it is on record, and what was kept of it meanwhile must not change the questions.
        """
        holder, readings = model.holder or uuid4().hex, Readings()
        firsts = {hashes[i]: i for i in reversed(list(records))}
        left = {i: records[i] for i in records if firsts[hashes[i]] == i}
        keys = {i: reading_key(hashes[i], model.identity, owner) for i in left}
        end = time.monotonic() + min(_WAIT_S, model.seconds_left() / 2)
        try:
            for wave in begun:
                mine = {i: left.pop(i) for i in wave if i in left}
                await self._read(model, mine, keys, owner, readings)
            while left:
                claimed = await self._claimed([keys[i] for i in left], holder)
                late = time.monotonic() >= end
                # Looked up behind the claim: who held it before may just have kept its reading.
                readings.found |= await self.known(list(left), hashes, model, owner)
                left = {i: e for i, e in left.items() if i not in readings.found}
                mine = {i: e for i, e in left.items() if late or keys[i] in claimed}
                if mine:
                    await model.begin(list(mine))
                    await self._read(model, mine, keys, owner, readings)
                left = {i: e for i, e in left.items() if i not in mine}
                if left:
                    await asyncio.sleep(_LOOK_S)
        finally:
            await self._of_store(lambda kept: kept.release(holder), None)
        of_text = {hashes[i]: reading for i, reading in readings.found.items()}
        readings.found = {i: of_text[hashes[i]] for i in records if hashes[i] in of_text}
        return readings

    async def _claimed(self, keys: Sequence[str], holder: str) -> frozenset[str]:
        return await self._of_store(lambda kept: kept.claim(keys, holder), frozenset(keys))

    async def _read(
        self,
        model: AskedReader,
        records: Mapping[str, Evidence],
        keys: Mapping[str, str],
        owner: str,
        readings: Readings,
    ) -> None:
        async def keep(some: Mapping[str, StudyReading]) -> None:
            # A reading with faults goes back once; the better one of both is kept at the end.
            whole = {keys[i]: reading for i, reading in some.items() if not reading.faults}
            await self._of_store(lambda store: store.keep(whole, owner), None)

        more = await model.read(records, keep)
        own = more.found.keys() - more.not_its_own
        kept = {keys[i]: more.found[i] for i in own}
        await self._of_store(lambda store: store.keep(kept, owner), None)
        readings.found |= more.found
        readings.failed += more.failed
        readings.strange += more.strange

    async def _of_store(self, work: Callable[[StudyReadings], Awaitable[T]], otherwise: T) -> T:
        try:
            return await work(self._store) if self._store else otherwise
        except StorageError as error:
            self.problem = f"Readings of studies were neither looked up nor kept: {error}"
            return otherwise


def _precedence(kept: Kept, owner: str) -> tuple[bool, int, str, str]:
    """Of what is kept, a user's own goes first in his own runs; the rest is always the same."""
    theirs = not (owner and kept.owner == owner)
    return theirs, _TRUST[kept.reading.reader.kind], kept.reading.reader.name, kept.key


def read_by_code(records: Mapping[str, Evidence]) -> dict[str, StudyReading]:
    """The readings that need neither a model nor a database: registry, curated, rules."""
    found = _by_code(records, {i: text_hash(evidence) for i, evidence in records.items()})
    now = datetime.now(UTC)
    return found | {i: read_by_rules(e, now) for i, e in records.items() if i not in found}


def _by_code(records: Mapping[str, Evidence], hashes: Mapping[str, str]) -> dict[str, StudyReading]:
    """Return what the registry posted, and what was curated."""
    now = datetime.now(UTC)
    curated = curated_readings(frozenset(hashes.values()))
    found = {}
    for i, evidence in records.items():
        posted = read_registry(evidence, now)
        if posted and posted.results:
            found[i] = posted
        elif hashes[i] in curated:
            found[i] = curated[hashes[i]]
        elif posted:
            found[i] = posted
    return found


@cache
def _lines() -> Mapping[str, str]:
    source = resources.files("deepcritical").joinpath("data", "readings", "demo.jsonl")
    lines = source.read_text(encoding="utf-8").splitlines() if source.is_file() else []
    return {line.partition('"text_sha256":"')[2][:64]: line for line in lines}


def curated_readings(text_hashes: frozenset[str]) -> dict[str, StudyReading]:
    """Readings by the hash of what was read."""
    known = _lines()
    return {h: StudyReading.model_validate_json(known[h]) for h in text_hashes if h in known}
