from __future__ import annotations

import pytest

from deepcritical.reasoning.figures import Way
from deepcritical.reasoning.stance import clause_cue
from tests.unit.reasoning.examples import findings, names, ways

HELPS, NOTHING, HARMS = Way.BENEFIT, Way.NO_EFFECT, Way.HARM


def way_of(clause: str) -> Way | None:
    cue = clause_cue(clause, names(clause))
    return cue.way if cue else None


def say(text: str) -> str:
    return text


class TestTheWayOfAClause:
    @pytest.mark.parametrize(
        "clause",
        [
            "Examplol reduced the risk of testitis",
            "Examplol significantly improved memory",
            "Symptoms of testitis were reduced by examplol",
            "Examplol users had a lower incidence of testitis",
            "Time to recovery was shortened with examplol",
            "Examplol was superior to placebo",
            "Examplol was beneficial in testitis",
            "Examplol slowed the progression of testitis",
            "Survival was better with examplol",
        ],
        ids=say,
    )
    def test_is_benefit(self, clause: str) -> None:
        assert way_of(clause) is HELPS

    @pytest.mark.parametrize(
        "clause",
        [
            "Examplol had no effect on testitis",
            "Examplol did not improve symptoms",
            "Examplol didn't improve symptoms",
            "No significant difference in symptoms was seen between examplol and placebo",
            "Examplol was not associated with the risk of testitis",
            "Examplol failed to slow progression",
            "Outcomes were similar with examplol and placebo",
            "There is no convincing evidence for examplol in testitis",
            "Examplol was ineffective in testitis",
            "The evidence on examplol in testitis is conflicting",
            "Examplol cannot currently be recommended in testitis",
        ],
        ids=say,
    )
    def test_is_no_effect(self, clause: str) -> None:
        assert way_of(clause) is NOTHING

    @pytest.mark.parametrize(
        "clause",
        [
            "Examplol increased the risk of testitis",
            "Examplol was associated with a higher incidence of testitis",
            "Mortality was higher with examplol",
            "Examplol worsened symptoms",
            "Examplol impaired memory",
            "Examplol promoted tau aggregation",
        ],
        ids=say,
    )
    def test_is_harm(self, clause: str) -> None:
        assert way_of(clause) is HARMS

    @pytest.mark.parametrize(
        "clause",
        [
            "Examplol was given to 40 adults with testitis",
            "Testitis is a made-up disease",
            "Examplol is a made-up drug",
            "These data cannot establish a causal effect of examplol on testitis",
            "The association does not prove that examplol is the cause",
            "Examplol ranked first for symptoms",
            "Examplol had the highest SUCRA value for survival",
            "Examplol did not change plasma volume",
            "Examplol did not alter the colour of the tablets",
        ],
        ids=say,
    )
    def test_is_nowhere(self, clause: str) -> None:
        assert way_of(clause) is None

    @pytest.mark.parametrize(
        ("clause", "way"),
        [
            ("Examplol reduced symptoms with no effect on mortality", NOTHING),
            ("Examplol showed no difference in survival and a higher risk of relapse", NOTHING),
            ("Examplol improved memory and increased the risk of death", HARMS),
            ("Examplol did not increase the risk of testitis", NOTHING),
        ],
        ids=["null before benefit", "null before harm", "harm before benefit", "denied harm"],
    )
    def test_of_several_cues_the_less_favourable_one_counts(self, clause: str, way: Way) -> None:
        assert way_of(clause) is way

    @pytest.mark.parametrize(
        "sentence",
        [
            "Examplol lowered the risk of dementia, but not of testitis.",
            "Examplol lowered the risk of dementia but not the risk of testitis.",
        ],
        ids=["of", "the risk of"],
    )
    def test_but_not_the_condition_is_no_effect(self, sentence: str) -> None:
        assert ways(sentence) == [NOTHING]


class TestIntervals:
    @pytest.mark.parametrize(
        "interval",
        [
            "HR 0.80, 95% CI 0.60 to 1.05",
            "HR 0.80, 95% CI 0.60-1.05",
            "HR 0.80; 95% CI, 0.60–1.05",
            "odds ratio 0·80, 95% CI 0·60 to 1·05",
            "RR 0.80 (0.60-1.05)",
            "OR 0.80, 95% confidence interval [0.60, 1.05]",
            "mean difference -1.2, 95% CI -3.0 to 0.5",
            pytest.param(
                "mean difference −1.2, 95% CI −3.0 to 0.5",
                id="typographic minus",
            ),
            "risk difference -2%, 95% CI -5% to 1%",
        ],
        ids=say,
    )
    def test_an_interval_across_the_null_is_no_effect(self, interval: str) -> None:
        assert ways(f"Examplol reduced the risk of testitis ({interval}).") == [NOTHING]

    @pytest.mark.parametrize(
        "interval",
        [
            "HR 0.80, 95% CI 0.60 to 0.95",
            "RR 0.80 (0.60-0.95)",
            "mean difference -1.2, 95% CI -3.0 to -0.2",
            "mean difference 1.2, 95% CI 0.2 to 3.0",
            "p = 0.02",
            "95% of 40 adults",
        ],
        ids=say,
    )
    def test_an_interval_on_one_side_leaves_the_benefit(self, interval: str) -> None:
        assert ways(f"Examplol reduced the risk of testitis ({interval}).") == [HELPS]

    def test_of_two_intervals_one_that_excludes_the_null_is_enough(self) -> None:
        text = (
            "Examplol reduced the risk of testitis "
            "(HR 0.80, 95% CI 0.60 to 0.95) and of death (HR 0.90, 95% CI 0.70 to 1.20)."
        )
        assert ways(text) == [HELPS]

    def test_harm_is_read_only_where_the_interval_shows_it(self) -> None:
        text = "Examplol increased the risk of testitis (HR 1.30, 95% CI {})."
        assert ways(text.format("0.90 to 1.90")) == [NOTHING]
        assert ways(text.format("1.10 to 1.90")) == [HARMS]


class TestTurnedRound:
    @pytest.mark.parametrize(
        ("sentence", "way"),
        [
            ("Examplol may offset the higher risk of testitis.", HELPS),
            ("Examplol counteracted the worsening of memory.", HELPS),
            ("Examplol negated the improvement in survival.", HARMS),
            ("Controls had a decline in memory, a decline not seen in examplol users.", HELPS),
            ("A deterioration was not observed with examplol.", HELPS),
        ],
        ids=say,
    )
    def test_what_undoes_a_harm_is_a_benefit_and_the_other_way_round(
        self, sentence: str, way: Way
    ) -> None:
        assert ways(sentence) == [way]


class TestNoFinding:
    @pytest.mark.parametrize(
        "sentence",
        [
            "We aimed to assess whether examplol improves symptoms of testitis.",
            "The objective was to compare improved survival with examplol.",
            "Whether examplol reduces symptoms of testitis is unknown.",
            "The effect of examplol on symptoms remains unclear.",
            "Larger trials of examplol are needed to confirm improved survival.",
            "Trials of examplol with better outcomes are warranted.",
        ],
        ids=say,
    )
    def test_is_in_an_aim_or_an_outlook(self, sentence: str) -> None:
        assert ways(sentence) == []

    @pytest.mark.parametrize(
        "sentence",
        [
            "Examplol was well tolerated.",
            "Adverse events were not more frequent with examplol, without significant difference.",
            "Examplol increased the risk of serious adverse events.",
            "There was no difference in adverse events between examplol and placebo.",
            "Examplol reduced the rate of discontinuation.",
        ],
        ids=say,
    )
    def test_is_in_a_clause_on_safety_alone(self, sentence: str) -> None:
        assert ways(sentence) == []

    def test_well_tolerated_and_effective_is_a_benefit(self) -> None:
        assert ways("Examplol was well tolerated and effective in testitis.") == [HELPS]


class TestClauses:
    @pytest.mark.parametrize(
        ("sentence", "expected"),
        [
            ("Examplol reduced symptoms but did not improve survival.", [HELPS, NOTHING]),
            ("Examplol reduced symptoms; examplol worsened memory.", [HELPS, HARMS]),
            ("Examplol reduced symptoms, whereas aspirin had no effect on symptoms.", [HELPS]),
            ("Aspirin reduced symptoms, whereas examplol had no effect on symptoms.", [NOTHING]),
        ],
        ids=["inherited subject", "two clauses", "other loses", "other wins"],
    )
    def test_each_is_read_for_itself(self, sentence: str, expected: list[Way]) -> None:
        assert ways(sentence) == expected

    def test_a_null_that_is_conceded_still_counts(self) -> None:
        text = "Although examplol had no effect on survival, it reduced symptoms."
        assert NOTHING in ways(text)

    def test_a_finding_says_whether_it_names_the_condition(self) -> None:
        found = findings("Examplol reduced the risk of testitis; examplol improved survival.")
        assert [f.names_condition for f in found] == [True, False]

    def test_a_finding_on_another_condition_says_so(self) -> None:
        assert [f.names_other for f in findings("Examplol lowered the risk of asthma.")] == [True]

    def test_a_finding_on_the_condition_names_no_other(self) -> None:
        assert not findings("Examplol lowered the risk of testitis.")[0].names_other

    @pytest.mark.parametrize("people", ["healthy volunteers", "cognitively normal adults"])
    def test_a_finding_in_people_without_the_condition_says_so(self, people: str) -> None:
        assert findings(f"In {people}, examplol improved memory.")[0].other_population
