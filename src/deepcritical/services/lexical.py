"""Lexical retrieval: words of a text, and their ranking by BM25."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from deepcritical.domain.evidence import Evidence
from deepcritical.domain.text import fold
from deepcritical.services.imports import import_quietly

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["LexicalIndex", "searchable", "terms"]

_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
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
    return [_singular(word) for word in (*words, *parts)]


def _singular(word: str) -> str:
    """Harman's S stemmer (JASIS 42, 1991, 7-15); a stronger one, Snowball, ranks no better."""
    if len(word) <= 3 or not word.endswith("s") or word.endswith(("us", "ss")):
        return word
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return f"{word[:-3]}y"
    return word if word.endswith(("aes", "ees", "oes")) else word[:-1]


class LexicalIndex:
    """BM25 (Lucene's variant, k1 1.5, b 0.75) over texts.

    Args:
        corpus: The terms of each text.
    """

    def __init__(self, corpus: Sequence[list[str]]) -> None:
        import_quietly("bm25s")
        import bm25s

        self._ranker: bm25s.BM25 = bm25s.BM25()
        self._size = len(corpus)
        # An index over no word at all divides by zero.
        self._vocabulary = {term for words in corpus for term in words}
        if self._vocabulary:
            self._ranker.index(corpus, show_progress=False)

    def scores(self, query: str) -> NDArray[np.float32]:
        """The score of every text, `(n_texts,)` float32; 0 where no word of the query occurs."""
        import numpy as np

        known = [term for term in dict.fromkeys(terms(query)) if term in self._vocabulary]
        if not known:
            return np.zeros(self._size, dtype=np.float32)
        return np.asarray(self._ranker.get_scores(known), dtype=np.float32)
