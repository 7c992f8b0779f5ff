"""Which trials there are, by their registry entries and status; stopped ones where asked."""

from __future__ import annotations

import pytest

from deepcritical.domain.checklist import Aspect, InquiryKind
from deepcritical.domain.evidence import Evidence
from deepcritical.reasoning.checklists import checklist_of
from deepcritical.reasoning.inquiries import inquiry_of
from deepcritical.reasoning.item_facts import covered, read_items
from deepcritical.reasoning.ratings import rating_pattern
from deepcritical.reasoning.synthesis import synthesize
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.writing.context import ReportContext
from tests.conftest import make_evidence

ASKED = "Which trials of metformin in Alzheimer's disease are there?"
STOPPED = "Which trials of metformin in Alzheimer's disease were stopped early?"


def entry(number: int, status: str, **meta: object) -> Evidence:
    """A registry entry on metformin."""
    record = make_evidence(
        f"Metformin in Alzheimer's disease, part {number}",
        "Eligible are adults. This study tests metformin against placebo.",
        kind="trial",
        nct_id=f"NCT9900000{number}",
        status=status,
        planned_enrollment=10 * number,
        conditions=("Alzheimer Disease",),
        interventions=("Metformin",),
        text_kind="registry",
        **meta,
    )
    citation = record.citation.model_copy(update={"source": "clinicaltrials"})
    return record.model_copy(update={"citation": citation})


def overview(question: str, *records: Evidence) -> str:
    """What the answer begins with."""
    store, inquiry = EvidenceStore(), inquiry_of(question)
    store.add(records)
    store.checklist = checklist_of(inquiry)
    store.add_item_facts(list(read_items(inquiry, store.checklist, store.evidence)))
    store.coverage = covered(store)
    context = ReportContext(
        stop_reason="max_iterations_reached", iterations=1, searched_on="2026-01-01", sources=()
    )
    return synthesize(inquiry, store, context, "rules").overview


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (ASKED, InquiryKind.TRIALS),
        ("Are there ongoing trials of metformin in gout?", InquiryKind.TRIALS),
        ("Which randomised controlled trials tested metformin in gout?", InquiryKind.TRIALS),
        ("What do trials of metformin show in gout?", InquiryKind.EFFECT),
        ("Does metformin help in gout, by randomised trials?", InquiryKind.EFFECT),
    ],
)
def test_a_list_of_trials_is_told_from_what_they_found(text: str, kind: InquiryKind) -> None:
    assert inquiry_of(text).kind is kind


def test_each_entry_is_listed_with_its_status_and_size() -> None:
    told = overview(ASKED, entry(1, "COMPLETED"), entry(2, "RECRUITING"))
    assert told == (
        "Registered trials found (status as of the record): NCT99000002, recruiting, "
        "20 participants [1]; NCT99000001, completed, 10 participants [2]."
    )
    assert rating_pattern(["NCT99000001", "NCT99000002"]).fullmatch(told)


def test_those_that_were_stopped_come_first_where_they_are_asked_for() -> None:
    told = overview(STOPPED, entry(1, "RECRUITING"), entry(2, "TERMINATED", why_stopped="Futility"))
    assert told.index("NCT99000002") < told.index("NCT99000001")


def test_the_sentence_of_an_entry_is_the_one_on_the_drug() -> None:
    inquiry = inquiry_of(ASKED)
    checklist = checklist_of(inquiry)
    (fact,) = read_items(inquiry, checklist, {"E1": entry(1, "RECRUITING")})
    (item,) = (i for i in checklist.items if i.aspect is Aspect.REGISTERED)
    assert fact.items == (item.id,)
    assert fact.fact.quote == "This study tests metformin against placebo."


def test_an_entry_on_another_drug_is_not_listed() -> None:
    other = make_evidence(
        "Donepezil in Alzheimer's disease",
        "This study tests donepezil.",
        kind="trial",
        nct_id="NCT99000003",
        interventions=("Donepezil",),
        conditions=("Alzheimer Disease",),
    )
    assert "Registered trials" not in overview(ASKED, other)
