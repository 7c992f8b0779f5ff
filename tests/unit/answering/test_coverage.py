"""Coverage of a checklist by the facts of a run."""

from __future__ import annotations

from typing import Any

import pytest

from deepcritical.answering.coverage import checklist_in, counting, covered
from deepcritical.domain.appraisal.checklist import Aspect, Coverage
from deepcritical.services.evidence_store import EvidenceStore
from tests.unit.answering.examples import GOOD, HELPS, NULL, TAKEN_BACK, Built, built, record


def coverage_of(made: Built, aspect: Aspect) -> Coverage:
    items = checklist_in(made.store).items
    by_item = {one.item: one.coverage for one in covered(made.store)}
    return next(by_item[item.id] for item in items if item.aspect is aspect)


def test_there_is_no_coverage_before_there_is_a_checklist() -> None:
    with pytest.raises(ValueError, match="generate_checklist"):
        covered(EvidenceStore())


@pytest.mark.parametrize(
    ("texts", "coverage"),
    [
        ((), Coverage.UNSATISFIED),
        ((GOOD,), Coverage.PARTIAL),
        ((GOOD, GOOD), Coverage.SATISFIED),
        ((GOOD, NULL), Coverage.PARTIAL),
    ],
    ids=["nothing", "one study", "two", "they disagree"],
)
def test_an_effect_needs_two_studies_that_agree(texts: tuple[str, ...], coverage: Coverage) -> None:
    made = built(HELPS, *(record(n, text) for n, text in enumerate(texts, 1)))
    assert coverage_of(made, Aspect.EFFECT) is coverage


def test_two_records_of_one_study_are_one() -> None:
    linked: dict[str, Any] = {"linked_ids": ("nct:NCT99000001",)}
    made = built(HELPS, record(1, GOOD, **linked), record(2, GOOD, **linked))
    assert coverage_of(made, Aspect.EFFECT) is Coverage.PARTIAL


def test_what_is_retracted_after_it_was_read_covers_nothing_any_more() -> None:
    made = built(HELPS, record(1, GOOD), record(2, GOOD))
    for number in (1, 2):
        made.store.add([record(number, GOOD, publication_types=TAKEN_BACK)])
    assert made.store.item_facts
    assert counting(made.store) == ()
    assert coverage_of(made, Aspect.EFFECT) is Coverage.UNSATISFIED


def test_records_on_something_near_leave_every_need_open() -> None:
    near = [
        record(n, GOOD.replace("testitis", "asthma"), f"Examplol in asthma {n}") for n in (1, 2)
    ]
    made = built(HELPS, *near)
    assert {c.coverage for c in covered(made.store)} == {Coverage.UNSATISFIED}


def test_a_record_whose_text_grew_is_read_anew() -> None:
    made = built(HELPS, record(1, GOOD))
    made.store.read_for_items["E1"] = None
    made.store.add([record(1, f"{GOOD} Conclusion: Examplol helps in testitis. It is long.")])
    assert made.store.item_facts == ()
    assert not made.store.read_for_items
