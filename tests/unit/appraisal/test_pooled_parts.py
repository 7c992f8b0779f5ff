"""What a review says of some of its studies: pooled it counts, counted it does not."""

from __future__ import annotations

from deepcritical.domain.votes import Way
from tests.unit.appraisal.builders import LESS, ballot, result, study


def test_what_a_review_pools_of_some_of_its_trials_votes() -> None:
    pooled = result(people="5 of the 9 trials", effect=LESS, higher_is_better=False)
    votes = ballot(study(pooled, kinds=("systematic_review",), design=())).votes
    assert [vote.way for vote in votes] == [Way.BENEFIT]


def test_what_a_review_counts_of_its_trials_does_not() -> None:
    counted = result(people="one of nine trials")
    read = ballot(study(counted, kinds=("systematic_review",), design=()))
    assert (read.votes, read.why) == ((), "only a part of its people")
