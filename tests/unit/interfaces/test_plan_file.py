"""A plan in a file, beyond what `domain.plan` checks of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from deepcritical.domain.errors import PlanError
from deepcritical.domain.plan import Place
from deepcritical.interfaces.cli.research import read_plan, write_plan
from tests.unit.domain.test_plan import PLAN


def test_a_source_that_is_none_is_refused_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    write_plan(PLAN.model_copy(update={"place": Place(sources=("scholar",))}), path)
    with pytest.raises(PlanError, match=r"no source scholar.*at place\.sources"):
        read_plan(path)
