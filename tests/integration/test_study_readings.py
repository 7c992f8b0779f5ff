"""The store of readings: in SQLite and in PostgreSQL."""

from __future__ import annotations

import asyncio
import json
import os
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from deepcritical.domain.errors import StorageError
from deepcritical.domain.study.reading import StudyReading
from deepcritical.services.storage import study_readings
from deepcritical.services.storage.schema import study_readings as table
from deepcritical.services.storage.study_readings import StudyReadings, reading_key
from tests.conftest import QUESTION
from tests.integration.modelled import records
from tests.integration.reading_stores import (
    KINDS,
    database_store,
    keep_all,
    key_of,
    made_reading,
    opened_store,
)
from tests.servers.commands import forked_command
from tests.servers.models import ModelServer
from tests.servers.running import running

ONE = made_reading("one")
OTHER = made_reading("other", record_id="pmid:99000002")
TWICE = pytest.param("postgresql")
HASHES = (ONE.text_sha256, OTHER.text_sha256)


@pytest.fixture(params=KINDS)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[StudyReadings]:
    async with opened_store(request.param, tmp_path) as opened:
        yield opened


@pytest.fixture
async def kept(url: str) -> AsyncIterator[StudyReadings]:
    async with database_store(url) as opened:
        yield opened


async def found(store: StudyReadings, owner: str = "") -> list[StudyReading]:
    """The readings of both texts that an owner finds, in the order of their texts."""
    readings = [one.reading for one in await store.find(HASHES, owner)]
    return sorted(readings, key=lambda r: (HASHES.index(r.text_sha256), r.reader.name))


class TestFinding:
    async def test_an_empty_store_finds_nothing(self, store: StudyReadings) -> None:
        assert await store.find(HASHES, "") == ()
        assert await store.find((), "") == ()

    async def test_a_reading_is_found_as_it_was_kept(self, store: StudyReadings) -> None:
        whole = made_reading("one", faults=({"part": "arms[0]", "reason": "a second arm A"},))
        (key,) = await keep_all(store, whole)
        (one,) = await store.find([whole.text_sha256], "")
        assert one == (key, "", True, whole)

    async def test_only_the_texts_that_are_asked_for_are_found(self, store: StudyReadings) -> None:
        await keep_all(store, ONE, OTHER)
        assert [k.reading for k in await store.find([OTHER.text_sha256], "")] == [OTHER]
        assert await found(store) == [ONE, OTHER]

    async def test_nothing_is_kept_of_no_reading(self, store: StudyReadings) -> None:
        await store.keep({}, "")
        assert await found(store) == []

    async def test_a_text_has_one_reading_of_each_reader(self, store: StudyReadings) -> None:
        second = made_reading("one", name="made-up:second")
        await keep_all(store, ONE, second)
        assert await found(store) == [ONE, second]

    async def test_a_reading_that_is_there_stays(self, store: StudyReadings) -> None:
        later = made_reading("one", unread=("no_text",))
        assert key_of(later) == key_of(ONE)
        await keep_all(store, ONE)
        await keep_all(store, later, OTHER)
        assert await found(store) == [ONE, OTHER]

    async def test_more_texts_than_one_statement_holds_are_found(
        self, store: StudyReadings
    ) -> None:
        many = [made_reading(f"text {n}") for n in range(study_readings._AT_ONCE + 20)]
        await keep_all(store, *many)
        hashes = [reading.text_sha256 for reading in many]
        assert {k.reading.text_sha256 for k in await store.find(hashes, "")} == set(hashes)


class TestOwners:
    async def test_an_owners_readings_are_found_by_the_owner_alone(
        self, store: StudyReadings
    ) -> None:
        await keep_all(store, ONE, owner="ada")
        assert await found(store, "ada") == [ONE]
        assert await found(store, "eve") == []
        assert await found(store) == []

    async def test_what_all_share_is_found_by_every_owner(self, store: StudyReadings) -> None:
        await keep_all(store, ONE)
        await keep_all(store, OTHER, owner="ada")
        assert await found(store, "ada") == [ONE, OTHER]
        assert await found(store, "eve") == [ONE]

    async def test_owners_keep_the_same_reading_beside_each_other(
        self, store: StudyReadings
    ) -> None:
        for owner in ("", "ada", "eve"):
            await keep_all(store, ONE, owner=owner)
        owners = [kept.owner for kept in await store.find(HASHES, "ada")]
        assert sorted(owners) == ["", "ada"]


class TestClaims:
    async def test_only_one_of_two_holders_gets_a_key(self, store: StudyReadings) -> None:
        assert await store.claim(["a", "b"], "first") == {"a", "b"}
        assert await store.claim(["b", "c"], "second") == {"c"}

    async def test_of_many_at_once_only_one_gets_a_key(self, store: StudyReadings) -> None:
        keys = [f"key {n}" for n in range(20)]
        orders = (keys if n % 2 else keys[::-1] for n in range(8))
        given = await asyncio.gather(*(store.claim(o, f"h{n}") for n, o in enumerate(orders)))
        assert sorted(key for some in given for key in some) == sorted(keys)

    async def test_a_holder_that_claims_again_still_holds(self, store: StudyReadings) -> None:
        await store.claim(["a"], "first")
        assert await store.claim(["a", "b"], "first") == {"a", "b"}

    async def test_nothing_is_claimed_of_no_key(self, store: StudyReadings) -> None:
        assert await store.claim([], "first") == frozenset()

    async def test_what_is_released_is_free_for_others(self, store: StudyReadings) -> None:
        await store.claim(["a"], "first")
        await store.claim(["b"], "second")
        await store.release("first")
        assert await store.claim(["a", "b"], "third") == {"a"}

    async def test_a_holder_without_claims_may_release(self, store: StudyReadings) -> None:
        await store.release("nobody")

    async def test_an_expired_claim_is_taken(
        self, store: StudyReadings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(study_readings, "CLAIM_S", -1.0)
        assert await store.claim(["a"], "killed") == {"a"}
        monkeypatch.undo()
        assert await store.claim(["a"], "second") == {"a"}
        assert await store.claim(["a"], "killed") == frozenset()

    async def test_a_release_after_the_claim_was_taken_gives_nothing_up(
        self, store: StudyReadings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(study_readings, "CLAIM_S", -1.0)
        await store.claim(["a"], "slow")
        monkeypatch.undo()
        await store.claim(["a"], "second")
        await store.release("slow")
        assert await store.claim(["a"], "third") == frozenset()

    async def test_more_keys_than_one_statement_holds_are_claimed(
        self, store: StudyReadings
    ) -> None:
        keys = [f"key {n}" for n in range(study_readings._AT_ONCE + 20)]
        assert await store.claim(keys, "first") == set(keys)

    @pytest.mark.parametrize("store", ["sqlite", TWICE], indirect=True)
    async def test_a_key_that_is_named_twice_is_claimed_once(self, store: StudyReadings) -> None:
        # Two records of one run may have the same text.
        assert await store.claim(["a", "a"], "first") == {"a"}


class TestImports:
    async def test_a_reading_is_used_once_it_is_accepted(self, kept: StudyReadings) -> None:
        keys = await keep_all(kept, ONE, OTHER, accepted=False)
        assert await found(kept) == []
        assert {one.reading.record_id for one in await kept.waiting()} == {
            ONE.record_id,
            OTHER.record_id,
        }
        assert await kept.accept(keys[:1]) == 1
        assert await found(kept) == [ONE]
        assert [one.reading for one in await kept.waiting()] == [OTHER]

    async def test_what_was_accepted_or_is_not_there_is_not_counted(
        self, kept: StudyReadings
    ) -> None:
        keys = await keep_all(kept, ONE, accepted=False)
        assert await kept.accept([*keys, "no such key"]) == 1
        assert await kept.accept(keys) == 0
        assert await kept.accept([]) == 0

    async def test_an_owner_does_not_find_what_is_not_accepted(self, kept: StudyReadings) -> None:
        await keep_all(kept, ONE, owner="ada", accepted=False)
        assert await found(kept, "ada") == []

    async def test_an_import_takes_no_reading_out_of_use(self, kept: StudyReadings) -> None:
        await keep_all(kept, ONE)
        await keep_all(kept, ONE, accepted=False)
        assert await found(kept) == [ONE]

    async def test_readings_of_a_record_are_listed_whoever_owns_them(
        self, kept: StudyReadings
    ) -> None:
        second = made_reading("one", name="made-up:second")
        await keep_all(kept, ONE)
        await keep_all(kept, second, owner="ada", accepted=False)
        await keep_all(kept, OTHER)
        listed = await kept.of_record(ONE.record_id)
        assert [(one.owner, one.accepted, one.reading) for one in listed] == [
            ("", True, ONE),
            ("ada", False, second),
        ]
        assert await kept.of_record("pmid:0") == ()


class TestProcesses:
    async def test_what_one_process_keeps_another_one_finds(self, url: str) -> None:
        async with database_store(url) as first, database_store(url) as second:
            await keep_all(first, ONE)
            assert await found(second) == [ONE]
            await first.claim(["a"], "first")
            assert await second.claim(["a", "b"], "second") == {"b"}

    async def test_readings_outlive_the_process(self, url: str) -> None:
        async with database_store(url) as first:
            await keep_all(first, ONE)
        async with database_store(url) as second:
            assert await found(second) == [ONE]

    async def test_processes_that_keep_the_same_at_once_keep_it_once(self, url: str) -> None:
        async with database_store(url) as first, database_store(url) as second:
            await asyncio.gather(*(keep_all(s, ONE, OTHER) for s in (first, second) * 4))
            assert await found(second) == [ONE, OTHER]

    async def test_a_database_that_is_away_is_told(self) -> None:
        pytest.importorskip("psycopg")
        async with database_store("postgresql+psycopg://postgres@127.0.0.1:9/none") as away:
            with pytest.raises(StorageError, match=r"127\.0\.0\.1:9"):
                await away.find(HASHES, "")

    async def test_a_reading_of_another_version_costs_no_other_reading(self, url: str) -> None:
        """Processes of two versions share a database while the operator updates them."""
        strange = {
            "key": reading_key(ONE.text_sha256, "a newer version"),
            "text_sha256": ONE.text_sha256,
            "record_id": ONE.record_id,
            "owner": "",
            "accepted": True,
            "reading": '{"schema_version": 2}',
            "kept_at": 1.0,
        }
        insert = sa.insert(table).values(strange)
        async with database_store(url) as kept:
            await keep_all(kept, ONE)
            await kept.database.write(lambda connection: connection.execute(insert).close())
            assert await found(kept) == [ONE]


class TestKeys:
    def test_text_reader_and_owner_make_the_key(self) -> None:
        keys = {
            reading_key(text, reader, owner)
            for text in ("a" * 64, "b" * 64)
            for reader in ("one", "other")
            for owner in ("", "ada")
        }
        assert len(keys) == 8
        assert all(len(key) == 64 for key in keys)
        assert reading_key("a" * 64, "one") == reading_key("a" * 64, "one", "")


COMMAND = forked_command()
SECOND = "Does examplol improve testitis?"
"""Another question on the same topic."""


async def research(question: str, snapshot: Path, database: str, model: str) -> dict[str, Any]:
    """Return the report of a process of its own."""
    kept = {name: v for name, v in os.environ.items() if not name.startswith("DEEPCRITICAL_")}
    process = await asyncio.create_subprocess_exec(
        COMMAND,
        *("research", question, "--snapshot", str(snapshot), "--depth", "quick", "--json"),
        env={
            **kept,
            "DATABASE_URL": database,
            "DEEPCRITICAL_MODEL": "openai-chat:made-up",
            "DEEPCRITICAL_MODEL_BASE_URL": f"{model}v1",
            "DEEPCRITICAL_MODEL_API_KEY": "made-up-key",
            "DEEPCRITICAL_EMBEDDING_MODEL": "",
            # Its own 60 s may go by on a busy machine while libraries are loaded.
            "DEEPCRITICAL_DEADLINE_S": "300",
        },
        stdout=PIPE,
        stderr=PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    report: dict[str, Any] = json.loads(out)
    assert report["written_by"] == "model openai-chat:made-up"
    return report


@pytest.mark.slow
async def test_a_second_question_on_the_same_topic_reads_nothing_again(
    tmp_path: Path, url: str
) -> None:
    server, snapshot = ModelServer(), await asyncio.to_thread(records, tmp_path)
    async with running(server.app) as model:
        first = await research(QUESTION, snapshot, url, model)
        begun = len(server.asked)
        assert len(server.prompts("read_studies")) == 1
        second = await research(SECOND, snapshot, url, model)
    later = [asked.task for asked in server.asked[begun:]]
    assert later
    assert "read_studies" not in later
    titles = [{r["title"] for r in report["references"]} for report in (first, second)]
    assert titles[0] == titles[1]
    assert first["verdict"] == second["verdict"]


@pytest.mark.slow
async def test_processes_that_ask_at_once_read_each_record_once(tmp_path: Path, url: str) -> None:
    server, snapshot = ModelServer(), await asyncio.to_thread(records, tmp_path)
    server.latency_s = 1.0
    async with running(server.app) as model:
        reports = await asyncio.gather(
            *(research(question, snapshot, url, model) for question in (QUESTION, SECOND) * 2)
        )
    assert len(server.prompts("read_studies")) == 1
    assert all(report["verdict"] == reports[0]["verdict"] for report in reports)
