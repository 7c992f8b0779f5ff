"""Has a model read records: in batches, all at once, and once more where a check failed."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import NamedTuple

from deepcritical.domain.errors import ConfigurationError
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.run.budget import Spent
from deepcritical.domain.study.reading import SCHEMA_VERSION, Fault, Reader, StudyReading
from deepcritical.domain.text.spans import Span
from deepcritical.models.asking import Asker
from deepcritical.models.failing import NoAnswerError
from deepcritical.prompts.asks import Prompt
from deepcritical.prompts.evidence import CHARS_PER_TOKEN, record_text
from deepcritical.reading.answers import ReadStudies, ReadStudy, wording
from deepcritical.reading.building import built
from deepcritical.reading.checking import checked
from deepcritical.reading.library import Keep, Readings
from deepcritical.reading.sentences import numbered, shown_numbers
from deepcritical.services.storage.model_answers import Place
from deepcritical.services.tasks import calculated

_LONGEST_FIELD = 300


class Shown(NamedTuple):
    """A record as a reader is shown it."""

    evidence: Evidence
    told: tuple[Span, ...]
    """All its sentences."""
    numbers: tuple[int, ...]
    """Those that are shown."""

    @property
    def is_cut(self) -> bool:
        """Return whether sentences were left out."""
        return len(self.numbers) < len(self.told)


def show(evidence: Evidence, limit_chars: int) -> Shown:
    """The record in its numbered sentences, as many as fit."""
    told = numbered(evidence)
    return Shown(evidence, told, shown_numbers(told, limit_chars))


def ask_to_read(
    records: Mapping[str, Shown], faults: Mapping[str, Sequence[Fault]] | None = None
) -> Prompt:
    """The question for some records, by ids that are new in every question, such as R1.

    One that is put again tells the `faults` of the former answer.
    """
    blocks = (
        _block(key, shown, (faults or {}).get(key, ())) for key, shown in sorted(records.items())
    )
    text = "\n\n".join(("Task: read_studies", " ".join(wording()["ask"].split()), *blocks))
    return Prompt("read_studies", wording()["rules"], text)


def _block(key: str, shown: Shown, faults: Sequence[Fault]) -> str:
    lines = [f'<record id="{key}">', *_registry(shown.evidence)]
    label = ""
    for number in shown.numbers:
        span = shown.told[number]
        own = (number and shown.evidence.place_of(span.start)) or span.label
        section = f" ({own})" if own not in ("", "title", label) else ""
        label = own
        lines.append(f"[{number}]{section} {record_text(span.text)}")
    lines.append("</record>")
    if faults:
        told = "; ".join(f"{fault.part}: {fault.reason}" for fault in faults)
        lines.append(f"Your former answer on {key} was wrong in part: {told}. Read it again.")
    return "\n".join(lines)


def _registry(evidence: Evidence) -> list[str]:
    """Return what index and registry say of a record, of which no sentence can be cited."""
    meta = evidence.metadata
    fields = {
        "indexed as": ", ".join(meta.publication_types),
        "registered conditions": ", ".join(meta.conditions),
        "registered interventions": ", ".join(meta.interventions),
        "status": meta.status or "",
        "stopped because": meta.why_stopped or "",
    }
    return [
        f"{name}: {record_text(' '.join(value.split())[:_LONGEST_FIELD])}"
        for name, value in fields.items()
        if value
    ]


ToRead = Callable[[int], Awaitable[None]]

_ABSTRACT_CHARS = 6_000
"""Characters shown at least: an abstract that is cut loses its results, which stand at its end."""
_WAVE = "wave"
"""Name that a wave of records is on record under."""
_FRAME_CHARS = 4_000
"""Characters of a record's own that surround its sentences, and of the question that it is in."""


@cache
def _prompt_hash() -> str:
    """Hash of all that a model is told beside the records: rules, question and schema."""
    told = [wording(), ReadStudies.model_json_schema(), SCHEMA_VERSION]
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def reader_identity(name: str, address: str) -> str:
    """Return who a model is as a reader; two addresses are two readers, as two prompts are."""
    return json.dumps([name, address, _prompt_hash()])


_MISSING = Fault(part="study", reason="there was none for this record")


class ModelReader:
    """One model that reads for one run, and tells first how many records it is to read."""

    def __init__(self, asker: Asker, to_read: ToRead | None = None) -> None:
        self._asker = asker
        self._to_read = to_read
        self._server = asker.server_for("reading")
        self.identity = reader_identity(self._server.name, self._server.address)
        """Identity that a reading by it is kept under, beside the text."""
        self._next = Place()

    @property
    def holder(self) -> str:
        """See `AskedReader`; another one must not go on with what a step of this run reads."""
        return self._asker.book.holder

    async def begun(self) -> list[list[str]]:
        """Return what is on record of the step under way."""
        waves = []
        while (place := await self._asker.book.place(_WAVE)).answer:
            waves.append(json.loads(place.answer))
        self._next = place
        return waves

    async def begin(self, ids: Sequence[str]) -> None:
        """Record what is read next; called after `begun`."""
        await self._asker.book.keep(self._next, json.dumps(list(ids)), Spent())
        self._next = await self._asker.book.place(_WAVE)

    def seconds_left(self) -> float:
        """Seconds that the run's budget leaves for reading."""
        return self._asker.purse.seconds_left("reading")

    async def read(self, records: Mapping[str, Evidence], keep: Keep) -> Readings:
        """Read records in two waves at most: all of them, then those with faults.

        Raises:
            ConfigurationError: The run's very first question shows that key or name are wrong.
        """
        readings = Readings()
        limit = self._batch_chars()
        shown = {i: show(e, limit) for i, e in records.items() if e.content.strip()}
        if self._to_read and shown:
            await self._to_read(len(shown))
        first = await self._wave(shown, {}, readings, keep)
        again = {i: first[i].faults for i in first if first[i].faults}
        if not readings.failed:
            again |= {i: (_MISSING,) for i in shown if i not in first}
        if again:
            await self._wave({i: shown[i] for i in again}, again, readings, keep)
        if not readings.failed and shown.keys() - readings.found.keys():
            readings.failed.append(NoAnswerError("it did not answer on every record"))
        return readings

    def _batch_chars(self) -> int:
        """Characters of records in one question; a record alone may fill it."""
        room = self._server.profile.context_tokens * CHARS_PER_TOKEN
        return max(_ABSTRACT_CHARS, room - _FRAME_CHARS)

    async def _wave(
        self,
        shown: Mapping[str, Shown],
        faults: Mapping[str, Sequence[Fault]],
        readings: Readings,
        keep: Keep,
    ) -> dict[str, StudyReading]:
        read: dict[str, StudyReading] = {}
        refused: Sequence[BaseException] = ()
        try:
            async with asyncio.TaskGroup() as group:
                for batch in self._batches(shown):
                    group.create_task(self._batch(batch, faults, readings, read, keep))
        except* ConfigurationError as errors:
            refused = errors.exceptions
        if refused:
            raise refused[0]
        return read

    def _batches(self, shown: Mapping[str, Shown]) -> list[dict[str, Shown]]:
        made: list[dict[str, Shown]] = []
        room = 0
        for key, record in shown.items():
            size = sum(len(record.told[n].text) + 6 for n in record.numbers)
            full = not made or len(made[-1]) >= self._server.profile.batch_records
            if full or size > room:
                made.append({})
                room = self._batch_chars()
            made[-1][key] = record
            room -= size
        return made

    async def _batch(
        self,
        batch: Mapping[str, Shown],
        faults: Mapping[str, Sequence[Fault]],
        readings: Readings,
        read: dict[str, StudyReading],
        keep: Keep,
    ) -> None:
        # Ids of the question alone: the same records make the same question in every run.
        keys = {f"R{number}": key for number, key in enumerate(batch, 1)}
        prompt = ask_to_read(
            {short: batch[key] for short, key in keys.items()},
            {short: faults.get(key, ()) for short, key in keys.items()},
        )
        try:
            answer, by = await self._asker.answered("reading", prompt, ReadStudies)
        except NoAnswerError as error:
            readings.failed.append(error)
            return
        told: dict[str, ReadStudy] = {}
        for study in answer.studies:
            key = keys.get(study.id.strip())
            if key is None or key in told:
                readings.strange += 1
                continue
            told[key] = study
        made = await calculated(self._checked, told, batch, by.name)
        better = {i: r for i, r in made.items() if self._is_better(r, readings.found.get(i))}
        read.update(made)
        readings.found.update(better)
        if by is self._server:
            readings.not_its_own -= better.keys()
            await keep(better)
        else:
            readings.not_its_own |= better.keys()

    def _checked(
        self, told: Mapping[str, ReadStudy], batch: Mapping[str, Shown], by: str
    ) -> dict[str, StudyReading]:
        reader = Reader(kind="model", name=by)
        now = datetime.now(UTC)
        made = {}
        for key, study in told.items():
            shown = batch[key]
            reading = checked(built(study, shown.evidence, reader, now), shown.told, shown.evidence)
            if shown.is_cut and "text_cut_off" not in reading.unread:
                reading = reading.model_copy(update={"unread": (*reading.unread, "text_cut_off")})
            made[key] = reading
        return made

    @staticmethod
    def _is_better(new: StudyReading, known: StudyReading | None) -> bool:
        return known is None or len(new.faults) < len(known.faults)
