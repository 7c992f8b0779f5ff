"""The queries of the reasoner without a model: a question from many sides, gaps, open edges.

Each says the same twice: in plain words, for sources that rank by words, and as drug, condition
and terms, for sources that have fields.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from deepcritical.domain.question.frame import Condition, Drug, QuestionKind
from deepcritical.domain.question.question import ResearchQuestion, SearchBlock, SearchQuery
from deepcritical.questions.naming import as_condition, joined
from deepcritical.tools.concepts import drug_concept
from deepcritical.vocabulary.conditions import condition_named, is_kind_of
from deepcritical.vocabulary.drugs import DrugKind, lookup_drug


class _Side(NamedTuple):
    """One side of a question."""

    words: str
    """The plain words that are added."""
    block: SearchBlock = SearchBlock.NONE
    """The kind of evidence; none asks for drug and condition alone, registries included."""
    terms: tuple[str, ...] = ()
    """Of these one must occur where a source has fields and no filter of its own."""


_SIDES = (
    (
        _Side(""),
        _Side("randomised trial placebo", SearchBlock.TRIALS),
        _Side("systematic review meta-analysis", SearchBlock.REVIEWS),
        _Side("results randomized significantly median survival response rate", SearchBlock.WORDS),
        _Side(
            "patients randomly assigned primary outcome odds hazard ratio confidence interval",
            SearchBlock.WORDS,
        ),
        _Side("cohort risk association", SearchBlock.WORDS),
        _Side("mechanism pathway", SearchBlock.MECHANISM),
        _Side(
            "no effect increased risk",
            terms=(
                *('"not associated"', '"no significant difference"', '"no association"'),
                *('"no effect"', '"no benefit"', "futility", '"stopped early"'),
            ),
        ),
        _Side("terminated withdrawn trial", SearchBlock.WORDS),
        _Side("safety adverse events", SearchBlock.HARMS),
        _Side("not indexed yet", SearchBlock.RECENT),
    ),
    (
        _Side("observational study incidence", SearchBlock.OBSERVATIONAL),
        _Side("mouse model", terms=("mouse", "mice", "rat", '"animal model"')),
        _Side("cell signalling expression", terms=('"in vitro"', "cells", "expression")),
        _Side("not associated no significant difference", SearchBlock.WORDS),
        _Side("biomarkers pilot", terms=("biomarkers", "pilot")),
    ),
    (
        _Side("retracted concern", terms=("retracted", "retraction", '"expression of concern"')),
        _Side("preprint", terms=("preprint",)),
        _Side("dose comparison", terms=("dose", "comparative")),
        _Side("retrospective registry", terms=("retrospective", "registry")),
        _Side("improved outcome", terms=("improved", "outcome")),
        _Side("prevention progression", terms=("prevention", "progression")),
    ),
)
"""The sides from which a question is searched, round by round.

A source with fields is asked seven times in the first round: broadly, for what speaks against the
drug, and by kind of evidence; a large model's judgement may end the search after it. Sources that
rank by words get more wordings instead. Two of them are in the words of reported results, which
registered plans do not hold: of a much studied drug there are more plans than an answer has places.
"""

_CANDIDATES_NAMED: tuple[_Side, ...] = (
    _Side("drug repurposing", terms=('"drug repurposing"', '"drug repositioning"', "repurposed")),
)
"""Asked beside the first sides when candidates are sought: papers that name some."""

_WITHDRAWAL = (
    "withdrawal",
    "discontinuation",
    "deprescribing",
    "stopping",
    "tapering",
    "cessation",
    "discontinue",
)
_STOPPING = (
    _Side("withdrawal discontinuation stopping continuation", terms=_WITHDRAWAL),
    _Side("randomised discontinuation trial continued or placebo relapse", SearchBlock.WORDS),
    _Side("deprescribing tapering cessation", SearchBlock.WORDS),
)
"""Asked beside the first sides of a question on stopping a drug."""

_CANDIDATE_SIDES = (
    _Side(""),
    _SIDES[0][1],
    _Side("results randomized significantly median ratio confidence interval", SearchBlock.WORDS),
    _Side("no effect not associated", SearchBlock.WORDS),
)
"""The sides from which each candidate is searched, so that it is judged as if it were asked for."""


_MOST_OTHERS, _MOST_NAMES = 3, 40
"""Other treatments of a question that are searched beside its drug, and names of each."""
_CONTROLS = frozenset(("placebo", "no treatment", "usual care", "standard care", "sham"))


def asked(
    drug: Drug | None,
    condition: Condition | None,
    words: str = "",
    terms: tuple[str, ...] = (),
    block: SearchBlock = SearchBlock.NONE,
) -> SearchQuery:
    """A query for a drug and a condition; one with terms or a kind of evidence is for papers."""
    named = (drug.name if drug else "", condition.name if condition else "", words)
    return SearchQuery(
        text=" ".join(part for part in named if part),
        drug=drug,
        condition=condition,
        terms=terms,
        block=block,
        literature_only=bool(terms) or block is not SearchBlock.NONE,
    )


def _for_papers(query: SearchQuery) -> SearchQuery:
    """The query as no registry is asked it: there an outcome would stand for the condition."""
    return query.model_copy(update={"literature_only": True})


def search_sides(
    question: ResearchQuestion, run: Iterable[str], candidates: Iterable[str] = ()
) -> tuple[SearchQuery, ...]:
    """The queries of the first round of sides that was not begun, and what is open of those before.

    Those of these texts were `run`; `candidates` are drugs to look into, best first, where the
    question names none.
    """
    done, condition = set(run), condition_of(question)
    wanted = tuple(
        _of_side(drug_named(name), condition, side)
        for name in candidates
        for side in _CANDIDATE_SIDES
    )
    if fresh := tuple(query for query in wanted if query.text not in done):
        return fresh
    beside = _CANDIDATES_NAMED if question.drug is None else ()
    if question.frame and question.frame.stopping:
        beside = _STOPPING
    found: list[SearchQuery] = []
    for number, sides in enumerate(_SIDES):
        extra = beside if not number else ()
        given = [_of_side(question.drug, condition, side) for side in (*sides, *extra)]
        still_open = [query for query in given if query.text not in done]
        found += still_open
        if len(still_open) == len(given):
            break
    found += [query for query in _with_others(question, condition) if query.text not in done]
    within = {"within": _diseases_of(question)}
    return tuple(
        query.model_copy(update=within if query.condition == condition else {}) for query in found
    )


def first_sides_open(question: ResearchQuestion, run: Collection[str]) -> tuple[SearchQuery, ...]:
    """The queries of the first round that were not run: not all that speaks against was sought."""
    return tuple(query for query in search_sides(question, ()) if query.text not in run)


def _with_others(question: ResearchQuestion, condition: Condition) -> Iterator[SearchQuery]:
    """One query for the drug with each other treatment, outcome or harm that the question names.

    Records of these would be few among those of the first drug in the condition. A harm is seen in
    whoever takes the drug, and what is called the condition may be why it is taken or what it
    brings: there the condition only ranks what is found.
    """
    drug, frame = question.drug, question.frame
    if drug is None or frame is None:
        return
    outcomes = (Condition(name=name, names=(name,)) for name in frame.outcomes)
    for seen in (*filter(None, [frame.harm]), *outcomes):
        if frame.condition:
            yield _for_papers(asked(drug, seen, condition.name))
    if frame.brings_harm:
        yield asked(drug, None, f"harm {condition.name}", block=SearchBlock.HARMS)
    elif frame.condition is None:
        yield asked(drug, None, f"any use {condition.name}")
    named = [other.name for other in frame.drugs if other.name != drug.name]
    named += [name for name in frame.comparators if name not in _CONTROLS]
    # An outcome, and a harm that nobody named, are read from all records on both drugs.
    in_whom = condition if frame.condition or frame.harm else None
    for other in named[:_MOST_OTHERS]:
        terms = names_beside(drug_named(other))
        yield asked(drug, in_whom, other, terms)
        if frame.kind is not QuestionKind.COMBINATION:
            yield asked(drug_named(other), condition, "compared")


def _diseases_of(question: ResearchQuestion) -> Condition | None:
    """The diseases that the question names as its population, where these say more than it does.

    Authors name what is treated or the disease it is treated in; a form of one is found by it.
    """
    condition, frame = question.condition, question.frame
    if condition is None or frame is None:
        return None
    if frame.harm and not frame.condition:  # else most records would be on why the drug is taken
        return None
    names = (name for one in condition.each for name in (one.name, *one.names[:2]))
    asked_for = [one for one in map(condition_named, names) if one]
    named = [
        one for one in map(condition_named, frame.population) if one and (one.mesh_id or one.trees)
    ]
    apart = [n for n in named if not any(is_kind_of(a, n) or is_kind_of(n, a) for a in asked_for)]
    broad = [n for n in apart if not any(n is not o and is_kind_of(n, o) for o in apart)]
    return joined([as_condition(one) for one in broad]) if broad else None


def citation_query(drug: Drug, pmids: Sequence[str]) -> SearchQuery:
    """Works on a drug that cite the given ones or that these cite.

    Authors who write of the condition in other words are found by whom they cite.
    """
    return SearchQuery(
        text=f"{drug.name}: works that cite PMID {', '.join(pmids)} or that these cite",
        drug=drug,
        linked_to=tuple(pmids),
        block=SearchBlock.CITATIONS,
        literature_only=True,
    )


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
    """Return a query for evidence on one edge of a chain from a drug to a condition."""
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


def names_beside(drug: Drug) -> tuple[str, ...]:
    """The names of a drug that is searched beside another, in quotes: terms of a query."""
    concept = drug_concept(drug)
    stems = (f"{stem}*" for stem in concept.stems)
    return (*stems, *(f'"{name}"' for name in concept.phrases))[:_MOST_NAMES]


def drug_named(name: str) -> Drug:
    """A drug with the synonyms that the vocabulary has for it."""
    found = lookup_drug(name)
    return Drug(name=found.name, synonyms=found.synonyms, known=found.kind is not DrugKind.UNKNOWN)


def _of_side(drug: Drug | None, condition: Condition, side: _Side) -> SearchQuery:
    return asked(drug, condition, side.words, side.terms, side.block)


def condition_of(question: ResearchQuestion) -> Condition:
    """The condition asked about; without one the question's own words, searched literally."""
    return question.condition or Condition(name=question.text, names=(question.text,), known=False)
