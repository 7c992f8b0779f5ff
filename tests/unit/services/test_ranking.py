from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepcritical.domain.appraisal.findings import Stance
from deepcritical.domain.evidence.designs import Design
from deepcritical.domain.evidence.record import Citation, Evidence
from deepcritical.services.ranking import (
    Candidate,
    LexicalIndex,
    fuse,
    searchable,
    select_diverse_evidence,
    terms,
)
from tests.conftest import make_evidence

SCORES = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0.01, 20), max_size=8)


def test_a_record_that_leads_everywhere_has_one() -> None:
    assert fuse({"a": 9.0, "b": 1.0}, {"a": 0.9, "b": 0.2})["a"] == 1.0


def test_a_record_of_both_lists_beats_one_of_each() -> None:
    fused = fuse({"a": 9.0, "both": 8.0}, {"z": 0.9, "both": 0.8})
    assert next(iter(fused)) == "both"


def test_crosswise_ranks_are_decided_by_the_lead() -> None:
    fused = fuse({"a": 9.0, "b": 8.9, "c": 1.0}, {"b": 0.9, "a": 0.1, "c": 0.0})
    assert list(fused) == ["b", "a", "c"]


@given(SCORES, SCORES)
def test_everything_found_is_ranked_between_nought_and_one(
    lexical: dict[str, float], dense: dict[str, float]
) -> None:
    fused = fuse(lexical, dense)
    assert set(fused) == {*lexical, *dense}
    assert all(0 < score <= 1 for score in fused.values())
    assert [round(s, 9) for s in fused.values()] == sorted(
        (round(s, 9) for s in fused.values()), reverse=True
    )


@given(SCORES, SCORES, st.randoms())
def test_the_order_of_arrival_changes_nothing(
    lexical: dict[str, float], dense: dict[str, float], chance: object
) -> None:
    shuffled = list(lexical.items())
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert list(fuse(dict(shuffled), dense).items()) == list(fuse(lexical, dense).items())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Trials of Examplol", ["trial", "examplol"]),
        ("studies", ["study"]),
        ("Crohn's disease", ["crohn", "disease"]),
        ("IL-6 levels", ["il-6", "level", "il"]),
        ("virus, dose-loss and analysis", ["virus", "dose-loss", "analysi", "dose", "loss"]),
        ("", []),
    ],
)
def test_words_are_folded_and_in_the_singular(text: str, words: list[str]) -> None:
    assert terms(text) == words


def test_a_title_counts_more_than_a_mention() -> None:
    titled = make_evidence("Examplol", "On testitis.")
    mentioned = make_evidence("Testitis", "On examplol.")
    index = LexicalIndex([terms(searchable(record)) for record in (mentioned, titled)])
    scores = index.scores("examplol")
    assert scores[1] > scores[0] > 0


def test_registry_fields_and_ids_are_found() -> None:
    record = make_evidence("Trial", nct_id="NCT99000001", conditions=("Testitis",))
    assert {"nct99000001", "testiti"} <= set(terms(searchable(record)))


def test_an_index_without_words_finds_nothing() -> None:
    assert LexicalIndex([[], []]).scores("examplol").tolist() == [0.0, 0.0]
    assert LexicalIndex([]).scores("examplol").tolist() == []


def test_a_score_is_bm25_as_lucene_has_it() -> None:
    scores = LexicalIndex([["aa", "aa", "bb"], ["bb"]]).scores("aa")
    rarity = math.log(1 + (2 - 1 + 0.5) / (1 + 0.5))
    saturation = 1.5 * (1 - 0.75 + 0.75 * 3 / 2)
    assert scores.tolist() == pytest.approx([rarity * 2 / (2 + saturation), 0.0])


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
def test_the_order_of_candidates_changes_nothing(
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
