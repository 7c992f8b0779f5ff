"""What is new since a former run, by the cheapest question that sources answer honestly.

Its widest queries are asked again, one record each, and the sources' own counts of matches are
compared. A snapshot that is the same file has nothing new, and is not asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from deepcritical.answering.needs import read_inquiry
from deepcritical.answering.queries import need_queries
from deepcritical.domain.answer import DeepAnswer
from deepcritical.domain.documents import Document
from deepcritical.domain.errors import DeepCriticalError, QuestionError
from deepcritical.domain.question import SearchQuery
from deepcritical.domain.report_parts import SearchRun
from deepcritical.domain.similar import News
from deepcritical.jobs.conduct import OpenSources
from deepcritical.questions.forms import research_question
from deepcritical.questions.reading import literal_frame
from deepcritical.reasoning.judging import next_sides
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.tools.search_handler import SourceAnswer

__all__ = ["NewsSince"]

_WITHIN_S = 8.0
_READ = ("data", "empty", "degraded")

_Former = Mapping[tuple[str, str], SearchRun]
"""Source and query in plain words to the search as it was run."""


class NewsSince:
    """Asks the sources that a run would search.

    Args:
        open_sources: Opens them.
    """

    def __init__(self, open_sources: OpenSources) -> None:
        self._open_sources = open_sources

    async def since(self, document: Document) -> News:
        """What is new since a document was written over these sources."""
        former = {(s.source, s.query): s for s in document.searches if s.outcome in _READ}
        if former and all(search.searched_at is None for search in former.values()):
            return News(state="nothing", told="The snapshot is the same file: nothing is new.")
        widest = await asyncio.to_thread(_widest, document)
        again = [query for query in widest if any(text == query.text for _, text in former)]
        if not again:
            return News(state="unknown", told="What is new since is not known.")
        try:
            async with self._open_sources() as sources:
                answers = await sources.handler.execute(again, 1, _WITHIN_S)
        except DeepCriticalError as error:
            return News(state="unknown", told=f"What is new since is not known: {error}")
        return _compared(answers, former)


def _widest(document: Document) -> Sequence[SearchQuery]:
    """The query for the question's names alone: rules ask it first in every run."""
    try:
        if isinstance(document, DeepAnswer):
            asked = document.frame or literal_frame(document.question)
            inquiry = read_inquiry(asked, document.context)
            queries = need_queries(inquiry, EvidenceStore())
        else:
            queries = next_sides(
                research_question(literal_frame(document.research_question)), EvidenceStore()
            )
    except QuestionError:
        return ()
    return [query for query in queries if not query.literature_only][:1]


def _compared(answers: Sequence[SourceAnswer], former: _Former) -> News:
    """Matches now and then, of queries that are exactly the same now and then."""
    more: dict[str, int] = {}
    unread: dict[str, None] = {}
    for answer in answers:
        then = former.get((answer.source, answer.query.text))
        if then is None:
            continue
        result = answer.result
        if result.outcome.value not in _READ or result.query_as_run != then.query_as_run:
            unread[answer.source] = None
            continue
        more[answer.source] = more.get(answer.source, 0) + max(0, result.total - then.total)
    if not more:
        return News(state="unknown", told="What is new since is not known: no source told it.")
    told = [f"{source} {count or 'none'}" for source, count in more.items()]
    told += [f"{source} not known" for source in unread]
    total = sum(more.values())
    state = "more" if total else "unknown" if unread else "nothing"
    return News.model_validate(
        {"state": state, "more": total, "told": f"New matches since: {', '.join(told)}."}
    )
