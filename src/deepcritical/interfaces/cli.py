"""``deepcritical research QUESTION`` in a terminal.

Progress goes to stderr, the report to stdout.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from deepcritical.domain import errors
from deepcritical.domain.live_sources import SourceKey, parse_sources
from deepcritical.domain.markdown import visible
from deepcritical.domain.question import checked_question
from deepcritical.export.formats import FORMATS
from deepcritical.interfaces.exit_codes import NO_EVIDENCE
from deepcritical.services.evidence_store import RUN_RECORDS

if TYPE_CHECKING:
    from deepcritical.domain.budget import Depth
    from deepcritical.domain.report import ResearchReport
    from deepcritical.jobs.runs import Run, RunService

__all__ = ["Snapshot", "Sources", "chosen", "research"]


class DepthName(StrEnum):
    """The depths by name; see `RunLimits.for_depth`."""

    quick = "quick"
    standard = "standard"
    deep = "deep"


class Choice(NamedTuple):
    """Where to search, if the command line says so."""

    snapshot: str | None
    sources: tuple[SourceKey, ...]


def chosen(snapshot: str | None, sources: str | None) -> Choice:
    """The options that choose where to search.

    Raises:
        BadParameter: Both are given, or a source is none.
    """
    if snapshot is not None and sources is not None:
        raise typer.BadParameter("choose these or a snapshot, not both", param_hint="--sources")
    try:
        return Choice(snapshot, parse_sources(sources) if sources is not None else ())
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--sources") from error


class _Finished(NamedTuple):
    run_id: str
    report: ResearchReport
    evidence: bytes
    """The records of the run, as a snapshot file."""


_Question = Annotated[
    str, typer.Argument(help="A drug and a condition, a condition alone, or a hypothesis to judge.")
]
Snapshot = Annotated[
    str | None,
    typer.Option(help="Search a snapshot, not live: 'demo', or the path of a .jsonl file."),
]
Sources = Annotated[
    str | None,
    typer.Option(
        help="Live sources, with commas between them: pubmed, clinicaltrials, europepmc, web; "
        "by default the first three."
    ),
]
_Out = Annotated[
    str | None,
    typer.Option(
        help="Folder for the report in all formats (report.html, .pdf, .md, .json, .bib, .ris, "
        "figures and more), evidence.jsonl and events.jsonl; made if missing."
    ),
]
_Json = Annotated[bool, typer.Option("--json", help="Print the report as JSON, not as Markdown.")]
_Depth = Annotated[
    DepthName, typer.Option(help="How far the search goes: 1, 3 or 10 rounds at most.")
]
_Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress on stderr.")]


def research(
    question: _Question,
    snapshot: Snapshot = None,
    sources: Sources = None,
    out: _Out = None,
    as_json: _Json = False,
    depth: _Depth = DepthName.standard,
    quiet: _Quiet = False,
) -> None:
    """Answer QUESTION from evidence: progress on stderr, the report on stdout.

    Exit codes: 0 report; 1 other failure; 2 wrong usage; 3 report without evidence; 4 empty
    question; 5 question too long; 6 question not understood; 7 no such snapshot; 8 snapshot not
    readable; 9 wrong setting; 10 no source reachable; 11 a file cannot be written; 12 time limit;
    13 a report that its sources do not bear out (verify); 130 interrupted.
    """
    if out is not None and not out.strip():
        raise typer.BadParameter("name a folder", param_hint="--out")
    folder = Path(out) if out else None
    finished = _research(question, chosen(snapshot, sources), folder, depth.value, quiet)
    printed = FORMATS["json" if as_json else "md"].render(finished.report, finished.run_id)
    _print(printed.decode())
    if folder:
        names = (*(f"report.{suffix}" for suffix in FORMATS), RUN_RECORDS, "events.jsonl")
        written = ", ".join(names)
        typer.echo(f"Written to {folder}: {written}", err=True)
    if not finished.report.references:
        raise typer.Exit(NO_EVIDENCE)


def _print(text: str) -> None:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        # What is left in the buffer must not fail once more at exit.
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - open until exit
        raise errors.StorageError(
            f"The report cannot be written to the output: {error.strerror}.", "Use --out."
        ) from error


def _research(
    question: str, choice: Choice, out: Path | None, depth: Depth, quiet: bool
) -> _Finished:
    checked_question(question)
    # Imported late: `--help` and a refused question must not wait for the framework.
    from deepcritical.bootstrap import build_runs, read_settings

    runs = build_runs(read_settings(), snapshot=choice.snapshot, sources=choice.sources)
    log_path = _prepared(out) if out else None
    finished = asyncio.run(_run(runs, question, depth, log_path, quiet))
    if out:
        _save(finished, out)
    return finished


async def _run(
    runs: RunService, question: str, depth: Depth, log_path: Path | None, quiet: bool
) -> _Finished:
    run = runs.submit(question, depth=depth, log_path=log_path)
    _cancel_on_signals(run)
    await _show(run, quiet)
    report = await run.result()
    return _Finished(run.run_id, report, run.evidence())


def _cancel_on_signals(run: Run) -> None:
    """The first signal ends the run in its own way, with a complete log; the next one at once."""
    loop = asyncio.get_running_loop()

    def cancel(signum: int) -> None:
        run.cancel()
        loop.remove_signal_handler(signum)
        # Python's own handler would wait for the thread in hand.
        signal.signal(signum, signal.SIG_DFL)

    for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(signum, cancel, signum)


async def _show(run: Run, quiet: bool) -> None:
    from rich.console import Console
    from rich.markup import escape

    from deepcritical.interfaces.render import describe

    console = Console(stderr=True, highlight=False)
    async for logged in run.tail():
        if quiet:
            continue
        line = f"[dim]{logged.progress:4.0%}[/dim] {escape(visible(describe(logged.event)))}"
        try:
            console.print(line, soft_wrap=True)
        except OSError:
            quiet = True  # nobody reads the progress any more; the report is still wanted


def _prepared(out: Path) -> Path:
    """The folder, made, and the path of a fresh log in it."""
    log_path = out / "events.jsonl"
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name in (*(f"report.{suffix}" for suffix in FORMATS), RUN_RECORDS):
            # A run that fails must not leave the report of another one beside its log.
            (out / name).unlink(missing_ok=True)
        log_path.write_text("", encoding="utf-8")
    except OSError as error:
        raise errors.StorageError(
            f"The folder {out} cannot be written: {error.strerror}.",
            "Choose another one with --out.",
        ) from error
    return log_path


def _save(finished: _Finished, out: Path) -> None:
    try:
        for suffix, form in FORMATS.items():
            written = form.render(finished.report, finished.run_id)
            (out / f"report.{suffix}").write_bytes(written)
        (out / RUN_RECORDS).write_bytes(finished.evidence)
    except OSError as error:
        raise errors.StorageError(
            f"The report cannot be written to {out}: {error.strerror}.",
            "Choose another folder with --out.",
        ) from error
