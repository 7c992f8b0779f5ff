"""Runs that share one index, in whatever order they insert, ask and leave."""

from __future__ import annotations

import asyncio
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from deepcritical.domain.evidence.record import Evidence
from deepcritical.services.llamaindex_rag import LlamaIndexRAGService
from tests.conftest import make_evidence
from tests.indexes import new_index
from tests.vectors import WordVectors

RUNS = st.sampled_from(["one", "two", "on"])
NUMBERS = st.integers(1, 8)
METHODS = st.sampled_from(["hybrid", "dense", "lexical"])


def record(run: str, number: int) -> Evidence:
    """A record that only its run has; half of the texts are the same in all runs."""
    text = "examplol in testitis" if number % 2 else f"examplol number{number} in testitis"
    return make_evidence(f"Record {number}", text, note=run)


class Runs(RuleBasedStateMachine):
    """Three runs over one index of Chroma, against plain dictionaries."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.index = new_index()
        self.services: dict[str, LlamaIndexRAGService] = {}
        self.expected: dict[str, set[str]] = {}

    def service(self, run: str) -> LlamaIndexRAGService:
        """The service of a run, opened when it is first used."""
        if run not in self.services:
            self.services[run] = LlamaIndexRAGService(run, WordVectors(), self.index)
            self.expected[run] = set()
        return self.services[run]

    @rule(run=RUNS, numbers=st.sets(NUMBERS, min_size=1))
    def insert(self, run: str, numbers: set[int]) -> None:
        records = {f"E{n}": record(run, n) for n in numbers}
        new = self.loop.run_until_complete(self.service(run).ingest(records))
        assert new == len(set(records) - self.expected[run])
        self.expected[run] |= set(records)

    @rule(run=RUNS, method=METHODS)
    def ask(self, run: str, method: str) -> None:
        service = self.service(run)
        found = self.loop.run_until_complete(
            service.query("examplol testitis", 50, method=method)  # type: ignore[arg-type]
        )
        assert set(found) == self.expected[run]
        assert {r.metadata.note for r in found.values()} <= {run}

    @rule(run=RUNS)
    def clear(self, run: str) -> None:
        self.loop.run_until_complete(self.service(run).clear())
        self.expected[run] = set()

    @rule(run=RUNS)
    def leave(self, run: str) -> None:
        if run in self.services:
            self.loop.run_until_complete(self.services.pop(run).close())
            del self.expected[run]

    @invariant()
    def rows_are_those_of_the_runs(self) -> None:
        kept = [s._rows.client for s in self.services.values() if s._rows is not None]
        if kept:
            owned = sum(len(numbers) for numbers in self.expected.values())
            assert kept[0].count() == owned

    def teardown(self) -> None:
        for service in self.services.values():
            self.loop.run_until_complete(service.close())
        self.index.close()
        self.loop.close()


Runs.TestCase.settings = settings(max_examples=15, stateful_step_count=12, deadline=None)
TestRuns = Runs.TestCase


@settings(max_examples=10, deadline=None)
@given(
    st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=8, unique_by=lambda pair: pair[0]),
    st.randoms(use_true_random=False),
)
def test_neither_order_nor_repetition_changes_an_answer(
    pairs: list[tuple[int, int]], chance: Random
) -> None:
    records = {f"E{i}": record(str(i), j) for i, j in pairs}
    shuffled = list(records.items())
    chance.shuffle(shuffled)

    async def answers() -> tuple[object, object]:
        index = new_index()
        async with (
            LlamaIndexRAGService("at once", WordVectors(), index) as first,
            LlamaIndexRAGService("one by one", WordVectors(), index) as second,
        ):
            await first.ingest(records)
            for key, value in shuffled:
                await second.ingest({key: value})
            assert await second.ingest(records) == 0
            query = "number2 in testitis"
            return [*(await first.query(query)).items()], [*(await second.query(query)).items()]

    at_once, one_by_one = asyncio.run(answers())
    assert at_once == one_by_one


def test_many_nearer_rows_of_another_run_hide_none_of_ours() -> None:
    async def found() -> set[str]:
        index = new_index()
        async with (
            LlamaIndexRAGService("ours", WordVectors(), index) as ours,
            LlamaIndexRAGService("theirs", WordVectors(), index) as theirs,
        ):
            await ours.ingest({"E1": make_evidence("Sampline", "sampline in exampliasis")})
            await theirs.ingest(
                {f"E{n}": make_evidence(f"Examplol {n}", f"examplol {n}") for n in range(1, 151)}
            )
            return set(await ours.query("examplol", 10, method="dense"))

    assert asyncio.run(found()) == {"E1"}


def test_a_record_that_the_index_of_vectors_misses_is_found() -> None:
    async def found() -> set[str]:
        index = new_index()
        async with LlamaIndexRAGService("ours", WordVectors(), index) as ours:
            await ours.ingest(
                {f"E{n}": make_evidence(f"Examplol {n}", f"examplol {n}") for n in (1, 2, 3)}
            )
            rows = ours._rows
            assert rows is not None
            kept = await asyncio.to_thread(rows.client.get, where={"run_id": "ours"}, limit=1)
            await asyncio.to_thread(rows.client.delete, kept["ids"])
            return set(await ours.query("examplol", 10, method="dense"))

    assert asyncio.run(found()) == {"E1", "E2", "E3"}
