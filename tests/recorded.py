"""A whole run over the demo whose model's answers were recorded, and how to record them again.

    python -m tests.recorded BASE_URL

Answers are known by the data of a request: its task, the question, and what stands between tags.
So the words around them may be improved without a new recording; other data need one.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from benchmarks.recorded_model import PATIENCE_S, RecordedModel
from deepcritical.bootstrap.application import build_runs
from deepcritical.domain.report.report import ResearchReport
from deepcritical.reading import library
from deepcritical.settings import Settings
from tests.conftest import DEMO_QUESTION
from tests.servers.running import running

ANSWERS = Path(__file__).with_name("data") / "recordings" / "demo.jsonl.gz"
_TASK = re.compile(r"^Task: (\w+)", re.MULTILINE)
_QUESTION = re.compile(r"^Question: .*", re.MULTILINE)
_TAGGED = re.compile(r"<(record|finding|graph|sentence|quote)\b.*?</\1>", re.DOTALL)
_REFUSED = re.compile(r"^\d+\. .* Refused, because", re.MULTILINE)


def data_key(body: Mapping[str, Any]) -> str:
    """The hash of what a request shows, in whatever words it asks."""
    text = "\n".join(str(m["content"]) for m in body["messages"] if m["role"] == "user")
    shown = [found[0] for form in (_TASK, _QUESTION, _TAGGED) for found in form.finditer(text)]
    told = "\n".join((*shown, *(["again"] if _REFUSED.search(text) else ())))
    return hashlib.sha256(told.encode()).hexdigest()[:20]


async def demo_run(model: RecordedModel) -> ResearchReport:
    """Answer the demo question with a model that also reads the studies, without vectors."""
    async with running(model.app) as url:
        given = {
            "DATABASE_URL": "",
            "model": "compatible:recorded",
            "model_base_url": f"{url}v1",
            "model_timeout_s": PATIENCE_S,
            "deadline_s": 86_400.0,
            "source_deadline_s": PATIENCE_S,
            "embedding_model": "",
        }
        runs = build_runs(Settings.model_validate(given), snapshot="demo")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(library, "_lines", dict)  # what is read once would not be asked
            try:
                return await runs.submit(DEMO_QUESTION).result()
            finally:
                await runs.close()


async def _record(base_url: str) -> None:
    model = RecordedModel(ANSWERS, base_url, key_of=data_key)
    complete = False
    try:
        report = await demo_run(model)
        complete = True
    finally:
        ANSWERS.parent.mkdir(exist_ok=True)
        model.save(used_alone=complete)
    told = f"{report.verdict.label}: {model.calls} answers, {model.tokens:,} tokens"
    sys.stdout.write(f"{told}\n")


if __name__ == "__main__":
    asyncio.run(_record(sys.argv[1]))
