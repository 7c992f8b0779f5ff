"""What a question looks like to the classifier: its words, with names in place of what is named."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise

from deepcritical.domain.patterns import bounded
from deepcritical.questions.naming import Names
from deepcritical.vocabulary.words import is_english

__all__ = ["features_of", "is_other_script"]

_TOKEN = bounded(r"⟨\w+⟩|[^\W\d_]+(?:['’][^\W\d_]+)?|\d+(?:[.,]\d+)*|[?!.:;<>{}`#$=/%+*\[\]\\|]")
_MOST_CHARS = 600
"""What a question asks is in its first words or its last ones."""


def is_other_script(text: str) -> bool:
    """Whether most letters are of a script that English is not written in."""
    letters = [c for c in text if c.isalpha()]
    names = (unicodedata.name(c, "") for c in letters)
    foreign = sum("LATIN" not in name and "GREEK" not in name for name in names)
    return bool(letters) and foreign > 0.4 * len(letters)


def features_of(text: str, names: Names) -> frozenset[str]:
    """The features of a question; those of one with other names are the same."""
    tokens = _tokens(_shortened(_masked(text, names)))
    return frozenset((*_of_words(tokens), *_of_shape(text, tokens, names)))


def _masked(text: str, names: Names) -> str:
    """The text with `⟨drug⟩` for a drug, and so on."""
    places = [
        *((d.text, "class" if d.group else "drug") for d in names.drugs),
        *((c.text, "condition") for c in names.conditions),
        *((target, "target") for target in names.targets),
    ]
    for written, what in sorted(places, key=lambda place: -len(place[0])):
        text = re.sub(rf"(?<!⟨){re.escape(written)}(?:['’]s)?", f" ⟨{what}⟩ ", text)
    return text


def _shortened(text: str) -> str:
    if len(text) <= 2 * _MOST_CHARS:
        return text
    return f"{text[:_MOST_CHARS]} {text[-_MOST_CHARS:]}"


def _tokens(text: str) -> list[str]:
    return [_plain(token) for token in _TOKEN.findall(text)]


def _plain(token: str) -> str:
    if token[0].isdigit():
        return "⟨number⟩"
    if token[0] == "⟨" or not token[0].isalpha():
        return token
    low = token.casefold().replace("’", "'")
    return low if is_english(low) or len(low) < 4 else "⟨unknown⟩"


def _of_words(tokens: list[str]) -> Iterator[str]:
    yield from tokens
    framed = ["^", *tokens, "$"]
    yield from (f"{a} {b}" for a, b in pairwise(framed))
    yield from (f"{a} {b} {c}" for a, b, c in zip(framed, framed[1:], framed[2:], strict=False))
    content = [t for t in tokens if t.isalpha()]
    yield from (f"{token[:5]}~" for token in content if len(token) > 5)


def _of_shape(text: str, tokens: list[str], names: Names) -> Iterator[str]:
    words = [t for t in tokens if t[0].isalpha() or t == "⟨unknown⟩"]
    english = sum(t != "⟨unknown⟩" for t in words)
    yield f"drugs={min(len({d.drug.name for d in names.drugs}), 3)}"
    yield f"classes={min(sum(d.group is not None for d in names.drugs), 2)}"
    yield f"conditions={min(len({c.condition.name for c in names.conditions}), 2)}"
    yield f"targets={min(len(names.targets), 1)}"
    yield f"english={round(5 * english / len(words)) if words else 'none'}"
    yield f"unknown={min(len(names.unknown), 3)}"
    yield f"accents={any(ord(c) > 127 and c.isalpha() for c in text)}"
    yield f"length={min(len(tokens) // 5, 6)}"
    named = bool(names.drugs or names.conditions)
    yield f"named={named} unknown={bool(names.unknown)} english={english > 0.7 * len(words)}"
