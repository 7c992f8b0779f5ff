"""Prints results of commands, and opens the database that they read."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Protocol, TypeVar
from unicodedata import category

import typer

from deepcritical.domain.errors import ConfigurationError, StorageError

if TYPE_CHECKING:
    from deepcritical.settings import Settings


class _Closed(Protocol):
    @property
    def close(self) -> Callable[[], Awaitable[None]]: ...


Opened = TypeVar("Opened", bound=_Closed)
T = TypeVar("T")


def from_database(
    opening: Callable[[Settings], Opened | None], use: Callable[[Opened], Awaitable[T]]
) -> T:
    """Return the result of using the database of the settings, and close it.

    Raises:
        ConfigurationError: No database is set.
    """

    async def used() -> T:
        # Imported late: `--help` must not wait for it.
        from deepcritical.bootstrap import read_settings

        opened = await asyncio.to_thread(lambda: opening(read_settings()))
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
