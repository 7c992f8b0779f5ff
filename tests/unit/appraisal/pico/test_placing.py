"""Row, people and arms of a result, in cases of a clinical review."""

from __future__ import annotations

import pytest

from deepcritical.appraisal.pico.outcomes import Placed, placed
from deepcritical.domain.appraisal.votes import Way
from deepcritical.domain.study.reading import Arm, Effect, Population, Reader, StudyReading
from tests.unit.appraisal.builders import DRUG, arm, asked, ballot, null, people, result, study
from tests.unit.appraisal.cases import combination, eff, trial

RATIO = eff("RR", 1.5, 1.2, 1.9)


def place(condition: str, outcome: str, effect: Effect = RATIO, kind: str = "clinical") -> Placed:
    return placed(result(outcome, better="unclear", effect=effect, kind=kind), asked(condition))


BETTER = {
    ("anorexia nervosa", "body weight"): True,
    ("obesity", "body weight"): False,
    ("septic shock", "mean arterial pressure"): True,
    ("hypertension", "systolic blood pressure"): False,
    ("bradycardia", "heart rate"): True,
    ("hypoglycemia", "blood glucose"): True,
    ("contraception", "pregnancy rate"): False,
    ("infertility", "pregnancy rate"): True,
    ("menorrhagia", "amenorrhoea"): True,
    ("hirsutism", "hair growth"): False,
    ("diarrhea", "stool frequency"): False,
    ("constipation", "stool frequency"): True,
    ("narcolepsy", "sleep latency"): True,
    ("polycythemia vera", "haemoglobin"): False,
    ("essential thrombocythemia", "platelet count"): False,
    ("hemochromatosis", "ferritin"): False,
    ("testitis", "LDL-C reduction"): True,
    ("testitis", "decline in ejection fraction"): False,
    ("testitis", "improvement in HAM-D"): True,
    ("testitis", "worsening of disease severity"): False,
    ("testitis", "lactate clearance"): True,
    ("testitis", "time to shock reversal"): False,
}


@pytest.mark.parametrize(("case", "higher"), BETTER.items(), ids=lambda case: str(case))
def test_the_condition_and_the_wording_turn_an_outcome_round(
    case: tuple[str, str], higher: bool
) -> None:
    assert place(*case).higher_is_better is higher


def test_the_sign_of_a_changed_value_is_not_guessed() -> None:
    assert place("testitis", "reduction in HbA1c", eff("MD", 0.8, 0.6, 1)).higher_is_better is None


ROWS = {
    "DMFS": "dmfs",
    "ROSC": "return of spontaneous circulation",
    "systemic embolism": "systemic embolism",
    "sweat chloride": "sweat chloride",
    "platelet response": "platelet response",
    "continuous abstinence": "abstinence",
    "progression or death": "progression-free survival",
    "stroke or systemic embolism": "composite (stroke, systemic embolism)",
    "systemic embolism or stroke": "composite (stroke, systemic embolism)",
    "composite of death, stroke, or amputation": (
        "composite (amputation and limb loss, death from any cause, stroke)"
    ),
    "moderate or severe pain": "pain",
}


@pytest.mark.parametrize(("outcome", "row"), ROWS.items(), ids=str)
def test_an_outcome_has_its_own_row(outcome: str, row: str) -> None:
    assert place("testitis", outcome).row == row


def test_a_composite_weighs_as_its_weightiest_part() -> None:
    told = place("testitis", "death or bronchopulmonary dysplasia")
    assert (told.importance, told.is_grave, told.is_fatal) == ("critical", True, False)


def test_a_list_is_no_composite() -> None:
    listed = study(result("pain, fatigue, and mortality"))
    assert {vote.row for vote in ballot(listed).votes} == {
        "pain",
        "fatigue",
        "death from any cause",
    }


WEIGHTS = {
    ("rheumatoid arthritis", "radiographic progression", "surrogate"): "surrogate",
    ("chronic kidney disease", "eGFR slope", "surrogate"): "surrogate",
    ("type 2 diabetes", "HbA1c", "clinical"): "surrogate",
    ("opioid use disorder", "treatment retention", "clinical"): "critical",
    ("ARDS", "ventilator-free days", "clinical"): "critical",
    ("schizophrenia", "weight gain", "clinical"): "harm",
    ("breast cancer", "left ventricular ejection fraction", "clinical"): "harm",
    ("anorexia nervosa", "BMI", "clinical"): "critical",
}


@pytest.mark.parametrize(("case", "weight"), WEIGHTS.items(), ids=str)
def test_the_condition_decides_what_an_outcome_weighs(
    case: tuple[str, str, str], weight: str
) -> None:
    condition, outcome, kind = case
    assert place(condition, outcome, kind=kind).importance == weight


NOT_THEM = (
    people("caregivers of people with testitis"),
    people("healthy relatives of patients with testitis"),
    people("risk of testitis"),
    people("blivet", qualifiers=("without testitis",)),
    people("blivet", qualifiers=("testitis excluded",)),
)


@pytest.mark.parametrize("population", NOT_THEM, ids=str)
def test_who_does_not_have_the_condition_is_not_asked_about(population: Population) -> None:
    told = ballot(study(result("quality of life"), population=population))
    assert told.why == "its people have another condition"


@pytest.mark.parametrize(
    ("told", "votes"),
    [
        ("overall population", 1),
        ("entire cohort", 1),
        ("both groups", 1),
        ("patients with testitis", 1),
        ("300 adults", 1),
        ("as-treated", 1),
        ("women", 0),
        ("30 adults", 0),
        ("treatment-naive adults", 0),
    ],
)
def test_the_words_for_all_people_do_not_part_them(told: str, votes: int) -> None:
    assert len(ballot(study(result(people=told))).votes) == votes


def both(*b: str) -> StudyReading:
    return trial(result(), a=(DRUG, "testamine"), b=b)


@pytest.mark.parametrize(
    ("other", "comparator"), [((), ""), (("testamine",), "testamine"), ((DRUG,), DRUG)]
)
def test_a_combination_is_tested_against_what_it_lacks(
    other: tuple[str, ...], comparator: str
) -> None:
    (vote,) = ballot(both(*other), combination()).votes
    assert (vote.comparator, vote.against_asked) == (comparator, bool(comparator))


def test_a_combination_with_a_third_drug_or_without_one_of_both_is_not_asked_about() -> None:
    third = trial(result(), a=(DRUG, "testamine", "zorbafen"), b=("testamine",))
    assert "one combination with zorbafen" in ballot(third, combination()).why
    alone = ballot(trial(result()), combination())
    assert alone.why == "it is given without the drug that was asked about with it"
    same = trial(result(), a=(DRUG, "testamine"), b=(DRUG, "testamine"))
    assert ballot(same, combination()).why == "the combination is in both arms"


def control(name: str) -> Arm:
    return arm("B", name, control="placebo")


@pytest.mark.parametrize("name", ["lactose", "0.9% saline", "dummy tablets", "placebo patch"])
def test_what_stands_in_the_place_of_a_drug_is_none(name: str) -> None:
    (vote,) = ballot(study(result(), arms=(arm("A", DRUG), control(name)))).votes
    assert vote.comparator == ""


def test_a_known_drug_in_a_control_arm_stays_a_drug() -> None:
    (vote,) = ballot(study(result(), arms=(arm("A", DRUG), control("metformin")))).votes
    assert vote.comparator == "metformin"


def doses(*better: str) -> StudyReading:
    arms = tuple(arm(name, DRUG, n=100) for name in "ACD"[: len(better)])
    told = [
        result(a=one.id, b="B") if way == "a" else null(a=one.id, b="B")
        for one, way in zip(arms, better, strict=True)
    ]
    return study(*told, arms=(*arms, arm("B", n=100)))


@pytest.mark.parametrize(
    ("better", "way"),
    [
        (("a", "none"), "benefit"),
        (("a", "none", "none"), "conflicting"),
        (("a", "a", "none"), "benefit"),
    ],
)
def test_one_of_many_doses_may_be_chance(better: tuple[str, ...], way: str) -> None:
    assert [vote.way for vote in ballot(doses(*better)).votes] == [way]


BESIDE = {
    ("depression", "headache", "b"): "harm",
    ("hypertension", "hyperkalaemia", "b"): "harm",
    ("hypertension", "endometrial cancer", "b"): "harm",
    ("obesity", "nausea", "b"): "harm",
    ("ulcerative colitis", "herpes zoster", "b"): "harm",
    ("hypertension", "lymphoma", "b"): "harm",
    ("migraine", "headache", "b"): "critical",
    ("hypertension", "stroke", "b"): "critical",
    ("hypertension", "death", "b"): "critical",
    ("depression", "headache", "a"): "harm",
}


@pytest.mark.parametrize(("case", "weight"), BESIDE.items(), ids=str)
def test_more_of_what_is_not_treated_is_a_harm(case: tuple[str, str, str], weight: str) -> None:
    condition, outcome, fewer_in = case
    ratio = eff("RR", 1.5, 1.2, 1.9) if fewer_in == "b" else eff("RR", 0.7, 0.5, 0.9)
    told = result(outcome, better="unclear", level="unstated", effect=ratio, higher_is_better=None)
    reading = study(told, reader=Reader(kind="rules"), population=people(condition))
    votes = ballot(reading, asked(condition)).votes
    assert [(vote.importance, vote.way is Way.HARM) for vote in votes] == [
        (weight, fewer_in == "b")
    ]


TURNED = {
    "were free of pain": True,
    "free from relapse": True,
    "relapse-free": True,
    "had no pain": True,
    "absence of pain": True,
    "resolution of pain": True,
    "pain relief": True,
    "avoidance of hospitalisation": True,
    "prevention of stroke": True,
    "time to first stroke": True,
    "intubation-free survival": True,
    "disability-free survival": True,
    "failure to achieve remission": False,
    "delay in healing": False,
    "death in the heart failure group": False,
    "seizure threshold": None,
}


@pytest.mark.parametrize(("outcome", "higher"), TURNED.items(), ids=str)
def test_words_beside_an_outcome_turn_or_void_it(outcome: str, higher: bool | None) -> None:
    told = result(outcome, better="unclear", effect=Effect(p=0.01), higher_is_better=None)
    assert placed(told, asked("hypertension")).higher_is_better is higher


EVENTS = {
    "adverse events": "any adverse event",
    "patients with at least one treatment-emergent adverse event": "any adverse event",
    "frequency of side effects with examplol at 12 weeks": "any adverse event",
    "overall safety and tolerability profile": "any adverse event",
    "snerk-related adverse events": "snerk-related adverse events",
    "any other safety outcome": "any other safety outcome",
    "adverse events of grade 3 or more": "adverse events of grade 3 or more",
}


@pytest.mark.parametrize(("outcome", "row"), EVENTS.items())
def test_adverse_events_of_one_kind_are_not_any_of_them(outcome: str, row: str) -> None:
    told = placed(result(outcome, kind="safety"), asked())
    assert (told.row, told.importance) == (row, "harm")


@pytest.mark.parametrize(("kind", "weight"), [("surrogate", "surrogate"), ("clinical", "harm")])
def test_a_marker_that_got_worse_is_no_adverse_event(kind: str, weight: str) -> None:
    told = result("systolic blood pressure", kind=kind, better="b", level="unstated")
    (vote,) = ballot(study(told, population=people("gout")), asked("gout")).votes
    assert (vote.way, vote.importance) == (Way.HARM, weight)


@pytest.mark.parametrize(
    ("arms", "why"),
    [
        ((arm("A", "TST-3"), arm("B")), "what its arms got could not be read"),
        ((arm("A", "metformin"), arm("B")), "the drug is in neither arm of the comparison"),
    ],
)
def test_rules_call_no_arm_another_drug_whose_name_no_table_has(
    arms: tuple[Arm, Arm], why: str
) -> None:
    read = study(result(), arms=arms, reader=Reader(kind="rules", name="test"))
    assert (ballot(read).votes, ballot(read).why) == ((), why)


def test_complications_of_a_disease_are_none_of_surgery() -> None:
    assert place("testitis", "bone-related complications").row != "surgical complications"
    assert place("testitis", "postoperative complications").row == "surgical complications"


def test_improvements_are_no_more_of_what_improved() -> None:
    difference = Effect(p=0.01)
    place_of = [place("testitis", text, difference) for text in ("pain", "improvements in pain")]
    assert [one.higher_is_better for one in place_of] == [False, None]
