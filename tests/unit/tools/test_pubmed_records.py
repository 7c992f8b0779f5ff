from __future__ import annotations

import pytest

from deepcritical.domain.evidence.designs import Design
from deepcritical.domain.evidence.grading import grade
from deepcritical.domain.evidence.kinds import is_retracted
from deepcritical.domain.study.identity import canonical_ids, study_links
from deepcritical.tools.pubmed.records import parse
from tests.unit.tools.pubmed_xml import article, made, one, record_set


class TestIds:
    def test_those_of_the_article_never_those_of_its_references(self) -> None:
        assert canonical_ids(made()["101"]) == {
            "pmid:99000101",
            "pmcid:PMC99000101",
            "doi:10.9900/jmur.ex.101",
        }
        assert canonical_ids(made()["102"]) == {"pmid:99000102", "pmcid:PMC99000102"}
        assert canonical_ids(made()["109"]) == {"pmid:99000109"}

    def test_a_doi_of_the_eloc_unless_it_is_not_valid(self) -> None:
        assert made()["106"].metadata.doi == "10.9900/rev.106"

    @pytest.mark.parametrize("pmid", ["", "abc", "0", "12 34", "-1", "99999999999"])
    def test_a_record_without_any_id_is_named_by_its_place(self, pmid: str) -> None:
        parsed = parse(record_set(article(pmid="99000002"), article(pmid=pmid)))
        assert parsed.skipped == ("record 2: no PMID, PMCID or DOI",)

    def test_a_pmid_in_its_other_place_and_a_doi_alone_do(self) -> None:
        ids = "<ArticleIdList><ArticleId IdType='{}'>{}</ArticleId></ArticleIdList>"
        other = one(pmid="", data=ids.format("pubmed", "99000005"))
        assert other.metadata.pmid == "99000005"
        assert one(pmid="", data=ids.format("doi", "10.9900/x")).citation.url == (
            "https://doi.org/10.9900/x"
        )

    def test_the_address(self) -> None:
        assert made()["101"].citation.url == "https://pubmed.ncbi.nlm.nih.gov/99000101/"


class TestAuthors:
    def test_people_by_family_and_initials_groups_by_name(self) -> None:
        assert made()["101"].citation.authors == (
            "Invented AM",
            "Made Up JL",
            "Invented AM",
            "EXAMPLE Study Group",
        )
        assert made()["106"].citation.authors == ("Pooling Collaboration",)
        assert made()["103"].citation.authors == ()

    def test_of_a_chapter_its_authors_of_a_book_its_editors(self) -> None:
        assert made()["109"].citation.authors == ("Chapter C",)
        book = (
            "<PubmedBookArticle><BookDocument><PMID>99000007</PMID><Book><BookTitle>B</BookTitle>"
            "<AuthorList Type='editors'><Author><LastName>Editor</LastName></Author></AuthorList>"
            "</Book></BookDocument></PubmedBookArticle>"
        )
        (record,) = parse(record_set(book)).records
        assert (record.citation.title, record.citation.authors) == ("B", ("Editor",))

    def test_a_name_in_pieces(self) -> None:
        def author(inner: str) -> tuple[str, ...]:
            people = f"<AuthorList><Author>{inner}</Author></AuthorList>"
            return one(article=people).citation.authors

        assert author("<LastName>Du Made</LastName><Initials>J. R</Initials>") == ("Du Made JR",)
        assert author("<LastName>Alone</LastName>") == ("Alone",)
        assert author("<ForeName>Plato</ForeName>") == ("Plato",)
        assert author("<LastName/><Initials>X</Initials>") == ()
        assert author("<LastName>Un<sup>1</sup></LastName>") == ("Un^1",)


class TestDate:
    @pytest.mark.parametrize(
        ("inner", "date"),
        [
            ("<Year>2099</Year><Month>Feb</Month><Day>07</Day>", "2099-02-07"),
            ("<Year>2099</Year><Month>2</Month><Day>7</Day>", "2099-02-07"),
            ("<Year>2099</Year><Month>02</Month>", "2099-02"),
            ("<Year>2099</Year><Month>September</Month>", "2099-09"),
            ("<Year>2099</Year><Month>Sep.</Month>", "2099-09"),
            ("<Year>2099</Year><Month>Jan-Feb</Month>", "2099-01"),
            ("<Year>2099</Year>", "2099"),
            ("<Year>2099</Year><Season>Spring</Season>", "2099"),
            ("<Year>2099</Year><Month>Feb</Month><Day>31</Day>", "2099-02"),
            ("<Year>2099</Year><Month>13</Month><Day>1</Day>", "2099"),
            ("<Year>2099</Year><Month>junk</Month>", "2099"),
            ("<MedlineDate>1978 Jul-Sep</MedlineDate>", "1978-07"),
            ("<MedlineDate>1998 Dec-1999 Jan</MedlineDate>", "1998-12"),
            ("<MedlineDate>2000 Dec 23- 30</MedlineDate>", "2000-12-23"),
            ("<MedlineDate>2000 Nov-Dec</MedlineDate>", "2000-11"),
            ("<MedlineDate>2000 Spring-Summer</MedlineDate>", "2000"),
            ("<MedlineDate>1976-1977</MedlineDate>", "1976"),
            ("<MedlineDate>Fall 1998</MedlineDate>", "1998"),
            ("<MedlineDate>1999 2d Quart</MedlineDate>", "1999"),
            ("1999 Jul", "1999"),
            ("<Year>nineteen</Year>", ""),
            ("<Month>Jul</Month>", ""),
            ("", ""),
        ],
    )
    def test_forms(self, inner: str, date: str) -> None:
        issue = f"<Journal><JournalIssue><PubDate>{inner}</PubDate></JournalIssue></Journal>"
        assert one(article=issue).citation.date == date

    def test_the_issue_comes_before_the_electronic_date(self) -> None:
        assert made()["101"].citation.date == "2099-02-07"
        assert made()["110"].citation.date == "2077-04-15"
        # Of a chapter, the date of its book is what PubMed itself shows and searches.
        assert made()["109"].citation.date == "1993"

    def test_the_date_in_pubmed_is_the_last_resort(self) -> None:
        history = (
            "<History><PubMedPubDate PubStatus='received'><Year>2001</Year></PubMedPubDate>"
            "<PubMedPubDate PubStatus='pubmed'><Year>2002</Year></PubMedPubDate></History>"
        )
        assert one(data=history).citation.date == "2002"


class TestIndexTerms:
    def test_what_the_index_says(self) -> None:
        meta = made()["101"].metadata
        assert meta.publication_types == ("Journal Article", "Randomized Controlled Trial")
        assert meta.mesh_terms == ("Humans", "Testitis*", "Made-Up Drugs*")
        assert meta.chemicals == ("examplol",)
        assert (meta.journal, meta.volume_pages) == ("Journal of made-up records", "12(3):101-9")
        assert meta.language == "eng"
        assert grade(made()["101"]).design is Design.RCT
        assert made()["107"].metadata.mesh_terms == ("long testitis",)
        assert made()["109"].metadata.publication_types == ("Review",)

    def test_the_title_in_the_paper_s_language_is_kept_beside_the_english_one(self) -> None:
        vernacular = "<VernacularTitle>Testite: \u00e9tude <i>in vitro</i>.</VernacularTitle>"
        record = one(title="[Testitis].", article=vernacular)
        assert record.citation.title == "[Testitis]."
        assert record.metadata.model_extra == {"vernacular_title": "Testite: \u00e9tude in vitro."}
        assert one().metadata.model_extra == {}

    def test_journal_volume_and_pages_in_other_forms(self) -> None:
        assert made()["102"].metadata.journal == "Annals of invention"
        assert made()["102"].metadata.volume_pages == "7:55-6"
        assert made()["104"].metadata.volume_pages == "73(12):487-488"
        assert made()["105"].metadata.volume_pages == "9:1034"
        assert made()["107"].metadata.volume_pages is None
        assert made()["109"].metadata.journal == "MadeReviews®"
        assert made()["106"].metadata.language == "eng, spa"


class TestLinks:
    def test_a_trial_that_a_paper_reports_is_linked_and_is_not_the_paper(self) -> None:
        meta = made()["101"].metadata
        assert meta.linked_ids == ("nct:NCT99000101",)
        assert meta.nct_id is None
        assert study_links(made()["101"]) == {"nct:NCT99000101"}

    def test_a_review_is_not_one_study_with_the_trials_that_it_pools(self) -> None:
        assert made()["106"].metadata.linked_ids == ()

    def test_a_preprint_is_linked_to_its_published_version(self) -> None:
        assert made()["107"].metadata.linked_ids == ("pmid:99000101",)
        assert made()["107"].metadata.notices == ("update pmid:99000101",)


class TestIntegrity:
    @pytest.mark.parametrize(
        ("kind", "integrity", "notice"),
        [
            ("RetractionIn", "retracted", "retraction pmid:99000008"),
            ("RetractedandRepublishedIn", "retracted", "retraction pmid:99000008"),
            ("ExpressionOfConcernIn", "concern", "concern pmid:99000008"),
            ("PartialRetractionIn", "concern", "partial retraction pmid:99000008"),
            ("ErratumIn", "corrected", "erratum pmid:99000008"),
            ("CorrectedandRepublishedIn", "corrected", "erratum pmid:99000008"),
            ("RepublishedIn", "not_checked", "republication pmid:99000008"),
            ("UpdateIn", "not_checked", "update pmid:99000008"),
            ("RetractionOf", "not_checked", "retracts pmid:99000008"),
            ("ErratumFor", "not_checked", "corrects pmid:99000008"),
            ("ExpressionOfConcernFor", "not_checked", "raises concern on pmid:99000008"),
            ("UpdateOf", "not_checked", "updates pmid:99000008"),
            ("CommentIn", "not_checked", None),
            ("Cites", "not_checked", None),
            ("Junk", "not_checked", None),
        ],
    )
    def test_kinds(self, kind: str, integrity: str, notice: str | None) -> None:
        entry = f"<CommentsCorrections RefType='{kind}'><PMID>99000008</PMID></CommentsCorrections>"
        record = one(citation=f"<CommentsCorrectionsList>{entry}</CommentsCorrectionsList>")
        assert record.metadata.integrity == integrity
        assert record.metadata.notices == ((notice,) if notice else ())
        assert is_retracted(record) == (integrity == "retracted")

    def test_the_worst_counts_and_every_reader_sees_a_retraction(self) -> None:
        meta = made()["102"].metadata
        assert meta.integrity == "retracted"
        assert meta.notices == ("concern pmid:99000911", "retraction pmid:99000912")
        assert meta.publication_types == ("Journal Article", "Retracted Publication")
        assert grade(made()["102"]).retracted

    def test_a_notice_without_a_pmid_has_its_doi_or_its_reference(self) -> None:
        assert made()["101"].metadata.notices == ("erratum doi:10.9900/erratum.101",)
        entry = (
            "<CommentsCorrections RefType='ErratumIn'><RefSource>Ann Invent. 2080.</RefSource>"
            "</CommentsCorrections><CommentsCorrections RefType='RetractionIn'/>"
        )
        record = one(citation=f"<CommentsCorrectionsList>{entry}</CommentsCorrectionsList>")
        assert record.metadata.notices == ("erratum Ann Invent. 2080.", "retraction")
        assert is_retracted(record)

    def test_type_and_title_alone_are_enough(self) -> None:
        types = "<PublicationType>Retracted Publication</PublicationType>"
        typed = one(article=f"<PublicationTypeList>{types}</PublicationTypeList>")
        titled = one(title="RETRACTED: Examplol in testitis")
        assert typed.metadata.integrity == titled.metadata.integrity == "retracted"
        assert titled.metadata.publication_types == ("Retracted Publication",)

    def test_a_notice_of_retraction_is_not_itself_retracted(self) -> None:
        assert not is_retracted(made()["110"])
        assert made()["110"].metadata.notices == ("retracts pmid:99000102",)
