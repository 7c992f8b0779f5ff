"""Recognises ordinary English words, which are no unknown names."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

_BEGINNINGS = "re non un anti pre post co over under bio neuro immuno multi".split()
_ENDINGS = (("s", ""), ("es", ""), ("ies", "y"), ("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e"))


_FIRST = re.compile(r"(?:A|[A-Z][a-z]+(?:['’-][a-z]+)*)(?![\w'’-])(?! [A-Z])")
"""A word in small letters but for its first, and not the beginning of a name of several words."""
_OF_NATION = re.compile(
    r"\w{1,20}(?:(?<!Ob)ese|(?<!M)(?<!esar)ean|(?<!Med)(?<!Ovar)(?<!esar)ian|ican|ish)"
)


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


def in_running_text(text: str, source: str = "") -> str:
    """Return a text as it stands within a sentence: an ordinary first word begins small.

    Abbreviations, words of nations and names keep their capital; a name is what has one in the
    middle of a sentence of the source.
    """
    first = _FIRST.match(text)
    ordinary = first and is_english(first[0]) and not _OF_NATION.fullmatch(first[0])
    is_name = first and re.search(rf"[a-z,;] {re.escape(first[0])}\b", source)
    return f"{text[0].lower()}{text[1:]}" if ordinary and not is_name else text


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
