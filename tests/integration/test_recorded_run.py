"""The demo question, answered once by careful readers, and from then on replayed over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks.recorded_model import RecordedModel
from deepcritical.domain.appraisal.verdict import VerdictLabel
from deepcritical.domain.evidence.certainty import Certainty
from deepcritical.domain.report.brief import Brief
from deepcritical.writing.ledger.auditing import audit
from tests.recorded import ANSWERS, data_key, demo_run


@pytest.mark.slow
def test_the_demo_question_is_answered_from_its_recording() -> None:
    """Question, studies, judgement, text and checks; no request is new, and all sentences hold."""
    model = RecordedModel(ANSWERS, key_of=data_key)
    report = asyncio.run(demo_run(model))
    assert model.refused == 0
    assert report.brief is not None
    written = [one for one in report.brief.synthesis if one.origin == "model"]
    assert len(written) > len(report.brief.synthesis) / 2
    assert all(one.evidence_ids and one.checks for one in written)
    assert report.verdict.label is VerdictLabel.MIXED
    assert report.verdict.deciding_ids
    assert audit(report).failed == ()
    assert report.brief.told
    for update in forged_tables(report.brief):
        brief = report.brief.model_copy(update=update)
        assert audit(report.model_copy(update={"brief": brief})).failed, update


def forged_tables(brief: Brief) -> Iterator[dict[str, Any]]:
    """Briefs whose table is not that of the run."""
    first, *others = brief.told
    uncited = first.said.model_copy(update={"evidence_ids": ()})
    surer = {"certainty": Certainty.HIGH, "rated_as": first.rated_as or ("cognition", "")}
    for row in ({"said": uncited}, surer):
        yield {"told": (first.model_copy(update=row), *others)}
    yield {"told": (first, first, *others)}
    yield {"synthesis": (*brief.synthesis, first.said)}
    yield {"covered": ()}


def _asked(words: str, shown: str) -> dict[str, Any]:
    text = f"Task: read_studies\n\n{words}\n\n<record id='R1'>{shown}</record>"
    return {"messages": [{"role": "system", "content": words}, {"role": "user", "content": text}]}


def test_an_answer_outlives_the_words_around_the_data_and_not_the_data() -> None:
    key = data_key(_asked("Read it.", "Pain fell."))
    assert data_key(_asked("Read each record with care.", "Pain fell.")) == key
    assert data_key(_asked("Read it.", "Pain rose.")) != key
