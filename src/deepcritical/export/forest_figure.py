"""Draws forest plots: the effects of several studies on one outcome, on one scale."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from deepcritical.domain.appraisal.effect_words import MEASURES
from deepcritical.domain.appraisal.votes import (
    CONTINUED,
    NOT_STATED,
    STOPPING,
    OutcomeRow,
    PooledEffect,
    RowEffect,
    Way,
)
from deepcritical.domain.report.grids import weightiest_first
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.study.effects import RATIOS, decimals_of
from deepcritical.domain.text.spans import capitalised
from deepcritical.export.prose import study_name
from deepcritical.export.svg import Drawing, label, lines_of, path

_MOST = 4
_RATIOS = RATIOS - {"ratio"}
_DIFFERENCES = ("RD", "MD", "SMD")
_WIDTH, _LEFT, _RIGHT = 820, 304, 596
_NAMES, _PEOPLE, _FIGURES = 12, 284, 620
_HEAD, _ROW, _FOOT = 44, 30, 62
_SMALLEST, _LARGEST = 3.5, 9.0
"""Half the side of a square."""
_WIDEST = 4.0
"""Longest whisker, in median half-widths; a longer one is cut and ends in an arrow."""
_LOG_TICKS = tuple(m * 10.0**e for e in range(-3, 4) for m in (1, 2, 5))
_STEPS = tuple(m * 10.0**e for e in range(-4, 6) for m in (1, 2, 2.5, 5))
_MOST_TICKS = 6


class _Line(NamedTuple):
    """An estimate with its interval, as it stands in the plot."""

    name: str
    people: int | None
    value: float
    low: float
    high: float
    way: Way | None = None


class _Plot(NamedTuple):
    row: OutcomeRow
    measure: str
    unit: str
    lines: tuple[_Line, ...]
    pooled: PooledEffect | None

    @property
    def is_ratio(self) -> bool:
        return self.measure in _RATIOS

    @property
    def none(self) -> float:
        return 1.0 if self.is_ratio else 0.0

    @property
    def words(self) -> str:
        """Return the measure in words, with its unit."""
        named = capitalised(MEASURES[self.measure])
        return f"{named}, {self.unit}" if self.unit and not self.is_ratio else named


class _Scale:
    """Effects to units of the drawing; ratios by their logarithm."""

    def __init__(self, plot: _Plot) -> None:
        self.is_ratio, self.none = plot.is_ratio, plot.none
        lines = [tuple(map(self._place, line[2:5])) for line in plot.lines]
        reach = _WIDEST * statistics.median((high - low) / 2 for _, low, high in lines)
        ends = [0.0]
        for value, low, high in lines:
            ends += [max(low, value - reach), min(high, value + reach)]
        if plot.pooled:
            ends += [self._place(plot.pooled.ci_low), self._place(plot.pooled.ci_high)]
        margin = 0.06 * (max(ends) - min(ends)) or 1.0
        self.first, self.last = min(ends) - margin, max(ends) + margin

    def _place(self, effect: float) -> float:
        return math.log(effect) if self.is_ratio else effect

    def x(self, effect: float) -> float:
        """Return where an effect stands, which may be beyond the plot."""
        share = (self._place(effect) - self.first) / (self.last - self.first)
        return _LEFT + share * (_RIGHT - _LEFT)

    def ticks(self) -> list[float]:
        if self.is_ratio:
            low, high = math.exp(self.first), math.exp(self.last)
            if high / low > 4:
                fit = [tick for tick in _LOG_TICKS if low <= tick <= high]
                return fit[:: 1 + len(fit) // (_MOST_TICKS + 2)] if 1 not in fit else _round(fit)
        else:
            low, high = self.first, self.last
        step = next((s for s in _STEPS if (high - low) / s < _MOST_TICKS), high - low)
        return [step * n for n in range(math.ceil(low / step), math.floor(high / step) + 1)]


def draw_forests(report: ResearchReport) -> tuple[Drawing, ...]:
    """Return a plot for each outcome with two or more intervals of one measure, at most four."""
    ranked = weightiest_first(report.verdict.rows)
    plots = [plot for row in ranked if (plot := _plot(row, report))][:_MOST]
    drugs = report.drug_candidates
    drug = drugs[0].name if drugs else "the drug"
    return tuple(_drawn(plot, drug, f"forest-{n}") for n, plot in enumerate(plots, 1))


def _plot(row: OutcomeRow, report: ResearchReport) -> _Plot | None:
    groups: defaultdict[tuple[str, str], list[_Line]] = defaultdict(list)
    for effect in row.effects:
        measure = (effect.effect and effect.effect.measure) or ""
        if line := _line(effect, report):
            groups[measure, "" if measure in _RATIOS else effect.unit].append(line)
    if not groups:
        return None
    (shared, unit), lines = max(groups.items(), key=lambda group: len(group[1]))
    if len(lines) < 2:
        return None
    pooled = row.pooled if row.pooled and row.pooled.measure == shared else None
    return _Plot(row, shared, unit, tuple(lines), pooled)


def _line(found: RowEffect, report: ResearchReport) -> _Line | None:
    """The effect if it has an interval and a measure that can be drawn."""
    effect = found.effect
    if effect is None or effect.value is None or effect.ci_low is None or effect.ci_high is None:
        return None
    is_ratio = effect.measure in _RATIOS
    if not (is_ratio or effect.measure in _DIFFERENCES) or effect.ci_high <= effect.ci_low:
        return None
    if is_ratio and min(effect.value, effect.ci_low) <= 0:
        return None
    name = study_name(found.evidence_ids, report) or "Study"
    return _Line(name, found.people, effect.value, effect.ci_low, effect.ci_high, found.way)


def _drawn(plot: _Plot, drug: str, name: str) -> Drawing:
    scale = _Scale(plot)
    rows = len(plot.lines) + bool(plot.pooled)
    bottom = _HEAD + _ROW * rows
    body = [_heads(plot), _frame(scale, bottom)]
    body += [
        _study(line, scale, _HEAD + _ROW * (n + 0.5), half)
        for n, (line, half) in enumerate(zip(plot.lines, _sizes(plot, scale), strict=True))
    ]
    if plot.pooled:
        body.append(_pooled(plot.pooled, scale, bottom - _ROW / 2))
    row = plot.row
    given = f"{STOPPING}{drug}" if row.control == CONTINUED else drug
    body.append(_sides(plot, given, scale, bottom + 44))
    against = row.comparator or row.control or "placebo or no treatment"
    named = "" if against == NOT_STATED else f", against {against}"
    title = f"{row.outcome[:1].upper()}{row.outcome[1:]}{named}"
    said = f"{plot.words}. {'; '.join(_words(plot))}."
    return Drawing(name, title, said, _WIDTH, bottom + _FOOT, "".join(body))


def _heads(plot: _Plot) -> str:
    told = lines_of(f"{plot.words} (95 % CI)", 195, 2, 13)
    return "".join(
        (
            label(_NAMES, 24, ["Study"], bold=True, size=13),
            label(_PEOPLE, 24, ["People"], bold=True, size=13, anchor="end"),
            label(_FIGURES, 33 - 9 * len(told), told, bold=True, size=13),
        )
    )


def _frame(scale: _Scale, bottom: float) -> str:
    """The line of no effect, the axis and its ticks."""
    none = scale.x(scale.none)
    parts = [
        path(f"M{_NAMES} {_HEAD}H{_WIDTH - 12}", stroke="line", width=0.8),
        path(f"M{none:.1f} {_HEAD}V{bottom}", stroke="soft", width=1.2, dash="4 3"),
        path(f"M{_LEFT} {bottom}H{_RIGHT}", stroke="soft", width=1.2),
    ]
    for tick in scale.ticks():
        x = scale.x(tick)
        parts.append(path(f"M{x:.1f} {bottom}v5", stroke="soft", width=1.2))
        named = [f"{tick:g}".replace("-", "\u2212")]
        parts.append(label(x, bottom + 20, named, tone="soft", size=12, anchor="middle"))
    return "".join(parts)


def _sizes(plot: _Plot, scale: _Scale) -> list[float]:
    """Half the side of each square, whose area grows with the weight of the study."""
    weights = [(scale.x(line.high) - scale.x(line.low)) ** -2 for line in plot.lines]
    return [max(_SMALLEST, _LARGEST * math.sqrt(w / max(weights))) for w in weights]


def _study(line: _Line, scale: _Scale, y: float, half: float) -> str:
    x, low, high = (scale.x(effect) for effect in (line.value, line.low, line.high))
    left, right = max(low, _LEFT), min(high, _RIGHT)
    ends = f"M{left:.1f} {y:g}l7 -4v8z" * (low < _LEFT) + f"M{right:.1f} {y:g}l-7 -4v8z" * (
        high > _RIGHT
    )
    people = "–" if line.people is None else f"{line.people:,}"
    return "".join(
        (
            label(_NAMES, y + 4.5, lines_of(line.name, 220, 1, 13), size=13),
            label(_PEOPLE, y + 4.5, [people], tone="soft", size=13, anchor="end"),
            path(f"M{left:.1f} {y:g}H{right:.1f}", stroke="ink", width=1.4),
            path(ends, fill="ink") if ends else "",
            path(
                f"M{x - half:.1f} {y - half:.1f}h{2 * half:.1f}v{2 * half:.1f}h{-2 * half:.1f}z",
                fill="drug",
            ),
            label(_FIGURES, y + 4.5, [_figures(scale.none, *line[2:5])], size=13),
        )
    )


def _pooled(pooled: PooledEffect, scale: _Scale, y: float) -> str:
    x, low, high = (scale.x(e) for e in (pooled.value, pooled.ci_low, pooled.ci_high))
    shape = f"M{low:.1f} {y:g}L{x:.1f} {y - 8:g}L{high:.1f} {y:g}L{x:.1f} {y + 8:g}z"
    told = f"Together (I² {pooled.i2:.0f} %)"
    figures = _figures(scale.none, pooled.value, pooled.ci_low, pooled.ci_high)
    return "".join(
        (
            path(f"M{_NAMES} {y - _ROW / 2:g}H{_WIDTH - 12}", stroke="line", width=0.8),
            label(_NAMES, y + 4.5, [told], bold=True, size=13),
            path(shape, fill="drug"),
            label(_FIGURES, y + 4.5, [figures], bold=True, size=13),
        )
    )


def _sides(plot: _Plot, drug: str, scale: _Scale, y: float) -> str:
    """Return the label of the side that is better for patients, if the studies agree on one."""
    none = plot.none
    better = {
        (line.value < none) == (line.way is Way.BENEFIT)
        for line in plot.lines
        if line.way in (Way.BENEFIT, Way.HARM) and line.value != none
    }
    if len(better) != 1:
        return ""
    x = min(max(scale.x(none), _LEFT + 90), _RIGHT - 90)
    left, right = f"← better with {drug}", f"better without {drug} →"
    if better == {False}:
        left, right = f"← better without {drug}", f"better with {drug} →"
    return label(x - 10, y, [left], tone="soft", size=12, anchor="end") + label(
        x + 10, y, [right], tone="soft", size=12
    )


def _figures(none: float, *estimate: float) -> str:
    """Return an estimate and its limits, each on its side of no effect."""
    value, low, high = (_number(x, none) for x in estimate)
    return f"{value} ({low} to {high})"


def _number(value: float, none: float) -> str:
    digits = decimals_of(value, none, 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0)
    return f"{value:,.{digits}f}".replace("-", "\u2212")


def _words(plot: _Plot) -> Iterator[str]:
    for line in plot.lines:
        yield f"{line.name}: {_figures(plot.none, *line[2:5])}"
    if plot.pooled:
        pooled = plot.pooled
        told = _figures(plot.none, pooled.value, pooled.ci_low, pooled.ci_high)
        yield f"{pooled.studies} studies together: {told}, I² {pooled.i2:.0f} %"


def _round(ticks: Sequence[float]) -> list[float]:
    """Every second, third, … of the ticks around 1, so that few enough are left."""
    every = 1 + len(ticks) // (_MOST_TICKS + 2)
    return [tick for n, tick in enumerate(ticks) if (n - ticks.index(1)) % every == 0]
