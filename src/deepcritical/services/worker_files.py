"""Which process of a machine has the runs of a SQLite file to itself."""

from __future__ import annotations

import os
from pathlib import Path
from uuid import uuid4

from deepcritical.domain.errors import StorageError

LOCAL_WORKER = "local"
"""The first process on a file: the next one of this name goes on at once with what it left."""


class WorkerName:
    """The name of a worker, for as long as it lives.

    A second process of the same name would take the runs of the first away from it, so the name of
    a file's first process is bound to a lock, which the system lifts even when a process is killed.

    Args:
        file: The SQLite file; None for a server, which many machines share.

    Raises:
        StorageError: There is no place for the lock.
    """

    def __init__(self, file: Path | None) -> None:
        self._lock = _locked(file.with_name(f"{file.name}.lock")) if file else None
        self.name = str(uuid4()) if self._lock is None else LOCAL_WORKER

    def close(self) -> None:
        """Give the name back."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _locked(path: Path) -> int | None:
    """The descriptor of a file that is locked; None where another process has it."""
    try:
        import fcntl
    except ImportError:  # not a system with such locks: every process has a name of its own
        return None
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StorageError(
            f"The database of runs cannot be locked: {path}: {error.strerror}.",
            "Name a file in a folder that can be written in DATABASE_URL.",
        ) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor
