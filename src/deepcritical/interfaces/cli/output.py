"""Prints and writes results of commands, opens the database that they read, and ends them."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import traceback
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from unicodedata import category

import typer

from deepcritical.domain import errors
from deepcritical.domain.base import first_invalid
from deepcritical.domain.errors import ConfigurationError, SnapshotCorruptError, StorageError
from deepcritical.domain.text.markdown import visible
from deepcritical.export.formats import ANSWER_FORMATS, FORMATS, formats_of, is_answer
from deepcritical.export.imprint import Imprint
from deepcritical.services.imports import Later

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deepcritical import bootstrap as bootstrap
    from deepcritical.domain.report.answer import Document
    from deepcritical.services.storage.database import Stored
    from deepcritical.settings import Settings
else:  # `--help`, and a question that is refused, must not wait for the framework
    bootstrap = Later("deepcritical.bootstrap")


Opened = TypeVar("Opened", bound="Stored")
T = TypeVar("T")


def from_database(
    opening: Callable[[Settings], Opened | None], use: Callable[[Opened], Awaitable[T]]
) -> T:
    """Return the result of using the database of the settings, and close it.

    Raises:
        ConfigurationError: No database is set.
    """

    async def used() -> T:
        opened = await asyncio.to_thread(lambda: opening(bootstrap.read_settings()))
        if opened is None:
            raise ConfigurationError(
                "Nothing is kept here.", "Set DATABASE_URL to name a database."
            )
        try:
            return await use(opened)
        finally:
            await opened.close()

    return asyncio.run(used())


def print_json(value: object) -> None:
    """Print a value as `plain_json`, indented."""
    typer.echo(plain_json(json.dumps(value, ensure_ascii=False, indent=2)))


def plain_json(written: str) -> str:
    """JSON in which nothing can steer a terminal, or hide or turn round what it shows.

    Control and format characters, which are in strings alone, become escapes of JSON.
    """
    return "".join(map(_escaped, written))


def _escaped(character: str) -> str:
    harmless = character == "\n" or category(character) not in ("Cc", "Cf", "Zl", "Zp")
    return character if harmless else json.dumps(character).strip('"')


def file_to_stdout(suffix: str, content: bytes) -> None:
    """Print a file of a report as it is; JSON on a terminal as `plain_json`.

    Raises:
        StorageError: Nobody takes it.
    """
    if suffix.endswith("json") and sys.stdout.isatty():
        content = plain_json(content.decode()).encode()
    to_stdout(content)


def to_stdout(content: str | bytes) -> None:
    """Print a report; bytes go out as they are.

    Raises:
        StorageError: Nobody takes it.
    """
    try:
        if isinstance(content, bytes):
            sys.stdout.buffer.write(content)
        else:
            sys.stdout.write(content)
        sys.stdout.flush()
    except OSError as error:
        # What is left in the buffer must not fail once more at exit.
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - open until exit
        raise StorageError(
            f"The report cannot be written to the output: {error.strerror}.", "Use --out."
        ) from error


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


REPORT_FILES = tuple(f"report.{suffix}" for suffix in FORMATS)
ANSWER_FILES = tuple(f"answer.{suffix}" for suffix in ANSWER_FORMATS)
_ADVICE = (
    "Give the report.json that `deepcritical research --out FOLDER` of this version writes, or the "
    "answer.json of `deepcritical ask`."
)


def write_report(
    report: Document, imprint: Imprint, folder: Path, more: Mapping[str, bytes] | None = None
) -> list[str]:
    """Write a report in all its formats, when all of them are made, and further files; their names.

    Raises:
        StorageError: A file cannot be written.
    """
    written = _made(report, imprint) | dict(more or {})
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in written.items():
            (folder / name).write_bytes(content)
    except OSError as error:
        raise StorageError(
            f"The report cannot be written to {folder}: {error.strerror}.",
            "Choose another folder with --out.",
        ) from error
    return list(written)


def _made(report: Document, imprint: Imprint) -> dict[str, bytes]:
    name, forms = "answer" if is_answer(report) else "report", formats_of(report)
    return {f"{name}.{suffix}": form.render(report, imprint) for suffix, form in forms.items()}


def read_report(path: Path) -> tuple[Document, Imprint]:
    """Read a report.json or an answer.json.

    Raises:
        SnapshotCorruptError: The file cannot be read, or holds no report.
    """
    # Imported late: `--help` must not wait for the report's many fields.
    from pydantic import ValidationError

    from deepcritical.export.writers import from_json

    try:
        return from_json(path.read_text(encoding="utf-8"))
    except OSError as error:
        why = f"The report {path} cannot be read: {error.strerror}."
        raise SnapshotCorruptError(why, _ADVICE) from error
    except ValidationError as error:
        where, what, _ = first_invalid(error)
        why = f"{path.name} is no report: {where or 'the file'}: {what}."
        raise SnapshotCorruptError(why, _ADVICE) from error
    except (ValueError, RecursionError) as error:
        raise SnapshotCorruptError(f"{path.name} is no report: {error}.", _ADVICE) from error
