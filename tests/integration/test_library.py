"""From Python: reports, answers, readings, and runs whose events are followed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from deepcritical import aresearch, ask, deep_research, read_study, research
from deepcritical.domain.errors import ConfigurationError, DocumentError, ResearchCancelled
from deepcritical.domain.run.budget import Depth
from deepcritical.domain.run.events import LoggedEvent
from deepcritical.domain.study.reading import StudyReading
from tests.conftest import QUESTION, paper, snapshot


@pytest.fixture
def place(tmp_path: Path) -> str:
    return str(snapshot(tmp_path / "made.jsonl", paper()))


@pytest.mark.parametrize("depth", ["quick", "standard"])
def test_a_report_comes_with_its_events(place: str, depth: Depth) -> None:
    heard: list[LoggedEvent] = []
    report = research(QUESTION, snapshot=place, depth=depth, on_event=heard.append)
    assert [logged.seq for logged in heard] == list(range(1, len(heard) + 1))
    assert heard[-1].event.type == "run_completed"
    assert report.verdict.label.value in report._repr_markdown_().casefold()


async def test_a_run_that_is_left_is_cancelled(place: str) -> None:
    async with aresearch(QUESTION, snapshot=place) as run:
        async for _ in run.tail():
            break
    with pytest.raises(ResearchCancelled):
        await run.result()


def test_an_answer_has_one_function_with_two_names(place: str) -> None:
    assert deep_research is ask
    assert ask("How does examplol act?", snapshot=place).checklist_table()


@pytest.mark.slow
def test_documents_are_read_with_what_is_found(place: str, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    note = tmp_path / "own" / "note.txt"
    found = "Examplol significantly improved testitis compared with placebo (p = 0.01)."
    design = "In all, 300 adults with testitis were randomised to examplol or placebo."
    note.write_text(f"A made-up note on a trial of examplol in testitis\n{design} {found}")
    pasted = {"text": "Examplol did not act on anything.", "title": "A made-up abstract"}
    own = [note.parent, paper()["pmid"], pasted]
    report = research(QUESTION, snapshot=place, depth="quick", documents=own)
    search, *_ = [one for one in report.searches if one.source == "your documents"]
    assert search.query_as_run == f"note.txt, pmid:{paper()['pmid']}, pasted text"
    assert search.identified == 3
    answer = ask(QUESTION, snapshot=place, documents=[str(note)], max_iterations=1)
    assert any("made-up note" in one.title for one in answer.references)
    assert read_study(note).population.n_randomised == 300
    with pytest.raises(DocumentError, match="neither"):
        research(QUESTION, snapshot=place, documents=["nothing known"])
    with pytest.raises(DocumentError, match="cannot be read"):
        ask(QUESTION, snapshot=place, documents=["nowhere.pdf"])


def test_a_study_is_read_within_a_loop_too_as_in_a_notebook() -> None:
    async def as_in_a_notebook() -> StudyReading:
        return read_study("We randomised 80 patients to naproxen or placebo.", title="In gout")

    reading = asyncio.run(as_in_a_notebook())
    assert reading.population.n_randomised == 80
    assert {arm.label for arm in reading.arms} == {"naproxen", "placebo"}


def test_a_wrong_model_and_an_empty_text_are_said() -> None:
    with pytest.raises(ConfigurationError):
        research(QUESTION, snapshot="demo", model="nonsense")
    with pytest.raises(ValueError, match="abstract"):
        read_study(" ")
