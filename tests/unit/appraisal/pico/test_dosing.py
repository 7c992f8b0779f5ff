"""Tests which doses a sentence states, and which of two is told to be the higher one."""

from __future__ import annotations

import pytest

from deepcritical.appraisal.pico.asked import asked_of
from deepcritical.appraisal.pico.dosing import doses_of
from deepcritical.domain.question.frame import Condition, Drug, QuestionFrame
from deepcritical.questions.dosing import dose_asked, tells_only_dose, with_higher_dose


@pytest.mark.parametrize(
    ("text", "doses"),
    [
        ("Metformin 1,000 mg twice a day or placebo was given.", ("1,000 mg twice a day",)),
        ("They took 50 mg of metformin once.", ("50 mg",)),
        ("Metformin at 300 to 400 μg/kg once daily.", ("300 to 400 μg/kg once daily",)),
        ("The metformin dose was 500 mg/day in 15%, 1 g/day in 35%.", ("500 mg/day", "1 g/day")),
        ("After aspirin 100 mg they got metformin.", ()),
        ("Pioglitazone 15 to 30 mg, not metformin, ranked first.", ()),
        ("With metformin glucose fell to 90 mg/dl.", ()),
        ("Metformin changed 50 proteins within 8 weeks.", ()),
        ("The dose was 20 mg daily.", ("20 mg daily",)),
    ],
)  # fmt: skip
def test_a_dose_belongs_to_the_drug_it_stands_at(text: str, doses: tuple[str, ...]) -> None:
    assert doses_of(text, ("metformin",)) == doses


@pytest.mark.parametrize(
    ("a", "b", "higher"),
    [
        ("examplol 20 mg daily", "examplol 10 mg daily", "a"),
        ("examplol 1,000 mg", "examplol 1,500 mg", "b"),
        ("high-dose examplol", "examplol", "a"),
        ("examplol", "low-dose examplol", "a"),
        ("examplol every 4 weeks", "examplol every 12 weeks", "a"),
        ("examplol q12w", "examplol q4w", "b"),
        ("examplol 3-monthly", "examplol monthly", "b"),
        ("examplol every six months", "examplol every two months", "b"),
        ("6 months of examplol", "12 months of examplol", "b"),
        ("one year of examplol", "six months of examplol", "a"),
        ("examplol with 2 years of follow-up", "examplol with 1 year of follow-up", None),
        ("examplol 20 mg once daily", "examplol 10 mg twice daily", None),
        ("examplol 20 mg", "examplol 20 IU", None),
        ("examplol", "examplol", None),
    ],
)
def test_by_words_by_amounts_or_by_how_often(a: str, b: str, higher: str | None) -> None:
    assert with_higher_dose(a, b) == higher


@pytest.mark.parametrize(
    ("text", "dose"),
    [
        ("Does high-dose examplol help in gout?", "high"),
        ("low dose examplol gout", "low"),
        ("examplol 2-3 mg/day versus 0.5 mg/day for gout", "high"),
        ("examplol q12w vs q4w - is it enough?", "low"),
        ("examplol every 3 months instead of monthly in gout", "low"),
        ("Does examplol every 12 weeks work as well as every 4 weeks?", "low"),
        ("Is 6 months of examplol as good as 12 months in gout?", "low"),
        ("Does examplol help in gout or psoriasis?", ""),
        ("examplol 20 mg in gout", ""),
    ],
)
def test_the_dose_that_a_question_is_on(text: str, dose: str) -> None:
    assert dose_asked(text, ["examplol"]) == dose


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("every 4 weeks", True),
        ("a standard dose", True),
        ("the usual vitamin dose", True),
        ("10 mg of examplol", True),
        ("longer treatment duration", True),
        ("surgery", False),
        ("testamine 10 mg", False),
        ("usual care", False),
    ],
)
def test_what_a_drug_is_compared_with_may_be_itself_in_another_dose(
    text: str, *, is_told: bool
) -> None:
    assert tells_only_dose(text, ["examplol"]) is is_told


def test_a_comparison_of_schedules_that_a_reader_names_is_one_between_doses() -> None:
    text = "Is examplol every 12 weeks as effective as every 4 weeks in gout?"
    drug = Drug(name="examplol", known=False)
    gout = Condition(name="gout", mesh_id="D006073", known=True)
    fields = {"text": text, "kind": "comparison", "drugs": (drug,), "condition": gout}
    for other, is_dose in {"every 4 weeks": True, "testamine every 4 weeks": False}.items():
        frame = QuestionFrame.model_validate({**fields, "comparators": (other,)})
        asked = asked_of(drug, gout, frame)
        assert (asked.dose, asked.between_doses, not asked.comparators) == (
            ("low", True, True) if is_dose else ("", False, False)
        )
