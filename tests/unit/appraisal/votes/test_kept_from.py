"""Results on prevention of a condition, and results of another one."""

from __future__ import annotations

import pytest

from tests.unit.appraisal.body.test_rows import row_of
from tests.unit.appraisal.builders import asked, ballot, people, result, study, vote


@pytest.mark.parametrize(
    ("outcome", "near"), [("gout", "direct"), ("asthma", "related"), ("flurb score", "related")]
)
def test_only_the_condition_itself_tells_of_its_prevention(outcome: str, near: str) -> None:
    question = asked("gout", prevention=True, population=("psoriasis",))
    votes = ballot(study(result(outcome), population=people("psoriasis")), question).votes
    assert [v.directness for v in votes] == [near]


def test_a_scale_that_is_named_after_a_condition_is_none_of_its_onset() -> None:
    question = asked("gout", prevention=True, population=("psoriasis",))
    told = study(result("Gout Flurb Assessment Scale"), population=people("psoriasis"))
    assert [v.directness for v in ballot(told, question).votes] == ["related"]


def test_a_harm_of_a_narrative_review_is_told_as_such() -> None:
    told = study(result("mortality", kind="safety", better="b"), kinds=("narrative_review",))
    assert [v.tier for v in ballot(told).votes] == ["reported"]
    assert row_of(vote(tier="reported")).tier == "reported"
