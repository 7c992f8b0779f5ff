"""A model whose server is not there: known at the first refused connection, and told once."""

from __future__ import annotations

from pathlib import Path

from deepcritical.models.providers import model_server
from deepcritical.reasoning.llm import LLMReasoner
from tests.conftest import QUESTION, ended, of_type, run_service
from tests.integration.modelled import many, modelled
from tests.servers.models import Fault, ModelServer


async def test_a_refused_connection_is_tried_and_told_once(tmp_path: Path) -> None:
    # Nobody may listen at the port for "discard" but who is set up to.
    address = "http://127.0.0.1:9/v1"
    server = model_server("openai-chat:made-up", base_url=address, api_key="made-up-key")
    run = run_service(many(tmp_path), LLMReasoner(server)).submit(QUESTION)
    events = await ended(run)
    report = await run.result()
    told = [notice for notice in report.notices if "without the model" in notice]
    assert len(told) == 1
    assert "DEEPCRITICAL_MODEL_BASE_URL" in told[0]
    spent = of_type(events, "judgement_made")[-1].spent
    assert (spent.calls, spent.unanswered) == (0, 1)
    assert report.references
    assert report.written_by.startswith("extractive (no model)")


async def test_a_server_that_answers_and_then_fails_is_asked_again(tmp_path: Path) -> None:
    def fails_for_a_while(server: ModelServer) -> None:
        numbers = iter(range(1_000))
        server.fault = lambda _asked: Fault(status=503) if next(numbers) == 1 else None

    run = await modelled(many(tmp_path, 10), fails_for_a_while)
    assert run.report
    assert not [notice for notice in run.report.notices if "without the model" in notice]
