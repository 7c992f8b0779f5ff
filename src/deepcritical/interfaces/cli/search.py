"""The command ``search``: prints the records of live sources, without a report.

Outcomes of sources go to stderr, records to stdout.
"""

from __future__ import annotations

import asyncio
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from deepcritical.domain.question.question import checked_question
from deepcritical.domain.text.markdown import visible
from deepcritical.interfaces.cli.output import NO_EVIDENCE, print_json
from deepcritical.tools.registry import KEYS, SOURCES

if TYPE_CHECKING:
    from deepcritical.domain.evidence.record import Evidence
    from deepcritical.tools.search_handler import SourceAnswer
    from deepcritical.tools.searching import Found

Source = StrEnum("Source", {key: key for key in (*KEYS, "all")})  # type: ignore[misc]
"""The sources by key."""


def search(
    source: Annotated[Source, typer.Argument(help="Where to search; all leaves out the web.")],
    query: Annotated[str, typer.Argument(help="Words, or a query in the source's own language.")],
    most: Annotated[int, typer.Option("--max", min=1, max=1000, help="Records a source.")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print the records as JSON.")] = False,
) -> None:
    """Search a live source: outcomes on stderr, records on stdout.

    Exit codes: 0 records; 3 none; 4 empty query; 5 query too long; 9 wrong setting; 10 no source
    reachable.
    """
    checked_question(query)
    answers, found = asyncio.run(_searched(source.value, query, most))
    records = tuple(found.values())
    for answer in answers:
        typer.echo(_told(answer), err=True)
    if as_json:
        print_json([record.model_dump(mode="json") for record in records])
    else:
        typer.echo("\n".join(map(_line, records)))
    if not records:
        raise typer.Exit(NO_EVIDENCE)


async def _searched(source: str, query: str, most: int) -> Found:
    # Imported late: `--help` and a refused query must not wait for them.
    from deepcritical.bootstrap import Lookups, read_settings

    names = [one.key for one in SOURCES if one.key == source or (source == "all" and one.in_all)]
    return await Lookups(read_settings()).search(names, query, most)


def _told(answer: SourceAnswer) -> str:
    """One line on what a source did, with the query exactly as it was run (PRISMA-S, item 8)."""
    result = answer.result
    kept = " (kept from an earlier search)" if result.cached else ""
    told = (
        f"{answer.source}: {result.outcome.value}, {len(result.evidence)} of {result.total}{kept}"
    )
    why = f" - {'; '.join(result.skipped)}" if result.skipped else ""
    return visible(f"{told} for {result.query_as_run}{why}")


def _line(record: Evidence) -> str:
    meta, citation = record.metadata, record.citation
    kind = meta.status or ", ".join(meta.publication_types[:2])
    number = meta.nct_id or (f"PMID {meta.pmid}" if meta.pmid else meta.doi or citation.url)
    flag = f" [{meta.integrity.upper()}]" if meta.integrity in ("retracted", "concern") else ""
    parts = (number, citation.date[:4], kind, citation.title)
    return visible(" · ".join(part for part in parts if part)) + flag
