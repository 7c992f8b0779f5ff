"""Measures the agreement of verdicts with readers of the same records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deepcritical.domain.appraisal.verdict import DIRECTIONS, VerdictLabel
from deepcritical.domain.errors import QuestionError
from deepcritical.domain.run.budget import Spent
from deepcritical.domain.run.events import JudgementMade
from deepcritical.domain.study.reading import StudyReading
from deepcritical.domain.tool.traces import LOCAL_USER
from deepcritical.evaluation.scores import Measured, Outcome, json_lines
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.study_readings import StudyReadings, reading_key

if TYPE_CHECKING:
    from deepcritical.jobs.runs import RunService

_STRONG = frozenset({VerdictLabel.SUPPORTED, VerdictLabel.REFUTED, VerdictLabel.HARMFUL})


def is_overstated(said: VerdictLabel, expected: VerdictLabel) -> bool:
    """Return whether a verdict goes further than the expected one, or another way than it.

    A verdict that leaves the question open never does.
    """
    if DIRECTIONS[said] == "open" or said is expected:
        return False
    return DIRECTIONS[said] != DIRECTIONS[expected] or (said in _STRONG and expected not in _STRONG)


async def judge_verdicts(
    rows: Iterable[Mapping[str, Any]], runs: RunService, *, reader: str = ""
) -> Measured:
    """Return for each question whether its verdict is right, and whether it is no overstatement.

    A line has `question`, `expected` (a label of `VerdictLabel`), `half`, and may have `accepted`:
    further labels that a reader of the records would let pass. A verdict is right when it is one of
    these, or of the expected direction.
    """
    outcomes: list[Outcome] = []
    total = Spent()
    for row in rows:
        said, spent = await _verdict(runs, row["question"])
        total = total.plus(spent)
        outcomes += _judged(row, said, f" ({reader})" if reader else "")
    return Measured(outcomes, total)


async def keep_readings(path: Path, database: str, reader: str = "") -> None:
    """Put the readings of a file (JSON lines of `StudyReading`) into a database, to be used.

    Args:
        path: The file.
        database: Its address.
        reader: The model that they stand for, as `reader_identity` tells it, so that its runs over
            a snapshot read nothing again; if left out, none: they serve runs without a model.
    """
    readings = [StudyReading.model_validate(row) for row in json_lines(path)]
    owner = LOCAL_USER if reader else ""
    by = [reader or f"recorded {one.reader.name}" for one in readings]
    keyed = {
        reading_key(one.text_sha256, name, owner): one
        for one, name in zip(readings, by, strict=True)
    }
    opened = Database(database)
    try:
        await StudyReadings(opened).keep(keyed, owner)
    finally:
        await opened.close()


async def _verdict(runs: RunService, question: str) -> tuple[VerdictLabel, Spent]:
    try:
        run = runs.submit(question)
        report = await run.result()
    except QuestionError:
        return VerdictLabel.NOT_ASSESSED, Spent()
    made = [e.event.spent for e in await run.events() if isinstance(e.event, JudgementMade)]
    return report.verdict.label, max(made, key=lambda one: one.requests, default=Spent())


def _judged(row: Mapping[str, Any], said: VerdictLabel, by: str) -> Iterator[Outcome]:
    expected = VerdictLabel(row["expected"])
    accepted = {VerdictLabel(label) for label in row.get("accepted", ())}
    shown = f"{said.value}, not {expected.value}: {row['question']}"
    told = said is not VerdictLabel.NOT_ASSESSED
    right = told and (said in accepted or DIRECTIONS[said] == DIRECTIONS[expected])
    yield Outcome(f"direction of the verdict{by}", row["half"], told, right, shown)
    fair = said in accepted or not is_overstated(said, expected)
    yield Outcome(f"verdicts no stronger than expected{by}", row["half"], told, fair, shown)
