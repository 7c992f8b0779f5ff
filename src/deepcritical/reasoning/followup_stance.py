"""The stance that the sentences of a record which bear on a further question take to it.

Only these sentences decide, not all else that the record says: what it finds on memory is no stance
on tau. What does not compare, or reports a composite outcome, decides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from deepcritical.domain.appraisal import Appraisal, Reading, Remark, Stance
from deepcritical.domain.errors import QuestionError
from deepcritical.domain.evidence import Evidence, Fact
from deepcritical.domain.grading import Grade, is_negative_stop, is_notice
from deepcritical.domain.patterns import bounded
from deepcritical.domain.question import ResearchQuestion
from deepcritical.domain.text import Span, sentences
from deepcritical.questions.forms import research_question
from deepcritical.questions.reading import literal_frame
from deepcritical.reasoning.asked import Asked, neutral_nouns
from deepcritical.reasoning.assertions import AssertionKind
from deepcritical.reasoning.bearing import bearing
from deepcritical.reasoning.hypothesis_stance import drug_question, stance
from deepcritical.reasoning.names import DrugNames
from deepcritical.reasoning.propositions import PropositionKind, proposition
from deepcritical.reasoning.reading import read_record
from deepcritical.reasoning.tolerability import Tolerated, asks_for_harm, tolerated
from deepcritical.reasoning.trial_stance import stop_sentence

__all__ = ["FollowUpJudge", "Judged"]

_COMPOSITE = bounded(
    r"\bcomposite\b|\b(?:deaths?|mortality|hospitali[sz]ations?|admissions?),? or\b|"
    r"\bor (?:\w+ )?(?:deaths?|mortality|hospitali[sz]ations?|admissions?)\b",
    re.IGNORECASE,
)
"""An outcome of several: what holds for it need not hold for any of its parts."""
_BOTH_WAYS = "what bears on the question points both ways"
_OPEN = "what bears on the question leaves it open"
_CLEAR = 0.33
"""How far a sentence must speak for or against what is claimed, of 1."""
_MIXED = bounded(
    r"\b(?:controversial|conflicting|contradictory|inconsistent|both positive and negative|"
    r"mixed (?:results|findings|evidence)|ranked (?:below|behind|lower|last)|"
    r"less (?:encouraging|promising|favou?rable))\b",
    re.IGNORECASE,
)
_WORSENS = bounded(r"\b(?:worsen|exacerbat|aggravat)\w*", re.IGNORECASE)
_TREATS = r"(?:in|for|against|treat|cure|heal|shrink|relieve|alleviate|ameliorate|halt)"
_NO_WORD = "harms are reported, without a word on how it was tolerated"


class Judged(NamedTuple):
    """What of a record bears on a question, and for which answer it speaks."""

    spans: tuple[Span, ...]
    """In the order of the text; empty when the record does not bear on the question."""
    stance: Stance | None = None
    """None when the question is not one of yes or no."""
    basis: int | None = None
    """Offset of the sentence that the stance rests on; None for a neutral one."""
    why: str = ""
    """Why, as a sentence."""


_NOTHING = Judged(())


class FollowUpJudge:
    """Reads records for one question.

    Args:
        asked: The question.
    """

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._kind = proposition(asked.claim).kind
        self._about = _benefit_question(asked)

    def read(self, record: Evidence, graded: Grade) -> Judged:
        """What a record says to the question. A retracted one, or a notice, is always neutral."""
        spans = bearing(self._asked, record)
        if self._about:
            judged = self._by_reading(self._about, record, spans, graded)
        elif not spans or not self._asked.yes_no:
            return Judged(spans)
        else:
            judged = self._by_sentences(record, spans)
        return _weighed(judged, record, graded)

    def _by_reading(
        self, about: ResearchQuestion, record: Evidence, spans: Sequence[Span], graded: Grade
    ) -> Judged:
        """By the reading that a run makes of a record about a drug for a condition."""
        if about.drug is None or about.condition is None:
            raise ValueError("a question about benefit names a drug and a condition")
        reading = read_record(about.drug, about.condition, "E1", record)
        if not reading.included:
            return _NOTHING
        reading = Appraisal.weighed(reading, graded).reading
        taken = {span.start for span in spans}
        # Where a risk is asked for, what is found on other outcomes of the condition is no answer.
        whole = not self._asked.wanted
        told = [f for f in (*reading.supporting, *reading.refuting) if whole or f.start in taken]
        labels = {span.start: span.label for span in sentences(record.content)}
        added = (
            Span(f.quote, f.start, f.end, labels.get(f.start, ""))
            for f in told
            if f.start not in taken
        )
        # A stop for futility is shown also where it is not charged to this drug alone.
        shown = {span.start: span for span in (*spans, *added, *self._stop(record))}
        every = tuple(shown[start] for start in sorted(shown))
        return _of_facts(every, reading, {f.start for f in told}) if every else _NOTHING

    def _stop(self, record: Evidence) -> tuple[Span, ...]:
        told = None if self._asked.wanted else stop_sentence(record)
        return (told,) if told and is_negative_stop(record) else ()

    def _by_sentences(self, record: Evidence, spans: tuple[Span, ...]) -> Judged:
        if any(want.is_safety for want in self._asked.wanted):
            return self._of_safety(record, spans)
        told = spans
        if self._asked.wants_single_outcome:
            told = tuple(span for span in spans if not _COMPOSITE.search(span.text))
        if not told:
            why = "only a composite outcome is reported, which speaks for none of its parts"
            return Judged(spans, Stance.NEUTRAL, why=why)
        said = [(span, self._says(record, span)) for span in told]
        sides = {way for _, way in said} - {Stance.NEUTRAL}
        if len(sides) != 1:
            return Judged(spans, Stance.NEUTRAL, why=_BOTH_WAYS if sides else _OPEN)
        (side,) = sides
        basis = next(span.start for span, way in said if way is side)
        return Judged(spans, side, basis, f'held against "{self._kind.value}"')

    def _says(self, record: Evidence, span: Span) -> Stance:
        """The stance of one sentence; neutral where it says too little of what is claimed."""
        if _MIXED.search(span.text):
            return Stance.NEUTRAL
        alone = record.model_copy(update={"content": neutral_nouns(span.text)})
        judged = stance(alone, self._asked.claim)
        weak = judged.asserted is not None and abs(judged.speaks) < _CLEAR
        worsens = judged.asserted is AssertionKind.WORSE and _WORSENS.search(span.text)
        return Stance.NEUTRAL if weak and not worsens else judged.stance

    def _of_safety(self, record: Evidence, spans: tuple[Span, ...]) -> Judged:
        drugs = [DrugNames(drug, record.content) for drug in self._asked.drugs]
        said = {span.start: tolerated(span, drugs) for span in spans}
        kinds = set(said.values())
        if Tolerated.YES in kinds and kinds <= {Tolerated.YES, Tolerated.UNSAID}:
            found, why = Tolerated.YES, "it is said to be tolerated, or no worse than a control"
        elif Tolerated.NO in kinds and Tolerated.YES not in kinds:
            found, why = Tolerated.NO, "it is said to harm, or to be worse than a control"
        else:
            said_nothing = kinds == {Tolerated.UNSAID}
            return Judged(spans, Stance.NEUTRAL, why=_NO_WORD if said_nothing else _BOTH_WAYS)
        agrees = (found is Tolerated.NO) is asks_for_harm(self._asked.text)
        basis = next(start for start, way in said.items() if way is found)
        return Judged(spans, Stance.SUPPORTS if agrees else Stance.REFUTES, basis, why)


def _benefit_question(asked: Asked) -> ResearchQuestion | None:
    """The question as one that a run answers: whether a drug helps in a condition."""
    if not asked.yes_no:
        return None
    proposed = proposition(asked.claim)
    if not asked.has_topic:
        return drug_question(asked.text, proposed)
    if asked.wanted or proposed.kind is not PropositionKind.MERIT:
        return None
    try:
        question = research_question(literal_frame(asked.text))
    except QuestionError:
        return None
    named = re.escape(question.condition.name) if question.condition else "$^"
    # A condition that no vocabulary knows is told from an outcome by the word before it.
    treated = re.search(rf"\b{_TREATS}\s+{named}\W*$", asked.text, re.IGNORECASE)
    return question if question.drug and treated else None


def _of_facts(spans: tuple[Span, ...], reading: Reading, told: set[int]) -> Judged:
    helps = _within(reading.supporting, told)
    fails = _within(reading.refuting, told)
    if helps and fails:
        why = "benefit for one outcome and none, or harm, for another"
        return Judged(spans, Stance.NEUTRAL, why=why)
    if helps:
        return Judged(spans, Stance.SUPPORTS, helps[-1].start, "findings of benefit")
    if fails:
        return Judged(spans, Stance.REFUTES, fails[-1].start, "findings of no benefit or of harm")
    return Judged(spans, Stance.NEUTRAL, why=reading.remark or _BOTH_WAYS)


def _within(facts: Iterable[Fact], told: set[int]) -> list[Fact]:
    return [fact for fact in facts if fact.start in told]


def _weighed(judged: Judged, record: Evidence, graded: Grade) -> Judged:
    """Without a stance where the record must not have one."""
    if graded.retracted or is_notice(record):
        why = "a retracted record, or a notice about one, supports and refutes nothing"
        return judged._replace(stance=Stance.NEUTRAL, basis=None, why=why)
    if graded.concern and judged.stance is Stance.SUPPORTS:
        return judged._replace(stance=Stance.NEUTRAL, basis=None, why=Remark.CONCERN)
    return judged
