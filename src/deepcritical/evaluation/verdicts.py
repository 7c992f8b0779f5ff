"""Measures whether whole runs give the verdict that readers of the same records gave."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deepcritical.domain.budget import Spent
from deepcritical.domain.errors import QuestionError
from deepcritical.domain.events import JudgementMade
from deepcritical.domain.verdict import VerdictLabel
from deepcritical.evaluation.files import json_lines
from deepcritical.evaluation.scores import Measured, Outcome

if TYPE_CHECKING:
    from deepcritical.jobs.runs import RunService

__all__ = ["CLASSES", "is_overstated", "judge_verdicts"]

CLASSES: Mapping[VerdictLabel, str] = {
    VerdictLabel.SUPPORTED: "benefit",
    VerdictLabel.PROMISING: "benefit",
    VerdictLabel.MIXED: "mixed",
    VerdictLabel.INSUFFICIENT: "open",
    VerdictLabel.NOT_ASSESSED: "open",
    VerdictLabel.UNSUPPORTED: "no benefit",
    VerdictLabel.REFUTED: "no benefit",
    VerdictLabel.HARMFUL: "harm",
}
"""The direction of each verdict: two that differ in strength alone are of one."""
_STRONG = frozenset({VerdictLabel.SUPPORTED, VerdictLabel.REFUTED, VerdictLabel.HARMFUL})


def is_overstated(said: VerdictLabel, expected: VerdictLabel) -> bool:
    """Whether a verdict goes further than the expected one, or another way than it.

    A verdict that leaves the question open never does.
    """
    if CLASSES[said] == "open" or said is expected:
        return False
    return CLASSES[said] != CLASSES[expected] or (said in _STRONG and expected not in _STRONG)


async def judge_verdicts(path: Path, runs: RunService, limit: int | None) -> Measured:
    """Return for each question whether its verdict is right, and whether it is no overstatement.

    A line has `question`, `expected` (a label of `VerdictLabel`) and `half`. A verdict is right
    when it is of the expected direction.
    """
    outcomes: list[Outcome] = []
    total = Spent()
    for row in islice(json_lines(path), limit):
        said, spent = await _verdict(runs, row["question"])
        total = total.plus(spent)
        outcomes += _judged(row, said)
    return Measured(outcomes, total)


async def _verdict(runs: RunService, question: str) -> tuple[VerdictLabel, Spent]:
    try:
        run = runs.submit(question)
        report = await run.result()
    except QuestionError:
        return VerdictLabel.NOT_ASSESSED, Spent()
    made = [e.event.spent for e in await run.events() if isinstance(e.event, JudgementMade)]
    return report.verdict.label, max(made, key=lambda one: one.requests, default=Spent())


def _judged(row: Mapping[str, Any], said: VerdictLabel) -> Iterator[Outcome]:
    expected = VerdictLabel(row["expected"])
    shown = f"{said.value}, not {expected.value}: {row['question']}"
    told = said is not VerdictLabel.NOT_ASSESSED
    right = told and CLASSES[said] == CLASSES[expected]
    yield Outcome("direction of the verdict", row["half"], told, right, shown)
    fair = not is_overstated(said, expected)
    yield Outcome("verdicts no stronger than expected", row["half"], told, fair, shown)
