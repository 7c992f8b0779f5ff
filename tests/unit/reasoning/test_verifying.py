"""Sentences held against made-up records: what is true passes, and each kind of lie is named."""

from __future__ import annotations

from typing import ClassVar

import pytest

from deepcritical import verify_claim
from deepcritical.domain.claim_checks import (
    CheckKind,
    Failure,
    Outcome,
)
from deepcritical.domain.evidence import Evidence
from tests.unit.domain.records import paper

TITLE = "Examplol against testitis: the MADEUP trial"
ABSTRACT = (
    "Background: We aimed to determine whether examplol slows testitis. "
    "Methods: In this randomised trial, 412 adults with testitis received examplol 500 mg twice "
    "daily (n = 206) or placebo (n = 206) for 24 weeks. "
    "Results: Pain decreased by 12.5% with examplol and by 4.1% with placebo (P = 0.02). "
    "Examplol was associated with a lower risk of relapse (hazard ratio 0.71, 95% CI 0.55 to "
    "0.92). "
    "No significant difference in mortality was observed between the groups. "
    "Serum TNF-alpha fell from 18.2 to 9.4 pg/ml, but IL-6 did not change. "
    "Adverse events were similar in both groups. "
    "Conclusions: Examplol may slow testitis; larger trials of more than 12 months are needed."
)
REFERENCES = (
    "\n\nReferences\n"
    "1. Invented A, Planted B. Examplol cured every case of testitis. "
    "J Made Up Res. 2016;12(3):45-50.\n"
)
RECORD = paper(TITLE, ABSTRACT, pmid="99000001", doi="10.9999/made.1")


def failures(sentence: str, record: Evidence = RECORD, quote: str | None = None) -> set[Failure]:
    check = verify_claim(sentence, record, quote)
    assert check.supported is not bool(check.failures)
    return {f.failure for f in check.failures if f.failure}


@pytest.mark.parametrize(
    "sentence",
    [
        "Pain decreased by 12.5% with examplol and by 4.1% with placebo (P = 0.02).",
        "With examplol pain was reduced by 12.5 percent, versus 4.1 percent with placebo (p<0.05).",
        "In 412 people with testitis, examplol was compared with placebo for 24 weeks.",
        "Four hundred and twelve adults were randomised.",
        "Patients took 0.5 g of examplol twice daily.",
        "Examplol was linked to a reduced risk of relapse (HR 0.71; 95% CI, 0.55-0.92).",
        "The risk of relapse was lower with examplol.",
        "Mortality did not differ significantly between the groups.",
        "There was no difference in mortality.",
        "TNF-α dropped from 18.2 pg/mL to 9.4 pg/mL.",
        "IL-6 was unchanged.",
        "Adverse events did not differ between the groups.",
        "Examplol may slow testitis.",
        "Trials longer than 12 months are needed.",
        "The aim was to determine whether examplol slows testitis.",
        "Pain decreased by 12.5% with examplol [1][2].",
        "Pain decreased by 12.5% with examplol \\(P = 0.02\\) (PMID 99000001).",
        "Pain decreased by 12.5% with examplol (doi:10.9999/made.1).",
        "Examplol or placebo was given for 168 days.",
    ],
)
def test_what_the_record_says_is_supported(sentence: str) -> None:
    check = verify_claim(sentence, RECORD)
    assert check.supported, check.reason
    assert check.score > 0.3
    for quote in check.quotes:
        assert RECORD.content[quote.start : quote.end] == quote.text


@pytest.mark.parametrize(
    ("sentence", "failure"),
    [
        ("Pain decreased by 15.2% with examplol.", Failure.NUMBER_MISSING),
        ("Pain decreased by 125% with examplol.", Failure.NUMBER_MISSING),
        (
            "Pain decreased by 4.1% with examplol and by 12.5% with placebo (P = 0.02).",
            Failure.NUMBER_MISPLACED,
        ),
        ("Pain decreased by 12.5% with examplol (P = 0.2).", Failure.NUMBER_MISSING),
        ("Pain decreased by 12.5% with examplol (P > 0.05).", Failure.NUMBER_MISSING),
        ("Adults with testitis received examplol 500 g twice daily.", Failure.UNIT_CHANGED),
        ("Adults received examplol or placebo for 24 months.", Failure.UNIT_CHANGED),
        ("Pain decreased by 12.5 mg with examplol.", Failure.UNIT_CHANGED),
        ("412 studies of examplol in testitis were randomised.", Failure.UNIT_CHANGED),
        ("The odds ratio for relapse with examplol was 0.71.", Failure.UNIT_CHANGED),
        ("Pain did not decrease with examplol (P = 0.02).", Failure.NEGATION_CHANGED),
        ("Examplol was not associated with a lower risk of relapse.", Failure.NEGATION_CHANGED),
        (
            "A significant difference in mortality was observed between the groups.",
            Failure.NEGATION_CHANGED,
        ),
        ("Pain increased by 12.5% with examplol (P = 0.02).", Failure.DIRECTION_CHANGED),
        ("Examplol was associated with a higher risk of relapse.", Failure.DIRECTION_CHANGED),
        ("Pain decreased by 12.5% with metformin (P = 0.02).", Failure.NAME_MISSING),
        ("Pain decreased by 12.5% with madeupol (P = 0.02).", Failure.NAME_MISSING),
        ("412 adults with psoriasis received examplol.", Failure.NAME_MISSING),
        ("Serum IL-10 fell from 18.2 to 9.4 pg/ml.", Failure.NAME_MISSING),
        ("Serum IL-6 fell from 18.2 to 9.4 pg/ml, but IL-6 did not change.", Failure.NAME_SWAPPED),
        ("Examplol slows testitis: pain fell by 12.5% (PMID 99000002).", Failure.WRONG_ID),
        ("Pain decreased by 12.5% with examplol (NCT99000001).", Failure.WRONG_ID),
        ("Pain decreased by 12.5% with examplol (10.9999/made.2).", Failure.WRONG_ID),
        ("Examplol turns adults with testitis into concert pianists.", Failure.NO_SUPPORT),
        ("Penguins abolished Mondays.", Failure.NO_SUPPORT),
        ("", Failure.NO_SUPPORT),
    ],
)
def test_a_lie_is_refused_and_named(sentence: str, failure: Failure) -> None:
    assert failure in failures(sentence)


def test_an_aim_is_no_finding() -> None:
    record = paper(content="We aimed to determine whether examplol slows the decline in testitis.")
    assert failures("Examplol slows the decline in testitis.", record) == {Failure.NOT_A_FINDING}


@pytest.mark.parametrize(
    "sentence",
    ["Examplol slows testitis.", "Examplol reduces the risk of relapse, which proves its value."],
)
def test_what_is_said_more_firmly_is_supported_but_told(sentence: str) -> None:
    check = verify_claim(sentence, RECORD)
    assert (check.supported, check.overstated) == (True, True)
    (weak,) = [c for c in check.checks if c.outcome is Outcome.WEAK]
    assert (weak.kind, weak.failure) == (CheckKind.STRENGTH, Failure.OVERSTATED)


@pytest.mark.parametrize(
    ("told", "right", "wrong"),
    [
        (
            "Examplol significantly improved testitis compared with placebo.",
            "Examplol improved testitis.",
            "Examplol cured testitis compared with placebo.",
        ),
        (
            "Examplol significantly improved testitis compared with placebo.",
            "Examplol did not cure testitis but significantly improved it.",
            "Examplol led to complete remission of testitis compared with placebo.",
        ),
        (
            "Testitis resolved in 34 of 40 patients given examplol.",
            "Examplol cured testitis in 34 of 40 patients.",
            "Examplol cured testitis in 43 of 40 patients.",
        ),
        (
            "Examplol slowed the progression of testitis compared with placebo.",
            "Examplol slowed progression of testitis.",
            "Examplol halted the progression of testitis compared with placebo.",
        ),
    ],
)
def test_an_outcome_stronger_than_that_of_the_source_is_refused(
    told: str, right: str, wrong: str
) -> None:
    record = paper(content=f"RESULTS: {told}")
    assert verify_claim(right, record).supported
    assert not verify_claim(wrong, record).supported


class TestStanding:
    RECORD = paper(content="Examplol was non-inferior to placebol for pain at week 8.")

    def test_non_inferior_is_not_superior(self) -> None:
        said = "Examplol was superior to placebol for pain at week 8."
        assert failures(said, self.RECORD) == {Failure.DIRECTION_CHANGED}

    def test_the_arms_cannot_change_places(self) -> None:
        record = paper(content="Relapse was less frequent with examplol than with madeupol.")
        said = "Relapse was less frequent with madeupol than with examplol."
        assert failures(said, record) == {Failure.NAME_SWAPPED, Failure.DIRECTION_CHANGED}
        turned = "Relapse was more frequent with madeupol than with examplol."
        assert failures(turned, record) == set()


class TestQuote:
    SAID = "Pain decreased by 12.5% with examplol."

    @pytest.mark.parametrize(
        "quote",
        [
            "Pain decreased by 12.5% with examplol and by 4.1% with placebo (P = 0.02).",
            "pain  decreased by 12.5% with EXAMPLOL",
            "Pain decreased by 12.5% with examplol and by 4.1% in placebo (P = 0.02)",
        ],
        ids=["exact", "in other dress", "with a slip"],
    )
    def test_it_is_located(self, quote: str) -> None:
        check = verify_claim(self.SAID, RECORD, quote)
        assert check.supported, check.reason
        assert check.quote is not None
        assert check.quote.text == RECORD.content[check.quote.start : check.quote.end]
        assert check.quote.text.startswith("Pain decreased by 12.5%")

    @pytest.mark.parametrize(
        ("quote", "failure"),
        [
            pytest.param(TITLE, Failure.QUOTE_IN_TITLE, id="only in the title"),
            pytest.param("Examplol cured everybody.", Failure.QUOTE_NOT_FOUND, id="nowhere"),
            pytest.param("", Failure.QUOTE_NOT_FOUND, id="empty"),
            pytest.param(
                "Pain decreased by 21.5% with examplol and by 4.1% with placebo (P = 0.02).",
                Failure.QUOTE_NOT_FOUND,
                id="with another number",
            ),
            pytest.param(
                "Adverse events were similar in both groups.",
                Failure.QUOTE_UNRELATED,
                id="of something else",
            ),
        ],
    )
    def test_it_must_bear_the_sentence(self, quote: str, failure: Failure) -> None:
        assert failure in failures(self.SAID, RECORD, quote)

    def test_a_list_of_references_says_nothing(self) -> None:
        listed = paper(TITLE, ABSTRACT + REFERENCES)
        quote = "Examplol cured every case of testitis."
        assert Failure.QUOTE_IN_REFERENCES in failures(quote, listed, quote)
        assert verify_claim(self.SAID, listed).supported

    def test_the_title_at_the_head_of_the_text_is_no_body(self) -> None:
        headed = paper(TITLE, f"{TITLE}. {ABSTRACT}")
        assert Failure.QUOTE_IN_TITLE in failures(TITLE, headed, TITLE)


class TestRecords:
    STORE: ClassVar[dict[str, Evidence]] = {
        "E1": RECORD,
        "E2": paper("Another", "Mood was not asked about in the survey.", pmid="99000003"),
        "E3": paper("Taken back", ABSTRACT, pmid="99000004", integrity="retracted"),
    }

    def test_the_key_in_the_sentence_decides(self) -> None:
        said = "Pain decreased by 12.5% with examplol"
        assert verify_claim(f"{said} [E1].", self.STORE).evidence_id == "E1"
        assert not verify_claim(f"{said} [E2].", self.STORE).supported
        assert verify_claim(f"{said} [E1][E2].", self.STORE).supported

    @pytest.mark.parametrize("marker", ["[E9]", "(PMID 99000009)", "[E2] (PMID 99000001)"])
    def test_an_id_of_no_record_or_of_another_one_fails(self, marker: str) -> None:
        check = verify_claim(f"Pain decreased by 12.5% with examplol {marker}.", self.STORE)
        assert [f.failure for f in check.failures] == [Failure.WRONG_ID]

    @pytest.mark.parametrize("marker", ["[E3]", "[E1][E3]", "(PMID 99000004)"])
    def test_a_retracted_record_supports_nothing(self, marker: str) -> None:
        check = verify_claim(f"Pain decreased by 12.5% with examplol {marker}.", self.STORE)
        assert Failure.RETRACTED in {f.failure for f in check.failures}

    def test_that_it_was_retracted_may_be_said(self) -> None:
        said = "The trial of examplol in testitis was retracted [E3]."
        assert Failure.RETRACTED not in {f.failure for f in verify_claim(said, self.STORE).failures}

    def test_without_a_key_the_record_that_says_so_is_found(self) -> None:
        check = verify_claim("Mood was not asked about.", self.STORE)
        assert (check.supported, check.evidence_id) == (True, "E2")

    def test_no_records_bear_nothing(self) -> None:
        check = verify_claim("Pain fell.", {})
        assert [f.failure for f in check.failures] == [Failure.NO_SUCH_RECORD]
