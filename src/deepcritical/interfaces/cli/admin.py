"""The commands of whoever operates it, which change nothing.

``doctor`` checks what a run needs, with advice on each problem; ``admin`` shows queue, workers,
stuck runs and counts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import UTC, datetime
from importlib import metadata
from platform import python_version
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from deepcritical.domain.checks import Check, CheckState
from deepcritical.domain.errors import ChecksFailedError
from deepcritical.domain.text.markdown import visible
from deepcritical.interfaces.cli import options
from deepcritical.interfaces.cli.output import bootstrap, from_database, print_json

if TYPE_CHECKING:
    from pydantic import BaseModel

    from deepcritical.services.storage.operations import Operations

Row = TypeVar("Row", bound="BaseModel")

admin = typer.Typer(
    help="Look at the runs and workers of all users.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@admin.command()
def queue(as_json: _Json = False) -> None:
    """Show how many runs wait, by user, and the longest wait.

    They wait for their first step.

    Exit codes of all `admin` commands: 0 done; 2 wrong usage; 9 wrong setting; 11 the database
    cannot be read, or is of another version.
    """
    found = _read(lambda seen: seen.waiting())
    _print(
        found,
        ("user", "runs", "oldest wait"),
        lambda row: (row.user_id, str(row.runs), _seconds(row.oldest_wait_s)),
        as_json=as_json,
        nothing="No run waits.",
    )


@admin.command()
def workers(as_json: _Json = False) -> None:
    """Show the workers and their runs.

    With the last sign of life of each.
    """
    found = _read(lambda seen: seen.workers())
    _print(
        found,
        ("worker", "sign of life", "state", "takes runs", "runs"),
        lambda row: (
            row.name,
            f"{_seconds(row.beat_s)} ago",
            "alive" if row.alive else "lost",
            "yes" if row.conducts else "no",
            str(row.runs),
        ),
        as_json=as_json,
        nothing="No worker is alive.",
    )


@admin.command()
def stuck(
    silent_s: Annotated[
        float, typer.Option(min=1, help="Seconds without an event that make a run silent.")
    ] = 300.0,
    as_json: _Json = False,
) -> None:
    """Show the runs that may need somebody.

    Lost, taken over often, overdue, silent. A run is shown once for each reason.
    """
    now = datetime.now(UTC)
    found = _read(lambda seen: seen.stuck(silent_s))
    _print(
        found,
        ("run", "because", "heard", "take-overs", "tool", "user", "worker"),
        lambda row: (
            row.run_id,
            row.because.value,
            f"{_seconds((now - row.heard_at).total_seconds())} ago",
            str(row.takeovers),
            row.tool_name,
            row.user_id,
            row.worker or "-",
        ),
        as_json=as_json,
        nothing="No run is stuck.",
    )


@admin.command()
def counts(as_json: _Json = False) -> None:
    """Count the runs of the last day, by tool and state."""
    found = _read(lambda seen: seen.counts())
    _print(
        found,
        ("tool", "status", "runs"),
        lambda row: (row.tool_name, row.status.value, str(row.runs)),
        as_json=as_json,
        nothing="No run was asked within the last day.",
    )


def _read(ask: Callable[[Operations], Awaitable[tuple[Row, ...]]]) -> tuple[Row, ...]:
    return from_database(bootstrap.open_operations, ask)


def _print(
    rows: Sequence[Row],
    header: Sequence[str],
    cells: Callable[[Row], Sequence[str]],
    *,
    as_json: bool,
    nothing: str,
) -> None:
    if as_json:
        print_json([row.model_dump(mode="json") for row in rows])
        return
    if not rows:
        typer.echo(nothing, err=True)
        return
    for line in _table([header, *map(cells, rows)]):
        typer.echo(line)


def _table(lines: Iterable[Sequence[str]]) -> Iterable[str]:
    """Columns as wide as their widest cell, two spaces between them."""
    shown = [[visible(cell) for cell in line] for line in lines]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    for line in shown:
        padded = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        yield "  ".join(padded).rstrip()


def _seconds(seconds: float) -> str:
    """A time that people read at a glance, as '3 h 20 min'."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


WITHIN_S = 9.0
"""Seconds that each check gets by default; all are made at once."""
_COLOURS = {CheckState.OK: "green", CheckState.PROBLEM: "red", CheckState.SKIPPED: "yellow"}


def doctor(
    model: options.ModelName = None,
    model_base_url: options.BaseUrl = None,
    ask_key: options.AskKey = False,
    snapshot: options.Snapshot = None,
    sources: options.Sources = None,
    within_s: Annotated[
        float,
        typer.Option("--within", min=1, help="Seconds that each check gets; all are made at once."),
    ] = WITHIN_S,
    as_json: Annotated[bool, typer.Option("--json", help="Print the checks as JSON.")] = False,
) -> None:
    """Check what a run needs, with advice for each part.

    Settings, model, sources, database, files.

    The model is asked one question, each source for one record; the database and the vector index
    are opened. All is done at once, within about 10 s. It ends with 0 when no check found a
    problem, and with 15 when one did. The manager and the collector of spans are not looked at.
    """
    # Imported late: `--help` must not wait for them.
    from deepcritical.interfaces.cli.checks import examined

    asked = options.chosen_model(model, model_base_url, ask_key)
    checks = asyncio.run(examined(asked, options.chosen(snapshot, sources), within_s))
    problems = [check.name for check in checks if check.state is CheckState.PROBLEM]
    if as_json:
        told = [check.model_dump(mode="json") for check in checks]
        versions = {"version": metadata.version("deepcritical"), "python": python_version()}
        print_json({**versions, "works": not problems, "checks": told})
    else:
        typer.echo(_as_text(checks))
    if problems:
        raise ChecksFailedError(
            f"{len(problems)} of {len(checks)} checks found a problem: {', '.join(problems)}."
        )


def _as_text(checks: Sequence[Check]) -> str:
    head = f"DeepCritical {metadata.version('deepcritical')}, Python {python_version()}"
    width = max(len(check.name) for check in checks)
    return "\n".join((head, *(_line(check, width) for check in checks)))


def _line(check: Check, width: int) -> str:
    state = typer.style(f"{check.state.value:8}", fg=_COLOURS[check.state])
    line = f"{state}{check.name:{width}}  {visible(check.detail)}"
    return f"{line}\n{'':{width + 10}}→ {visible(check.advice)}" if check.advice else line
