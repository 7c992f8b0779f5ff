"""Recognises ordinary English words, which are no unknown names."""

from __future__ import annotations

from functools import cache
from importlib import resources

_BEGINNINGS = "re non un anti pre post co over under bio neuro immuno multi".split()
_ENDINGS = (("s", ""), ("es", ""), ("ies", "y"), ("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e"))


def data_text(name: str) -> str:
    """Return the text of a file of `data`."""
    return (resources.files("deepcritical") / "data" / name).read_text(encoding="utf-8")


@cache
def _words() -> frozenset[str]:
    return frozenset(data_text("english_words.txt").split())


def is_english(word: str) -> bool:
    """Return whether a word, in whatever case, is one of ordinary English."""
    low = word.casefold().replace("’", "'").removesuffix("'s")
    return len(low) < 2 or all(_is_ordinary(part) for part in low.split("-"))


def _is_ordinary(low: str) -> bool:
    """Return whether a word stands in the list, or one that it is inflected from."""
    stems = (
        low.removesuffix(ending) + instead
        for ending, instead in _ENDINGS
        if low.endswith(ending) and len(low) - len(ending) > 2
    )
    return any(_is_listed(stem) for stem in (low, *stems))


def _is_listed(low: str) -> bool:
    begun = (
        low.removeprefix(p) for p in _BEGINNINGS if low.startswith(p) and len(low) > len(p) + 3
    )
    return low in _words() or any(word in _words() for word in begun)
