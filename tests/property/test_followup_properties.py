"""Whatever is asked of whatever records: every quote stands in its record, word for word."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from deepcritical.answering.records import MAX_QUOTES, answer
from deepcritical.domain.appraisal.findings import Stance
from deepcritical.domain.evidence.record import Evidence
from tests.conftest import make_evidence

QUESTIONS = (
    "Does metformin lower tau phosphorylation?",
    "Was metformin tolerated?",
    "What dose of metformin was used?",
    "Is metformin ineffective in Alzheimer's disease?",
    "Does metformin reduce the risk of dementia?",
    "Is metformin effective in Alzheimer's disease?",
    "Did metformin reduce mortality in mice?",
)
PIECES = (
    "Metformin reduced tau phosphorylation.",
    "Metformin did not lower tau phosphorylation (p = 0.4)!",
    "Harms: Metformin was well tolerated.",
    "RESULTS: Metformin was associated with a lower risk of dementia.",
    "Metformin 500 mg was given to 20 patients with Alzheimer's disease.",
    "Conclusion: Metformin did not improve Alzheimer's disease.",
    "Examplol was without effect, e.g. on pain.",
    "Deaths were fewer with metformin than with placebo",
    "\n\n",
    "\u202e",
    "…",
)
records = st.builds(
    lambda pieces, tail, title: make_evidence(title, f"{' '.join(pieces)}{tail}"),
    st.lists(st.sampled_from(PIECES), max_size=8),
    st.text(max_size=20),
    st.sampled_from(("Metformin in dementia", "RETRACTED: Metformin", "A made-up record")),
)


@given(st.sampled_from(QUESTIONS), st.lists(records, max_size=4), st.integers(1, 3))
def test_every_quote_stands_in_its_record(question: str, found: list[Evidence], most: int) -> None:
    held = {f"E{n}": record for n, record in enumerate(found)}
    told = answer(question, held, most=most)
    assert len(told.passages) == min(most, told.bearing)
    counts = told.counts
    sides = (counts.supporting, counts.refuting, counts.mixed, counts.neutral)
    assert sum(sides) == counts.studies <= told.bearing <= len(found)
    for passage in told.passages:
        content = held[passage.reference.evidence_id].content
        assert 1 <= len(passage.quotes) <= MAX_QUOTES
        for quote in passage.quotes:
            assert content[quote.start : quote.end] == quote.text
        decided = any(quote.decides for quote in passage.quotes)
        assert decided is (passage.stance in (Stance.SUPPORTS, Stance.REFUTES))
        if passage.caution == "retracted":
            assert not decided


@given(st.text(max_size=80), st.lists(records, max_size=2))
def test_any_question_is_answered_or_not_but_never_breaks(
    question: str, found: list[Evidence]
) -> None:
    told = answer(question, {f"E{n}": record for n, record in enumerate(found)})
    assert bool(told.passages) is (told.bearing > 0)
