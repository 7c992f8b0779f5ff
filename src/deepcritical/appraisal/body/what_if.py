"""Tells what would change a verdict: the same rules over one study more, one less, or trials alone.

Nothing is guessed: each row is what `decide` says of that body of evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deepcritical.appraisal.body.leading import leading
from deepcritical.appraisal.body.verdict import decide
from deepcritical.domain.appraisal.findings import Direction, StudyFinding
from deepcritical.domain.appraisal.verdict import Verdict
from deepcritical.domain.appraisal.votes import Counting, Tier, Vote, Way
from deepcritical.domain.base import Model
from deepcritical.domain.evidence.certainty import OPTIMAL_INFORMATION_SIZE
from deepcritical.domain.study.effects import RATIOS
from deepcritical.domain.study.reading import Effect

_SIZE = OPTIMAL_INFORMATION_SIZE
_TO_COME = "to come"
_NONE = Effect(measure="SMD", value=0.0, ci_low=-0.2, ci_high=0.2)
"""As that many people show it where there is no difference."""
_NO_FEWER = Effect(measure="RR", value=1.0, ci_low=0.71, ci_high=1.41)
"""The same of events, which one in four of them had."""
_IS_BETTER = {"more": True, "less": False}
_RESULTS = {Way.BENEFIT: "in favour", Way.NO_DIFFERENCE: "without benefit"}
_DIRECTIONS = {Way.BENEFIT: Direction.SUPPORTS, Way.NO_DIFFERENCE: Direction.REFUTES}


class WhatIf(Model):
    """A change in the evidence, and the verdict that it would bring."""

    change: str
    """Way in which the records would be other: "also held ...", "lacked"."""
    without: tuple[str, ...] = ()
    """Evidence ids of the one study that they would lack."""
    verdict: Verdict


def recomputed(
    studies: Sequence[StudyFinding], left_out: Sequence[str] = (), tier: Counting | None = None
) -> Verdict:
    """The verdict without the studies of these records, and on one kind of results if one is named.

    Args:
        studies: All studies of a report.
        left_out: Evidence ids; a study goes with any of its records.
        tier: How the results came about that are to count, or "direct"; None for all.
    """
    return decide(remaining(studies, left_out, tier))


def remaining(
    studies: Sequence[StudyFinding], left_out: Sequence[str] = (), tier: Counting | None = None
) -> tuple[StudyFinding, ...]:
    """Return the studies that are left; see `recomputed`."""
    gone = set(left_out)
    rest = (study for study in studies if gone.isdisjoint(study.evidence_ids))
    left = tuple(study for study in rest if tier is None or _has(study, tier))
    if len(left) == len(studies):
        return left
    # A rating is of all of them.
    return tuple(study.model_copy(update={"rated": None}) for study in left)


def _has(study: StudyFinding, tier: Counting) -> bool:
    return study.direct if tier == "direct" else any(vote.tier == tier for vote in study.votes)


def plus(studies: Sequence[StudyFinding], way: Way, tier: Tier = "randomised") -> Verdict:
    """The verdict if one study more of the people asked about had been found, with this result."""
    return decide((*_unproposed(studies), _to_come(studies, way, tier)))


def _unproposed(studies: Sequence[StudyFinding]) -> Iterator[StudyFinding]:
    """The studies without what a model proposed over them: it has not seen the one to come."""
    return (study.model_copy(update={"proposed": None, "rated": None}) for study in studies)


def what_if(studies: Sequence[StudyFinding]) -> tuple[WhatIf, ...]:
    """Verdicts by the same rules if a study were added, then if some were taken away.

    Added are trials of the least size that counts as enough, and cohorts where there is no trial.
    What is taken away is told only where the verdict hangs on it.
    """
    return (*_added(studies), *_randomised_alone(studies), *without_each(studies))


def _to_come(studies: Sequence[StudyFinding], way: Way, tier: Tier) -> StudyFinding:
    """A study on the outcome that decides, as the studies measured it."""
    rows = [r for r in decide(studies).rows if r.importance == "critical" and not r.comparator]
    first = [row for row in leading(rows) if row in rows] or rows
    row = max(first, key=lambda r: (r.primary, r.people or 0), default=None)
    name = row.outcome if row else "primary outcome"
    of_events = row and any(e.effect and e.effect.measure in RATIOS for e in row.effects)
    none = _NO_FEWER if row and (row.is_grave or of_events) else _NONE
    vote = Vote(
        evidence_id=_TO_COME,
        row=name,
        outcome=name,
        is_grave=row is not None and row.is_grave,
        is_fatal=row is not None and row.is_fatal,
        wanted=row is not None and row.wanted,
        higher_is_better=_IS_BETTER.get(row.polarity) if row else None,
        importance="critical",
        way=way,
        level="primary" if row is None or row.primary else "unstated",
        tier=tier,
        effect=none if way is Way.NO_DIFFERENCE else Effect(p=0.01),
        people=_SIZE,
    )
    return StudyFinding(
        evidence_ids=(_TO_COME,),
        deciding_ids=(_TO_COME,),
        direction=_DIRECTIONS[way],
        level=2 if tier == "randomised" else 3,
        direct=True,
        participants=_SIZE,
        votes=(vote,),
    )


def _added(studies: Sequence[StudyFinding]) -> Iterator[WhatIf]:
    for way, told in _RESULTS.items():
        trial = _to_come(studies, way, "randomised")
        own = tuple(_unproposed(studies))
        one, two = decide((*own, trial)), decide((*own, trial, trial))
        yield WhatIf(
            change=f"also held one randomised trial with {_SIZE} participants {told}", verdict=one
        )
        if _is_other(one, two):
            yield WhatIf(change=f"also held two such trials {told}", verdict=two)
    if not any(vote.tier == "randomised" for study in studies for vote in study.votes):
        for way, told in _RESULTS.items():
            yield WhatIf(
                change=f"also held one cohort {told}", verdict=plus(studies, way, "controlled")
            )


def _randomised_alone(studies: Sequence[StudyFinding]) -> Iterator[WhatIf]:
    alone = recomputed(studies, tier="randomised")
    if alone.deciding_ids and alone.label is not decide(studies).label:
        yield WhatIf(change="held only the randomised studies", verdict=alone)


def without_each(studies: Sequence[StudyFinding]) -> Iterator[WhatIf]:
    """Yield the verdict without each single study whose absence gives another one."""
    now = decide(studies)
    deciding = set(now.deciding_ids)
    for study in studies:
        if not study.votes or deciding.isdisjoint(study.evidence_ids):
            continue
        less = recomputed(studies, study.evidence_ids)
        if less.label is not now.label:
            ids = study.deciding_ids or study.evidence_ids
            yield WhatIf(change="lacked", without=ids, verdict=less)


def _is_other(one: Verdict, other: Verdict) -> bool:
    return (one.label, one.certainty) != (other.label, other.certainty)
