from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from deepcritical.services.ranking import fuse

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
