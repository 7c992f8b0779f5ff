"""The stance of a record towards any yes/no question or hypothesis, with the quote it rests on.

Every clause of the results and of the conclusion is an assertion (`assertions`) that speaks for or
against the kind of proposition in question (`propositions`). Conclusions weigh most, for they are
the authors' answer; a clause weighs by how much of the question it names. Where the clauses that
weigh most disagree, or none speaks of the question, the stance is neutral.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pydantic import Field

from deepcritical.domain.appraisal import Reading, Stance
from deepcritical.domain.base import Model, UnitInterval
from deepcritical.domain.errors import QuestionError
from deepcritical.domain.evidence import Evidence, Fact
from deepcritical.domain.grading import is_negative_stop
from deepcritical.domain.hypotheses import MechanismHypothesis
from deepcritical.domain.patterns import bounded
from deepcritical.domain.question import QuestionForm, ResearchQuestion
from deepcritical.domain.record_kinds import is_notice, is_paper, is_retracted
from deepcritical.domain.text import Span, sentences
from deepcritical.questions.forms import research_question
from deepcritical.questions.reading import literal_frame
from deepcritical.reasoning import lexicon
from deepcritical.reasoning.assertions import (
    Assertion,
    AssertionKind,
    assertion_of,
    is_contrasted,
    is_hedged,
    is_open,
    is_qualified,
)
from deepcritical.reasoning.clauses import clauses
from deepcritical.reasoning.comparisons import comparison
from deepcritical.reasoning.effects import effect
from deepcritical.reasoning.figures import Way, figures_cue, p_values
from deepcritical.reasoning.propositions import Proposition, PropositionKind, proposition
from deepcritical.reasoning.reading import read_record
from deepcritical.reasoning.trial_stance import trial_finding

__all__ = ["StanceResult", "drug_question", "stance"]

_ROWS: dict[PropositionKind, tuple[float, ...]] = {
    # unhindered, no effect, unneeded, unfit, denied, alike, worse, needed, fit, less, more,
    # linked, plain: for (above 0) or against (below 0) a proposition of the kind
    PropositionKind.OMISSION: (0, 0.8, 1, -0.3, 0.2, 0.8, -0.8, -1, 0.6, 0.3, -0.3, -0.2, 0.2),
    PropositionKind.SAMENESS: (0.3, 0.6, 0.3, -1, -0.5, 1, -0.7, -0.2, 0.5, -0.7, -0.7, -0.5, 0.1),
    PropositionKind.NEED: (0.8, -1, -1, -0.7, -0.5, -0.5, 0.3, 1, 0.3, 0.3, 0.3, 0.4, 0.2),
    PropositionKind.DETRIMENT: (-1, -1, -0.7, 0.1, -0.6, -0.8, 0.9, 0.2, -0.3, 0.4, 0.6, 0.6, 0.2),
    PropositionKind.LOWERING: (0.3, -1, -0.5, -0.7, -0.6, -0.5, -0.2, 0.5, 0.8, 1, 0.1, 0.6, 0.3),
    PropositionKind.RAISING: (0.3, -1, -0.5, -0.6, -0.5, -0.2, 0.8, 0.4, 0.8, 0.1, 1, 0.7, 0.3),
    PropositionKind.RELATION: (-0.3, -1, -0.2, -0.4, -0.4, -0.3, 0.9, 0.4, 0.7, 0.8, 0.8, 0.8, 0.2),
    PropositionKind.MERIT: (0.8, -1, -0.9, -0.8, -0.5, 0.4, -0.2, 0.3, 1, 0.6, 0.6, 0.7, 0.1),
    PropositionKind.STATE: (0.3, -0.8, -0.7, -0.8, -0.5, 0.5, 0.4, 0.3, 0.8, 0.6, 0.6, 0.7, 0.4),
}
_SPEAKS = {kind: dict(zip(AssertionKind, row, strict=True)) for kind, row in _ROWS.items()}
"""How far an assertion speaks for (above 0) or against (below 0) a proposition of each kind."""

_CONCLUSION = ("conclusion", "interpretation", "authors", "meaning", "significance", "discussion")
_RESULT_WEIGHT = 0.15
"""Of a clause in the results where the authors also conclude."""
_UNNAMED = 0.25
"""The weight of a clause that names nothing of the question, as a share of one that names it all:
conclusions often say "this approach"."""
_LATER = 0.8
"""Each further sentence of a conclusion weighs this much of the one before."""
_BUT_NOT = bounded(r",?\s+but\s+(?=not\b)")
_CONCESSION = 0.3
_CONCEDED = bounded(
    r"\W*(?:while|whilst|although|though|even though|despite|in spite of|notwithstanding)\b"
    r"([^,;]*(?:,[^,;]*)?),\s+(?=\w+ )",
    re.IGNORECASE,
)
"""A beginning that grants something before the sentence says what it says."""
_OPEN, _AIM, _HEDGED = 0.15, 0.5, 0.85
"""What a call for more research, an aim and a "may" leave of a clause's say."""
_NO_CONCLUSION = (0.2, -0.1)
_PLAIN, _CONTRASTED, _QUALIFIED = (0.2, 0.0), (0.4, 0.0), (0.95, -0.7)
"""Balance above which a text supports, and below which it refutes, by how it concludes.

Support that is taken back in part is none ("feasible, but complications are a concern"), and what
holds for some only neither supports nor refutes as a whole, unless all that is said agrees.
"""
_SHORT = 4
"""Up to so many sentences without a label are a conclusion as a whole."""
_SPOKEN_OF = 0.3
_SPOKEN_OF_IN_SHORT = 0.15
"""The share of the question's words that a record must name to bear on it; of a conclusion by
itself less is asked, for it says "this approach"."""


_CONCLUDES = bounded(
    r"^(?:in (?:conclusion|summary)|to conclude|overall|taken together|thus|therefore|hence)\b|"
    r"\b(?:we|authors) (?:\w+ )?conclude\b|\bit (?:is|was|can be) concluded\b",
    re.IGNORECASE,
)
"""Begins the conclusion of a text without labels."""


class StanceResult(Model):
    """What a record says to a hypothesis, and where."""

    stance: Stance
    confidence: UnitInterval
    """How far what the record says agrees with the stance, 0-1; no probability."""
    quote: str = ""
    """The sentence that weighs most for the stance: ``content[start:end] == quote``."""
    start: int = Field(default=0, ge=0)
    end: int = Field(default=0, ge=0)
    cue: str = ""
    """The words of the quote that decide."""
    rule: str
    """Why, as a sentence."""
    asserted: AssertionKind | None = None
    """What the quote asserts, where that decided."""
    speaks: float = Field(default=0.0, ge=-1, le=1)
    """How far what is asserted speaks for, above 0, or against the hypothesis."""


class _Said(NamedTuple):
    span: Span
    assertion: Assertion
    value: float
    weight: float

    @property
    def force(self) -> float:
        return self.value * self.weight


def _placed(text: str) -> Iterator[tuple[Span, float]]:
    """The sentences that may answer, each with the weight of its place."""
    spans = sentences(text)
    concluded = _conclusion(spans)
    later = 1.0
    for number, span in enumerate(spans):
        if number in concluded:
            yield span, later
            later *= _LATER
        elif not span.label.startswith(lexicon.NOT_FINDINGS):
            yield span, _RESULT_WEIGHT if concluded else 1.0


def _conclusion(spans: Sequence[Span]) -> frozenset[int]:
    """Which sentences conclude: those labelled so, or the end of a text without any label."""
    labelled = [n for n, s in enumerate(spans) if s.label.startswith(_CONCLUSION)]
    if labelled or any(s.label for s in spans):
        return frozenset(labelled)
    ends = len(spans) if len(spans) <= _SHORT else max(1, min(2, len(spans) // 5))
    told = (n for n, s in enumerate(spans) if 2 * n >= len(spans) and _CONCLUDES.search(s.text))
    return frozenset(range(min([len(spans) - ends, *told]), len(spans)))


def _asserted(clause: str, asked: Proposition) -> Assertion:
    """What the clause asserts by its figures, or else by its words."""
    figured = figures_cue(clause)
    if figured and figured.way is Way.NO_EFFECT:
        return Assertion(AssertionKind.NOTHING_FOUND, figured.at, "figures without significance")
    said = assertion_of(clause, ignoring=asked.terms)
    tests = p_values(clause)
    if tests and all(tests) and said.kind in (AssertionKind.PLAIN, AssertionKind.DENIED):
        return Assertion(AssertionKind.LINKED, said.at, "a significant difference")
    return said


def _said(text: str, asked: Proposition) -> list[_Said]:
    return [
        _Said(span, said, _value(clause, said, asked), place * told * _named(clause, asked))
        for span, place in _placed(text)
        for clause, told in _clauses(span.text)
        if len(clause.split()) > 2
        for said in (_asserted(clause, asked),)
    ]


def _clauses(sentence: str) -> Iterator[tuple[str, float]]:
    """The clauses of a sentence with their weight: what it begins by conceding weighs little."""
    conceded = _CONCEDED.match(sentence)
    if conceded:
        yield conceded[1], _CONCESSION
        sentence = sentence[conceded.end() :]
    for clause in clauses(sentence):
        for part in _BUT_NOT.split(clause):
            yield part, 1.0


def _named(clause: str, asked: Proposition) -> float:
    return _UNNAMED + (1 - _UNNAMED) * asked.overlap(clause)


def _value(clause: str, said: Assertion, asked: Proposition) -> float:
    value = _SPEAKS[asked.kind][said.kind]
    if is_open(clause):
        return value * _OPEN
    if lexicon.AIM.search(clause) and said.kind is not AssertionKind.NEEDED:
        value *= _AIM
    return value * _HEDGED if is_hedged(clause) else value


def balance(text: str, asked: Proposition) -> tuple[float, list[_Said]]:
    """Between -1, all that is said is against, and 1, all is for; with what was said."""
    said = _said(text, asked)
    total = sum(abs(s.force) for s in said)
    return (sum(s.force for s in said) / total if total else 0.0), said


def _of_text(record: Evidence, asked: Proposition) -> StanceResult:
    spans = sentences(record.content)
    least = _SPOKEN_OF if len(spans) > _SHORT else _SPOKEN_OF_IN_SHORT
    if asked.overlap(f"{record.citation.title} {record.content}") < least:
        return _neutral("the record does not speak of what is asked")
    weighed, said = balance(record.content, asked)
    if not said:
        return _neutral("the record has no sentence of a result or conclusion")
    high, low = _bounds(spans)
    found = Stance.SUPPORTS if weighed > high else Stance.REFUTES if weighed < low else None
    best = max(said, key=lambda s: s.force * (1 if weighed >= 0 else -1))
    agreed = abs(weighed) if found else 1 - abs(weighed)
    rule = (
        f'held against "{asked.kind.value}", the sentences that weigh most say: '
        f"{best.assertion.kind.value}"
        if found
        else "what the record says of it points both ways, or is open"
    )
    stated = _at(found or Stance.NEUTRAL, round(agreed, 2), best.span, best.assertion.words, rule)
    return stated.model_copy(update={"asserted": best.assertion.kind, "speaks": best.value})


def _bounds(spans: Sequence[Span]) -> tuple[float, float]:
    said = " ".join(spans[n].text for n in sorted(_conclusion(spans)))
    if not said:
        return _NO_CONCLUSION
    if is_qualified(said):
        return _QUALIFIED
    return _CONTRASTED if is_contrasted(said) else _PLAIN


def _at(found: Stance, confidence: float, span: Span, cue: str, rule: str) -> StanceResult:
    return StanceResult(
        stance=found,
        confidence=confidence,
        quote=span.text,
        start=span.start,
        end=span.end,
        cue=cue,
        rule=rule,
    )


def _neutral(rule: str) -> StanceResult:
    return StanceResult(stance=Stance.NEUTRAL, confidence=1.0, rule=rule)


def stance(
    record: Evidence, hypothesis: str | ResearchQuestion | MechanismHypothesis
) -> StanceResult:
    """Whether a record supports or refutes a hypothesis, with the sentence that it rests on.

    A question of the product's own form, a drug for a condition, is read by `read_record`, which
    tells arms, outcomes and populations apart; any other by what the record's results and
    conclusion assert. A registry entry speaks by its stop reason and posted results. A retracted
    record, and a notice about another one, is always neutral.

    Args:
        record: A paper or a registry entry.
        hypothesis: A yes/no question or an assertion ("Does examplol reduce pain?"), a question as
            understood, or a mechanism, whose drug and condition are held against the record.

    Raises:
        ValueError: The hypothesis holds no word.
    """
    if not (text := _wording(hypothesis)):
        raise ValueError("hypothesis: give a question or an assertion in words.")
    if is_retracted(record) or is_notice(record):
        return _neutral("a retracted record, or a notice about one, supports and refutes nothing")
    asked = proposition(text, record.content)
    about = drug_question(hypothesis, asked)
    reading = _read(record, about) if about else None
    if not is_paper(record):
        return _of_trial(record, asked, reading)
    if reading and reading.included and (reading.supporting or reading.refuting):
        return _of_reading(reading)
    return _of_arms(record, text) or _of_text(record, asked)


def _of_arms(record: Evidence, text: str) -> StanceResult | None:
    """The stance towards a claim on two arms, by the direction that the record tells."""
    claim = comparison(text)
    told = (
        effect(record.content, claim.intervention, claim.comparator, claim.outcome)
        if claim
        else None
    )
    if claim is None or told is None:
        return None
    agrees = told.direction is claim.claimed
    span = Span(told.quote, told.start, told.end)
    rule = f"claimed: {claim.claimed.value}; the record says: {told.direction.value}"
    return _at(Stance.SUPPORTS if agrees else Stance.REFUTES, told.fit, span, told.cue, rule)


def _wording(hypothesis: str | ResearchQuestion | MechanismHypothesis) -> str:
    if isinstance(hypothesis, MechanismHypothesis):
        return f"Can {hypothesis.drug} be repurposed for {hypothesis.condition}?"
    text = hypothesis.text if isinstance(hypothesis, ResearchQuestion) else hypothesis
    return text if any(char.isalpha() for char in text) else ""


def drug_question(
    hypothesis: str | ResearchQuestion | MechanismHypothesis, asked: Proposition
) -> ResearchQuestion | None:
    """The hypothesis as a known drug for a known condition, when it claims a benefit; else None."""
    if asked.kind not in (PropositionKind.MERIT, PropositionKind.LOWERING):
        return None
    try:
        question = (
            hypothesis
            if isinstance(hypothesis, ResearchQuestion)
            else research_question(literal_frame(asked.text))
        )
    except QuestionError:
        return None
    drug, condition = question.drug, question.condition
    asks_benefit = question.form is not QuestionForm.CONDITION
    known = drug and drug.known and condition and condition.known
    return question if known and asks_benefit else None


def _read(record: Evidence, question: ResearchQuestion) -> Reading | None:
    if question.drug is None or question.condition is None:
        return None
    return read_record(question.drug, question.condition, "E1", record)


def _of_reading(reading: Reading) -> StanceResult:
    facts: tuple[Fact, ...] = reading.supporting or reading.refuting
    if reading.mixed:
        rule = "benefit for one outcome and none, or harm, for another"
    else:
        rule = "findings of benefit" if reading.supporting else "findings of no benefit or of harm"
    span = Span(facts[-1].quote, facts[-1].start, facts[-1].end)
    both = len(reading.supporting) + len(reading.refuting)
    agreed = 1.0 if reading.stance is Stance.NEUTRAL else round(len(facts) / both, 2)
    return _at(reading.stance, agreed, span, reading.drug, rule)


def _of_trial(record: Evidence, asked: Proposition, reading: Reading | None) -> StanceResult:
    meta = record.metadata
    named = " ".join((record.citation.title, record.content, *meta.conditions, *meta.interventions))
    if asked.overlap(named) < _SPOKEN_OF or (reading and not reading.included):
        return _neutral("the entry does not speak of what is asked")
    if reading and is_negative_stop(record) and not reading.refuting:
        return _neutral(reading.remark or "the stop is not charged to this drug alone")
    found = trial_finding(record)
    if found.span is None:
        return StanceResult(stance=found.stance, confidence=1.0, cue=found.cue, rule=found.rule)
    return _at(found.stance, 1.0, found.span, found.cue, found.rule)
