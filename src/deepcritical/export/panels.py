"""What stands beside a report on the page, as HTML fragments.

Chips in them open what `deepcritical.export.html.render_sources` renders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

from deepcritical.domain.documents import Document
from deepcritical.domain.evidence_table import EvidenceRow, phase_name
from deepcritical.domain.hypotheses_markdown import edge_evidence
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.stop_reasons import STOPPED
from deepcritical.export.formats import Format
from deepcritical.export.mechanism_figure import draw_mechanism
from deepcritical.export.prisma_figure import draw_prisma
from deepcritical.export.prose import to_html
from deepcritical.export.sources import Source, sources_of
from deepcritical.export.svg import inline
from deepcritical.export.templating import SOURCE_NAMES, filled
from deepcritical.export.timeline import timeline, year_of
from deepcritical.export.timeline_figure import draw_timeline, point_words

__all__ = [
    "render_downloads",
    "render_evidence",
    "render_mechanism",
    "render_timeline",
    "render_trials",
    "trials_of",
]

_REGISTERS = ("clinicaltrials", "registry")
_RUNNING = {"RECRUITING", "ACTIVE_NOT_RECRUITING", "NOT_YET_RECRUITING", "ENROLLING_BY_INVITATION"}
_STOP_CLASSES = {
    "efficacy": "lack of effect, or futility",
    "safety": "safety",
    "business": "business",
    "enrolment": "enrolment",
    "other": "another reason",
}


class Trial(NamedTuple):
    """A registry entry among the references."""

    source: Source
    row: EvidenceRow
    stopped: bool
    running: bool
    phase: str
    stop_class: str
    """In words; '' for one that was not stopped."""
    others: tuple[Source, ...]
    """The other references to the same study."""


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


def trials_of(document: Document) -> tuple[Trial, ...]:
    """The registry entries among the references: stopped, then under way, then the others.

    A paper that carries the status of its trial stands in for an entry that is not among them.
    """
    sources = sources_of(document)
    by_id = {source.reference.evidence_id: source for source in sources}
    entries = {i for i, source in by_id.items() if source.reference.source in _REGISTERS}
    found = [_trial(s, s.row, by_id) for s in sources if s.row and _stands_for(s.row, entries)]
    return tuple(sorted(found, key=lambda t: (not t.stopped, not t.running, t.source.number)))


def _stands_for(row: EvidenceRow, entries: set[str]) -> bool:
    """Whether a record stands for its trial."""
    alone = not entries.intersection(row.same_study)
    return row.evidence_id in entries or (bool(row.status) and alone)


def _trial(source: Source, row: EvidenceRow, by_id: dict[str, Source]) -> Trial:
    return Trial(
        source,
        row,
        stopped=bool(row.why_stopped) or row.status in STOPPED,
        running=row.status in _RUNNING,
        phase=phase_name(row.phase),
        stop_class=_STOP_CLASSES[row.stop_class] if row.stop_class else "",
        others=tuple(by_id[i] for i in row.same_study if i in by_id),
    )


def _records_read(document: Document) -> int:
    if isinstance(document, ResearchReport):
        return document.total_papers_reviewed
    return document.records_read
