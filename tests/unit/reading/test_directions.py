from __future__ import annotations

from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepcritical.domain.study.reading import StudyReading
from deepcritical.reading.checking import checked
from deepcritical.reading.sentences import numbered
from tests.unit.reading.study_answers import PEOPLE, check_result, record, unchecked

ITCH = "Itching was rarer with examplol (hazard ratio 0.70, 95% CI 0.50 to 0.90)."


class Told(NamedTuple):
    """A sentence with the right reading of it."""

    sentence: str
    right: str
    fields: dict[str, Any]


_OTHERS = {
    "a": ("b", "no_difference"),
    "b": ("a", "no_difference"),
    "no_difference": ("a", "b"),
}
_UPS = {"bad": {"less": "a", "more": "b"}, "good": {"less": "b", "more": "a"}}
_NUMBERS: dict[str, dict[str, tuple[float, float, float]]] = {
    "ratio": {"less": (0.7, 0.5, 0.9), "more": (1.43, 1.11, 2.0), "same": (0.95, 0.8, 1.12)},
    "difference": {"less": (-1.5, -2.4, -0.6), "more": (1.5, 0.6, 2.4), "same": (0.2, -0.8, 1.2)},
    "RRR": {"less": (30, 10, 50), "more": (-43, -100, -11), "same": (5, -12, 20)},
}
_P = {"less": "0.003", "more": "<0.001", "same": "0.43"}
_VALUES = {"less": (12.1, 17.3), "more": (17.3, 12.1), "same": (12.1, 12.4)}
_EVENTS = {"less": (12, 23), "more": (23, 12), "same": (12, 13)}


def _told(sentence: str, side: str, up: str, **fields: Any) -> Told:
    return Told(sentence, _UPS[up].get(side, "no_difference"), {"up": up, **fields})


def _sides() -> list[tuple[str, str]]:
    return [(side, up) for side in ("less", "more", "same") for up in _UPS]


def _with_interval(measure: str, kind: str) -> list[Told]:
    found = []
    for side, up in _sides():
        value, low, high = _NUMBERS[kind][side]
        sentence = f"The {measure} was {value} (95% CI {low} to {high})."
        numbers = {"measure": measure, "value": value, "low": low, "high": high}
        found.append(_told(sentence, side, up, **numbers))
    return found


def _with_p(measure: str, kind: str) -> list[Told]:
    return [
        _told(
            f"The {measure} was {_NUMBERS[kind][side][0]} (P = {_P[side]}).",
            side,
            up,
            measure=measure,
            value=_NUMBERS[kind][side][0],
            p=_P[side],
        )
        for side, up in _sides()
    ]


def _values(*, p: bool) -> list[Told]:
    found = []
    for side, up in _sides():
        a, b = _VALUES[side]
        figures = [{"arm": "A", "value": a}, {"arm": "B", "value": b}]
        sentence = f"Examplol scored {a} and placebo {b} (P = {_P[side]})."
        more = {"p": _P[side]} if p else {}
        if p or side != "same":
            found.append(_told(sentence, side, up, figures=figures, **more))
    return found


def _events(*, p: bool) -> list[Told]:
    found = []
    for side, up in _sides():
        a, b = _EVENTS[side]
        figures = [{"arm": "A", "events": a, "n": 40}, {"arm": "B", "events": b, "n": 41}]
        sentence = f"It occurred in {a} of 40 and {b} of 41 adults (P = {_P[side]})."
        more = {"p": _P[side]} if p else {}
        if p or side != "same":
            found.append(_told(sentence, side, up, figures=figures, **more))
    return found


def _interval_alone() -> list[Told]:
    found = []
    for side, up in _sides():
        _, low, high = _NUMBERS["ratio"][side]
        numbers = {"measure": "HR", "low": low, "high": high}
        found.append(_told(f"The 95% CI was {low} to {high}.", side, up, **numbers))
    return found


def _p_alone(side: str) -> list[Told]:
    return [_told(f"P was {_P[side]}.", side, up, p=_P[side]) for up in _UPS]


_CAUGHT: dict[str, list[Told]] = {
    "ratio with interval": [*_with_interval("HR", "ratio"), *_with_interval("OR", "ratio")],
    "difference with interval": _with_interval("MD", "difference"),
    "relative reduction with interval": _with_interval("RRR", "RRR"),
    "ratio with p": _with_p("RR", "ratio"),
    "difference with p": _with_p("RD", "difference"),
    "values with p": _values(p=True),
    "events with p": _events(p=True),
    "p alone, not significant": _p_alone("same"),
}
_MISSED: dict[str, list[Told]] = {
    "interval alone": _interval_alone(),
    "p alone, significant": _p_alone("less"),
}
"""Kinds of figures beside which some flipped directions stand."""


def _flips(told: Told) -> list[str]:
    if told.fields.get("p") and "figures" not in told.fields and "value" not in told.fields:
        # Significance alone tells no side, but it does tell that there is a difference.
        return ["no_difference"] if told.right != "no_difference" else ["a", "b"]
    if "figures" in told.fields and "p" not in told.fields:
        # Figures without a test tell a side, but not that the difference is more than chance.
        return ["b" if told.right == "a" else "a"]
    return list(_OTHERS[told.right])


def _is_caught(told: Told, flipped: str) -> bool:
    result, _ = check_result(told.sentence, **told.fields, better=flipped)
    return result is None or result.better == "unclear"


def _cases(kinds: dict[str, list[Told]]) -> list[tuple[Told, str]]:
    return [(told, flip) for group in kinds.values() for told in group for flip in _flips(told)]


@pytest.mark.parametrize("kind", _CAUGHT)
def test_a_flipped_direction_is_caught_beside_figures(kind: str) -> None:
    missed = [case for case in _cases({kind: _CAUGHT[kind]}) if not _is_caught(*case)]
    assert missed == []


@pytest.mark.parametrize("kind", _MISSED)
def test_a_flipped_direction_is_caught_beside_fewer_figures(kind: str) -> None:
    missed = [case for case in _cases({kind: _MISSED[kind]}) if not _is_caught(*case)]
    assert missed == []


@pytest.mark.parametrize("kind", [*_CAUGHT, *_MISSED])
def test_a_right_direction_stands(kind: str) -> None:
    for told in (_CAUGHT | _MISSED)[kind]:
        result, faults = check_result(told.sentence, **told.fields, better=told.right)
        assert result is not None, told
        assert (result.better, faults) == (told.right, ()), told


def test_most_flipped_directions_are_caught(capsys: pytest.CaptureFixture[str]) -> None:
    cases = _cases(_CAUGHT | _MISSED)
    caught = sum(_is_caught(*case) for case in cases)
    with capsys.disabled():
        told = f"{caught} of {len(cases)} flipped directions are caught"
        print(f"\n{told} ({caught / len(cases):.0%})")  # noqa: T201
    assert len(cases) > 100
    assert caught / len(cases) > 0.8


@pytest.mark.parametrize(
    ("sentence", "fields"),
    [
        (
            "It occurred in 12 of 40 with examplol and 23 of 41 (RR 0.53, 95% CI 0.31 to 0.92).",
            {
                "a": "B",
                "b": "A",
                "up": "bad",
                "better": "a",
                "measure": "RR",
                "value": 0.53,
                "low": 0.31,
                "high": 0.92,
                "figures": [
                    {"arm": "A", "events": 12, "n": 40},
                    {"arm": "B", "events": 23, "n": 41},
                ],
            },
        ),
        (
            "The score was 12.1 with examplol and 13.6 (difference -1.5, 95% CI -2.4 to -0.6).",
            {
                "up": "bad",
                "better": "b",
                "measure": "MD",
                "value": 1.5,
                "low": 0.6,
                "high": 2.4,
                "figures": [{"arm": "A", "value": 12.1}, {"arm": "B", "value": 13.6}],
            },
        ),
    ],
    ids=["arms swapped", "sign lost"],
)
def test_an_estimate_that_points_against_the_arms_figures_is_caught(
    sentence: str, fields: dict[str, Any]
) -> None:
    result, _ = check_result(sentence, **fields)
    assert result is None or result.effect is None or result.better == "unclear"


@pytest.mark.parametrize("better", ["a", "b", "no_difference"])
def test_a_direction_without_figures_is_the_readers_word(better: str) -> None:
    result, faults = check_result("Itching was rarer with examplol.", better=better)
    assert result is not None
    assert (result.better, faults) == (better, ())


@pytest.mark.parametrize("contrast", ["within", "association", "interaction", "omnibus"])
def test_only_differences_between_arms_have_their_direction_checked(contrast: str) -> None:
    effect = {"measure": "HR", "value": 0.7, "low": 0.5, "high": 0.9, "up": "bad"}
    result, _ = check_result(ITCH, contrast=contrast, better="b", **effect)
    assert result is not None
    assert result.better == "b"


@pytest.mark.parametrize("told", ["shown", "not_shown"])
def test_non_inferiority_is_told_beside_a_significant_difference(told: str) -> None:
    effect = {"measure": "HR", "value": 0.7, "low": 0.5, "high": 0.9, "up": "bad"}
    result, faults = check_result(ITCH, better="no_difference", non_inferiority=told, **effect)
    assert result is not None
    assert (result.better, result.non_inferiority, faults) == ("no_difference", told, ())


def _renamed(reading: StudyReading) -> StudyReading:
    """The same reading with the ids of its two arms swapped everywhere."""
    other = {"A": "B", "B": "A"}
    return reading.model_copy(
        update={
            "arms": tuple(a.model_copy(update={"id": other[a.id]}) for a in reading.arms),
            "results": tuple(
                r.model_copy(
                    update={
                        "a": other.get(r.a, r.a),
                        "b": other.get(r.b, r.b),
                        "figures": tuple(
                            f.model_copy(update={"arm": other[f.arm]}) for f in r.figures
                        ),
                    }
                )
                for r in reading.results
            ),
        }
    )


_EVERY_CASE = [
    (told, better)
    for group in (_CAUGHT | _MISSED).values()
    for told in group
    for better in ("a", "b", "no_difference", "unclear")
]


@given(st.sampled_from(_EVERY_CASE))
def test_swapping_the_labels_of_the_arms_changes_nothing_else(case: tuple[Told, str]) -> None:
    told, better = case
    evidence = record(f"{PEOPLE} {told.sentence}")
    result = {"outcome": "itching", "a": "A", "b": "B", **told.fields, "better": better, "s": [2]}
    reading = unchecked(evidence, results=[result])
    spans = numbered(evidence)
    renamed = checked(_renamed(reading), spans, evidence)
    assert renamed == _renamed(checked(reading, spans, evidence))


_SWAPPED = {"a": "b", "b": "a"}


@given(st.sampled_from([c for c in _EVERY_CASE if "value" not in c[0].fields]))
def test_swapping_the_sides_of_figures_swaps_the_direction_that_stands(
    case: tuple[Told, str],
) -> None:
    told, better = case
    if "low" in told.fields:
        return  # the interval is of one side alone
    one, faults = check_result(told.sentence, **told.fields, better=better)
    swapped = {**told.fields, "a": "B", "b": "A", "better": _SWAPPED.get(better, better)}
    other, other_faults = check_result(told.sentence, **swapped)
    assert one is not None
    assert other is not None
    assert other.better == _SWAPPED.get(one.better, one.better)
    assert other_faults == faults
