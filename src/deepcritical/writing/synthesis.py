"""Puts a model's text into a brief, in the place of what code says of the same results.

The claim stays code's, and so does whatever the text does not tell of what speaks against the drug:
that nothing was found, that results differ, or which harm there was, with its direction or the
shares of both sides. Benefits that the text leaves out stand in the table. Why the certainty is no
higher, and harms in other people that are not grave, stand behind the brief.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from typing import NamedTuple

from deepcritical.domain.brief import Brief, Contested, DecidingStudy, Statement, study_words
from deepcritical.domain.harms import SAFETY
from deepcritical.domain.patterns import bounded
from deepcritical.domain.quantities import quantities
from deepcritical.domain.sentences import Sentence
from deepcritical.domain.verdict import Verdict
from deepcritical.domain.votes import OutcomeRow, Way
from deepcritical.verification.direction import DIFFER
from deepcritical.verification.fields import VAGUE, keys_of, measured_in
from deepcritical.verification.signs import Sign, clauses, signs
from deepcritical.verification.words import words
from deepcritical.vocabulary.outcomes import construct_of
from deepcritical.writing.unread import quote_in
from deepcritical.writing.words import CERTAINTY, row_sentence

_AGAINST = (Way.HARM, Way.CONFLICT)
_MOSTLY = 0.6
"""Share of the words of a quote that a retelling of it has."""
_SIDES = 2
_OF = bounded(r"\d ?(?:/|of) ?\d", re.IGNORECASE)
_MAYBE = bounded(r"\b(?:may|might|could|not)\b", re.IGNORECASE)


def with_synthesis(brief: Brief, verdict: Verdict, written: Sequence[Sentence]) -> Brief:
    """Return a brief with a model's text, without what this tells of the same results.

    Args:
        brief: As code wrote it.
        verdict: What it is on.
        written: The sentences of a model that passed their checks, and what took others' places.
    """
    own = tuple(sentence for sentence in written if sentence.origin == "model")
    told = _Told(own, _rows(brief, verdict))
    changed = {
        "answer": tuple(s for s in brief.answer if told.leaves(s)),
        "harms": tuple(s for s in brief.harms if told.leaves_harm(s)),
    }
    return brief.model_copy(update={"synthesis": tuple(written), **(changed if own else {})})


def claim_of(brief: Brief, verdict: Verdict) -> tuple[Sentence, ...]:
    """Return the answer of a brief without results, and without why it is no more certain."""
    told = _Told((), _rows(brief, verdict))
    return tuple(s for s in brief.answer if s.text not in told.rows and told.leaves(s))


def statements_of(brief: Brief, verdict: Verdict) -> tuple[Statement, ...]:
    """Return the results that code tells: those of the table first, then of main studies."""
    rows = dict.fromkeys((*brief.findings, *verdict.rows))
    return (
        *(
            Statement(row_statement(row, brief.drug), row.evidence_ids, row.outcome, row.comparator)
            for row in rows
            if row.effects
        ),
        *(
            Statement(study_statement(study), study.result.evidence_ids)
            for study in brief.studies
            if study.result.origin == "template"
        ),
    )


def row_statement(row: OutcomeRow, drug: str) -> str:
    """Return what code tells of a row, without the certainty, which no record states."""
    return row_sentence(row, drug).replace(f"; {row.certainty.value} certainty)", ")")


def study_statement(study: DecidingStudy) -> str:
    """Return what code tells of a main study."""
    return f"{study.name} ({study_words(study)}): {study.result.text}"


def uncontested(verdict: Verdict, contested: Iterable[Contested]) -> Verdict:
    """Return a verdict without the rows that a check against the records refuted.

    Harms stay, and the last row of each direction on benefit; results that differ tell of both.
    """
    named = {(one.outcome, one.comparator) for one in contested}
    is_left = [
        (row.outcome, row.comparator) not in named or row.way is Way.HARM or _is_feared(row)
        for row in verdict.rows
    ]
    both = [*zip(verdict.rows, is_left, strict=True)]
    held = {row.way for row, left in both if left and row.importance != "harm"}
    held |= {Way.BENEFIT, Way.NO_DIFFERENCE} if Way.CONFLICT in held else set()
    rows = (row for row, left in both if left or (row.importance != "harm" and row.way not in held))
    return verdict.model_copy(update={"rows": tuple(rows)})


def _is_feared(row: OutcomeRow) -> bool:
    return row.way is Way.CONFLICT and (row.importance == "harm" or row.is_grave)


def _rows(brief: Brief, verdict: Verdict) -> dict[str, OutcomeRow]:
    return {row_sentence(row, brief.drug): row for row in verdict.rows}


class _Told(NamedTuple):
    """Compares sentences of a model with the rows of a verdict."""

    own: tuple[Sentence, ...]
    rows: dict[str, OutcomeRow]
    """By the sentence that code writes on each."""

    def leaves(self, said: Sentence) -> bool:
        """Return whether a sentence of the answer is still to be said."""
        row = self.rows.get(said.text)
        return not self._tells(row) if row else not said.text.startswith(CERTAINTY)

    def leaves_harm(self, said: Sentence) -> bool:
        """Return whether a sentence on harms is still to be said."""
        row, tells_harms = self.rows.get(said.text), any(SAFETY.search(s.text) for s in self.own)
        if row and row.way in _AGAINST:
            is_near = row.directness == "direct" or row.is_grave or row.harm_asked
            return (is_near or not tells_harms) and not self._tells(row)
        if said.origin == "quote":
            words = keys_of(quote_in(said.text))
            own = [one for one in self.own if {*one.evidence_ids} & {*said.evidence_ids}]
            return not any(len(words & keys_of(o.text)) >= _MOSTLY * len(words) for o in own)
        listed = [
            row
            for row in self.rows.values()
            if row.way is Way.HARM and row.outcome.casefold() in said.text.casefold()
        ]
        return not all(map(self._tells, listed)) if listed else not tells_harms

    def _tells(self, row: OutcomeRow) -> bool:
        """Return whether sentences on the records of a row tell which way its outcome went."""
        if row.way is Way.BENEFIT:
            return True  # it stands in the table
        own = [s.text for s in self.own if {*s.evidence_ids} & {*row.evidence_ids}]
        on_it = [clause for text in own for clause in clauses(text) if _names(row, clause)]
        told = frozenset(chain.from_iterable(map(signs, on_it)))
        if row.way is Way.HARM:
            sides = any(_tells_sides(text) for text in own if _names(row, text))
            return bool(told & _harmful(row)) or (sides and not told)
        if row.way is Way.NO_DIFFERENCE:
            return "none" in told
        differ = (DIFFER.search(text) for text in own if _names(row, text))
        return any(found and not _MAYBE.search(found.string) for found in differ) or (
            "none" in told and len(told) > 1
        )


def _names(row: OutcomeRow, text: str) -> bool:
    """Return whether a text names the outcome of a row: by all words, or by what it measures."""
    there = keys_of(text)
    names = [keys_of(name) - VAGUE for name in (row.outcome, row.told_as)]
    measured = measured_in(row.outcome)
    raw = [word.raw for word in words(text)]
    phrases = (text, *raw, *map(" ".join, pairwise(raw)))
    return any(name and name <= there for name in names) or (
        bool(measured) and measured in map(measured_in, phrases)
    )


def _harmful(row: OutcomeRow) -> frozenset[Sign]:
    """Return the directions that tell of harm: of what is good less, of anything else more."""
    construct = construct_of(row.outcome, row.outcome)
    is_good = row.polarity == "more" or bool(construct and construct.higher_is_better)
    return frozenset({"bad", "less" if is_good else "more"})


def _tells_sides(text: str) -> bool:
    """Return whether a text has the shares of both sides: "14 of 59 and 5 of 53"."""
    shares = [q for q in quantities(text) if q.unit.dimension == "%" and not q.kind]
    return max(len(shares), len(_OF.findall(text))) >= _SIDES
