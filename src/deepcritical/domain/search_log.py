"""The search log of a report: every query exactly as it was run (PRISMA-S, items 8, 9 and 13)."""

from __future__ import annotations

from collections.abc import Sequence

from deepcritical.domain.markdown import escape_markdown, table
from deepcritical.domain.report_parts import SearchRun


def search_log(searches: Sequence[SearchRun]) -> str:
    """The log as Markdown: a table for a snapshot, an entry for each query of live sources.

    A query that a source was not meant for was not run there, and is not listed.
    """
    ran = [search for search in searches if search.outcome != "not_applicable"]
    live = [search for search in ran if search.searched_at]
    local = [search for search in ran if not search.searched_at]
    by_source = {search.source: [s for s in live if s.source == search.source] for search in live}
    parts = (_table(local), *(_of_source(*of_source) for of_source in by_source.items()))
    return "\n\n".join(filter(None, parts))


def _table(searches: Sequence[SearchRun]) -> str:
    rows = [
        (
            escape_markdown(search.source),
            escape_markdown(search.query),
            search.outcome,
            str(search.identified),
            str(search.new),
        )
        for search in searches
    ]
    return table(("Source", "Query", "Outcome", "Records", "New"), rows) if rows else ""


def _of_source(source: str, searches: Sequence[SearchRun]) -> str:
    filters = dict.fromkeys(name for search in searches for name in search.filters)
    told = f" ({'; '.join(map(escape_markdown, filters))})" if filters else ""
    head = f"Queries to {escape_markdown(source)}, exactly as run{told}:"
    return "\n".join((head, "", *map(_entry, searches)))


def _entry(search: SearchRun) -> str:
    time = f"{search.searched_at:%H:%M:%S} UTC" if search.searched_at else ""
    kept = ", kept from an earlier search" if search.cached else ""
    hits = f"{search.total:,} hit{'' if search.total == 1 else 's'}"
    counts = f"{hits}, {search.identified} retrieved, {search.new} new{kept}"
    told = counts if search.outcome in ("data", "degraded") else search.outcome
    notes = escape_markdown("; ".join(note.rstrip(".") for note in search.notes))
    # A query that got no answer is known in plain words only.
    asked = search.query_as_run or f"(in plain words) {search.query}"
    entry = f"- {time}, {told}: {escape_markdown(asked)}."
    if search.understood_as and search.understood_as[0] != search.query_as_run:
        entry += f" Understood as: {escape_markdown('; '.join(search.understood_as))}."
    return f"{entry} Notes: {notes}." if notes else entry
