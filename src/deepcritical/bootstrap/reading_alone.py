"""Reads a single document or record, and weighs it on a question."""

import asyncio
from pathlib import Path
from typing import NamedTuple

from deepcritical.answering.needs import inquiry_of
from deepcritical.answering.weighing import Weighed, weigh
from deepcritical.bootstrap.application import build_reasoner
from deepcritical.bootstrap.live import Lookups
from deepcritical.domain.errors import DocumentError
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.grading import Grade, grade
from deepcritical.domain.study import StudyReading
from deepcritical.models.desk import RunDesk
from deepcritical.services.tasks import calculated
from deepcritical.settings import Settings
from deepcritical.tools.documents import read_document

_ONLY = "E1"


class StudyCard(NamedTuple):
    """One record's account of its study."""

    record: Evidence
    reading: StudyReading
    grade: Grade
    weighed: Weighed | None
    """Its weight on a question, by itself; None without one, or where it bears on none."""


async def read_alone(settings: Settings, what: Path | str, question: str = "") -> StudyCard:
    """Return the card of a file, or of a record by its canonical id.

    Nothing is kept: a document of the user's own is in no reading that others see.

    Raises:
        DocumentError: The file cannot be read, or no source knows the id.
        QuestionError: The question cannot be read.
        SearchError: A source that would know the id could not be reached.
    """
    inquiry = await calculated(inquiry_of, question) if question else None
    record = await _record(settings, what)
    async with build_reasoner(settings).for_run(RunDesk()) as reasoner:
        studies = await reasoner.read_studies({_ONLY: record}, "")
    reading = studies.readings[_ONLY]
    weighed: tuple[Weighed, ...] = ()
    if inquiry:
        records, readings = {_ONLY: record}, {_ONLY: reading}
        weighed = await calculated(weigh, inquiry, records, readings)
    graded = await calculated(grade, record)
    return StudyCard(record, reading, graded, next(iter(weighed), None))


async def _record(settings: Settings, what: Path | str) -> Evidence:
    if isinstance(what, Path):
        return await asyncio.to_thread(read_document, what)
    found = await Lookups(settings, settings.snapshot).records_of([what])
    if what not in found:
        raise DocumentError(
            f"No source that was asked knows {what}.", "Check the id, or give a file."
        )
    return found[what]
