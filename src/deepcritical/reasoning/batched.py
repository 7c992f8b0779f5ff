"""Records read by a model in batches, all at once, and joined with what the rules read in them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from deepcritical.domain.appraisal import Reading
from deepcritical.domain.errors import ConfigurationError
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.grading import grade
from deepcritical.domain.question import Drug, ResearchQuestion
from deepcritical.models.answers import Readings, ReadRecord
from deepcritical.models.asking import Asker, NoAnswerError
from deepcritical.models.providers import Profile
from deepcritical.prompts.asks import ask_reading
from deepcritical.prompts.evidence import CHARS_PER_TOKEN, ShownRecords, batches
from deepcritical.reasoning.base import Unread
from deepcritical.reasoning.combining import combined
from deepcritical.reasoning.quoting import addresses_a_model

__all__ = ["Joined", "is_for_a_model", "join_readings", "key_of", "read_in_batches"]

_Key = tuple[str, str]
_Answers = dict[_Key, ReadRecord]
_UNGRADED = 9


class Joined(NamedTuple):
    """The readings in the order asked for, and how many quotes and ids were dropped."""

    readings: tuple[Reading, ...]
    dropped: int


def key_of(unread: Unread) -> _Key:
    """By what a reading is known: the drug's name and the evidence id."""
    return unread.drug.name, unread.evidence_id


def is_for_a_model(by_rule: Reading, evidence: Evidence) -> bool:
    """Whether a model can add to what the rules read.

    Not to a record that does not bear on the question, or has no text. One whose text gives orders
    to machines is read by rules alone, so that it cannot speak for the others of its batch.
    """
    told = f"{evidence.citation.title}\n{evidence.content}"
    return by_rule.included and bool(evidence.content.strip()) and not addresses_a_model(told)


async def read_in_batches(
    asker: Asker, question: ResearchQuestion, wanted: Sequence[Unread]
) -> tuple[_Answers, NoAnswerError | None]:
    """What the model read, unknown ids included, and why anything is missing.

    The strongest records go first: what the budget does not hold is the weakest.
    """
    failed: list[NoAnswerError] = []
    refused: Sequence[BaseException] = ()
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(_read_batch(asker, question, drug, shown, failed))
                for drug, shown in _batched(wanted, asker.profile)
            ]
    except* ConfigurationError as errors:
        refused = errors.exceptions
    if refused:
        raise refused[0]
    answers = {key: read for task in tasks for key, read in task.result().items()}
    return answers, next(iter(failed), None)


def _batched(wanted: Sequence[Unread], profile: Profile) -> list[tuple[Drug, ShownRecords]]:
    by_drug: dict[str, tuple[Drug, dict[str, Evidence]]] = {}
    for drug, evidence_id, evidence in sorted(wanted, key=_by_level):
        by_drug.setdefault(drug.name, (drug, {}))[1][evidence_id] = evidence
    limit_chars = profile.context_tokens * CHARS_PER_TOKEN
    return [
        (drug, shown)
        for drug, records in by_drug.values()
        for shown in batches(records, profile.batch_records, limit_chars)
    ]


def _by_level(unread: Unread) -> int:
    return grade(unread.evidence).level or _UNGRADED


async def _read_batch(
    asker: Asker,
    question: ResearchQuestion,
    drug: Drug,
    shown: ShownRecords,
    failed: list[NoAnswerError],
) -> _Answers:
    prompt = ask_reading(question, drug.name, shown, short=asker.profile.short)
    try:
        answer = await asker.ask("reading", prompt, Readings)
    except NoAnswerError as error:
        failed.append(error)
        return {}
    if set(shown.ids) - {record.evidence_id for record in answer.records}:
        failed.append(NoAnswerError("it did not answer on every record"))
    return {(drug.name, record.evidence_id): record for record in answer.records}


def join_readings(
    unread: Sequence[Unread], by_rule: Sequence[Reading], answers: _Answers
) -> Joined:
    """Each reading with what the model read in the same record."""
    readings, dropped = [], len(answers.keys() - {key_of(one) for one in unread})
    for one, reading in zip(unread, by_rule, strict=True):
        read = answers.get(key_of(one))
        both, lost = combined(reading, read, one.evidence) if read else (reading, 0)
        readings.append(both)
        dropped += lost
    return Joined(tuple(readings), dropped)
