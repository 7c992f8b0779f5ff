"""``deepcritical ask QUESTION --evidence SNAPSHOT``: a question to records that are at hand.

How records were ranked goes to stderr, the passages that answer to stdout.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING
from uuid import uuid4

import typer

from deepcritical.domain.markdown import visible
from deepcritical.interfaces.cli.output import print_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deepcritical.answering.records import FollowUp, Passage, Quote
    from deepcritical.domain.evidence import Evidence
    from deepcritical.services.llamaindex_rag import LlamaIndexRAGService

NOT_IN_THE_EVIDENCE = "Not in the evidence."


def ask_records(evidence: str, question: str, most: int, *, as_json: bool) -> bool:
    """Print what the records say to a question; whether they say anything.

    Args:
        evidence: A snapshot, by name or path.
        question: The question, checked.
        most: Records shown.
        as_json: Whether JSON is printed.
    """
    found, how = asyncio.run(_asked(evidence, question, most))
    if not found.subjects and found.passages:
        _tell("The question names no drug and no condition: sentences on any of them are shown.")
    if as_json:
        print_json(found.model_dump(mode="json") | {"retrieval": how})
    else:
        typer.echo(_as_text(found))
    return bool(found.passages)


def _tell(line: str) -> None:
    typer.echo(visible(line), err=True)


async def _asked(snapshot: str, question: str, most: int) -> tuple[FollowUp, str]:
    # Imported late: `--help` and a refused question must not wait for them.
    from deepcritical.answering.records import answer
    from deepcritical.bootstrap import open_retrieval, read_settings
    from deepcritical.services.evidence_store import EvidenceStore
    from deepcritical.tools.snapshot import SnapshotSource, snapshot_path

    settings = read_settings()
    source = SnapshotSource(snapshot_path(snapshot))
    held = await source.contents()
    for line in (await source.describe(), *(f"Not read: {line}" for line in held.skipped)):
        _tell(line)
    store = EvidenceStore()
    store.add(held.records)
    async with open_retrieval(settings, uuid4().hex, _tell) as rag:
        ranked = await _ranked(rag, question, store.evidence)
        how = (await rag.retrieval()).label
        _tell(f"Retrieval: {how}")
        vectors = await rag.vectors(list(ranked))
    found = await asyncio.to_thread(answer, question, ranked, most=most, vectors=vectors)
    return found, how


async def _ranked(
    rag: LlamaIndexRAGService, question: str, records: Mapping[str, Evidence]
) -> dict[str, Evidence]:
    """All records, best first; what retrieval does not find comes last and is read too."""
    from deepcritical.domain.identity import canonical_ids
    from deepcritical.tools.base import SourceQuery
    from deepcritical.tools.rag_tool import RagTool

    if not (await rag.retrieval()).lexical_because:
        _tell(f"Reading {len(records)} records into the index; vectors that are kept save time.")
    await rag.ingest(records)
    query = SourceQuery(text=question, max_results=len(records))
    found = (await RagTool(rag).fetch(query)).evidence
    keys = {canonical_ids(record): key for key, record in records.items()}
    best = {keys[canonical_ids(record)]: record for record in found}
    unfound = {k: r.model_copy(update={"relevance_score": 0.0}) for k, r in records.items()}
    return best | {key: record for key, record in unfound.items() if key not in best}


def _as_text(found: FollowUp) -> str:
    if not found.passages:
        return f"{NOT_IN_THE_EVIDENCE}\n{visible(found.missing)}"
    shown = (_passage(number, passage) for number, passage in enumerate(found.passages, 1))
    return "\n\n".join([_head(found), *shown])


def _head(found: FollowUp) -> str:
    shown = len(found.passages)
    less = f" Shown: {shown}; --max shows more." if shown < found.bearing else ""
    return f"{found.told}{less}"


def _passage(number: int, passage: Passage) -> str:
    reference = passage.reference
    flag = f" [{passage.caution.upper()}]" if passage.caution else ""
    head = (reference.short_name, passage.strength, passage.stance and passage.stance.value)
    lines = [
        f"{number}. {' · '.join(part for part in head if part)}{flag}",
        reference.title,
        *(_quote(quote, quotable=passage.quotable) for quote in passage.quotes),
        f"({passage.why})" if passage.stance == "neutral" and passage.why else "",
        f"Note: {reference.note}" if reference.note else "",
        " · ".join(filter(None, (*reference.public_ids, reference.link))),
    ]
    return "\n   ".join(" ".join(visible(line).split()) for line in lines if line)


def _quote(quote: Quote, *, quotable: bool) -> str:
    """In quotation marks only where the words are the source's own; → marks what decides."""
    words = f"“{quote.text}”" if quotable else f"Summary: {quote.text}"
    return f"{'→' if quote.decides else '-'} {words}"
