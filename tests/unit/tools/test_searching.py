from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from deepcritical.domain.evidence import Evidence
from deepcritical.tools.search_handler import SearchHandler
from deepcritical.tools.searching import search
from deepcritical.tools.snapshot import SnapshotSource
from tests.conftest import paper, queries, snapshot

WITHIN_S = 5.0


def handler(tmp_path: Path, *lines: object) -> SearchHandler:
    """Two sources that hold the same records."""
    path = snapshot(tmp_path / "records.jsonl", *lines)
    return SearchHandler([SnapshotSource(path), SnapshotSource(path)])


async def test_a_work_of_two_sources_is_one_record(tmp_path: Path) -> None:
    sources = handler(tmp_path, paper(1), paper(2))
    answers, records = await search(sources, queries("examplol"), 10, WITHIN_S)
    assert [len(answer.result.evidence) for answer in answers] == [2, 2]
    assert list(records) == ["E1", "E2"]
    assert {record.metadata.pmid for record in records.values()} == {"99000001", "99000002"}


async def test_what_an_index_calls_retracted_is_so_without_a_look_up(tmp_path: Path) -> None:
    sources = handler(tmp_path, paper(1, pub_types=["Retracted Publication"]), paper(2))
    _, records = await search(sources, queries("examplol"), 10, WITHIN_S)
    found = {record.metadata.pmid: record.metadata.integrity for record in records.values()}
    assert found == {"99000001": "retracted", "99000002": "not_checked"}


async def test_each_work_is_looked_up_once(tmp_path: Path) -> None:
    asked: list[tuple[int, float]] = []

    async def look_up(records: Sequence[Evidence], within_s: float) -> tuple[Evidence, ...]:
        asked.append((len(records), within_s))
        update = {"integrity": "clean"}
        return tuple(
            r.model_copy(update={"metadata": r.metadata.model_copy(update=update)}) for r in records
        )

    sources = handler(tmp_path, paper(1), paper(2))
    _, records = await search(sources, queries("examplol"), 10, WITHIN_S, look_up)
    assert asked == [(2, WITHIN_S)]
    assert [record.metadata.integrity for record in records.values()] == ["clean", "clean"]
