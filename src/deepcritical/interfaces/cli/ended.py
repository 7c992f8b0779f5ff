"""Runs a question to its end, or takes a former run; prints progress, result and files."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal, NamedTuple, TypeVar

import typer

from deepcritical.domain.errors import DeepCriticalError, StorageError
from deepcritical.domain.run import events
from deepcritical.domain.run.recipe import RUN_LOG, RUN_READINGS, RUN_RECORDS
from deepcritical.domain.text.markdown import one_line, visible
from deepcritical.export.formats import FORMATS
from deepcritical.export.imprint import Imprint
from deepcritical.interfaces.cli.output import (
    bootstrap,
    file_to_stdout,
    on_signals,
    resumable,
    write_report,
)
from deepcritical.interfaces.render import describe, similar_line

if TYPE_CHECKING:
    from deepcritical.domain.report.answer import Document
    from deepcritical.domain.tool.chat import SimilarRun
    from deepcritical.jobs.run import Run, RunOf
    from deepcritical.jobs.runs import RunService
    from deepcritical.settings import Settings

Result = TypeVar("Result", bound="Document")
Wanted = Literal["brief", "full", "json"]
"""The brief, or the whole report as Markdown or as JSON."""
Reuse = Annotated[
    str | None,
    typer.Option(
        metavar="ID",
        help="Print this former run of yours, by its id or the beginning of it; search nothing.",
    ),
]
NoSimilar = Annotated[
    bool, typer.Option("--no-similar", help="Do not look for former runs of similar questions.")
]
_STEPS = (
    events.SourcesOpened,
    events.BudgetPlanned,
    events.DeadlineMoved,
    events.QuestionRefined,
    events.InquiryRefined,
    events.ChecklistMade,
    events.RecordsRanked,
    events.StudiesRead,
    events.FactsMapped,
    events.HypothesesProposed,
    events.CompletenessChecked,
    events.RoundChosen,
)
"""Events that stay on a terminal; of the others only the latest is seen."""


class Reusing(NamedTuple):
    """The command line's options on former runs."""

    reuse: str | None
    look: bool
    """True if similar ones are looked for."""


@dataclass(frozen=True)
class Ended(Generic[Result]):
    """The end of a run, new or former."""

    imprint: Imprint
    document: Result
    files: dict[str, bytes]
    """The content of a folder beside the report."""
    is_kept: bool
    """True if the run can be had again by its id."""

    def hand_over(self, wanted: Wanted, folder: Path | None) -> bool:
        """Print it, and write its files; whether it has any evidence."""
        self.save(folder)
        print_report(self.document, self.imprint, wanted, folder, is_kept=self.is_kept)
        return bool(self.document.references)

    def save(self, folder: Path | None) -> None:
        """Write its files, if a folder is named; its log is there already."""
        if folder:
            names = write_report(self.document, self.imprint, folder, self.files)
            told = ", ".join(dict.fromkeys((*names, RUN_LOG)))
            typer.echo(f"Written to {folder}: {told}", err=True)


def prepared(out: Path | None, files: Iterable[str]) -> Path | None:
    """The path of a fresh log in the folder, which is made, and without these files."""
    if out is None:
        return None
    log_path = out / RUN_LOG
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name in (*files, RUN_RECORDS, RUN_READINGS):
            # A run that fails must not leave the report of another one beside its log.
            (out / name).unlink(missing_ok=True)
        log_path.write_text("", encoding="utf-8")
    except OSError as error:
        raise StorageError(
            f"The folder {out} cannot be written: {error.strerror}.",
            "Choose another one with --out.",
        ) from error
    return log_path


async def run_out(
    runs: RunService,
    check: Awaitable[object] | None,
    begin: Callable[[], RunOf[Result]],
    quiet: bool,
    failed: Callable[[RunOf[Result], DeepCriticalError], Awaitable[None]] | None = None,
) -> Ended[Result]:
    """Begin a run once its question is checked, show it, and wait for its end.

    It closes `runs`; `failed` is told of a run that fails.
    """
    try:
        if check:
            await check
        run = begin()
        on_signals(run.cancel)
        await show(run, quiet)
        try:
            with resumable(run.run_id, is_kept=runs.keeps_runs):
                document = await run.result()
        except DeepCriticalError as error:
            if failed:
                await failed(run, error)
            raise
        return Ended(Imprint(run.run_id, run.ended_at), document, run.files(), runs.keeps_runs)
    finally:
        await runs.close()


class Similar(NamedTuple):
    """Looks for former runs of similar questions."""

    settings: Settings
    runs: RunService
    question: str
    tool: str
    limits: dict[str, Any]

    def found(self) -> tuple[SimilarRun, ...]:
        """Those that there are; none where they cannot be looked up, which is told."""
        similar = bootstrap.build_similar(self.settings, self.runs, self.runs.place)
        try:
            return asyncio.run(similar.similar(self.question, self.tool, **self.limits))
        except DeepCriticalError as error:
            typer.echo(visible(f"Similar questions could not be looked up: {error}"), err=True)
            return ()


def former_run(similar: Similar, reusing: Reusing, kind: type[Result]) -> Ended[Result] | None:
    """The former run that is wanted instead of a new one; None for a new one.

    On a terminal who asks is asked; in a script it is told on stderr, and the new run begins.

    Raises:
        TraceNotFoundError: There is no run of the id that the command line names.
        StorageError: That run has no result of this kind.
    """
    if reusing.reuse is not None:
        return asyncio.run(_former(similar.runs, reusing.reuse, kind))
    found = similar.found() if reusing.look else ()
    for one in found:
        typer.echo(visible(similar_line(one)), err=True)
    if not found:
        return None
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        typer.echo(f"Asking anew; --reuse {found[0].run_id} prints that run instead.", err=True)
        return None
    if typer.confirm("Show the first of them instead of asking anew?", default=False, err=True):
        return asyncio.run(_former(similar.runs, found[0].run_id, kind))
    return None


async def _former(runs: RunService, beginning: str, kind: type[Result]) -> Ended[Result]:
    run = await runs.find_own(beginning)
    document = run.report or run.answer
    if not isinstance(document, kind):
        other = "research" if run.report else "ask"
        raise StorageError(
            f"The run {run.run_id} has no result of this kind.",
            f"Print it with `deepcritical {other} --reuse {run.run_id[:8]}`, or ask anew.",
        )
    log = "".join([f"{logged.model_dump_json()}\n" async for logged in run.tail()])
    typer.echo(f"Run {run.run_id} of {run.ended_at:%Y-%m-%d}; nothing was searched.", err=True)
    imprint = Imprint(run.run_id, run.ended_at)
    return Ended(imprint, document, {RUN_LOG: log.encode()}, is_kept=True)


def print_report(
    report: Document, imprint: Imprint, wanted: Wanted, folder: Path | None, *, is_kept: bool
) -> None:
    """Print a report; one without a brief, of an old run or of `ask`, is printed as a whole.

    Raises:
        StorageError: The output cannot be written.
    """
    # Imported late: `--help` must not wait for them.
    from deepcritical.domain.report.report import ResearchReport
    from deepcritical.interfaces.cli.terminal_brief import print_brief

    if wanted == "brief" and isinstance(report, ResearchReport) and report.brief:
        again = f"deepcritical research --reuse {imprint.run_id[:8]} " if is_kept else ""
        whole = folder / "report.html" if folder else f"{again}--full (or --out FOLDER)"
        print_brief(report, report.brief, f"Whole report: {whole}")
        return
    suffix = "json" if wanted == "json" else "md"
    file_to_stdout(suffix, FORMATS[suffix].render(report, imprint))


async def show(run: Run, quiet: bool) -> None:
    """Print the events of a run on stderr as they come, up to its end; if `quiet` its warnings."""
    # Where nobody reads the progress any more, the report is still wanted.
    with suppress(OSError):
        if quiet:
            await _told(run, _print_warning)
        else:
            await (_live(run) if _is_interactive() else _told(run, _print_line))


def _is_interactive() -> bool:
    # Imported late, as elsewhere: `--help` must not wait for it.
    from rich.console import Console

    return sys.stderr.isatty() and not Console(stderr=True).is_dumb_terminal


async def _told(run: Run, tell: Callable[[events.LoggedEvent, str], None]) -> None:
    async for logged in run.tail():
        tell(logged, one_line(describe(logged.event)))


def _print_line(logged: events.LoggedEvent, line: str) -> None:
    typer.echo(f"{logged.progress:4.0%} {line}", err=True)


def _print_warning(logged: events.LoggedEvent, line: str) -> None:
    if isinstance(logged.event, events.Notice):
        typer.echo(line, err=True)


async def _live(run: Run) -> None:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn
    from rich.table import Column
    from rich.text import Text

    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    latest = TextColumn(
        "{task.description}",
        markup=False,
        table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1),
    )
    columns = (SpinnerColumn(), BarColumn(20), TaskProgressColumn(), latest)
    # Only stderr: what goes to stdout is not to be written around the live line.
    with Progress(
        *columns, console=console, transient=True, expand=True, redirect_stdout=False
    ) as progress:
        task = progress.add_task("Starting", total=1.0)

        def tell(logged: events.LoggedEvent, line: str) -> None:
            progress.update(task, completed=logged.progress, description=line)
            if _warns(logged):
                progress.console.print(Text.assemble(("! ", "bold yellow"), line))
            elif isinstance(logged.event, _STEPS):
                step = Text.assemble(("✓ ", "green"), line)
                progress.console.print(step, no_wrap=True, overflow="ellipsis")

        await _told(run, tell)
    console.print()  # what stdout shows next begins behind a blank line


def _warns(logged: events.LoggedEvent) -> bool:
    event = logged.event
    lost = isinstance(event, events.SourceSearched) and event.outcome == "unavailable"
    return lost or isinstance(event, events.Notice)
