"""The database itself: migrations, several processes, a lock, a full disk, lost connections."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from deepcritical.domain.errors import DatabaseDamagedError, DatabaseUnreachableError, StorageError
from deepcritical.domain.run.events import Notice, Stage
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.database_url import normalised_url, sqlite_file
from deepcritical.services.storage.engines import alone, engine_of
from deepcritical.services.storage.schema import METADATA, MIGRATIONS, migrate
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from tests.conformance.test_traces import numbered
from tests.conftest import ROOT
from tests.databases import TERMINATE, fresh_database, on_server
from tests.servers.commands import forked_module

OLD = """
INSERT INTO users VALUES ('local', NULL, '2999-01-01 00:00:00');
INSERT INTO tool_traces VALUES (
    '00000000-0000-4000-8000-000000000000', 'local', NULL, 'research', '{"question": "made"}',
    'in_progress', 0.5, 'search', '{}', NULL, '', '2999-01-01 00:00:00', NULL, NULL, '{}');
INSERT INTO tool_traces VALUES (
    '00000000-0000-4000-8000-000000000001', 'local', NULL, 'research', '{"question": "other"}',
    'pending', 0.0, '', '{}', NULL, '', '2999-01-01 00:00:00', NULL, NULL, '{}')
"""
OLD_ID = "00000000-0000-4000-8000-000000000000"


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An empty database, of one kind after the other."""
    with fresh_database(request.param, tmp_path) as url:
        yield url


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "runs.sqlite"


def service(file: Path) -> ToolTraceService:
    return ToolTraceService(Database(normalised_url(f"sqlite:///{file}")))


def engine(url: str) -> sa.Engine:
    return engine_of(url, threads=2, busy_s=5.0)


def old_database(url: str) -> tuple[Notice, ...]:
    """A database of the first version with two traces and three events, two of them alike."""
    told = (Notice(message="a"), Notice(message="a"), Notice(message="b"))
    insert = sa.text(
        "INSERT INTO trace_events VALUES (:id, :seq, '2999-01-01 00:00:00', 'search', 0.5, :event)"
    )
    made = engine(url)
    with alone(made, 1) as connection:
        migrate(connection, ["0001_traces"])
        for statement in OLD.split(";"):
            connection.exec_driver_sql(statement)
        for seq, event in enumerate(told, 1):
            row = {"id": OLD_ID, "seq": seq, "event": event.model_dump_json()}
            connection.execute(insert, row)
    made.dispose()
    return told


class TestMigrations:
    def test_they_come_to_the_tables_that_the_code_knows(self, url: str) -> None:
        made = engine(url)
        with alone(made, 1) as connection:
            assert migrate(connection) == tuple(MIGRATIONS)
            assert migrate(connection) == ()
            found = compare_metadata(MigrationContext.configure(connection), METADATA)
        made.dispose()
        assert [change for change in found if "schema_migrations" not in str(change)] == []

    async def test_old_runs_are_kept_and_get_their_keys(self, url: str) -> None:
        told = await asyncio.to_thread(old_database, url)
        traces = ToolTraceService(Database(url))
        assert [logged.event for logged in await traces.events(OLD_ID)] == list(told)
        assert len(await traces.list_traces()) == 2
        # A run that is taken up anew tells the same again, and then goes on.
        again = numbered(OLD_ID, *told, Notice(message="c"))
        assert await traces.append_events(OLD_ID, again) == 1
        assert len(await traces.events(OLD_ID)) == 4
        await traces.close()

    async def test_a_migration_that_breaks_changes_nothing(
        self, url: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        told = await asyncio.to_thread(old_database, url)

        def broken(operations: Any) -> None:
            before(operations)
            operations.execute("INSERT INTO nowhere VALUES (1)")

        before = MIGRATIONS["0002_event_keys"]
        monkeypatch.setitem(MIGRATIONS, "0002_event_keys", broken)
        failing = ToolTraceService(Database(url))
        with pytest.raises(StorageError, match="nowhere"):
            await failing.events(OLD_ID)
        await failing.close()
        monkeypatch.undo()
        traces = ToolTraceService(Database(url))
        assert [logged.event for logged in await traces.events(OLD_ID)] == list(told)
        await traces.close()

    async def test_a_database_of_a_newer_version_is_left_alone(self, url: str) -> None:
        def from_the_future() -> None:
            made = engine(url)
            with alone(made, 1) as connection:
                migrate(connection)
                connection.exec_driver_sql(
                    "INSERT INTO schema_migrations VALUES ('9999_made', '2999-01-01 00:00:00')"
                )
            made.dispose()

        await asyncio.to_thread(from_the_future)
        traces = ToolTraceService(Database(url))
        with pytest.raises(StorageError, match=r"9999_made.*Update DeepCritical"):
            await traces.list_traces()
        await traces.close()
        beside = Database(url, of_newer=True)
        assert await beside.answers()
        await beside.close()

    @pytest.mark.slow
    def test_processes_that_start_at_once_migrate_once(self, url: str) -> None:
        opening = (
            "import sys; from deepcritical.services.storage.database import Database; "
            "Database(sys.argv[2])._engine()"
        )
        started = [
            subprocess.Popen(  # noqa: S603 - our own interpreter
                [*forked_module(), "tests.servers.program", opening, url],
                cwd=ROOT,
                stderr=subprocess.PIPE,
            )
            for _ in range(4)
        ]
        said = [process.communicate()[1].decode() for process in started]
        assert said == [""] * 4
        made = engine(url)
        with made.connect() as connection:
            applied = connection.exec_driver_sql("SELECT count(*) FROM schema_migrations").scalar()
        made.dispose()
        assert applied == len(MIGRATIONS)


FULL = """
import asyncio, sys
from deepcritical.domain.errors import ConfigurationError, StorageError
from deepcritical.domain.run.events import Notice, Stage
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.tool_trace_service import ToolTraceService

async def main(url):
    traces = ToolTraceService(Database(url))
    trace = await traces.create_trace("research", {"question": "made"})
    written = 0
    try:
        while True:
            await traces.append_event(trace.id, Notice(message="x" * 20_000), (Stage.SEARCH, 0.5))
            written += 1
    except StorageError as error:
        print(trace.id, written, error)

asyncio.run(main(sys.argv[1]))
"""
LIMITED = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))
"""
SMALL_DISK = 'mount -t tmpfs -o size=2m none "$1" || exit 77; shift; "$@"; cp "$DB"* "$KEPT"'


@pytest.mark.slow
class TestFullDisk:
    async def test_a_file_that_may_not_grow_loses_nothing_that_was_written(
        self, file: Path
    ) -> None:
        url = normalised_url(f"sqlite:///{file}")
        said = await asyncio.to_thread(printed, [sys.executable, "-c", LIMITED + FULL, url])
        await self.nothing_is_lost(file, said, "disk I/O error")

    async def test_nor_does_a_disk_that_is_full(self, tmp_path: Path) -> None:
        disk, kept = tmp_path / "disk", tmp_path / "kept"
        disk.mkdir()
        kept.mkdir()
        url = normalised_url(f"sqlite:///{disk / 'runs.sqlite'}")
        alone = ["unshare", "--map-root-user", "--mount", "sh", "-c", SMALL_DISK, "sh", str(disk)]
        places = {"DB": str(disk / "runs.sqlite"), "KEPT": str(kept)}
        said = await asyncio.to_thread(printed, [*alone, sys.executable, "-c", FULL, url], places)
        await self.nothing_is_lost(kept / "runs.sqlite", said, "disk is full")

    async def nothing_is_lost(self, file: Path, said: str, why: str) -> None:
        trace_id, written, words = said.split(" ", 2)
        assert why in words
        assert "Make room" in words
        assert int(written) > 10
        traces = service(file)  # there is room again
        events = await traces.events(trace_id)
        assert [logged.seq for logged in events] == list(range(1, int(written) + 1))
        await traces.append_event(trace_id, Notice(message="on"), (Stage.SEARCH, 0.6))
        await traces.close()


def printed(command: list[str], more: dict[str, str] | None = None) -> str:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    done = subprocess.run(  # noqa: S603 - our own command
        command, cwd=ROOT, env=os.environ | (more or {}), capture_output=True, check=False
    )
    if done.returncode == 77 or b"unshare" in done.stderr:
        pytest.skip(f"no disk can be mounted here: {done.stderr.decode().strip()}")
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


class TestCheck:
    def test_a_folder_is_made(self, tmp_path: Path) -> None:
        file = tmp_path / "new" / "folder" / "runs.sqlite"
        service(file).database.check()
        assert file.exists()

    @pytest.mark.parametrize("text", ["no database at all, but long enough to be read as one" * 9])
    def test_a_file_of_another_kind_is_refused(self, file: Path, text: str) -> None:
        file.write_text(text, encoding="utf-8")
        with pytest.raises(DatabaseDamagedError, match=r"not a database.*DATABASE_URL"):
            service(file).database.check()
        assert file.read_text(encoding="utf-8") == text

    def test_a_place_that_cannot_be_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("", encoding="utf-8")
        with pytest.raises(DatabaseUnreachableError, match="cannot be reached"):
            service(tmp_path / "file" / "runs.sqlite").database.check()

    async def test_after_its_end_nothing_is_taken(self, file: Path) -> None:
        traces = service(file)
        await traces.list_traces()
        await traces.close()
        with pytest.raises(StorageError, match="is closed"):
            await traces.list_traces()

    def test_a_server_that_does_not_answer_is_told_without_its_password(self) -> None:
        pytest.importorskip("psycopg")
        url = normalised_url("postgres://ada:made-up-secret@127.0.0.1:9/none")
        with pytest.raises(DatabaseUnreachableError) as caught:
            Database(url).check()
        assert "postgresql://127.0.0.1:9/none" in str(caught.value)
        assert "made-up-secret" not in str(caught.value)


async def test_a_server_that_drops_its_connections_costs_no_event() -> None:
    with fresh_database("postgresql", Path()) as url:
        traces = ToolTraceService(Database(url))
        trace = await traces.create_trace("research", {})
        for number in range(5):
            await traces.append_event(trace.id, Notice(message=str(number)), (Stage.SEARCH, 0.5))
            await asyncio.to_thread(on_server, TERMINATE.format(url.rpartition("/")[2]))
        assert len(await traces.events(trace.id)) == 5
        await traces.close()


class TestAddress:
    @pytest.mark.parametrize(
        ("written", "normalised"),
        [
            ("sqlite:////data/runs.sqlite", "sqlite:////data/runs.sqlite"),
            ("postgres://ada:a%40b@host:1/name", "postgresql+psycopg://ada:a%40b@host:1/name"),
            (
                "postgresql://host/name?sslmode=require",
                "postgresql+psycopg://host/name?sslmode=require",
            ),
            (" postgresql+psycopg:///name ", "postgresql+psycopg:///name"),
        ],
    )
    def test_it_gets_its_driver(self, written: str, normalised: str) -> None:
        assert normalised_url(written) == normalised
        assert normalised_url(normalised) == normalised

    def test_a_relative_file_is_of_this_folder(self, tmp_path: Path) -> None:
        assert sqlite_file(normalised_url("sqlite:///runs.sqlite")) == tmp_path / "runs.sqlite"
        assert sqlite_file(normalised_url("sqlite:///~/r")) == Path.home() / "r"

    @pytest.mark.parametrize(
        "wrong",
        ["sqlite://", "sqlite:///", "sqlite:///:memory:", "mysql://secret@host/name", "runs.sqlite",
         "postgresql://host", "postgresql+asyncpg://host/name", "://x"],
    )  # fmt: skip
    def test_another_one_is_refused_and_not_repeated(self, wrong: str) -> None:
        with pytest.raises(ValueError, match=r"name|begin") as caught:
            normalised_url(wrong)
        assert "secret" not in str(caught.value)
