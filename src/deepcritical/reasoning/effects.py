"""Which way an intervention moves an outcome, compared with something else, as one text tells it.

The clause that names most of the outcome and the arms decides; rare words of the text count most.
Its figures come first: no P value below 0.05 is no difference (ICH E9). Then the cue word nearest
to the outcome tells the direction, turned round where it is said of the comparator.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from pydantic import Field

from deepcritical.domain.abbreviations import expand_abbreviations
from deepcritical.domain.base import Model, UnitInterval
from deepcritical.domain.patterns import bounded
from deepcritical.domain.text import Span, sentences
from deepcritical.reasoning import effect_cues as cues
from deepcritical.reasoning import lexicon
from deepcritical.reasoning.clauses import clauses
from deepcritical.reasoning.directions import BAD
from deepcritical.reasoning.figures import p_values
from deepcritical.reasoning.propositions import stems

__all__ = ["Effect", "EffectDirection", "effect"]

_BAD = bounded(rf"\b{BAD}\b", re.IGNORECASE)
_WORD = bounded(r"[^\W_]+")
_INACTIVE = bounded(
    r"placebo|control|usual|sham|standard|\bno |untreated|conventional", re.IGNORECASE
)
_INACTIVE_WORDS = stems("placebo control sham untreated usual conventional")
_LEAST = 0.15
"""The share of the outcome that a sentence of a longer text must name."""
_FEW = 2
"""Sentences up to which a text as a whole is taken to be about the outcome."""
_OF_OUTCOME, _OF_SENTENCE, _OF_ARM, _OF_OTHER = 0.75, 0.25, 0.25, 0.15
"""What the clause's and the sentence's share of the outcome and of each arm count."""
_IN_RESULTS, _OUTSIDE, _AIM, _WITHIN_ARMS = 0.1, -0.3, -0.15, -0.4
_GOVERNS = 30
"""Characters behind a cue within which a denial still governs it."""
_OTHER_STATEMENT, _BEFORE = 60, 15
"""Added to the distance of a cue behind "and the", and of one before the outcome."""
_JOINED = bounded(r"\band (?:the|a|was|were)\b|, and\b")


class EffectDirection(StrEnum):
    """What the intervention does to the outcome."""

    INCREASED = "increased"
    DECREASED = "decreased"
    NO_DIFFERENCE = "no difference"


class Effect(Model):
    """A direction with the sentence and the words that say so."""

    direction: EffectDirection
    quote: str
    """The sentence: ``text[start:end] == quote``."""
    start: int = Field(ge=0)
    end: int = Field(gt=0)
    cue: str
    fit: UnitInterval
    """How much of the outcome and the arms the clause names, 0-1."""


class _Cue(NamedTuple):
    sign: int
    """1 for more of the outcome, -1 for less, 0 for no difference."""
    words: str


class _Terms:
    """The stems of intervention, comparator and outcome, weighed by how rare they are."""

    def __init__(self, spans: Sequence[Span], long: dict[str, str], asked: Sequence[str]) -> None:
        self._long = long
        self._of = [stems(span.text) for span in spans]
        own, other, self.outcome = (self._expanded(text) for text in asked)
        inactive = _INACTIVE_WORDS if _INACTIVE.search(asked[1]) else frozenset()
        self.intervention = own - other or own
        self.comparator = (other | inactive) - own
        self.asked_outcome = stems(asked[2])
        self.bad_outcome = bool(_BAD.search(asked[2]))

    def __len__(self) -> int:
        return len(self._of)

    def _expanded(self, text: str) -> frozenset[str]:
        found = stems(text)
        for short, long in self._long.items():
            one, many = stems(short), stems(long)
            if one and one <= found:
                found |= many
            elif len(many) > 1 and many <= found:
                found |= one
        return found

    def _weight(self, stem: str) -> float:
        named = sum(stem in said for said in self._of)
        return math.log(1 + (len(self._of) + 1) / (1 + named))

    def covered(self, wanted: frozenset[str], text: str) -> float:
        """The share of the wanted stems that a text names, 0-1, rare ones counting most."""
        total = sum(map(self._weight, wanted))
        return sum(self._weight(s) for s in wanted & stems(text)) / total if total else 0.0

    def free(self, found: Iterator[re.Match[str]]) -> list[re.Match[str]]:
        """The matches that are no words of the outcome itself."""
        return [m for m in found if not stems(m.group()) & self.asked_outcome]

    def outcome_at(self, clause: str) -> int:
        """Where the clause first names the outcome; its middle when it does not."""
        places = (m.start() for m in _WORD.finditer(clause) if stems(m.group()) & self.outcome)
        return next(places, len(clause) // 2)


def _candidates(spans: Sequence[Span]) -> Iterator[tuple[Span, str, float]]:
    """The clauses in which a result may stand, with what their place adds to their fit."""
    labelled = any(span.label for span in spans)
    for number, span in enumerate(spans):
        if span.label.startswith(cues.LEFT_OUT):
            continue
        early = len(spans) > 3 and number < 0.3 * len(spans)
        outside = not span.label if labelled else early
        place = (
            _IN_RESULTS * span.label.startswith(("result", "finding"))
            + _OUTSIDE * outside
            + _AIM * (bool(lexicon.AIM.search(span.text)) and not p_values(span.text))
        )
        for clause in clauses(span.text):
            yield span, clause, place + _WITHIN_ARMS * _is_within_arms(clause)


def _is_within_arms(clause: str) -> bool:
    """Whether it tells of a change in both arms alike, which is none between them."""
    compared = cues.AFTER.search(clause) or cues.NULL.search(clause)
    return bool(cues.BOTH_ARMS.search(clause)) and not compared


def effect(text: str, intervention: str, comparator: str, outcome: str) -> Effect | None:
    """What a text says the intervention does to the outcome; None when nothing tells.

    Args:
        text: An abstract or a part of one.
        intervention: What was given, in the words of the text if possible.
        comparator: What it is compared with, such as placebo or another arm.
        outcome: What was measured.
    """
    spans = sentences(text)
    terms = _Terms(spans, dict(expand_abbreviations(text)), (intervention, comparator, outcome))
    named = {span: _fit_of_sentence(span, terms) for span in spans}
    best: Effect | None = None
    for span, clause, place in _candidates(spans):
        fit = named[span] + _OF_OUTCOME * terms.covered(terms.outcome, clause) + place
        if fit > (best.fit if best else 0.0) and (cue := _direction(clause, terms)):
            best = _told(span, cue, min(fit, 1.0))
    return best


def _fit_of_sentence(span: Span, terms: _Terms) -> float:
    """What a sentence adds to the fit of its clauses; below any fit where it names too little."""
    named = terms.covered(terms.outcome, span.text)
    if named < _LEAST and len(terms) > _FEW:
        return -2.0
    return (
        _OF_SENTENCE * named
        + _OF_ARM * terms.covered(terms.intervention, span.text)
        + _OF_OTHER * terms.covered(terms.comparator, span.text)
    )


def _told(span: Span, cue: _Cue, fit: float) -> Effect:
    ways = (
        EffectDirection.NO_DIFFERENCE,
        EffectDirection.INCREASED,
        EffectDirection.DECREASED,
    )
    return Effect(
        direction=ways[cue.sign],
        quote=span.text,
        start=span.start,
        end=span.end,
        cue=cue.words,
        fit=round(fit, 2),
    )


def _direction(clause: str, terms: _Terms) -> _Cue | None:
    """What a clause says of the outcome, by its figures, its words or two arms' values."""
    tests = p_values(clause)
    if tests and not any(tests):
        return _Cue(0, "no P value below 0.05")
    cue = _worded(clause, terms, significant=bool(tests) and all(tests))
    if cue is None:
        return _of_values(clause, terms) if any(tests) else None
    return cue._replace(sign=-cue.sign) if cue.sign and _is_turned(clause, terms) else cue


def _worded(clause: str, terms: _Terms, *, significant: bool) -> _Cue | None:
    said = cues.ALIKE_ADVERB.sub(lambda m: " " * len(m.group()), clause)
    at = terms.outcome_at(clause)
    found = terms.free(cues.CUE.finditer(said))
    nearest = min(found, key=lambda m: _distance(clause, m.start(), at), default=None)
    null = next(iter(terms.free(cues.NULL.finditer(said))), None)
    if nearest is None:
        return _Cue(0, null.group()) if null else None
    if null and not significant and null.start() < nearest.start() + _GOVERNS:
        return _Cue(0, null.group())
    return _Cue(_sign(nearest, found, terms), nearest.group())


def _distance(clause: str, cue: int, at: int) -> int:
    between = clause[min(cue, at) : max(cue, at)]
    joined = _OTHER_STATEMENT * bool(_JOINED.search(between))
    return len(between) + joined + _BEFORE * (cue < at)


def _sign(nearest: re.Match[str], found: Sequence[re.Match[str]], terms: _Terms) -> int:
    """The sign of the nearest cue; a "smaller reduction" is the reduction turned round."""
    noun = next((m for m in found if cues.CHANGE.fullmatch(m.group())), None)
    amount = next((m for m in found if m is not noun and cues.AMOUNT.fullmatch(m.group())), None)
    governed = noun is not None and nearest in (noun, amount)
    sign = _plain(noun if noun and governed else nearest, terms)
    if noun and amount and governed and amount["down"]:
        sign *= -1 if abs(noun.start() - amount.start()) < 2 * _GOVERNS else 1
    return sign


def _plain(cue: re.Match[str], terms: _Terms) -> int:
    """More is 1 and less -1; better is less of what is bad."""
    if cue["up"] or cue["down"]:
        return 1 if cue["up"] else -1
    return 1 if bool(cue["better"]) is not terms.bad_outcome else -1


def _is_turned(clause: str, terms: _Terms) -> bool:
    """Whether the clause says it of the comparator: "higher with placebo than with examplol"."""
    opening = cues.OPENING.match(clause)
    body = clause[opening.end() :] if opening else clause
    after = cues.AFTER.search(body)
    head = stems(body[: after.start()] if after else body)
    own, other = len(terms.intervention & head), len(terms.comparator & head)
    if opening:
        begun = stems(opening.group())
        return bool(begun & terms.intervention) and not begun & terms.comparator
    if after is None:
        return other > 0 and own == 0
    tail = stems(body[after.end() :])
    return len(terms.intervention & tail) > len(terms.comparator & tail) and own <= other


def _of_values(clause: str, terms: _Terms) -> _Cue | None:
    """The direction of two arms' values, the first being that of the arm named first."""
    said = cues.FIGURES_OF_NO_ARM.sub(lambda m: " " * len(m.group()), clause)
    pair = cues.PAIR.search(said)
    if pair is None:
        return None
    first, second = (
        float(re.sub("[−–]", "-", pair[group]).replace("·", ".")) for group in ("first", "second")
    )
    if first == second:
        return None
    own, other = (_named_at(clause, t) for t in (terms.intervention, terms.comparator))
    turned = own is not None and other is not None and other < own
    return _Cue(1 if (first > second) is not turned else -1, pair["first"])


def _named_at(clause: str, wanted: frozenset[str]) -> int | None:
    return next((m.start() for m in _WORD.finditer(clause) if stems(m.group()) & wanted), None)
