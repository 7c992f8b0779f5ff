"""A model's scores, gaps and searches as an assessment; it never scores above the rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from deepcritical.answering.quoting import plain_words
from deepcritical.domain.assessment import JudgeAssessment, RoundChoice
from deepcritical.domain.question import Condition, Drug, SearchQuery
from deepcritical.models.answers import Assessed, GapKind
from deepcritical.questions.searching import asked
from deepcritical.reasoning.judging import OpenGap

__all__ = ["judged", "worded_queries"]

_MAX_QUERIES = 6
_CONFIDENCE = {"low": 0.2, "moderate": 0.6, "high": 0.8}
_GAPS: dict[GapKind, str] = {
    "randomised_trial": "A randomised trial of {drug} in {condition}.",
    "larger_trial": "A trial of {drug} in {condition} large enough to be precise.",
    "dose": "The dose of {drug} for {condition}.",
    "population": "Which people with {condition} could benefit from {drug}.",
    "long_term_outcome": "Long-term outcomes of {drug} in {condition}.",
    "safety": "The safety of {drug} in people with {condition}.",
    "mechanism": "How {drug} would act on {condition}.",
    "negative_studies": "Studies of {drug} in {condition} that found no effect, or were stopped.",
}


def worded_queries(
    drug: Drug | None, condition: Condition, texts: Iterable[str]
) -> tuple[SearchQuery, ...]:
    """Searches in a model's words beside drug and condition; those of odd words are left out."""
    words = (plain_words(text) for text in islice(texts, 5 * _MAX_QUERIES))
    made = [
        asked(drug, condition, said, tuple(w for w in said.split() if len(w) > 3))
        for said in words
        if said
    ]
    return tuple(dict.fromkeys(made))[:_MAX_QUERIES]


def judged(
    by_rule: JudgeAssessment,
    answer: Assessed,
    drug: str,
    queries: tuple[SearchQuery, ...],
    condition: str,
    open_gaps: Sequence[OpenGap],
) -> JudgeAssessment:
    """The lower score of both, the gaps of both, and sufficient only if both find it so.

    `queries` are the model's searches, `open_gaps` are those that it was shown, in their order.
    """
    mechanism = min(max(answer.mechanism_score, 0), by_rule.mechanism_score)
    clinical = min(max(answer.clinical_score, 0), by_rule.clinical_score)
    sufficient = by_rule.sufficient and answer.answers_question
    picked = _picked(answer.close_next, open_gaps)
    later = _postponed(picked, open_gaps)
    first = tuple(gap.query for gap in picked)
    rest = tuple(query for query in by_rule.next_queries if query not in later)
    wants_more = not answer.answers_question or answer.next_round == "go_on"
    gaps = [_GAPS[kind].format(drug=drug, condition=condition) for kind in answer.gaps]
    return by_rule.model_copy(
        update={
            "mechanism_score": mechanism,
            "clinical_score": clinical,
            "confidence": min(by_rule.confidence, _CONFIDENCE[answer.confidence]),
            "sufficient": sufficient,
            "recommendation": "synthesize" if sufficient and not wants_more else "continue",
            "gaps": tuple(dict.fromkeys((*by_rule.gaps, *gaps))),
            "next_queries": tuple(dict.fromkeys((*first, *queries, *rest))),
            "postponed": later,
            "choice": _choice(by_rule, picked, wants_more=wants_more),
            "reasoning": f"{by_rule.reasoning} A model's scores, where they are lower, hold.",
        }
    )


def _picked(numbers: Iterable[int], gaps: Sequence[OpenGap]) -> tuple[OpenGap, ...]:
    """The gaps of these numbers, counted from 1; a number of no gap is left out."""
    known = (n for n in dict.fromkeys(numbers) if 1 <= n <= len(gaps))
    return tuple(gaps[number - 1] for number in known)


def _postponed(picked: Sequence[OpenGap], gaps: Sequence[OpenGap]) -> tuple[SearchQuery, ...]:
    """What a choice leaves for later: never the sides of the question, nor what is against."""
    kept = {gap.query for gap in gaps if gap in picked or gap.against}
    return tuple(gap.query for gap in gaps if gap.query not in kept) if picked else ()


def _choice(
    by_rule: JudgeAssessment, picked: Sequence[OpenGap], *, wants_more: bool
) -> RoundChoice:
    if picked:
        gaps = tuple(gap.text for gap in picked)
        return RoundChoice(wants_more=wants_more, gaps=gaps, made_by="model")
    gaps = by_rule.choice.gaps if by_rule.choice else ()
    return RoundChoice(wants_more=wants_more, gaps=gaps)
