"""Ends commands: exit codes, error messages, and signals."""

from __future__ import annotations

import asyncio
import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

from deepcritical.domain import errors
from deepcritical.domain.markdown import visible

NO_EVIDENCE = 3
INTERRUPTED = 130
EXIT_CODES: tuple[tuple[type[BaseException], int], ...] = (
    (errors.EmptyQuestionError, 4),
    (errors.QuestionTooLongError, 5),
    (errors.QuestionDeclinedError, 17),
    (errors.QuestionError, 6),
    (errors.SnapshotNotFoundError, 7),
    (errors.SnapshotCorruptError, 8),
    (errors.PlanError, 16),
    (errors.ConfigurationError, 9),
    (errors.SearchError, 10),
    (errors.TraceNotFoundError, 14),
    (errors.DatabaseDamagedError, 18),
    (errors.DatabaseReadOnlyError, 19),
    (errors.DatabaseFullError, 20),
    (errors.DatabaseUnreachableError, 21),
    (errors.StorageError, 11),
    (errors.BudgetExceeded, 12),
    (errors.ClaimsUnsupportedError, 13),
    (errors.ChecksFailedError, 15),
    (errors.DeepCriticalError, 1),
)
"""Exit code of each error; the first class that fits counts."""


def exit_code(error: BaseException) -> int:
    """Tell the user what happened, on stderr; the code that the command ends with."""
    if isinstance(error, errors.ResearchCancelled):
        typer.echo("Interrupted.", err=True)
        return INTERRUPTED
    if isinstance(error, errors.DeepCriticalError):
        typer.echo(visible(f"Error: {error}"), err=True)
        return next(code for kind, code in EXIT_CODES if isinstance(error, kind))
    typer.echo("".join(traceback.format_exception(error)[-2:]), err=True)
    typer.echo(
        f"Internal error ({type(error).__name__}). This is a defect of DeepCritical: "
        "please report it with the lines above.",
        err=True,
    )
    return 1


@contextmanager
def resumable(run_id: str, *, is_kept: bool) -> Iterator[None]:
    """Print the id of a run that is cancelled within, and how to go on with it."""
    try:
        yield
    except errors.ResearchCancelled:
        if is_kept:
            told = f"The run {run_id} is kept. Go on with it: deepcritical traces resume {run_id}"
            typer.echo(told, err=True)
        raise


def on_signals(stop: Callable[[], object]) -> None:
    """The first signal ends the run in its own way, with a complete log; the next one at once.

    Must be called within a running event loop.
    """
    loop = asyncio.get_running_loop()

    def first(signum: int) -> None:
        stop()
        loop.remove_signal_handler(signum)
        # Python's own handler would wait for the thread in hand.
        signal.signal(signum, signal.SIG_DFL)

    for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(signum, first, signum)
