"""Lexical retrieval: words of a text, and their ranking by BM25."""

from __future__ import annotations

import math
import re
import sys
from array import array
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from deepcritical.domain.evidence import Evidence
from deepcritical.domain.patterns import bounded
from deepcritical.domain.text import fold

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_K1, _B = 1.5, 0.75
"""How soon a repeated term stops to count, and how far a long text is discounted."""
_WORD = bounded(r"[^\W_]+(?:-[^\W_]+)*")
_COMMON = frozenset(
    "a an and are as at be by for from in is it its of on or that the to was were with".split()
)


def searchable(record: Evidence) -> str:
    """The text of a record that words are looked for in."""
    meta = record.metadata
    ids = [meta.pmid, meta.doi, meta.nct_id, meta.why_stopped]
    # The title counts twice: what a paper is about outweighs what it mentions.
    return " ".join(
        [
            record.citation.title,
            record.citation.title,
            record.content,
            *meta.conditions,
            *meta.interventions,
            *filter(None, ids),
        ]
    )


def terms(text: str) -> list[str]:
    """Folded words in the singular; hyphenated ones also by their parts."""
    folded = re.sub(r"'s\b", "", fold(text))
    words = [word for word in _WORD.findall(folded) if word not in _COMMON]
    parts = (part for word in words if "-" in word for part in word.split("-") if len(part) > 1)
    # One object for all occurrences: the words of all texts stay in memory.
    return [sys.intern(_singular(word)) for word in (*words, *parts)]


def _singular(word: str) -> str:
    """Harman's S stemmer (JASIS 42, 1991, 7-15); a stronger one, Snowball, ranks no better."""
    if len(word) <= 3 or not word.endswith("s") or word.endswith(("us", "ss")):
        return word
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return f"{word[:-3]}y"
    return word if word.endswith(("aes", "ees", "oes")) else word[:-1]


class _Postings(NamedTuple):
    """Where a term occurs."""

    texts: array[int]
    """Numbers of the texts, ascending."""
    counts: array[int]
    """How often it occurs in each."""


def _no_postings() -> _Postings:
    return _Postings(array("I"), array("I"))


class LexicalIndex:
    """BM25 over texts, in Lucene's variant (Kamphuis et al., ECIR 2020).

    Built in plain Python, which lets other threads in every few milliseconds.

    Args:
        corpus: The terms of each text.
    """

    def __init__(self, corpus: Sequence[Sequence[str]]) -> None:
        import numpy as np

        self._postings: dict[str, _Postings] = defaultdict(_no_postings)
        for number, words in enumerate(corpus):
            for term, count in Counter(words).items():
                texts, counts = self._postings[term]
                texts.append(number)
                counts.append(count)
        lengths = np.array([len(words) for words in corpus], dtype=np.float64)
        relative = lengths / max(lengths.sum() / max(len(corpus), 1), 1.0)
        self._saturation = _K1 * (1 - _B + _B * relative)

    def scores(self, query: str) -> NDArray[np.float64]:
        """The score of every text, `(n_texts,)` float64; 0 where no word of the query occurs."""
        import numpy as np

        total = np.zeros(len(self._saturation))
        for term in dict.fromkeys(terms(query)):
            if term in self._postings:
                texts, counts = map(np.asarray, self._postings[term])
                rarity = math.log1p((len(total) - len(texts) + 0.5) / (len(texts) + 0.5))
                total[texts] += rarity * counts / (counts + self._saturation[texts])
        return total
