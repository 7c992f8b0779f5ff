"""Plans under review: each is its user's, and the oldest one goes where there are too many."""

from __future__ import annotations

import pytest

from deepcritical.domain.run.budget import OwnLimits
from tests.unit.domain.run.test_plan import PLAN

review = pytest.importorskip("deepcritical.interfaces.page.plan_review")
PLANNED = review.Reviewed(PLAN, "quick", OwnLimits())


def test_a_plan_is_its_users_alone() -> None:
    plans = review.KeptPlans()
    plan_id = plans.add("ada", PLANNED)
    assert plans.of("ada", plan_id) is PLANNED
    assert plans.of("ben", plan_id) is None
    assert plans.of("", "") is None
    assert plans.of("ada", None) is None


def test_the_oldest_goes_first() -> None:
    plans = review.KeptPlans()
    first, second, *_ = [plans.add("ada", PLANNED) for _ in range(review.KeptPlans.MOST + 1)]
    assert plans.of("ada", first) is None
    assert plans.of("ada", second) is PLANNED
