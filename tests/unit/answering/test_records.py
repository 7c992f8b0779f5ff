"""Further questions over made-up records: what bears on them, and for which answer it speaks."""

from __future__ import annotations

from typing import Any

import pytest
from deepcritical.reasoning.asked import read_asked

from deepcritical.answering.records import FollowUp, answer
from deepcritical.domain.appraisal import Stance
from deepcritical.domain.evidence import Evidence
from tests.conftest import make_evidence

TAU = "Does metformin lower tau phosphorylation?"


def record(content: str, title: str = "Metformin in testitis", **meta: Any) -> Evidence:
    return make_evidence(title, content, **meta)


def asked(question: str, *records: Evidence, most: int = 10) -> FollowUp:
    return answer(question, {f"E{n}": r for n, r in enumerate(records, 1)}, most=most)


def stance_of(question: str, content: str, **meta: Any) -> Stance | None:
    (passage,) = asked(question, record(content, **meta)).passages
    return passage.stance


@pytest.mark.parametrize(
    ("question", "content"),
    [
        (TAU, "RESULTS: Metformin improved memory."),
        (TAU, "RESULTS: Metformin increased phosphorylated AKT in the frontal cortex of Tau mice."),
        (TAU, "RESULTS: Placebol reduced tau phosphorylation."),
        (TAU, "BACKGROUND: Tau phosphorylation may be lowered by metformin."),
        (TAU, "We aimed to determine whether metformin lowers tau phosphorylation."),
        (TAU, "RESULTS: Pioglitazone, not metformin, reduced tau phosphorylation."),
        ("Does metformin cause hair loss?", "RESULTS: Weight loss was common with metformin."),
        ("Does metformin reduce mortality?", "RESULTS: Metformin lowered blood glucose."),
        ("What dose of metformin was used?", "METHODS: Metformin against pioglitazone 30 mg."),
        ("What dose was used?", "RESULTS: The concentration of the drug was 95.6 ng/ml."),
        ("Was metformin tolerated?", "METHODS: Safety of metformin was assessed."),
        ("Does metformin activate AMPK?", "Metformin spared AMP-activated protein kinase (AMPK)."),
        ("What happened?", "RESULTS: Metformin improved memory."),
        ("Does zorblaxin lower tau phosphorylation?", "RESULTS: Tau phosphorylation fell."),
    ],
)
def test_what_only_shares_words_with_a_question_is_no_answer(question: str, content: str) -> None:
    found = asked(question, record(content))
    assert (found.bearing, found.passages) == (0, ())


@pytest.mark.parametrize(
    ("question", "content"),
    [
        (TAU, "RESULTS: Metformin reduced phosphorylation of tau in mice."),
        (TAU, "RESULTS: Hyperphosphorylated tau was less abundant with metformin."),
        (TAU, "RESULTS: Dimethylbiguanidine reduced tau phosphorylation."),
        (TAU, "RESULTS: Tau phosphorylation was lower in the treatment group."),
        (TAU, "RESULTS: Metformin lowered p-tau."),
        ("Was Glucophage tolerated?", "RESULTS: Metformin was well tolerated."),
        ("What dose was used?", "METHODS: Examplol 20 mg twice daily."),
        ("What dose of metformin was used?", "METHODS: Metformin 500 mg, then pioglitazone."),
        ("How many patients took metformin?", "METHODS: 80 patients with testitis got metformin."),
        (
            "Did metformin change cerebral blood flow?",
            "RESULTS: Cerebral blood flow was unchanged in patients on metformin.",
        ),
        ("Does metformin improve cognition?", "RESULTS: Cognitive scores rose with metformin."),
        (
            "Does metformin activate AMPK?",
            "Metformin activated AMP-activated protein kinase (AMPK).",
        ),
    ],
)
def test_the_same_thing_in_other_words_is_one(question: str, content: str) -> None:
    found = asked(question, record(content))
    assert found.bearing == 1, read_asked(question)


@pytest.mark.parametrize(
    ("question", "content", "expected"),
    [
        (TAU, "RESULTS: Metformin reduced tau phosphorylation.", Stance.SUPPORTS),
        (TAU, "RESULTS: Metformin did not reduce tau phosphorylation.", Stance.REFUTES),
        (TAU, "RESULTS: Metformin increased memory. Tau phosphorylation did not differ between "
         "metformin and placebo.", Stance.REFUTES),
        (TAU, "RESULTS: Studies of metformin on tau phosphorylation gave conflicting results.",
         Stance.NEUTRAL),
        (TAU, "RESULTS: Metformin reduced tau phosphorylation in the cortex. Metformin did not "
         "reduce tau phosphorylation in the hippocampus.", Stance.NEUTRAL),
        ("Was metformin tolerated?", "HARMS: Metformin was well tolerated.", Stance.SUPPORTS),
        ("Was metformin tolerated?", "HARMS: Metformin was poorly tolerated.", Stance.REFUTES),
        ("Was metformin tolerated?", "HARMS: Adverse events were more frequent with metformin than "
         "with placebo.", Stance.REFUTES),
        ("Was metformin tolerated?", "HARMS: Adverse events were more frequent with placebo than "
         "with metformin.", Stance.SUPPORTS),
        ("Was metformin tolerated?", "HARMS: Metformin was not tolerated by 7% of the patients.",
         Stance.NEUTRAL),
        ("Does metformin cause adverse events?", "HARMS: Adverse events were more frequent with "
         "metformin than with placebo.", Stance.SUPPORTS),
        ("Does metformin reduce mortality?", "RESULTS: Metformin reduced the composite of "
         "hospitalization or death.", Stance.NEUTRAL),
        ("Does metformin improve memory in mild cognitive impairment?", "RESULTS: In mild "
         "cognitive impairment metformin significantly improved memory compared with placebo.",
         Stance.SUPPORTS),
        ("Does metformin delay cognitive decline?", "RESULTS: Metformin did not slow cognitive "
         "decline.", Stance.REFUTES),
    ],
)  # fmt: skip
def test_a_stance_rests_on_what_bears_on_the_question(
    question: str, content: str, expected: Stance
) -> None:
    (passage,) = asked(question, record(content)).passages
    assert passage.stance is expected, passage
    assert sum(quote.decides for quote in passage.quotes) == (expected is not Stance.NEUTRAL)


def test_that_another_drug_does_better_does_not_say_what_this_one_does() -> None:
    question = "Does metformin reduce the risk of dementia?"
    lower = "RESULTS: Dementia risk was lower with pioglitazone than with metformin."
    assert asked(question, record(lower)).bearing == 0


def test_a_question_that_is_none_of_yes_or_no_has_no_stance() -> None:
    assert stance_of("What dose of metformin was used?", "METHODS: Metformin 500 mg.") is None


@pytest.mark.parametrize(
    ("meta", "caution"),
    [
        ({"publication_types": ("Retracted Publication",)}, "retracted"),
        ({"publication_types": ("Retraction of Publication",)}, "notice about another record"),
        ({"integrity": "concern"}, "expression of concern"),
    ],
    ids=str,
)
def test_what_is_retracted_or_doubted_is_shown_and_supports_nothing(
    meta: dict[str, Any], caution: str
) -> None:
    found = asked(TAU, record("RESULTS: Metformin reduced tau phosphorylation.", **meta))
    (passage,) = found.passages
    assert (passage.caution, passage.stance) == (caution, Stance.NEUTRAL)
    assert passage.quotes
    assert found.counts.supporting == 0
    assert found.counts.studies == (caution == "expression of concern")


def test_counts_are_of_studies_not_of_records() -> None:
    said = "RESULTS: Metformin reduced tau phosphorylation."
    linked = {"linked_ids": ("nct:NCT99000001",)}
    found = asked(
        TAU,
        record(said, "Metformin and tau, first", pmid="99000001", **linked),
        record(said, "Metformin and tau, second", pmid="99000002", **linked),
        record(said.replace("reduced", "did not reduce"), "Metformin and tau, third"),
    )
    counts = found.counts
    assert (found.bearing, counts.studies) == (3, 2)
    assert (counts.supporting, counts.refuting, counts.neutral) == (1, 1, 0)


def test_the_one_that_refutes_is_shown_although_many_support() -> None:
    supporting = [
        record(
            f"RESULTS: Metformin reduced tau phosphorylation by {n}%.", f"Made-up tau study {n}"
        ).model_copy(update={"relevance_score": 1.0})
        for n in range(10, 22)
    ]
    refuting = record("RESULTS: Metformin did not reduce tau phosphorylation.", "Made-up null")
    found = asked(TAU, *supporting, refuting, most=3)
    assert len(found.passages) == 3
    assert found.bearing == 13
    assert Stance.REFUTES in {passage.stance for passage in found.passages}


def test_a_trial_that_was_stopped_for_futility_refutes() -> None:
    stopped = record(
        "Why stopped: futility at the interim analysis",
        "Metformin for Alzheimer's disease, a made-up registry entry",
        kind="trial",
        nct_id="NCT99000001",
        status="TERMINATED",
        why_stopped="futility at the interim analysis",
        stop_class="efficacy",
        conditions=("Alzheimer's disease",),
        interventions=("Metformin",),
        text_kind="registry",
    )
    (passage,) = asked("Is metformin effective in Alzheimer's disease?", stopped).passages
    assert passage.stance is Stance.REFUTES


def test_a_plan_is_no_finding() -> None:
    plan = record(
        "This study tests metformin, which lowers tau phosphorylation in treated people.",
        kind="trial",
        nct_id="NCT99000001",
        text_kind="registry",
    )
    assert asked(TAU, plan).bearing == 0


def test_nothing_is_made_of_nothing() -> None:
    found = asked(TAU)
    assert (found.searched, found.bearing, found.passages) == (0, 0, ())
    assert asked(TAU, record("")).bearing == 0
