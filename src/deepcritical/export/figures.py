"""The figures of a report by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from deepcritical.domain.report.report import ResearchReport
from deepcritical.export.forest_figure import draw_forests
from deepcritical.export.mechanism_figure import draw_mechanism
from deepcritical.export.prisma_figure import draw_prisma
from deepcritical.export.svg import Drawing
from deepcritical.export.timeline import draw_timeline

FIGURES: Mapping[str, Callable[[ResearchReport], Drawing]] = {
    "prisma": draw_prisma,
    "mechanism": draw_mechanism,
    "timeline": draw_timeline,
}
"""Each is a pure function: the same report gives the same drawing."""


def figures_of(report: ResearchReport) -> dict[str, tuple[Drawing, ...]]:
    """Return the figures that show something, as `domain.report.layout` places them."""
    drawn = {name: (draw(report),) for name, draw in FIGURES.items()}
    kept = {name: figure for name, figure in drawn.items() if not figure[0].empty}
    return kept | {"forest": draw_forests(report)}
