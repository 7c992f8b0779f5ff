"""Phrases of a question, and whether a text names them in its own word forms."""

from __future__ import annotations

import re
from functools import lru_cache

from deepcritical.domain.patterns import bounded
from deepcritical.domain.text import fold
from deepcritical.questions.cues import FRAMING
from deepcritical.reasoning.propositions import stems

__all__ = ["Phrase", "names_phrase", "read_phrases", "words_of"]

_WORD = bounded(r"[^\W_]+(?:-[^\W_]+)*|[,;]")
_JOINS = frozenset("of the a an its their and or".split())
_ALTERNATIVES = frozenset({"and", "or", ",", "nor"})
_VERB = bounded(
    r"^(?:activat|inhibit|block|stimulat|suppress|induc|bind|cross|enter|penetrat|accumulat|restor|"
    r"deplet|degrad|phosphorylates?$|inactivat)"
)
"""What a drug does to a target: named by a word of its own, not as in "AMP-activated"."""
_PREFIX = bounded(
    r"^(?:hyper|hypo|un|non|anti|pre|post|de(?=phosph|acetyl|methyl|ubiquit|glycosyl))(?=\w{5})"
)
"""What says the opposite of a process, or how far it goes: a decline is no clinic."""
_PHOSPHO = bounded(r"^(?:p|phospho)-(?=[a-z])")
"""Marks the phosphorylated form of a protein, as in p-tau."""
_NEAR = 4
"""Words of one phrase stand at most so many words apart: "tau phosphorylation" is not named by
"phosphorylated AKT in the cortex of Tau-VLW mice"."""
_ROOT, _VERB_ROOT, _ENDING = 4, 6, 2
"""Letters of a root that may have another ending, of a verb's root, and of that ending."""
Phrase = frozenset[str]
"""Stems of words that belong together."""


def read_phrases(rest: str) -> tuple[tuple[Phrase, ...], ...]:
    """Groups of phrases: "tau phosphorylation in the cortex or hippocampus" has two.

    A group that is named again counts once.
    """
    groups: list[list[set[str]]] = [[set()]]
    for word in (fold(w) for w in _WORD.findall(rest)):
        if word in _ALTERNATIVES:
            if groups[-1][-1]:
                groups[-1].append(set())
        elif word in _JOINS:
            continue
        elif _VERB.match(word):
            groups += [[{_verb_root(word)}], [set()]]
        elif word in FRAMING or not stems(word):
            if any(groups[-1]):
                groups.append([set()])
        else:
            groups[-1][-1] |= _roots(word)
    kept = (tuple(frozenset(p) for p in group if p) for group in groups)
    return tuple(dict.fromkeys(group for group in kept if group))


def words_of(phrase: Phrase, text: str) -> list[str]:
    """The words of a text that a phrase was made of."""
    return [
        word for word in _WORD.findall(fold(text)) if {*_roots(word), _verb_root(word)} & phrase
    ]


def names_phrase(phrase: Phrase, text: str) -> bool:
    """Whether a text has the words of a phrase near one another."""
    words = [w for w in _WORD.findall(fold(text)) if w not in (",", ";")]
    places = [[i for i, word in enumerate(words) if _is_root_of(root, word)] for root in phrase]
    if not all(places):
        return False
    return any(
        all(any(abs(i - at) <= _NEAR for i in others) for others in places[1:]) for at in places[0]
    )


@lru_cache(maxsize=4096)  # each phrase of a question asks for the roots of all its words
def _roots(word: str) -> frozenset[str]:
    """Stems of a word; of a hyphenated one those of its parts. One spelling, one prefix less."""
    word = _PHOSPHO.sub("phosphoryl-", word)
    parts = [part for part in word.split("-") if part]
    return frozenset(
        {_root(part) for part in parts if stems(part)} or {_root(p) for p in parts[:1]}
    )


def _root(word: str) -> str:
    american = re.sub(r"(?<=[a-z]{3})is(?=e[drs]?$|ing$|ations?$)", r"iz", word)
    american = re.sub(r"(?<=h)ae(?=m)|(?<=^)oe(?=d|s)", "e", american).replace("tumour", "tumor")
    bare = _PREFIX.sub("", american)
    return next(iter(stems(bare)), bare)


def _verb_root(word: str) -> str:
    return f"{word[:_VERB_ROOT]}*"


def _is_root_of(root: str, word: str) -> bool:
    """Whether a word has the root, give or take an ending: "cogn" is that of "cognitive"."""
    if root.endswith("*"):
        return word.startswith(root[:-1])
    return any(
        root == other or (min(len(root), len(other)) >= _ROOT and _is_prefix(root, other))
        for other in _roots(word)
    )


def _is_prefix(one: str, other: str) -> bool:
    near = abs(len(one) - len(other)) <= _ENDING
    return near and (one.startswith(other) or other.startswith(one))
