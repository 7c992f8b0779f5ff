"""Finds former runs of nearly the same question, and offers them with what is new since.

A former run never replaces the question: the user decides.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from deepcritical.answering.needs import read_inquiry
from deepcritical.answering.queries import need_queries
from deepcritical.domain.errors import DeepCriticalError, QuestionError
from deepcritical.domain.question.question import SearchQuery, checked_question
from deepcritical.domain.report.answer import DeepAnswer, Document
from deepcritical.domain.report.parts import SearchRun
from deepcritical.domain.run.budget import Depth
from deepcritical.domain.run.events import RunCompleted, SourcesOpened, StopReason
from deepcritical.domain.text.spans import fold
from deepcritical.domain.tool.chat import News, SimilarRun
from deepcritical.domain.tool.registry import ToolCaller
from deepcritical.domain.tool.traces import LOCAL_USER, TraceStatus, TraceSummary
from deepcritical.jobs.run import OpenSources, RunView
from deepcritical.jobs.runs import DEEP_RESEARCH, RESEARCH, RunService
from deepcritical.questions.forms import research_question
from deepcritical.questions.reading import literal_frame
from deepcritical.questions.sameness import meaning_of
from deepcritical.reasoning.chatting import RESEARCH_REPORT
from deepcritical.reasoning.judging import next_sides
from deepcritical.services.embeddings import Embeddings, ModelLoaded
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.services.ranking import terms
from deepcritical.tools.search_handler import SourceAnswer

_MOST_READ = 200
"""Runs of a user that are compared, the newest first."""
_MOST_OFFERED = 3
_MOST_OPENED = 12
"""Runs that are opened, the most alike first, until enough are offered."""
_DAY_S = 86_400.0
_WITHIN_S = 8.0
_BY_MODEL = 0.75
_BY_WORDS = 0.25
"""Similarity from which wordings count as alike, measured on tests/data/questions.

They are low because they come last: what questions name and claim was compared before.
"""
_READ = ("data", "empty", "degraded")


async def news_since(open_sources: OpenSources, document: Document) -> News:
    """Return what is new at the sources of a document since it was written."""
    former = {(s.source, s.query): s for s in document.searches if s.outcome in _READ}
    if former and all(search.searched_at is None for search in former.values()):
        return News(state="nothing", told="No new records since then.")
    widest = await asyncio.to_thread(_widest, document)
    again = [query for query in widest if any(text == query.text for _, text in former)]
    if not again:
        return News(state="unknown", told="What is new since is not known.")
    try:
        async with open_sources() as sources:
            answers = await sources.handler.execute(again, 1, _WITHIN_S)
    except DeepCriticalError as error:
        return News(state="unknown", told=f"What is new since is not known: {error}")
    return _compared(answers, former)


def _widest(document: Document) -> Sequence[SearchQuery]:
    """Return the query for the question's names alone: rules ask it first in every run."""
    try:
        if isinstance(document, DeepAnswer):
            asked = document.frame or literal_frame(document.question)
            queries = need_queries(read_inquiry(asked, document.context), EvidenceStore())
        else:
            question = research_question(literal_frame(document.research_question))
            queries = next_sides(question, EvidenceStore())
    except QuestionError:
        return ()
    return [query for query in queries if not query.literature_only][:1]


def _compared(answers: Sequence[SourceAnswer], former: Mapping[tuple[str, str], SearchRun]) -> News:
    """Compare queries that are the same now and then; `former` is by source and plain query."""
    more: Counter[str] = Counter()
    unread: dict[str, None] = {}
    for answer in answers:
        result, then = answer.result, former.get((answer.source, answer.query.text))
        if then and result.outcome.value in _READ and result.query_as_run == then.query_as_run:
            more[answer.source] += max(0, result.total - then.total)
        elif then:
            unread[answer.source] = None
    if not more:
        return News(state="unknown", told="What is new since is not known: no source told it.")
    told = [f"{source} {count or 'none'}" for source, count in more.items()]
    told += [f"{source} not known" for source in unread]
    total = more.total()
    state = "more" if total else "unknown" if unread else "nothing"
    return News.model_validate(
        {"state": state, "more": total, "told": f"New matches since: {', '.join(told)}."}
    )


class _Alike(NamedTuple):
    scores: Mapping[int, float]
    """Place in the list -> similarity 0-1, the most similar first."""
    compared_by: str
    """Name of the embedding model, or ``words``."""


async def worded_alike(
    embeddings: Embeddings | None, question: str, others: Sequence[str]
) -> _Alike:
    """Return those of other questions that are worded like this one; the same words score 1.

    They are compared by a model, which is loaded only where two wordings differ, or by words.
    """
    same = {i: 1.0 for i, other in enumerate(others) if _folded(other) == _folded(question)}
    rest = [i for i in range(len(others)) if i not in same]
    if not rest:
        return _Alike(same, "words")
    scores, by = await _scores(embeddings, question, [others[i] for i in rest])
    least = _BY_WORDS if by == "words" else _BY_MODEL
    found = {i: score for i, score in zip(rest, scores, strict=True) if score >= least}
    ranked = dict(sorted(found.items(), key=lambda item: -item[1]))
    return _Alike({**same, **ranked}, by)


async def _scores(
    embeddings: Embeddings | None, question: str, others: Sequence[str]
) -> tuple[list[float], str]:
    state = await embeddings.load() if embeddings else None
    if embeddings is None or not isinstance(state, ModelLoaded):
        return await asyncio.to_thread(_by_words, question, others), "words"
    # Both as documents: a prompt for queries would set one wording apart from the others.
    vectors = await embeddings.embed([question, *others])
    scores = (float(score) for score in vectors[1:] @ vectors[0])
    return [min(1.0, max(0.0, score)) for score in scores], state.short_name


def _folded(text: str) -> str:
    return fold(text).strip(" ?.!")


def _by_words(question: str, others: Sequence[str]) -> list[float]:
    """Return shared terms over all terms (Jaccard)."""
    own = set(terms(question))
    words = [set(terms(other)) for other in others]
    return [len(own & other) / max(1, len(own | other)) for other in words]


@dataclass
class SimilarRuns:
    """Finds completed runs that may answer a question."""

    runs: RunService
    embeddings: Embeddings | None
    """Compares wordings; without it words are compared."""
    open_sources: OpenSources
    """Opens the sources that a run would search, to ask what is new since."""
    _: KW_ONLY
    ttl_days: float
    """Age up to which a run is offered; 0 offers none."""
    rounds: int = 10
    """Rounds of a free question that names none."""
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    async def similar(
        self,
        question: str,
        tool_name: str,
        *,
        context: str = "",
        depth: Depth = "standard",
        max_iterations: int | None = None,
        user_id: str = LOCAL_USER,
    ) -> tuple[SimilarRun, ...]:
        """Return the user's own runs of nearly this question, best first, three at most.

        They ended with a result within the time to live, by the same tool, sources and limits, and
        every source was read. Of several with the same words the newest is returned.

        `context` and `max_iterations` are of a free question, `depth` is of a report.

        Raises:
            EmptyQuestionError, QuestionTooLongError: It is no question.
        """
        text = checked_question(question)
        if self.ttl_days <= 0:
            return ()
        wanted: dict[str, str] = {"depth": depth}
        if tool_name == DEEP_RESEARCH:
            wanted = {"context": context, "max_iterations": str(max_iterations or self.rounds)}
        kept = await self.runs.runs_of(user_id, tool_name=tool_name, most=_MOST_READ)
        fitting = [trace for trace in kept if self._is_fresh(trace) and _asked_so(trace, wanted)]
        meant = await asyncio.to_thread(_meaning_the_same, text, fitting)
        if not meant:
            return ()
        alike = await worded_alike(self.embeddings, text, [_question(trace) for trace in meant])
        ranked = [(meant[i], score) for i, score in alike.scores.items()]
        return await self._best_of(ranked, alike.compared_by)

    async def beside_offer(
        self, tool: str, question: str, caller: ToolCaller
    ) -> tuple[SimilarRun, ...]:
        """Return those for a tool of the registry with its usual limits."""
        name = RESEARCH if tool == RESEARCH_REPORT else tool
        return await self.similar(question, name, user_id=caller.user_id)

    def _is_fresh(self, trace: TraceSummary) -> bool:
        ended = trace.completed_at if trace.status is TraceStatus.COMPLETED else None
        return ended is not None and self._age_s(ended) <= self.ttl_days * _DAY_S

    def _age_s(self, ended: datetime) -> float:
        return max(0.0, (self.now() - ended).total_seconds())

    async def _best_of(
        self, ranked: list[tuple[TraceSummary, float]], compared_by: str
    ) -> tuple[SimilarRun, ...]:
        here = await self.runs.sources()
        offered: dict[str, SimilarRun] = {}
        opened = 0
        for trace, score in ranked:
            worded = _folded(_question(trace))
            if worded in offered:
                continue
            if len(offered) == _MOST_OFFERED or opened == _MOST_OPENED:
                break
            opened += 1
            if run := await self._offered(trace, score, compared_by, here):
                offered[worded] = run
        return tuple(offered.values())

    async def _offered(
        self, trace: TraceSummary, score: float, compared_by: str, here: tuple[str, ...]
    ) -> SimilarRun | None:
        run = await self.runs.find(trace.id)
        document = (run.report or run.answer) if run else None
        if run is None or document is None:
            return None
        all_read = all(search.outcome != "unavailable" for search in document.searches)
        if not all_read or not await _was_over(run, here):
            return None
        return SimilarRun(
            run_id=run.run_id,
            tool_name=trace.tool_name,
            question=run.question,
            ended_at=run.ended_at,
            age_s=self._age_s(run.ended_at),
            similarity=round(score, 3),
            compared_by=compared_by,
            headline=document.headline,
            references=len(document.references),
            written_by=document.written_by,
            news=await news_since(self.open_sources, document),
        )


def _question(trace: TraceSummary) -> str:
    return str(trace.input_params.get("question", ""))


def _asked_so(trace: TraceSummary, wanted: dict[str, str]) -> bool:
    """Return whether a run had the same limits, and was told the same beside the question."""
    return "limits" not in trace.input_params and all(
        fold(str(trace.input_params.get(name, ""))) == fold(value) for name, value in wanted.items()
    )


def _meaning_the_same(text: str, traces: list[TraceSummary]) -> list[TraceSummary]:
    meant = meaning_of(literal_frame(text))
    return [trace for trace in traces if meaning_of(literal_frame(_question(trace))) == meant]


async def _was_over(run: RunView, sources: tuple[str, ...]) -> bool:
    """Return whether a run searched these very sources, and nobody ended it early."""
    searched: tuple[str, ...] = ()
    early = False
    for logged in await run.events():
        if isinstance(logged.event, SourcesOpened):
            searched = logged.event.sources
        elif isinstance(logged.event, RunCompleted):
            early = logged.event.stop_reason is StopReason.USER_STOP
    return searched == sources and not early
