"""The material that a brief is written from, and the rows that its answer tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from deepcritical.domain.appraisal.findings import Appraisal, StudyFinding
from deepcritical.domain.appraisal.verdict import Verdict, VerdictLabel
from deepcritical.domain.appraisal.votes import Importance, OutcomeRow, Way
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.question.frame import QuestionFrame
from deepcritical.domain.study.reading import StudyReading
from deepcritical.questions.claims import answered_by, claim_of
from deepcritical.questions.wording import given_in


class Matter(NamedTuple):
    """The material that a brief is written from."""

    drug: str
    condition: str
    frame: QuestionFrame | None
    verdict: Verdict
    studies: Sequence[StudyFinding]
    evidence: Mapping[str, Evidence]
    """All records of the run."""
    readings: Mapping[str, StudyReading]
    appraisals: Mapping[str, Appraisal]
    """Of the drug, by evidence id."""
    searched_on: str
    """ISO date; a trial whose planned end is before it is not under way."""

    @property
    def claim(self) -> str:
        """Return what the verdict is on."""
        if self.frame is None:
            return f"{self.given} helps in {self.condition}"
        asked = answered_by(self.verdict, self.frame)
        own = tuple(drug for drug in asked.drugs if drug.name == self.drug)
        of_one = asked.model_copy(update={"drugs": own}) if own else asked
        claim = claim_of(asked) or claim_of(of_one)
        return claim or f"{self.given} helps in {self.condition}"

    @property
    def given(self) -> str:
        """Return what was tested, as the subject of a sentence: the drug, or stopping it."""
        return given_in(self.frame, self.drug) if self.frame else self.drug


_TOLD_ROWS = 2
"""Rows on benefit that the answer tells."""
_SIDES = (Way.CONFLICT, Way.BENEFIT, Way.NO_DIFFERENCE, Way.HARM)
_RANK: dict[Importance, int] = {"critical": 0, "important": 1, "surrogate": 2, "harm": 3}
_WAYS = {
    VerdictLabel.SUPPORTED: (Way.BENEFIT,),
    VerdictLabel.PROMISING: (Way.BENEFIT,),
    VerdictLabel.UNSUPPORTED: (Way.NO_DIFFERENCE,),
    VerdictLabel.REFUTED: (Way.NO_DIFFERENCE,),
    VerdictLabel.HARMFUL: (Way.HARM,),
}


def leading_rows(verdict: Verdict) -> list[OutcomeRow]:
    """Return the rows that the answer tells: of a mixed verdict what is split, and each side."""
    near = [r for r in verdict.rows if r.importance != "harm" and r.directness != "related"]
    alone = [r for r in near if not r.comparator or r.asked] or near
    decided = set(verdict.deciding_ids)
    rows = sorted(
        alone,
        key=lambda r: (_RANK[r.importance], not decided & set(r.evidence_ids), not r.primary),
    )
    if verdict.label is VerdictLabel.MIXED:
        felt = [r for r in rows if r.importance != "surrogate" or decided & set(r.evidence_ids)]
        sides = {r.way: r for r in reversed(felt)}
        return [sides[way] for way in _SIDES if way in sides]
    wanted = _WAYS.get(verdict.label, tuple(Way))
    critical = [r for r in rows if r.importance == rows[0].importance]
    agreeing = [r for r in critical if r.way in wanted]
    by_itself = any(not r.of_class for r in agreeing)
    others = [
        r
        for r in rows
        if r.way not in wanted and r.importance != "surrogate" and not (by_itself and r.of_class)
    ]
    return [*agreeing[:_TOLD_ROWS], *(others or _contrary(near, agreeing))[:1]]


def _contrary(near: Sequence[OutcomeRow], agreeing: Sequence[OutcomeRow]) -> list[OutcomeRow]:
    """Return the rows of cohorts that compared with a drug, and did not find what others found.

    People who take something are more alike than those who take it and those who take nothing.
    """
    told = {row.outcome: row.way for row in agreeing if row.tier == "controlled"}
    beside = [r for r in near if r.comparator and not r.asked and r.tier == "controlled"]
    return [r for r in beside if r.outcome in told and r.way is not told[r.outcome]]
