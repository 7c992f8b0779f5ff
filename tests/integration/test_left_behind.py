"""A client that leaves at a bad moment leaves nothing behind; closing twice cuts nothing short."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from deepcritical.domain.chat import FoundRecords
from deepcritical.domain.evidence import Evidence
from deepcritical.services.chroma import ChromaIndex
from deepcritical.services.embeddings import ModelLoaded
from deepcritical.services.llamaindex_rag import LlamaIndexRAGService
from deepcritical.services.storage.job_board import JobBoard
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from deepcritical.toolset.research_tools import RunEvidence
from tests.conftest import QUESTION, make_evidence
from tests.indexes import new_index
from tests.integration.durably import Services, SlowToStop, full, until
from tests.vectors import WordVectors


class Watched(LlamaIndexRAGService):
    """The index of a run, which may stand still when it is full, and says whether it was closed."""

    def __init__(self, run_id: str, *, stands_still: bool) -> None:
        super().__init__(run_id, None, ChromaIndex())
        self.goes_on, self.full = asyncio.Event(), asyncio.Event()
        if not stands_still:
            self.goes_on.set()
        self.closed = False

    async def ingest(self, evidence: Mapping[str, Evidence]) -> int:
        indexed = await super().ingest(evidence)
        self.full.set()
        await self.goes_on.wait()
        return indexed

    async def close(self) -> None:
        await super().close()
        self.closed = True


@pytest.mark.slow
async def test_a_question_that_is_left_while_its_run_is_indexed(service: Services) -> None:
    runs = service()
    run = runs.submit(QUESTION)
    await run.result()
    made: list[Watched] = []

    def opened(run_id: str) -> Watched:
        made.append(Watched(run_id, stands_still=not made))
        return made[-1]

    evidence = RunEvidence(runs, opened)
    left = asyncio.create_task(evidence.ranked(run.run_id, "Is examplol tolerated?"))
    await until(lambda: bool(made) and made[0].full.is_set())
    left.cancel()
    await asyncio.wait([left])
    assert [index.closed for index in made] == [True]
    again = await evidence.ranked(run.run_id, "Is examplol tolerated?")
    assert len(FoundRecords.model_validate(again.payload).records) == 2
    assert [index.closed for index in made] == [True, False]
    await evidence.close()
    assert [index.closed for index in made] == [True, True]


@pytest.mark.slow
async def test_who_closes_while_runs_are_handed_over_waits_for_that(
    service: Services, traces: ToolTraceService
) -> None:
    slow = SlowToStop()
    runs = service(slow.reasoner)
    run = runs.submit(QUESTION)
    await full(slow, 1)
    closing = asyncio.create_task(runs.close())
    await asyncio.sleep(0.2)  # of the second that the run takes to stop
    await runs.close()
    await closing
    board = JobBoard(traces.database)
    assert (await board.begin(run.run_id, "the next one")).takeovers == 0


@pytest.mark.slow
async def test_whenever_indexing_is_left_nothing_of_it_stays_in_the_index() -> None:
    index, vectors = new_index(), WordVectors()
    await asyncio.to_thread(index.acquire)  # it stays open, to be looked into
    model = await vectors.load()
    assert isinstance(model, ModelLoaded)
    rows = (await asyncio.to_thread(index.vectors_of, model)).client
    records = {
        f"E{n}": make_evidence(f"Examplol {n} in testitis", pmid=str(99000000 + n))
        for n in range(1, 200)
    }
    for leaves_after_s in (0.0, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16):
        rag = LlamaIndexRAGService(f"left after {leaves_after_s}", vectors, index)
        indexing = asyncio.create_task(rag.ingest(records))
        await asyncio.sleep(leaves_after_s)
        indexing.cancel()
        await asyncio.wait([indexing])
        await rag.close()
        assert index._users == 1
        assert (await asyncio.to_thread(rows.get, include=[]))["ids"] == []
    await asyncio.to_thread(index.release)
