"""The stance of made-up records towards made-up hypotheses of every kind."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deepcritical
from deepcritical.domain.appraisal import Stance
from deepcritical.domain.hypotheses import MechanismHypothesis
from deepcritical.questions.forms import research_question
from deepcritical.questions.reading import literal_frame
from deepcritical.reasoning.hypothesis_stance import StanceResult, stance
from deepcritical.reasoning.propositions import PropositionKind, proposition
from tests.unit.domain.records import paper, trial

UNHURRIED = settings(deadline=None)
"""The first example waits until the dictionaries of drugs and conditions are read."""
FOR, AGAINST, OPEN = Stance.SUPPORTS, Stance.REFUTES, Stance.NEUTRAL


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Can the biopsy be omitted in testitis?", PropositionKind.OMISSION),
        ("Is examplol as effective as sampline?", PropositionKind.SAMENESS),
        ("Is a biopsy necessary in testitis?", PropositionKind.NEED),
        ("Should testitis be treated with the same dose?", PropositionKind.NEED),
        ("Is age a contraindication to examplol?", PropositionKind.DETRIMENT),
        ("Does examplol reduce pain?", PropositionKind.LOWERING),
        ("Does examplol increase survival?", PropositionKind.RAISING),
        ("Is examplol useful in testitis?", PropositionKind.MERIT),
        ("Is testase associated with testitis?", PropositionKind.RELATION),
        ("Testitis in infants: is it a single disease?", PropositionKind.STATE),
        ("Useful tests in testitis: does examplol affect pain?", PropositionKind.RELATION),
    ],
)
def test_a_question_asserts_something_of_a_kind(question: str, kind: PropositionKind) -> None:
    assert proposition(question).kind is kind


@pytest.mark.parametrize(
    ("question", "conclusion", "expected"),
    [
        ("Is testase associated with testitis?", "Testase is associated with testitis.", FOR),
        ("Is testase associated with testitis?", "Testase was unrelated to testitis.", AGAINST),
        (
            "Is testase associated with testitis?",
            "Testase was associated with poor survival in testitis.",
            FOR,
        ),
        (
            "Does testase predict testitis?",
            "Not only testase but also age predicts testitis.",
            FOR,
        ),
        ("Does testase predict testitis?", "Testase is a poor predictor of testitis.", AGAINST),
        ("Is the testoscope reliable?", "The testoscope is reliable and safe.", FOR),
        ("Is the testoscope reliable?", "The testoscope cannot be relied upon.", AGAINST),
        ("Is the testoscope safe?", "Testoscopy is feasible and well tolerated.", FOR),
        (
            "Is a biopsy necessary in testitis?",
            "A biopsy is mandatory in every testitis.",
            FOR,
        ),
        ("Is a biopsy necessary in testitis?", "A biopsy may be unnecessary in testitis.", AGAINST),
        (
            "Should children with testitis have surgery?",
            "Surgery should not be denied to children with testitis.",
            FOR,
        ),
        (
            "Can biopsy be omitted in testitis?",
            "Without biopsy the outcome of testitis was the same.",
            FOR,
        ),
        (
            "Are infants and adults with testitis the same?",
            "Infants with testitis died more often than adults.",
            AGAINST,
        ),
        (
            "Are infants and adults with testitis the same?",
            "Infants and adults with testitis had similar outcomes.",
            FOR,
        ),
        (
            "Is age a contraindication to testectomy?",
            "Age should not preclude testectomy.",
            AGAINST,
        ),
        (
            "Does testectomy lead to pain?",
            "There was no increase in pain after testectomy.",
            AGAINST,
        ),
        (
            "Do doctors know the cost of testectomy?",
            "Doctors have little awareness of the cost of testectomy.",
            AGAINST,
        ),
        (
            "Is testectomy useful in testitis?",
            "Although testitis is rarely diagnosed early, testectomy was useful.",
            FOR,
        ),
        (
            "Is testectomy useful in testitis?",
            "Testectomy was useful in men with testitis, but not useful in infants with testitis.",
            OPEN,
        ),
        (
            "Is testectomy useful in testitis?",
            "Testectomy was useful in some patients with testitis. It was useless in most.",
            OPEN,
        ),
    ],
)
def test_a_conclusion_answers_its_question(
    question: str, conclusion: str, expected: Stance
) -> None:
    text = f"BACKGROUND: It is unknown. RESULTS: We saw 90 patients. CONCLUSION: {conclusion}"
    found = stance(paper("Testitis", text), question)
    assert found.stance is expected, found
    assert found.quote in conclusion


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        ("Pain was related to testase (p = 0.01).", FOR),
        ("Pain differed by testase, 5 versus 9 points (p < 0.001).", FOR),
        ("Pain differed little by testase (p = 0.4).", AGAINST),
        ("Testase and pain: odds ratio 1.1 (95% CI 0.7 to 1.6).", AGAINST),
    ],
)
def test_without_a_conclusion_the_results_answer(results: str, expected: Stance) -> None:
    text = f"METHODS: Testase does not matter here. RESULTS: {results}"
    assert stance(paper("Pain", text), "Does testase affect pain?").stance is expected


def test_aims_and_methods_answer_nothing() -> None:
    text = "OBJECTIVE: Testase is not associated with testitis. METHODS: It was not measured."
    assert stance(paper("A", text), "Is testase associated with testitis?").stance is OPEN


def test_a_text_without_labels_is_answered_by_its_end() -> None:
    begun = "Testase matters in testitis. " + "We measured it in a patient. " * 6
    found = stance(
        paper("A", f"{begun}In conclusion, testase was not associated with testitis."),
        "Is testase associated with testitis?",
    )
    assert (found.stance, found.cue) == (AGAINST, "was not associated")


def test_a_record_on_something_else_is_neutral() -> None:
    found = stance(
        paper("Sampline in exampliasis", "CONCLUSION: Sampline is effective in exampliasis."),
        "Is the testoscope reliable in testitis?",
    )
    assert (found.stance, found.rule) == (OPEN, "the record does not speak of what is asked")


CAUSES = "CONCLUSION: Testase causes testitis."


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(
            paper("RETRACTED: Testase", "CONCLUSION: Testase causes testitis."), id="title"
        ),
        pytest.param(
            paper(
                "A",
                "CONCLUSION: Testase causes testitis.",
                publication_types=("Published Erratum",),
            ),
            id="notice",
        ),
    ],
)
def test_what_is_retracted_or_a_notice_supports_nothing(record: Any) -> None:
    assert stance(record, "Does testase cause testitis?").stance is OPEN


@pytest.mark.parametrize("empty", ["", "?", "123"])
def test_a_hypothesis_has_words(empty: str) -> None:
    with pytest.raises(ValueError, match="words"):
        stance(paper(), empty)


ASPIRIN = "Can aspirin be repurposed for Alzheimer's disease?"
HELPED = (
    "RESULTS: Aspirin significantly improved memory in Alzheimer's disease compared with placebo. "
    "CONCLUSION: Aspirin improved memory in patients with Alzheimer's disease."
)


@pytest.mark.parametrize(
    "hypothesis",
    [
        pytest.param(ASPIRIN, id="text"),
        pytest.param(research_question(literal_frame(ASPIRIN)), id="question"),
        pytest.param(
            MechanismHypothesis(
                drug="aspirin",
                target="testase",
                effect="testose",
                condition="Alzheimer's disease",
                confidence=0.1,
            ),
            id="mechanism",
        ),
    ],
)
def test_a_drug_for_a_condition_is_read_as_in_a_run(hypothesis: Any) -> None:
    found = stance(paper("Aspirin in Alzheimer's disease", HELPED), hypothesis)
    assert (found.stance, found.rule) == (FOR, "findings of benefit")


LINE = "Posted result: Pain severity (12 weeks): Examplol (n = 20) {}; Placebo (n = 20) {}; {}."


@pytest.mark.parametrize(
    ("fields", "content", "expected"),
    [
        pytest.param({"status": "COMPLETED"}, "", OPEN, id="completed: no result"),
        pytest.param(
            {"status": "TERMINATED", "why_stopped": "Lack of efficacy"},
            "Why stopped: Lack of efficacy",
            AGAINST,
            id="futility",
        ),
        pytest.param(
            {"status": "TERMINATED", "why_stopped": "Slow accrual"},
            "Why stopped: Slow accrual",
            OPEN,
            id="enrolment",
        ),
        pytest.param(
            {}, LINE.format(2, 3, "Examplol vs Placebo, p = 0.4"), AGAINST, id="not significant"
        ),
        pytest.param({}, LINE.format(2, 3, "Examplol vs Placebo, p = 0.01"), FOR, id="less pain"),
        pytest.param(
            {}, LINE.format(3, 2, "Examplol vs Placebo, p = 0.01"), AGAINST, id="more pain"
        ),
        pytest.param(
            {},
            LINE.format(2, 3, "p = 0.4, tested for non-inferiority or equivalence"),
            OPEN,
            id="equivalence",
        ),
        pytest.param(
            {},
            "\n\n".join(
                (
                    LINE.format(2, 3, "p = 0.01"),
                    LINE.format(2, 3, "p = 0.4").replace("Pain", "Ache"),
                )
            ),
            OPEN,
            id="outcomes disagree",
        ),
    ],
)
def test_a_registry_entry_speaks_by_stop_and_results(
    fields: dict[str, Any], content: str, expected: Stance
) -> None:
    record = trial(content=content, interventions=("Examplol",), conditions=("Testitis",), **fields)
    found = stance(record, "Does examplol help in testitis?")
    assert found.stance is expected, found
    assert content[found.start : found.end] == found.quote


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Does examplol reduce pain compared with placebo?", FOR),
        ("Examplol increases pain versus placebo", AGAINST),
        ("Examplol has no effect on pain compared with placebo", AGAINST),
        ("Does placebo reduce pain compared with examplol?", AGAINST),
    ],
)
def test_a_claim_on_two_arms_is_held_against_the_direction(claim: str, expected: Stance) -> None:
    text = "RESULTS: Pain was significantly lower with examplol than with placebo (p = 0.01)."
    assert stance(paper("Examplol", text), claim).stance is expected


WORDS = st.lists(
    st.sampled_from(
        "Testase was not associated with testitis . CONCLUSION: RESULTS: (p = 0.2) however , may "
        "be useful in some patients more studies are needed no pain fell to 5 % and".split()
    ),
    max_size=30,
).map(" ".join)
QUESTIONS = st.sampled_from(
    ["Is testase associated with testitis?", "Should pain be treated?", "Does x reduce pain?"]
)


@UNHURRIED
@given(st.one_of(WORDS, st.text(max_size=80)), QUESTIONS)
def test_every_quote_is_where_it_says(text: str, question: str) -> None:
    found: StanceResult = deepcritical.stance(paper("A", text), question)
    assert text[found.start : found.end] == found.quote
    assert found.rule


@UNHURRIED
@given(WORDS, QUESTIONS)
def test_a_retracted_record_never_supports_nor_refutes(text: str, question: str) -> None:
    record = paper("A", text, publication_types=("Retracted Publication",))
    assert stance(record, question).stance is OPEN
