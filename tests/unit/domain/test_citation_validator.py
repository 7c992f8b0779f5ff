from __future__ import annotations

from typing import Any

import pytest

from deepcritical.domain.citation_validator import (
    ValidatedReport,
    build_reference_from_evidence,
    validate_references,
)
from deepcritical.domain.report import SUMMARY_LIMIT, ResearchReport
from deepcritical.domain.report_parts import (
    Claim,
    DrugCandidate,
    EdgeTested,
    HypothesisTested,
    Reference,
)
from deepcritical.domain.verdict import NO_RECORD, Verdict, VerdictLabel
from tests.unit.domain.records import TITLE, paper, reference, report, section

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


def validated(text: str, *references: Reference) -> ValidatedReport[ResearchReport]:
    return validate_references(report(text, *references), STORE)


def rewritten(text: str, *references: Reference) -> str:
    return validated(text, *references).report.clinical_findings.content


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
    result = validated("It fell [1].", claimed)
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
    result = validated("It fell [1].", claimed)
    assert (result.report.references, result.removed) == ((), (claimed,))
    assert result.report.clinical_findings.content == "It fell [unsupported]."


def test_a_title_that_two_records_share_names_neither() -> None:
    twins = [paper(TITLE, pmid="1"), paper(TITLE, pmid="2")]
    assert validate_references(report("", bare(TITLE)), twins).removed == (bare(TITLE),)


def test_of_two_records_with_the_id_the_one_that_is_meant_is_named() -> None:
    # A notice bears the DOI of its article, and may have been joined with other records.
    notice = paper("Retraction notice", pmid="44444444", doi="10.1234/first")
    store = {"E1": notice, "E2": paper("Examplol at last", doi="10.1234/first")}
    kept = validate_references(
        report(
            "Found [1]. By id alone [2].",
            build_reference_from_evidence(store["E2"], "E2"),
            bare("-", "doi:10.1234/first"),
        ),
        store,
    ).report
    assert [r.evidence_id for r in kept.references] == ["E2"]


def test_a_claimed_title_gives_way_to_the_stored_one() -> None:
    result = validated("", bare("Examplol cures testitis", "pmid:11111111"))
    assert [r.title for r in result.report.references] == [TITLE]


def test_duplicates_are_joined_and_renumbered() -> None:
    result = validated("A [1]. B [2]. C [3].", R1, bare("-", "doi:10.1234/first"), R2)
    assert [r.evidence_id for r in result.report.references] == ["E1", "E2"]
    assert result.report.clinical_findings.content == "A [1]. B [1]. C [2]."


@pytest.mark.parametrize(
    ("references", "expected"),
    [
        pytest.param((INVENTED, R1, R2), "A [unsupported]. B [1]. C [2].", id="start"),
        pytest.param((R1, INVENTED, R2), "A [1]. B [unsupported]. C [2].", id="middle"),
        pytest.param((R1, R2, INVENTED), "A [1]. B [2]. C [unsupported].", id="end"),
        pytest.param((INVENTED,) * 3, "A [unsupported]. B [unsupported]. C [unsupported].", id="*"),
    ],
)
def test_numbers_close_up_where_a_reference_is_removed(
    references: tuple[Reference, ...], expected: str
) -> None:
    assert rewritten("A [1]. B [2]. C [3].", *references) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("It fell [1, 3-4].", "It fell [1][2][3].", id="list and range"),
        pytest.param("It fell [1; 3–4].", "It fell [1][2][3].", id="semicolon and dash"),
        pytest.param("It fell [3][1].", "It fell [1][2].", id="markers in a row"),
        pytest.param("It fell [4] [3].", "It fell [2][3].", id="markers apart"),
        pytest.param("It fell [1][2].", "It fell [1].", id="one of two removed"),
        pytest.param("It fell [1-2].", "It fell [1].", id="one of a range removed"),
        pytest.param("It fell [2].", "It fell [unsupported].", id="the last one removed"),
        pytest.param("It fell[2]. It rose [1].", "It fell[unsupported]. It rose [1].", id="glued"),
        pytest.param("It fell [1][1].", "It fell [1].", id="said twice"),
        pytest.param("One\n[1]\n[3]", "One\n[1]\n[2]", id="lines stay lines"),
        pytest.param("| a [3] | b [2] |", "| a [2] | b [unsupported] |", id="table"),
        pytest.param("It fell \\[3\\].", "It fell \\[3\\].", id="escaped"),
        pytest.param("See [3](https://x.org).", "See [3](https://x.org).", id="link"),
        pytest.param("95% CI [0.25, 0.86]", "95% CI [0.25, 0.86]", id="interval of decimals"),
        pytest.param("[E3] and [x] and []", "[E3] and [x] and []", id="no numbers"),
        pytest.param("It fell [unsupported].", "It fell [unsupported].", id="marked before"),
        pytest.param("", "", id="empty"),
    ],
)
def test_markers_are_renewed(text: str, expected: str) -> None:
    assert rewritten(text, R1, INVENTED, R2, R3) == expected


def test_a_number_without_a_reference_is_reported() -> None:
    result = validated("It fell [1][99]. It rose [0]. It broke [98].", R1)
    assert result.dangling == (0, 98, 99)
    assert result.unsupported == 2
    assert result.report.clinical_findings.content == (
        "It fell [1]. It rose [unsupported]. It broke [unsupported]."
    )


VERDICT = NO_RECORD
EDGE = EdgeTested(subject="examplol", object="targetase", finding="increases [2]")
CHAIN = HypothesisTested(
    chain=("examplol", "targetase"), prediction="None [1].", confidence=0, complete=True, edges=()
)


@pytest.mark.parametrize(
    ("field", "before", "after"),
    [
        pytest.param("executive_summary", "It fell [2].", "It fell [1].", id="summary"),
        pytest.param("conclusion", "It fell [1].", "It fell [unsupported].", id="conclusion"),
        pytest.param("limitations", ("It fell [2].",), ("It fell [1].",), id="limitations"),
        pytest.param("methodology", section("So [2]."), section("So [1]."), id="methodology"),
        pytest.param(
            "hypotheses_tested",
            (CHAIN.model_copy(update={"edges": (EDGE,)}),),
            (
                CHAIN.model_copy(
                    update={
                        "prediction": "None [unsupported].",
                        "edges": (EDGE.model_copy(update={"finding": "increases [1]"}),),
                    }
                ),
            ),
            id="edges",
        ),
        pytest.param(
            "drug_candidates",
            (
                DrugCandidate(
                    name="examplol",
                    verdict=VERDICT.model_copy(update={"rule": "A rule [2]."}),
                    studies=1,
                ),
            ),
            (
                DrugCandidate(
                    name="examplol",
                    verdict=VERDICT.model_copy(update={"rule": "A rule [1]."}),
                    studies=1,
                ),
            ),
            id="candidates",
        ),
        pytest.param("research_question", "Is [1] so?", "Is [1] so?", id="question stays"),
        pytest.param("written_by", "model [1]", "model [1]", id="writer stays"),
    ],
)
def test_every_prose_field_is_rewritten_and_no_other(field: str, before: Any, after: Any) -> None:
    written = report("", INVENTED, R1, **{field: before})
    assert getattr(validate_references(written, STORE).report, field) == after


def test_a_label_stays_a_label() -> None:
    verdict = Verdict(label=VerdictLabel.MIXED, certainty=VERDICT.certainty, rule="A rule [1].")
    result = validate_references(report("", INVENTED, R1, verdict=verdict), STORE)
    assert result.report.verdict.label is VerdictLabel.MIXED


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


def test_a_summary_that_grows_over_its_limit_is_cut_at_a_sentence() -> None:
    summary = f"It fell. It rose {'x' * 475} [1]."
    result = validate_references(report("", INVENTED, executive_summary=summary), STORE)
    assert len(summary) <= SUMMARY_LIMIT
    assert result.report.executive_summary == "It fell."


def test_a_report_without_references_keeps_its_words() -> None:
    assert validated("Nothing was found.").report == report("Nothing was found.")
