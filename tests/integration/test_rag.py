"""Retrieval over a real Chroma: in memory, in a folder, and on a server in a process of its own."""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Mapping
from pathlib import Path

import pytest

from deepcritical.domain.errors import StorageError
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.tool.chat import FoundRecords
from deepcritical.services.chroma import ChromaIndex
from deepcritical.services.embeddings import EmbeddingService, ModelLoaded
from deepcritical.services.llamaindex_rag import LlamaIndexRAGService
from deepcritical.services.storage.job_board import JobBoard
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from deepcritical.tools.base import SearchTool, SourceOutcome, SourceQuery
from deepcritical.tools.rag_tool import RagTool
from deepcritical.toolset.research_tools import RunEvidence
from tests.conftest import QUESTION, make_evidence
from tests.indexes import new_index
from tests.integration.durably import Services, SlowToStop, full, until
from tests.vectors import WordVectors

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("chromadb") is None, reason="needs the extra embeddings"
)
RECORDS = {
    "E1": make_evidence("Examplol in testitis", "A made-up trial of examplol.", pmid="99000001"),
    "E2": make_evidence("Placebol in testitis", "A made-up trial of placebol.", pmid="99000002"),
    "E3": make_evidence("Weather", "Rain fell on every day of the made-up week."),
}


@pytest.fixture
def on_server(chroma: str) -> ChromaIndex:
    return new_index(chroma)


@pytest.fixture(params=["memory", "folder", "server"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> ChromaIndex:
    if request.param == "server":
        return new_index(request.getfixturevalue("chroma"))
    return new_index("" if request.param == "memory" else str(tmp_path / "chroma"))


async def test_each_kind_of_index_finds_ranks_and_forgets(index: ChromaIndex) -> None:
    async with (
        LlamaIndexRAGService("one", WordVectors(), index) as one,
        LlamaIndexRAGService("two", WordVectors(), index) as two,
    ):
        assert (await one.retrieval()).label == "hybrid (BM25 + words)"
        assert await one.ingest(RECORDS) == 3
        assert await one.ingest(RECORDS) == 0
        assert await two.ingest({"E1": make_evidence("Other", "examplol of run two")}) == 1
        found = await one.query("examplol testitis")
        assert list(found) == ["E1", "E2", "E3"]
        assert found["E1"] == RECORDS["E1"].model_copy(update={"relevance_score": 1.0})
        assert list(await two.query("examplol", method="dense")) == ["E1"]
        await one.clear()
        assert await one.query("examplol") == {}
        assert len(await two.query("examplol")) == 1


async def test_a_run_leaves_no_row(tmp_path: Path) -> None:
    index = new_index(str(tmp_path / "chroma"))
    async with LlamaIndexRAGService("one", WordVectors(), index) as rag:
        await rag.ingest(RECORDS)
    async with LlamaIndexRAGService("two", WordVectors(), index) as rag:
        await rag.retrieval()
        assert rag._rows is not None
        assert rag._rows.client.count() == 0


async def test_a_changed_record_replaces_its_former_self() -> None:
    async with LlamaIndexRAGService("one", WordVectors(), new_index()) as rag:
        await rag.ingest(RECORDS)
        grown = RECORDS["E3"].model_copy(update={"content": "Examplol worked in testitis."})
        assert await rag.ingest({"E3": grown}) == 1
        assert rag._rows is not None
        assert rag._rows.client.count() == 3
        assert (await rag.query("examplol testitis worked"))["E3"].content == grown.content
        assert await rag.query("rain", method="lexical") == {}


async def test_records_of_one_text_are_all_found() -> None:
    async with LlamaIndexRAGService("one", WordVectors(), new_index()) as rag:
        assert await rag.ingest({"E1": RECORDS["E1"], "E2": RECORDS["E1"]}) == 1
        assert list(await rag.query("examplol")) == ["E1", "E2"]
        assert len(await rag.query("examplol", 1)) == 1


async def test_vectors_are_those_of_the_index() -> None:
    embeddings = WordVectors()
    async with LlamaIndexRAGService("one", embeddings, new_index()) as rag:
        await rag.ingest(RECORDS)
        vectors = await rag.vectors(["E2", "E1"])
        assert vectors is not None
        assert vectors.shape == (2, 64)
        titles = ["Placebol in testitis. A made-up trial of placebol."]
        assert (vectors[0] == (await embeddings.embed(titles))[0]).all()


async def test_each_model_has_vectors_of_its_own() -> None:
    index = new_index()
    async with (
        LlamaIndexRAGService("one", WordVectors("made-up/first"), index) as first,
        LlamaIndexRAGService("two", WordVectors("made-up/second"), index) as second,
    ):
        await first.ingest(RECORDS)
        await second.ingest({"E1": RECORDS["E1"]})
        assert first._rows is not None
        assert second._rows is not None
        assert (first._rows.client.count(), second._rows.client.count()) == (3, 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("embeddings", "reason"),
    [(None, "no embedding model is set."), (EmbeddingService("/no/such/folder"), "cannot be read")],
    ids=["none set", "not to be had"],
)
async def test_without_a_model_retrieval_is_lexical_and_says_so(
    embeddings: EmbeddingService | None, reason: str
) -> None:
    async with LlamaIndexRAGService("one", embeddings, new_index()) as rag:
        await rag.ingest(RECORDS)
        label = (await rag.retrieval()).label
        assert label.startswith("lexical (BM25): ")
        assert reason in label
        assert list(await rag.query("examplol")) == ["E1"]
        assert await rag.vectors(["E1"]) is None


async def test_a_server_that_is_down_leaves_lexical_retrieval(unused_tcp_port: int) -> None:
    index = new_index(f"http://127.0.0.1:{unused_tcp_port}")
    async with LlamaIndexRAGService("one", WordVectors(), index) as rag:
        await rag.ingest(RECORDS)
        assert "lexical (BM25): No Chroma server answers" in (await rag.retrieval()).label
        assert list(await rag.query("examplol")) == ["E1"]


async def test_a_server_that_goes_down_leaves_lexical_retrieval(on_server: ChromaIndex) -> None:
    rag = LlamaIndexRAGService("one", WordVectors(), on_server)
    await rag.ingest(RECORDS)
    on_server.close()
    assert list(await rag.query("examplol")) == ["E1"]
    assert "The index of vectors cannot be read" in (await rag.retrieval()).label
    await rag.close()


async def test_rows_that_cannot_be_removed_are_an_error(on_server: ChromaIndex) -> None:
    rag = LlamaIndexRAGService("one", WordVectors(), on_server)
    await rag.ingest(RECORDS)
    on_server.close()
    with pytest.raises(StorageError, match="cannot be written"):
        await rag.close()
    await rag.close()


async def test_the_tool_is_a_source_over_the_records_of_the_run() -> None:
    async with LlamaIndexRAGService("one", WordVectors(), new_index()) as rag:
        tool = RagTool(rag)
        assert isinstance(tool, SearchTool)
        empty = await tool.fetch(SourceQuery(text="examplol"))
        assert empty.outcome is SourceOutcome.EMPTY
        await rag.ingest(RECORDS)
        result = await tool.fetch(SourceQuery(text="examplol", max_results=2))
        assert (result.outcome, len(result.evidence)) == (SourceOutcome.DATA, 2)
        assert result.filters[0] == "retrieval: hybrid (BM25 + words)"
        assert [type(r) for r in await tool.search("examplol", 1)] == [Evidence]


async def test_the_tool_does_not_call_hybrid_what_words_alone_found(on_server: ChromaIndex) -> None:
    rag = LlamaIndexRAGService("one", WordVectors(), on_server)
    await rag.ingest(RECORDS)
    on_server.close()
    result = await RagTool(rag).fetch(SourceQuery(text="examplol", max_results=2))
    assert result.evidence
    assert result.filters[0].startswith("retrieval: lexical (BM25): ")
    await rag.close()


def test_a_run_without_an_id_is_refused() -> None:
    with pytest.raises(ValueError, match="run's id"):
        LlamaIndexRAGService("", None, new_index())


async def test_sentences_are_likened_to_the_question_where_vectors_are() -> None:
    asked = "examplol in testitis"
    async with LlamaIndexRAGService("one", WordVectors(), new_index()) as rag:
        tool = RagTool(rag)
        found = await tool.rank(asked, RECORDS, sentences=True)
        assert found.likeness["E1"][0] > found.likeness["E3"][0]
        assert await tool.rank(asked, RECORDS, sentences=True) == found
        assert not (await tool.rank(asked, RECORDS)).likeness
    async with LlamaIndexRAGService("two", None, new_index()) as rag:
        assert not (await RagTool(rag).rank(asked, RECORDS, sentences=True)).likeness


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
