"""Notices and links of a record, both ways: a notice is not what it takes back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from deepcritical.domain.evidence.kinds import is_notice, is_retracted
from deepcritical.domain.evidence.record import Evidence, Integrity
from deepcritical.domain.study.identity import study_links, trials_in
from deepcritical.tools.europepmc import records as europepmc_records
from tests.unit.tools.pubmed_xml import one

OTHER = "99000099"
SOURCE = "J Made Up. 2999;1:1. doi: 10.9900/Other.1"
_SAME_STUDY = "CorrectedandRepublished RetractedandRepublished Republished Update Reprint".split()


def corrected(kind: str, pmid: str = OTHER, source: str = SOURCE) -> Evidence:
    named = f"<PMID Version='1'>{pmid}</PMID>" if pmid else ""
    entry = f"<CommentsCorrections RefType='{kind}'><RefSource>{source}</RefSource>{named}"
    listed = f"<CommentsCorrectionsList>{entry}</CommentsCorrections></CommentsCorrectionsList>"
    return one(citation=listed)


def paper(**fields: Any) -> Evidence:
    record = {"id": "99000001", "source": "MED", "title": "Examplol", **fields}
    payload = {"hitCount": 1, "resultList": {"result": [record]}}
    (found,) = europepmc_records.parse(json.dumps(payload).encode()).records
    return found


def linked(kind: str, **link: str) -> Evidence:
    entry = {"id": OTHER, "source": "MED", "reference": SOURCE, "type": kind, **link}
    return paper(commentCorrectionList={"commentCorrection": [entry]})


class TestPubMed:
    @pytest.mark.parametrize(
        ("kind", "integrity", "notice"),
        [
            ("RetractionIn", "retracted", "retraction"),
            ("RetractedandRepublishedIn", "retracted", "retraction"),
            ("PartialRetractionIn", "concern", "partial retraction"),
            ("ExpressionOfConcernIn", "concern", "concern"),
            ("ErratumIn", "corrected", "erratum"),
            ("CorrectedandRepublishedIn", "corrected", "erratum"),
            ("RetractionOf", "not_checked", "retracts"),
            ("PartialRetractionOf", "not_checked", "retracts in part"),
            ("ExpressionOfConcernFor", "not_checked", "raises concern on"),
            ("ErratumFor", "not_checked", "corrects"),
            ("UpdateIn", "not_checked", "update"),
            ("UpdateOf", "not_checked", "updates"),
        ],
    )
    def test_a_link_tells_of_one_of_its_ends(
        self, kind: str, integrity: Integrity, notice: str
    ) -> None:
        record = corrected(kind)
        assert record.metadata.integrity == integrity
        assert record.metadata.notices == (f"{notice} pmid:{OTHER}",)
        assert is_retracted(record) is (integrity == "retracted")

    @pytest.mark.parametrize(
        "kind",
        "AssociatedDataset AssociatedPublication CommentIn CommentOn SummaryForPatientsIn "
        "OriginalReportIn Cites MadeUp".split(),
    )
    def test_other_links_tell_nothing(self, kind: str) -> None:
        meta = corrected(kind).metadata
        assert (meta.integrity, meta.notices, meta.linked_ids) == ("not_checked", (), ())

    @pytest.mark.parametrize("kind", [f"{name}In" for name in _SAME_STUDY])
    def test_versions_of_a_study_are_linked_by_all_ids(self, kind: str) -> None:
        assert corrected(kind).metadata.linked_ids == (f"pmid:{OTHER}", "doi:10.9900/other.1")
        # The preprint need not be in PubMed.
        assert corrected(kind, pmid="").metadata.linked_ids == ("doi:10.9900/other.1",)
        assert corrected(kind, pmid="", source="J Made Up").metadata.linked_ids == ()

    @pytest.mark.parametrize("kind", ["RetractionIn", "ErratumIn", "RetractionOf"])
    def test_a_notice_is_no_version(self, kind: str) -> None:
        assert corrected(kind).metadata.linked_ids == ()

    @pytest.mark.parametrize(
        ("title", "kind", "abstract"),
        [
            ("Retracted: Examplol in testitis.", "Retraction of Publication", ""),
            ("RETRACTED: Examplol in testitis.", "Retraction Notice", ""),
            ("Retraction: Examplol.", "Retraction Notice", "This article has been retracted."),
            ("Examplol.", "Expression of Concern", "This article has been retracted and ..."),
            ("WITHDRAWN: Examplol.", "Published Erratum", ""),
        ],
    )
    def test_a_notice_is_not_what_it_takes_back(self, title: str, kind: str, abstract: str) -> None:
        record = one(
            title=title,
            article=f"<Abstract><AbstractText>{abstract}</AbstractText></Abstract>"
            f"<PublicationTypeList><PublicationType>{kind}</PublicationType></PublicationTypeList>",
        )
        assert record.metadata.integrity == "not_checked"
        assert not is_retracted(record)
        assert is_notice(record)

    def test_a_notice_that_was_itself_retracted_is(self) -> None:
        types = "<PublicationType>Retraction Notice</PublicationType>"
        types += "<PublicationType>Retracted Publication</PublicationType>"
        record = one(article=f"<PublicationTypeList>{types}</PublicationTypeList>")
        assert record.metadata.integrity == "retracted"

    def test_the_trial_that_only_the_abstract_names_is_linked(self) -> None:
        abstract = "<Abstract><AbstractText Label='TRIAL REGISTRATION'>ClinicalTrials.gov {}."
        abstract += "</AbstractText></Abstract>"
        assert one(article=abstract.format("NCT99000001")).metadata.linked_ids == (
            "nct:NCT99000001",
        )
        two = one(article=abstract.format("NCT99000001, NCT99000002"))
        assert two.metadata.linked_ids == ()
        review = one(title="Examplol: a review", article=abstract.format("NCT99000001"))
        assert review.metadata.linked_ids == ()
        assert study_links(review) == set()


class TestEuropePMC:
    @pytest.mark.parametrize(
        ("kind", "integrity", "notice"),
        [
            ("Retraction in", "retracted", "retraction"),
            ("Partial retraction in", "concern", "partial retraction"),
            ("Expression of concern in", "concern", "concern"),
            ("Erratum in", "corrected", "erratum"),
            ("Retraction of", "not_checked", "retracts"),
            ("Partial retraction of", "not_checked", "retracts in part"),
            ("Expression of concern for", "not_checked", "raises concern on"),
            ("Erratum for", "not_checked", "corrects"),
        ],
    )
    def test_a_link_tells_of_one_of_its_ends(
        self, kind: str, integrity: Integrity, notice: str
    ) -> None:
        record = linked(kind)
        assert record.metadata.integrity == integrity
        assert record.metadata.notices == (f"{notice} pmid:{OTHER}",)
        assert record.metadata.linked_ids == ()
        assert is_retracted(record) is (integrity == "retracted")

    @pytest.mark.parametrize("kind", ["Retraction of Publication", "retraction", "correction"])
    def test_a_notice_is_not_what_it_takes_back(self, kind: str) -> None:
        record = paper(title="Retracted: Examplol in testitis.", pubTypeList={"pubType": [kind]})
        assert record.metadata.integrity == "not_checked"
        assert is_notice(record)
        assert not is_retracted(record)

    def test_preprint_and_paper_know_each_other(self) -> None:
        published = linked("Preprint in", id="PPR990001", source="PPR")
        assert published.metadata.linked_ids == ("europepmc:PPR990001",)
        preprint = paper(
            id="PPR990001",
            source="PPR",
            commentCorrectionList={
                "commentCorrection": {"id": OTHER, "source": "MED", "type": "Preprint of"}
            },
        )
        assert preprint.metadata.linked_ids == (f"pmid:{OTHER}", "europepmc:PPR990001")

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ("10.9900/rs.3.rs-1/v1", "10.9900/rs.3.rs-1/v2"),
            ("10.9900/2099.01.01.20000001v1", "10.9900/2099.01.01.20000001v12"),
            ("10.9900/made-2099-5xw8k-v1", "10.9900/made-2099-5xw8k-v2"),
            ("10.9900/made209901.0001.v1", "10.9900/made209901.0001.v2"),
            ("10.12688/f1000research.9900001.1", "10.12688/f1000research.9900001.2"),
            ("10.9900/rs.3.rs-1", "10.9900/rs.3.rs-1/v2"),
        ],
    )
    def test_versions_of_a_preprint_are_one_study(self, first: str, second: str) -> None:
        one, other = (
            paper(id=f"PPR99000{n}", source="PPR", doi=doi) for n, doi in enumerate((first, second))
        )
        ids = {f"doi:{one.metadata.doi}", *one.metadata.linked_ids}
        assert ids & {f"doi:{other.metadata.doi}", *other.metadata.linked_ids}

    @pytest.mark.parametrize("doi", ["10.9900/j.made-up.2099.v1", "10.12688/f1000research.99.1"])
    def test_of_a_paper_the_end_of_its_doi_is_no_version(self, doi: str) -> None:
        assert paper(doi=doi).metadata.linked_ids == ()

    def test_the_trial_that_only_the_abstract_names_is_linked(self) -> None:
        record = paper(abstractText="<h4>Trial registration</h4>ClinicalTrials.gov NCT99000001.")
        assert record.metadata.linked_ids == ("nct:NCT99000001",)

    @pytest.mark.parametrize(
        ("fields", "told"),
        [
            ({"isOpenAccess": "Y"}, {"open_access": True}),
            ({"isOpenAccess": "N"}, {"open_access": False}),
            ({"isOpenAccess": None}, {}),
            ({"isOpenAccess": ["Y"]}, {}),
            (
                {
                    "fullTextUrlList": {
                        "fullTextUrl": [
                            {"availabilityCode": "S", "url": "https://paid.example/"},
                            {"availabilityCode": "OA", "url": "https://open.example/"},
                        ]
                    }
                },
                {"full_text_url": "https://open.example/"},
            ),
            ({"fullTextUrlList": {"fullTextUrl": {"url": 7}}}, {}),
        ],
    )
    def test_access(self, fields: dict[str, Any], told: dict[str, Any]) -> None:
        assert paper(**fields).metadata.model_extra == told

    @pytest.mark.parametrize(
        ("fields", "date"),
        [
            ({"firstPublicationDate": "2099-05-04", "pubYear": "2099"}, "2099-05-04"),
            ({"electronicPublicationDate": "2099-05-04", "pubYear": "2099"}, "2099-05-04"),
            ({"firstPublicationDate": "soon", "pubYear": 2099}, "2099"),
            ({"bookOrReportDetails": {"yearOfPublication": 2099}}, "2099"),
            ({"pubYear": "0", "bookOrReportDetails": []}, ""),
        ],
    )
    def test_dates_beside_the_issue(self, fields: dict[str, Any], date: str) -> None:
        assert paper(**fields).citation.date == date

    @pytest.mark.parametrize(
        ("count", "cited"), [(7, 7), ("7", 7), (7.0, 7), (7.5, None), (-1, None), ("x", None)]
    )
    def test_a_count_of_any_type(self, count: Any, cited: int | None) -> None:
        assert paper(citedByCount=count).metadata.cited_by == cited

    def test_two_authors_may_share_a_name(self) -> None:
        people = [{"fullName": "Li X"}, {"fullName": "Li X"}, {"collectiveName": "Li Group"}]
        assert paper(authorList={"author": people}).citation.authors == ("Li X", "Li X", "Li Group")


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("NCT99000001", ("nct:NCT99000001",)),
        ("(ClinicalTrials.gov number, NCT 99000001.)", ("nct:NCT99000001",)),
        ("nct99000001/NCT#99000002", ("nct:NCT99000001", "nct:NCT99000002")),
        ("NCT9900001 NCT990000011 XNCT99000001", ()),
    ],
)
def test_trials_are_found_however_they_are_written(text: str, ids: tuple[str, ...]) -> None:
    assert trials_in(text) == ids
