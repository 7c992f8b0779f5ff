"""A chat by rules over the real tools: look-ups, offers, and a finished run that is asked."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from deepcritical.domain.run.budget import RunLimits
from deepcritical.domain.tool.chat import (
    ChatAnswer,
    ResearchEnded,
    ResearchOffered,
    ToolCalled,
    TurnFailed,
)
from tests.conftest import paper, snapshot, trial
from tests.integration.chats import called, chatting, checked, tools, turn

QUESTION = "Does examplol improve testitis symptoms?"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return snapshot(tmp_path / "made.jsonl", paper(1), paper(2), trial(1))


async def test_a_look_up_is_answered_at_once_from_search(source: Path) -> None:
    async with chatting(source) as (runs, chat):
        events = await turn(chat, "latest trials of examplol in testitis")
        answer = events[-1]
        assert called(events) == ["search"]
        assert isinstance(answer, ChatAnswer)
        assert {r.short_name for r in answer.references} >= {"NCT99000001"}
        assert await runs.runs_of() == ()


async def test_an_id_finds_its_record_and_no_other(source: Path) -> None:
    async with chatting(source) as (_, chat):
        answer = (await turn(chat, "PMID 99000002"))[-1]
        assert isinstance(answer, ChatAnswer)
        (reference,) = answer.references
        assert "pmid:99000002" in reference.ids
        assert answer.sentences
        missing = (await turn(chat, "PMID 99000009"))[-1]
        assert isinstance(missing, ChatAnswer)
        assert (missing.in_evidence, missing.references) == (False, ())


async def test_of_a_looked_up_record_the_main_result_is_shown(tmp_path: Path) -> None:
    results = "Examplol improved pain. Mood did not differ. Sleep did not differ."
    harms = "Examplol was tolerated. Four patients left. Two had a rash."
    text = f"Design: A trial. Results: {results} Harms: {harms} Conclusion: A trial is warranted."
    made = snapshot(tmp_path / "made.jsonl", paper(1, text=text))
    async with chatting(made) as (_, chat):
        answer = (await turn(chat, "PMID 99000001"))[-1]
    assert isinstance(answer, ChatAnswer)
    assert [sentence.text.split(":")[-1].strip() for sentence in answer.sentences] == [
        "Examplol improved pain.",
        "Mood did not differ.",
        "Examplol was tolerated.",
        "A trial is warranted.",
    ]


async def test_a_question_is_offered_research_which_starts_on_yes_alone(source: Path) -> None:
    async with chatting(source) as (_, chat):
        offered = (await turn(chat, QUESTION))[-1]
        assert isinstance(offered, ResearchOffered)
        assert (offered.tool, offered.question) == ("research_report", QUESTION)
        events = await turn(chat, "Yes, please")
        assert called(events) == ["research_report"]
        done = events[-1]
        assert isinstance(done, ResearchEnded)
        assert chat.run_id == done.run_id
        assert "examplol" in done.text.lower()
        stages = {e.progress.stage for e in events if e.type == "tool_told"}
        assert stages >= {"queued", "search", "report", "done"}


@pytest.mark.parametrize("between", ["no", "PMID 99000001"])
async def test_an_offer_lapses_with_any_other_message(source: Path, between: str) -> None:
    async with chatting(source) as (_, chat):
        offered = (await turn(chat, QUESTION))[-1]
        assert isinstance(offered, ResearchOffered)
        await turn(chat, between)
        assert called(await turn(chat, "yes")) == []
        late = checked([event async for event in chat.accept(offered.offer_id)])
        assert isinstance(late[-1], TurnFailed)
        assert late[-1].error == "OfferLapsed"


async def test_a_finished_run_answers_from_its_evidence_or_says_that_it_does_not(
    source: Path,
) -> None:
    async with chatting(source) as (_, chat):
        await turn(chat, QUESTION)
        await turn(chat, "yes")
        events = await turn(chat, "Is examplol well tolerated?")
        answer = events[-1]
        assert called(events) == ["rag"]
        assert isinstance(answer, ChatAnswer)
        assert any("well tolerated" in s.text for s in answer.sentences)
        assert chat.run_id[:8] in answer.head
        assert answer.notices[-1].startswith("These numbers are this answer's own")
        missing = (await turn(chat, "Does examplol cause hair loss?"))[-1]
        assert isinstance(missing, ChatAnswer)
        assert missing.head.startswith("I couldn't find that in")
        assert (missing.in_evidence, missing.sentences) == (False, ())
        assert answer.notices[-1] not in missing.notices
        of_report = (await turn(chat, "Why this verdict?"))[-1]
        assert isinstance(of_report, ChatAnswer)
        assert of_report.printed_numbers
        assert of_report.notices == ()


@pytest.mark.parametrize("message", ["", "?!", "x" * 3000])
async def test_what_is_no_message_fails_with_advice(source: Path, message: str) -> None:
    async with chatting(source) as (_, chat):
        (failed,) = await turn(chat, message)
        assert isinstance(failed, TurnFailed)
        assert failed.advice


async def test_a_run_that_is_not_there_is_told(source: Path) -> None:
    async with chatting(source, run_id="0" * 36) as (_, chat):
        failed = (await turn(chat, QUESTION))[-1]
        assert isinstance(failed, TurnFailed)
        assert failed.error == "TraceNotFoundError"


async def test_a_turn_ends_at_its_deadline_and_the_next_one_works(source: Path) -> None:
    limits = RunLimits(deadline_s=0.0001)
    async with chatting(source, limits=limits) as (_, chat):
        failed = (await turn(chat, "find papers on examplol"))[-1]
        assert isinstance(failed, TurnFailed)
        assert failed.error == "BudgetExceeded"
    async with chatting(source) as (_, chat):
        assert isinstance((await turn(chat, "find papers on examplol"))[-1], ChatAnswer)


async def test_two_turns_at_once_are_refused_and_the_first_is_not_disturbed(source: Path) -> None:
    async with chatting(source) as (_, chat):
        first = chat.say("find papers on examplol")
        assert isinstance(await anext(first), ToolCalled)
        refused = (await turn(chat, "find papers on testitis"))[-1]
        assert isinstance(refused, TurnFailed)
        assert refused.error == "CapacityError"
        assert isinstance([event async for event in first][-1], ChatAnswer)


async def test_who_leaves_in_the_middle_does_not_stop_the_research(source: Path) -> None:
    async with chatting(source) as (runs, chat):
        await turn(chat, QUESTION)
        events = chat.say("yes")
        async for event in events:
            if event.type == "tool_told":
                run_id = str(event.progress.data["run_id"])
                break
        await events.aclose()
        run = await runs.find(run_id)
        assert run
        async with asyncio.timeout(60):
            ended = [logged async for logged in run.tail()]
        assert ended[-1].event.type == "run_completed"


async def test_the_history_is_bounded_and_holds_no_text_of_records(source: Path) -> None:
    async with chatting(source) as (_, chat):
        for _ in range(9):
            await turn(chat, "PMID 99000001")
        assert len(chat.history) == 6
        assert {exchange.outcome for exchange in chat.history} == {"1 records were cited"}


async def test_the_registry_names_the_tools_and_takes_no_key(source: Path) -> None:
    async with tools(source) as (_, registry):
        names = [tool.name for tool in registry.tools]
        assert names == ["search", "rag", "deep_research", "research_report"]
        for tool in registry.tools:
            assert not {n for n in tool.input_schema.model_fields if "key" in n or "user" in n}
