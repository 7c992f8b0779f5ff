"""A free question put to the real loop, and what must hold of every answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.report.answer import DeepAnswer
from deepcritical.domain.report.claims import claim_holds
from deepcritical.domain.run.events import TERMINAL, LoggedEvent
from deepcritical.jobs.runs import RunService
from deepcritical.models.providers import model_server
from deepcritical.reasoning.llm import LLMReasoner
from deepcritical.tools.snapshot import parse
from deepcritical.writing.ledger.auditing import audit
from tests.conftest import ended, paper, snapshot, trial
from tests.servers.models import ModelServer
from tests.servers.running import running

QUESTION = "Does examplol improve testitis?"
NULL = (
    "Design: Randomised placebo-controlled trial in 300 patients with testitis. "
    "Results: Examplol did not improve testitis compared with placebo (p = 0.61)."
)


def records(folder: Path, *more: object) -> Path:
    lines = (
        paper(1),
        paper(2, text=NULL),
        paper(3, pub_types=["Retracted Publication"]),
        trial(1, status="Terminated", why_stopped="Futility", text="Why stopped: Futility."),
    )
    return snapshot(folder / "made.jsonl", *lines, *more)


async def answered(
    runs: RunService, question: str = QUESTION, **options: Any
) -> tuple[list[LoggedEvent], DeepAnswer]:
    run = runs.ask(question, **options)
    async with asyncio.timeout(50):
        events = await ended(run)
    assert [isinstance(e.event, TERMINAL) for e in events].count(True) == 1
    return events, await run.result()


def assert_sound(answer: DeepAnswer, stored: dict[str, Evidence]) -> None:
    """No reference, claim or cited sentence that no record bears out."""
    assert {r.title for r in answer.references} <= {e.citation.title for e in stored.values()}
    by_title = {e.citation.title: e for e in stored.values()}
    by_id = {r.evidence_id: by_title[r.title] for r in answer.references}
    assert all(claim_holds(claim, by_id) for claim in answer.claims)
    assert audit(answer).failed == ()


def held(path: Path) -> dict[str, Evidence]:
    found = parse(path.read_bytes(), "made").records
    return {f"S{n}": record for n, record in enumerate(found)}


class Modelled(NamedTuple):
    """A reasoner with a made-up model, and the server that it asks."""

    reasoner: LLMReasoner
    server: ModelServer


@asynccontextmanager
async def made_up_model(name: str = "made-up") -> AsyncIterator[Modelled]:
    server = ModelServer()
    async with running(server.app) as url:
        resolved = model_server(f"openai-chat:{name}", base_url=f"{url}v1", api_key="made-up")
        yield Modelled(LLMReasoner(resolved), server)
