"""A run of the real team with a made-up model on loopback, and what must hold of every run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.report.claims import claim_holds
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.run.budget import RunLimits
from deepcritical.domain.run.events import TERMINAL, LoggedEvent
from deepcritical.models.providers import model_server
from deepcritical.reasoning.llm import LLMReasoner
from deepcritical.writing.ledger.auditing import audit
from tests.conftest import QUESTION, ended, of_type, paper, run_service, snapshot, trial
from tests.servers.models import ModelServer
from tests.servers.running import running

APIS = {"openai-chat": "v1", "anthropic": ""}
ADDRESSES = {**APIS, "openai": "v1", "huggingface": "v1", "vllm": "v1"}
"""Providers and the paths of their APIs on the server: those that faults are tried on, and all."""

NULL = (
    "Design: Randomised placebo-controlled trial in 300 patients with testitis. "
    "Results: Examplol did not improve testitis symptoms compared with placebo (p = 0.61). "
    "Conclusion: Examplol had no effect on testitis."
)
MECHANISM = (
    "Examplol increased testase in mice. In mice with testitis, testase reduced testitis lesions."
)


class Modelled(NamedTuple):
    """A run that has ended."""

    events: list[LoggedEvent]
    report: ResearchReport | None
    error: BaseException | None
    server: ModelServer

    @property
    def made_by(self) -> dict[str, set[str]]:
        """Return the makers of each judgement."""
        made: dict[str, set[str]] = {}
        for event in of_type(self.events, "judgement_made"):
            made.setdefault(event.judgement, set()).add(event.made_by)
        return made


def records(folder: Path, *more: object) -> Path:
    """A snapshot for, against and on the mechanism, with a trial that failed."""
    stopped = trial(
        3,
        status="Terminated",
        why_stopped="Futility at the interim analysis",
        text="Why stopped: Futility at the interim analysis.",
    )
    lines = (
        paper(1),
        paper(2, text=NULL),
        paper(4, title="Examplol in mice", pub_types=["Journal Article"], text=MECHANISM),
        stopped,
    )
    return snapshot(folder / "made.jsonl", *lines, *more)


def many(folder: Path, number: int = 40) -> Path:
    """A snapshot of as many made-up trials, each of which nobody has read before."""
    return snapshot(folder / "many.jsonl", *(paper(n) for n in range(1, number + 1)))


async def modelled(
    source: Path,
    prepare: Callable[[ModelServer], object] = lambda _: None,
    *,
    api: str = "openai-chat",
    name: str = "made-up",
    question: str = QUESTION,
    timeout_s: float = 5.0,
    profile: Any = "large",
    manages: bool = False,
    **limits: Any,
) -> Modelled:
    """Run the team on a snapshot with a server that was prepared."""
    server = ModelServer()
    prepare(server)
    async with running(server.app) as url:
        resolved = model_server(
            f"{api}:{name}",
            base_url=f"{url}{ADDRESSES[api]}",
            api_key="made-up-key",
            profile=profile,
            timeout_s=timeout_s,
        )
        run = run_service(source, LLMReasoner(resolved, manages=manages), **limits).submit(question)
        async with asyncio.timeout(50):
            events = await ended(run)
        try:
            return Modelled(events, await run.result(), None, server)
        except Exception as error:  # noqa: BLE001 - which one is the question
            return Modelled(events, None, error, server)


def assert_sound(run: Modelled, limits: RunLimits, stored: dict[str, Evidence]) -> None:
    """One terminal event; within the budget; no reference, claim or number that no record has."""
    assert [isinstance(e.event, TERMINAL) for e in run.events].count(True) == 1
    assert isinstance(run.events[-1].event, TERMINAL)
    assert len(run.server.asked) <= limits.max_calls
    assert run.server.tokens <= limits.max_tokens
    if run.report is None:
        assert getattr(run.error, "advice", "")
        return
    assert {r.title for r in run.report.references} <= {e.citation.title for e in stored.values()}
    by_id = {r.evidence_id: _of_title(stored, r.title) for r in run.report.references}
    assert all(claim_holds(claim, by_id) for claim in run.report.claims)
    assert audit(run.report).failed == ()


def _of_title(stored: dict[str, Evidence], title: str) -> Evidence:
    return next(e for e in stored.values() if e.citation.title == title)
