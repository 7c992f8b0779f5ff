"""Records of Europe PMC are parsed; all of them are made up."""

from __future__ import annotations

import json
from typing import Any

import pytest

from deepcritical.domain.errors import SearchError
from deepcritical.domain.evidence.kinds import is_retracted
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.study.identity import canonical_ids, study_groups
from deepcritical.domain.text.spans import sentences
from deepcritical.tools.europepmc.records import PREPRINT_MARK, NoAnswerError, parse
from deepcritical.tools.markup import clean_markup
from tests.servers.europepmc import made_up_records


def payload(*records: object, **fields: object) -> bytes:
    answer = {"hitCount": len(records), "resultList": {"result": list(records)}, **fields}
    return json.dumps(answer).encode()


def read(**fields: Any) -> Evidence:
    record = {"id": "99000001", "source": "MED", "pmid": "99000001", "title": "Examplol", **fields}
    (evidence,) = parse(payload(record)).records
    return evidence


@pytest.fixture(scope="module")
def known() -> dict[str, Evidence]:
    """The made-up records by their id at the source."""
    records = made_up_records()
    parsed = parse(payload(*records))
    assert parsed.skipped == ()
    return {r["id"]: e for r, e in zip(records, parsed.records, strict=True)}


class TestText:
    def test_headings_become_labels_that_the_reasoner_reads(
        self, known: dict[str, Evidence]
    ) -> None:
        content = known["99000001"].content
        assert content == (
            "Background: Testitis raises TST1 to 10^3 U/L.\n\n"
            "Methods: We randomised 40 patients (NCT99000001).\n\n"
            "Results: Examplol lowered pain (p<0.01) and CO2; P < 0.05 for TST1 e4.\n\n"
            "Conclusion: Examplol helped."
        )
        assert [s.label for s in sentences(content)] == [
            "background",
            "methods",
            "results",
            "conclusion",
        ]

    def test_a_title_with_markup(self, known: dict[str, Evidence]) -> None:
        title = known["99000001"].citation.title
        assert title == "Examplol in testitis: a made-up randomised trial & its CO2 arm."

    @pytest.mark.parametrize(
        ("markup", "text"),
        [
            ("10<sup>-6</sup> M, 25 kg/m<sup>2</sup>", "10^-6 M, 25 kg/m^2"),
            ("Ca<sup>2+</sup> CD4<sup>+</sup> <sup>18</sup>F", "Ca2+ CD4+ 18F"),
            ("[<sup>11</sup>C]x TST1<sup>mut</sup>", "[11C]x TST1mut"),
            ("H<sub>2</sub>O, CO<inf>2</inf>", "H2O, CO2"),
            ("p<0.05, x<y and z>w", "p<0.05, x<y and z>w"),
            ("P &lt; 0.05 &amp;lt; &alpha; R&D", "P < 0.05 < α R&D"),
            ("&lt;i&gt;TST1&lt;/i&gt; e4", "TST1 e4"),
            ("one<br/>two<p>three</p>four", "one two\n\nthree\n\nfour"),
            ("<b>Objective</b>To see.<b>Results</b> Seen", "Objective: To see.Results Seen"),
            ("<h4>Abstract</h4>Text.", "Text."),
            ("<h4>What is new?</h4>This.", "What is new? This."),
            ("<jats:title>Methods</jats:title><jats:p>Done.</jats:p>", "Methods: Done."),
            ("<made-up>kept</made-up> <unknown", "kept <unknown"),
            ("<h4>never ends", "never ends"),
            ("a\u200bb\u00a0c\u2009d\x00e", "ab c d e"),
            ("<inline-formula><tex-math>\\x</tex-math>y</inline-formula>", "y"),
            ("", ""),
        ],
    )
    def test_markup_becomes_text_without_a_loss(self, markup: str, text: str) -> None:
        assert clean_markup(markup) == text


class TestPreprints:
    def test_the_mark_stands_once_and_apart(self, known: dict[str, Evidence]) -> None:
        preprint = known["PPR990001"]
        assert preprint.content.startswith(PREPRINT_MARK)
        assert preprint.content.count("PREPRINT") == 1
        assert preprint.metadata.publication_types == ("Preprint",)
        first, second = sentences(preprint.content)
        assert first.text == PREPRINT_MARK.strip()
        assert second.text == "Examplol did well in testitis."

    def test_a_source_that_marks_it_itself_marks_it_once(self) -> None:
        text = "[PREPRINT - Not peer-reviewed] Examplol did well."
        preprint = read(source="PPR", id="PPR990002", abstractText=text)
        assert preprint.content == f"{PREPRINT_MARK}\n\nExamplol did well."

    @pytest.mark.parametrize("types", ["preprint", ["Preprint"], ["PREPRINT", "Journal Article"]])
    def test_the_type_alone_tells_too(self, types: object) -> None:
        preprint = read(pubTypeList={"pubType": types}, abstractText="Examplol.")
        assert preprint.metadata.publication_types.count("Preprint") == 1
        assert preprint.content.startswith(PREPRINT_MARK)

    def test_without_an_abstract_there_is_no_text(self) -> None:
        preprint = read(source="PPR", id="PPR990003")
        assert (preprint.content, preprint.metadata.text_kind) == ("", "none")

    def test_preprint_and_published_version_are_one_study(self, known: dict[str, Evidence]) -> None:
        both = {"E1": known["PPR990001"], "E2": known["99000001"]}
        assert not canonical_ids(both["E1"]) & canonical_ids(both["E2"])
        assert study_groups(both) == (("E1", "E2"),)

    @pytest.mark.parametrize("side", ["Preprint of", "Preprint in"])
    def test_one_side_of_the_link_is_enough(self, side: str) -> None:
        of = {"source": "MED", "id": "99000001", "type": "Preprint of"}
        held = {"source": "PPR", "id": "PPR990001", "type": "Preprint in"}
        preprint = read(
            source="PPR",
            id="PPR990001",
            pmid=None,
            doi="10.99998/x",
            commentCorrectionList={"commentCorrection": [of] if side == of["type"] else []},
        )
        paper = read(
            commentCorrectionList={"commentCorrection": [held] if side == held["type"] else []}
        )
        assert study_groups({"E1": paper, "E2": preprint}) == (("E1", "E2"),)

    def test_versions_of_a_preprint_are_one_study(self) -> None:
        versions = {"version": [{"id": "PPR990001"}, {"id": "PPR990002"}]}
        first, second = (
            read(source="PPR", id=i, pmid=None, doi=f"10.99998/{i}", versionList=versions)
            for i in ("PPR990001", "PPR990002")
        )
        assert study_groups({"E1": first, "E2": second}) == (("E1", "E2"),)


class TestIntegrity:
    def test_links_tell_the_worst_and_name_the_notices(self, known: dict[str, Evidence]) -> None:
        record = known["99000002"]
        assert is_retracted(record)
        assert record.metadata.integrity == "retracted"
        assert record.metadata.notices == (
            "retraction pmid:99009002",
            "concern pmid:99009003",
            "erratum pmid:99009004",
        )

    def test_a_notice_of_retraction_is_not_retracted(self, known: dict[str, Evidence]) -> None:
        notice = known["99000003"]
        assert not is_retracted(notice)
        assert notice.metadata.integrity == "not_checked"

    def test_an_erratum_is_no_retraction(self, known: dict[str, Evidence]) -> None:
        record = known["99000004"]
        assert not is_retracted(record)
        assert record.metadata.integrity == "corrected"
        assert record.metadata.notices == ("erratum doi:10.99999/erratum.4",)

    def test_a_partial_retraction_is_a_concern(self, known: dict[str, Evidence]) -> None:
        assert known["99000011"].metadata.integrity == "concern"
        assert not is_retracted(known["99000011"])

    def test_a_withdrawn_preprint_counts_as_retracted(self, known: dict[str, Evidence]) -> None:
        assert is_retracted(known["PPR990009"])
        assert known["PPR990009"].metadata.integrity == "retracted"

    def test_a_link_alone_is_seen_by_grading(self) -> None:
        link = {"id": "99009009", "source": "MED", "type": "Retraction in"}
        record = read(commentCorrectionList={"commentCorrection": [link]})
        assert is_retracted(record)

    def test_without_a_word_nothing_has_been_checked(self, known: dict[str, Evidence]) -> None:
        assert known["99000005"].metadata.integrity == "not_checked"


class TestFields:
    def test_a_full_record(self, known: dict[str, Evidence]) -> None:
        record = known["99000001"]
        meta = record.metadata
        assert record.citation.source == "europepmc"
        assert record.citation.authors == ("Invented A", "Madeup B")
        assert record.citation.date == "2999-05"
        assert (meta.pmid, meta.pmcid, meta.doi) == (
            "99000001",
            "PMC99000001",
            "10.99999/examplol.1",
        )
        assert (meta.journal, meta.volume_pages) == ("Journal of made-up records", "9(3):1-6")
        assert (meta.language, meta.cited_by, meta.licence) == ("eng", 1, "cc by")
        assert meta.mesh_terms == ("Humans", "Testitis/drug therapy*", "Examplol*")
        assert meta.chemicals == ("Examplol",)
        assert meta.publication_types == ("Randomized Controlled Trial", "Journal Article")

    def test_the_address_is_doi_then_pmid_then_europe_pmc(self, known: dict[str, Evidence]) -> None:
        urls = {key: known[key].citation.url for key in known}
        assert urls["99000001"] == "https://doi.org/10.99999/examplol.1"
        assert urls["99000005"] == "https://pubmed.ncbi.nlm.nih.gov/99000005/"
        assert urls["PMC99000006"] == "https://europepmc.org/article/PMC/PMC99000006"
        assert urls["IND990000007"] == "https://europepmc.org/article/AGR/IND990000007"
        assert urls["US99000008"] == "https://europepmc.org/article/PAT/US99000008"

    def test_an_odd_doi_makes_a_link_that_can_be_followed(self) -> None:
        record = read(doi="10.99999/(SICI)1<1::AID-X1>3.0.CO;2-B")
        assert record.citation.url.startswith("https://doi.org/10.99999/(sici)1%3C1::aid")
        assert "doi:10.99999/(sici)1<1::aid-x1>3.0.co;2-b" in canonical_ids(record)

    def test_a_trial_is_linked_by_a_paper_and_not_by_a_review(
        self, known: dict[str, Evidence]
    ) -> None:
        assert "nct:NCT99000001" in known["99000001"].metadata.linked_ids
        assert known["99000010"].metadata.linked_ids == ()

    def test_cross_references_name_a_trial(self) -> None:
        listed = {"dbCrossReference": [{"info": {"id": "nct99000003"}}]}
        assert read(dbCrossReferenceList=listed).metadata.linked_ids == ("nct:NCT99000003",)

    def test_a_date_is_as_exact_as_the_issue(self, known: dict[str, Evidence]) -> None:
        assert known["IND990000007"].citation.date == "2997"
        assert known["PMC99000006"].citation.date == "2999-05-12"
        assert known["PPR990001"].citation.date == "2998-02-03"

    def test_placeholders_are_not_printed(self, known: dict[str, Evidence]) -> None:
        assert known["IND990000007"].metadata.volume_pages == "5"
        forthcoming = {"issue": "Forthcoming", "volume": "7"}
        assert read(journalInfo=forthcoming, pageInfo="12").metadata.volume_pages == "7:12"

    def test_types_may_be_one_text(self) -> None:
        assert read(pubTypeList={"pubType": "Letter"}).metadata.publication_types == ("Letter",)
        lite = read(pubType="review; journal article")
        assert lite.metadata.publication_types == ("review", "journal article")

    def test_groups_and_lines_of_authors(self) -> None:
        listed = {
            "author": [{"collectiveName": "Made-Up Group"}, {"lastName": "B", "initials": "A"}]
        }
        assert read(authorList=listed).citation.authors == ("Made-Up Group", "B A")
        assert read(authorString="A B, C D.").citation.authors == ("A B", "C D")
        assert read().citation.authors == ()

    def test_a_record_without_a_title_is_kept(self) -> None:
        assert read(title=None).citation.title == "[Not Available]"


class TestAnswers:
    def test_the_order_of_the_source_is_the_rank(self, known: dict[str, Evidence]) -> None:
        scores = [record.relevance_score for record in known.values()]
        assert scores == sorted(scores, reverse=True)
        assert scores[0] == 1.0

    def test_a_bad_record_is_named_and_costs_no_other(self) -> None:
        good = {"id": "99000001", "source": "MED", "title": "Examplol"}
        page = parse(payload(good, None, {"title": "No id"}, "text", good))
        assert len(page.records) == 2
        assert page.skipped == (
            "Europe PMC record 2: no id",
            "Europe PMC record 3: no id",
            "Europe PMC record 4: no id",
        )

    def test_count_and_cursor(self) -> None:
        page = parse(payload(hitCount=1234, nextCursorMark="abc"))
        assert (page.records, page.total, page.next_page) == ((), 1234, "abc")

    @pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe\xff", b"[" * 100_000, b"9" * 5000])
    def test_what_is_not_json_is_an_error(self, body: bytes) -> None:
        with pytest.raises(SearchError, match="not JSON"):
            parse(body)

    @pytest.mark.parametrize(
        "answer",
        [
            {"errCode": 404, "errMsg": "made-up reason"},
            {"errMsg": "made-up reason", "hitCount": 0, "resultList": {"result": []}},
        ],
    )
    def test_an_error_in_json_is_an_error(self, answer: dict[str, object]) -> None:
        with pytest.raises(SearchError, match="made-up reason"):
            parse(json.dumps(answer).encode())

    @pytest.mark.parametrize(
        "answer", [{"version": "6.9"}, [], None, {"hitCount": 0, "resultList": None}]
    )
    def test_an_answer_without_results_is_not_nothing_found(self, answer: object) -> None:
        with pytest.raises(NoAnswerError):
            parse(json.dumps(answer).encode())
