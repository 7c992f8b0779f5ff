"""Where commands print what they were asked for."""

from __future__ import annotations

import json
import os
import sys
from unicodedata import category

from deepcritical.domain.errors import StorageError

__all__ = ["file_to_stdout", "plain_json", "to_stdout"]


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
