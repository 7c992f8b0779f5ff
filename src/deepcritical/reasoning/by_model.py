"""Makes a model's judgements safe by code, and joins them with those of the rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from deepcritical.answering.quoting import plain_words
from deepcritical.appraisal.body.verdict import decide
from deepcritical.domain.appraisal.assessment import JudgeAssessment, RoundChoice
from deepcritical.domain.appraisal.findings import MOST_SHOWN, Matched, ResultMatch
from deepcritical.domain.appraisal.hypotheses import MechanismHypothesis
from deepcritical.domain.appraisal.verdict import VerdictLabel
from deepcritical.domain.appraisal.votes import Directness, Importance
from deepcritical.domain.base import Model
from deepcritical.domain.evidence.certainty import Certainty
from deepcritical.domain.question.frame import Condition, Drug
from deepcritical.domain.question.question import ResearchQuestion, SearchQuery
from deepcritical.domain.study.reading import Result, StudyReading
from deepcritical.mechanism.graph import MechanismGraph
from deepcritical.models.answers import Assessed, GapKind, MatchedResults
from deepcritical.questions.searching import asked, first_sides_open
from deepcritical.reasoning.judging import OpenGap
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.vocabulary.folding import key_of
from deepcritical.vocabulary.outcomes import construct_of

_MAX_QUERIES = 6
_CONFIDENCE = {"low": 0.2, "moderate": 0.6, "high": 0.8}
_GAPS: dict[GapKind, str] = {
    "randomised_trial": "A randomised trial of {drug}{of_it}.",
    "larger_trial": "A trial of {drug}{of_it} large enough to be precise.",
    "dose": "The dose of {drug}{for_it}.",
    "population": "Which people{with_it} could benefit from {drug}.",
    "long_term_outcome": "Long-term outcomes of {drug}{of_it}.",
    "safety": "The safety of {drug}{of_it}.",
    "mechanism": "How {drug} would act{on_it}.",
    "negative_studies": "Studies of {drug}{of_it} that found no effect, or were stopped.",
}
_TO_IT = {"of_it": "in", "for_it": "for", "with_it": "with", "on_it": "on"}
"""Words before the condition."""


class Proposed(Model):
    """The chains that a model proposed, and what it was shown for that."""

    chains: tuple[tuple[str, ...], ...]
    """Names along each."""
    drug: str
    edges: int
    """Edges of the graph."""
    ways: tuple[tuple[str, ...], ...]
    """The nodes of the chains by rule without a gap."""

    @classmethod
    def of(
        cls,
        chains: Sequence[Sequence[str]],
        graph: MechanismGraph,
        by_rule: Sequence[MechanismHypothesis],
    ) -> Proposed:
        """The answer over this graph, with the chains by rule."""
        return cls(
            chains=tuple(map(tuple, chains)),
            drug=graph.drug.name,
            edges=sum(1 for _ in graph.edges),
            ways=_ways(by_rule),
        )

    def holds(self, graph: MechanismGraph, by_rule: Sequence[MechanismHypothesis]) -> bool:
        """Return whether another answer would be over much the same graph.

        It is not once a further way from drug to condition is known, or more than twice the edges.
        """
        grown = sum(1 for _ in graph.edges) > 2 * self.edges
        fresh = {*_ways(by_rule)} - {*self.ways}
        return bool(self.chains) and graph.drug.name == self.drug and not (grown or fresh)


def _ways(chains: Sequence[MechanismHypothesis]) -> tuple[tuple[str, ...], ...]:
    return tuple(chain.nodes for chain in chains if chain.complete)


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
    condition: Condition,
    open_gaps: Sequence[OpenGap],
    *,
    tried: bool,
) -> JudgeAssessment:
    """The lower score of both, the gaps of both, and sufficient only if both find it so.

    `queries` are the model's searches, `open_gaps` are those that it was shown, in their order;
    `tried` tells that a randomised study of the drug counts, so that none is missing.
    """
    mechanism = min(max(answer.mechanism_score, 0), by_rule.mechanism_score)
    clinical = min(max(answer.clinical_score, 0), by_rule.clinical_score)
    picked = _picked(answer.close_next, open_gaps)
    later = _postponed(picked, open_gaps)
    rest = (query for query in by_rule.next_queries if query not in later)
    sufficient = by_rule.sufficient and answer.answers_question
    wants_more = not answer.answers_question or answer.next_round == "go_on"
    named = condition.name if condition.known else ""  # not "protect the joints"
    words = {key: f" {word} {named}" if named else "" for key, word in _TO_IT.items()}
    missing = [kind for kind in answer.gaps if not (tried and kind == "randomised_trial")]
    gaps = [_GAPS[kind].format(drug=drug, **words) for kind in missing]
    return by_rule.model_copy(
        update={
            "mechanism_score": mechanism,
            "clinical_score": clinical,
            "confidence": min(by_rule.confidence, _CONFIDENCE[answer.confidence]),
            "sufficient": sufficient,
            "recommendation": "synthesize" if sufficient and not wants_more else "continue",
            "gaps": tuple(dict.fromkeys((*by_rule.gaps, *gaps))),
            "next_queries": tuple(dict.fromkeys((*(gap.query for gap in picked), *queries, *rest))),
            "postponed": later,
            "choice": _choice(by_rule, picked, wants_more=wants_more),
            "reasoning": f"{by_rule.reasoning} A model's scores, where they are lower, hold.",
        }
    )


def led(
    both: JudgeAssessment,
    answer: Assessed,
    queries: tuple[SearchQuery, ...],
    question: ResearchQuestion,
    store: EvidenceStore,
    gaps: Sequence[OpenGap],
) -> JudgeAssessment:
    """The assessment as a model leads on that matched the results: it ends the search, or aims it.

    Its "enough" holds over a verdict that tells something, once what could speak against the drug
    was searched for.
    Where it names gaps or searches, the next round is for these, and for what is against.

    Args:
        both: Rules and model joined, as of `judged`.
        answer: What the model said.
        queries: Its searches.
        question: What is asked.
        store: What was found and searched.
        gaps: Those that it was shown, in their order.
    """
    studies = store.studies(question.drug.name) if question.drug else ()
    told = decide(studies).label not in (VerdictLabel.INSUFFICIENT, VerdictLabel.NOT_ASSESSED)
    enough = told and answer.answers_question and answer.next_round == "enough"
    unseen = first_sides_open(question, store.queries_run)
    changes: dict[str, Any] = {"settled": enough and not unseen}
    if enough:
        changes |= {"sufficient": True, "recommendation": "synthesize"}
    picked = _picked(answer.close_next, gaps)
    own = (*(gap.query for gap in picked), *queries)
    if any(query.text not in store.queries_run for query in own):
        against = (gap.query for gap in gaps if gap.against)
        changes |= _aimed(both, (*own, *against, *unseen), picked, gaps)
    return both.model_copy(update=changes)


def _aimed(
    both: JudgeAssessment,
    queries: tuple[SearchQuery, ...],
    picked: Sequence[OpenGap],
    gaps: Sequence[OpenGap],
) -> dict[str, Any]:
    """Return what changes where the next round is for these queries alone."""
    wants_more = both.choice is None or both.choice.wants_more
    named = tuple(gap.text for gap in picked)
    return {
        "next_queries": tuple(dict.fromkeys(queries)),
        "postponed": tuple(gap.query for gap in gaps if gap.query not in queries),
        "choice": RoundChoice(wants_more=wants_more, gaps=named, made_by="model"),
    }


_WEIGHTS: dict[str, Importance] = {
    "decides": "critical",
    "adds": "important",
    "stands_in": "surrogate",
    "harm": "harm",
}
_NEAR: dict[str, Directness] = {"asked": "direct", "wider": "broader", "other": "related"}


def matches_of(
    answer: MatchedResults, shown: Iterable[str], readings: Mapping[str, StudyReading]
) -> dict[str, Matched]:
    """Return what each record that was shown tells of the question; () where nothing of it does.

    A result that no record has is left out. Nothing is used of an answer that neither matches nor
    concludes, as of one that was cut off, or that names no result which was shown. The model's name
    of an outcome joins results; what they are called then `_name_of` says.
    """
    found: dict[str, list[ResultMatch]] = {key: [] for key in shown}
    known = [
        (one, readings[one.record].results[one.result - 1])
        for one in answer.results
        if one.record in found
        and 1 <= one.result <= min(MOST_SHOWN, len(readings[one.record].results))
    ]
    joined: dict[str, list[Result]] = {}
    for one, result in known:
        joined.setdefault(key_of(one.outcome), []).append(result)
    names = {key: _name_of(results) for key, results in joined.items()}
    for one, _ in known:
        if all(match.result != one.result - 1 for match in found[one.record]):
            match = ResultMatch(
                result=one.result - 1,
                side=one.drug_arm,
                outcome=names[key_of(one.outcome)],
                importance=_WEIGHTS[one.weight],
                directness=_NEAR[one.people],
            )
            found[one.record].append(match)
    if not any(found.values()) and (answer.results or answer.shows is None):
        return {}
    proposed = VerdictLabel(answer.shows) if answer.shows else None
    rated = Certainty(answer.certainty) if proposed and answer.certainty else None
    return {
        key: Matched(results=tuple(own), proposed=proposed, rated=rated)
        for key, own in found.items()
    }


def _name_of(joined: Sequence[Result]) -> str:
    """Return the name of the row that joined results without a row in the table of outcomes share.

    That is the row of those which have one there, if it is one alone: of several, which decide
    several things, it is none of theirs. Else it is the shortest name that was read.
    """
    known = [(one, construct_of(one.concept, one.outcome)) for one in joined]
    rows = {construct.name for _, construct in known if construct}
    others = [one.concept or one.outcome for one, construct in known if construct is None]
    return rows.pop() if len(rows) == 1 else min(others, key=len, default="")


def _picked(numbers: Iterable[int], gaps: Sequence[OpenGap]) -> tuple[OpenGap, ...]:
    """The gaps of these numbers, counted from 1; a number of no gap is left out."""
    known = (n for n in dict.fromkeys(numbers) if 1 <= n <= len(gaps))
    return tuple(gaps[number - 1] for number in known)


def _postponed(picked: Sequence[OpenGap], gaps: Sequence[OpenGap]) -> tuple[SearchQuery, ...]:
    """Return what a choice leaves for later: never the question's sides, nor what is against."""
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
