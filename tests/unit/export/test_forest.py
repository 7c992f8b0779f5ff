"""Forest plots: which outcomes have one, and what stands where."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ET

import pytest

from deepcritical.domain.appraisal.votes import Importance, RowEffect, Way
from deepcritical.domain.study.reading import EffectMeasure
from deepcritical.export.forest_figure import draw_forests
from deepcritical.export.html import render_page
from deepcritical.export.svg import Drawing, standalone
from tests.unit.export.briefs import brief_report, found, outcome_row
from tests.unit.export.reports import VERDICT

SVG = "{http://www.w3.org/2000/svg}"


def forests(*effects: RowEffect, **fields: object) -> tuple[Drawing, ...]:
    row = outcome_row(**({"effects": effects, "pooled": None} | fields))
    return draw_forests(brief_report(verdict=VERDICT.model_copy(update={"rows": (row,)})))


def texts(drawing: Drawing) -> list[str]:
    root = ET.fromstring(standalone(drawing))  # noqa: S314 - our own file
    return ["".join(one.itertext()) for one in root.iter(f"{SVG}text")]


def ticks(drawing: Drawing) -> dict[float, float]:
    spans = re.findall(r'text-anchor="middle"[^>]*><tspan x="([\d.]+)"[^>]*>([^<]+)<', drawing.body)
    return {float(text.replace("\u2212", "-")): float(x) for x, text in spans}


def test_studies_stand_with_their_figures_and_the_pooled_effect() -> None:
    (drawing,) = draw_forests(brief_report())
    told = texts(drawing)
    for text in (
        "Invented 2021",
        "Pomilius 2022",
        "620",
        "Risk ratio (95 % CI)",
        "0.80 (0.66 to 0.97)",
        "Together (I² 12 %)",
        "0.82 (0.70 to 0.95)",
        "← better with examplol",
    ):
        assert text in told, text
    assert drawing.title == "Testitis flares, against placebo or no treatment"
    assert "2 studies together: 0.82 (0.70 to 0.95), I² 12 %" in drawing.description
    assert "Invented 2021: 0.80 (0.66 to 0.97)" in drawing.description


def test_ratios_stand_on_a_logarithmic_scale() -> None:
    (drawing,) = forests(found("E1", 0.5, 0.1, 2.0), found("E2", 2.0, 0.5, 10.0))
    at = ticks(drawing)
    assert at[1] - at[0.5] == pytest.approx(at[2] - at[1], abs=0.2)


def test_differences_stand_on_a_linear_scale_around_nought() -> None:
    (drawing,) = forests(
        found("E1", -2, -4, 0, "MD", unit="points"), found("E2", 1, -1, 3, "MD", unit="points")
    )
    assert "Mean difference, points" in " ".join(texts(drawing))
    assert "\u22122.00 (\u22124.00 to 0.00)" in texts(drawing)
    at = sorted(ticks(drawing).items())
    steps = {round((b[1] - a[1]) / (b[0] - a[0]), 1) for a, b in itertools.pairwise(at)}
    assert len(steps) == 1
    assert 0 in ticks(drawing)


@pytest.mark.parametrize(
    "effects",
    [
        (found("E1", 0.8, 0.6, 0.9),),
        (found("E1", 0.8, 0.6, 0.9), found("E2", 0.8, None, None)),
        (found("E1", 0.8, 0.6, 0.9), found("E2", 0.8, 0.6, 0.9, "HR")),
        (found("E1", 1, 0, 2, "MD", unit="kg"), found("E2", 1, 0, 2, "MD", unit="points")),
        (found("E1", 30, 10, 50, "RRR"), found("E2", 30, 10, 50, "RRR")),
        (found("E1", 0.8, 0.6, 0.9), found("E2", 0.2, 0.0, 0.9)),
        (found("E1", 0.8, 0.6, 0.9), found("E2", 0.8, 0.8, 0.8)),
        (found("E1", 0.8, 0.6, 0.9), found("E2", 0.8, 0.6, 0.9, effect=None)),
    ],
)
def test_without_two_intervals_of_one_measure_there_is_no_plot(
    effects: tuple[RowEffect, ...],
) -> None:
    assert forests(*effects) == ()


def test_an_interval_that_is_far_too_long_ends_in_an_arrow_within_the_plot() -> None:
    (drawing,) = forests(
        found("E1", 0.9, 0.8, 1.0), found("E2", 1.0, 0.9, 1.1), found("E3", 5.0, 0.001, 900.0)
    )
    lines = [float(x) for x in re.findall(r'd="M([\d.]+) [\d.]+H', drawing.body)]
    assert min(lines) >= 12
    assert max(float(x) for x in re.findall(r"H([\d.]+)", drawing.body)) <= drawing.width
    assert "5.00 (0.00 to 900)" in texts(drawing)


@pytest.mark.parametrize("span", [0.02, 0.4, 3.0, 40.0, 9000.0])
@pytest.mark.parametrize("measure", ["OR", "MD"])
def test_ticks_are_few_and_within_the_plot(measure: EffectMeasure, span: float) -> None:
    ends = (1 / (1 + span), 1 + span) if measure == "OR" else (-span, span)
    (drawing,) = forests(found("E1", 1.0, *ends, measure), found("E2", 1.0, *ends, measure))
    assert 2 <= len(ticks(drawing)) <= 8
    assert all(304 <= x <= 596 for x in ticks(drawing).values())


def test_no_side_is_named_where_the_studies_do_not_tell_which_is_better() -> None:
    (drawing,) = forests(found("E1", 0.8, 0.6, 0.9), found("E2", 0.9, 0.6, 1.3))
    assert not [text for text in texts(drawing) if "better" in text]
    (drawing,) = forests(found("E1", 1.8, 1.6, 1.9, way=Way.BENEFIT), found("E2", 0.9, 0.6, 1.3))
    assert "better with examplol →" in texts(drawing)


def test_the_four_weightiest_outcomes_have_a_plot() -> None:
    weights: tuple[Importance, ...] = ("surrogate", "important", "harm", "critical", "critical")
    rows = tuple(
        outcome_row(outcome=f"outcome {n}", importance=weight) for n, weight in enumerate(weights)
    )
    report = brief_report(verdict=VERDICT.model_copy(update={"rows": rows}))
    titles = [drawing.title.partition(",")[0] for drawing in draw_forests(report)]
    assert titles == ["Outcome 3", "Outcome 4", "Outcome 2", "Outcome 1"]
    assert render_page(report).count('id="figure-forest-') == 8
