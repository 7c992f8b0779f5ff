"""Puts a model's text into a brief, in the place of what code says of the same results.

The claim stays code's, and so does whatever the text does not tell of what speaks against the drug:
that nothing was found, that results differ, or which harm there was, with its direction or the
figures of both sides. Benefits that the text leaves out stand in the table. Why the certainty is no
higher, and harms in other people that are not grave, stand behind the brief.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from deepcritical.domain.brief import Brief, Contested
from deepcritical.domain.harms import SAFETY
from deepcritical.domain.quantities import quantities
from deepcritical.domain.sentences import Sentence
from deepcritical.domain.verdict import Verdict, VerdictLabel
from deepcritical.domain.votes import OutcomeRow, Way
from deepcritical.verification.direction import DIFFER
from deepcritical.verification.fields import VAGUE, keys_of
from deepcritical.verification.signs import Sign, clauses, signs
from deepcritical.writing.unread import quote_in
from deepcritical.writing.words import CERTAINTY, row_sentence

_AGAINST = (Way.HARM, Way.CONFLICT)
_NEEDED: dict[VerdictLabel, set[Way]] = {
    VerdictLabel.SUPPORTED: {Way.BENEFIT},
    VerdictLabel.PROMISING: {Way.BENEFIT},
    VerdictLabel.MIXED: {Way.BENEFIT, Way.NO_DIFFERENCE, Way.CONFLICT},
    VerdictLabel.UNSUPPORTED: {Way.NO_DIFFERENCE},
    VerdictLabel.REFUTED: {Way.NO_DIFFERENCE},
}
"""Directions without which a verdict has nothing to rest on."""
_MOSTLY = 0.6
"""Share of the words of a quote that a retelling of it has."""
_SIDES = 2


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


def uncontested(verdict: Verdict, contested: Iterable[Contested]) -> Verdict:
    """Return a verdict without the rows that a check against the records refuted.

    Harm stays, and the last row of a direction on benefit that the verdict needs.
    """
    named = {(one.outcome, one.comparator) for one in contested}
    is_left = [
        row.way is Way.HARM or (row.outcome, row.comparator) not in named for row in verdict.rows
    ]
    held = {
        row.way
        for row, left in zip(verdict.rows, is_left, strict=True)
        if left and row.importance != "harm"
    }
    needed = set() if Way.CONFLICT in held else _NEEDED.get(verdict.label, set()) - held
    rows = (
        row
        for row, left in zip(verdict.rows, is_left, strict=True)
        if left or (row.way in needed and row.importance != "harm")
    )
    return verdict.model_copy(update={"rows": tuple(rows)})


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
        row = self.rows.get(said.text)
        if row and row.way in _AGAINST:
            is_near = row.directness == "direct" or row.is_grave or row.harm_asked
            return is_near and not self._tells(row)
        if any(SAFETY.search(one.text) for one in self.own):
            return False
        words = keys_of(quote_in(said.text)) if said.origin == "quote" else frozenset()
        own = [one for one in self.own if {*one.evidence_ids} & {*said.evidence_ids}]
        return not any(words and len(words & keys_of(o.text)) >= _MOSTLY * len(words) for o in own)

    def _tells(self, row: OutcomeRow) -> bool:
        """Return whether sentences on the records of a row tell which way it went."""
        own = [s for s in self.own if {*s.evidence_ids} & {*row.evidence_ids}]
        if row.way is Way.BENEFIT:
            return True
        if row.way is Way.HARM:
            named = keys_of(f"{row.outcome} {row.told_as}") - VAGUE
            return any(named & keys_of(s.text) and _tells_sides(s.text) for s in own)
        told = frozenset(chain.from_iterable(_signs(s.text) for s in own))
        if row.way is Way.NO_DIFFERENCE:
            return "none" in told
        return any(DIFFER.search(s.text) for s in own) or ("none" in told and len(told) > 1)


def _tells_sides(text: str) -> bool:
    """Return whether a text tells a direction, or figures of both sides."""
    shares = [q for q in quantities(text) if q.unit.dimension == "%" and not q.kind]
    return bool(_signs(text) - {"none"}) or len(shares) >= _SIDES


def _signs(text: str) -> frozenset[Sign]:
    return frozenset(chain.from_iterable(map(signs, clauses(text))))
