"""Checks that a figure is told of the arm and of the result that its source gives it to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from deepcritical.domain.sentences import Finding
from deepcritical.domain.text import whole_sentences
from deepcritical.verification.direction import COMPARING, is_arm, names_of
from deepcritical.verification.fields import RATIOS, keys_of
from deepcritical.verification.signs import clauses
from deepcritical.verification.words import Word, stems, words

_COUNT = re.compile(r"#-?[\d.]+%?")
"""Keys of figures without a unit, or in percent; a dose is none, nor a p value."""
_RATIOS = frozenset(map(str.lower, RATIOS))
_ESTIMATES = _RATIOS | {"ci", "to"}
"""Words before figures that compare both arms."""
_LEADING = frozenset("with on in for of to at among".split())
_GIVING = stems("during receive given take assigned randomised after")
"""Words before the arm that a figure is of."""
_BEHIND = 5
"""Words between a figure and the arm that is named behind it."""
_NEAR = 3
"""Words between figures of one side, such as those of "14 (24 %) of 59"."""


def side_faults(text: str, cited: Sequence[Finding]) -> Iterator[str]:
    """Yield the figures that a sentence gives to another arm than its sources do."""
    drugs = frozenset().union(*(drug | other for drug, other in map(names_of, cited)))
    known: dict[str, set[str]] = {}
    for quote in (quote for finding in cited for quote in finding.quotes):
        for figure, arm in _sides(quote, drugs):
            known.setdefault(figure, set()).add(arm)
    for figure, arm in _sides(text, drugs):
        if len(known.get(figure, ())) == 1 and arm not in known[figure]:
            yield f"{figure[1:]} is of {', '.join(known[figure])}, not of {arm}"


def result_faults(text: str, cited: Sequence[Finding]) -> Iterator[str]:
    """Yield the ratios that sources give for another result than a sentence does.

    Of the clauses of sources that hold such a ratio, one that has most words of the sentence's
    clause must hold its figure.
    """
    quotes = [q.text for f in cited for quote in f.quotes for q in whole_sentences(quote)]
    parts = [(keys_of(c), _figures(c)) for quote in quotes for c in clauses(quote)]
    for clause in clauses(text):
        there = keys_of(clause)
        for kind, told in _figures(clause).items():
            held = [(len(there & keys), own[kind]) for keys, own in parts if kind in own]
            most = max((shared for shared, _ in held), default=0)
            best = frozenset().union(*(own for shared, own in held if shared == most))
            known = frozenset().union(*(own for _, own in held))
            for figure in sorted(told & known - best):
                yield f"{figure[1:]} is of another result"


def _figures(clause: str) -> dict[str, frozenset[str]]:
    """Return the ratios of a clause by their label."""
    found: dict[str, set[str]] = {}
    for label, word in pairwise(words(clause)):
        if word.is_figure and label.key in _RATIOS:
            found.setdefault(label.key, set()).add(word.key)
    return {label: frozenset(keys) for label, keys in found.items()}


def _sides(text: str, drugs: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield each count or share of a text with the arm behind it: "12 % of 90 with examplol"."""
    told = words(text)
    arms = [at for at, word in enumerate(told) if word.key in drugs or is_arm(word)]
    groups = _groups(told, arms)
    starts = [*(group[0] for group in groups[1:]), len(told)]
    for group, start_after in zip(groups, starts, strict=False):
        behind = [at for at in arms if group[-1] < at <= min(group[-1] + _BEHIND, start_after)]
        if behind and _is_led_in(told, behind[0]):
            yield from ((told[at].key, told[behind[0]].key) for at in group)


def _is_led_in(told: Sequence[Word], at: int) -> bool:
    """Return whether a word stands behind "with", "on" or the like, and not as in "X-treated"."""
    return not _LEADING.isdisjoint(told[at].lead) or told[at - 1].key in _GIVING


def _groups(told: Sequence[Word], arms: Sequence[int]) -> list[list[int]]:
    """Return the places of counts and shares, those of one side together."""
    groups: list[list[int]] = []
    is_estimate = False
    for at, word in enumerate(told):
        is_inside = is_estimate and (told[at - 1].is_figure or word.key == "to")
        is_estimate = is_inside or (at > 0 and told[at - 1].key in _ESTIMATES)
        if is_estimate or not _COUNT.fullmatch(word.key):
            continue
        last = groups[-1][-1] if groups else -_NEAR - 1
        parted = any(i in arms or told[i].key in COMPARING for i in range(last + 1, at))
        if at - last > _NEAR or parted or "and" in word.lead:
            groups.append([])
        groups[-1].append(at)
    return groups
