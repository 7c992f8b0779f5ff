"""Searches live sources outside of a run, and checks that a source answers.

Every source is asked once, and each work becomes one record.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from deepcritical.domain.checks import Check, failed, passed
from deepcritical.domain.errors import DeepCriticalError, RateLimitError, SearchError
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.question import SearchQuery
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.tools.base import (
    CheckIntegrity,
    SearchTool,
    SourceOutcome,
    SourceQuery,
    SourceResult,
)
from deepcritical.tools.clinicaltrials import ClinicalTrials
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
    """The records that sources find.

    Args:
        handler: Asks the sources.
        queries: What to search for.
        most: Records of each answer at most.
        check_within_s: Seconds for looking retractions up; what takes longer stays unchecked.
        check_integrity: Looks them up; None for what the sources themselves say.

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
    started = time.monotonic()
    by = Deadline(within_s, within_s)
    try:
        async with asyncio.timeout(within_s + _GRACE_S):
            found = await tool.fetch(SourceQuery(text=_QUERY, max_results=1, answer_by=by))
            version = await _version(tool, by)
    except DeepCriticalError as error:
        return failed(tool.name, _told(error))
    except TimeoutError:
        late = SearchError(f"No answer within {within_s:g} s.", "Try again later.")
        return failed(tool.name, late)
    return _found(tool.name, found, time.monotonic() - started, version)


async def check_crossref(client: SourceClient, within_s: float) -> Check:
    """Return whether Crossref answers; at most `within_s` seconds."""
    started = time.monotonic()
    try:
        await ask_lightly(client, Deadline(within_s, within_s))
    except SearchError as error:
        return failed("Crossref", _told(error))
    return passed("Crossref", f"answered after {time.monotonic() - started:.1f} s")


def _found(name: str, found: SourceResult, seconds: float, version: str) -> Check:
    if found.outcome is SourceOutcome.EMPTY:
        error = SearchError(
            f'It answered, but has no record for "{_QUERY}".', "Check the address of this source."
        )
        return failed(name, error)
    told = f'answered after {seconds:.1f} s, {found.total:,} records for "{_QUERY}"'
    return passed(name, "; ".join(filter(None, (told, version, *found.skipped))))


async def _version(tool: SearchTool, by: Deadline) -> str:
    """Return the version that the registry reports; '' of other sources, or without one."""
    if not isinstance(tool, ClinicalTrials):
        return ""
    try:
        return await tool.version(by)
    except SearchError:
        return ""  # it answered the query, which is what counts


def _told(error: DeepCriticalError) -> DeepCriticalError:
    """The error, with the seconds for which a source wants to be left alone."""
    if isinstance(error, RateLimitError) and error.retry_after_s:
        return RateLimitError(error.message, f"Try again in {error.retry_after_s:.0f} s.")
    return error
