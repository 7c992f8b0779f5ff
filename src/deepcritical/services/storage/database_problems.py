"""Turns a database's errors into messages that say what happened and what to do.

SQLite tells by its error codes, PostgreSQL by SQLSTATE, the operating system by errno.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from deepcritical.domain import errors

INTEGRITY_S = 0.3
"""Time that the start of a process looks for damage: enough for a file of some 100 MB."""
_STEPS = 20_000
"""Steps of SQLite's machine after which it asks whether to go on."""
_SQLITE: dict[int, type[errors.StorageError]] = {
    sqlite3.SQLITE_CORRUPT: errors.DatabaseDamagedError,
    sqlite3.SQLITE_NOTADB: errors.DatabaseDamagedError,
    sqlite3.SQLITE_READONLY: errors.DatabaseReadOnlyError,
    sqlite3.SQLITE_FULL: errors.DatabaseFullError,
    sqlite3.SQLITE_CANTOPEN: errors.DatabaseUnreachableError,
}
_SQLSTATES: dict[str, type[errors.StorageError]] = {
    "53100": errors.DatabaseFullError,
    "25006": errors.DatabaseReadOnlyError,
    "XX001": errors.DatabaseDamagedError,
    "XX002": errors.DatabaseDamagedError,
}
_ERRNOS: dict[int, type[errors.StorageError]] = {
    errno.ENOSPC: errors.DatabaseFullError,
    errno.EDQUOT: errors.DatabaseFullError,
    errno.EROFS: errors.DatabaseReadOnlyError,
    errno.EACCES: errors.DatabaseReadOnlyError,
    errno.EPERM: errors.DatabaseReadOnlyError,
    errno.ENOTDIR: errors.DatabaseUnreachableError,
    errno.EEXIST: errors.DatabaseUnreachableError,
    errno.ENOENT: errors.DatabaseUnreachableError,
}
_WORDS: dict[type[errors.StorageError], tuple[str, str]] = {
    errors.DatabaseDamagedError: (
        "is damaged",
        "Restore it from a backup, or name another database in DATABASE_URL. "
        "The command `sqlite3 FILE .recover` saves what can still be read.",
    ),
    errors.DatabaseReadOnlyError: (
        "can only be read",
        "Mount its disk for writing, give this user the right to write the file and its folder, "
        "or name another database in DATABASE_URL.",
    ),
    errors.DatabaseFullError: (
        "cannot be written, as its disk is full",
        "Make room on the disk, then resume the run; what was kept before is still there. "
        "Or name a database elsewhere in DATABASE_URL.",
    ),
    errors.DatabaseUnreachableError: (
        "cannot be reached",
        "Correct the address in DATABASE_URL, and start the server if it is that of one. With an "
        "empty address nothing is kept.",
    ),
}
_AWAY = ("connection failed", "connection timeout", "failed to resolve host")
"""Words of PostgreSQL's library on a server that it cannot talk to."""
_LOCKED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def said_by(error: BaseException) -> str:
    """Return what the database says, without the statement and its values."""
    cause = _cause(error)
    return " ".join(str(getattr(cause, "strerror", None) or cause).split()).rstrip(".?")


def kind_of(error: BaseException, file: Path | None = None) -> type[errors.StorageError]:
    """Return the class of error for what a database, or the disk under it, refuses."""
    cause = _cause(error)
    if (code := getattr(cause, "sqlite_errorcode", None)) is not None:
        kind = _SQLITE.get(code & 0xFF, errors.StorageError)
        if code & 0xFF == sqlite3.SQLITE_IOERR and file and _is_full(file.parent):
            return errors.DatabaseFullError  # of its log or index SQLite says no more than that
        if kind is errors.DatabaseUnreachableError and file and _only_read(file):
            return errors.DatabaseReadOnlyError
        return kind
    if state := getattr(cause, "sqlstate", None):
        return _SQLSTATES.get(state, errors.StorageError)
    if isinstance(cause, OSError):
        return _ERRNOS.get(cause.errno or 0, errors.StorageError)
    lost = getattr(error, "connection_invalidated", False)
    away = any(words in str(cause) for words in _AWAY)
    return errors.DatabaseUnreachableError if lost or away else errors.StorageError


def problem_of(error: BaseException, name: str, file: Path | None = None) -> errors.StorageError:
    """Return the error for users of a database that cannot be used.

    The name is the file, or the address without its password.
    """
    words, code = said_by(error), getattr(_cause(error), "sqlite_errorcode", 0) & 0xFF
    if code in _LOCKED or "locked" in words:
        return errors.DatabaseBusyError(
            f"The database {name} is locked by another process.", "Try again when that one is done."
        )
    kind = kind_of(error, file)
    if code == sqlite3.SQLITE_IOERR and kind is errors.StorageError:
        return errors.StorageError(
            f"The disk of the database {name} refuses to be read or written: {words}.",
            "Make room on it and check it, or name a database elsewhere in DATABASE_URL.",
        )
    what, advice = _WORDS.get(kind, ("cannot be used", _WORDS[errors.DatabaseUnreachableError][1]))
    if code == sqlite3.SQLITE_NOTADB:
        what, advice = (
            "is no database",
            "Name another file in DATABASE_URL; this one is left alone.",
        )
    return kind(f"The database {name} {what}: {words}.", advice)


def check_integrity(file: Path, within_s: float) -> bool:
    """Look for damage in a SQLite file for so long at most; return whether all of it was seen.

    Raises:
        sqlite3.DatabaseError: It is damaged.
    """
    until = time.monotonic() + within_s
    with closing(sqlite3.connect(file)) as connection:
        connection.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
        try:
            (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
                raise
            return False
    if found != "ok":
        damage = sqlite3.DatabaseError(" ".join(found.split()))
        damage.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise damage
    return True


def check_place(file: Path, name: str) -> None:
    """Find out whether a SQLite file that is not there yet can be made.

    Raises:
        StorageError: It cannot.
    """
    folder = next(parent for parent in file.parents if parent.exists())
    if not folder.is_dir():
        raise problem_of(NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)), name)
    if _only_read(folder / file.name):
        raise problem_of(PermissionError(errno.EACCES, os.strerror(errno.EACCES)), name)
    if _is_full(folder):
        raise problem_of(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), name)


def _is_full(folder: Path) -> bool:
    return folder.is_dir() and not os.statvfs(folder).f_bavail


def _cause(error: BaseException) -> BaseException:
    """Return what the library of a database raised, beneath what SQLAlchemy made of it."""
    return getattr(error, "orig", None) or error


def _only_read(file: Path) -> bool:
    """Return whether a file, or the folder in which SQLite keeps its log, cannot be written."""
    folder = file.parent
    if not folder.is_dir():
        return False
    mounted_so = os.statvfs(folder).f_flag & os.ST_RDONLY
    return bool(mounted_so) or not os.access(folder, os.W_OK)
