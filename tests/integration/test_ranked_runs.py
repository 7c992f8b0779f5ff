"""Every run ranks what it finds, by words and vectors, and says how; a resumed one goes by that."""

from __future__ import annotations

import asyncio
import importlib.util
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from deepcritical.bootstrap import build_runs, read_settings
from deepcritical.domain.appraisal.findings import Appraisal
from deepcritical.domain.evidence.grading import grade
from deepcritical.domain.question.question import ResearchQuestion
from deepcritical.domain.report.report import ResearchReport
from deepcritical.jobs.run import OpenSources
from deepcritical.questions.reading import literal_frame
from deepcritical.reasoning.base import ExtractiveReasoner, Unread
from deepcritical.reasoning.choosing import DiverseEvidence, choose_by_grade
from deepcritical.reasoning.llm import _weakest_last
from deepcritical.research.session import RunSources
from deepcritical.services.embeddings import (
    SHIPPED_VECTORS,
    Embeddings,
    EmbeddingService,
    EmbeddingState,
    ModelUnavailable,
    ShippedVectors,
    content_hash,
    key_of,
)
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.services.llamaindex_rag import LlamaIndexRAGService
from deepcritical.services.tasks import calculated
from deepcritical.tools.rag_tool import RagTool
from deepcritical.tools.search_handler import SearchHandler
from deepcritical.tools.snapshot import SnapshotSource
from scripts.build_vectors import texts
from tests.conftest import (
    DEMO_QUESTION,
    QUESTION,
    as_they_stand,
    ended,
    make_evidence,
    of_type,
    paper,
    snapshot,
)
from tests.indexes import new_index
from tests.integration.replaying import Asked, Texts, process
from tests.vectors import WordVectors

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("chromadb") is None, reason="needs the extra embeddings"
)
MODEL = "hybrid (BM25 + all-MiniLM-L6-v2)"


@asynccontextmanager
async def _opened(path: Path, embeddings: Embeddings | None) -> AsyncIterator[RunSources]:
    handler = SearchHandler([SnapshotSource(path)])
    async with (
        LlamaIndexRAGService("made", embeddings, new_index()) as rag,
        RagTool(rag).used() as tool,
    ):
        yield RunSources(handler, ("made",), look_up=as_they_stand, records=tool)


def over(folder: Path, embeddings: Embeddings | None) -> OpenSources:
    path = snapshot(folder / "made.jsonl", *(paper(n) for n in range(1, 5)))
    return partial(_opened, path, embeddings)


@pytest.mark.parametrize("schedule", ["team", "loop"])
async def test_each_schedule_ranks_before_it_reads_and_says_how(
    schedule: str, tmp_path: Path
) -> None:
    done = await process(Asked(over(tmp_path, WordVectors()), schedule))  # type: ignore[arg-type]
    types = [logged.event.type for logged in done.events]
    first = types.index("records_ranked")
    assert types.index("source_searched") < first < types.index("studies_read")
    assert of_type(done.events, "records_ranked")[0].retrieval == "hybrid (BM25 + words)"
    assert done.session.store.relevance.keys() == done.session.store.evidence.keys()
    assert done.document is not None
    assert "hybrid (BM25 + words)" in done.document.model_dump_json()


async def test_words_alone_are_named_with_the_reason(tmp_path: Path) -> None:
    done = await process(Asked(over(tmp_path, None)))
    told = of_type(done.events, "records_ranked")[0].retrieval
    assert told == "lexical (BM25): no embedding model is set."
    assert isinstance(done.document, ResearchReport)
    assert (
        "Retrieval within the run is lexical (BM25): no embed" in done.document.methodology.content
    )


async def test_a_run_that_is_taken_up_goes_by_the_ranking_it_had(tmp_path: Path) -> None:
    sources = over(tmp_path, WordVectors())
    whole = await process(Asked(sources))
    at = whole.names.index("rank_records")
    killed = await process(Asked(sources), Texts(dies_at=at, when="committed"))
    # Where it goes on there is no model: what was ranked stays as it was ranked.
    later = Texts(killed.journal.records)
    resumed = await process(Asked(over(tmp_path, None)), later, killed.told_by(at))
    assert "rank_records" not in later.done[:1]
    first, again = (of_type(d.events, "records_ranked")[0] for d in (whole, resumed))
    assert first == again
    assert isinstance(whole.document, ResearchReport)
    assert isinstance(resumed.document, ResearchReport)
    assert resumed.document.verdict == whole.document.verdict


async def test_only_the_best_by_words_get_vectors_and_the_rest_comes_behind() -> None:
    records = {
        f"E{n}": make_evidence(f"Examplol {n}", "Examplol in testitis. " * (1 + n % 3), pmid=str(n))
        for n in range(1, 131)
    }
    records["E131"] = make_evidence("Weather", "Rain fell on every day.")
    vectors = WordVectors()
    async with LlamaIndexRAGService("made", vectors, new_index()) as rag:
        ranked = await RagTool(rag).rank("Examplol in testitis", records)
        again = await RagTool(rag).rank("Examplol in testitis", dict(reversed(records.items())))
    assert ranked == again
    assert ranked.retrieval == "hybrid (BM25 + words), vectors of the best 64 of 131 by words"
    assert list(ranked.relevance) == list(again.relevance)
    assert len(vectors.embedded) <= 64
    assert ranked.relevance.keys() == records.keys()
    scores = list(ranked.relevance.values())
    assert scores == sorted(scores, reverse=True)
    assert list(ranked.relevance)[-1] == "E131"


class Waiting(WordVectors):
    """A model that is never ready."""

    async def load(self) -> EmbeddingState:
        await asyncio.Event().wait()
        return await super().load()


async def test_a_model_that_is_not_ready_in_time_leaves_words_and_is_named() -> None:
    records = {"E1": make_evidence("Weather", "Rain."), "E2": make_evidence("Examplol", "Helps.")}
    async with (
        LlamaIndexRAGService("made", Waiting(), new_index()) as rag,
        RagTool(rag, ready_within_s=0.05).used() as tool,
    ):
        tool.begin()
        ranked = await tool.rank("examplol", records)
    assert ranked.retrieval.startswith("lexical (BM25): the vectors were not there within")
    assert ranked.relevance == {"E2": 1.0, "E1": 0.0}


def test_of_records_of_one_level_the_relevant_one_is_read_first() -> None:
    strong = {"publication_types": ("Randomized Controlled Trial",)}
    records = {
        "weak": make_evidence("Examplol", "A case.", publication_types=("Case Reports",)),
        "off": make_evidence("Examplol", "A trial.", **strong),
        "on": make_evidence("Examplol", "A trial.", **strong).model_copy(
            update={"relevance_score": 0.9}
        ),
    }
    assert [name for name, _ in sorted(records.items(), key=_weakest_last)] == ["on", "off", "weak"]


@pytest.mark.slow
@pytest.mark.usefixtures("hybrid")
async def test_the_demo_is_hybrid_by_default_and_embeds_only_the_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "vectors.sqlite"
    monkeypatch.setenv("DEEPCRITICAL_VECTOR_CACHE", str(kept))
    settings = await asyncio.to_thread(read_settings)
    runs = await asyncio.to_thread(build_runs, settings, snapshot="demo")
    run = runs.submit(DEMO_QUESTION)
    report = await run.result()
    events = await ended(run)
    await runs.close()
    told = {event.retrieval for event in of_type(events, "records_ranked")}
    if all(name.startswith("lexical") for name in told):
        pytest.skip("needs the extra offline")
    assert {name.partition(",")[0] for name in told} == {MODEL}
    assert {"chromadb", "llama_index.core", "sentence_transformers"} <= sys.modules.keys()
    assert f"Retrieval within the run is {MODEL}" in report.methodology.content.replace("\\", "")
    with closing(sqlite3.connect(kept)) as database:
        made = database.execute("SELECT model FROM vectors").fetchall()
    assert [name.rpartition(" ")[2] for (name,) in made] == ["query"]


@pytest.mark.slow
def test_shipped_vectors_are_those_of_the_model() -> None:
    service = EmbeddingService()
    state = asyncio.run(service.load())
    if isinstance(state, ModelUnavailable):
        pytest.skip(state.reason)
    every = asyncio.run(texts())
    hashes = [content_hash(text) for text in every]
    shipped = ShippedVectors(SHIPPED_VECTORS).get(key_of(state, "document"), hashes)
    assert shipped.keys() == set(hashes), "run: python scripts/build_vectors.py"
    some = range(0, len(every), 20)
    made = asyncio.run(service.embed([every[i] for i in some]))
    for vector, i in zip(made, some, strict=True):
        assert np.allclose(shipped[hashes[i]], vector, atol=1e-3)
        assert float(shipped[hashes[i]] @ vector) > 0.9999


def test_another_model_has_no_shipped_vectors() -> None:
    assert ShippedVectors(SHIPPED_VECTORS).get("made-up document", ["a"]) == {}


AGAINST = paper(
    9, text="Results: Examplol did not improve testitis symptoms compared with placebo (p = 0.8)."
)


async def store_of(path: Path) -> tuple[ResearchQuestion, EvidenceStore]:
    """Five trials in favour, one against, read by rules."""
    reasoner = ExtractiveReasoner()
    records = await SnapshotSource(path).search("examplol testitis", 30)
    question, store = (
        await reasoner.refine_question(await calculated(literal_frame, QUESTION)),
        EvidenceStore(),
    )
    store.add(records)
    assert question.drug
    studies = await reasoner.read_studies(store.evidence, "")
    for key, record in store.evidence.items():
        unread = Unread(question.drug, key, record, studies.readings[key])
        reading = await reasoner.read_evidence(question, unread)
        store.add_appraisal(Appraisal.weighed(reading, grade(record)))
    return question, store


@pytest.mark.slow
@pytest.mark.parametrize("dense", [True, False])
async def test_what_speaks_against_the_drug_is_never_cut_off_and_nothing_is_lost(
    tmp_path: Path, dense: bool
) -> None:
    records = snapshot(tmp_path / "records.jsonl", *(paper(n) for n in range(1, 6)), AGAINST)
    question, store = await store_of(records)
    (against,) = (i for i, r in store.evidence.items() if r.metadata.pmid == "99000009")
    embeddings = WordVectors() if dense else None
    async with LlamaIndexRAGService("a run", embeddings, new_index()) as rag:
        choose = DiverseEvidence(rag)
        chosen = await choose(question, store, "examplol")
        assert await choose(question, store, "examplol") == chosen
    assert against in chosen[:2]
    assert sorted(chosen) == sorted(await choose_by_grade(question, store, "examplol"))


async def test_records_of_another_drug_and_former_ids_take_no_place(tmp_path: Path) -> None:
    records = snapshot(tmp_path / "records.jsonl", *(paper(n) for n in range(1, 6)), AGAINST)
    _, store = await store_of(records)
    async with LlamaIndexRAGService("a run", WordVectors(), new_index()) as rag:
        await rag.ingest(store.evidence)
        for wanted in store.evidence:
            assert [*await rag.query("examplol testitis", 1, among=[wanted])] == [wanted]
        assert await rag.query("examplol testitis", 1, among=["E99"]) == {}
