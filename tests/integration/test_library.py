"""Which reading a record gets, who is asked for it, and how often."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from deepcritical.domain.errors import ConfigurationError
from deepcritical.domain.evidence import Evidence
from deepcritical.reading import library as library_module
from deepcritical.reading.curated import curated_readings
from deepcritical.reading.library import Library
from deepcritical.reading.sentences import text_hash
from deepcritical.services.study_readings import MemoryReadings, ReadingStore
from deepcritical.tools.snapshot_records import parse
from tests.conftest import DEMO, make_evidence
from tests.databases import fresh_database
from tests.integration.reading_stores import (
    KINDS,
    MODEL,
    BrokenStore,
    CountingReader,
    database_store,
    keep_all,
    made_reading,
    made_trial,
    opened_store,
    trials,
)

OTHERS = [f"E{n}" for n in range(2, 5)]


@pytest.fixture(params=KINDS)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[ReadingStore]:
    async with opened_store(request.param, tmp_path) as opened:
        yield opened


async def read_by(
    store: ReadingStore,
    records: dict[str, Evidence],
    model: CountingReader | None = None,
    owner: str = "",
) -> dict[str, str]:
    """Return who read each record, in a library of its own."""
    outcome = await Library(store).read(records, model, owner)
    assert outcome.problem == ""
    return {key: reading.reader.kind for key, reading in outcome.readings.items()}


def registered(*, posted: bool) -> Evidence:
    """Return a made-up registry entry, with results or without."""
    groups = [{"id": "OG0", "title": "Examplol"}, {"id": "OG1", "title": "Placebo"}]
    values = [{"groupId": "OG0", "value": "3.1"}, {"groupId": "OG1", "value": "5.2"}]
    measure = {
        "type": "PRIMARY",
        "title": "Testitis symptoms",
        "paramType": "MEAN",
        "unitOfMeasure": "points",
        "groups": groups,
        "classes": [{"categories": [{"measurements": values}]}],
    }
    entry = {
        "protocolSection": {"identificationModule": {"nctId": "NCT99000001"}},
        "resultsSection": {"outcomeMeasuresModule": {"outcomeMeasures": [measure] * posted}},
    }
    return make_evidence(
        "Examplol for testitis",
        "A made-up registry entry on examplol in testitis.",
        kind="trial",
        nct_id="NCT99000001",
        registry_entry=json.dumps(entry),
    )


def curated_record() -> Evidence:
    """Return a record of the bundled snapshot that was curated."""
    records = parse(DEMO.read_bytes(), "demo").records
    known = curated_readings(frozenset(map(text_hash, records)))
    return next(record for record in records if text_hash(record) in known)


class TestReadOnce:
    async def test_a_second_call_on_the_same_texts_reads_nothing(self, store: ReadingStore) -> None:
        first, second = CountingReader(), CountingReader()
        begun = await Library(store).read(trials(4), first)
        again = await Library(store).read(trials(4), second)
        assert (begun.asked, len(first.asked)) == (4, 4)
        assert (again.asked, second.asked) == (0, [])
        assert again.readings == begun.readings

    async def test_a_text_that_changed_is_read_anew(self, store: ReadingStore) -> None:
        await read_by(store, trials(2), CountingReader())
        changed = trials(2) | {"E2": made_trial(2, more=" Erratum: Six patients were left out.")}
        second = CountingReader()
        await read_by(store, changed, second)
        assert second.asked == ["E2"]

    async def test_another_id_in_another_run_is_the_same_record(self, store: ReadingStore) -> None:
        await read_by(store, trials(1), CountingReader())
        second = CountingReader()
        assert await read_by(store, {"E77": made_trial(1)}, second) == {"E77": "model"}
        assert second.asked == []

    async def test_another_model_or_prompt_reads_anew(self, store: ReadingStore) -> None:
        await read_by(store, trials(2), CountingReader())
        second = CountingReader()
        second.identity = "made-up:another"
        await read_by(store, trials(2), second)
        assert second.asked == ["E1", "E2"]

    async def test_a_record_without_text_is_not_shown_to_a_model(self, store: ReadingStore) -> None:
        model = CountingReader()
        empty = {"E1": make_evidence("Examplol in testitis", " ")}
        assert await read_by(store, empty, model) == {"E1": "rules"}
        assert model.asked == []

    async def test_no_record_is_no_question(self, store: ReadingStore) -> None:
        model = CountingReader()
        assert await read_by(store, {}, model) == {}
        assert model.asked == []


class TestOwners:
    async def test_another_owner_does_not_see_a_private_reading(self, store: ReadingStore) -> None:
        await read_by(store, trials(2), CountingReader(), owner="ada")
        for owner in ("eve", ""):
            second = CountingReader()
            await read_by(store, trials(2), second, owner=owner)
            assert second.asked == ["E1", "E2"]

    async def test_without_a_model_a_private_reading_is_the_owners_alone(
        self, store: ReadingStore
    ) -> None:
        await read_by(store, trials(1), CountingReader(), owner="ada")
        assert await read_by(store, trials(1), owner="ada") == {"E1": "model"}
        assert await read_by(store, trials(1), owner="eve") == {"E1": "rules"}
        assert await read_by(store, trials(1)) == {"E1": "rules"}

    async def test_the_owner_finds_it_again(self, store: ReadingStore) -> None:
        await read_by(store, trials(2), CountingReader(), owner="ada")
        second = CountingReader()
        await read_by(store, trials(2), second, owner="ada")
        assert second.asked == []


class TestAtOnce:
    async def test_four_calls_at_once_read_a_record_once(self, store: ReadingStore) -> None:
        model = CountingReader(latency_s=0.1)
        calls = (Library(store).read(trials(6), model) for _ in range(4))
        outcomes = await asyncio.gather(*calls)
        assert sorted(model.asked) == sorted(trials(6))
        assert all(outcome.readings == outcomes[0].readings for outcome in outcomes)
        assert {r.reader.kind for r in outcomes[0].readings.values()} == {"model"}

    @pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
    async def test_four_processes_at_once_read_a_record_once(
        self, tmp_path: Path, kind: str
    ) -> None:
        model = CountingReader(latency_s=0.1)
        async with AsyncExitStack() as stack:
            url = stack.enter_context(fresh_database(kind, tmp_path))
            stores = [await stack.enter_async_context(database_store(url)) for _ in range(4)]
            await asyncio.gather(*(read_by(store, trials(6), model) for store in stores))
        assert sorted(model.asked) == sorted(trials(6))

    async def test_calls_with_some_records_in_common_share_those(self, store: ReadingStore) -> None:
        model = CountingReader(latency_s=0.1)
        all_six = trials(6)
        parts = [dict(list(all_six.items())[:4]), dict(list(all_six.items())[2:])]
        await asyncio.gather(*(read_by(store, part, model) for part in parts))
        assert sorted(model.asked) == sorted(all_six)

    async def test_owners_do_not_wait_for_one_another(self, store: ReadingStore) -> None:
        model = CountingReader(latency_s=0.1)
        await asyncio.gather(*(read_by(store, trials(2), model, o) for o in ("ada", "eve")))
        assert sorted(model.asked) == ["E1", "E1", "E2", "E2"]

    async def test_a_reading_that_takes_too_long_is_made_twice(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(library_module, "_WAIT_S", 0.1)
        store, stuck, second = MemoryReadings(), CountingReader(waits_at="E1"), CountingReader()
        waiting = asyncio.create_task(read_by(store, trials(1), stuck))
        await stuck.waiting.wait()
        assert await read_by(store, trials(1), second) == {"E1": "model"}
        assert second.asked == ["E1"]
        stuck.gate.set()
        assert await waiting == {"E1": "model"}

    async def test_nobody_waits_for_a_call_that_has_ended_without_the_reading(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(library_module, "_WAIT_S", 1.5)
        monkeypatch.setattr(library_module, "_LOOK_S", 0.05)
        store, failing, second = MemoryReadings(), CountingReader(waits_at="E1"), CountingReader()
        first = asyncio.create_task(read_by(store, trials(1), failing))
        await failing.waiting.wait()
        waiting = asyncio.create_task(read_by(store, trials(1), second))
        await asyncio.sleep(0.1)
        first.cancel()
        async with asyncio.timeout(1):
            assert await waiting == {"E1": "model"}


class TestFailures:
    async def test_a_reader_that_fails_in_part_leaves_rules_for_the_rest(
        self, store: ReadingStore
    ) -> None:
        outcome = await Library(store).read(trials(4), CountingReader(fails=OTHERS))
        kinds = {key: reading.reader.kind for key, reading in outcome.readings.items()}
        assert kinds == {"E1": "model", **dict.fromkeys(OTHERS, "rules")}
        assert outcome.asked == 4
        assert [str(error) for error in outcome.by_model.failed] == ["the made-up reader failed"]

    async def test_what_it_failed_on_is_asked_of_the_next_call_alone(
        self, store: ReadingStore
    ) -> None:
        await read_by(store, trials(4), CountingReader(fails=OTHERS))
        second = CountingReader()
        assert set((await read_by(store, trials(4), second)).values()) == {"model"}
        assert second.asked == OTHERS

    async def test_a_reading_with_a_fault_is_kept_when_the_reader_is_done(
        self, store: ReadingStore
    ) -> None:
        begun = await Library(store).read(trials(2), CountingReader(faulty=["E1"]))
        second = CountingReader()
        again = await Library(store).read(trials(2), second)
        assert second.asked == []
        assert again.readings == begun.readings
        assert again.readings["E1"].faults

    async def test_a_cancelled_call_leaves_what_it_kept_to_the_next_one(
        self, store: ReadingStore
    ) -> None:
        stuck, second = CountingReader(waits_at="E3"), CountingReader()
        call = asyncio.create_task(read_by(store, trials(4), stuck))
        await stuck.waiting.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        async with asyncio.timeout(10):  # its claims ended with it
            assert set((await read_by(store, trials(4), second)).values()) == {"model"}
        assert second.asked == ["E3", "E4"]

    async def test_a_model_that_cannot_be_asked_at_all_is_told_and_holds_nothing(
        self, store: ReadingStore
    ) -> None:
        class Refused(CountingReader):
            async def read(self, *_: object) -> None:  # type: ignore[override]
                raise ConfigurationError("The made-up key was refused.")

        with pytest.raises(ConfigurationError, match="made-up key"):
            await read_by(store, trials(2), Refused())
        second = CountingReader()
        async with asyncio.timeout(10):
            await read_by(store, trials(2), second)
        assert second.asked == ["E1", "E2"]


class TestStoreThatIsAway:
    METHODS = ("find", "keep", "claim", "release")

    @pytest.mark.parametrize("method", METHODS)
    async def test_it_costs_no_reading_and_is_told(self, method: str) -> None:
        model = CountingReader()
        outcome = await Library(BrokenStore(method)).read(trials(3), model)
        assert {r.reader.kind for r in outcome.readings.values()} == {"model"}
        assert model.asked == ["E1", "E2", "E3"]
        assert "The made-up database is away. Start it." in outcome.problem

    async def test_all_of_it_away_costs_no_reading(self) -> None:
        model = CountingReader(fails=["E2"])
        outcome = await Library(BrokenStore(*self.METHODS)).read(trials(2), model)
        kinds = [reading.reader.kind for reading in outcome.readings.values()]
        assert kinds == ["model", "rules"]
        assert outcome.problem

    async def test_without_a_model_rules_read(self) -> None:
        outcome = await Library(BrokenStore("find")).read(trials(2))
        assert {r.reader.kind for r in outcome.readings.values()} == {"rules"}
        assert outcome.problem

    async def test_a_later_call_on_a_store_that_is_back_tells_no_problem(self) -> None:
        store = BrokenStore("find")
        library = Library(store)
        assert (await library.read(trials(1))).problem
        store._methods = ()
        assert (await library.read(trials(1))).problem == ""


class TestPrecedence:
    async def test_posted_results_go_before_everything(self, store: ReadingStore) -> None:
        record = registered(posted=True)
        await keep_all(store, made_reading(record, "curated", "a curator"), made_reading(record))
        model = CountingReader()
        assert await read_by(store, {"E1": record}, model) == {"E1": "registry"}
        assert model.asked == []

    async def test_a_shipped_curated_reading_goes_before_the_models(
        self, store: ReadingStore
    ) -> None:
        record = curated_record()
        await keep_all(store, made_reading(record))
        model = CountingReader()
        assert await read_by(store, {"E1": record}, model) == {"E1": "curated"}
        assert model.asked == []

    async def test_an_accepted_curated_reading_goes_before_the_models(
        self, store: ReadingStore
    ) -> None:
        record = made_trial()
        await keep_all(store, made_reading(record), made_reading(record, "curated", "a curator"))
        model = CountingReader()
        assert await read_by(store, {"E1": record}, model) == {"E1": "curated"}
        assert await read_by(store, {"E1": record}) == {"E1": "curated"}
        assert model.asked == []

    async def test_one_that_was_not_accepted_does_not(self, store: ReadingStore) -> None:
        record = made_trial()
        await keep_all(store, made_reading(record, "curated", "a curator"), accepted=False)
        assert await read_by(store, {"E1": record}, CountingReader()) == {"E1": "model"}

    async def test_a_models_kept_reading_goes_before_the_rules(self, store: ReadingStore) -> None:
        record = made_trial()
        assert await read_by(store, {"E1": record}) == {"E1": "rules"}
        await keep_all(store, made_reading(record))
        assert await read_by(store, {"E1": record}) == {"E1": "model"}

    async def test_what_rules_read_is_not_kept(self, store: ReadingStore) -> None:
        await read_by(store, trials(1))
        assert await store.find([text_hash(made_trial())], "") == ()

    async def test_a_users_own_goes_first_in_his_own_runs(self, store: ReadingStore) -> None:
        record = made_trial()
        await keep_all(store, made_reading(record, "curated", "a curator"))
        await keep_all(store, made_reading(record), owner="ada")
        assert await read_by(store, {"E1": record}, owner="ada") == {"E1": "model"}
        assert await read_by(store, {"E1": record}, CountingReader(), "ada") == {"E1": "model"}
        assert await read_by(store, {"E1": record}, owner="eve") == {"E1": "curated"}
        assert await read_by(store, {"E1": record}) == {"E1": "curated"}

    async def test_the_choice_among_equals_does_not_depend_on_their_order(self) -> None:
        record = made_trial()
        readings = [made_reading(record, name=f"made-up:{name}") for name in ("b", "a", "c")]
        chosen = set()
        for order in (readings, readings[::-1]):
            store = MemoryReadings()
            await keep_all(store, *order)
            outcome = await Library(store).read({"E1": record})
            chosen.add(outcome.readings["E1"].reader.name)
        assert chosen == {"made-up:a"}

    async def test_an_entry_without_results_is_not_asked_of_a_model(
        self, store: ReadingStore
    ) -> None:
        model = CountingReader()
        outcome = await Library(store).read({"E1": registered(posted=False)}, model)
        assert outcome.readings["E1"].reader.kind == "registry"
        assert outcome.readings["E1"].unread == ("results_not_given",)
        assert model.asked == []


@pytest.mark.parametrize(
    "kind",
    [
        "memory",
        "sqlite",
        pytest.param(
            "postgresql",
        ),
    ],
)
async def test_two_records_with_the_same_text_are_no_problem(tmp_path: Path, kind: str) -> None:
    async with opened_store(kind, tmp_path) as store:
        outcome = await Library(store).read(
            {"E1": made_trial(), "E2": made_trial()}, CountingReader()
        )
        assert {reading.reader.name for reading in outcome.readings.values()} == {MODEL}
        assert outcome.problem == ""
