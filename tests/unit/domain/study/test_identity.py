from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import count

import pytest

from deepcritical.domain.evidence.kinds import is_retracted
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.study.identity import (
    canonical_ids,
    merge_evidence,
    normalised_doi,
    normalised_title,
    record_url,
    study_groups,
    study_links,
)
from deepcritical.domain.study.reading import (
    Arm,
    ControlKind,
    Intervention,
    Population,
    Reader,
    StudyReading,
)
from tests.unit.domain.records import TITLE, paper, trial


@pytest.mark.parametrize(
    ("doi", "expected"),
    [
        pytest.param("10.1234/abc", "10.1234/abc", id="plain"),
        pytest.param("10.1234/ABC.Def", "10.1234/abc.def", id="case"),
        pytest.param("https://doi.org/10.1234/abc", "10.1234/abc", id="resolver"),
        pytest.param("http://dx.doi.org/10.1234/abc", "10.1234/abc", id="old resolver"),
        pytest.param("doi: 10.1234/abc", "10.1234/abc", id="label"),
        pytest.param("10.1234/abc.", "10.1234/abc", id="trailing stop"),
        pytest.param("(10.1234/abc).", "10.1234/abc", id="in parentheses"),
        pytest.param("10.1234/s0000(99)00001-1", "10.1234/s0000(99)00001-1", id="parentheses"),
        pytest.param("https://doi.org/10.1234%2Fabc", "10.1234/abc", id="url-encoded"),
        pytest.param(" 10.1234/abc\n", "10.1234/abc", id="blanks"),
        pytest.param("11.1234/abc", None, id="no DOI"),
        pytest.param("", None, id="empty"),
        pytest.param(None, None, id="none"),
    ],
)
def test_a_doi_has_one_form(doi: str | None, expected: str | None) -> None:
    assert normalised_doi(doi) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        pytest.param("https://pubmed.ncbi.nlm.nih.gov/11111111/", "pmid:11111111", id="PubMed"),
        pytest.param("https://www.ncbi.nlm.nih.gov/pubmed/11111111", "pmid:11111111", id="old"),
        pytest.param("https://europepmc.org/article/MED/11111111", "pmid:11111111", id="EPMC"),
        pytest.param("https://europepmc.org/articles/PMC111", "pmcid:PMC111", id="EPMC full text"),
        pytest.param(
            "https://pmc.ncbi.nlm.nih.gov/articles/pmc111/", "pmcid:PMC111", id="PubMed Central"
        ),
        pytest.param(
            "https://clinicaltrials.gov/study/nct11111111", "nct:NCT11111111", id="registry"
        ),
        pytest.param("https://doi.org/10.1234/ABC", "doi:10.1234/abc", id="DOI"),
        pytest.param("https://DOI.org/10.1234/abc", "doi:10.1234/abc", id="host in capitals"),
        pytest.param("https://www.Example.org/Page/", "url:example.org/Page", id="web page"),
        pytest.param("https://example.org/?p=1", "url:example.org?p=1", id="query"),
        pytest.param(
            "https://example.org/news-on-NCT11111111",
            "url:example.org/news-on-NCT11111111",
            id="a page on a trial is not the trial",
        ),
        pytest.param(
            "https://example.org/PMC111", "url:example.org/PMC111", id="a page on an article"
        ),
    ],
)
def test_an_address_gives_the_id_of_its_record(url: str, expected: str) -> None:
    assert canonical_ids(paper(url=url)) == {expected}


def test_all_ids_of_a_record_are_canonical() -> None:
    record = paper(pmid=" 1 ", pmcid="pmc2", doi="DOI:10.1234/ABC", nct_id="nct11111111")
    assert canonical_ids(record) == {"pmid:1", "pmcid:PMC2", "doi:10.1234/abc", "nct:NCT11111111"}


def test_a_record_without_ids_is_named_by_its_title() -> None:
    assert canonical_ids(paper("A  Study: of Examplol!")) == {"title:a study of examplol"}


def test_a_trial_that_a_paper_names_is_not_its_own_id() -> None:
    assert canonical_ids(paper(content="Registered as NCT11111111.", pmid="1")) == {"pmid:1"}


@pytest.mark.parametrize(
    "title",
    [
        pytest.param("A study of examplol in Testers’ disease.", id="curly apostrophe and stop"),
        pytest.param("A STUDY OF EXAMPLOL IN TESTERS' DISEASE", id="capitals"),
        pytest.param("A study\u00a0of examplol  in Testers´ disease", id="blanks and accent"),
    ],
)
def test_titles_that_differ_in_dress_only_are_the_same(title: str) -> None:
    assert normalised_title(title) == normalised_title("A study of examplol in Testers' disease")


def test_titles_that_differ_in_a_word_are_not_the_same() -> None:
    assert normalised_title("Examplol") != normalised_title(TITLE)


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        pytest.param(
            {"nct_id": "NCT11111111", "pmid": "1"},
            "https://clinicaltrials.gov/study/NCT11111111",
            id="trial",
        ),
        pytest.param(
            {"pmid": "1", "doi": "10.1234/a"}, "https://pubmed.ncbi.nlm.nih.gov/1/", id="PMID"
        ),
        pytest.param({"pmcid": "PMC1"}, "https://pmc.ncbi.nlm.nih.gov/articles/PMC1/", id="PMCID"),
        pytest.param({"doi": "10.1234/A"}, "https://doi.org/10.1234/a", id="DOI"),
        pytest.param({}, "", id="none"),
    ],
)
def test_the_address_of_a_record_follows_its_best_id(ids: dict[str, str], expected: str) -> None:
    assert record_url(paper(**ids).metadata) == expected


PUBMED = paper(pmid="1", doi="10.1234/a", content="Short.", publication_types=("Journal Article",))
EUROPE_PMC = paper(
    pmid="1",
    pmcid="PMC1",
    content="A longer text.",
    text_kind="summary",
    journal="Journal of Tests",
    publication_types=("Retracted Publication",),
    linked_ids=("nct:NCT11111111",),
)


def known_ids(record: Evidence) -> frozenset[str]:
    return canonical_ids(record) | frozenset(record.metadata.linked_ids)


def test_two_records_of_one_work_merge_without_loss() -> None:
    merged = merge_evidence(PUBMED, EUROPE_PMC)
    assert canonical_ids(merged) == {"pmid:1", "pmcid:PMC1", "doi:10.1234/a"}
    assert merged.metadata.journal == "Journal of Tests"
    assert merged.metadata.linked_ids == ("nct:NCT11111111",)


def test_the_longer_text_is_kept_with_its_kind() -> None:
    merged = merge_evidence(PUBMED, EUROPE_PMC)
    assert (merged.content, merged.metadata.text_kind) == ("A longer text.", "summary")


@pytest.mark.parametrize("order", [1, -1], ids=["first", "last"])
def test_where_both_records_have_a_field_that_of_the_curating_source_is_kept(order: int) -> None:
    pair = [paper(pmid="1", journal="Curated"), paper(pmid="1", journal="Other", source="doi")]
    assert merge_evidence(*pair[::order]).metadata.journal == "Curated"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (paper(content="Pain fell.", pmid="1"), paper(content="Pain rose.", pmid="1")),
        (trial(status="COMPLETED", enrollment=20), trial(status="TERMINATED", enrollment=200)),
        (paper(pmid="1", journal="One"), paper(pmid="1", journal="Other")),
    ],
    ids=["texts of one length", "registry fields", "journals"],
)
def test_which_of_two_records_came_first_does_not_change_the_merge(
    one: Evidence, other: Evidence
) -> None:
    assert merge_evidence(one, other) == merge_evidence(other, one)


@pytest.mark.parametrize("order", [1, -1], ids=["first", "last"])
def test_a_retraction_that_one_source_knows_survives_the_merge(order: int) -> None:
    merged = merge_evidence(*[PUBMED, EUROPE_PMC][::order])
    assert set(merged.metadata.publication_types) == {"Journal Article", "Retracted Publication"}
    assert is_retracted(merged)


@pytest.mark.parametrize("order", [1, -1], ids=["first", "last"])
def test_a_retraction_in_a_title_survives_the_merge(order: int) -> None:
    pair = [paper(pmid="1"), paper(f"RETRACTED: {TITLE}", pmid="1")]
    assert is_retracted(merge_evidence(*pair[::order]))


def test_a_second_id_of_one_kind_is_not_lost() -> None:
    merged = merge_evidence(paper(pmid="1", doi="10.1234/a"), paper(pmid="2", doi="10.1234/a"))
    assert known_ids(merged) == {"pmid:1", "pmid:2", "doi:10.1234/a"}


def test_fields_of_a_source_s_own_survive_the_merge() -> None:
    merged = merge_evidence(paper(pmid="1"), paper(pmid="1", altmetric=3))
    assert merged.metadata.model_extra == {"altmetric": 3}


def test_a_zero_and_a_no_are_known_values() -> None:
    stopped = trial(content="Longer text.", enrollment=0, has_results=False)
    merged = merge_evidence(stopped, trial(enrollment=20, has_results=True))
    assert (merged.metadata.enrollment, merged.metadata.has_results) == (0, False)


def groups(*records: Evidence) -> Iterable[tuple[str, ...]]:
    """Records grouped by study, each named by its place."""
    return study_groups({f"E{n}": record for n, record in enumerate(records, 1)})


OTHER = paper("Another work", pmid="9")
REPORTED = "Registered as NCT11111111."


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        pytest.param([paper(pmid="1"), OTHER], [("E1",), ("E2",)], id="nothing shared"),
        pytest.param(
            [paper(pmid="1"), OTHER, paper("Other title", pmid="1")],
            [("E1", "E3"), ("E2",)],
            id="a shared id",
        ),
        pytest.param(
            [paper(pmid="1", content=REPORTED), trial()], [("E1", "E2")], id="a trial and its paper"
        ),
        pytest.param(
            [trial(), paper(pmid="1", content=REPORTED), paper(pmid="2", content=REPORTED)],
            [("E1", "E2", "E3")],
            id="a trial and its papers",
        ),
        pytest.param(
            [paper(pmid="1", content=REPORTED), paper(pmid="2", content=REPORTED)],
            [("E1", "E2")],
            id="two papers of a trial that was not retrieved",
        ),
        pytest.param(
            [trial(linked_ids=("pmid:1",)), paper(pmid="1")],
            [("E1", "E2")],
            id="a link declared by the registry",
        ),
        pytest.param(
            [paper(doi="10.1101/a"), paper(pmid="1", linked_ids=("doi:10.1101/a",))],
            [("E1", "E2")],
            id="a preprint and its published version",
        ),
        pytest.param(
            [
                trial(),
                trial("NCT22222222"),
                paper(
                    pmid="1",
                    content="Included: NCT11111111 and NCT22222222.",
                    publication_types=("Systematic Review",),
                ),
            ],
            [("E1",), ("E2",), ("E3",)],
            id="a review of trials",
        ),
        pytest.param(
            [trial(), paper("Examplol: a meta-analysis", content=REPORTED, pmid="1")],
            [("E1",), ("E2",)],
            id="a review by its title",
        ),
        pytest.param(
            [trial(), trial("NCT22222222", content="Why stopped: NCT11111111 has reported.")],
            [("E1",), ("E2",)],
            id="a trial stopped for the result of another",
        ),
        pytest.param(
            [
                paper(pmid="1", content="Registered as ISRCTN 11111111."),
                paper(pmid="2", content="(ISRCTN11111111 and NCT22222222)"),
                paper(pmid="3", content="Like ISRCTN11111111 and ISRCTN22222222."),
            ],
            [("E1", "E2"), ("E3",)],
            id="papers of a trial of another register",
        ),
        pytest.param([], [], id="no records"),
    ],
)
def test_records_are_grouped_by_study(
    records: list[Evidence], expected: list[tuple[str, ...]]
) -> None:
    assert list(groups(*records)) == expected


def test_a_record_does_not_link_to_itself() -> None:
    assert study_links(trial(content=REPORTED, linked_ids=("nct:NCT11111111",))) == frozenset()


COUNT = count()


def report(*authors: str, content: str = "") -> Evidence:
    record = paper(f"A report {next(COUNT)}", content)
    citation = record.citation.model_copy(update={"authors": authors})
    return record.model_copy(update={"citation": citation})


def read(people: int, *drugs: str, control: ControlKind | None = "placebo") -> StudyReading:
    given = tuple(Intervention(name=name) for name in drugs)
    arms = [Arm(id="A", interventions=given)]
    arms += [Arm(id="B", control=control)] if control else []
    return StudyReading(
        text_sha256="0" * 64,
        reader=Reader(kind="rules"),
        read_at=datetime(2030, 1, 1, tzinfo=UTC),
        kinds=("trial",),
        population=Population(n_randomised=people),
        arms=tuple(arms),
    )


ONE, TWO = ("Invented AB", "Made-Up C"), ("Other D", "Another E")
GROUP = "Invented Study Group"
SAME = ("Made-Up, C", "Invented, A B")
REPORTS: tuple[tuple[Evidence, StudyReading, Evidence, StudyReading, bool], ...] = (
    (report(*ONE), read(57, "examplol"), report(*SAME), read(57, "examplol"), True),
    (report(*ONE), read(57, "examplol"), report(*TWO), read(57, "examplol"), False),
    (report(*ONE), read(57, "examplol"), report(*SAME), read(58, "examplol"), False),
    (
        report(*ONE),
        read(57, "examplol"),
        report("Invented X", "Made-Up Y"),
        read(57, "examplol"),
        False,
    ),
    (report(*ONE), read(57, "examplol"), report("Made-Up C"), read(57, "examplol"), False),
    (report(GROUP, "Other D"), read(57, "examplol"), report(GROUP), read(57, "examplol"), True),
    (report(*ONE), read(60, "examplol"), report(*SAME), read(60, "examplol"), False),
    (report(*ONE), read(21, "examplol"), report(*SAME), read(21, "examplol"), False),
    (report(*ONE), read(57, "examplol"), report(*SAME), read(57, "testamine"), False),
    (
        report(*ONE),
        read(57, "examplol"),
        report(*SAME),
        read(57, "examplol", control="usual_care"),
        False,
    ),
    (
        report(*ONE, content=REPORTED),
        read(57, "examplol"),
        report(*SAME, content="Registered as NCT22222222."),
        read(57, "examplol"),
        False,
    ),
    (report(), read(157, "examplol"), report(), read(157, "examplol"), False),
    (report(), read(557, "examplol"), report(), read(557, "examplol"), True),
    (
        report(),
        read(157, "examplol", "testamine"),
        report(),
        read(157, "testamine", "examplol"),
        True,
    ),
    # One of the reports names a drug more than the other one, or the control not at all.
    (
        report(),
        read(317, "examplol", "otherol"),
        report(),
        read(317, *"examplol otherol third".split()),
        True,
    ),
    (report(), read(317, "examplol", "otherol"), report(), read(317, "examplol", "third"), False),
    (
        report(),
        read(317, "examplol", "otherol"),
        report(),
        read(317, "examplol", "otherol", control=None),
        True,
    ),
    (report(*ONE), read(57, "examplol"), report(*SAME), read(57, "examplol", "otherol"), False),
)


@pytest.mark.parametrize(("one", "read_one", "other", "read_other", "same"), REPORTS)
def test_two_reports_of_one_trial_are_one_study(
    one: Evidence, read_one: StudyReading, other: Evidence, read_other: StudyReading, same: bool
) -> None:
    found = study_groups({"E1": one, "E2": other}, {"E1": read_one, "E2": read_other})
    assert (len(found) == 1) is same
