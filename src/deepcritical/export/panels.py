"""What stands beside a report on the page, as HTML fragments.

Chips in them open what `deepcritical.export.html.render_sources` renders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from deepcritical.domain.documents import Document
from deepcritical.domain.evidence import SOURCE_NAMES
from deepcritical.domain.hypotheses_markdown import edge_evidence
from deepcritical.domain.report import ResearchReport
from deepcritical.export.formats import Format
from deepcritical.export.mechanism_figure import draw_mechanism
from deepcritical.export.prisma_figure import draw_prisma
from deepcritical.export.prose import to_html
from deepcritical.export.sources import sources_of
from deepcritical.export.svg import inline
from deepcritical.export.templating import filled
from deepcritical.export.timeline import timeline, year_of
from deepcritical.export.timeline_figure import draw_timeline, point_words
from deepcritical.export.trials import trials_of

__all__ = [
    "render_downloads",
    "render_evidence",
    "render_mechanism",
    "render_timeline",
    "render_trials",
]


def render_evidence(document: Document) -> str:
    """Every reference as a row to sort and to filter, and what was found and not used."""
    report = document if isinstance(document, ResearchReport) else None
    names = sorted({SOURCE_NAMES[r.source] for r in document.references})
    return filled(
        "evidence.html",
        sources=sources_of(document),
        source_names=[(name, name) for name in names],
        year_of=year_of,
        stances=any(row.stances for row in document.evidence_table),
        read=_records_read(document),
        prisma=report and report.prisma,
        flow=report and draw_prisma(report),
        drawn=inline,
    )


def render_mechanism(report: ResearchReport) -> str:
    """The signed graph, and its edges as a table."""
    references = report.references
    edges = edge_evidence(report.hypotheses_tested, report.evidence_table, references)
    return filled(
        "mechanism.html",
        drawing=draw_mechanism(report),
        edges=edges,
        drawn=inline,
        prose=partial(to_html, references=references),
    )


def render_trials(document: Document) -> str:
    """The registered trials, those that were stopped first."""
    return filled("trials.html", trials=trials_of(document))


def render_timeline(report: ResearchReport) -> str:
    """The references by year and level, and the same as a list."""
    points = sorted(timeline(report), key=lambda p: (p.year is None, -(p.year or 0), p.number))
    told: Callable[..., str] = point_words
    return filled(
        "timeline.html", drawing=draw_timeline(report), points=points, told=told, drawn=inline
    )


def render_downloads(folder: str, forms: Iterable[Format]) -> str:
    """The files that a run's result can be had as, from an address with the suffix behind it."""
    return filled("downloads.html", folder=folder, forms=forms)


def _records_read(document: Document) -> int:
    if isinstance(document, ResearchReport):
        return document.total_papers_reviewed
    return document.records_read
