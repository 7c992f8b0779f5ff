"""The sentences of a record that a claim rests on, found by the words that they share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from deepcritical.domain.text import Span
from deepcritical.reasoning.claim_names import name_keys
from deepcritical.reasoning.claim_polarity import Change, changes
from deepcritical.reasoning.claim_strength import is_aim
from deepcritical.reasoning.claim_words import SIGNS, weight, words

__all__ = ["Bearing", "Support", "bearing_sentences", "close_changes", "support_of"]

_CLOSE = 0.7
"""Share of its words in one sentence of the record from which it is read word by word."""
_TOLD = 0.5
"""Share from which a sentence is taken to speak of the same thing in other words."""
_MOST = 3


class Support(NamedTuple):
    """The sentences of a record that a claim rests on, best first, and the share of its words."""

    spans: tuple[Span, ...]
    share: float
    first_share: float
    rest: float
    """The same share of its words that are no names: what is said of the drug and the disease."""
    quoted: float
    """The share of its words that the given quote has; 0 without a quote."""


class Bearing(NamedTuple):
    """A sentence that a claim can agree or disagree with."""

    text: str
    close: tuple[Change, ...] | None
    """The changes, where the claim follows it word by word."""
    weight: float
    """How much of the claim it has, the signs of a direction included."""


@lru_cache(maxsize=4096)
def _weights(text: str) -> Mapping[str, float]:
    return {w.key: weight(w.key) for w in words(text) if w.key}


def close_changes(said: str, support: Support) -> tuple[Change, ...] | None:
    """The changes against the first sentence, if the claim follows it closely."""
    if support.first_share < _CLOSE:
        return None
    return changes(words(said), words(support.spans[0].text))


def support_of(said: str, body: Sequence[Span], place: tuple[int, int] | None) -> Support:
    """The sentences that cover most of the claim's words, those of the quote first of all."""
    wanted = _weights(said)
    total = sum(wanted.values())
    if not total or not body:
        return Support((), 0.0, 0.0, 0.0, 0.0)
    quoted = [s for s in body if place and s.start < place[1] and place[0] < s.end]
    borne = list(quoted)
    chosen: list[Span] = []
    covered: set[str] = set()
    for _ in range(_MOST):
        best = max(
            (s for s in (quoted or body) if s not in chosen),
            key=lambda s: (_gain(wanted, covered, s), -len(s.text)),
            default=None,
        )
        if best is None or _gain(wanted, covered, best) <= (0.04 * total if chosen else 0.0):
            quoted, exhausted = [], not quoted
            if exhausted:
                break
            continue
        chosen.append(best)
        covered |= wanted.keys() & _weights(best.text).keys()
    first = _gain(wanted, set(), chosen[0]) / total if chosen else 0.0
    share = sum(wanted[k] for k in covered) / total
    names = name_keys(said)
    rest = sum(value for key, value in wanted.items() if key not in names)
    told = sum(wanted[key] for key in covered if key not in names)
    there = set[str]().union(*(_weights(s.text).keys() for s in body if s in borne))
    quoted_share = sum(value for key, value in wanted.items() if key in there) / total
    return Support(tuple(chosen), share, first, told / rest if rest else 1.0, quoted_share)


def _gain(wanted: Mapping[str, float], covered: set[str], span: Span) -> float:
    have = _weights(span.text)
    return sum(value for key, value in wanted.items() if key in have and key not in covered)


def bearing_sentences(said: str, body: Sequence[Span]) -> tuple[Bearing, ...]:
    """The sentences that can agree or disagree with a claim: those that say much of what it says.

    An aim neither denies nor asserts, unless the claim is that aim.
    """
    asks = is_aim(said)
    wanted = {key: value for key, value in _weights(said).items() if key not in SIGNS}
    total = sum(wanted.values()) or 1.0
    shares = [
        (_gain(wanted, set(), span) / total, span.text)
        for span in body
        if asks or not is_aim(span.text)
    ]
    best = max((share for share, _ in shares), default=0.0)
    least = max(_TOLD, best - 0.05 if best > 0.9 else 0.8 * best)
    every = _weights(said)
    found = [
        Bearing(
            text,
            changes(words(said), words(text)) if share >= _CLOSE else None,
            sum(every[key] for key in every.keys() & _weights(text).keys()),
        )
        for share, text in sorted(shares, reverse=True)
        if share >= least
    ]
    return tuple(sorted(found, key=lambda b: -b.weight)[:_MOST])
