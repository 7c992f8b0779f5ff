from __future__ import annotations

from typing import Literal, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepcritical.domain.study.effects import (
    favoured,
    has_more,
    is_consistent,
    no_effect_value,
    significant,
)
from deepcritical.domain.study.reading import ArmFigure, Effect, EffectMeasure, Result

RATIOS: tuple[EffectMeasure, ...] = ("RR", "OR", "HR", "IRR", "ratio")
OTHER = {"a": "b", "b": "a", "no_difference": "no_difference", None: None}


def _outcome(
    effect: Effect | None,
    *,
    up: bool | None = False,
    outcome: str = "itching",
    figures: tuple[ArmFigure, ...] = (),
    more: Literal["a", "b"] | None = None,
) -> Result:
    return Result(
        outcome=outcome,
        concept=outcome.casefold(),
        a="A",
        b="B",
        higher_is_better=up,
        effect=effect,
        figures=figures,
        more=more,
    )


@pytest.mark.parametrize("measure", get_args(EffectMeasure))
def test_ratios_have_no_effect_at_one_and_all_else_at_zero(measure: EffectMeasure) -> None:
    assert no_effect_value(Effect(measure=measure)) == (1 if measure in RATIOS else 0)


@pytest.mark.parametrize(
    ("effect", "expected"),
    [
        (None, None),
        (Effect(), None),
        (Effect(measure="HR", value=0.7), None),
        (Effect(measure="HR", ci_low=0.5, ci_high=0.9), True),
        (Effect(measure="HR", ci_low=1.1, ci_high=1.9), True),
        (Effect(measure="HR", ci_low=0.5, ci_high=1.1), False),
        (Effect(measure="MD", ci_low=-2.4, ci_high=-0.6), True),
        (Effect(measure="MD", ci_low=-2.4, ci_high=0.6), False),
        (Effect(measure="RRR", ci_low=10, ci_high=50), True),
        (Effect(measure="HR", ci_low=0.5), None),
        (Effect(ci_low=0.5, ci_high=0.9), None),
        (Effect(measure="HR", ci_low=0.5, ci_high=0.9, ci_level=99), True),
    ],
)
def test_an_interval_decides_on_significance(effect: Effect | None, expected: bool | None) -> None:
    assert significant(effect) is expected


@pytest.mark.parametrize(
    ("p", "operator", "expected"),
    [
        (0.049, "=", True),
        (0.05, "=", False),
        (0.2, "=", False),
        (0.001, "<", True),
        (0.05, "<", True),
        (0.1, "<", False),
        (0.05, ">", False),
        (0.99, ">", False),
        (0.01, ">", None),
        (None, "ns", False),
        (None, "=", None),
    ],
)
def test_a_p_value_decides_on_significance(
    p: float | None, operator: Literal["=", "<", ">", "ns"], expected: bool | None
) -> None:
    assert significant(Effect(p=p, p_operator=operator)) is expected


@pytest.mark.parametrize(
    ("low", "high", "p", "expected"),
    [
        (0.5, 1.0, 0.04, True),
        (0.5, 1.0, 0.06, False),
        (1.0, 1.6, 0.03, True),
        (0.5, 1.0, None, False),
        (0.5, 0.9, 0.06, True),
        (0.5, 1.2, 0.04, False),
    ],
)
def test_p_decides_where_a_rounded_interval_ends_at_no_effect(
    low: float, high: float, p: float | None, expected: bool
) -> None:
    assert significant(Effect(measure="OR", ci_low=low, ci_high=high, p=p)) is expected


@pytest.mark.parametrize(
    ("effect", "expected"),
    [
        (Effect(measure="HR", ci_low=0.6, ci_high=0.98, ci_level=90, p=0.08), False),
        (Effect(measure="HR", ci_low=0.6, ci_high=0.90, ci_level=90, p=0.01), True),
        (Effect(measure="HR", ci_low=0.6, ci_high=1.10, ci_level=90), False),
        pytest.param(
            Effect(measure="HR", ci_low=0.6, ci_high=0.98, ci_level=90),
            None,
            id="a 90 % interval without p shows no significance at 5 %",
        ),
        pytest.param(
            Effect(measure="HR", ci_low=0.6, ci_high=1.05, ci_level=99, p=0.03),
            True,
            id="p decides where a 99 % interval contains no effect",
        ),
        pytest.param(
            Effect(measure="HR", ci_low=0.6, ci_high=1.05, ci_level=99),
            None,
            id="a 99 % interval that contains no effect leaves 5 % open",
        ),
    ],
)
def test_intervals_of_another_level_decide_only_what_follows_at_five_percent(
    effect: Effect, expected: bool | None
) -> None:
    assert significant(effect) is expected


@pytest.mark.parametrize(
    ("effect", "consistent"),
    [
        (Effect(), True),
        (Effect(measure="HR", value=0.7, ci_low=0.5, ci_high=0.9, p=0.01), True),
        (Effect(measure="HR", value=1.7, ci_low=0.5, ci_high=0.9), False),
        (Effect(measure="HR", value=0.4, ci_low=0.5, ci_high=0.9), False),
        (Effect(measure="HR", value=0.5, ci_low=0.5, ci_high=0.9), True),
        (Effect(measure="HR", ci_low=0.9, ci_high=0.5), False),
        (Effect(measure="HR", value=0.7, ci_low=0.5, ci_high=0.9, p=0.4), False),
        (Effect(measure="HR", value=0.7, ci_low=0.5, ci_high=1.2, p=0.001), False),
        (Effect(measure="HR", value=0.7, ci_low=0.5, ci_high=1.2, p=0.001, p_operator="<"), False),
        (Effect(measure="HR", value=0.7, ci_low=0.5, ci_high=0.9, p_operator="ns"), False),
        (Effect(measure="HR", value=0.7, ci_low=0.5, ci_high=1.2, p_operator="ns"), True),
        (Effect(measure="HR", value=0.7, ci_low=0.5, ci_high=1.0, p=0.01), True),
        (Effect(measure="HR", value=0.7, ci_low=0.5, ci_high=1.01, p=0.049), True),
        (Effect(measure="HR", value=0.7, ci_low=0.5, ci_high=1.2, ci_level=99, p=0.03), True),
        (Effect(measure="HR", value=0.7, ci_low=0.5, ci_high=0.9, p=0.1, p_operator="<"), True),
        (Effect(measure="MD", value=-1.5, ci_low=-2.4, ci_high=-0.6, p=0.01), True),
        (Effect(measure="MD", value=1.5, ci_low=-2.4, ci_high=-0.6), False),
        (Effect(value=0.7, ci_low=0.5, ci_high=0.9, p=0.4), True),
    ],
)
def test_an_estimate_lies_in_its_interval_and_interval_and_p_agree(
    effect: Effect, consistent: bool
) -> None:
    assert is_consistent(effect) is consistent


@pytest.mark.parametrize(
    ("effect", "up", "expected"),
    [
        (Effect(measure="RR", value=0.7, p=0.01), False, "a"),
        (Effect(measure="RR", value=0.7, p=0.01), True, "b"),
        (Effect(measure="RR", value=1.4, p=0.01), False, "b"),
        (Effect(measure="RR", value=1.4, p=0.01), True, "a"),
        (Effect(measure="RR", value=0.7, p=0.3), False, "no_difference"),
        (Effect(measure="RR", value=0.7), False, None),
        (Effect(measure="RR", value=0.7, p=0.01), None, None),
        (Effect(measure="RR", value=0.7, p=0.3), None, "no_difference"),
        (Effect(measure="MD", value=-1.5, p=0.01), False, "a"),
        (Effect(measure="MD", value=-1.5, p=0.01), True, "b"),
        (Effect(measure="RD", value=4.0, p=0.01), True, "a"),
        (Effect(measure="SMD", value=0.4, p=0.01), False, "b"),
        (Effect(measure="RRR", value=30, p=0.01), False, "a"),
        (Effect(measure="RRR", value=-40, p=0.01), False, "b"),
        (Effect(measure="RRR", value=30, p=0.01), True, "b"),
        (Effect(measure="RR", value=1.0, p=0.01), False, None),
        (Effect(value=0.7, p=0.01), False, None),
        (None, False, None),
    ],
)
def test_estimate_significance_and_polarity_tell_whom_an_effect_favours(
    effect: Effect | None, up: bool | None, expected: str | None
) -> None:
    assert favoured(_outcome(effect, up=up)) == expected


@pytest.mark.parametrize(
    ("outcome", "up", "expected"),
    [
        ("overall survival", True, "a"),
        ("death", False, "a"),
        ("progression-free survival", True, "a"),
        ("PFS", True, "a"),
        ("overall survival", False, "a"),
        ("recovery", True, "b"),
    ],
)
def test_a_hazard_ratio_of_survival_is_of_its_loss(outcome: str, up: bool, expected: str) -> None:
    effect = Effect(measure="HR", value=0.7, ci_low=0.5, ci_high=0.9)
    assert favoured(_outcome(effect, up=up, outcome=outcome)) == expected


def test_a_capital_letter_changes_no_direction() -> None:
    effect = Effect(measure="HR", value=0.7, ci_low=0.5, ci_high=0.9)
    result = _outcome(effect, up=True, outcome="Overall Survival")
    assert favoured(result.model_copy(update={"concept": "all-cause mortality"})) == "a"


@pytest.mark.parametrize("outcome", ["becoming itch-free", "discharge of survivors"])
def test_a_hazard_ratio_of_a_good_event_is_of_its_gain(outcome: str) -> None:
    effect = Effect(measure="HR", value=1.5, ci_low=1.2, ci_high=1.9)
    assert favoured(_outcome(effect, up=True, outcome=outcome)) == "a"


def test_the_odds_of_survival_are_of_survival() -> None:
    effect = Effect(measure="OR", value=0.7, ci_low=0.5, ci_high=0.9)
    assert favoured(_outcome(effect, up=True, outcome="survival")) == "b"


@pytest.mark.parametrize(
    ("figures", "more"),
    [
        ((ArmFigure(arm="A", value=5.0), ArmFigure(arm="B", value=7.0)), "b"),
        ((ArmFigure(arm="B", value=5.0), ArmFigure(arm="A", value=7.0)), "a"),
        ((ArmFigure(arm="A", events=4, n=40), ArmFigure(arm="B", events=5, n=100)), "a"),
        ((ArmFigure(arm="A", events=4), ArmFigure(arm="B", events=5)), None),
        ((ArmFigure(arm="A", events=4, n=0), ArmFigure(arm="B", events=5, n=100)), None),
        ((ArmFigure(arm="A", value=5.0), ArmFigure(arm="B", value=5.0)), None),
        ((ArmFigure(arm="A", value=5.0),), None),
        ((ArmFigure(arm="A", value=5.0), ArmFigure(arm="C", value=7.0)), None),
    ],
)
def test_the_arms_figures_tell_which_has_more(
    figures: tuple[ArmFigure, ...], more: str | None
) -> None:
    assert has_more(_outcome(Effect(p=0.01), figures=figures)) == more


def test_words_tell_which_arm_has_more_only_where_no_figure_does() -> None:
    figures = (ArmFigure(arm="A", value=5.0), ArmFigure(arm="B", value=7.0))
    assert favoured(_outcome(Effect(p=0.01), more="b")) == "a"
    assert favoured(_outcome(Effect(p=0.01), more="a", figures=figures)) == "a"


_LOGS = st.integers(-300, 300).map(lambda n: n / 100)


@st.composite
def _effects(draw: st.DrawFn) -> tuple[Effect, Effect]:
    """An effect of A against B, and the same one of B against A."""
    measure = draw(st.sampled_from(get_args(EffectMeasure)))
    low, value, high = sorted(draw(st.tuples(_LOGS, _LOGS, _LOGS)))
    p = draw(st.none() | st.sampled_from([0.001, 0.04, 0.05, 0.06, 0.5]))
    operator = draw(st.sampled_from(["=", "<", ">", "ns"]))
    told = draw(st.booleans())

    def made(numbers: tuple[float, float, float]) -> Effect:
        least, middle, most = numbers
        return Effect.model_validate(
            {
                "measure": measure,
                "value": middle,
                "ci_low": least if told else None,
                "ci_high": most if told else None,
                "p": p,
                "p_operator": operator,
            }
        )

    one, other = (low, value, high), (-high, -value, -low)
    if measure in RATIOS:
        # Powers of two, which are inverted without rounding.
        one, other = _powers(one), _powers(other)
    if measure == "RRR":
        one, other = _reductions(one), _reductions(other)
    return made(one), made(other)


def _powers(numbers: tuple[float, float, float]) -> tuple[float, float, float]:
    low, middle, high = (2.0 ** round(n) for n in numbers)
    return low, middle, high


def _reductions(numbers: tuple[float, float, float]) -> tuple[float, float, float]:
    """Relative reductions in percent of the ratios: what is more of a ratio is less of these."""
    low, middle, high = (100 * (1 - ratio) for ratio in reversed(_powers(numbers)))
    return low, middle, high


@given(_effects(), st.none() | st.booleans(), st.sampled_from(["itching", "survival"]))
def test_swapping_the_arms_and_inverting_the_effect_swaps_the_answer(
    effects: tuple[Effect, Effect], up: bool | None, outcome: str
) -> None:
    one, other = (favoured(_outcome(effect, up=up, outcome=outcome)) for effect in effects)
    assert other == OTHER[one]
    assert significant(effects[0]) is significant(effects[1])
    assert is_consistent(effects[0]) is is_consistent(effects[1])


_FIGURES = st.builds(
    lambda value, events, n: {"value": value, "events": events, "n": n},
    st.none() | st.integers(-9, 9),
    st.none() | st.integers(0, 9),
    st.none() | st.integers(0, 9),
)


@given(_FIGURES, _FIGURES, st.none() | st.booleans(), st.sampled_from([0.01, 0.2]))
def test_swapping_the_figures_of_the_arms_swaps_the_answer(
    one: dict[str, int | None], other: dict[str, int | None], up: bool | None, p: float
) -> None:
    def told(a: dict[str, int | None], b: dict[str, int | None]) -> str | None:
        figures = [{"arm": "A", **a}, {"arm": "B", **b}]
        parts = tuple(ArmFigure.model_validate(figure) for figure in figures)
        return favoured(_outcome(Effect(p=p), up=up, figures=parts))

    assert told(other, one) == OTHER[told(one, other)]
