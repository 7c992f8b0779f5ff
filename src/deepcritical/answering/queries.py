"""The searches for a free question: its names first, then the words of each need that is open.

Only names that a vocabulary knows must occur; other words of the question rank.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from deepcritical.answering.drafting import WEIGHED
from deepcritical.answering.topics import Topics, topics_of
from deepcritical.domain.appraisal.checklist import Aspect, ChecklistItem, Coverage, Inquiry
from deepcritical.domain.question.question import SearchBlock, SearchQuery
from deepcritical.questions.forms import research_question, wants_verdict
from deepcritical.questions.naming import joined
from deepcritical.questions.searching import names_beside, search_sides
from deepcritical.questions.wording import headed
from deepcritical.services.evidence_store import EvidenceStore


class _Words(NamedTuple):
    """One wording of a need."""

    plain: str
    terms: tuple[str, ...] = ()
    """Of these one must occur, where a source has fields and no filter of its own."""
    block: SearchBlock = SearchBlock.NONE


_REVIEWS = _Words("systematic review meta-analysis", block=SearchBlock.REVIEWS)
_WORDINGS: Mapping[Aspect, tuple[_Words, ...]] = {
    Aspect.EFFECT: (
        _Words("randomised trial results", block=SearchBlock.TRIALS),
        _REVIEWS,
        _Words("cohort association risk", ("cohort", "association", "risk")),
    ),
    Aspect.COMPARISON: (
        _Words("compared with versus", ("versus", '"compared with"', "comparison", "comparative")),
        _REVIEWS,
    ),
    Aspect.SAFETY: (
        _Words("safety adverse events", block=SearchBlock.HARMS),
        _Words("serious harm mortality", ('"serious adverse"', "mortality", "toxicity", "harm*")),
    ),
    Aspect.RATE: (_Words("incidence prevalence rate", ("incidence", "prevalence", "rate")),),
    Aspect.MECHANISM: (_Words("mechanism pathway signalling", block=SearchBlock.MECHANISM),),
    Aspect.DOSE: (_Words("dose mg regimen", ("dose", "dosage", "dosing", "regimen")),),
    Aspect.ELIGIBILITY: (
        _Words("subgroup patients characteristics", ("subgroup*", "predictor*", '"risk factors"')),
    ),
    Aspect.DIAGNOSIS: (
        _Words("sensitivity specificity accuracy", ("sensitivity", "specificity", "accuracy")),
    ),
    Aspect.CAUSE: (_Words("causes risk factors", ("cause*", '"risk factor*"', "etiology")),),
    Aspect.RECOMMENDED: (
        _Words("guideline recommendation review", ("guideline*", "consensus", "recommend*")),
    ),
    Aspect.REGISTERED: (_Words("trial registered recruiting", ('"clinical trial"', "protocol")),),
    Aspect.UNKNOWN: (
        _Words("unknown unclear further research", ("unknown", "unclear", '"further research"')),
    ),
    Aspect.BACKGROUND: (_Words("review overview", ("review", "overview")),),
    Aspect.AGAINST: (
        _Words("no effect no difference", ('"no effect"', '"no difference"', '"did not"')),
        _Words("terminated early futility", ("futility", '"stopped early"', "ineffective")),
    ),
}
_WORD = re.compile(r"[\w-]+\*?")
_MOST_WORDS = 6
"""Further words of a question in one search; more would find papers on other things."""
_MOST_NAMES = 8
"""Names of a condition that are searched beside others."""
_MOST_NEEDED = 2
"""Words that must occur, where a question has no name."""


def need_queries(
    inquiry: Inquiry, store: EvidenceStore, *, web: bool = False
) -> tuple[SearchQuery, ...]:
    """The next wording for each need that is not met; at first also the question itself.

    Args:
        inquiry: The question.
        store: What was searched and found so far; the checklist is in it.
        web: Whether the web is searched too; each need gets one query of its own there.
    """
    maker = _Maker(inquiry)
    run = store.queries_run
    wanted: list[SearchQuery] = []
    if not store.searches:
        wanted += [maker.named(), *maker.worded_as_asked(), *_of_verdict(inquiry)]
    wanted += [maker.with_words(words) for words in inquiry.searches]
    for item in _open(store):
        made = [maker.for_need(words) for words in _WORDINGS.get(item.aspect, ())]
        wanted += [query for query in made if query.text not in run][:1]
        if web and made:
            wanted += [q for q in (maker.on_web(made[0]),) if q.text not in run]
    return tuple({query.text: query for query in wanted}.values())


def _of_verdict(inquiry: Inquiry) -> Iterator[SearchQuery]:
    """The first searches of a report on the same question: both rest on the same records."""
    frame = inquiry.frame
    is_weighed = inquiry.kind in WEIGHED
    if frame and is_weighed and wants_verdict(frame) and frame.drugs and frame.condition:
        named = frame.model_copy(update={"condition": headed(frame.condition)})
        yield from search_sides(research_question(named), ())


def _open(store: EvidenceStore) -> Iterator[ChecklistItem]:
    done = {c.item for c in store.coverage if c.coverage is Coverage.SATISFIED}
    if store.checklist:
        yield from (item for item in store.checklist.items if item.id not in done)


class _Maker:
    """Makes queries that name what a question names."""

    def __init__(self, inquiry: Inquiry) -> None:
        self._drug = next(iter(inquiry.drugs), None)
        named = [headed(condition) for condition in inquiry.conditions]
        self._condition, self._within = named[0] if named else None, None
        self._named = self._condition.name if self._condition else ""
        self._others = (*(d.name for d in inquiry.drugs[1:]), *(c.name for c in named[1:]))
        self._needed = tuple(_any_of(names_beside(drug)) for drug in inquiry.drugs[1:])
        if self._drug and named[1:]:
            self._within = joined(named[1:])
        elif named[1:]:  # what is asked about, in people who have any of the others
            self._needed = (_any_of(named[0].names[:_MOST_NAMES]),)
            self._condition = joined(named[1:])
        topics = topics_of(inquiry.frame) if inquiry.frame else Topics((), ())
        self._words = topics.searched[:_MOST_WORDS]
        self._text = inquiry.text

    def named(self) -> SearchQuery:
        """Its names alone: what registries are asked, too; its words, where it has no names."""
        if self._has_names:
            return self._made((), literature_only=False)
        return SearchQuery(text=" ".join(self._words) or self._text)

    def worded_as_asked(self) -> Iterator[SearchQuery]:
        """Its names with the other words that it has."""
        if self._words and self._has_names:
            yield self._made(self._words, self._words)

    def for_need(self, words: _Words) -> SearchQuery:
        """Its names with one wording of a need."""
        return self._made((*self._words, words.plain), words.terms, words.block)

    def with_words(self, words: str) -> SearchQuery:
        """Its names with a few plain words."""
        return self._made((words,), (words,))

    def on_web(self, query: SearchQuery) -> SearchQuery:
        """The same in plain words for the web alone."""
        return SearchQuery(text=f"{query.text} evidence", web_only=True)

    @property
    def _has_names(self) -> bool:
        return bool(self._drug or self._condition)

    def _made(
        self,
        words: Iterable[str],
        terms: tuple[str, ...] = (),
        block: SearchBlock = SearchBlock.NONE,
        *,
        literature_only: bool = True,
    ) -> SearchQuery:
        parts = (self._drug.name if self._drug else "", self._named, *self._others, *words)
        return SearchQuery(
            text=" ".join(part for part in parts if part),
            drug=self._drug,
            condition=self._condition,
            within=self._within,
            terms=self._terms(terms),
            block=block,
            literature_only=literature_only,
        )

    def _terms(self, terms: tuple[str, ...]) -> tuple[str, ...]:
        """Terms of which one must occur, each beside all names that have no field of their own."""
        either = tuple(_quoted(term) for term in terms)
        words = tuple(_quoted(word) for word in self._words[:_MOST_NEEDED])
        needed = self._needed if self._has_names else words
        if not needed:
            return either
        beside = " AND ".join(needed)
        return (f"{beside} AND {_any_of(terms)}",) if either else (beside,)


def _any_of(terms: Iterable[str]) -> str:
    different: dict[str, str] = {}
    for term in terms:
        different.setdefault(term.casefold(), term)
    return f"({' OR '.join(map(_quoted, different.values()))})"


def _quoted(term: str) -> str:
    return term if '"' in term or _WORD.fullmatch(term) else f'"{term}"'
