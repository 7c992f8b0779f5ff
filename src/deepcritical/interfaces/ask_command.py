"""``deepcritical ask SNAPSHOT QUESTION``: a further question to records that are at hand.

How records were ranked goes to stderr, the passages that answer to stdout.
"""

from __future__ import annotations

import asyncio
import json
from functools import partial
from typing import TYPE_CHECKING, Annotated, NamedTuple
from uuid import uuid4

import typer

from deepcritical.domain.markdown import visible
from deepcritical.domain.question import checked_question
from deepcritical.interfaces.exit_codes import NO_EVIDENCE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deepcritical.domain.evidence import Evidence
    from deepcritical.reasoning.followup import FollowUp, Passage, Quote, StudyCounts

__all__ = ["ask"]

NOT_IN_THE_EVIDENCE = "Not in the evidence."


def ask(
    snapshot: Annotated[
        str, typer.Argument(help="'demo', a .jsonl file, or a folder written by research --out.")
    ],
    question: Annotated[str, typer.Argument(help="Any question, best on one thing.")],
    most: Annotated[int, typer.Option("--max", min=1, max=1000, help="Records shown.")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
) -> None:
    """Ask records that are at hand: quoted passages on stdout, how they were found on stderr.

    Exit codes: 0 answer; 3 not in the evidence; 4 empty question; 5 question too long; 7 no such
    snapshot; 8 snapshot not readable; 9 wrong setting.
    """
    answered = asyncio.run(_asked(snapshot, checked_question(question), most))
    for line in answered.notices:
        typer.echo(visible(line), err=True)
    found = answered.found
    typer.echo(_as_json(found, answered.retrieval) if as_json else _as_text(found))
    if not found.passages:
        raise typer.Exit(NO_EVIDENCE)


class _Answered(NamedTuple):
    found: FollowUp
    retrieval: str
    notices: Sequence[str]


async def _asked(snapshot: str, question: str, most: int) -> _Answered:
    # Imported late: `--help` and a refused question must not wait for them.
    from deepcritical.bootstrap import open_retrieval, read_settings
    from deepcritical.reasoning.followup import answer
    from deepcritical.services.evidence_store import EvidenceStore
    from deepcritical.tools.snapshot import SnapshotSource, snapshot_path

    settings = read_settings()
    source = SnapshotSource(snapshot_path(snapshot))
    store = EvidenceStore()
    store.add(await source.records())
    notices = [await source.describe(), *(f"Not read: {line}" for line in await source.skipped())]
    async with open_retrieval(settings, uuid4().hex, notices.append) as rag:
        await rag.ingest(store.evidence)
        ranked, how = await _ranked(rag, question, store.evidence)
        notices.append(f"Retrieval: {how}")
        vectors = await rag.vectors(list(ranked))
        found = await asyncio.to_thread(
            partial(answer, question, ranked, most=most, vectors=vectors)
        )
    return _Answered(found, how, notices)
