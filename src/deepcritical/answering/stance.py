"""The stance of one record towards a question on what a drug does in a condition."""

from __future__ import annotations

from pydantic import Field

from deepcritical.answering.needs import inquiry_of
from deepcritical.answering.weighing import appraised, drugs_asked
from deepcritical.domain.appraisal.findings import Reading, Stance
from deepcritical.domain.appraisal.hypotheses import MechanismHypothesis
from deepcritical.domain.appraisal.votes import Way
from deepcritical.domain.base import Model, UnitInterval
from deepcritical.domain.errors import QuestionError
from deepcritical.domain.evidence.kinds import is_notice, is_retracted
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.question.frame import QuestionKind
from deepcritical.domain.question.question import ResearchQuestion
from deepcritical.reading.library import read_by_code

_ONLY = "E1"


class StanceResult(Model):
    """The stance of a record on a hypothesis, and the place where it says so."""

    stance: Stance
    confidence: UnitInterval
    """Share of the results read that agree with the stance, 0-1; no probability."""
    quote: str = ""
    """The sentence that it rests on: ``content[start:end] == quote``; '' for none."""
    start: int = Field(default=0, ge=0)
    end: int = Field(default=0, ge=0)
    rule: str
    """Reason for the stance, as a sentence."""


def stance(
    record: Evidence, hypothesis: str | ResearchQuestion | MechanismHypothesis
) -> StanceResult:
    """Return whether a record supports or refutes that a drug helps in a condition.

    The record is read into a typed reading without a model: by its registry results, a curated
    reading, or the rules. What these cannot read is neutral, and so is a question on anything else,
    a retracted record, and a notice about another one.

    Args:
        record: A paper or a registry entry.
        hypothesis: A question or an assertion ("Does examplol reduce pain in testitis?"), a
            question as understood, or a mechanism, whose drug and condition are meant.

    Raises:
        ValueError: The hypothesis holds no word.
    """
    text = _wording(hypothesis)
    if not any(char.isalpha() for char in text):
        raise ValueError("hypothesis: give a question or an assertion in words.")
    if is_retracted(record) or is_notice(record):
        return _neutral("a retracted record, or a notice about one, supports and refutes nothing")
    try:
        inquiry = inquiry_of(text)
    except QuestionError as error:
        return _neutral(f"the question cannot be read: {error}")
    drugs, condition = drugs_asked(inquiry)
    if not drugs or condition is None:
        return _neutral("the question is not on what a drug does in a condition")
    if inquiry.frame and inquiry.frame.kind is QuestionKind.SAFETY:
        return _neutral("the question is on harm, and what is read is whether the drug helps")
    records = {_ONLY: record}
    found = appraised(inquiry, drugs[0], condition, records, read_by_code(records))
    frame = inquiry.frame
    denied = frame is not None and frame.negative != frame.raises
    return _of_reading(found[_ONLY].reading, denied=denied)


def _wording(hypothesis: str | ResearchQuestion | MechanismHypothesis) -> str:
    if isinstance(hypothesis, MechanismHypothesis):
        return f"Can {hypothesis.drug} be repurposed for {hypothesis.condition}?"
    return hypothesis.text if isinstance(hypothesis, ResearchQuestion) else hypothesis


def _of_reading(reading: Reading, *, denied: bool) -> StanceResult:
    if not reading.included:
        return _neutral(f"the record {reading.excluded_because}")
    ways = [vote.way for vote in reading.votes if vote.importance != "harm"]
    if not ways:
        why = "its results could not be read without a language model" if reading.unread else ""
        return _neutral(why or reading.remark or "it gives no result on the drug")
    benefit = sum(way is Way.BENEFIT for way in ways)
    if reading.stance is Stance.NEUTRAL and not reading.refuting and benefit < len(ways):
        found = Stance.REFUTES if not benefit else Stance.NEUTRAL
    else:
        found = reading.stance
    facts = reading.supporting if found is Stance.SUPPORTS else reading.refuting
    agreeing = benefit if found is Stance.SUPPORTS else len(ways) - benefit
    told = facts[0] if facts else None
    if denied and found is not Stance.NEUTRAL:
        found = Stance.REFUTES if found is Stance.SUPPORTS else Stance.SUPPORTS
    return StanceResult(
        stance=found,
        confidence=round(agreeing / len(ways), 2),
        quote=told.quote if told else "",
        start=told.start if told else 0,
        end=told.end if told else 0,
        rule=_RULES[found],
    )


_RULES = {
    Stance.SUPPORTS: "its results on the outcomes that count agree with it",
    Stance.REFUTES: "its results on the outcomes that count speak against it",
    Stance.NEUTRAL: "its results point both ways",
}


def _neutral(rule: str) -> StanceResult:
    return StanceResult(stance=Stance.NEUTRAL, confidence=1.0, rule=rule)
