"""The verdict, from one table of rules over graded studies; no model decides it.

Only what may count reaches the table: studies with an included record that is not retracted. A rule
names the studies that decided, and a verdict is never stronger than its rule.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import NamedTuple

from deepcritical.domain.appraisal import Direction, StudyFinding
from deepcritical.domain.base import Model, Score10, UnitInterval
from deepcritical.domain.certainty import OPTIMAL_INFORMATION_SIZE, VERY_FEW, Certainty

__all__ = ["RULES", "Certainty", "Verdict", "VerdictLabel", "clinical_score", "decide"]

LEVEL_WITHOUT_COMPARISON = 4
"""Case series and the like; GRADE guidelines 4 rates them below controlled observations."""


class VerdictLabel(StrEnum):
    """How far the evidence carries "the drug helps in the condition", from best to worst."""

    SUPPORTED = "supported"
    PROMISING = "promising"
    MIXED = "mixed"
    INSUFFICIENT = "insufficient evidence"
    UNSUPPORTED = "unsupported"
    REFUTED = "refuted"


_CERTAINTIES = (Certainty.VERY_LOW, Certainty.LOW, Certainty.MODERATE, Certainty.HIGH)
_CONFIDENCE: dict[Certainty, float] = {
    Certainty.VERY_LOW: 0.2,
    Certainty.LOW: 0.4,
    Certainty.MODERATE: 0.6,
    Certainty.HIGH: 0.8,
}


class Verdict(Model):
    """The verdict with the rule it follows from."""

    label: VerdictLabel
    certainty: Certainty
    rule: str
    """The rule of the table that decided, as a sentence."""
    deciding_ids: tuple[str, ...] = ()
    """Evidence ids of the records that decided, in store order."""
    downgrades: tuple[str, ...] = ()
    """GRADE-style reasons that lowered the certainty."""
    caps: tuple[str, ...] = ()
    """What kept the verdict from being stronger."""

    @property
    def confidence(self) -> UnitInterval:
        """Confidence in the verdict, 0-1, by its certainty: 0.2, 0.4, 0.6 or 0.8."""
        return _CONFIDENCE[self.certainty]


class _Body(NamedTuple):
    """The studies by what they may decide.

    `trials` and `cohorts` are about the condition itself.
    """

    trials: tuple[StudyFinding, ...]
    cohorts: tuple[StudyFinding, ...]
    indirect: tuple[StudyFinding, ...]
    mechanism: tuple[StudyFinding, ...]
    silent: tuple[StudyFinding, ...]

    @property
    def direct(self) -> tuple[StudyFinding, ...]:
        return self.trials + self.cohorts


def _body(studies: Sequence[StudyFinding]) -> _Body:
    speaking = [s for s in studies if s.direction is not Direction.NONE]
    clinical = [s for s in speaking if s.clinical]
    direct = [s for s in clinical if s.direct]
    return _Body(
        trials=tuple(s for s in direct if s.randomised),
        cohorts=tuple(s for s in direct if not s.randomised),
        indirect=tuple(s for s in clinical if not s.direct),
        mechanism=tuple(s for s in studies if s.level == 5),
        silent=tuple(s for s in studies if s.direction is Direction.NONE or s.level is None),
    )


def _has(studies: Sequence[StudyFinding], *directions: Direction) -> bool:
    return any(s.direction in directions for s in studies)


def _only(studies: Sequence[StudyFinding], direction: Direction) -> bool:
    return bool(studies) and all(s.direction is direction for s in studies)


def _size(studies: Sequence[StudyFinding]) -> int:
    """People in all trials or in the largest review, whichever is more.

    A review counts trials again, so that its people are not added to theirs, nor to those of
    another review (Cochrane Handbook, chapter V).
    """
    reviews = [s.participants or 0 for s in studies if s.level == 1]
    return max(sum(s.participants or 0 for s in studies if s.level != 1), *reviews, 0)


def _confirmed(body: _Body) -> bool:
    """Whether the randomised evidence is more than one trial: several, or a review of trials.

    Of one trial alone nobody knows whether another would find the same. GRADE leaves open what
    follows; the process book of the KCE, the Belgian health care knowledge centre, rates such a
    body down by at least one level.
    """
    return len(body.trials) > 1 or any(s.level == 1 for s in body.trials)


def _large(body: _Body) -> bool:
    return _size(body.trials) >= OPTIMAL_INFORMATION_SIZE


def _of(studies: Sequence[StudyFinding], direction: Direction) -> list[StudyFinding]:
    return [s for s in studies if s.direction is direction]


def _favours_in_part(body: _Body) -> bool:
    """Whether some randomised studies favour the drug, others do in part, and none finds none.

    GRADE guidelines 7 rates such inconsistency down; it does not turn the direction round.
    """
    some = _has(body.trials, Direction.SUPPORTS) and _has(body.trials, Direction.MIXED)
    return some and not _has(body.trials, Direction.REFUTES)


def _mostly_favours(body: _Body) -> bool:
    """Whether the trials that favour are at least 2, with most of the participants, and enough.

    A review counts trials again, so that it adds neither a study nor people to them.
    """
    trials = [s for s in body.trials if s.level != 1]
    favouring, mixed = (_of(trials, d) for d in (Direction.SUPPORTS, Direction.MIXED))
    enough = _size(favouring) >= max(OPTIMAL_INFORMATION_SIZE, _size(mixed) + 1)
    return _favours_in_part(body) and len(favouring) > 1 and enough


def _outgrown(body: _Body) -> bool:
    """Whether only reviews disagree with trials that together hold more people than any of them.

    A review counts trials again and is no evidence beside them (Cochrane Handbook, chapter V). One
    with fewer people than the trials at hand lacks some of these; where such a review of small
    trials favours a drug and larger trials do not, the larger ones are believed (GRADE guidelines 5
    on small studies; LeLorier et al., N Engl J Med 1997). Not so the other way round: that a drug
    helps is not concluded against a review that finds no benefit.
    """
    trials = [s for s in body.trials if s.level != 1]
    dissent = [s for s in body.trials if s.level == 1 and s.direction is not Direction.REFUTES]
    return (
        bool(dissent)
        and len(trials) > 1
        and _only(trials, Direction.REFUTES)
        and _size(trials) >= OPTIMAL_INFORMATION_SIZE
        and all(s.participants and s.participants < _size(trials) for s in dissent)
    )


class _Rule(NamedTuple):
    applies: Callable[[_Body], bool]
    label: VerdictLabel
    sentence: str
    decided_by: Callable[[_Body], tuple[StudyFinding, ...]]


_TABLE: tuple[_Rule, ...] = (
    _Rule(
        lambda b: (
            (_only(b.trials, Direction.SUPPORTS) or _favours_in_part(b))
            and _has(b.cohorts, Direction.REFUTES, Direction.MIXED)
        ),
        VerdictLabel.MIXED,
        "Randomised evidence favours the drug, but non-randomised studies of the condition "
        "disagree.",
        lambda b: b.direct,
    ),
    _Rule(
        lambda b: _only(b.trials, Direction.SUPPORTS) and len(b.trials) > 1 and _large(b),
        VerdictLabel.SUPPORTED,
        f"At least 2 randomised studies of the condition, with {OPTIMAL_INFORMATION_SIZE} "
        "participants or more in all, favour the drug and none disagrees.",
        lambda b: b.trials,
    ),
    _Rule(
        lambda b: _only(b.trials, Direction.SUPPORTS),
        VerdictLabel.PROMISING,
        "Randomised evidence favours the drug, but it is a single study or a small one.",
        lambda b: b.trials,
    ),
    _Rule(
        lambda b: _only(b.trials, Direction.REFUTES) and _large(b) and _confirmed(b),
        VerdictLabel.REFUTED,
        f"Randomised studies of the condition, with {OPTIMAL_INFORMATION_SIZE} participants "
        "or more in all, found no benefit and none disagrees.",
        lambda b: b.trials,
    ),
    _Rule(
        lambda b: _only(b.trials, Direction.REFUTES),
        VerdictLabel.UNSUPPORTED,
        "Randomised evidence found no benefit, but it is a single trial or a small body.",
        lambda b: b.trials,
    ),
    _Rule(
        _mostly_favours,
        VerdictLabel.SUPPORTED,
        f"At least 2 randomised trials of the condition, with {OPTIMAL_INFORMATION_SIZE} "
        "participants or more, favour the drug; others, with fewer in all, do so for one outcome, "
        "not another.",
        lambda b: b.trials,
    ),
    _Rule(
        _favours_in_part,
        VerdictLabel.PROMISING,
        "Randomised evidence favours the drug, but in part for one outcome and not another.",
        lambda b: b.trials,
    ),
    _Rule(
        _outgrown,
        VerdictLabel.REFUTED,
        "The randomised trials of the condition found no benefit; only reviews of fewer "
        "participants disagree.",
        lambda b: b.trials,
    ),
    _Rule(
        lambda b: bool(b.trials),
        VerdictLabel.MIXED,
        "The randomised evidence on the condition points both ways.",
        lambda b: b.trials,
    ),
    _Rule(
        lambda b: _only(b.cohorts, Direction.SUPPORTS),
        VerdictLabel.PROMISING,
        "Non-randomised studies of the condition favour the drug; "
        "no randomised study reports on it.",
        lambda b: b.cohorts,
    ),
    _Rule(
        lambda b: _only(b.cohorts, Direction.REFUTES),
        VerdictLabel.UNSUPPORTED,
        "Non-randomised studies of the condition found no benefit; "
        "no randomised study reports on it.",
        lambda b: b.cohorts,
    ),
    _Rule(
        lambda b: bool(b.cohorts),
        VerdictLabel.MIXED,
        "Non-randomised studies of the condition disagree; no randomised study reports on it.",
        lambda b: b.cohorts,
    ),
    _Rule(
        lambda b: bool(b.indirect),
        VerdictLabel.INSUFFICIENT,
        "Clinical studies report only on other outcomes or populations, "
        "not on the condition itself.",
        lambda b: b.indirect,
    ),
    _Rule(
        lambda b: bool(b.mechanism),
        VerdictLabel.INSUFFICIENT,
        "Mechanism only: no clinical study of the condition reports a result.",
        lambda b: b.mechanism,
    ),
    _Rule(
        lambda b: bool(b.silent),
        VerdictLabel.INSUFFICIENT,
        "Studies exist, but none of them reports a result for the condition in a design "
        "that can be graded.",
        lambda b: b.silent,
    ),
    _Rule(
        lambda _: True, VerdictLabel.INSUFFICIENT, "No record bears on the question.", lambda _: ()
    ),
)
"""First rule that applies decides."""

RULES = {rule.sentence: rule.label for rule in _TABLE}
"""The sentences in which a rule is told, with the label that each gives."""


def _downgrades(body: _Body) -> tuple[str, ...]:
    reasons = []
    if not body.trials:
        reasons.append("risk of bias: no randomised study of the condition reports a result")
    if body.direct and all(s.level == LEVEL_WITHOUT_COMPARISON for s in body.direct):
        reasons.append(
            "risk of bias: only case series, case-control or cross-sectional studies (level 4)"
        )
    if _has(body.direct, Direction.MIXED) or (
        _has(body.direct, Direction.SUPPORTS) and _has(body.direct, Direction.REFUTES)
    ):
        reasons.append("inconsistency: findings on the condition disagree")
    elif body.trials and not _confirmed(body):
        reasons.append("inconsistency: not assessable, for it is one trial that none confirms")
    if body.trials and not any(s.about_drug for s in body.trials):
        reasons.append(
            "indirectness: only reviews of several drugs, no randomised study of this drug alone"
        )
    if not body.direct:
        reasons.append("indirectness: no clinical study of the condition itself")
    if body.trials and not _large(body):
        reasons.append(
            f"imprecision: fewer than {OPTIMAL_INFORMATION_SIZE} participants "
            "in the randomised studies of this drug alone"
        )
    if 0 < _size(body.trials) < VERY_FEW:
        reasons.append(f"very serious imprecision: fewer than {VERY_FEW} participants in all")
    return tuple(reasons)


def _certainty(body: _Body, downgrades: Sequence[str]) -> Certainty:
    start = 3 if body.trials else 2 if body.direct else 1 if any(body) else 0
    return _CERTAINTIES[max(0, start - len(downgrades))]


def _caps(body: _Body, studies: Sequence[StudyFinding]) -> tuple[str, ...]:
    caps = []
    if any(study.concern for study in studies):
        caps.append("what an expression of concern stands against supports nothing")
    if not body.direct and body.mechanism:
        caps.append("mechanism is OCEBM level 5 and never yields more than insufficient evidence")
    if body.cohorts and not body.trials:
        caps.append("non-randomised evidence alone never yields more than promising")
    return tuple(caps)


def decide(studies: Sequence[StudyFinding]) -> Verdict:
    """The verdict for one drug and one condition.

    Args:
        studies: What each study says; see `study_findings`.
    """
    body = _body(studies)
    rule = next(rule for rule in _TABLE if rule.applies(body))
    downgrades = _downgrades(body) if studies else ()
    ids = (i for study in rule.decided_by(body) for i in (study.deciding_ids or study.evidence_ids))
    return Verdict(
        label=rule.label,
        certainty=_certainty(body, downgrades),
        rule=rule.sentence,
        deciding_ids=tuple(dict.fromkeys(ids)),
        downgrades=downgrades,
        caps=_caps(body, studies),
    )


_POINTS = {1: 8, 2: 7, 3: 5, 4: 3}
_MOST = {VerdictLabel.REFUTED: 0, VerdictLabel.UNSUPPORTED: 1, VerdictLabel.INSUFFICIENT: 2}
"""The highest score that does not contradict a verdict."""


def clinical_score(studies: Sequence[StudyFinding]) -> Score10:
    """Clinical support, 0-10: 8, 7, 5 or 3 for the best level 1-4 that favours the drug.

    Only studies of the condition count. One that is mixed, or about several drugs, earns half. Two
    points less when any of them found no benefit or harm, one less when any is mixed; so a negative
    study never raises the score, and mechanism alone scores 0. A score of support never contradicts
    the verdict: at most 0 when it is refuted, 1 when unsupported, 2 when insufficient.
    """
    direct = _body(studies).direct
    favouring = [s for s in direct if s.direction in (Direction.SUPPORTS, Direction.MIXED)]
    earned = [
        _POINTS[s.level]
        if s.about_drug and s.direction is Direction.SUPPORTS
        else _POINTS[s.level] // 2
        for s in favouring
        if s.level
    ]
    lost = 2 * _has(direct, Direction.REFUTES) + _has(direct, Direction.MIXED)
    score = max(0, max(earned, default=0) - lost)
    return min(score, _MOST.get(decide(studies).label, score))
