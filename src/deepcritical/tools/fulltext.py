"""Fetches the full text of open-access articles from Europe PMC and adds its results to a record.

A text whose licence does not allow keeping it is not taken: records outlive a run.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Sequence

from deepcritical.domain.base import Model
from deepcritical.domain.errors import ConfigurationError, SearchError
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.text.patterns import bounded
from deepcritical.tools.base import SourceOutcome
from deepcritical.tools.deadline import Deadline, together
from deepcritical.tools.http import SourceClient
from deepcritical.tools.jats import FullText, parse_jats

_PMCID = re.compile(r"PMC[0-9]{1,10}")
_OF_SOME = bounded(
    r"\bsub-?\s?groups?\b|\bpost[- ]hoc\b|\bexploratory\b|\bsensitivity anal|\bper[- ]protocol\b",
    re.IGNORECASE,
)
MAX_RESULT_CHARS = 24_000
"""Characters of results that are added to a record."""
MAX_TABLE_CHARS = 10_000
"""Characters of rows of tables that are added."""


class FullTextAnswer(Model):
    """The outcome of one look-up of full text."""

    outcome: SourceOutcome
    evidence: Evidence | None = None
    """The record with the text behind its abstract; None unless the outcome is data or degraded."""
    why: str = ""
    """Why there is no text, or not all of it."""


FetchFullTexts = Callable[[Sequence[Evidence], float], Awaitable[tuple[FullTextAnswer, ...]]]
"""The full texts of some records, in their order, after so many seconds at most."""


async def fetch_full_texts(
    records: Sequence[Evidence], within_s: float, *, client: SourceClient
) -> tuple[FullTextAnswer, ...]:
    """Fetch the full texts of records, all at once behind the client's limiter.

    Those without a PMCID are `not_applicable`; what has not come in time is `unavailable`.
    """
    if not records:
        return ()
    by = Deadline(within_s, within_s)
    return tuple(await together(_fetched(record, client, by) for record in records))


async def _fetched(record: Evidence, client: SourceClient, by: Deadline) -> FullTextAnswer:
    pmcid = (record.metadata.pmcid or "").strip().upper()
    if not _PMCID.fullmatch(pmcid):
        why = "It has no PMCID."
        return FullTextAnswer(outcome=SourceOutcome.NOT_APPLICABLE, why=why)
    try:
        payload = await client.get(
            f"{pmcid}/fullTextXML", {}, lambda b: parse_jats(b).may_be_kept, by
        )
        text = await asyncio.to_thread(parse_jats, payload.content)
    except (SearchError, ConfigurationError) as error:
        return FullTextAnswer(outcome=SourceOutcome.UNAVAILABLE, why=str(error))
    if not text.may_be_kept:
        why = "Its licence does not allow keeping the text."
        return FullTextAnswer(outcome=SourceOutcome.NOT_APPLICABLE, why=why)
    longer = with_full_text(record, text)
    if longer is None:
        why = "It has neither a section with results nor tables."
        return FullTextAnswer(outcome=SourceOutcome.EMPTY, why=why)
    if text.complete:
        return FullTextAnswer(outcome=SourceOutcome.DATA, evidence=longer)
    why = "Its XML breaks off or is very long; what stands before that was read."
    return FullTextAnswer(outcome=SourceOutcome.DEGRADED, evidence=longer, why=why)


def with_full_text(record: Evidence, text: FullText) -> Evidence | None:
    """Return a record with results and tables of its article behind its abstract.

    Sections such as the introduction tell of other studies and are left out; so are those on
    subgroups and the like, which only their headings tell from results of the whole trial. Offsets
    of quotes in the abstract stay as they are.

    None of an article that has neither a section with results nor tables.
    """
    abstract = record.abstract.rstrip()
    of_all = (
        section
        for section in text.sections
        if section.kind == "results" and not any(map(_OF_SOME.search, section.path))
    )
    results = _up_to(MAX_RESULT_CHARS, (p for section in of_all for p in section.paragraphs))
    rows = _up_to(MAX_TABLE_CHARS, (_sentence(row) for table in text.tables for row in table.lines))
    if not results and not rows:
        return None
    # The label is one that sentences are sorted by; see `domain.text.spans`.
    content = "\n\n".join(filter(None, (abstract, "Results: " + "\n\n".join(results))))
    tables_from = len(content) if rows else None
    metadata = record.metadata.model_copy(
        update={
            "text_kind": "full_text",
            "full_text_from": len(abstract),
            "tables_from": tables_from,
            "licence": text.licence,
        }
    )
    content = "\n\n".join((content, *rows))
    return record.model_copy(update={"content": content, "metadata": metadata})


def _sentence(row: str) -> str:
    """A row of a table without ends of sentences within, which would divide it."""
    return f"{row.rstrip('.').replace('. ', ', ')}."


def _up_to(limit: int, texts: Iterable[str]) -> list[str]:
    kept: list[str] = []
    for text in texts:
        if len(text) > limit:
            break
        limit -= len(text)
        kept.append(text)
    return kept
