"""What would change a verdict: the same rules over the same studies, and one more or one less.

Nothing is guessed: each row is what `decide` says of that body of evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deepcritical.domain.appraisal import Direction, StudyFinding
from deepcritical.domain.base import Model
from deepcritical.domain.certainty import OPTIMAL_INFORMATION_SIZE
from deepcritical.domain.verdict import Verdict, decide

__all__ = ["WhatIf", "what_if"]

_SIZE = OPTIMAL_INFORMATION_SIZE
_RESULTS = {Direction.SUPPORTS: "in favour", Direction.REFUTES: "without benefit"}


class WhatIf(Model):
    """A change in the evidence, and the verdict that it would bring."""

    change: str
    """How the records would be other: "also held ...", "lacked"."""
    without: tuple[str, ...] = ()
    """Evidence ids of the one study that they would lack."""
    verdict: Verdict


def what_if(studies: Sequence[StudyFinding]) -> tuple[WhatIf, ...]:
    """Verdicts by the same rules if a study were added, then if some were taken away.

    Added are trials of the least size that counts as enough, and cohorts where there is no trial.
    What is taken away is told only where the verdict hangs on it.
    """
    return (*_added(studies), *_randomised_alone(studies), *_removed(studies))


def _to_come(direction: Direction, level: int) -> StudyFinding:
    return StudyFinding(
        evidence_ids=("to come",),
        deciding_ids=("to come",),
        direction=direction,
        level=level,
        direct=True,
        participants=_SIZE if level == 2 else None,
    )


def _added(studies: Sequence[StudyFinding]) -> Iterator[WhatIf]:
    for direction, told in _RESULTS.items():
        trial = _to_come(direction, level=2)
        one, two = decide((*studies, trial)), decide((*studies, trial, trial))
        yield WhatIf(
            change=f"also held one randomised trial with {_SIZE} participants {told}", verdict=one
        )
        if _is_other(one, two):
            yield WhatIf(change=f"also held two such trials {told}", verdict=two)
    if not any(s.direct and s.randomised and s.direction is not Direction.NONE for s in studies):
        for direction, told in _RESULTS.items():
            cohort = _to_come(direction, level=3)
            yield WhatIf(change=f"also held one cohort {told}", verdict=decide((*studies, cohort)))


def _randomised_alone(studies: Sequence[StudyFinding]) -> Iterator[WhatIf]:
    trials = [s for s in studies if s.randomised and s.direct and s.direction is not Direction.NONE]
    alone = decide(trials)
    if trials and alone.label is not decide(studies).label:
        yield WhatIf(change="held only the randomised studies", verdict=alone)


def _removed(studies: Sequence[StudyFinding]) -> Iterator[WhatIf]:
    now = decide(studies)
    deciding = set(now.deciding_ids)
    for study in studies:
        if study.direction is Direction.NONE or deciding.isdisjoint(study.evidence_ids):
            continue
        without = decide([s for s in studies if s is not study])
        if without.label is not now.label:
            ids = study.deciding_ids or study.evidence_ids
            yield WhatIf(change="lacked", without=ids, verdict=without)


def _is_other(one: Verdict, other: Verdict) -> bool:
    return (one.label, one.certainty) != (other.label, other.certainty)
