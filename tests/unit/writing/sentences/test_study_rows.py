"""The table of studies: which of them decide, and which have no say."""

from __future__ import annotations

import pytest

from deepcritical.appraisal.body.verdict import decide
from deepcritical.writing.sentences.studies import study_rows
from tests.unit.appraisal.builders import appraised, finding, record, study, vote


@pytest.mark.parametrize(("unread", "counts"), [(False, "decides"), (True, "counts")])
def test_a_study_decides_only_what_was_decided(unread: bool, counts: str) -> None:
    told = finding(vote(comparator="testamine"), key="E1").model_copy(update={"unclear": unread})
    reading = study()
    (row,) = study_rows(
        [told], {"E1": appraised(reading)}, {"E1": record()}, {"E1": reading}, decide([told])
    )
    assert row.counts == counts
