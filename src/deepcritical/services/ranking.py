"""Ranks records: by BM25 over their words, by fused rankings, and by difference and stance."""

from __future__ import annotations

import math
import re
import sys
from array import array
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from deepcritical.domain.appraisal.findings import Stance
from deepcritical.domain.evidence.designs import Design
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.spans import fold

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
    return list(map(_term, (*words, *parts)))


@lru_cache(maxsize=16_384)
def _term(word: str) -> str:
    # One object for all occurrences: the words of all texts stay in memory.
    return sys.intern(_singular(word))


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


_PRECEDENCE = (Stance.REFUTES, Stance.SUPPORTS, Stance.NEUTRAL)
_RELEVANCE_WEIGHT = 0.7
"""1.0 is relevance alone, 0.0 difference alone."""
_SAME_DESIGN = 0.2
_SAME_SOURCE = 0.1


class Candidate(NamedTuple):
    """A record that may be shown."""

    evidence_id: str
    evidence: Evidence
    """Its `relevance_score` counts."""
    stance: Stance
    design: Design


def select_diverse_evidence(
    candidates: Sequence[Candidate], n: int, vectors: NDArray[np.float32] | None = None
) -> tuple[Candidate, ...]:
    """At most `n` candidates by maximal marginal relevance, with seats for every stance.

    Each stance that is present has one seat while seats last: refuting first, then supporting, then
    neutral. Further seats go one by one to the stance that is furthest below its share of the
    candidates. So a refuting record is always shown if there is one.

    Within its seats a stance sends the record that is most relevant and least like those chosen
    (Carbonell and Goldstein, SIGIR 1998). Alike is: the cosine of the vectors, or without vectors
    the share of common words (Jaccard); more so of one study design or from one source.

    Args:
        candidates: In any order; the order does not change what is chosen.
        n: Records wanted.
        vectors: `(n_candidates, dim)` float32, L2-normalised, in the order of the candidates.

    Returns:
        The chosen, in the order of choice.
    """
    order = sorted(range(len(candidates)), key=lambda i: _key(candidates[i]))
    ranked = [candidates[i] for i in order]
    alike = _likeness(ranked, None if vectors is None else vectors[order])
    return tuple(ranked[i] for i in _chosen(ranked, alike, n))


def _chosen(ranked: Sequence[Candidate], alike: NDArray[np.float64], n: int) -> list[int]:
    import numpy as np

    relevance = np.array([candidate.evidence.relevance_score for candidate in ranked])
    seats = _seats(Counter(candidate.stance for candidate in ranked), n)
    chosen: list[int] = []
    nearest = np.zeros(len(ranked))
    while len(chosen) < min(n, len(ranked)):
        value = _RELEVANCE_WEIGHT * relevance - (1 - _RELEVANCE_WEIGHT) * nearest
        open_ = [i for i, c in enumerate(ranked) if i not in chosen and seats[c.stance] > 0]
        best = max(open_, key=lambda i: value[i])
        chosen.append(best)
        seats[ranked[best].stance] -= 1
        nearest = np.maximum(nearest, alike[best])
    return chosen


def _key(candidate: Candidate) -> tuple[float, str, str]:
    record = candidate.evidence
    return -record.relevance_score, record.citation.title, candidate.evidence_id


def _seats(present: Counter[Stance], n: int) -> dict[Stance, int]:
    """Seats for each stance, at most as many as it has candidates."""
    stances = [stance for stance in _PRECEDENCE if present[stance]]
    total = sum(present.values())
    seats = {stance: int(at < n) for at, stance in enumerate(stances)}
    for _ in range(min(n, total) - sum(seats.values())):
        open_ = [stance for stance in stances if seats[stance] < present[stance]]
        # The stance that is furthest below its share; the first in precedence among equals.
        neediest = max(open_, key=lambda s: present[s] * n / total - seats[s])
        seats[neediest] += 1
    return seats


def _likeness(
    candidates: Sequence[Candidate], vectors: NDArray[np.float32] | None
) -> NDArray[np.float64]:
    """Return the similarity of each pair, `(n, n)`, 0-1."""
    import numpy as np

    text = _common_words(candidates) if vectors is None else np.clip(vectors @ vectors.T, 0, 1)
    designs = np.array([candidate.design.value for candidate in candidates])
    sources = np.array([candidate.evidence.citation.source for candidate in candidates])
    alike: NDArray[np.float64] = (
        (1 - _SAME_DESIGN - _SAME_SOURCE) * text
        + _SAME_DESIGN * (designs[:, None] == designs)
        + _SAME_SOURCE * (sources[:, None] == sources)
    )
    return alike


def _common_words(candidates: Sequence[Candidate]) -> NDArray[np.float64]:
    """Jaccard similarity of the words of any two, `(n, n)`."""
    import numpy as np

    words = [
        frozenset(terms(f"{c.evidence.citation.title} {c.evidence.content}")) for c in candidates
    ]
    return np.array([[len(a & b) / max(1, len(a | b)) for b in words] for a in words])
