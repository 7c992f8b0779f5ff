"""Shows a question to the classifier: its words, with names in place of what is named."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from itertools import pairwise

from deepcritical.domain.text.patterns import bounded
from deepcritical.questions.naming import Names
from deepcritical.vocabulary.words import is_english

_TOKEN = bounded(r"⟨\w+⟩|[^\W\d_]+(?:['’][^\W\d_]+)?|\d+(?:[.,]\d+)*|[?!.:;<>{}`#$=/%+*\[\]\\|]")
_TIME = bounded(
    r"\b(?:(?:the |any )?(?:latest|newest|(?:most )?recent|newer|up[- ]to[- ]date)(?= )|recently|"
    r"lately|(?:since|after|from|in) 20\d\d)\b",
    re.IGNORECASE,
)
"""Words of time: of when evidence is asked for, not of what."""
_MOST_CHARS = 600
"""Number of characters read at each end: a question is in its first words or its last ones."""
_UNKNOWN = "⟨unknown⟩"
_WORD = bounded(r"[^\W\d_]{3,}")
_FEWEST_WORDS, _MOST_ENGLISH = 6, 0.7
"""Words from which on a language can be told, and the share of them that must be of English."""


def is_other_script(text: str) -> bool:
    """Return whether most letters are of a script that English is not written in."""
    letters = [c for c in text if c.isalpha()]
    names = (unicodedata.name(c, "") for c in letters)
    foreign = sum("LATIN" not in name and "GREEK" not in name for name in names)
    return bool(letters) and foreign > 0.4 * len(letters)


def is_in_english(text: str) -> bool:
    """Return whether a text of several words is surely in English."""
    words = [word.casefold() for word in _WORD.findall(text)]
    return len(words) >= _FEWEST_WORDS and sum(map(is_english, words)) > _MOST_ENGLISH * len(words)


def features_of(names: Names, through: Collection[str] = ()) -> frozenset[str]:
    """The features of a question; those of one with other names are the same.

    A clause on the targets `through` which a drug acts was cut from it before.
    """
    text = f"{_masked(names)} through ⟨target⟩" if through else _masked(names)
    written = _TOKEN.findall(_shortened(text))
    tokens = [_plain(token) for token in written]
    strange = [low for low, plain in zip(written, tokens, strict=True) if plain == _UNKNOWN]
    return frozenset(
        (
            *_of_words(tokens),
            *_of_letters("~", (t for t in tokens if t[0] != "⟨"), (4, 5)),
            *_of_letters("?", (word.casefold() for word in strange), (3, 4)),
            *_of_shape(tokens, names),
        )
    )


def _masked(names: Names) -> str:
    """The text with `⟨drug⟩` for a drug, and so on."""
    text = names.text
    masks = [(c.start, c.end, "⟨condition⟩") for c in names.conditions]
    masks += [(d.start, d.end, "therapy") for d in names.beside]
    for drug in names.drugs:
        mask = "⟨class⟩" if drug.group else "⟨drug⟩"
        masks.append((drug.start, drug.end, "⟨other⟩" if drug in names.compared else mask))
    for start, end, mask in sorted(masks, reverse=True):
        text = f"{text[:start]} {mask} {text[end:]}"
    for target in names.targets:
        text = re.sub(rf"\b{re.escape(target)}\b", " ⟨target⟩ ", text)
    return _TIME.sub(" ", text)


def _shortened(text: str) -> str:
    if len(text) <= 2 * _MOST_CHARS:
        return text
    return f"{text[:_MOST_CHARS]} {text[-_MOST_CHARS:]}"


def _plain(token: str) -> str:
    if token[0].isdigit():
        return "⟨number⟩"
    if token[0] == "⟨" or not token[0].isalpha():
        return token
    low = token.casefold().replace("’", "'")
    return low if is_english(low) or len(low) < 4 else _UNKNOWN


def _of_words(tokens: list[str]) -> Iterator[str]:
    yield from tokens
    framed = ["^", *tokens, "$"]
    yield from (f"{a} {b}" for a, b in pairwise(framed))
    yield from (f"{a} {b} {c}" for a, b, c in zip(framed, framed[1:], framed[2:], strict=False))


def _of_letters(mark: str, words: Iterable[str], counts: tuple[int, ...]) -> Iterator[str]:
    """Runs of letters in each word: they know an inflected one, a misspelled or a foreign one."""
    for word in words:
        framed = f" {word} "
        for count in counts:
            yield from (f"{mark}{framed[n : n + count]}" for n in range(len(framed) - count + 1))


def _of_shape(tokens: list[str], names: Names) -> Iterator[str]:
    words = [t for t in tokens if t[0].isalpha() or t == _UNKNOWN]
    english = sum(t != _UNKNOWN for t in words)
    yield f"drugs={min(len({d.drug.name for d in names.drugs}), 3)}"
    yield f"compared={min(len(names.compared), 2)} beside={min(len(names.beside), 2)}"
    yield f"classes={min(sum(d.group is not None for d in names.drugs), 2)}"
    yield f"conditions={min(len({c.condition.name for c in names.conditions}), 2)}"
    yield f"targets={min(len(names.targets), 1)}"
    yield f"english={round(5 * english / len(words)) if words else 'none'}"
    yield f"unknown={min(len(names.unknown), 3)}"
    yield f"accents={any(ord(c) > 127 and c.isalpha() for c in names.text)}"
    yield f"length={min(len(tokens) // 5, 6)}"
    named = bool(names.drugs or names.conditions)
    yield f"named={named} unknown={bool(names.unknown)} english={english > 0.7 * len(words)}"
