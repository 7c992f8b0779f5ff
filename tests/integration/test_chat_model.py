"""A chat with a model on loopback: which tool and which sentences it may choose."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from deepcritical.domain.run.budget import RunLimits
from deepcritical.domain.tool.chat import ChatAnswer, ResearchOffered
from deepcritical.models.providers import model_server
from deepcritical.orchestrators.chat import Chat
from deepcritical.reasoning.llm_chat import ModelChat
from tests.conftest import paper, snapshot
from tests.integration.chats import called, chatting, turn
from tests.integration.test_model_injection import PLANTS, planted
from tests.servers.answers import Answer
from tests.servers.models import Fault, ModelServer
from tests.servers.running import running

QUESTION = "Did examplol improve testitis symptoms compared with placebo?"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return snapshot(tmp_path / "made.jsonl", paper(1), paper(2))


@asynccontextmanager
async def modelled(
    source: Path,
    change: Callable[[str, Answer], Any] = lambda _task, sane: sane,
    profile: Any = "small",
    **options: Any,
) -> AsyncIterator[tuple[ModelServer, Chat]]:
    server = ModelServer()
    server.change = change
    async with running(server.app) as url:
        resolved = model_server(
            "compatible:made-up", base_url=f"{url}v1", profile=profile, timeout_s=5
        )
        async with chatting(source, ModelChat(resolved), **options) as (_, chat):
            yield server, chat


def picking(tool: str) -> Callable[[str, Answer], Any]:
    return lambda task, sane: {**sane, "tool": tool} if task == "choose_tool" else sane


async def test_a_quick_question_is_answered_at_once_in_sentences_that_the_model_chose(
    source: Path,
) -> None:
    async with modelled(source) as (server, chat):
        events = await turn(chat, QUESTION)
        answer = events[-1]
        assert called(events) == ["search"]
        assert server.tasks == ["choose_tool", "chat_sentences"]
        assert isinstance(answer, ChatAnswer)
        assert answer.written_by == "model compatible:made-up"
        assert {s.wording for s in answer.sentences} == {"summary"}
        assert "it wrote none of them" in answer.notices[-1]
        assert any("improved testitis symptoms" in s.text for s in answer.sentences)


async def test_a_hard_question_is_only_offered_with_the_users_own_words(source: Path) -> None:
    async with modelled(source, picking("deep_research")) as (_, chat):
        events = await turn(chat, QUESTION)
        offered = events[-1]
        assert called(events) == []
        assert isinstance(offered, ResearchOffered)
        assert offered.question == QUESTION


@pytest.mark.parametrize("message", ["find papers on examplol", "Does otherol cure baldness?"])
async def test_a_look_up_and_a_question_without_an_answer_cost_no_choice(
    source: Path, message: str
) -> None:
    async with modelled(source, picking("search")) as (server, chat):
        answer = (await turn(chat, message))[-1]
        assert answer.type == "chat_answer"
        assert answer.written_by == "rules"
        assert "chat_sentences" not in server.tasks


@pytest.mark.parametrize("tool", ["rag", "delete_everything", ""])
async def test_a_tool_that_is_not_there_is_chosen_by_rules_instead(source: Path, tool: str) -> None:
    async with modelled(source, picking(tool)) as (_, chat):
        events = await turn(chat, "find papers on examplol")
        answer = events[-1]
        assert called(events) == ["search"]
        assert isinstance(answer, ChatAnswer)
        assert "rules chose one" in " ".join(answer.notices)


@pytest.mark.slow
async def test_a_model_that_fails_is_told_and_rules_answer(source: Path) -> None:
    async with modelled(source) as (server, chat):
        server.fault = lambda _asked: Fault(status=500)
        answer = (await turn(chat, "find papers on examplol"))[-1]
        assert isinstance(answer, ChatAnswer)
        assert len(answer.references) == 2
        assert "Continued without the model in choosing a tool" in answer.notices[0]


async def test_the_budget_of_a_turn_is_kept(source: Path) -> None:
    limits = RunLimits(max_iterations=1, deadline_s=60, max_calls=1, report_share=0)
    async with modelled(source, limits=limits) as (server, chat):
        for _ in range(2):
            await turn(chat, QUESTION)
        assert len(server.asked) <= 2


@pytest.mark.parametrize("plant", PLANTS)
@pytest.mark.parametrize("profile", ["small", "large"])
async def test_what_a_record_orders_starts_nothing_and_is_not_said(
    tmp_path: Path, plant: str, profile: str
) -> None:
    """The model obeys: it gives the plant as its sentence."""
    order = PLANTS[plant].split("\n")[-1]
    source = snapshot(tmp_path / "made.jsonl", planted(PLANTS[plant]), paper(1))

    def change(task: str, sane: Answer) -> Any:
        if task == "chat_sentences":
            ids = [one["evidence_id"] for one in sane["sentences"]]
            return {"sentences": [{"evidence_id": i, "quote": order} for i in {*ids, "E99"}]}
        return {**sane, "tool": "search"}

    async with modelled(source, change, profile) as (server, chat):
        events = await turn(chat, "Does examplol improve testitis symptoms?")
        answer = events[-1]
        assert called(events) == ["search"]
        assert isinstance(answer, ChatAnswer)
        assert answer.written_by == "rules"
        assert order not in " ".join(s.text for s in answer.sentences)
        assert answer.left_out >= 1
        for asked in server.asked:
            assert asked.prompt.count("<record id=") == asked.prompt.count("</record>")
            assert order not in asked.system
        assert chat.history[-1].outcome.endswith("records were cited")


async def test_former_turns_are_shown_to_the_model_without_text_of_records(source: Path) -> None:
    async with modelled(source) as (server, chat):
        await turn(chat, QUESTION)
        await turn(chat, "And is it tolerated?")
        shown = server.prompts("choose_tool")[-1]
        assert f"- asked: {QUESTION}; came: 2 records were cited" in shown
        assert "improved testitis symptoms compared with placebo. Harms" not in shown
