"""Where commands print what they were asked for."""

from __future__ import annotations

import os
import sys

from deepcritical.domain.errors import StorageError

__all__ = ["to_stdout"]


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
