"""The searches for what a checklist still wants, each with another wording round by round.

A query says the same twice: in plain words, and as drug, condition and a term with operators.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from deepcritical.domain.checklist import (
    Aspect,
    ChecklistItem,
    Coverage,
    Inquiry,
    InquiryKind,
)
from deepcritical.domain.question import SearchQuery
from deepcritical.reasoning.asked import Asked
from deepcritical.reasoning.inquiries import focus_of
from deepcritical.reasoning.outcome_families import general_names
from deepcritical.reasoning.phrases import names_phrase, words_of
from deepcritical.services.evidence_store import EvidenceStore

__all__ = ["item_queries"]


class _Words(NamedTuple):
    """One way to ask for something."""

    plain: str
    terms: tuple[str, ...]
    """Of these one must occur; none asks for the question's own names alone."""


_WORDS: dict[Aspect, tuple[_Words, ...]] = {
    Aspect.ANSWER: (
        _Words("results", ("significant*", "outcome*", "associated")),
        _Words("systematic review", ('"systematic review"', '"meta-analysis"', "review")),
        _Words("cohort case-control", ("cohort", '"case-control"', "observational")),
    ),
    Aspect.REGISTERED: (
        _Words("clinical trial", ('"clinical trial"', "randomized", "randomised", "placebo")),
    ),
    Aspect.TRIALS: (
        _Words("randomised trial placebo", ("randomized", "randomised", "placebo")),
        _Words("meta-analysis of trials", ('"meta-analysis"', '"systematic review"')),
    ),
    Aspect.SIZE: (
        _Words(
            "hazard ratio odds ratio confidence interval",
            ('"hazard ratio"', '"odds ratio"', '"risk ratio"', '"relative risk"'),
        ),
    ),
    Aspect.AGAINST: (
        _Words(
            "no effect no benefit not associated",
            (
                *('"no effect"', '"no benefit"', '"no difference"', '"not associated"'),
                *('"did not"', "ineffective"),
            ),
        ),
        _Words("terminated early futility harm", ("futility", '"stopped early"', "harm*")),
    ),
    Aspect.SAFETY: (
        _Words("safety adverse events", ("safety", '"adverse events"', '"side effects"')),
        _Words("tolerability discontinuation", ("tolerability", "discontinu*", "toxicity")),
    ),
    Aspect.SERIOUS: (
        _Words("serious adverse events deaths", ('"serious adverse"', "severe", "fatal")),
    ),
    Aspect.RECOMMENDED: (
        _Words(
            "first-line treatment guideline recommended",
            ('"first-line"', "guideline*", "consensus", '"standard of care"'),
        ),
        _Words("treatment of choice recommendation review", ("recommend*", '"of choice"')),
    ),
    Aspect.DOSE: (_Words("dose mg", ("dose", "dosage", "dosing")),),
    Aspect.MECHANISM: (
        _Words("mechanism pathway signalling", ("mechanism*", "pathway", "signaling")),
        _Words("expression activation inhibition", ("expression", "activation", "inhibition")),
    ),
    Aspect.PEOPLE: (_Words("patients clinical study", ("patients", '"clinical trial"')),),
    Aspect.MODELS: (_Words("mouse model cells in vitro", ("mice", "rats", '"in vitro"')),),
}
_KIND: dict[InquiryKind, tuple[_Words, ...]] = {
    InquiryKind.TREATMENT: (_Words("treatment therapy", ("treatment", "therapy", "drug")),),
    InquiryKind.MECHANISM: _WORDS[Aspect.MECHANISM],
    InquiryKind.SAFETY: _WORDS[Aspect.SAFETY],
    InquiryKind.DOSE: _WORDS[Aspect.DOSE],
    InquiryKind.FREQUENCY: (_Words("prevalence incidence", ("prevalence", "incidence")),),
    InquiryKind.DIAGNOSIS: (_Words("diagnosis sensitivity", ("diagnosis", "sensitivity")),),
    InquiryKind.CAUSE: (_Words("causes risk factors", ("cause*", '"risk factor*"', "etiology")),),
}
"""How the question itself is asked for, before the wordings of an answer."""
_NOT_SO = (
    _Words(
        "no effect independent of did not",
        ('"no effect"', '"independent of"', '"did not"', "contradict*"),
    ),
)
_HARM = (
    _Words("increased risk harm versus placebo", ('"increased risk"', "harm*", "excess")),
    _Words("well tolerated no difference", ('"well tolerated"', '"no difference"', "comparable")),
)
_BENEFIT = (InquiryKind.EFFECT, InquiryKind.TREATMENT, InquiryKind.DOSE)
_OUTCOMES = {
    "death or survival": _Words("mortality survival", ("mortality", "survival", "death")),
    "admission to hospital": _Words("hospitalization", ("hospitali*", "admission")),
    "risk or incidence": _Words("risk", ("risk", "incidence")),
}
"""What a question wants in words that it need not use itself."""


def item_queries(
    inquiry: Inquiry, store: EvidenceStore, *, web: bool = False
) -> tuple[SearchQuery, ...]:
    """The next wording for each item that is not satisfied; at first also the question itself.

    Args:
        inquiry: The question.
        store: What was searched and found so far; the checklist is in it.
        web: Whether the web is searched too; each item gets one query of its own there.
    """
    maker = _Maker(inquiry)
    run = store.queries_run
    wanted: list[SearchQuery] = []
    if not store.searches:
        wanted.append(maker.broad())
    wanted += [maker.worded(words) for words in inquiry.searches]
    for item in _open(store):
        worded = [maker.query(words) for words in _wordings(item, inquiry.kind)]
        wanted += [query for query in worded if query.text not in run][:1]
        if web:
            on_web = maker.on_web(_wordings(item, inquiry.kind)[0])
            wanted += [on_web] if on_web.text not in run else []
    return tuple({query.text: query for query in wanted}.values())


def _wordings(item: ChecklistItem, kind: InquiryKind) -> tuple[_Words, ...]:
    own = _WORDS[item.aspect]
    if item.aspect is Aspect.AGAINST and kind not in _BENEFIT:
        return _HARM if kind is InquiryKind.SAFETY else _NOT_SO
    return (*_KIND.get(kind, ()), *own) if item.aspect is Aspect.ANSWER else own


def _open(store: EvidenceStore) -> Iterator[ChecklistItem]:
    done = {c.item for c in store.coverage if c.coverage is Coverage.SATISFIED}
    if store.checklist:
        yield from (item for item in store.checklist.items if item.id not in done)


class _Maker:
    """Makes queries that name all that a question names."""

    def __init__(self, inquiry: Inquiry) -> None:
        asked = focus_of(inquiry.plain).asked
        self._drug = next(iter(inquiry.drugs), None)
        self._condition = next(iter(inquiry.conditions), None)
        others = (*(d.name for d in inquiry.drugs[1:]), *(c.name for c in inquiry.conditions[1:]))
        self._named = tuple(f'"{name}"' for name in others) + tuple(_phrases(asked))
        self._outcomes = [_OUTCOMES[w.name] for w in asked.wanted if w.name in _OUTCOMES]

    def broad(self) -> SearchQuery:
        """The question's names alone: what registries are asked, too."""
        return self._made("", self._named, literature_only=False)

    def query(self, words: _Words) -> SearchQuery:
        """Its names with the outcome that it asks for and one side of it."""
        outcomes = tuple(_either(o.terms) for o in self._outcomes)
        plain = " ".join((*(o.plain for o in self._outcomes), words.plain))
        return self._made(plain, (*self._named, *outcomes, _either(words.terms)))

    def worded(self, words: str) -> SearchQuery:
        """Its names with a few plain words."""
        return self._made(words, (*self._named, f"({words})"))

    def on_web(self, words: _Words) -> SearchQuery:
        """Plain words for the web alone."""
        text = f"{self._made(words.plain, ()).text} evidence"
        return SearchQuery(text=text, web_only=True)

    def _made(
        self, plain: str, groups: tuple[str, ...], *, literature_only: bool = True
    ) -> SearchQuery:
        names = (self._drug.name if self._drug else "", self._condition and self._condition.name)
        phrases = (name.strip('"()') for name in self._named)
        return SearchQuery(
            text=" ".join(part for part in (*names, *phrases, plain) if part),
            drug=self._drug,
            condition=self._condition,
            terms=(" AND ".join(groups),) if groups else (),
            literature_only=literature_only,
        )


def _phrases(asked: Asked) -> Iterator[str]:
    """Each group of phrases as alternatives, in the question's own words."""
    for group in (*asked.phrases, *asked.studied):
        own = [phrase for phrase in group if names_phrase(phrase, asked.text)]
        told = [" ".join(dict.fromkeys(words_of(phrase, asked.text))) for phrase in own]
        told = list(dict.fromkeys((*told, *general_names(tuple(own)))))
        if told:
            yield _either(tuple(f"({t})" if " " in t else t for t in told))


def _either(terms: tuple[str, ...]) -> str:
    return f"({' OR '.join(terms)})" if terms else ""
