"""Texts that a pattern is slow on, derived from the parts of the pattern itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any, NamedTuple

compiler, sre, parser = (
    import_module(f"re.{name}") for name in ("_compiler", "_constants", "_parser")
)
"""What Python parses a pattern with; it has no public face."""

__all__ = ["Seed", "hostile_seeds"]

_REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)
_PREFERRED = "a- 1,."
_OTHERS = _PREFERRED + "(A\n'bz"
_USUAL = ("a", "a-", "a ", "-", " ", "1", "1,", "(", "[", "\n", ". ", "A")
_MOST_PREFIXES = 4
_MOST_SEEDS = 40
"""Of a pattern with many alternatives, which are slow alike, every so many-th text is enough."""
_MOST_ALTERNATIVES = 12
_LONG_REPEAT = 8
"""A repeat that can go on for so long is worth an attack."""

_ONES: dict[str, re.Pattern[str]] = {}


class Seed(NamedTuple):
    """A text to be made: the prefix once, then the unit again and again, then a mismatch."""

    prefix: str
    unit: str

    def text(self, length: int) -> str:
        """Return the text with a given number of characters."""
        body = self.prefix + self.unit * (length // len(self.unit) + 1)
        return f"{body[: length - 1]}\0"


def hostile_seeds(pattern: re.Pattern[str]) -> list[Seed]:
    """Return texts that lead a pattern into each of its long repeats and let it fail behind."""
    found: set[Seed] = set()
    for prefix, unit in _attacks(parser.parse(pattern.pattern, pattern.flags), {""}):
        found.update((Seed("", prefix + unit), Seed(prefix, unit), Seed("", unit or prefix)))
    if found:
        found.update(Seed("", unit) for unit in _USUAL)
    seeds = sorted(seed for seed in found if seed.unit)
    return seeds[:: len(seeds) // _MOST_SEEDS + 1]


def _attacks(parts: Iterable[Any], prefixes: set[str]) -> Iterator[tuple[str, str]]:
    """Yield what leads to each repeat, and what it repeats; '' for the end of a sequence."""
    for part in parts:
        kind, given = part
        if kind in _REPEATS:
            if given[1] >= _LONG_REPEAT:
                units = _samples(given[2]) - {""}
                yield from ((prefix, unit) for prefix in prefixes for unit in units)
            yield from _attacks(given[2], prefixes)
        for inner in _inner(kind, given):
            yield from _attacks(inner, prefixes)
        ends = _samples([part], ("a", "-"))
        prefixes = set(sorted({p + end for p in prefixes for end in ends})[:_MOST_PREFIXES])
    yield from ((prefix, "") for prefix in prefixes)


def _inner(kind: Any, given: Any) -> list[Any]:
    """Return the sequences within a part that is no repeat."""
    if kind is sre.BRANCH:
        return list(given[1][:_MOST_ALTERNATIVES])
    if kind is sre.SUBPATTERN:
        return [given[3]]
    if kind is sre.ATOMIC_GROUP:
        return [given]
    return [given[1]] if kind in (sre.ASSERT, sre.ASSERT_NOT) else []


def _samples(parts: Iterable[Any], preferred: Iterable[str] = _PREFERRED) -> set[str]:
    """Return texts that parts of a pattern match, with optional parts and without."""
    return {
        "".join(_sample(part, char, long=long) for part in parts)
        for char in preferred
        for long in (False, True)
    }


def _sample(part: Any, preferred: str, *, long: bool) -> str:
    kind, given = part
    if kind is sre.LITERAL:
        return chr(given)
    if kind in _REPEATS:
        times = max(given[0], int(long and given[1] > 0))
        return int(times) * "".join(_sample(inner, preferred, long=long) for inner in given[2])
    if kind in (sre.ANY, sre.NOT_LITERAL, sre.IN):
        return next(filter(_one(part).match, preferred + _OTHERS), _first_of(given))
    if kind in (sre.BRANCH, sre.SUBPATTERN, sre.ATOMIC_GROUP):
        option = _inner(kind, given)[-1 if long else 0]
        return "".join(_sample(inner, preferred, long=long) for inner in option)
    return ""


def _one(part: Any) -> re.Pattern[str]:
    """Return a pattern of one part, which matches one character."""
    key = repr(part)
    if key not in _ONES:
        _ONES[key] = compiler.compile(parser.SubPattern(parser.State(), [part]))
    return _ONES[key]


def _first_of(given: Any) -> str:
    """Return the first character of a set."""
    for kind, value in given if isinstance(given, list) else ():
        if kind is sre.LITERAL:
            return chr(value)
        if kind is sre.RANGE:
            return chr(value[0])
    return "x"
