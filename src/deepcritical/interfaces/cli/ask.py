"""The command ``ask``: answers any biomedical question by research, or from given records.

Progress, and how records were ranked, go to stderr, the answer to stdout.
"""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple
from uuid import uuid4

import typer

from deepcritical.domain.errors import DeepCriticalError
from deepcritical.domain.question.question import checked_question
from deepcritical.domain.text.markdown import visible
from deepcritical.interfaces.cli import options
from deepcritical.interfaces.cli.ended import (
    NoSimilar,
    Reuse,
    Reusing,
    Similar,
    former_run,
    prepared,
    run_out,
)
from deepcritical.interfaces.cli.output import (
    ANSWER_FILES,
    NO_EVIDENCE,
    bootstrap,
    plain_json,
    print_json,
    to_stdout,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deepcritical.answering.records import FollowUp, Passage, Quote
    from deepcritical.domain.evidence.record import Evidence
    from deepcritical.domain.report.answer import DeepAnswer, ToolOutput
    from deepcritical.jobs.run import RunOf
    from deepcritical.services.llamaindex_rag import LlamaIndexRAGService

_MOST = 10
_Question = Annotated[str, typer.Argument(help="Any biomedical question, best on one thing.")]
_Evidence = Annotated[
    str | None,
    typer.Option(
        help="Ask only the records at hand: 'demo', a .jsonl file, or a folder written by --out. "
        "Nothing is searched."
    ),
]
_Context = Annotated[
    str, typer.Option(help="What should be known beside the question: whom, what matters.")
]
_MaxIterations = Annotated[
    int | None, typer.Option(min=1, max=10, help="Rounds of search at most, by default 10.")
]
_Out = Annotated[
    str | None,
    typer.Option(
        help="Folder for the answer (answer.html, .md, .json and the references), evidence.jsonl "
        "and events.jsonl; made if missing."
    ),
]
_Max = Annotated[
    int | None, typer.Option("--max", min=1, max=1000, help="With --evidence: records shown.")
]
_Json = Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")]
NOT_IN_THE_EVIDENCE = "Not in the evidence."


class Asked(NamedTuple):
    """A question for an answer, and what is wanted with it."""

    question: str
    context: str
    max_iterations: int | None
    out: Path | None
    quiet: bool
    as_json: bool
    reusing: Reusing


def ask(
    question: _Question,
    evidence: _Evidence = None,
    snapshot: options.Snapshot = None,
    sources: options.Sources = None,
    context: _Context = "",
    max_iterations: _MaxIterations = None,
    out: _Out = None,
    most: _Max = None,
    model: options.ModelName = None,
    model_base_url: options.BaseUrl = None,
    ask_key: options.AskKey = False,
    as_json: _Json = False,
    quiet: options.Quiet = False,
    reuse: Reuse = None,
    no_similar: NoSimilar = False,
    own: options.With = None,
) -> None:
    """Answer any biomedical QUESTION in located sentences.

    Each has its [n]; live it takes 1-3 minutes. --evidence quotes records at hand alone.

    Exit codes: 0 answer; 3 nothing in the evidence; 4 empty question; 5 question too long; 6
    question names nothing to look for; 7 no such snapshot; 8 snapshot not readable; 9 wrong
    setting; 10 no source reachable; 11 file or database not usable; 12 time limit; 14 no such run;
    17 question declined; 18-21 database damaged, only readable, full, absent; 130 interrupted.
    """
    question = checked_question(question)
    if evidence is not None:
        searching = (snapshot, sources, context, max_iterations, out, reuse, own)
        _refuse(*searching, model, model_base_url, ask_key or None)
        found = ask_records(evidence, question, most or _MOST, as_json=as_json)
    else:
        again = Reusing(reuse, look=not (no_similar or quiet or own))
        folder = _folder(out, most)
        wanted = Asked(question, context, max_iterations, folder, quiet, as_json, again)
        place = options.chosen(snapshot, sources, own)
        found = answered(wanted, place, options.chosen_model(model, model_base_url, ask_key))
    if not found:
        raise typer.Exit(NO_EVIDENCE)


def _refuse(*searching: object) -> None:
    if any(option not in (None, "") for option in searching):
        raise typer.BadParameter(
            "it asks records at hand and no model: leave out --snapshot, --sources, --context, "
            "--max-iterations, --out, --reuse, --with and the options of a model",
            param_hint="--evidence",
        )


def _folder(out: str | None, most: int | None) -> Path | None:
    if most is not None:
        raise typer.BadParameter("it goes with --evidence", param_hint="--max")
    return options.folder_of(out)


def answered(wanted: Asked, choice: options.Choice, model: options.ChosenModel) -> bool:
    """Search for an answer and hand it over; whether it rests on any record."""
    # Imported late: `--help` and a refused question must not wait for the framework.
    from deepcritical.domain.report.answer import DeepAnswer
    from deepcritical.jobs.runs import DEEP_RESEARCH

    settings = bootstrap.read_settings(*model)
    runs = bootstrap.build_runs(settings, **choice.sought)
    limits: dict[str, Any] = {"context": wanted.context, "max_iterations": wanted.max_iterations}
    similar = Similar(settings, runs, wanted.question, DEEP_RESEARCH, limits)
    ended = former_run(similar, wanted.reusing, DeepAnswer)
    if ended is None:
        log_path = prepared(wanted.out, ANSWER_FILES)
        given = {**limits, "log_path": log_path, "documents": choice.documents}
        ask_it = partial(runs.ask, wanted.question, **given)
        check = runs.check(wanted.question, DEEP_RESEARCH, context=wanted.context)
        # A program that reads JSON reads of a failure, too; people are told on stderr.
        failed = _print_failure if wanted.as_json else None
        ended = asyncio.run(run_out(runs, check, ask_it, wanted.quiet, failed))
    if not wanted.as_json:
        return ended.hand_over("full", wanted.out)
    ended.save(wanted.out)
    _print(ended.document.tool_output(ended.imprint.run_id))
    return bool(ended.document.references)


async def _print_failure(run: RunOf[DeepAnswer], error: DeepCriticalError) -> None:
    from deepcritical.toolset.research_tools import failed_output

    _print(await failed_output(run, str(error)))


def _print(output: ToolOutput) -> None:
    """Print an answer as the `deep_research` tool hands it out."""
    to_stdout(plain_json(output.model_dump_json(indent=2)) + "\n")


def ask_records(evidence: str, question: str, most: int, *, as_json: bool) -> bool:
    """Print what the records say to a question; whether they say anything."""
    found, how = asyncio.run(_asked_of_records(evidence, question, most))
    if not found.subjects and found.passages:
        _tell("The question names no drug and no condition: sentences on any of them are shown.")
    if as_json:
        print_json(found.model_dump(mode="json") | {"retrieval": how})
    else:
        typer.echo(_as_text(found))
    return bool(found.passages)


def _tell(line: str) -> None:
    typer.echo(visible(line), err=True)


async def _asked_of_records(snapshot: str, question: str, most: int) -> tuple[FollowUp, str]:
    # Imported late: `--help` and a refused question must not wait for them.
    from deepcritical.answering.records import answer
    from deepcritical.services.evidence_store import EvidenceStore
    from deepcritical.tools.snapshot import SnapshotSource, snapshot_path

    settings = bootstrap.read_settings()
    source = SnapshotSource(snapshot_path(snapshot))
    held = await source.contents()
    for line in (await source.describe(), *(f"Not read: {line}" for line in held.skipped)):
        _tell(line)
    store = EvidenceStore()
    store.add(held.records)
    async with bootstrap.open_retrieval(settings, uuid4().hex, _tell) as rag:
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
    from deepcritical.domain.study.identity import canonical_ids
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
    shown = [_passage(number, passage) for number, passage in enumerate(found.passages, 1)]
    less = f" Shown: {len(shown)}; --max shows more." if len(shown) < found.bearing else ""
    return "\n\n".join([f"{found.told}{less}", *shown])


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
