"""Tells how a sentence turns one of a record round: a negation, a direction, parts exchanged."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from deepcritical.verification.aligning import (
    COMPARING,
    DEGREE,
    NEGATING,
    OPPOSITES,
    PAIRS,
    is_free_opening,
    opening_of,
    orders_of,
    without_frame,
)
from deepcritical.verification.words import Word, words

__all__ = ["is_turned", "replaced_name", "share_in_order"]

_LONGEST_PART = 4
_FEWEST = 3
_CLOSE = 0.6


def is_turned(said: str, source: str, known: frozenset[str]) -> str:
    """How a sentence turns one of the record round; '' if it does not, or is another sentence."""
    claim, there = (without_frame(words(text), known) for text in (said, source))
    opening = opening_of(there)
    orders = list(orders_of(there, source))
    if opening and is_free_opening(opening, source):
        orders.append(there[len(opening) :])
    figures = frozenset(word.key for word in there if word.is_figure)
    for inner in (True, False):
        for one in orders_of(claim, said):
            for other in orders:
                told = _turn(_compared(one, inner=inner), _compared(other, inner=inner), figures)
                if told:
                    return told
    return ""


def _compared(told: Sequence[Word], *, inner: bool) -> list[str]:
    """The keys of the words, with those in parentheses or without."""
    return [w.key for w in told if (inner or not w.depth) and w.key not in DEGREE]


def _turn(claim: Sequence[str], there: Sequence[str], known: frozenset[str]) -> str:
    if len(claim) < _FEWEST:
        return ""
    matcher = SequenceMatcher(None, there, claim, autojunk=False)
    if matcher.real_quick_ratio() < _CLOSE or matcher.ratio() < _CLOSE:
        return ""
    if sorted(claim) == sorted(there):
        return _swap(claim, there)
    turns, figures = 0, 0
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            continue
        old, new = there[i1:i2], claim[j1:j2]
        denials = sum(w in NEGATING for w in (*old, *new))
        old, new = _asserted(old), _asserted(new)
        if len(old) != len(new):
            return ""
        pairs = list(zip(old, new, strict=True))
        opposite = all(pair in PAIRS for pair in pairs)
        changed = all(o[0] == n[0] == "#" for o, n in pairs)
        if not (opposite or changed) or (changed and set(new) & known):
            return ""  # "30 % of 90" of "27 (30 %) of 90" is no other figure
        turns += denials + (len(old) if opposite and old else 0)
        figures += len(old) if changed and not opposite else 0
    if figures and not turns:
        return "the record gives another figure in its place"
    return "direction or negation is the opposite one" if turns % 2 and not figures else ""


def _asserted(keys: Sequence[str]) -> list[str]:
    return [key for key in keys if key not in NEGATING]


def _swap(claim: Sequence[str], there: Sequence[str]) -> str:
    """Two figures, or two parts of a comparison, that changed places."""
    moved = [(o, n) for o, n in zip(there, claim, strict=True) if o != n]
    if moved and all(o[0] == n[0] == "#" for o, n in moved):
        return "figures have changed places"
    if not moved:
        return ""
    places = [n for n, (o, c) in enumerate(zip(there, claim, strict=True)) if o != c]
    old, new = there[places[0] : places[-1] + 1], claim[places[0] : places[-1] + 1]
    sizes = range(1, _LONGEST_PART + 1)
    swapped = any(_exchanged(old, new, x, y) for x in sizes for y in sizes)
    return "names or groups have changed places" if swapped else ""


def _exchanged(old: Sequence[str], new: Sequence[str], x: int, y: int) -> bool:
    """Whether the first and last words changed places around a comparison."""
    middle = old[x : len(old) - y]
    if not any(k in COMPARING or k in OPPOSITES or k[0] == "#" for k in middle):
        return False  # of a list, any order is right
    return [*old[len(old) - y :], *middle, *old[:x]] == list(new)


def replaced_name(said: str, source: str, known: frozenset[str]) -> str:
    """The only word that is another one than the record's, if it is nowhere in it; else ''."""
    claim, there = (
        [w for w in without_frame(words(text), known) if not w.depth] for text in (said, source)
    )
    if len(claim) != len(there):
        return ""
    pairs = [(o, n) for o, n in zip(there, claim, strict=True) if o.key != n.key]
    if len(pairs) != 1 or len(claim) < 4:
        return ""
    new = pairs[0][1]
    return "" if new.is_figure or new.key in known else new.raw


def share_in_order(said: str, source: str) -> float:
    """Share of a sentence's words that another one has in the same order, 0-1."""
    claim, there = ([w.key for w in words(text)] for text in (said, source))
    if not set(claim) & set(there):
        return 0.0
    blocks = SequenceMatcher(None, there, claim, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) / max(1, len(claim))
