from __future__ import annotations

import pytest

from deepcritical.domain.study.reading import Result
from tests.unit.reading.rule_records import read


def _only(results: str) -> Result:
    found = read(results).results
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("sentence", "outcome", "a", "more"),
    [
        ("Itching was lower in the examplol group than in the placebo group.", "Itching", "A", "b"),
        ("Itching was significantly higher with placebo than with examplol.", "Itching", "B", "a"),
        ("Examplol significantly reduced itching compared with placebo.", "itching", "A", "b"),
        ("Compared with placebo, examplol reduced itching.", "itching", "A", "b"),
        ("Compared to placebo, the days of itching were fewer with examplol.", "days of itching",
         "A", "b"),
        ("The examplol group had more itching than the placebo group.", "itching", "A", "a"),
        ("Patients receiving examplol experienced fewer itches than those receiving placebo.",
         "itches", "A", "b"),
        ("There was a higher rate of itching in the examplol arm than in the placebo arm.",
         "rate of itching", "A", "a"),
        ("Fewer patients in the examplol group than in the placebo group needed rescue.",
         "needed rescue", "A", "b"),
        ("Itching decreased more with examplol than with placebo.", "Itching", "A", "b"),
        ("Itching was lower in the examplol group (P = 0.01).", "Itching", "A", "b"),
        ("Examplol-treated patients were less likely to itch than placebo-treated patients.",
         "itch", "A", "b"),
        ("A lower proportion of patients in the examplol group had itching than did those in the "
         "placebo group.", "had itching", "A", "b"),
        ("Itching was observed significantly less often with examplol than with placebo.",
         "Itching", "A", "b"),
        ("Examplol was also associated with more itching than placebo.", "itching", "A", "a"),
        ("Itching was lower with oral examplol 10 mg/day than with matching placebo.", "Itching",
         "A", "b"),
        ("Itching was lower in patients receiving 5 or 10 mg/day of examplol than in those "
         "receiving placebo.", "Itching", "A", "b"),
        ("Nevertheless, itching was lower with examplol than with placebo.", "itching", "A", "b"),
        ("The change in itching between baseline and week 8 was lower with examplol than with "
         "placebo.", "change in itching", "A", "b"),
    ],
)  # fmt: skip
def test_more_or_less_of_an_outcome_in_an_arm(
    sentence: str, outcome: str, a: str, more: str
) -> None:
    result = _only(sentence)
    assert (result.outcome, result.a, result.more, result.better) == (outcome, a, more, "unclear")
    assert result.sentences == (2,)


@pytest.mark.parametrize(
    ("sentence", "better"),
    [
        ("Examplol was superior to placebo in itching.", "a"),
        ("Examplol was inferior to placebo for itching.", "b"),
        ("Examplol improved itching compared with placebo.", "a"),
        ("Itching was significantly better with examplol than with placebo.", "a"),
        ("Itching was worse in the examplol group than in the placebo group.", "b"),
        ("Examplol was not superior to placebo in itching.", "no_difference"),
        ("Examplol did not reduce itching compared with placebo.", "no_difference"),
        ("Itching was not significantly lower with examplol than with placebo.", "no_difference"),
        ("There was no significant difference between examplol and placebo in itching.",
         "no_difference"),
        ("No difference in itching was found between the groups.", "no_difference"),
        ("Itching did not differ between groups.", "no_difference"),
        ("Itching was similar in the examplol and placebo groups.", "no_difference"),
        ("Itching was lower with examplol than with placebo (P = 0.21).", "no_difference"),
        ("Itching was slightly less on placebo (P = 0.26).", "no_difference"),
        ("We did not find any significant differences in itching between the groups.",
         "no_difference"),
        ("Examplol was superior to placebo in relieving itching.", "a"),
        ("Mean itching score was 4.1 in both groups (mean difference 0.1, 95% CI -0.4 to 0.6).",
         "no_difference"),
        ("Itching was lower with examplol than with placebo, but this was not significant.",
         "no_difference"),
        ("Itching was lower with examplol than with placebo. This difference was not significant.",
         "no_difference"),
        ("Itching was lower with examplol than with placebo (hazard ratio, 0.80; 95% CI, 0.50 to "
         "1.28).", "no_difference"),
    ],
)  # fmt: skip
def test_the_arm_that_words_or_figures_call_better(sentence: str, better: str) -> None:
    result = _only(sentence)
    assert "itching" in result.outcome.lower()
    assert result.better == better
    assert result.more is None


@pytest.mark.parametrize(
    "sentence",
    [
        "Itching was more common in men than in women.",
        "Itching was lower in older patients than in younger patients.",
        "Itching decreased from baseline in the examplol group.",
        "Examplol may reduce itching compared with placebo.",
        "At baseline, itching was lower in the examplol group than in the placebo group.",
        "Itching tended to be lower with examplol than with placebo.",
        "We tested whether itching was lower with examplol than with placebo.",
        "These results were similar to those of an earlier analysis.",
        "Itching was lower in the examplol group than in the mockazole group.",
        "Itching (P = 0.01) and redness (P = 0.40) were lower with examplol than with placebo.",
        "There was no difference in itching between years one and two.",
        "Examplol levels were higher in responders.",
        "Itching worsened with examplol versus mockazole but not mockazole versus placebo.",
        "Itching was lower with examplol versus mockazole and compared with placebo.",
        "One in five itched, without significant differences in the two settings of care.",
        "The groups were similar with respect to age, sex and itching.",
        "Baseline itching did not differ between examplol and placebo.",
        "Itching at randomisation was similar with examplol and placebo.",
        "There were no differences between groups in age, itching or prior redness.",
        "In the run-in phase, itching did not differ between examplol and placebo.",
        "Adherence was similar with examplol and placebo.",
        "Drop-out rates did not differ between examplol and placebo.",
        "Concomitant use of creams was similar with examplol and placebo.",
        "Itching did not differ between examplol 5 mg and examplol 10 mg.",
        "Total was lower with examplol than with placebo (HR 0.93, 95% CI 0.6 to 1.4).",
        "HR was higher in the examplol group (P = 0.01).",
        "Except for patients with redness, itching was lower with examplol than with placebo.",
        "Itching occurred in 5% of patients with redness on examplol and 10% on placebo.",
        "Itching did not differ between examplol and placebo at week 2 but was higher with "
        "examplol at week 8 (P = 0.01).",
        "Examplol reduced itching (HR 0.8, 95% CI 0.7 to 0.9) but increased deaths (HR 1.3, 95% "
        "CI 1.1 to 1.5) compared with placebo.",
        "Examplol reduced itching compared with placebo (P = 0.01), whereas deaths were increased.",
        "Examplol did not reduce itching but increased deaths compared with placebo (HR 1.7, 95% "
        "CI 1.3 to 2.2).",
    ],
)
def test_what_is_not_told_of_two_arms_is_left(sentence: str) -> None:
    reading = read(sentence)
    assert reading.results == ()
    assert reading.unread == ("results_not_given",)


def test_a_difference_between_groups_needs_a_study_of_two() -> None:
    methods = "Methods: Adults were randomised to examplol, testamine or placebo."
    sentence = "Itching did not differ between groups."
    assert read(sentence, methods=methods, title="A trial in testitis").results == ()
    named = "Itching was lower with examplol than with testamine."
    assert len(read(named, methods=methods, title="A trial in testitis").results) == 1


def test_each_comparator_that_is_named_has_its_result() -> None:
    found = read(
        "Itching was lower with examplol than with testamine or placebo.",
        methods="Methods: Adults were randomised to examplol, testamine or placebo.",
        title="A trial in testitis",
    )
    labels = {arm.id: arm.label for arm in found.arms}
    assert [(labels[r.a], labels[r.b], r.more) for r in found.results] == [
        ("examplol", "testamine", "b"),
        ("examplol", "placebo", "b"),
    ]


def test_an_effect_is_read_with_its_interval_and_p() -> None:
    result = _only(
        "Relapse was less frequent with examplol than with placebo (odds ratio, 0.60; 95% CI, "
        "0.40 to 0.90; P = 0.013)."
    )
    effect = result.effect
    assert effect is not None
    assert (effect.measure, effect.value, effect.ci_low, effect.ci_high) == ("OR", 0.6, 0.4, 0.9)
    assert (effect.p, effect.p_operator, effect.ci_level) == (0.013, "=", 95)


def test_an_estimate_of_something_else_leaves_its_p_value() -> None:
    result = _only(
        "The time to relapse was longer with examplol than with placebo (hazard ratio, 0.60; 95% "
        "CI, 0.40 to 0.90; P = 0.013)."
    )
    assert result.more == "a"
    assert result.effect is not None
    assert (result.effect.measure, result.effect.p) == (None, 0.013)


@pytest.mark.parametrize(
    ("sentence", "values", "unit"),
    [
        ("Relapse occurred in 10.5% in the examplol group and 20.5% in the placebo group "
         "(P = 0.01).", (10.5, 20.5), "%"),
        ("Itching was lower with examplol than with placebo (20% vs 10%).", (), ""),
        ("Itching was lower with examplol than with placebo (10% and 12% vs 20% and 22%).", (), ""),
    ],
)  # fmt: skip
def test_figures_stand_with_their_arms(sentence: str, values: tuple[float, ...], unit: str) -> None:
    result = _only(sentence)
    by_arm = {figure.arm: figure.value for figure in result.figures}
    assert tuple(by_arm[arm] for arm in sorted(by_arm)) == values
    assert result.unit == unit


def test_a_result_of_some_people_says_whom() -> None:
    result = _only(
        "Among patients with severe redness, itching was lower with examplol than with placebo."
    )
    assert (result.people, result.level) == ("patients with severe redness", "subgroup")


def test_a_subgroup_behind_however_is_not_the_whole() -> None:
    results = read(
        "Itching did not differ overall; in patients over 75, however, itching was higher with "
        "examplol (HR 2.0, 95% CI 1.2 to 3.3)."
    ).results
    told = [(r.better, r.people, r.level) for r in results]
    assert told == [("no_difference", "", "unstated"), ("unclear", "patients over 75", "subgroup")]


@pytest.mark.parametrize("verb", ["eased", "worsened", "prolonged", "reduced"])
def test_a_second_verb_is_no_part_of_the_first_outcome(verb: str) -> None:
    told = _only(f"Examplol did not increase itching and {verb} redness compared with placebo.")
    assert (told.outcome, told.better) == ("itching", "no_difference")


@pytest.mark.parametrize(
    "behind",
    [
        "it was higher with examplol at one year",
        "this was reversed, with more itching with examplol, at week 9",
        "it was similar in both groups at week 9",
    ],
)
def test_a_difference_that_is_taken_back_behind_a_semicolon_is_not_read(behind: str) -> None:
    lower = "Itching was lower with examplol than with placebo at week 4 (P = 0.01)"
    assert read(f"{lower}; {behind}.").results == ()
    assert _only(f"{lower}; this was seen in most adults.").more == "b"


@pytest.mark.parametrize(
    "unread",
    [
        "Examplol reduced sneezing (HR 0.8, 95% CI 0.7 to 0.9) but increased mortality (HR 1.3).",
        "The trial was stopped early for harm after 40 deaths with examplol.",
        "The primary outcome, sneezing, came to 3.1 with examplol (95% CI 2.5 to 3.7).",
    ],
)
def test_a_missed_main_result_or_excess_of_deaths_is_marked(unread: str) -> None:
    read_one = "Itching was lower with examplol than with placebo (P = 0.01)."
    reading = read(f"{read_one} {unread}")
    assert len(reading.results) == 1
    assert reading.unread == ("main_result_not_read",)
    assert read(f"{read_one} Redness was common.").unread == ()


def test_values_without_a_test_are_read_of_people_alone() -> None:
    counts = _only("Neutropenia occurred in 12/40 in the examplol group and 1/41 in the placebo "
                   "group.")  # fmt: skip
    assert (counts.better, counts.effect) == ("unclear", None)
    means = "Itching was 4.1 in the examplol group and 3.1 in the placebo group."
    assert read(means).results == ()


def test_the_level_is_what_the_record_calls_an_outcome() -> None:
    results = read(
        "Itching was lower with examplol than with placebo. Redness did not differ between groups.",
        methods="Methods: Adults were randomised to examplol or placebo. The primary outcome was "
        "itching.",
    ).results
    assert [r.level for r in results] == ["primary", "unstated"]


def test_a_result_told_again_is_marked() -> None:
    results = read(
        "Itching was lower with examplol than with placebo.\n"
        "Conclusions: Itching was lower with examplol than with placebo."
    ).results
    assert [r.restated for r in results] == [False, True]


def test_the_time_of_a_result_stands_apart() -> None:
    result = _only("At 12 weeks, itching was lower with examplol than with placebo.")
    assert (result.outcome, result.timepoint) == ("itching", "At 12 weeks")


def test_protocols_and_opinions_have_no_results() -> None:
    sentence = "Itching was lower with examplol than with placebo."
    assert read(sentence, title="Examplol in testitis: study protocol").results == ()


def test_half_a_sentence_at_the_end_of_a_text_tells_no_result() -> None:
    whole = read("Pain was lower with examplol than with placebo (RR 0.5, 95% CI 0.3 to 0.8).")
    cut = read("Pain was lower with examplol than with placebo (RR 0.5, 95% CI 0.3 to 0.8) in")
    assert whole.results
    assert not cut.results
    assert "text_cut_off" in cut.unread
