"""Finds out whether a source answers, by one light query through its own client."""

from __future__ import annotations

import asyncio
import time

from deepcritical.domain.checks import Check, failed, passed
from deepcritical.domain.errors import DeepCriticalError, RateLimitError, SearchError
from deepcritical.tools.base import SearchTool, SourceOutcome, SourceQuery, SourceResult
from deepcritical.tools.clinicaltrials import ClinicalTrials
from deepcritical.tools.crossref import ask_lightly
from deepcritical.tools.deadline import Deadline
from deepcritical.tools.http import SourceClient

_QUERY = "trial"
"""A word of which every source has records."""
_GRACE_S = 1.0


async def check_source(tool: SearchTool, within_s: float) -> Check:
    """Whether a source answers, and with records; at most `within_s` seconds."""
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
    """Whether Crossref answers; at most `within_s` seconds."""
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
    """What the registry says of its version; '' of other sources, or if it does not say."""
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
