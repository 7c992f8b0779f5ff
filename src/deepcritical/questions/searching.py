"""The queries of the reasoner without a model: a question from many sides, gaps, open edges.

Each says the same twice: in plain words, for sources that rank by words, and as drug, condition
and terms, for sources that have fields.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from deepcritical.domain.question import Condition, Drug, ResearchQuestion, SearchQuery
from deepcritical.vocabulary.drugs import DrugKind, lookup_drug

__all__ = ["asked", "condition_of", "drug_named", "edge_query", "posed_queries", "search_sides"]


class _Side(NamedTuple):
    """One side of a question."""

    words: str
    """What is added in plain words."""
    terms: tuple[str, ...] = ()
    """Of these one must occur; none asks for drug and condition alone, registries included."""


_SIDES = (
    (
        _Side(""),
        _Side(
            "randomised trial placebo", ("randomized", "randomised", "placebo", '"clinical trial"')
        ),
        _Side(
            "results randomized significantly median survival response rate",
            ("survival", '"response rate"', "remission", "efficacy"),
        ),
        _Side(
            "patients randomly assigned primary outcome odds hazard ratio confidence interval",
            ('"randomly assigned"', '"primary outcome"', '"odds ratio"', '"hazard ratio"'),
        ),
        _Side("cohort risk association", ("cohort", '"case-control"', "risk")),
        _Side("mechanism pathway", ("mechanism", "pathway", "signaling", "signalling")),
        _Side(
            "no effect increased risk",
            (
                *('"no effect"', '"no benefit"', '"no difference"', '"did not improve"'),
                *('"not effective"', "ineffective", '"increased risk"'),
            ),
        ),
        _Side("terminated withdrawn trial", ("futility", '"terminated early"', '"stopped early"')),
        _Side("safety adverse events", ("safety", '"adverse events"', "tolerability", "toxicity")),
    ),
    (
        _Side(
            "systematic review meta-analysis",
            ('"systematic review"', '"meta-analysis"', '"umbrella review"'),
        ),
        _Side("observational study incidence", ('"observational study"', "incidence")),
        _Side("mouse model", ("mouse", "mice", "rat", '"animal model"')),
        _Side("cell signalling expression", ('"in vitro"', "cells", "expression")),
        _Side(
            "not associated no significant difference",
            ('"not associated"', '"no significant difference"', '"no association"'),
        ),
        _Side("biomarkers pilot", ("biomarkers", "pilot")),
    ),
    (
        _Side("retracted concern", ("retracted", "retraction", '"expression of concern"')),
        _Side("preprint", ("preprint",)),
        _Side("dose comparison", ("dose", "comparative")),
        _Side("retrospective registry", ("retrospective", "registry")),
        _Side("improved outcome", ("improved", "outcome")),
        _Side("prevention progression", ("prevention", "progression")),
    ),
)
"""The sides from which a question is searched, round by round.

Two of the first are in the words of reported results, which registered plans do not hold: of a much
studied drug there are more plans than an answer has places.
"""

_CANDIDATES_NAMED = (
    _Side("drug repurposing", ('"drug repurposing"', '"drug repositioning"', "repurposed")),
)
"""Asked beside the first sides when candidates are sought: papers that name some."""

_CANDIDATE_SIDES = (
    _Side(""),
    _SIDES[0][1],
    _Side(
        "results randomized significantly median ratio confidence interval",
        ('"randomly assigned"', '"primary outcome"', '"odds ratio"', '"hazard ratio"'),
    ),
    _Side(
        "no effect not associated",
        ('"no effect"', '"not associated"', '"no benefit"', "ineffective"),
    ),
)
"""The sides from which each candidate is searched, so that it is judged as if it were asked for."""


def asked(
    drug: Drug | None,
    condition: Condition | None,
    words: str = "",
    terms: tuple[str, ...] = (),
) -> SearchQuery:
    """A query for a drug, a condition and one of some terms; one with terms is for papers only."""
    named = (drug.name if drug else "", condition.name if condition else "", words)
    return SearchQuery(
        text=" ".join(part for part in named if part),
        drug=drug,
        condition=condition,
        terms=terms,
        literature_only=bool(terms),
    )


def search_sides(
    question: ResearchQuestion, run: Iterable[str], candidates: Iterable[str] = ()
) -> tuple[SearchQuery, ...]:
    """The queries of the first round of sides that was not begun, and what is open of those before.

    Args:
        question: The question as understood.
        run: The texts of the queries that were run.
        candidates: Names of the drugs to look into when none is asked about, best first.
    """
    done, condition = set(run), condition_of(question)
    wanted = tuple(
        _of_side(drug_named(name), condition, side)
        for name in candidates
        for side in _CANDIDATE_SIDES
    )
    if fresh := tuple(query for query in wanted if query.text not in done):
        return fresh
    found: list[SearchQuery] = []
    for number, sides in enumerate(_SIDES):
        extra = _CANDIDATES_NAMED if question.drug is None and not number else ()
        given = [_of_side(question.drug, condition, side) for side in (*sides, *extra)]
        still_open = [query for query in given if query.text not in done]
        found += still_open
        if len(still_open) == len(given):
            break
    return tuple(found)


def posed_queries(question: ResearchQuestion) -> tuple[SearchQuery, ...]:
    """One for each target or process that the question names."""
    condition = condition_of(question)
    return tuple(
        SearchQuery(
            text=f"{question.drug.name} {term} {condition.name}",
            drug=question.drug,
            condition=condition,
            terms=(term,),
            literature_only=True,
        )
        for term in question.mechanism_terms
        if question.drug
    )


def edge_query(drug: Drug, condition: Condition, subject: str, object_: str) -> SearchQuery:
    """What would find evidence on one edge of a chain from a drug to a condition."""
    starts, ends = subject == drug.name, object_ == condition.name
    between = tuple(node for node, is_end in ((subject, starts), (object_, ends)) if not is_end)
    return SearchQuery(
        text=f"{subject} {object_}",
        drug=drug if starts else None,
        condition=condition if ends else None,
        # Terms are alternatives: two nodes that must both occur are asked for in plain words.
        terms=between if starts or ends else (),
        literature_only=True,
    )


def drug_named(name: str) -> Drug:
    """A drug with the synonyms that the vocabulary has for it."""
    found = lookup_drug(name)
    return Drug(name=found.name, synonyms=found.synonyms, known=found.kind is not DrugKind.UNKNOWN)


def _of_side(drug: Drug | None, condition: Condition, side: _Side) -> SearchQuery:
    return asked(drug, condition, side.words, side.terms)


def condition_of(question: ResearchQuestion) -> Condition:
    """The condition asked about; without one the question's own words, searched literally."""
    return question.condition or Condition(name=question.text, names=(question.text,), known=False)
