"""The figures of a report: each as a drawing, and all of them as data."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from types import MappingProxyType

from deepcritical.domain.report import ResearchReport
from deepcritical.export.mechanism_figure import draw_mechanism
from deepcritical.export.mechanism_graph import mechanism_graph
from deepcritical.export.prisma_figure import draw_prisma
from deepcritical.export.svg import Drawing
from deepcritical.export.timeline import timeline
from deepcritical.export.timeline_figure import draw_timeline

__all__ = ["FIGURES", "as_figures_json"]

FIGURES: Mapping[str, Callable[[ResearchReport], Drawing]] = MappingProxyType(
    {"prisma": draw_prisma, "mechanism": draw_mechanism, "timeline": draw_timeline}
)
"""By name. Each is a pure function: the same report gives the same drawing."""


def as_figures_json(report: ResearchReport) -> str:
    """What the figures show: counts, nodes and edges, points; null for unknown counts."""
    prisma = report.prisma
    data = {
        "prisma": prisma.model_dump(mode="json") if prisma else None,
        "mechanism": mechanism_graph(report).model_dump(mode="json"),
        "timeline": [point.model_dump(mode="json") for point in timeline(report)],
    }
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"
