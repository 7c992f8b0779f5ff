"""Searches live sources outside of a run, and checks that a source answers.

Every source is asked once, and each work becomes one record.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from deepcritical.domain.checks import Check, failed, passed
from deepcritical.domain.errors import DeepCriticalError, RateLimitError, SearchError
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.question.question import SearchQuery
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.tools.base import CheckIntegrity, SearchTool, SourceOutcome, SourceQuery
from deepcritical.tools.crossref import ask_lightly, check_all
from deepcritical.tools.deadline import Deadline
from deepcritical.tools.http import SourceClient
from deepcritical.tools.search_handler import Searches, SourceAnswer, require_any

_AS_INDEXED = partial(check_all, client=None)
"""Asks nobody: a record whose own source calls it retracted is marked all the same."""


class Found(NamedTuple):
    """The results of a search."""

    answers: tuple[SourceAnswer, ...]
    """One of each query at each source."""
    records: Mapping[str, Evidence]
    """One for each work, by id (``E1``, ``E2`` ...), as far as wanted checked for retractions."""


async def search(
    handler: Searches,
    queries: Sequence[SearchQuery],
    most: int,
    check_within_s: float,
    check_integrity: CheckIntegrity | None = None,
) -> Found:
    """The records that sources find, at most so many of each answer.

    Retractions are looked up for so many seconds; what takes longer stays unchecked, and without
    `check_integrity` it is told by the sources themselves.

    Raises:
        SearchError: None of the sources could be reached.
        StorageError: The snapshot that is searched cannot be read.
    """
    answers = await handler.execute(queries, most)
    require_any(answers)
    store = EvidenceStore()
    for answer in answers:
        store.add(answer.result.evidence)
    check = check_integrity or _AS_INDEXED
    checked = await check(list(store.evidence.values()), check_within_s)
    return Found(answers, dict(zip(store.evidence, checked, strict=True)))


_QUERY = "trial"
"""A word of which every source has records."""
_GRACE_S = 1.0


async def check_source(tool: SearchTool, within_s: float) -> Check:
    """Return whether a source answers, and with records; at most `within_s` seconds."""

    async def ask(by: Deadline) -> str:
        query = SourceQuery(text=_QUERY, max_results=1, answer_by=by)
        found = await tool.fetch(query)
        if found.outcome is SourceOutcome.EMPTY:
            none = f'It answered, but has no record for "{_QUERY}".'
            raise SearchError(none, "Check the address of this source.")
        return "; ".join((f'{found.total:,} records for "{_QUERY}"', *found.skipped))

    return await _check(tool.name, ask, within_s)


async def check_crossref(client: SourceClient, within_s: float) -> Check:
    """Return whether Crossref answers; at most `within_s` seconds."""

    async def ask(by: Deadline) -> str:
        await ask_lightly(client, by)
        return ""

    return await _check("Crossref", ask, within_s)


async def _check(name: str, ask: Callable[[Deadline], Awaitable[str]], within_s: float) -> Check:
    started = time.monotonic()
    try:
        async with asyncio.timeout(within_s + _GRACE_S):
            told = await ask(Deadline(within_s, within_s))
    except RateLimitError as error:
        if error.retry_after_s:
            error = RateLimitError(error.message, f"Try again in {error.retry_after_s:.0f} s.")
        return failed(name, error)
    except DeepCriticalError as error:
        return failed(name, error)
    except TimeoutError:
        late = SearchError(f"No answer within {within_s:g} s.", "Try again later.")
        return failed(name, late)
    answered = f"answered after {time.monotonic() - started:.1f} s"
    return passed(name, ", ".join(filter(None, (answered, told))))
