"""Selects records for a prompt: relevant, different from one another, and of every stance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from deepcritical.domain.appraisal import Stance
from deepcritical.domain.designs import Design
from deepcritical.domain.evidence import Evidence
from deepcritical.services.lexical import terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
    candidates: Sequence[Candidate],
    n: int,
    vectors: NDArray[np.float32] | None = None,
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
