from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepcritical.domain.appraisal import Stance
from deepcritical.domain.designs import Design
from deepcritical.domain.evidence import Citation, Evidence
from deepcritical.services.ranking import Candidate, select_diverse_evidence


def candidate(
    number: int,
    stance: Stance = Stance.SUPPORTS,
    relevance: float = 0.5,
    text: str = "",
    design: Design = Design.RCT,
) -> Candidate:
    record = Evidence(
        content=text or f"word{number}",
        citation=Citation(source="pubmed", title=f"Record {number}"),
        relevance_score=relevance,
    )
    return Candidate(f"E{number}", record, stance, design)


@st.composite
def many(draw: st.DrawFn) -> list[Candidate]:
    n = draw(st.integers(0, 12))
    return [
        candidate(
            i,
            draw(st.sampled_from(Stance)),
            draw(st.floats(0, 1)),
            draw(st.sampled_from(["alpha beta", "beta gamma", "delta"])),
            draw(st.sampled_from([Design.RCT, Design.COHORT, Design.PRECLINICAL])),
        )
        for i in range(n)
    ]


def vectors_for(candidates: list[Candidate], seed: int) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(len(candidates), 4)).astype(np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


@given(many(), st.integers(1, 12), st.booleans())
def test_refuting_evidence_is_never_selected_away(
    candidates: list[Candidate], n: int, dense: bool
) -> None:
    vectors = vectors_for(candidates, n) if dense else None
    chosen = select_diverse_evidence(candidates, n, vectors)
    present = {c.stance for c in candidates}
    assert len(chosen) == len(set(chosen)) == min(n, len(candidates))
    if Stance.REFUTES in present:
        assert Stance.REFUTES in {c.stance for c in chosen}
    if n >= len(present):
        assert {c.stance for c in chosen} == present


@given(many(), st.integers(1, 12), st.randoms(use_true_random=False))
def test_the_order_of_arrival_changes_nothing(
    candidates: list[Candidate], n: int, chance: Random
) -> None:
    vectors = vectors_for(candidates, n)
    order = list(range(len(candidates)))
    chance.shuffle(order)
    shuffled = select_diverse_evidence([candidates[i] for i in order], n, vectors[order])
    assert shuffled == select_diverse_evidence(candidates, n, vectors)


@pytest.mark.parametrize(
    ("supports", "refutes", "neutral", "n", "expected"),
    [
        (8, 2, 0, 5, (4, 1, 0)),
        (30, 1, 0, 4, (3, 1, 0)),
        (6, 3, 3, 4, (2, 1, 1)),
        (30, 1, 1, 2, (1, 1, 0)),
        (30, 1, 1, 1, (0, 1, 0)),
        (2, 1, 0, 9, (2, 1, 0)),
    ],
)
def test_seats_are_in_proportion(
    supports: int, refutes: int, neutral: int, n: int, expected: tuple[int, int, int]
) -> None:
    stances = [Stance.SUPPORTS] * supports + [Stance.REFUTES] * refutes + [Stance.NEUTRAL] * neutral
    chosen = select_diverse_evidence([candidate(i, s) for i, s in enumerate(stances)], n)
    order = (Stance.SUPPORTS, Stance.REFUTES, Stance.NEUTRAL)
    assert tuple(sum(c.stance is s for c in chosen) for s in order) == expected


@pytest.mark.parametrize("dense", [True, False], ids=["vectors", "words"])
def test_a_repetition_gives_way_to_something_else(dense: bool) -> None:
    twins = [candidate(i, relevance=0.9, text="same words in both") for i in (1, 2)]
    other = candidate(3, relevance=0.8, text="quite another finding")
    vectors = np.array([[1, 0], [1, 0], [0, 1]], dtype=np.float32) if dense else None
    chosen = select_diverse_evidence([*twins, other], 2, vectors)
    assert [c.evidence_id for c in chosen] == ["E1", "E3"]


def test_another_design_is_preferred_among_equals() -> None:
    pool = [candidate(1), candidate(2), candidate(3, design=Design.COHORT)]
    assert [c.evidence_id for c in select_diverse_evidence(pool, 2)] == ["E1", "E3"]
