"""Lexical retrieval: tokenises text, ranks by BM25, and fuses rankings."""

from __future__ import annotations

import math
import re
import sys
from array import array
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
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
    """The places of a term."""

    texts: array[int]
    """Numbers of the texts, ascending."""
    counts: array[int]
    """Its number of occurrences in each."""


class LexicalIndex:
    """BM25 over texts, in Lucene's variant (Kamphuis et al., ECIR 2020).

    Built in plain Python, which lets other threads in every few milliseconds.
    """

    def __init__(self, corpus: Sequence[Sequence[str]]) -> None:
        import numpy as np

        self._postings: dict[str, _Postings] = defaultdict(
            lambda: _Postings(array("I"), array("I"))
        )
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


_RANK_CONSTANT = 1
"""Small, because the lists are short: Cormack's 60 (SIGIR 2009) was for lists of a thousand, and
levels out what the first ten ranks say."""


def fuse(lexical: Mapping[str, float], dense: Mapping[str, float]) -> dict[str, float]:
    """Reciprocal rank fusion of three rankings: lexical, dense, and the sum of their scores.

    The third ranking says by how much a record leads, which ranks alone do not (Bruch et al., ACM
    TOIS 42, 2023): scores are divided by the best of their list; one that a list lacks has 0.
    It also orders records that two lists rank crosswise.

    Returns:
        Scores by id, best first, 1.0 for a record that leads in all three; comparable only within
        one answer. Equal ones are in the order of their ids.
    """
    lexical_scaled, dense_scaled = _scaled(lexical), _scaled(dense)
    ids = {*lexical, *dense}
    summed = {i: lexical_scaled.get(i, 0.0) + dense_scaled.get(i, 0.0) for i in ids}
    rankings = [_ranks(scores) for scores in (lexical, dense, summed)]
    best = len(rankings) / (_RANK_CONSTANT + 1)
    fused = {
        i: sum(1 / (_RANK_CONSTANT + ranks[i]) for ranks in rankings if i in ranks) / best
        for i in ids
    }
    return {i: fused[i] for i in sorted(ids, key=lambda i: (-round(fused[i], 9), -summed[i], i))}


def with_missed(
    found: Mapping[str, float],
    vectors: Mapping[str, NDArray[np.float32]],
    query: NDArray[np.float32],
    n: int,
) -> dict[str, float]:
    """The nearest vectors, those too that an index missed which only finds nearly all.

    A filtered search in a graph of neighbours may end before it has met all that fit the filter.

    Returns:
        Cosine similarities of the `n` nearest by id, best first; equal ones by their ids.
    """
    scores = dict(found)
    if len(scores) < min(n, len(vectors)):
        scores |= {i: float(vectors[i] @ query) for i in vectors.keys() - found.keys()}
    return {i: scores[i] for i in sorted(scores, key=lambda i: (-scores[i], i))[:n]}


def _scaled(scores: Mapping[str, float]) -> dict[str, float]:
    best = max(scores.values(), default=0.0)
    return {i: max(score, 0.0) / best for i, score in scores.items()} if best > 0 else {}


def _ranks(scores: Mapping[str, float]) -> dict[str, int]:
    order = sorted(scores, key=lambda i: (-scores[i], i))
    return {i: rank for rank, i in enumerate(order, start=1)}
