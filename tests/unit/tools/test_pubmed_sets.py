from __future__ import annotations

import time

import pytest

from deepcritical.domain.errors import RateLimitError, SearchError
from deepcritical.tools.pubmed.records import is_whole, parse
from tests.unit.tools.pubmed_xml import RECORDS, article, made, record_set


class TestSets:
    def test_articles_and_chapters_in_one_set_in_their_order(self) -> None:
        assert list(made()) == "101 102 103 104 105 106 107 108 109 110".split()

    @pytest.mark.parametrize(
        "payload",
        [
            b"<PubmedArticleSet></PubmedArticleSet>",
            b"<?xml version='1.0'?>\n<!DOCTYPE PubmedArticleSet PUBLIC 'x' 'https://x'>\n"
            b"<PubmedArticleSet>\n</PubmedArticleSet>",
            b"<PubmedBookArticleSet/>",
        ],
    )
    def test_an_empty_set_is_no_error(self, payload: bytes) -> None:
        assert parse(payload) == ((), ())

    def test_a_record_by_itself(self) -> None:
        payload = RECORDS.read_bytes()
        for tag in (b"PubmedArticle", b"PubmedBookArticle"):
            bare = payload[payload.index(b"<%s>" % tag) :].partition(b"</%s>" % tag)
            (record,) = parse(bare[0] + bare[1]).records
            assert record in made().values()

    def test_other_encodings(self) -> None:
        text = RECORDS.read_text(encoding="utf-8").replace(" ?>", ' encoding="utf-16"?>', 1)
        assert parse(text.encode("utf-16")).records == tuple(made().values())
        assert parse(b"\xef\xbb\xbf" + RECORDS.read_bytes()).records == tuple(made().values())


class TestRefusals:
    @pytest.mark.parametrize(
        "payload",
        [
            b"",
            b"not xml",
            b'{"error": "API is down"}',
            b"<html><body>Sorry</body></html>",
            b"<eFetchResult><ERROR>Empty result - nothing todo</ERROR></eFetchResult>",
            b"<PubmedArticleSet><ERROR>Cannot retrieve</ERROR></PubmedArticleSet>",
            b"<PubmedArticleSet><PubmedArticle>",
            b"<?xml version='1.0' encoding='nonsense'?><PubmedArticleSet/>",
            b"<pmc-articleset/>",
            b"\xff\xfe\x00",
        ],
    )
    def test_what_is_no_answer_is_an_error(self, payload: bytes) -> None:
        with pytest.raises(SearchError) as raised:
            parse(payload)
        assert str(raised.value).startswith("PubMed ")
        assert raised.value.advice

    def test_the_body_of_a_rate_limit_is_one(self) -> None:
        body = b'{"error":"API rate limit exceeded","api-key":"192.0.2.1","count":"4","limit":"3"}'
        with pytest.raises(RateLimitError) as raised:
            parse(body)
        assert "192.0.2.1" not in str(raised.value)

    def test_what_pubmed_says_is_passed_on(self) -> None:
        with pytest.raises(SearchError, match="Cannot retrieve"):
            parse(b"<eFetchResult><ERROR>Cannot retrieve</ERROR></eFetchResult>")


class TestBrokenSets:
    def test_a_broken_record_is_named_and_costs_no_other(self) -> None:
        payload = RECORDS.read_bytes().replace(b"<i>TSTE</i> &#x3b5;4:", b"<i>TSTE &#x3b5;4:")
        parsed = parse(payload)
        assert parsed.skipped == ("PMID 99000101: its XML is broken",)
        assert parsed.records == tuple(made().values())[1:]

    def test_a_character_that_xml_forbids_costs_nothing(self) -> None:
        payload = RECORDS.read_bytes().replace(b"every mouse", b"every\x0b mouse\x00")
        assert parse(payload) == (tuple(made().values()), ())

    @pytest.mark.parametrize(
        ("sent", "read"),
        [
            (b"A&nbsp;&beta;-blocker &amp; p &lt; 1", "A \u03b2-blocker & p < 1"),
            (b"a &LT; b &hellip;", "a < b \u2026"),
            ("na\u00efve".encode("latin-1"), "na\ufffdve"),
            (b"a\x0bb", "ab"),
        ],
    )
    def test_a_character_that_xml_does_not_know_is_mended(self, sent: bytes, read: str) -> None:
        payload = record_set(article(title="TITLE"), article(title="Other")).replace(b"TITLE", sent)
        parsed = parse(payload)
        assert [record.citation.title for record in parsed.records] == [read, "Other"]
        assert parsed.skipped == ()
        assert not is_whole(payload)

    def test_an_entity_that_nobody_declared_costs_its_record(self) -> None:
        payload = RECORDS.read_bytes().replace(b"every mouse", b"every&madeup;mouse")
        assert parse(payload).skipped == ("PMID 99000102: its XML is broken",)

    def test_an_answer_that_breaks_off_keeps_what_was_whole(self) -> None:
        payload = RECORDS.read_bytes()
        cut = parse(payload[: payload.index(b"PMC99000102")])
        assert [r.metadata.pmid for r in cut.records] == ["99000101"]
        assert cut.skipped == ("PMID 99000102: its XML is broken",)
        between = parse(payload[: payload.index(b"</PubmedArticle>") + 16])
        assert [r.metadata.pmid for r in between.records] == ["99000101"]
        assert between.skipped[0].startswith("the answer is broken XML")

    def test_an_error_beside_records_is_told(self) -> None:
        payload = record_set(article(), "<ERROR>The rest is missing</ERROR>")
        assert parse(payload).skipped == ("The rest is missing",)


class TestBombs:
    """Entities that grow, and those that fetch."""

    BILLION = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10 if n else "lol"}">' for n in range(10))

    @pytest.mark.parametrize("lead", ["", "<!-- <Pubmed -->" * 3])
    @pytest.mark.parametrize(
        ("declared", "used"),
        [
            (BILLION, "&l9;"),
            (f'<!ENTITY q "{"x" * 100_000}">', "&q;" * 20_000),
            ('<!ENTITY f SYSTEM "file:///etc/hostname">', "&f;"),
            ('<!ENTITY % p SYSTEM "https://example.org/x.dtd"> %p;', "a"),
        ],
        ids=["billion laughs", "quadratic", "file", "fetched DTD"],
    )
    def test_they_are_refused_soon(self, declared: str, used: str, lead: str) -> None:
        head = f"<?xml version='1.0'?>{lead}<!DOCTYPE PubmedArticleSet [{declared}]>"
        payload = head.encode() + record_set(article(title=used))
        start = time.perf_counter()
        try:
            parsed = parse(payload)
        except SearchError as error:
            assert len(str(error)) < 400  # noqa: PT017 - either outcome is right, growing is not
        else:
            assert all(len(record.citation.title) < 100 for record in parsed.records)
        assert time.perf_counter() - start < 5

    def test_a_declared_entity_is_refused_before_anything_is_read(self) -> None:
        head = b"<!DOCTYPE PubmedArticleSet PUBLIC 'a' 'b' [<!ENTITY x 'y'>]>"
        with pytest.raises(SearchError, match="entities"):
            parse(head + record_set(article()))
