from __future__ import annotations

from typing import Any

import pytest

from deepcritical.domain.study.reading import ArmFigure
from deepcritical.reading.checking import checked
from deepcritical.reading.sentences import numbered
from tests.unit.reading.study_answers import ARMS, PEOPLE, check, check_result, record

ITCH = "Itching was rarer with examplol (hazard ratio 0.70, 95% CI 0.50 to 0.90)."


class TestFigures:
    def test_figures_of_the_sentences_cited_stand(self) -> None:
        result, faults = check_result(ITCH, measure="HR", value=0.7, low=0.5, high=0.9)
        assert faults == ()
        assert result is not None
        assert result.effect is not None
        assert (result.effect.value, result.sentences) == (0.7, (2,))

    def test_a_figure_that_stands_nowhere_is_taken_out_and_the_result_stays(self) -> None:
        result, faults = check_result(ITCH, measure="HR", value=0.71, low=0.5, high=0.9)
        assert faults == ("results[0].effect",)
        assert result is not None
        assert result.effect is None

    def test_a_figure_that_only_another_sentence_has_is_cited_there(self) -> None:
        evidence = record(f"{PEOPLE} Itching was rarer with examplol. {ITCH}")
        result = {"outcome": "itching", "measure": "HR", "value": 0.7, "s": [2]}
        reading = check(evidence, results=[result])
        assert reading.faults == ()
        assert reading.results[0].sentences == (2, 3)

    def test_figures_that_several_other_sentences_have_are_taken_out(self) -> None:
        evidence = record(f"{PEOPLE} Itching was rarer with examplol. {ITCH} {ITCH}")
        result = {"outcome": "itching", "measure": "HR", "value": 0.7, "s": [2]}
        reading = check(evidence, results=[result])
        assert [fault.part for fault in reading.faults] == ["results[0].effect"]
        assert reading.results[0].effect is None

    def test_a_figure_that_ends_one_sentence_and_goes_on_in_the_next_stands(self) -> None:
        evidence = record(f"{PEOPLE} Itching was rarer with examplol, hazard ratio 0. 70 was it.")
        result = {"outcome": "itching", "measure": "HR", "value": 0.7, "s": [2, 3]}
        assert check(evidence, results=[result]).faults == ()

    def test_a_small_whole_number_of_another_sentence_bears_nothing_out(self) -> None:
        evidence = record(f"{PEOPLE} Itching was rarer with examplol.")
        figures = [{"arm": "A", "events": 40}]
        reading = check(evidence, results=[{"outcome": "itching", "figures": figures, "s": [2]}])
        assert [fault.part for fault in reading.faults] == ["results[0].figures"]
        assert reading.results[0].figures == ()

    @pytest.mark.parametrize(
        ("written", "number"),
        [
            ("two hundred eighty-four", 284),
            ("two hundred and eighty-four", 284),
            ("Twenty-one", 21),
            ("two thousand and five", 2005),
            ("1,234", 1234),
            ("1 234", 1234),
            ("1\u2009234", 1234),
            ("1\u202f234", 1234),
            ("1\u00a0234", 1234),
            ("12\u2009345", 12345),
            ("(n=284)", 284),
            ("284/500", 284),
        ],
    )
    def test_whole_numbers_stand_however_they_are_written(self, written: str, number: int) -> None:
        figures = [{"arm": "A", "events": number}]
        result, faults = check_result(f"Itching was seen in {written} adults.", figures=figures)
        assert faults == ()
        assert result is not None
        assert result.figures == (ArmFigure(arm="A", events=number),)

    @pytest.mark.parametrize(
        ("written", "value"),
        [
            ("0.75", 0.75),
            ("0·75", 0.75),
            (".75", 0.75),
            ("0.750", 0.75),
            ("-0.75", -0.75),
            ("−0.75", -0.75),
            ("–0.75", -0.75),
            ("75%", 75),
            ("0,75", 0.75),
            ("1,25", 1.25),
            ("not 0.90 but vs.14.3", 14.3),
        ],
    )
    def test_decimals_stand_however_they_are_written(self, written: str, value: float) -> None:
        result, faults = check_result(f"The difference was {written}.", measure="MD", value=value)
        assert faults == ()
        assert result is not None
        assert result.effect is not None
        assert result.effect.value == value

    @pytest.mark.parametrize(
        ("sentence", "events", "stands"),
        [
            ("None of the adults itched.", 0, True),
            ("No deaths occurred.", 0, True),
            ("Neither group itched.", 0, True),
            ("Adults with examplol itched.", 0, False),
            ("One adult itched.", 1, True),
            ("A single adult itched.", 1, True),
            ("Adults itched.", 1, False),
        ],
    )
    def test_words_tell_none_and_one(self, sentence: str, events: int, stands: bool) -> None:
        _, faults = check_result(sentence, figures=[{"arm": "A", "events": events}])
        assert (faults == ()) is stands

    @pytest.mark.parametrize(
        "effect",
        [
            {"measure": "HR", "value": 0.95, "low": 0.5, "high": 0.9},
            {"measure": "HR", "value": 0.7, "low": 0.9, "high": 0.5},
            {"measure": "HR", "value": 0.7, "low": 0.5, "high": 0.9, "p": "0.95"},
        ],
    )
    def test_an_effect_that_contradicts_itself_is_taken_out(self, effect: dict[str, Any]) -> None:
        sentence = "The hazard ratio was 0.70 (0.50 to 0.90) or 0.95."
        result, faults = check_result(sentence, **effect)
        assert faults == ("results[0].effect",)
        assert result is not None
        assert result.effect is None

    @pytest.mark.parametrize("name", ["value", "low", "high"])
    @pytest.mark.parametrize(
        "number",
        [pytest.param(number) for number in (float("inf"), float("nan"))],
    )
    def test_a_number_that_is_none_costs_no_more_than_its_effect(
        self, name: str, number: float
    ) -> None:
        result, _ = check_result(ITCH, measure="HR", **{name: number})
        assert result is not None
        assert result.effect is None

    def test_a_huge_number_of_people_is_not_in_the_record(self) -> None:
        reading = check(record(PEOPLE), randomised=10**400)
        assert reading.population.n_randomised is None


class TestNames:
    @pytest.mark.parametrize(
        ("text", "name", "stands"),
        [
            ("Adults took Examplol.", "examplol", True),
            ("Adults took oral examplol daily.", "oral examplol", True),
            ("Adults took examplol, given orally.", "testamine", False),
            ("Adults took testamine.", "testamines", True),
            ("Adults were mechanically ventilated.", "mechanical ventilation", True),
            ("Adults took Glucophage.", "metformin", True),
            ("Adults took metformin.", "aspirin", False),
            pytest.param(
                "Adults, for example, rested.",
                "examplol",
                False,
            ),
            pytest.param(
                "Adults took preexamplolate.",
                "examplol",
                False,
            ),
        ],
    )
    def test_an_arm_of_what_the_record_does_not_name_is_taken_out(
        self, text: str, name: str, stands: bool
    ) -> None:
        evidence = record(text, title="A trial")
        reading = check(evidence, arms=[{"id": "A", "gets": [name]}])
        assert [arm.id for arm in reading.arms] == (["A"] if stands else [])
        assert [fault.part for fault in reading.faults] == ([] if stands else ["arms[0]"])

    def test_a_name_of_the_index_stands(self) -> None:
        evidence = record("Adults rested.", title="A trial", chemicals=["Testamine"])
        assert check(evidence, arms=[{"id": "A", "gets": ["testamine"]}]).faults == ()

    def test_results_of_an_arm_that_was_taken_out_go_with_it(self) -> None:
        arms = [*ARMS, {"id": "C", "gets": ["testamine"]}]
        results = [
            {"outcome": "itching", "a": "C", "b": "B", "s": [2]},
            {"outcome": "itching", "a": "A", "b": "B", "s": [2]},
        ]
        reading = check(record(f"{PEOPLE} {ITCH}"), arms=arms, results=results)
        assert [arm.id for arm in reading.arms] == ["A", "B"]
        assert [(result.a, result.b) for result in reading.results] == [("A", "B")]
        assert [fault.part for fault in reading.faults] == ["arms[2]", "results[0]"]

    def test_conditions_that_do_not_stand_are_taken_out(self) -> None:
        evidence = record("Adults with testitis were randomised.")
        reading = check(evidence, conditions=["Testitis", "quuxosis"])
        assert reading.population.conditions == ("Testitis",)
        assert [fault.part for fault in reading.faults] == ["population.conditions"]


class TestPeople:
    @pytest.mark.parametrize(
        ("text", "number", "stands"),
        [
            ("In EXAMPLE-TIMI 58, 100 people were randomised.", 100, True),
            ("In EXAMPLE-TIMI 58, 100 people were randomised.", 58, False),
            ("In this report of (EXAMPLE-TIMI 58) all took examplol.", 58, False),
            ("EXAMPLE TIMI 58 was a trial of examplol.", 58, False),
            ("We enrolled 58 adults of EXAMPLE-TIMI 58.", 58, True),
            ("A total of 17\u2009160 patients were randomised.", 17160, True),
            ("A total of 300 patients were randomised.", 299, False),
            pytest.param(
                "EXAMPLE-TIMI 58 randomised 17,160 patients.",
                58,
                False,
            ),
            pytest.param(
                "The EXAMPLE-58 trial was about examplol.",
                58,
                False,
            ),
            pytest.param(
                "Adults took examplol 500 mg a day.",
                500,
                False,
            ),
            pytest.param(
                "The Example-TIMI 58 trial was about examplol.",
                58,
                False,
            ),
        ],
    )
    def test_a_number_of_people_is_no_part_of_a_name(
        self, text: str, number: int, stands: bool
    ) -> None:
        population = check(record(text), arms=[], randomised=number).population
        assert population.n_randomised == (number if stands else None)

    @pytest.mark.parametrize(
        "text",
        [
            "We plan to enrol 500 adults.",
            "A sample size of 500 was needed.",
            "The study was powered to find a difference in 500 adults.",
            "500 adults will be randomised.",
        ],
    )
    def test_a_number_that_is_only_planned_is_no_number_of_people(self, text: str) -> None:
        reading = check(record(text), arms=[], randomised=500, analysed=500)
        people = reading.population
        assert (people.n_randomised, people.n_analysed, people.n_planned) == (None, None, 500)
        assert {f.part for f in reading.faults} == {
            "population.n_randomised",
            "population.n_analysed",
        }

    def test_a_planned_number_stands_as_planned(self) -> None:
        reading = check(record("We plan to enrol 500 adults."), arms=[], planned=500)
        assert (reading.population.n_planned, reading.faults) == (500, ())

    @pytest.mark.parametrize(
        "text",
        [
            "Of 500 planned adults, 284 were randomised.",
            "We planned to enrol 500 adults; 284 were randomised.",
            "We randomised 284 adults, none of whom had an operation planned before; 500 is none.",
        ],
    )
    def test_the_number_beside_a_plan_is_no_plan(self, text: str) -> None:
        population = check(record(text), arms=[], randomised=284, planned=500).population
        assert (population.n_randomised, population.n_planned) == (284, 500)

    def test_people_of_a_planned_analysis_were_there(self) -> None:
        text = "A planned subgroup analysis of 284 adults with itching showed a benefit."
        assert check(record(text), arms=[], analysed=284).population.n_analysed == 284

    def test_the_registry_bears_out_a_number_of_people(self) -> None:
        evidence = record("Adults took examplol.", enrollment=284)
        assert check(evidence, arms=[], randomised=284).faults == ()

    def test_the_sum_of_the_arms_bears_out_a_number_of_people(self) -> None:
        arms = [{**ARMS[0], "n": 40}, {**ARMS[1], "n": 41}]
        evidence = record("Adults got examplol (n = 40) or placebo (n = 41).")
        reading = check(evidence, arms=arms, randomised=81, analysed=80)
        assert (reading.population.n_randomised, reading.population.n_analysed) == (81, None)

    @pytest.mark.parametrize(
        ("design", "randomised", "faults"),
        [([], 60, ["arms"]), (["crossover"], 60, []), ([], 81, []), ([], 80, [])],
    )
    def test_arms_have_no_more_people_than_were_randomised(
        self, design: list[str], randomised: int, faults: list[str]
    ) -> None:
        arms = [{**ARMS[0], "n": 40}, {**ARMS[1], "n": 41}]
        evidence = record(f"{PEOPLE} Another 60 people and 80 people came.")
        reading = check(evidence, arms=arms, design=design, randomised=randomised)
        assert [fault.part for fault in reading.faults] == faults

    def test_an_arm_keeps_its_place_without_a_number_that_does_not_stand(self) -> None:
        arms = [{**ARMS[0], "n": 43}, {**ARMS[1], "n": 41}]
        reading = check(record(PEOPLE), arms=arms)
        assert [arm.n for arm in reading.arms] == [None, 41]
        assert [fault.part for fault in reading.faults] == ["arms[0].n"]

    def test_people_of_a_result_that_do_not_stand_are_taken_out(self) -> None:
        result, faults = check_result(ITCH, n=77)
        assert result is not None
        assert (result.n, faults) == (None, ("results[0].n",))


class TestParts:
    def test_a_second_arm_of_one_id_is_taken_out(self) -> None:
        arms = [*ARMS, {"id": "A", "gets": ["placebo"]}]
        reading = check(record(PEOPLE), arms=arms)
        assert [arm.label for arm in reading.arms] == ["examplol", "placebo"]
        assert [fault.part for fault in reading.faults] == ["arms[2]"]

    @pytest.mark.parametrize(("a", "b"), [("C", "B"), ("A", "C"), ("X", "Y")])
    def test_a_result_of_an_unknown_arm_is_taken_out(self, a: str, b: str) -> None:
        assert check_result(ITCH, a=a, b=b) == (None, ("results[0]",))

    def test_a_figure_of_an_unknown_arm_is_taken_out(self) -> None:
        figures = [{"arm": "C", "value": 0.7}, {"arm": "A", "value": 0.5}]
        result, _ = check_result(ITCH, figures=figures)
        assert result is not None
        assert [figure.arm for figure in result.figures] == ["A"]

    def test_a_figure_of_an_unknown_arm_is_told_as_a_fault(self) -> None:
        assert check_result(ITCH, figures=[{"arm": "C", "value": 0.7}])[1] != ()

    def test_an_arm_is_not_compared_with_itself(self) -> None:
        assert check_result(ITCH, a="A", b="A") == (None, ("results[0]",))

    @pytest.mark.parametrize("numbers", [[], [3], [-1], [999]])
    def test_a_result_that_cites_no_sentence_is_taken_out(self, numbers: list[int]) -> None:
        assert check_result(ITCH, s=numbers) == (None, ("results[0]",))

    def test_unknown_sentences_are_left_out_beside_known_ones(self) -> None:
        result, faults = check_result(ITCH, s=[99, 2, -1])
        assert result is not None
        assert (result.sentences, faults) == ((2,), ())

    def test_one_faulty_result_costs_no_other(self) -> None:
        results = [
            {"outcome": "itching", "s": [2]},
            {"outcome": "sneezing", "a": "X", "s": [2]},
            {"outcome": "coughing", "s": [2]},
        ]
        reading = check(record(f"{PEOPLE} {ITCH}"), results=results)
        assert [result.outcome for result in reading.results] == ["itching", "coughing"]

    @pytest.mark.parametrize(
        ("step", "stands"),
        [
            ({"subject": "examplol", "object": "kinase", "s": [2]}, True),
            ({"subject": "examplol", "object": "Kinases", "s": [2]}, True),
            ({"subject": "testamine", "object": "kinase", "s": [2]}, False),
            ({"subject": "examplol", "object": "ligase", "s": [2]}, False),
            ({"subject": "examplol", "object": "kinase", "s": []}, False),
            ({"subject": "examplol", "object": "kinase", "s": [9]}, False),
        ],
    )
    def test_a_step_of_a_mechanism_names_what_the_record_names(
        self, step: dict[str, Any], stands: bool
    ) -> None:
        evidence = record(f"{PEOPLE} Examplol blocked the kinase and other kinases.")
        told = {"relation": "decreases", "system": "cell", **step}
        reading = check(evidence, mechanism=[told])
        assert (len(reading.mechanism) == 1) is stands
        assert [f.part for f in reading.faults] == ([] if stands else ["mechanism[0]"])

    def test_a_conclusion_keeps_the_sentences_that_there_are(self) -> None:
        reading = check(record(f"{PEOPLE} {ITCH}"), efficacy="works", s=[2, 40])
        assert (reading.conclusion.efficacy, reading.conclusion.sentences) == ("works", (2,))

    def test_what_stands_is_left_alone_by_a_second_check(self) -> None:
        evidence = record(f"{PEOPLE} {ITCH}")
        effect = {"measure": "HR", "value": 0.7, "low": 0.5, "high": 0.9}
        result = {"outcome": "itching", "up": "bad", "better": "a", **effect, "s": [2]}
        once = check(evidence, randomised=81, results=[result], conditions=["testitis"])
        assert once.faults == ()
        assert checked(once, numbered(evidence), evidence) == once
