"""How the command ends: the exit code of each error, and what is said of it."""

from __future__ import annotations

import traceback

import typer

from deepcritical.domain import errors
from deepcritical.domain.markdown import visible

__all__ = ["EXIT_CODES", "INTERRUPTED", "NO_EVIDENCE", "exit_code"]

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
