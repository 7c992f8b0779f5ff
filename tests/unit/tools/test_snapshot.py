from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from deepcritical.domain.errors import SnapshotCorruptError, SnapshotNotFoundError
from deepcritical.tools.base import SourceOutcome, SourceQuery, SourceResult
from deepcritical.tools.snapshot import BUNDLED, SnapshotSource, snapshot_path
from tests.conftest import paper, snapshot


async def fetched(path: Path, text: str, max_results: int = 10) -> SourceResult:
    return await SnapshotSource(path).fetch(SourceQuery(text=text, max_results=max_results))


class TestPath:
    @pytest.mark.parametrize("name", BUNDLED)
    def test_a_bundled_name_is_a_file(self, name: str) -> None:
        assert snapshot_path(name).is_file()

    def test_a_path_is_taken_as_it_is(self, tmp_path: Path) -> None:
        path = snapshot(tmp_path / "made.jsonl", paper())
        assert snapshot_path(str(path)) == path

    @pytest.mark.parametrize("name", ["", ".", "nowhere.jsonl", "~nobody/x", "a" * 300, "a\0b"])
    def test_what_is_no_file_is_named_with_the_bundled_ones(self, name: str) -> None:
        with pytest.raises(SnapshotNotFoundError, match="no snapshot") as caught:
            snapshot_path(name)
        assert "demo" in caught.value.advice


class TestOutcome:
    async def test_a_skipped_line_degrades_the_answer_and_is_named(self, tmp_path: Path) -> None:
        path = snapshot(tmp_path / "made.jsonl", paper(), "{")
        result = await fetched(path, "examplol")
        assert result.outcome is SourceOutcome.DEGRADED
        assert len(result.evidence) == 1
        assert result.skipped == (
            "line 2 of made.jsonl: not JSON (Expecting property name enclosed in double quotes)",
        )

    @pytest.mark.parametrize("query", ["unheard", "?!", "the of and", "   "])
    async def test_words_that_no_record_has_find_nothing(self, tmp_path: Path, query: str) -> None:
        result = await fetched(snapshot(tmp_path / "made.jsonl", paper()), query)
        assert (result.outcome, result.evidence) == (SourceOutcome.EMPTY, ())

    async def test_a_snapshot_of_titles_without_a_word_finds_nothing(self, tmp_path: Path) -> None:
        path = snapshot(tmp_path / "made.jsonl", {"title": "?"}, {"title": "!"})
        assert (await fetched(path, "examplol")).outcome is SourceOutcome.EMPTY

    async def test_a_file_that_vanished_is_a_storage_error(self, tmp_path: Path) -> None:
        path = snapshot(tmp_path / "made.jsonl", paper())
        source = SnapshotSource(path)
        path.unlink()
        with pytest.raises(SnapshotCorruptError, match=r"made\.jsonl cannot be read"):
            await source.fetch(SourceQuery(text="examplol"))


class TestRanking:
    async def test_the_title_outweighs_a_mention(self, tmp_path: Path) -> None:
        mention = paper(1, title="A made-up record", text="Not about examplol at all.")
        about = paper(2, title="Examplol", text="A made-up record on the thing itself.")
        result = await fetched(snapshot(tmp_path / "made.jsonl", mention, about), "examplol")
        assert [e.metadata.pmid for e in result.evidence] == ["99000002", "99000001"]

    async def test_equal_records_keep_the_order_of_the_file(self, tmp_path: Path) -> None:
        lines = [paper(n, title="Examplol", text="Same.") for n in (3, 1, 2)]
        result = await fetched(snapshot(tmp_path / "made.jsonl", *lines), "examplol")
        assert [e.metadata.pmid for e in result.evidence] == ["99000003", "99000001", "99000002"]

    async def test_the_total_counts_what_was_cut_off(self, tmp_path: Path) -> None:
        path = snapshot(tmp_path / "made.jsonl", *(paper(n) for n in range(5)))
        result = await fetched(path, "examplol", max_results=2)
        assert (len(result.evidence), result.total) == (2, 5)

    @pytest.mark.parametrize("query", ["EXAMPLOL", "examplol's", "“examplol”", "made-up"])
    async def test_case_quotes_and_a_possessive_do_not_matter(
        self, tmp_path: Path, query: str
    ) -> None:
        path = snapshot(tmp_path / "made.jsonl", paper())
        assert len((await fetched(path, query)).evidence) == 1

    @pytest.mark.parametrize("query", ["99000001", "invented-why"])
    async def test_ids_and_stop_reasons_are_searchable(self, tmp_path: Path, query: str) -> None:
        path = snapshot(tmp_path / "made.jsonl", paper(1, why_stopped="invented-why"), paper(2))
        assert [e.metadata.pmid for e in (await fetched(path, query)).evidence] == ["99000001"]


async def test_queries_at_once_read_the_file_once_and_agree(tmp_path: Path) -> None:
    source = SnapshotSource(snapshot(tmp_path / "made.jsonl", paper(1), paper(2)))
    query = SourceQuery(text="examplol")
    first, second = await asyncio.gather(source.fetch(query), source.fetch(query))
    assert first == second


async def test_the_description_says_what_was_searched(tmp_path: Path) -> None:
    header = {"kind": "snapshot", "created": "2999-01-01"}
    described = await SnapshotSource(snapshot(tmp_path / "made.jsonl", header, paper())).describe()
    assert "1 record" in described
    assert "2999-01-01" in described
    assert "SHA-256" in described
