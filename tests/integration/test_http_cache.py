"""The cache of the client of every source, which never keeps errors, forms or keys."""

from __future__ import annotations

import asyncio
import io
import logging
import pickle
import sqlite3
import traceback
from contextlib import closing
from pathlib import Path

import pytest
from hishel import AsyncSqliteStorage

from deepcritical.domain.errors import ConfigurationError, SearchError
from deepcritical.tools.http import SourceClient
from deepcritical.tools.network import RequestsTransport, open_cache
from deepcritical.tools.rate_limiter import new_limiter
from tests.limiters import Once
from tests.servers.scripted import Make, OverHTTP, Server, refuse, storage_at

KEY = "made-up-key-4711"

LONG = {"q": "1" * 2_000}


class TestFile:
    async def test_one_that_is_no_database_is_refused_before_it_is_needed(
        self, tmp_path: Path
    ) -> None:
        (tmp_path / "text").write_bytes(b"This is made-up text, and no database. " * 100)
        for name in ("text", "."):
            with pytest.raises(ConfigurationError, match="cannot be used"):
                await open_cache(tmp_path / name)
        assert (tmp_path / "text").read_bytes().startswith(b"This is made-up text")

    @pytest.mark.slow
    async def test_one_that_another_process_holds_is_waited_for_no_longer_than_needed(
        self, tmp_path: Path
    ) -> None:
        path = tmp_path / "http.sqlite"
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            storage = await open_cache(path)
        await storage.close()


class TestCache(OverHTTP):
    async def test_a_kept_answer_is_marked_and_costs_nothing(
        self, make: Make, server: Server, storage: AsyncSqliteStorage
    ) -> None:
        limiter = Once()
        client = make(storage=storage, limiter=limiter)
        first = await client.get("data", {"q": "a"})
        again = [await client.get("data", {"q": "a"}) for _ in range(3)]
        assert first.cached is False
        assert again == [(first.content, True)] * 3
        assert len(server.asked) == 1
        with pytest.raises(TimeoutError):  # another query does need a permit
            await asyncio.wait_for(client.get("data", {"q": "b"}), 0.3)

    async def test_other_clients_keep_a_storage_that_one_has_left(
        self, make: Make, server: Server, storage: AsyncSqliteStorage
    ) -> None:
        first, second = make(storage=storage), make(storage=storage)
        await first.get("data", {})
        await first.aclose()
        assert (await second.get("data", {})).cached is True
        assert len(server.asked) == 1

    async def test_an_answer_is_kept_for_its_time_only(
        self, make: Make, server: Server, storage: AsyncSqliteStorage
    ) -> None:
        client = make(storage=storage, ttl_s=0.0)
        await client.get("data", {})
        assert (await client.get("data", {})).cached is False
        assert len(server.asked) == 2

    async def test_what_cannot_be_kept_is_passed_on_and_told_in_a_line(
        self, make: Make, server: Server, storage: AsyncSqliteStorage
    ) -> None:
        client = make(storage=storage)
        await client.get("data", {"q": "a"})
        assert storage.connection is not None
        await storage.connection.execute("DROP TABLE streams")
        await storage.connection.execute("DROP TABLE entries")
        said = io.StringIO()
        logging.getLogger().addHandler(handler := logging.StreamHandler(said))
        try:
            assert (await client.get("data", {"q": "b"})).cached is False
        finally:
            logging.getLogger().removeHandler(handler)
        assert len(server.asked) == 2
        lines = [line for line in said.getvalue().splitlines() if "hishel" in line]
        assert lines
        assert all(line.endswith("no such table: entries") for line in lines)
        assert "Traceback" not in said.getvalue()

    async def test_a_form_is_never_kept(
        self, make: Make, server: Server, storage: AsyncSqliteStorage
    ) -> None:
        client = make(storage=storage)
        for _ in range(2):
            assert (await client.get("data", LONG, form_path="data")).cached is False
        assert len(server.asked) == 2

    @pytest.mark.parametrize("status", [400, 429, 500])
    async def test_an_error_is_never_kept(
        self, make: Make, server: Server, storage: AsyncSqliteStorage, status: int
    ) -> None:
        client = make(storage=storage)
        server.status = status
        with pytest.raises(SearchError):
            await client.get("data", {})
        server.status = 200
        assert (await client.get("data", {})).cached is False

    async def test_a_refused_body_is_never_kept(
        self, make: Make, storage: AsyncSqliteStorage
    ) -> None:
        client = make(storage=storage)
        with pytest.raises(SearchError, match="made-up refusal"):
            await client.get("data", {}, check=refuse)
        assert (await client.get("data", {})).cached is False

    async def test_a_broken_storage_costs_no_answer(self, make: Make, tmp_path: Path) -> None:
        path = tmp_path / "broken.db"
        await asyncio.to_thread(path.write_bytes, b"this is no database" * 1000)
        storage = await storage_at(path)
        client = make(storage=storage)
        for _ in range(2):
            assert (await client.get("data", {})).content == b'{"answer": 1}'
        await storage.close()


class TestSecrets(OverHTTP):
    async def test_the_source_gets_the_key_and_nobody_else(
        self, url: str, server: Server, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.DEBUG)
        storage = await storage_at(tmp_path / "cache.db")
        client = SourceClient(
            "Made Up",
            url,
            limiter=new_limiter(1000),
            storage=storage,
            secrets={"api_key": KEY},
            wait_s=0.01,
        )
        await client.get("data", {"q": "a"})
        await client.get("data", LONG, form_path="data")
        assert [dict(r.query_params).get("api_key") for r in server.asked] == [KEY, KEY]
        errors = []
        for status in (400, 429, 500):
            server.status = status
            with pytest.raises(SearchError) as caught:
                await client.get("data", {"q": "b"})
            errors.append(caught.value)
        server.faults.on("reset")
        with pytest.raises(SearchError) as caught:
            await client.get("data", {"q": "c"})
        errors.append(caught.value)
        await client.aclose()
        await storage.close()
        for error in errors:
            assert KEY not in "".join(traceback.format_exception(error))
            assert KEY.encode() not in pickle.dumps(error)
        assert caplog.text
        assert KEY not in caplog.text
        files = await asyncio.to_thread(lambda: [p.read_bytes() for p in tmp_path.iterdir()])
        assert files
        assert not any(KEY.encode() in content for content in files)

    async def test_a_key_changes_nothing_about_what_is_kept(
        self, url: str, server: Server, storage: AsyncSqliteStorage
    ) -> None:
        for key in ("one", "two"):
            client = SourceClient(
                "Made Up", url, limiter=new_limiter(1000), storage=storage, secrets={"api_key": key}
            )
            await client.get("data", {})
            await client.aclose()
        assert len(server.asked) == 1

    def test_requests_takes_no_secrets(self) -> None:
        with pytest.raises(ValueError, match="takes no secrets"):
            SourceClient(
                "Made Up",
                "http://127.0.0.1:1/",
                limiter=new_limiter(1),
                network=RequestsTransport(),
                secrets={"api_key": KEY},
            )
