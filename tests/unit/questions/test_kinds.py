"""The kind of a question, in wordings that are easily taken for another one."""

from __future__ import annotations

import pytest

from deepcritical.domain.question.frame import QuestionKind
from deepcritical.questions.reading import read_frame


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Does metformin lower the risk of stroke?", QuestionKind.EFFICACY),
        ("Does metformin raise the risk of stroke?", QuestionKind.SAFETY),
        ("What does allopurinol do to the incidence of stroke in gout?", QuestionKind.EFFICACY),
        ("Do statins prevent dementia?", QuestionKind.CLASS),
        ("Do statins cause dementia?", QuestionKind.SAFETY),
        ("Does sunlight protect against liver cancer?", QuestionKind.OPEN),
        ("Does sauna lower blood pressure?", QuestionKind.OPEN),
        ("What does NRF2 do?", QuestionKind.OPEN),
        ("What causes sarcoidosis?", QuestionKind.OPEN),
        ("Which drugs could be repurposed for sarcoidosis?", QuestionKind.CANDIDATES),
        ("What else is there besides prednisone for sarcoidosis?", QuestionKind.CANDIDATES),
        ("Is infliximab approved for sarcoidosis?", QuestionKind.STATUS),
        ("Do guidelines recommend infliximab for sarcoidosis?", QuestionKind.STATUS),
        ("Who with sarcoidosis benefits from infliximab?", QuestionKind.POPULATION),
        ("How long should infliximab be given in sarcoidosis?", QuestionKind.DOSE),
        ("How does infliximab act in sarcoidosis?", QuestionKind.MECHANISM),
        ("infliximab plus methotrexate for sarcoidosis", QuestionKind.COMBINATION),
        ("Is it dangerous to mix warfarin with ibuprofen?", QuestionKind.SAFETY),
        ("What is the half-life of infliximab?", QuestionKind.LOOK_UP),
    ],
)
def test_the_kind_of_a_question(text: str, kind: QuestionKind) -> None:
    assert read_frame(text).kind is kind


@pytest.mark.parametrize(
    "text",
    [
        "I have sarcoidosis and nothing helped so far. Does infliximab work?",
        "My mum takes amiodarone and coughs a lot. Is lung damage a known side effect?",
        "How lethal is an overdose of paracetamol, according to registries?",
        "Does lithium lower the risk of suicide?",
    ],
)
def test_a_story_or_a_grave_word_is_no_reason_to_decline(text: str) -> None:
    assert read_frame(text).answerable


def test_the_drug_that_is_not_wanted_is_no_candidate() -> None:
    assert read_frame("What else is there besides prednisone for sarcoidosis?").drugs == ()
