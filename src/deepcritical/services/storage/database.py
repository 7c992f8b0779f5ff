"""Runs transactions in the database: SQLite for one machine, PostgreSQL for many.

The engine is synchronous, and every transaction is one call in a thread of its own: so it serves
any event loop, and a caller that is cancelled never leaves a transaction half done. Nothing is
imported, opened or migrated before the first transaction (docs/decisions/0009).
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from deepcritical.domain.errors import StorageError
from deepcritical.services.imports import Lazy
from deepcritical.services.storage.database_problems import (
    INTEGRITY_S,
    check_integrity,
    check_place,
    problem_of,
)
from deepcritical.services.storage.database_url import sqlite_file

if TYPE_CHECKING:
    import sqlalchemy

    from deepcritical.services.storage import engines as engines
    from deepcritical.services.storage import schema as schema

    sa = sqlalchemy
else:  # the library of the database is the heaviest part of a process that has one
    sa = Lazy("sqlalchemy")
    engines = Lazy("deepcritical.services.storage.engines")
    schema = Lazy("deepcritical.services.storage.schema")

P = ParamSpec("P")
T = TypeVar("T")

THREADS = 4
"""Transactions of this process that may be under way at once; with SQLite, those that read."""
BUSY_S = 5.0
"""Time that SQLite waits for another process's transaction before it says that it is locked."""
ATTEMPTS = 4
"""Attempts at a transaction that the database refuses for the moment."""
_PAUSE_S = 0.1
_NO_CHANGE = "UPDATE schema_migrations SET name = name WHERE name = ''"
"""A statement that a read-only database refuses."""
_MIGRATION_LOCK = 0x6463  # any number, as long as every version takes the same one


class Database:
    """Runs transactions, each in a thread; the first one opens and migrates.

    Args:
        url: A normalised address, see `normalised_url`.
        of_newer: Whether one that a newer version has migrated may be used, for tables that no
            version changes.
    """

    def __init__(self, url: str, *, of_newer: bool = False) -> None:
        self._url = url
        self._of_newer = of_newer
        self._file = sqlite_file(url)
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="database")
        # Guards `_opened`: threads that come first at once must not migrate twice.
        self._opening = threading.Lock()
        self._opened: sa.Engine | None = None
        self._closed = False
        # SQLite has one writer: those of this process wait here and not by polling the file, and
        # who only reads does not wait behind them.
        self._writers = ThreadPoolExecutor(1, "database-writer") if self._file else self._threads

    @property
    def url(self) -> str:
        """The normalised address; it may hold a password."""
        return self._url

    @property
    def name(self) -> str:
        """The file, or the server without its password."""
        return str(self._file) if self._file else _without_password(self._url)

    def check(self) -> None:
        """Find out quickly, and before anybody waits, whether the database can be used.

        Raises:
            ConfigurationError: The driver is not installed.
            StorageError: The database cannot be reached or written, or is damaged as far as that
                can be seen within `INTEGRITY_S`.
        """
        if self._file is None:
            self._engine().dispose()  # who never has a transaction need not close anything
            return
        try:
            self._make_folder(self._file)
            # Without the engine, whose import costs more than all else that starts the page.
            with closing(sqlite3.connect(self._file, timeout=BUSY_S)) as connection:
                connection.execute("BEGIN IMMEDIATE")
                connection.execute("CREATE TABLE probe (made INTEGER)")
                connection.rollback()
            check_integrity(self._file, INTEGRITY_S)
        except (OSError, sqlite3.Error) as error:
            raise problem_of(error, self.name, self._file) from error

    def probe(self, within_s: float) -> str:
        """Return what was found out about the database, which is not changed. Blocks.

        Raises:
            ConfigurationError, StorageError: As of `check`.
        """
        if self._file is None:
            return f"PostgreSQL {check_server(self._url, within_s)} can be written"
        if not self._file.exists():
            check_place(self._file, self.name)
            return "nothing is kept there yet; the first run makes it"
        self.check()
        try:
            whole = check_integrity(self._file, within_s)
        except sqlite3.Error as error:
            raise problem_of(error, self.name, self._file) from error
        return (
            "can be written, undamaged" if whole else "can be written, too large to be read whole"
        )

    async def write(self, work: Callable[[sa.Connection], T]) -> T:
        """Run one writing transaction; it is done or not done, also when the caller is cancelled.

        Raises:
            StorageError: The database cannot be used.

        The work may run several times, each time from the beginning.
        """
        return await self._in_thread(work, writing=True)

    async def answers(self) -> bool:
        """Return whether it can be written; this raises nothing."""
        try:
            await self.write(lambda connection: connection.exec_driver_sql(_NO_CHANGE).close())
        except StorageError:
            return False
        return True

    async def read(self, work: Callable[[sa.Connection], T]) -> T:
        """Run one reading transaction; errors as of `write`."""
        return await self._in_thread(work, writing=False)

    async def at_once(self, work: Callable[[sa.Connection], T]) -> T:
        """Run statements, each of which is a transaction of its own; errors as of `write`.

        Of PostgreSQL: no lock outlives a statement, even if this process is stopped within `work`.
        """
        return await self._in_thread(work, isolation_level="AUTOCOMMIT")

    async def close(self) -> None:
        """Wait for what is under way, and close every connection."""
        self._closed = True
        for threads in (self._writers, self._threads):
            await asyncio.to_thread(threads.shutdown)
        if self._opened is not None:
            await asyncio.to_thread(self._opened.dispose)

    async def _in_thread(
        self, work: Callable[[sa.Connection], T], *, writing: bool = False, **options: str
    ) -> T:
        if self._closed:
            raise StorageError(f"The database {self.name} is closed: the program is ending.")
        loop = asyncio.get_running_loop()
        begin = {"begin": "BEGIN IMMEDIATE"} if writing else {}
        threads = self._writers if writing else self._threads
        return await loop.run_in_executor(threads, self._run, work, begin | options)

    def _run(self, work: Callable[[sa.Connection], T], options: dict[str, str]) -> T:
        engine = self._engine()

        def attempt() -> T:
            with engine.connect().execution_options(**options) as connection, connection.begin():
                return work(connection)

        return self._retried(attempt)

    def _retried(self, attempt: Callable[[], T]) -> T:
        for number in range(1, ATTEMPTS + 1):
            try:
                return attempt()
            except engines.ERRORS as error:
                if number == ATTEMPTS or not engines.is_momentary(error):
                    raise problem_of(error, self.name, self._file) from error
                time.sleep(_PAUSE_S * number)
        raise AssertionError("the last attempt returns or raises")

    def _engine(self) -> sa.Engine:
        with self._opening:
            if self._opened is None:
                self._opened = self._migrated()
            return self._opened

    def _migrated(self) -> sa.Engine:
        def attempt() -> None:
            if self._file:
                self._make_folder(self._file)
            with engines.alone(engine, _MIGRATION_LOCK) as connection:
                schema.migrate(connection, of_newer=self._of_newer)

        engine = engines.engine_of(self._url, threads=THREADS + 1, busy_s=BUSY_S)
        try:
            self._retried(attempt)
        except BaseException:
            engine.dispose()
            raise
        return engine

    @staticmethod
    def _make_folder(file: Path) -> None:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # questions are private


class Stored:
    """A store of tables; every method raises StorageError when the database cannot be used."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def close(self) -> None:
        """Close the database."""
        await self.database.close()


Query = Callable[Concatenate["sa.Connection", P], T]
Method = Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]


def reads(query: Query[P, T]) -> Method[P, T]:
    """Return the method of a `Stored` that runs a query in a transaction of its own."""

    async def method(self: Stored, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.database.read(lambda connection: query(connection, *args, **kwargs))

    return method


def writes(query: Query[P, T]) -> Method[P, T]:
    """Return the like of `reads` for a query that writes, which may run several times."""

    async def method(self: Stored, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.database.write(lambda connection: query(connection, *args, **kwargs))

    return method


def check_server(url: str, within_s: float) -> str:
    """Return the version of a PostgreSQL server that can be written; '' for a file. Blocks.

    Raises:
        StorageError: It does not answer within so many seconds, or refuses.
    """
    if sqlite_file(url):
        return ""
    engine = engines.probing_engine_of(url, within_s=within_s)
    try:
        with engine.connect() as connection, connection.begin() as transaction:
            version = engines.write_nothing(connection)
            transaction.rollback()
    except engines.ERRORS as error:
        raise problem_of(error, _without_password(url)) from error
    finally:
        engine.dispose()
    return version


def _without_password(url: str) -> str:
    scheme, _, rest = url.partition("://")
    return f"{scheme.partition('+')[0]}://{rest.rpartition('@')[2].partition('?')[0]}"
