"""The command ``admin``: shows queue, workers, stuck runs and counts; it changes nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from deepcritical.domain.text.markdown import visible
from deepcritical.interfaces.cli.output import from_database, print_json

if TYPE_CHECKING:
    from pydantic import BaseModel

    from deepcritical.services.storage.operations import Operations

Row = TypeVar("Row", bound="BaseModel")

admin = typer.Typer(
    help="The runs and workers of all users, to look at: queue, workers, stuck, counts.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@admin.command()
def queue(as_json: _Json = False) -> None:
    """Show how many runs wait for their first step, by user, and the longest wait.

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
    """Show the workers with their last sign of life and the runs that they have under way."""
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
    """Show the runs that may need somebody: lost, taken over often, overdue, silent.

    A run is shown once for each reason.
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
    """Count the runs that were asked within the last day, by tool and state."""
    found = _read(lambda seen: seen.counts())
    _print(
        found,
        ("tool", "status", "runs"),
        lambda row: (row.tool_name, row.status.value, str(row.runs)),
        as_json=as_json,
        nothing="No run was asked within the last day.",
    )


def _read(ask: Callable[[Operations], Awaitable[tuple[Row, ...]]]) -> tuple[Row, ...]:
    from deepcritical.bootstrap import open_operations

    return from_database(open_operations, ask)


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
