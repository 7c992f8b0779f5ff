from __future__ import annotations

import pytest

from deepcritical.domain.report.citation_validator import (
    ValidatedReport,
    build_reference_from_evidence,
    validate_references,
)
from deepcritical.domain.report.parts import Claim, Reference
from deepcritical.domain.report.report import ResearchReport
from tests.unit.domain.records import TITLE, paper, reference, report

FIRST = paper(pmid="11111111", doi="10.1234/first", url="https://pubmed.ncbi.nlm.nih.gov/11111111/")
SECOND = paper("Examplol: a second look", pmid="22222222")
THIRD = paper("Examplol: a third look", pmid="33333333")
NAMELESS = paper("Examplol: a page without an id")
STORE = {"E1": FIRST, "E2": SECOND, "E3": THIRD, "E4": NAMELESS}
R1, R2, R3, R4 = (reference(record) for record in STORE.values())
INVENTED = Reference(
    evidence_id="E9", title="Examplol cures all", source="pubmed", ids=("pmid:99999999",)
)


def bare(title: str = TITLE, *ids: str, url: str = "") -> Reference:
    """A reference as somebody claims it, with nothing but title, ids and address."""
    return Reference(evidence_id="", title=title, source="pubmed", ids=ids, url=url)


def validated(*references: Reference) -> ValidatedReport[ResearchReport]:
    return validate_references(report("", *references), STORE)


@pytest.mark.parametrize(
    ("claimed", "key"),
    [
        pytest.param(bare("Any title", "pmid:11111111"), "E1", id="id"),
        pytest.param(bare("Any title", "pmid:99999999", "doi:10.1234/first"), "E1", id="one of"),
        pytest.param(bare("-", url="https://pubmed.ncbi.nlm.nih.gov/11111111/"), "E1", id="URL"),
        pytest.param(bare("-", url="https://doi.org/10.1234/FIRST"), "E1", id="resolver URL"),
        pytest.param(bare(TITLE), "E1", id="exact title"),
        pytest.param(bare("a STUDY of examplol, in testitis."), "E1", id="title in other dress"),
        pytest.param(bare(TITLE, url="https://example.org/blog"), "E1", id="title, unknown page"),
        pytest.param(bare("Examplol: a page without an id"), "E4", id="title of a nameless record"),
    ],
)
def test_a_reference_to_a_stored_record_is_rebuilt_from_it(claimed: Reference, key: str) -> None:
    result = validated(claimed)
    assert result.report.references == (build_reference_from_evidence(STORE[key], key),)
    assert result.removed == ()


@pytest.mark.parametrize(
    "claimed",
    [
        pytest.param(INVENTED, id="invented id and title"),
        pytest.param(bare(TITLE, "pmid:99999999"), id="invented id under a real title"),
        pytest.param(
            bare(TITLE, url="https://pubmed.ncbi.nlm.nih.gov/99999999/"),
            id="invented address under a real title",
        ),
        pytest.param(bare(TITLE, "pmid:11111111", "pmid:22222222"), id="ids of two records"),
        pytest.param(
            bare(TITLE, "pmid:22222222", url="https://pubmed.ncbi.nlm.nih.gov/11111111/"),
            id="id of one record, address of another",
        ),
        pytest.param(bare("Examplol"), id="one word of a title"),
        pytest.param(bare("A study of examplol"), id="beginning of a title"),
        pytest.param(bare(f"{TITLE} and more"), id="more than a title"),
        pytest.param(bare(""), id="nothing"),
        pytest.param(bare("", "pmid:1111111"), id="beginning of an id"),
    ],
)
def test_a_reference_that_names_no_single_record_is_removed(claimed: Reference) -> None:
    result = validated(claimed)
    assert (result.report.references, result.removed) == ((), (claimed,))


def test_a_title_that_two_records_share_names_neither() -> None:
    twins = [paper(TITLE, pmid="1"), paper(TITLE, pmid="2")]
    assert validate_references(report("", bare(TITLE)), twins).removed == (bare(TITLE),)


def test_of_two_records_with_the_id_the_one_that_is_meant_is_named() -> None:
    # A notice bears the DOI of its article, and may have been joined with other records.
    notice = paper("Retraction notice", pmid="44444444", doi="10.1234/first")
    store = {"E1": notice, "E2": paper("Examplol at last", doi="10.1234/first")}
    kept = validate_references(
        report(
            "", build_reference_from_evidence(store["E2"], "E2"), bare("-", "doi:10.1234/first")
        ),
        store,
    ).report
    assert [r.evidence_id for r in kept.references] == ["E2"]


def test_a_claimed_title_gives_way_to_the_stored_one() -> None:
    result = validated(bare("Examplol cures testitis", "pmid:11111111"))
    assert [r.title for r in result.report.references] == [TITLE]


def test_duplicates_are_joined_and_numbers_close_up() -> None:
    result = validated(INVENTED, R1, bare("-", "doi:10.1234/first"), R2)
    assert [r.evidence_id for r in result.report.references] == ["E1", "E2"]


def test_claims_on_records_that_do_not_exist_are_dropped() -> None:
    real = Claim(sentence="It fell [1].", evidence_id="E1", quote="It fell.", start=0, end=8)
    invented = real.model_copy(update={"evidence_id": "E9"})
    result = validate_references(report("", claims=(real, invented)), STORE)
    assert result.report.claims == (real,)


def test_the_report_that_goes_in_is_not_changed() -> None:
    written = report("A [1]. B [2].", INVENTED, R1)
    before = written.model_dump_json()
    validate_references(written, STORE)
    assert written.model_dump_json() == before


def test_records_given_in_a_row_are_named_by_their_place() -> None:
    result = validate_references(report("", R2), [FIRST, SECOND])
    assert [r.evidence_id for r in result.report.references] == ["E2"]


def test_a_report_without_references_keeps_its_words() -> None:
    assert validated().report == report()
