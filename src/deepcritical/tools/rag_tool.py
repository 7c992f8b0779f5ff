"""Searches the run's own records by hybrid retrieval, as a source."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.text.spans import Span, body_sentences, whole_sentences
from deepcritical.services.llamaindex_rag import LlamaIndexRAGService, Retrieval
from deepcritical.services.ranking import LexicalIndex, searchable, terms
from deepcritical.tools.base import Ranking, SearchTool, SourceQuery, SourceResult, outcome_of

_READY_S = 20.0
"""Seconds that a ranking waits for a model that is read from a slow disk, or comes from its hub."""
_MOST_VECTORS = 64
"""Records of a ranking that are ranked by vectors, too: to make a vector takes some 50 ms of two
cores, and a run must not wait for hundreds. What is kept from earlier runs does not raise it, so
that two runs over the same records rank them alike."""
_MOST_SENTENCES, _MOST_OF_RECORD = 48, 6
"""Sentences of a ranking, and of one record, whose meaning is compared: 35 ms of a core each."""


class RagTool(SearchTool):
    """A search tool over the records of one run; it adds none. Implements `RankRecords`, too."""

    name = "records of this run"

    def __init__(self, rag: LlamaIndexRAGService, ready_within_s: float = _READY_S) -> None:
        self._rag = rag
        self._ready_within_s = ready_within_s
        self._cosines: dict[tuple[str, str], float] = {}
        """By the texts that were compared: the next round ranks most of the same sentences."""
        self._opening: asyncio.Task[Retrieval] | None = None

    def begin(self) -> None:
        """Load model and index in threads, while sources are searched; returns at once."""
        if self._opening is None:
            self._opening = asyncio.get_running_loop().create_task(self._rag.retrieval())

    @asynccontextmanager
    async def used(self) -> AsyncIterator[RagTool]:
        """Itself, until the context ends; then nothing of it is under way."""
        try:
            yield self
        finally:
            if self._opening is not None:
                self._opening.cancel()
                # What it failed with was told to whoever ranked; nobody else waits for it.
                with contextlib.suppress(asyncio.CancelledError, Exception):
                    await self._opening

    async def rank(
        self, text: str, records: Mapping[str, Evidence], *, sentences: bool = False
    ) -> Ranking:
        """All records, ranked for a text; see `RankRecords`."""
        by_words = await asyncio.to_thread(_by_words, text, records)
        until = asyncio.get_running_loop().time() + self._ready_within_s
        try:
            async with asyncio.timeout_at(until):
                found = await self._by_both(text, records, by_words)
        except TimeoutError:
            late = f"the vectors were not there within {self._ready_within_s:g} s."
            scores = {i: round(share, 4) for i, share in by_words.items()}
            return Ranking(retrieval=Retrieval(lexical_because=late).label, relevance=scores)
        if not sentences:
            return found
        try:
            async with asyncio.timeout_at(until):
                likeness = await self._likeness(text, records, found.relevance)
        except TimeoutError:
            return found
        return found.model_copy(update={"likeness": likeness})

    async def _by_both(
        self, text: str, records: Mapping[str, Evidence], by_words: Mapping[str, float]
    ) -> Ranking:
        """The best by words, ranked by words and vectors; the others behind them, by words."""
        best = {i: records[i] for i in list(by_words)[:_MOST_VECTORS]}
        await self._rag.ingest(best)
        found = await self._rag.query(text, len(best), among=best)
        scores = {i: record.relevance_score for i, record in found.items()}
        least = min(scores.values(), default=0.0) if len(scores) == len(best) else 0.0
        rest = {i: round(least * share, 4) for i, share in by_words.items() if i not in scores}
        retrieval = await self._rag.retrieval()
        label = retrieval.label
        if rest and not retrieval.lexical_because:
            label = f"{label}, vectors of the best {len(best)} of {len(records):,} by words"
        return Ranking(retrieval=label, relevance=scores | rest)

    async def _likeness(
        self, text: str, records: Mapping[str, Evidence], relevance: Mapping[str, float]
    ) -> dict[str, dict[int, float]]:
        """The likeness of sentences of the best records and of their titles to a text."""
        best = sorted(relevance, key=lambda i: (-relevance[i], len(i), i))
        told = await asyncio.to_thread(_sentences, {i: records[i] for i in best})
        ids = list(dict.fromkeys(i for i, _ in told))
        titles = {i: records[i].citation.title for i in ids}
        texts = dict.fromkeys((*(span.text for _, span in told), *titles.values()))
        new = [one for one in texts if (text, one) not in self._cosines]
        cosines = await self._rag.likeness(text, new)
        if len(cosines) < len(new):
            return {}  # retrieval is lexical
        self._cosines |= {(text, one): c for one, c in zip(new, cosines, strict=True)}
        found: dict[str, dict[int, float]] = {i: {} for i in ids}
        for i, span in told:
            both = self._cosines[text, span.text] + self._cosines[text, titles[i]]
            found[i][span.start] = round(both / 2, 4)
        return found

    async def fetch(self, query: SourceQuery) -> SourceResult:
        """The best records of the run for a query, with the way they were ranked as a filter."""
        await self._rag.retrieval()
        found = await self._rag.query(query.text, query.max_results)
        # Asked again: an index that fails leaves words alone.
        retrieval = await self._rag.retrieval()
        return SourceResult(
            outcome=outcome_of(found),
            evidence=tuple(found.values()),
            query_as_run=query.text,
            filters=(f"retrieval: {retrieval.label}", f"at most {query.max_results} records"),
            total=len(found),
        )


def _sentences(records: Mapping[str, Evidence]) -> list[tuple[str, Span]]:
    """The sentences of records in their order; of each the last ones, which tell what came out."""
    found: list[tuple[str, Span]] = []
    for evidence_id, record in records.items():
        if len(found) >= _MOST_SENTENCES:
            break
        whole = {span.start for span in whole_sentences(record.content)}
        body = body_sentences(record.content, record.citation.title)
        found += [(evidence_id, s) for s in body if s.start in whole][-_MOST_OF_RECORD:]
    return found[:_MOST_SENTENCES]


def _by_words(text: str, records: Mapping[str, Evidence]) -> dict[str, float]:
    """BM25 scores of all records, as shares of the best one, best first."""
    index = LexicalIndex([terms(searchable(record)) for record in records.values()])
    scores = dict(zip(records, map(float, index.scores(text)), strict=True))
    best = max(scores.values(), default=0.0) or 1.0
    order = sorted(scores, key=lambda i: (-scores[i], len(i), i))
    return {i: scores[i] / best for i in order}
