from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from deepcritical.domain.errors import SnapshotCorruptError, SnapshotNotFoundError
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.study.identity import canonical_ids
from deepcritical.tools.base import SourceOutcome, SourceQuery, SourceResult
from deepcritical.tools.snapshot import BUNDLED, Parsed, SnapshotSource, parse, snapshot_path
from tests.conftest import DEMO, paper, snapshot, trial


def parsed(*lines: object, lead: bytes = b"") -> Parsed:
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    return parse(lead + "\n".join(texts).encode(), "made.jsonl")


def one(line: dict[str, Any]) -> Evidence:
    (record,) = parsed(line).records
    return record


class TestFile:
    def test_the_header_is_read_and_is_no_record(self) -> None:
        header = {"kind": "snapshot", "name": "made", "created": "2999-01-01", "extra": 1}
        found = parsed(header, paper())
        assert (found.header.name, found.header.created) == ("made", "2999-01-01")
        assert len(found.records) == 1

    def test_a_file_without_a_header_is_read(self) -> None:
        assert parsed(paper()).header.name == ""

    def test_blank_lines_and_windows_line_ends_cost_nothing(self) -> None:
        found = parsed("", json.dumps(paper(1)) + "\r", "  \r", paper(2), "")
        assert (len(found.records), found.skipped) == (2, ())

    def test_a_byte_order_mark_is_no_part_of_the_first_record(self) -> None:
        assert parsed(paper(), lead=b"\xef\xbb\xbf").skipped == ()

    @pytest.mark.parametrize("char", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c"])
    def test_a_line_separator_inside_a_text_does_not_end_the_record(self, char: str) -> None:
        line = json.dumps(paper(text=f"before{char}after"), ensure_ascii=False)
        line = line.replace("\x0b", "\\u000b").replace("\x0c", "\\u000c")
        (record,) = parsed(line).records
        assert record.content == f"before{char}after"

    @pytest.mark.parametrize(
        ("payload", "said"),
        [
            (b"", "holds no record"),
            (b"\n \n", "holds no record"),
            (b'{"kind": "snapshot", "name": "made"}\n', "holds no record"),
            (b"this is no snapshot\nat all", "line 1 .* not JSON"),
            (b"\x00\x00\x00", "line 1 .* not JSON"),
            (b"[]", "line 1 "),
            (b"null\n", "line 1 "),
            (b"\x89PNG\r\n\x1a\n", "not UTF-8"),
            ('{"title": "examplol"}'.encode("utf-16"), "not UTF-8"),
            (b'{"kind": "other", "title": "examplol"}', "line 1 .*kind"),
        ],
    )
    def test_a_file_without_one_readable_record_is_corrupt(self, payload: bytes, said: str) -> None:
        with pytest.raises(SnapshotCorruptError, match=said) as caught:
            parse(payload, "made.jsonl")
        assert "made.jsonl" in caught.value.message
        assert caught.value.advice

    def test_the_bundled_snapshot_is_read_whole(self) -> None:
        found = parse(DEMO.read_bytes(), "demo")
        assert found.skipped == ()
        assert found.header.name == "demo"


class TestBadLines:
    @pytest.mark.parametrize(
        ("line", "reason"),
        [
            ("{", "not JSON"),
            ('{"title": "cut off', "not JSON"),
            ("[1, 2]", "record"),
            ("7", "record"),
            ({}, "title"),
            ({"title": ""}, "title"),
            ({"title": "   "}, "title"),
            ({"title": 5}, "title"),
            (paper(kind="video"), "kind"),
            (paper(authors=[1]), "authors"),
            (paper(enrollment=-1), "enrollment"),
            (paper(text_kind="poem"), "text_kind"),
            ('{"title": "\\ud800"}', "title"),
            ("[" * 100_000, "not JSON"),
            ('{"title": "examplol", "enrollment": ' + "9" * 5000 + "}", "not JSON"),
        ],
    )
    def test_one_bad_line_is_named_and_costs_only_itself(self, line: object, reason: str) -> None:
        found = parsed(paper(1), line, paper(2))
        assert len(found.records) == 2
        (skipped,) = found.skipped
        assert skipped.startswith("line 2 of made.jsonl: ")
        assert reason in skipped

    def test_every_bad_line_is_counted(self) -> None:
        found = parsed("a", paper(), "b", "c")
        assert [text.split(":")[0] for text in found.skipped] == [
            f"line {n} of made.jsonl" for n in (1, 3, 4)
        ]

    def test_a_bad_header_does_not_cost_the_records(self) -> None:
        found = parsed({"kind": "snapshot", "name": ["no", "text"]}, paper())
        assert (len(found.records), len(found.skipped)) == (1, 1)

    @pytest.mark.parametrize("name", ["pmid", "doi", "journal", "year", "text", "note", "phase"])
    def test_a_null_field_is_an_absent_field(self, name: str) -> None:
        assert parsed(paper() | {name: None}).skipped == ()


class TestFields:
    @pytest.mark.parametrize("name", ["authors", "conditions", "interventions", "pub_types"])
    @pytest.mark.parametrize("value", ["a one; b two", "a one ;b two;", ["a one", "b two"]])
    def test_a_text_with_semicolons_is_a_list(self, name: str, value: object) -> None:
        record = one(paper() | {name: value})
        fields = record.metadata.model_dump() | {
            "authors": record.citation.authors,
            "pub_types": record.metadata.publication_types,
        }
        assert fields[name] == ("a one", "b two")

    def test_a_number_is_read_where_a_text_is_expected(self) -> None:
        record = one(paper(pmid=99000007, year=2999))
        assert (record.metadata.pmid, record.citation.date) == ("99000007", "2999")

    def test_a_publication_names_its_trial_as_a_link_only(self) -> None:
        record = one(paper(nct="NCT99000001"))
        assert record.metadata.nct_id is None
        assert record.metadata.linked_ids == ("nct:NCT99000001",)
        assert record.citation.source == "pubmed"

    def test_a_trial_owns_its_registry_id(self) -> None:
        record = one(trial(status="Active, not recruiting", enrollment=12, sponsor="Examplol Ltd"))
        meta = record.metadata
        assert meta.model_extra == {"sponsor": "Examplol Ltd"}
        assert (meta.nct_id, meta.linked_ids) == ("NCT99000001", ())
        assert (meta.status, meta.enrollment) == ("ACTIVE_NOT_RECRUITING", 12)
        assert record.citation.source == "clinicaltrials"
        assert record.citation.url.endswith("/NCT99000001")
        assert meta.text_kind == "registry"

    def test_why_a_trial_stopped_can_be_quoted_from_its_text(self) -> None:
        record = one(trial(why_stopped="Futility at a made-up interim look"))
        assert record.content.endswith("Why stopped: Futility at a made-up interim look")
        assert record.metadata.why_stopped == "Futility at a made-up interim look"

    @pytest.mark.parametrize(("posted", "has"), [("Yes", True), ("No", False), (True, True)])
    def test_posted_results_are_yes_or_no(self, posted: object, has: bool) -> None:
        assert one(trial(has_results=posted)).metadata.has_results is has

    def test_a_note_that_names_a_paper_links_it(self) -> None:
        record = one(trial(note="Results in publication PMID 99000001."))
        assert record.metadata.linked_ids == ("pmid:99000001",)

    @pytest.mark.parametrize(
        ("fields", "kind"),
        [
            ({"text_kind": None, "text": None, "abstract": "Words."}, "abstract"),
            ({"text_kind": None, "text": None, "abstract": "Words.", "results": "9"}, "summary"),
            ({"text_kind": None, "text": "Words."}, "summary"),
            ({"text_kind": None, "text": None}, "none"),
            ({"text_kind": "abstract", "text": "Words."}, "abstract"),
        ],
    )
    def test_what_the_text_is_decides_whether_it_may_be_quoted(
        self, fields: dict[str, Any], kind: str
    ) -> None:
        record = one(paper(**fields))
        assert record.metadata.text_kind == kind
        assert record.quotable is (kind == "abstract")

    @pytest.mark.parametrize(
        ("ids", "source"),
        [
            ({"pmid": "99000001", "doi": "10.9999/made.up"}, "pubmed"),
            ({"pmid": None, "pmcid": "PMC99000001"}, "europepmc"),
            ({"pmid": None, "doi": "10.9999/made.up"}, "doi"),
            ({"pmid": None}, "web"),
        ],
    )
    def test_the_source_is_where_the_record_can_be_looked_up(
        self, ids: dict[str, Any], source: str
    ) -> None:
        record = one(paper(**ids))
        assert record.citation.source == source
        assert bool(record.citation.url) is (source != "web")


class TestStatusAndSize:
    @pytest.mark.parametrize(
        ("told", "status"),
        [
            ("Recruiting / Recruiting", "RECRUITING"),
            ("Not Recruiting / Not yet recruiting", "NOT_YET_RECRUITING"),
            ("Not Recruiting / Completed", "COMPLETED"),
            ("Recruiting / Not yet recruiting", "UNKNOWN"),
            ("Authorised / ['Ongoing']", "ONGOING"),
            ("Active, not recruiting", "ACTIVE_NOT_RECRUITING"),
            (None, None),
        ],
    )
    def test_the_status_of_several_registers_is_one(
        self, told: str | None, status: str | None
    ) -> None:
        assert one(trial(status=told)).metadata.status == status

    def test_a_trial_with_a_reason_for_stopping_is_not_recruiting(self) -> None:
        assert one(trial(status="Recruiting", why_stopped="No funds")).metadata.status == "STOPPED"
        told = one(trial(status="Terminated", why_stopped="No funds")).metadata.status
        assert told == "TERMINATED"

    @pytest.mark.parametrize(
        ("fields", "sizes"),
        [
            ({"status": "Recruiting", "enrollment": 80}, (None, 80)),
            ({"status": "Completed", "enrollment": 80}, (80, None)),
            ({"enrollment": 80, "planned_enrollment": 80}, (None, 80)),
            ({"status": "Recruiting", "enrollment": 0}, (0, None)),
        ],
    )
    def test_before_its_end_a_trial_has_a_plan_only(
        self, fields: dict[str, Any], sizes: tuple[int | None, int | None]
    ) -> None:
        meta = one(trial(**fields)).metadata
        assert (meta.enrollment, meta.planned_enrollment) == sizes

    @pytest.mark.parametrize(
        "note",
        [
            "PREPRINT/JOURNAL PAIR with 10.9999/Made.Up.1; the title differs",
            "Two papers. Preprint pair: 10.9999/made.up.1.",
        ],
    )
    def test_a_preprint_and_its_journal_version_are_linked(self, note: str) -> None:
        assert "doi:10.9999/made.up.1" in one(paper(note=note)).metadata.linked_ids

    def test_an_entry_that_holds_its_papers_abstract_is_an_abstract(self) -> None:
        record = one(trial(pmid="99000007", pub_types="Clinical Trial", abstract="Results: none."))
        assert record.metadata.text_kind == "abstract"


@pytest.mark.parametrize(
    ("number", "source", "url"),
    [
        ("NCT99000001", "clinicaltrials", "https://clinicaltrials.gov/study/NCT99000001"),
        (
            "TEST2999/01/000001",
            "registry",
            "https://trialsearch.who.int/Trial2.aspx?TrialID=TEST2999/01/000001",
        ),
    ],
)
def test_a_trial_of_another_register_is_not_said_to_be_of_this_one(
    number: str, source: str, url: str
) -> None:
    record = one(trial(nct=number))
    assert record.citation.source == source
    assert record.citation.url == url
    named = "nct" if source == "clinicaltrials" else "registry"
    assert f"{named}:{number}" in canonical_ids(record)


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
