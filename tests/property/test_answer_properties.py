"""Whatever is asked of whatever records: an answer holds, and quotes only what stands there."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepcritical.domain.appraisal.checklist import Coverage
from deepcritical.domain.evidence.kinds import is_retracted
from deepcritical.domain.evidence.record import Evidence
from deepcritical.writing.ledger.auditing import audit
from tests.unit.answering.examples import ORDER, RCT, TAKEN_BACK, built, record

SOME = settings(max_examples=60)
"""Each example reads, weighs and writes."""
QUESTIONS = (
    "Does metformin help in gout?",
    "Is metformin ineffective in gout?",
    "Which drugs help in gout?",
    "Is metformin better than aspirin in gout?",
    "What are the side effects of metformin in gout?",
    "What dose of metformin is used for gout?",
    "How does metformin act on AMPK?",
    "Which trials of metformin in gout are there?",
    "What is the latest evidence on metformin in gout?",
    "Does folic acid reduce methotrexate toxicity?",
    "How common is gout?",
)
PIECES = (
    "Methods: 300 adults with gout were randomised to metformin or placebo.",
    "Methods: 200 adults with gout were randomised to metformin or aspirin.",
    "RESULTS: Metformin significantly improved gout compared with placebo (p = 0.01).",
    "Metformin did not improve gout compared with placebo (p = 0.61)!",
    "Deaths were more frequent with metformin than with placebo (RR 1.4, 95% CI 1.2 to 1.6).",
    "Aspirin reduced pain in gout compared with metformin (P<0.001).",
    "Harms: Metformin was well tolerated, with nausea in 12% of patients.",
    "Conclusion: Metformin 500 mg daily is recommended in gout.",
    "Folic acid reduced methotrexate toxicity, e.g. of the liver.",
    "Metformin activates AMPK in mice",
    ORDER,
    "\n\n",
    "\u202e",
    "*[1]*",
)
RECORDS = st.builds(
    lambda number, pieces, tail, title, types, kind: record(
        number, f"{' '.join(pieces)}{tail}", title, publication_types=types, text_kind=kind
    ),
    st.integers(1, 9),
    st.lists(st.sampled_from(PIECES), max_size=6),
    st.text(max_size=10),
    st.sampled_from(("Metformin in gout", "RETRACTED: Metformin in gout", "Aspirin or metformin")),
    st.sampled_from((RCT, ("Observational Study",), TAKEN_BACK)),
    st.sampled_from(("abstract", "summary")),
)


@pytest.mark.slow
@SOME
@given(st.sampled_from(QUESTIONS), st.lists(RECORDS, max_size=4))
def test_an_answer_holds_and_uses_nothing_that_was_taken_back(
    question: str, found: list[Evidence]
) -> None:
    made = built(question, *found)
    answer, held = made.answer, made.store.evidence
    assert audit(answer).failed == ()
    assert "previous instructions" not in answer.answer
    assert not any(is_retracted(held[ref.evidence_id]) for ref in answer.references)
    for fact in made.store.item_facts:
        content = held[fact.fact.evidence_id].content
        assert content[fact.fact.start : fact.fact.end] == fact.fact.quote
    for item in answer.checklist:
        assert bool(item.evidence_ids) is (item.coverage is not Coverage.UNSATISFIED)


@pytest.mark.slow
@SOME
@given(st.sampled_from(QUESTIONS), st.lists(RECORDS, max_size=3, unique_by=lambda r: r.content))
def test_a_retracted_record_changes_nothing_that_is_covered(
    question: str, found: list[Evidence]
) -> None:
    taken_back = record(0, PIECES[0] + PIECES[2], "Metformin in gout", publication_types=TAKEN_BACK)
    before = built(question, *found).answer
    after = built(question, *found, taken_back).answer
    assert [a.coverage for a in before.checklist] == [a.coverage for a in after.checklist]
    if before.verdict:
        assert after.verdict
        assert after.verdict.label is before.verdict.label
