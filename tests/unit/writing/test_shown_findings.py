"""Findings as a writer is shown them: nothing is said twice."""

from __future__ import annotations

from deepcritical.writing.by_model import _shown
from tests.unit.verification.studies import FINDINGS


def test_a_study_a_quote_and_what_stands_above_are_told_once() -> None:
    one = FINDINGS["F1"]
    two = one.model_copy(update={"id": "F2", "sentence": "It lowered the other score."})
    told = _shown("Does it help?", f"Yes. {one.sentence}", {"F1": one, "F2": two}, 9_000)
    assert "Yes. [F1]" in told
    assert told.count(one.sentence) == 1
    assert told.count(one.quotes[0]) == 1
    assert "quote: as in F1" in told
    assert "study: " in told
    assert told.count(f"people: {one.population}") == 1
