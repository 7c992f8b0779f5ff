"""Sentences checked against made-up records: supported, contradicted, or cannot tell."""

from __future__ import annotations

from typing import ClassVar

import pytest

from deepcritical import verify_claim
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.report.claims import ClaimCheck, ClaimVerdict, Failure
from tests.unit.domain.records import paper

TITLE = "Examplol against testitis: the MADEUP trial"
ABSTRACT = (
    "Background: We aimed to determine whether examplol slows testitis. "
    "Methods: In this randomised trial, 412 adults with testitis received examplol 500 mg twice "
    "daily (n = 206) or placebo (n = 206) for 24 weeks. "
    "Results: Pain decreased by 12.5% with examplol and by 4.1% with placebo (P = 0.02). "
    "Examplol was associated with a lower risk of relapse (hazard ratio 0.71, 95% CI 0.55 to "
    "0.92). Fatigue was lower with examplol than with placebo (P = 0.40). "
    "No significant difference in mortality was observed between the groups. "
    "Serum TNF-alpha fell from 18.2 to 9.4 pg/ml, but IL-6 did not change. "
    "At 24 weeks, the Testitis Severity Score (TSS) was significantly lower with metformin than "
    "with placebo. In women, sleep improved with examplol. "
    "Although some people withdrew, function improved with examplol; stiffness did not. "
    "Conclusions: Examplol may slow testitis; larger trials of more than 12 months are needed."
)
REFERENCES = (
    "\n\nReferences\n"
    "1. Invented A, Planted B. Examplol cured every case of testitis. "
    "J Made Up Res. 2016;12(3):45-50.\n"
)
RECORD = paper(TITLE, ABSTRACT, pmid="99000001", doi="10.9999/made.1")


def reasons(check: ClaimCheck) -> set[Failure]:
    return {made.failure for made in check.checks if made.failure}


@pytest.mark.parametrize(
    "sentence",
    [
        "Pain decreased by 12.5% with examplol and by 4.1% with placebo (P = 0.02).",
        "Pain decreased by 12.5 percent with examplol and by 4.1 percent with placebo.",
        "The study found that pain decreases by 12.5 % with examplol and by 4.1 % with placebo.",
        "The authors reported that examplol was associated with a lower risk of relapse.",
        "In this randomised trial, examplol was associated with a lower risk of relapse.",
        "Examplol is associated with lower risk of relapse (HR .71; 95% confidence interval, "
        "0.55–0.92) [1][2].",
        "No significant difference in mortality was observed between groups (PMID 99000001).",
        "Serum TNF-α fell from 18.2 to 9.4 pg/mL, but IL-6 did not change.",
        "The TSS was lower with metformin than with placebo.",
        "The Testitis Severity Score was lower with Glucophage than placebo at 24 weeks.",
        "Function improved with examplol.",
        "Examplol may slow testitis.",
        "We aimed to determine whether examplol slows testitis (doi:10.9999/made.1).",
        "412 adults with testitis received examplol 500 mg twice daily or placebo for 24 weeks.",
    ],
)
def test_the_records_own_words_are_supported(sentence: str) -> None:
    check = verify_claim(sentence, RECORD)
    assert check.verdict is ClaimVerdict.SUPPORTED, check.reason
    assert (check.supported, check.score, check.reasons) == (True, 1.0, ())
    for quote in check.quotes:
        assert RECORD.content[quote.start : quote.end] == quote.text


@pytest.mark.parametrize(
    ("sentence", "failure"),
    [
        ("Pain decreased by 15.2% with examplol.", Failure.NUMBER_MISSING),
        ("Adults with testitis received examplol 500 g twice daily.", Failure.NUMBER_MISSING),
        ("Pain decreased by 12.5 mg with examplol.", Failure.NUMBER_MISSING),
        ("413 adults were randomised.", Failure.NUMBER_MISSING),
        ("The risk of relapse fell by 28%.", Failure.NUMBER_MISSING),
        (
            "Pain decreased by 4.1% with examplol and by 12.5% with placebo (P = 0.02).",
            Failure.SWAPPED,
        ),
        (
            "Pain decreased by 12.5% with placebo and by 4.1% with examplol (P = 0.02).",
            Failure.SWAPPED,
        ),
        ("The TSS was lower with placebo than with metformin.", Failure.SWAPPED),
        ("Examplol was associated with a higher risk of relapse.", Failure.TURNED),
        ("Examplol was not associated with a lower risk of relapse.", Failure.TURNED),
        ("A difference in mortality was observed between the groups.", Failure.TURNED),
        ("Serum TNF-alpha rose from 18.2 to 9.4 pg/ml, but IL-6 did not change.", Failure.TURNED),
        ("Pain decreased with ibuprofen.", Failure.NAME_MISSING),
        ("412 adults with psoriasis received examplol.", Failure.NAME_MISSING),
        ("Examplol was associated with a lower risk of zestoria.", Failure.NAME_MISSING),
        ("Examplol slows testitis (PMID 99000002).", Failure.WRONG_ID),
        ("Examplol slows testitis (NCT99000001).", Failure.WRONG_ID),
    ],
)
def test_what_cannot_be_right_is_contradicted(sentence: str, failure: Failure) -> None:
    check = verify_claim(sentence, RECORD)
    assert check.verdict is ClaimVerdict.CONTRADICTED
    assert not check.supported
    assert failure in reasons(check)
    assert check.reasons


@pytest.mark.parametrize(
    "sentence",
    [
        "Examplol slows testitis.",
        "Examplol helped people with testitis.",
        "Pain decreased by 12.5% with examplol.",
        "Sleep improved with examplol.",
        "Fatigue was lower with examplol than with placebo.",
        "IL-6 did not change.",
        "Penguins abolished Mondays.",
        "This is not a randomised trial.",
        "Placebo may slow testitis.",
        "Function and stiffness improved with examplol.",
        "In this double-blind trial, examplol was associated with a lower risk of relapse.",
        "",
    ],
)
def test_everything_else_cannot_be_told(sentence: str) -> None:
    check = verify_claim(sentence, RECORD)
    assert check.verdict is ClaimVerdict.CANNOT_TELL, check.reason
    assert reasons(check) == {Failure.NOT_VERBATIM}
    assert check.score < 1 or sentence


LONGER = paper(
    content=(
        "After 12 weeks, pain fell by 3 points with examplol. "
        "There was no difference in the change of mood between groups. "
        "Examplol lowered the risk of falls (HR 0.76, 95% CI 0.61 to 0.94) and fractures "
        "(HR 0.62, 95% CI 0.41 to 0.93) compared with placebo. "
        "Weight fell by 1.5 kg (95% CI -2.1 to -0.9). "
        "Treatment lasted for a median of 8 (5-14) months. "
        "A total of 62 adults had rashes at 2 and 4 weeks, of whom 40 took examplol. "
        "Cramps were rarer with examplol and nausea with placebo. "
        "The PDQs improved in stage II testitis, and tremor vanished, but only in women. "
        "Blood phosphodiesterase 5 fell from 9.5 to 4.2 units."
    )
)


@pytest.mark.parametrize(
    "sentence",
    [
        "Pain fell by 3 points after 12 weeks with examplol.",
        "Pain fell by 3 points with examplol after 12 weeks.",
        "There was no difference between groups in the change of mood.",
        "Weight fell by 1.5 kg.",
        "Treatment lasted for a median of 8 months.",
        "Sixty-two adults had rashes at two and four weeks, of whom 40 took examplol.",
        "Overall, the PDQs improved in Stage II testitis, and tremor vanished, but only in women.",
    ],
)
def test_small_edits_change_nothing(sentence: str) -> None:
    check = verify_claim(sentence, LONGER)
    assert check.verdict is ClaimVerdict.SUPPORTED, check.reason


@pytest.mark.parametrize(
    "sentence",
    [
        "The risk of falls was 24% lower.",
        "Fractures became 38% rarer.",
        "22 of the adults took something else.",
        "PDE5 decreased by 5.3 units.",
        "Nausea was rarer with examplol and cramps with placebo.",
        "Cramps were rarer with placebo and nausea with examplol.",
        "The questionnaires improved in stage II testitis, and tremor vanished.",
    ],
)
def test_what_may_be_worked_out_or_qualified_cannot_be_told(sentence: str) -> None:
    check = verify_claim(sentence, LONGER)
    assert check.verdict is ClaimVerdict.CANNOT_TELL, check.reason


@pytest.mark.parametrize(
    ("sentence", "failure"),
    [
        ("The risk of falls was 26% lower.", Failure.NUMBER_MISSING),
        ("Weight fell by 1.5 g.", Failure.NUMBER_MISSING),
        ("Examplol lowered XYZ7 in the blood.", Failure.NAME_MISSING),
        ("Stage III testitis improved.", Failure.NUMBER_MISSING),
    ],
)
def test_what_cannot_be_worked_out_is_contradicted(sentence: str, failure: Failure) -> None:
    check = verify_claim(sentence, LONGER)
    assert check.verdict is ClaimVerdict.CONTRADICTED
    assert failure in reasons(check)


def test_passive_and_active_are_not_confused() -> None:
    record = paper(content="In the end madeupine was activated by examplol in every cell line.")
    said = "In the end madeupine activated examplol in every cell line."
    assert verify_claim(said, record).verdict is not ClaimVerdict.SUPPORTED


def test_two_neighbouring_sentences_may_be_joined() -> None:
    record = paper(content="Pain fell with examplol. Function rose with examplol.")
    said = "Pain fell with examplol and function rose with examplol."
    assert verify_claim(said, record).verdict is ClaimVerdict.SUPPORTED


class TestQuote:
    SAID = "Pain decreased by 12.5% with examplol and by 4.1% with placebo."

    def test_it_is_located_and_compared(self) -> None:
        quote = "pain  decreased by 12.5% with EXAMPLOL and by 4.1% with placebo"
        check = verify_claim(self.SAID, RECORD, quote)
        assert check.verdict is ClaimVerdict.SUPPORTED, check.reason

    @pytest.mark.parametrize(
        ("quote", "failure"),
        [
            pytest.param(TITLE, Failure.QUOTE_IN_TITLE, id="only in the title"),
            pytest.param("Examplol cured everybody.", Failure.QUOTE_NOT_FOUND, id="nowhere"),
            pytest.param("", Failure.QUOTE_NOT_FOUND, id="empty"),
            pytest.param(
                "No significant difference in mortality was observed between the groups.",
                Failure.NOT_VERBATIM,
                id="of something else",
            ),
        ],
    )
    def test_it_must_bear_the_sentence(self, quote: str, failure: Failure) -> None:
        check = verify_claim(self.SAID, RECORD, quote)
        assert check.verdict is ClaimVerdict.CANNOT_TELL
        assert failure in reasons(check)

    def test_a_list_of_references_says_nothing(self) -> None:
        listed = paper(TITLE, ABSTRACT + REFERENCES)
        quote = "Examplol cured every case of testitis."
        check = verify_claim(quote, listed, quote)
        assert Failure.QUOTE_IN_REFERENCES in reasons(check)
        assert not check.supported


class TestRecords:
    SAID = "Examplol was associated with a lower risk of relapse"
    STORE: ClassVar[dict[str, Evidence]] = {
        "E1": RECORD,
        "E2": paper("Another", "Mood was not asked about in the survey.", pmid="99000003"),
        "E3": paper("Taken back", ABSTRACT, pmid="99000004", integrity="retracted"),
    }

    @pytest.mark.parametrize(
        ("marker", "verdict"),
        [
            ("", ClaimVerdict.SUPPORTED),
            ("[E1]", ClaimVerdict.SUPPORTED),
            ("[E1][E2]", ClaimVerdict.SUPPORTED),
            ("[E2]", ClaimVerdict.CONTRADICTED),
            ("[E3]", ClaimVerdict.CANNOT_TELL),
            ("(PMID 99000004)", ClaimVerdict.CANNOT_TELL),
            ("[E9]", ClaimVerdict.CONTRADICTED),
            ("[E2] (PMID 99000001)", ClaimVerdict.CONTRADICTED),
        ],
    )
    def test_the_ids_in_the_sentence_decide(self, marker: str, verdict: ClaimVerdict) -> None:
        said = self.SAID if marker != "[E2]" else "Mood was asked about in the survey"
        assert verify_claim(f"{said} {marker}.", self.STORE).verdict is verdict

    def test_no_record_bears_nothing(self) -> None:
        check = verify_claim("Pain fell.", {})
        assert reasons(check) == {Failure.NO_SUCH_RECORD}
        assert check.verdict is ClaimVerdict.CANNOT_TELL


@pytest.mark.parametrize(
    ("sentence", "source"),
    [
        (
            "At entry, 30.8% of the 1,131 people lived alone.",
            "At entry, 348 (30.8%) of the 1,131 people lived alone.",
        ),
        ("Pain fell in those given 125 mg twice daily.", "Pain fell at the 125 mg BID dose."),
        (
            "Function fell by 1.89 and 2.11 points.",
            "Function fell by 1.89 with A and by 2.11 points with B.",
        ),
    ],
)
def test_a_figure_in_another_form_is_no_other_figure(sentence: str, source: str) -> None:
    check = verify_claim(sentence, paper(content=source))
    assert check.verdict is not ClaimVerdict.CONTRADICTED
