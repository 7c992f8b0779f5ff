"""Shows the progress of a run on stderr: a live line on a terminal, else a line for each event."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

import typer

from deepcritical.domain import events
from deepcritical.domain.markdown import one_line

if TYPE_CHECKING:
    from deepcritical.domain.events import LoggedEvent
    from deepcritical.jobs.run import Run

_STEPS = (
    events.SourcesOpened,
    events.BudgetPlanned,
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


async def _told(run: Run, tell: Callable[[LoggedEvent, str], None]) -> None:
    from deepcritical.interfaces.render import describe

    async for logged in run.tail():
        tell(logged, one_line(describe(logged.event)))


def _print_line(logged: LoggedEvent, line: str) -> None:
    typer.echo(f"{logged.progress:4.0%} {line}", err=True)


def _print_warning(logged: LoggedEvent, line: str) -> None:
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

        def tell(logged: LoggedEvent, line: str) -> None:
            progress.update(task, completed=logged.progress, description=line)
            if _warns(logged):
                progress.console.print(Text.assemble(("! ", "bold yellow"), line))
            elif isinstance(logged.event, _STEPS):
                step = Text.assemble(("✓ ", "green"), line)
                progress.console.print(step, no_wrap=True, overflow="ellipsis")

        await _told(run, tell)
    console.print()  # what stdout shows next begins behind a blank line


def _warns(logged: LoggedEvent) -> bool:
    event = logged.event
    lost = isinstance(event, events.SourceSearched) and event.outcome == "unavailable"
    return lost or isinstance(event, events.Notice)
