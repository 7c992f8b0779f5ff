"""The demo question, answered by careful readers once and replayed over HTTP from then on."""

from __future__ import annotations

from typing import Any

from benchmarks.recorded_model import RecordedModel
from tests.recorded import ANSWERS, data_key, demo_run


async def test_the_demo_question_is_answered_from_its_recording() -> None:
    """Question, studies, judgement, text and checks; whatever changes in words around the data."""
    model = RecordedModel(ANSWERS, key_of=data_key)
    report = await demo_run(model)
    assert model.refused == 0
    assert model.calls >= 8
    read = {row.reader for row in report.evidence_table}
    assert read
    by_model = [s for s in report.brief.synthesis if s.origin == "model"]
    assert by_model


def _asked(words: str, shown: str) -> dict[str, Any]:
    text = f"Task: read_studies\n\n{words}\n\n<record id='R1'>{shown}</record>"
    return {"messages": [{"role": "system", "content": words}, {"role": "user", "content": text}]}


def test_an_answer_outlives_the_words_around_the_data_and_not_the_data() -> None:
    key = data_key(_asked("Read it.", "Pain fell."))
    assert data_key(_asked("Read each record with care.", "Pain fell.")) == key
    assert data_key(_asked("Read it.", "Pain rose.")) != key
