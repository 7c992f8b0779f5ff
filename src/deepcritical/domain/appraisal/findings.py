"""Findings of a record, and of a whole study, on one drug for the condition in question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Literal

from pydantic import Field

from deepcritical.domain.appraisal.verdict import VerdictLabel
from deepcritical.domain.appraisal.votes import Directness, Importance, Vote, Way
from deepcritical.domain.base import Model
from deepcritical.domain.evidence.certainty import Certainty
from deepcritical.domain.evidence.grading import Grade
from deepcritical.domain.evidence.record import Fact


class Stance(StrEnum):
    """A record's stance towards "the drug helps in the condition".

    A null result and harm both refute.
    """

    SUPPORTS = "supports"
    REFUTES = "refutes"
    NEUTRAL = "neutral"


class Direction(StrEnum):
    """The effect that a study reports, taken over all its records."""

    SUPPORTS = "supports"
    REFUTES = "refutes"
    MIXED = "mixed"
    NONE = "no direction"


class Remark(StrEnum):
    """Reasons for a record without a direction, and warnings on how to read its findings."""

    HEAD_TO_HEAD = (
        "the drug is compared with another active drug only, "
        "so it is not tested against no treatment"
    )
    COMBINATION = (
        "the drug is given in one combination with others, and what comes of that is not its alone"
    )
    PLAN = "a registered plan without a reported result"
    NOT_CHARGED = (
        "stopped for futility, lack of effect or harm, of a treatment with several drugs: "
        "that is not charged to this drug alone"
    )
    COUNTED = "its registry entry or its figures count, but no whole sentence states the result"
    CONCERN = "an expression of concern stands against it, so that it supports nothing"
    SILENT = "no sentence with a direction was recognised"
    RETRACTED = "retracted"


_FOR = (Way.BENEFIT, Way.CONFLICT)
Given = Literal["", "alone", "added", "mixed"]
"""How a study gives the drug: in an arm by itself; only beside other treatment, with an arm that
got this treatment without it; only so that its harms cannot be told from those of other treatment.
'' where its arms do not say."""


class Reading(Model):
    """A reasoner's reading of one record on one drug. Every fact is located in the record."""

    evidence_id: str
    drug: str
    excluded_because: str = ""
    """Why the record does not bear on the question; '' when it does."""
    direct: bool = False
    """Whether the finding is about the condition itself.

    Otherwise it is about another condition, outcome or population.
    """
    about_drug: bool = True
    """Whether the record is about this drug alone, not about several drugs or a class.

    Only then is its size the drug's.
    """
    supporting: tuple[Fact, ...] = ()
    """Findings that the drug helps."""
    refuting: tuple[Fact, ...] = ()
    """Findings of no effect or of harm."""
    null: bool = False
    """Whether some of `refuting` is a finding of no effect."""
    harmful: bool = False
    """Whether some of `refuting` is a finding of harm."""
    context: tuple[Fact, ...] = ()
    """Design, harms, status and conclusions without a direction."""
    remark: str = ""
    """Why there is no direction, or how the findings must be read.

    An example: the drug is the reference arm.
    """
    model_direction: Direction = Direction.NONE
    """Of versions before 0.3, which counted rules and showed a model's direction beside them."""
    votes: tuple[Vote, ...] = ()
    """What its results count for, an outcome each."""
    given: Given = ""
    unread: bool = False
    """Whether it bears on the question, and its results could not be read without a model."""
    unclear: bool = False
    """Whether it may report a result on the drug in the people asked about that rules missed."""
    by_rules: bool = False
    """Whether rules alone read it, and found no result there that decides."""
    proposed: VerdictLabel | None = None
    """The verdict that a model proposed over all records that it was shown, this one among them."""
    rated: Certainty | None = None
    """How certain by GRADE it holds that to be."""
    shown: tuple[Way, ...] = ()
    """What those of its results found that a model has for deciding, whether they count or not."""

    @property
    def included(self) -> bool:
        """Return whether the record bears on the question."""
        return not self.excluded_because

    @property
    def direction(self) -> Direction:
        """Return the direction of the benefit over the whole record."""
        return _direction(bool(self.supporting), bool(self.refuting))

    @property
    def stance(self) -> Stance:
        """The stance of the whole record; with findings both ways it is neutral."""
        told = self.direction
        return Stance(told) if told in ("supports", "refutes") else Stance.NEUTRAL

    @property
    def facts(self) -> tuple[Fact, ...]:
        """All facts of the reading."""
        return tuple(fact for facts in self.facts_by_kind.values() for fact in facts)

    @property
    def facts_by_kind(self) -> dict[str, tuple[Fact, ...]]:
        """The facts by the name of the field that holds them."""
        return {k: getattr(self, k) for k in ("supporting", "refuting", "context")}


class Appraisal(Model):
    """A reading with the grade that code gave the record."""

    reading: Reading
    grade: Grade

    @classmethod
    def weighed(cls, reading: Reading, grade: Grade) -> Appraisal:
        """The appraisal in which a record under an expression of concern supports nothing.

        What it says for the drug stays, without a direction; what it says against the drug counts.
        """
        if grade.concern and (reading.supporting or reading.votes):
            unweighed = {
                "supporting": (),
                "context": (*reading.supporting, *reading.context),
                "votes": tuple(v for v in reading.votes if v.way not in _FOR),
                "remark": reading.remark or Remark.CONCERN,
            }
            reading = reading.model_copy(update=unweighed)
        return cls(reading=reading, grade=grade)

    def moved_to(self, evidence_id: str) -> Appraisal:
        """The same of a record that has another id by now."""
        if evidence_id == self.evidence_id:
            return self
        facts = {
            name: tuple(fact.moved_to(evidence_id) for fact in of_kind)
            for name, of_kind in self.reading.facts_by_kind.items()
        }
        votes = tuple(
            vote.model_copy(update={"evidence_id": evidence_id}) for vote in self.reading.votes
        )
        reading = self.reading.model_copy(
            update={"evidence_id": evidence_id, "votes": votes, **facts}
        )
        return self.model_copy(update={"reading": reading})

    @property
    def evidence_id(self) -> str:
        """Id of the record in the run's store."""
        return self.reading.evidence_id

    @property
    def counts(self) -> bool:
        """Return whether the record may decide a verdict: included and not retracted."""
        return self.reading.included and not self.grade.retracted


class StudyFinding(Model):
    """One study, with all records that belong to it."""

    evidence_ids: tuple[str, ...]
    deciding_ids: tuple[str, ...]
    """Those of the records that state the direction."""
    direction: Direction
    level: int | None
    """Best OCEBM level among the records that state the direction, else among all of them."""
    direct: bool
    about_drug: bool = True
    """Whether a record that states the direction is about the drug alone."""
    null: bool = False
    """Whether a record that states the direction found no effect."""
    harmful: bool = False
    """Whether a record that states the direction found harm."""
    votes: tuple[Vote, ...] = ()
    """What its results count for, of all its records."""
    unread: bool = False
    """Whether none of its records could be read, though it bears on the question."""
    unclear: bool = False
    """Whether rules may have missed a result in the people asked about in a record of it."""
    by_rules: bool = False
    """Whether rules alone read a record of it, and found no result there that decides."""
    why: str = ""
    """Why it has no say on whether the drug helps, or how its findings must be read."""
    proposed: VerdictLabel | None = None
    """The verdict that a model proposed over all studies that it was shown, this one among them."""
    rated: Certainty | None = None
    """How certain by GRADE it holds that to be."""
    shown: tuple[Way, ...] = ()
    """What those of its results found that a model has for deciding, whether they count or not."""
    told_as: Certainty | None = None
    """The least certainty of the rows by which a model's table tells what decides."""
    concern: bool = False
    """Whether an expression of concern stands against one of its records."""
    participants: int | None
    """People studied, in the largest record about the drug alone; None when no such record says."""

    @property
    def clinical(self) -> bool:
        """Return whether the study studied people (OCEBM level 1-4)."""
        return self.level is not None and self.level <= 4

    @property
    def randomised(self) -> bool:
        """Return whether the study is a randomised trial or a review of such (OCEBM level 1-2)."""
        return self.level is not None and self.level <= 2


def _direction(helps: bool, fails: bool) -> Direction:
    if helps and fails:
        return Direction.MIXED
    return Direction.SUPPORTS if helps else Direction.REFUTES if fails else Direction.NONE


def _finding(appraisals: Sequence[Appraisal]) -> StudyFinding:
    direct = [
        a for a in appraisals if a.reading.direct and (a.reading.supporting or a.reading.refuting)
    ]
    stating = direct or [a for a in appraisals if a.reading.supporting or a.reading.refuting]
    base = stating or list(appraisals)
    return StudyFinding(
        evidence_ids=tuple(a.evidence_id for a in appraisals),
        deciding_ids=tuple(a.evidence_id for a in stating),
        direction=_direction(
            any(a.reading.supporting for a in stating), any(a.reading.refuting for a in stating)
        ),
        level=min((a.grade.level for a in base if a.grade.level is not None), default=None),
        direct=any(a.reading.direct for a in base),
        about_drug=any(a.reading.about_drug for a in base),
        null=any(a.reading.null for a in stating),
        harmful=any(a.reading.harmful for a in stating),
        why=next((a.reading.remark for a in appraisals if a.reading.remark), ""),
        votes=tuple(vote for a in appraisals for vote in a.reading.votes),
        unread=any(a.reading.unread for a in appraisals)
        and not any(a.reading.votes and not a.reading.unread for a in appraisals),
        unclear=any(a.reading.unclear for a in appraisals),
        by_rules=any(a.reading.by_rules for a in appraisals),
        proposed=next((a.reading.proposed for a in appraisals if a.reading.proposed), None),
        rated=next((a.reading.rated for a in appraisals if a.reading.rated), None),
        shown=tuple(dict.fromkeys(way for a in appraisals for way in a.reading.shown)),
        concern=any(a.grade.concern for a in appraisals),
        participants=max(
            (a.grade.participants for a in base if a.grade.participants and a.reading.about_drug),
            default=None,
        ),
    )


def study_findings(
    appraisals: Mapping[str, Appraisal], groups: Iterable[Sequence[str]]
) -> tuple[StudyFinding, ...]:
    """Return the findings of each study, from its records that count.

    Records that no id links are of one study where they tell the same estimate of as many people,
    or compare the same in as many people, of whom there are too many for chance.

    Args:
        appraisals: Evidence id -> appraisal, for one drug.
        groups: Evidence ids grouped by study.
    """
    members = (
        [appraisals[i] for i in group if i in appraisals and appraisals[i].counts]
        for group in groups
    )
    return tuple(map(_finding, _joined([group for group in members if group])))


_TOO_MANY = 500
"""People from which two trials seldom have exactly as many."""
_ROUND = 50


def _joined(studies: Sequence[list[Appraisal]]) -> list[list[Appraisal]]:
    """Studies, with the reports that are of the people of an earlier one joined to it."""
    joined: list[list[Appraisal]] = []
    at: dict[tuple[object, ...], int] = {}
    for study in studies:
        keys = {key for one in study for vote in one.reading.votes for key in _people_of(vote)}
        known = min((at[key] for key in keys if key in at), default=len(joined))
        if known == len(joined):
            joined.append([])
        joined[known].extend(study)
        for key in keys:
            at.setdefault(key, known)
    return joined


def _people_of(vote: Vote) -> Iterator[tuple[object, ...]]:
    """Return the words that distinguish the people of a trial's result from other trials'.

    Round numbers do not: many trials are planned alike.
    """
    if vote.review or not vote.people or not vote.people % _ROUND:
        return
    effect = vote.effect
    if effect and None not in (effect.value, effect.ci_low, effect.ci_high):
        yield vote.row, vote.comparator, vote.people, effect.value, effect.ci_low, effect.ci_high
    if vote.people >= _TOO_MANY:
        yield vote.comparator or vote.control, vote.people


MOST_SHOWN = 30
"""Results of one study that a model is shown to match; the rest count as the rules weigh them."""


class ResultMatch(Model):
    """A model's judgement of how one result of a study bears on the question."""

    result: int = Field(ge=0)
    """Place of the result in the study's reading, from 0."""
    side: Literal["a", "b"]
    """The arm with what is asked about; of stopping a drug, the arm that stopped it."""
    outcome: str
    """What was measured: of all names that were read for it the one that its row has."""
    importance: Importance
    directness: Directness


class Matched(Model):
    """A model's judgement of one record for the question."""

    results: tuple[ResultMatch, ...] = ()
    proposed: VerdictLabel | None = None
    """The verdict that it proposes over all the records that it was shown."""
    rated: Certainty | None = None
    """How certain by GRADE it holds that to be."""
