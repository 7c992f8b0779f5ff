"""Which sentences of a record bear on a further question.

A sentence bears on a question when it is about the drug that is asked about and names all else that
is: each of the question's phrases with its words near one another, and each quantity that it wants
("what dose" wants an amount). That it shares the drug alone is never enough, so that a question on
tau is not answered with a sentence on memory.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from deepcritical.domain import harms
from deepcritical.domain.abbreviations import expand_abbreviations
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.patterns import bounded
from deepcritical.domain.record_kinds import is_paper
from deepcritical.domain.text import Span, fold, whole_sentences
from deepcritical.reasoning import arms, lexicon
from deepcritical.reasoning.asked import Asked
from deepcritical.reasoning.figures import CONTROL
from deepcritical.reasoning.names import ConditionNames, DrugNames
from deepcritical.reasoning.phrases import Phrase, names_phrase
from deepcritical.reasoning.wanted import AMOUNT, DOSE
from deepcritical.vocabulary.drugs import DrugKind, find_drugs

__all__ = ["bearing"]

_NOT_GIVEN = bounded(
    rf"{lexicon.NOT_GIVEN.pattern}|\bthe abstract \w+ no\b|\bdata shown give no\b", re.IGNORECASE
)
_SET_APART = bounded(r"\bnot\s+$", re.IGNORECASE)
"""Before a drug that a sentence says nothing of: "pioglitazone, not examplol, improved it"."""
_CLASS = bounded(r"\b(?:inhibitors?|agonists?|antagonists?|blockers?|modulators?|analogues?)\b")
_AHEAD = bounded(r"\b(?:ongoing|under ?way|in progress)\b", re.IGNORECASE)


def bearing(asked: Asked, record: Evidence) -> tuple[Span, ...]:
    """The sentences of a record that bear on a question, in order; `content[start:end] == text`."""
    if not asked.names_something or not record.content:
        return ()
    reader = _Reader(asked, record)
    if not reader.is_about:
        return ()
    return tuple(span for span in whole_sentences(record.content) if reader.bears(span))


class _Reader:
    """Holds the sentences of one record against a question."""

    def __init__(self, asked: Asked, record: Evidence) -> None:
        self._asked = asked
        self._record = record
        self._drugs = [DrugNames(drug, record.content) for drug in asked.drugs]
        self._conditions = [ConditionNames(c, record.content) for c in asked.conditions]
        self._short = expand_abbreviations(record.content)
        meta = record.metadata
        self._heading = " ; ".join((record.citation.title, *meta.interventions))
        self._all = " ; ".join((self._heading, record.content, *meta.conditions))
        self._is_plan = not is_paper(record) and not meta.has_results

    @property
    def is_about(self) -> bool:
        """Whether the record names every drug and condition of the question."""
        groups = (*self._asked.conditions, *self._asked.population)
        return (
            all(d.named(self._all) for d in self._drugs)
            and all(ConditionNames(c, self._record.content).named(self._all) for c in groups)
            and all(any(self._names(p, self._all) for p in g) for g in self._asked.studied)
        )

    def bears(self, span: Span) -> bool:
        """Whether a sentence is about the drugs and names all else that is asked."""
        if self._asked.finding and not self._may_find(span):
            return False
        if _NOT_GIVEN.search(span.text):
            return False
        return (
            all(c.named(span.text) for c in self._conditions)
            and all(want.found_in(span) for want in self._asked.wanted)
            and all(any(self._names(p, span.text) for p in g) for g in self._asked.phrases)
            and all(self._is_of(drug, span) for drug in self._drugs)
        )

    def _may_find(self, span: Span) -> bool:
        """Whether a sentence may tell a finding: no aim, no method, and no plan of a trial."""
        if self._is_plan or span.label.startswith(lexicon.NOT_FINDINGS):
            return False
        if lexicon.AIM.search(span.text) or _AHEAD.search(span.text):
            return False
        return not _is_of_comparator(self._drugs, span.text)

    def _is_of(self, drug: DrugNames, span: Span) -> bool:
        """Whether a sentence names the drug, or speaks of the treatment in a record on it alone."""
        named = drug.find(span.text)
        if places := [p for p in named if not _SET_APART.search(span.text[: p.start()])]:
            asks_dose = any(want.name == DOSE for want in self._asked.wanted)
            return not asks_dose or _is_its_amount(span.text, [p.span() for p in places])
        if (
            named
            or not drug.named(self._heading)
            or drug.others(span.text)
            or _CLASS.search(span.text)
        ):
            return False
        if drug.others(self._heading, classes=False):
            return False
        of_harms = span.label.startswith(harms.HARMS_SECTION)
        told = of_harms or (bool(span.label) and not self._asked.finding)
        return told or bool(arms.OF_TREATMENT.search(span.text))

    def _names(self, phrase: Phrase, text: str) -> bool:
        return names_phrase(phrase, self._spelled(text))

    def _spelled(self, text: str) -> str:
        """The text with the long form behind each of its abbreviations, and the other way round."""
        spelled = fold(text)
        for short, long in self._short.items():
            brief, full = fold(short), fold(long)
            parts = re.split(rf"\b{re.escape(brief)}\b", spelled)
            if len(parts) > 1:
                spelled = f"{brief} {full}".join(parts)
            elif full:
                spelled = spelled.replace(full, f"{full} {brief}")
        return spelled


def _is_its_amount(text: str, own: Sequence[tuple[int, int]]) -> bool:
    """Whether an amount stands nearer to the drug than to any other one.

    Args:
        text: The sentence.
        own: Where the drug stands, start and end.
    """
    others = [
        (m.start, m.end)
        for m in find_drugs(text)
        if m.drug.kind is DrugKind.DRUG and not any(a <= m.start < b for a, b in own)
    ]
    return any(
        min(_gap(place, amount) for place in own)
        < min((_gap(place, amount) for place in others), default=len(text) + 1)
        for amount in (m.span() for m in AMOUNT.finditer(text))
    )


def _gap(one: tuple[int, int], other: tuple[int, int]) -> int:
    return max(one[0] - other[1], other[0] - one[1], 0)


def _is_of_comparator(drugs: Sequence[DrugNames], text: str) -> bool:
    """Whether a sentence has the one drug asked about only as what another one is compared with.

    That another drug does better does not say what this one does. Against a control it does.
    """
    if len(drugs) != 1 or CONTROL.search(text):
        return False
    places = drugs[0].find(text)
    return bool(places) and all(_is_compared_with(text[: place.start()]) for place in places)


def _is_compared_with(before: str) -> bool:
    compared = arms.COMPARATOR.search(before)
    return bool(compared and not arms.OPENING.match(before) and not arms.ABSENCE.search(before))
