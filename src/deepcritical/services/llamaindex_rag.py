"""Hybrid retrieval over the records of one run: BM25, and LlamaIndex over Chroma."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Container, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, Self

from deepcritical.domain.base import Model
from deepcritical.domain.errors import StorageError
from deepcritical.domain.evidence.record import Evidence
from deepcritical.services.chroma import ChromaIndex, translated
from deepcritical.services.embeddings import Embeddings, ModelLoaded, content_hash
from deepcritical.services.ranking import LexicalIndex, fuse, searchable, terms, with_missed
from deepcritical.services.tasks import SOON_S, in_slices, to_the_end

if TYPE_CHECKING:
    import numpy as np
    from llama_index.vector_stores.chroma import ChromaVectorStore
    from numpy.typing import NDArray

Method = Literal["hybrid", "dense", "lexical"]
_POOL = 100
"""Records that each ranking gives to the fusion."""
_READ_AT_ONCE = 64
"""Records that are made ready at once, for some 10 ms."""
_WRITTEN_AT_ONCE = 16
"""Rows that are written at once: Chroma holds the interpreter's lock for 0.4 ms of each."""
_KEPT_S = 7 * 86_400.0
"""Seconds after which rows are removed that a run left behind whose process died: no run lasts so
long."""
_RUN = "run_id"
_HASH = "content_hash"
_WRITTEN = "written_at"
"""Seconds since 1970."""


class Retrieval(Model):
    """The ranking of records, for the events and the report."""

    model: str = ""
    """Short name of the embedding model; '' when retrieval is lexical."""
    lexical_because: str = ""
    """Why there are no vectors; '' when there are."""

    @property
    def label(self) -> str:
        """``hybrid (BM25 + all-MiniLM-L6-v2)``, or ``lexical (BM25): `` and the reason."""
        if self.lexical_because:
            return f"lexical (BM25): {self.lexical_because}"
        return f"hybrid (BM25 + {self.model})"


class _Indexed(NamedTuple):
    """The records at one time; replaced as a whole, so that a query sees one state."""

    records: Mapping[str, Evidence]
    keys: Mapping[str, str]
    """Content hash by evidence id."""
    owners: Mapping[str, tuple[str, ...]]
    """Evidence ids by content hash: two records may have the same text."""
    words: Mapping[str, tuple[str, ...]]
    """Terms by content hash."""
    hashes: tuple[str, ...]
    """In the order of `ranker`, which is sorted: arrival must not decide between equals."""
    ranker: LexicalIndex | None


class _Read(NamedTuple):
    """The terms and vector of a record."""

    key: str
    """Content hash of all that it is found by."""
    words: tuple[str, ...]
    """No list: the garbage collector looks through lists, and stops every thread meanwhile."""


class _Change(NamedTuple):
    """The changes that an ingestion makes in the index of vectors."""

    new: tuple[str, ...]
    """Content hashes."""
    texts: tuple[str, ...]
    """Of the new ones, what their vectors are made of."""
    gone: tuple[str, ...]


_EMPTY = _Indexed({}, {}, {}, {}, (), None)


class LlamaIndexRAGService:
    """Ranks the records of one run. Close it, or use it as a context, so that its rows go.

    Every row in Chroma carries the run's id, and every operation is filtered by it. A row holds a
    vector and a content hash; the records stay in the run. Without a model or an index, ranking is
    lexical and `retrieval` says why.
    """

    def __init__(self, run_id: str, embeddings: Embeddings | None, index: ChromaIndex) -> None:
        if not run_id:
            raise ValueError("a service is built for one run, so it needs the run's id")
        self._run_id = run_id
        self._embeddings = embeddings
        self._index = index
        self._rows: ChromaVectorStore | None = None
        self._vectors: dict[str, NDArray[np.float32]] = {}
        self._indexed = _EMPTY
        # What is indexed is replaced by one ingestion at a time, or one would undo the other.
        self._changing = asyncio.Lock()
        self._retrieval: Retrieval | None = None
        self._acquired = self._closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def retrieval(self) -> Retrieval:
        """Return the ranking; the first call loads the model and the index."""
        async with self._changing:
            return await self._opened()

    async def ingest(self, records: Mapping[str, Evidence]) -> int:
        """Index records by evidence id; one whose text has changed replaces its former self.

        Returns:
            How many texts are new to the run. The same records again change nothing.
        """
        async with self._changing:
            await self._opened()
            before = self._indexed
            read = await in_slices(_read, tuple(records.items()), _READ_AT_ONCE)
            after = await asyncio.to_thread(_extended, before, records, read)
            change = await asyncio.to_thread(_compared, before, after)
            await self._update_rows(change)
            self._indexed = after
            return len(change.new)

    async def query(
        self,
        text: str,
        max_results: int = 10,
        *,
        method: Method = "hybrid",
        among: Container[str] | None = None,
    ) -> dict[str, Evidence]:
        """The best records by evidence id, best first, with `relevance_score` set.

        Only those `among` some ids, if such are given: other records take no place of theirs.

        Without vectors every method is lexical; then only records with a word of the query are
        found.
        """
        indexed = self._indexed
        if not indexed.records or max_results < 1:
            return {}
        pool = max(_POOL, max_results if among is None else len(indexed.hashes))
        lexical = await asyncio.to_thread(_lexical, indexed, text, pool)
        dense = await self._dense(indexed, text, pool) if method != "lexical" else {}
        if not dense:
            best = max(lexical.values(), default=1.0)
            ranked = {key: score / best for key, score in lexical.items()}
        else:
            ranked = fuse(lexical, dense) if method == "hybrid" else dense
        return _picked(indexed, ranked, max_results, among)

    async def vectors(self, evidence_ids: Sequence[str]) -> NDArray[np.float32] | None:
        """Vectors of records, `(n_ids, dim)` float32, L2-normalised; None without a model."""
        import numpy as np

        hashes = [self._indexed.keys[i] for i in evidence_ids]
        if not hashes or any(h not in self._vectors for h in hashes):
            return None
        return np.stack([self._vectors[h] for h in hashes])

    async def likeness(self, text: str, others: Sequence[str]) -> tuple[float, ...]:
        """Cosines of a text and others, in their order; () where retrieval is lexical."""
        if (await self.retrieval()).lexical_because or self._embeddings is None or not others:
            return ()
        vectors = await self._embeddings.embed(others)
        asked = (await self._embeddings.embed([text], role="query"))[0]
        return tuple(round(float(cosine), 4) for cosine in vectors @ asked)

    async def clear(self) -> None:
        """Remove everything of this run from the index; StorageError where it keeps rows."""
        async with self._changing:
            self._indexed = _EMPTY
            self._vectors = {}
            if self._rows is not None:
                await _delete(self._rows, {_RUN: self._run_id})

    async def close(self) -> None:
        """Remove everything of this run, and let the index go. A second call does nothing."""
        self._closed = True
        try:
            await self.clear()
        finally:
            async with self._changing:
                acquired, self._acquired = self._acquired, False
                self._rows = self._retrieval = None
                if acquired:
                    await asyncio.to_thread(self._index.release)

    async def _opened(self) -> Retrieval:
        if self._retrieval is None:
            self._retrieval = await self._open()
        return self._retrieval

    async def _open(self) -> Retrieval:
        if self._embeddings is None:
            return Retrieval(lexical_because="no embedding model is set.")
        state = await self._embeddings.load()
        if not isinstance(state, ModelLoaded):
            return Retrieval(lexical_because=state.reason)
        try:
            await to_the_end(self._acquire(), SOON_S)
            self._rows = await asyncio.to_thread(self._index.vectors_of, state)
            await _delete(self._rows, {_WRITTEN: {"$lt": time.time() - _KEPT_S}})
        except StorageError as error:
            return Retrieval(lexical_because=str(error))
        return Retrieval(model=state.short_name)

    async def _acquire(self) -> None:
        await asyncio.to_thread(self._index.acquire)
        if self._closed:  # while this took its time
            await asyncio.to_thread(self._index.release)
        self._acquired = not self._closed

    async def _update_rows(self, change: _Change) -> None:
        rows, run_id = self._rows, self._run_id
        if rows is None or self._embeddings is None:
            return
        vectors = await self._embeddings.embed(change.texts)
        new = tuple(zip(change.new, vectors, strict=True))
        self._vectors |= new
        where = {"$and": [{_RUN: run_id}, {_HASH: {"$in": list(change.gone)}}]}
        try:
            await in_slices(lambda part: _add(rows, run_id, part), new, _WRITTEN_AT_ONCE)
            if change.gone:
                await _delete(rows, where)
        except StorageError as error:
            self._become_lexical(error)

    def _become_lexical(self, error: StorageError) -> None:
        self._rows = None
        self._retrieval = Retrieval(lexical_because=str(error))

    async def _dense(self, indexed: _Indexed, text: str, pool: int) -> dict[str, float]:
        """Cosine similarities by content hash, best first; none without vectors."""
        rows = self._rows
        if rows is None or self._embeddings is None:
            return {}
        vector = (await self._embeddings.embed([text], role="query"))[0]
        try:
            found = await asyncio.to_thread(_nearest, rows, self._run_id, vector, pool)
        except StorageError as error:
            # An index that was closed meanwhile has not failed.
            if self._rows is rows:
                self._become_lexical(error)
            return {}
        ours = {i: self._vectors[i] for i in indexed.owners if i in self._vectors}
        nearest = {i: score for i, score in found.items() if i in indexed.owners}
        return with_missed(nearest, ours, vector, pool)


def embedded_text(record: Evidence) -> str:
    """Return the text of a vector: the title first, because a model reads only so far."""
    return f"{record.citation.title}. {record.content}"


def _read(records: Sequence[tuple[str, Evidence]]) -> dict[str, _Read]:
    found = {evidence_id: searchable(record) for evidence_id, record in records}
    return {i: _Read(content_hash(text), tuple(terms(text))) for i, text in found.items()}


def _extended(
    before: _Indexed, records: Mapping[str, Evidence], read: Sequence[Mapping[str, _Read]]
) -> _Indexed:
    new = {i: record for part in read for i, record in part.items()}
    keys = {**before.keys, **{i: record.key for i, record in new.items()}}
    owners: dict[str, tuple[str, ...]] = {}
    for evidence_id in sorted(keys, key=lambda i: (len(i), i)):
        key = keys[evidence_id]
        owners[key] = (*owners.get(key, ()), evidence_id)
    known = {**before.words, **{record.key: record.words for record in new.values()}}
    words = {key: known[key] for key in sorted(owners)}
    ranker = LexicalIndex(list(words.values()))
    return _Indexed({**before.records, **records}, keys, owners, words, tuple(words), ranker)


def _compared(before: _Indexed, after: _Indexed) -> _Change:
    new = tuple(key for key in after.hashes if key not in before.owners)
    gone = tuple(key for key in before.hashes if key not in after.owners)
    return _Change(
        new, tuple(embedded_text(after.records[after.owners[key][0]]) for key in new), gone
    )


def _lexical(indexed: _Indexed, text: str, pool: int) -> dict[str, float]:
    """BM25 scores above 0 by content hash, best first."""
    if indexed.ranker is None:
        return {}
    import numpy as np

    scores = indexed.ranker.scores(text)
    order = np.argsort(-scores, kind="stable")[:pool]
    return {indexed.hashes[i]: float(scores[i]) for i in order if scores[i] > 0}


def _picked(
    indexed: _Indexed, ranked: Mapping[str, float], n: int, among: Container[str] | None
) -> dict[str, Evidence]:
    found: dict[str, Evidence] = {}
    for key, score in ranked.items():
        for evidence_id in indexed.owners[key]:
            if among is not None and evidence_id not in among:
                continue
            update = {"relevance_score": round(min(max(score, 0.0), 1.0), 4)}
            found[evidence_id] = indexed.records[evidence_id].model_copy(update=update)
            if len(found) == n:
                return found
    return found


def _add(
    rows: ChromaVectorStore, run_id: str, new: Sequence[tuple[str, NDArray[np.float32]]]
) -> None:
    """Blocks. Rows that are there stay as they are, for an id names one content.

    LlamaIndex reads such rows, but would write eight fields and a text in each, for which Chroma
    holds the interpreter's lock twice as long.
    """
    written_at = time.time()
    with translated("be written"):
        rows.client.add(
            ids=[f"{run_id}:{key}" for key, _ in new],
            embeddings=[vector for _, vector in new],
            metadatas=[{_RUN: run_id, _HASH: key, _WRITTEN: written_at} for key, _ in new],
        )


def _nearest(
    rows: ChromaVectorStore, run_id: str, vector: NDArray[np.float32], n: int
) -> dict[str, float]:
    from llama_index.core.vector_stores.types import (
        MetadataFilter,
        MetadataFilters,
        VectorStoreQuery,
    )

    of_run = MetadataFilters(filters=[MetadataFilter(key=_RUN, value=run_id)])
    query = VectorStoreQuery(query_embedding=vector.tolist(), similarity_top_k=n, filters=of_run)
    with translated("be read"):
        found = rows.query(query)
    # LlamaIndex gives exp(-distance), and the distance is 1 - cosine.
    scored = zip(found.nodes or (), found.similarities or (), strict=True)
    return {str(node.metadata[_HASH]): 1.0 + math.log(score) for node, score in scored}


async def _delete(rows: ChromaVectorStore, where: Mapping[str, object]) -> None:
    """LlamaIndex has no method that deletes by a filter alone."""

    def delete(ids: Sequence[str]) -> None:
        with translated("be written"):
            rows.client.delete(ids=list(ids))

    with translated("be written"):
        found = await asyncio.to_thread(lambda: rows.client.get(where=where, include=[]))
    await in_slices(delete, found["ids"], _WRITTEN_AT_ONCE)
