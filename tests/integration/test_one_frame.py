"""One frame for a question, whichever answer is wanted: the one that rules read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deepcritical.domain.question.frame import QuestionFrame
from deepcritical.questions.forms import wants_verdict
from deepcritical.questions.reading import literal_frame
from deepcritical.reasoning.base import ExtractiveReasoner
from deepcritical.research.understanding import frame_of
from deepcritical.services.tasks import calculated

DEV = Path(__file__).parents[2] / "benchmarks" / "questions_data" / "dev" / "intents.jsonl"


def asked() -> list[str]:
    """Questions, two wordings of each intent, that a report and an answer can be given to."""
    intents = [json.loads(line) for line in DEV.read_text(encoding="utf-8").splitlines()]
    texts = [
        intent["wordings"][(number + more) % len(intent["wordings"])]["text"]
        for number, intent in enumerate(intents)
        for more in range(2)
    ]
    return [text for text in texts if wants_verdict(literal_frame(text))]


@pytest.mark.slow
async def test_a_report_and_an_answer_rest_on_the_same_frame() -> None:
    reasoner = ExtractiveReasoner()
    texts = (await calculated(asked))[:50]
    assert len(texts) == 50
    for text in texts:
        frame: QuestionFrame = await frame_of(text)
        question = await reasoner.refine_question(frame)
        inquiry = await reasoner.refine_inquiry(frame)
        assert question.frame == inquiry.frame == frame
        assert question.drug is None or question.drug.name in {
            name.casefold() for drug in inquiry.drugs for name in drug.names
        } | {name for drug in frame.drugs for name in (drug.name, *drug.names)}
