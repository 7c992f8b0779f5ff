"""Renders a report or an answer as HTML: fragments for the page, or one self-contained file.

Citation chips and the arrows of chains are buttons of the browser's own popovers, so that neither
needs a script.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import cache, partial
from importlib.resources import files
from itertools import zip_longest
from typing import NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined

from deepcritical.domain.appraisal.evidence_table import phase_name
from deepcritical.domain.appraisal.findings import Direction
from deepcritical.domain.appraisal.verdict import Verdict
from deepcritical.domain.appraisal.votes import OutcomeRow
from deepcritical.domain.evidence.record import SOURCE_NAMES
from deepcritical.domain.report.answer import DeepAnswer, Document
from deepcritical.domain.report.brief import (
    COLUMNS,
    StudyRow,
    finding_cells,
    label_words,
    study_words,
    trial_words,
)
from deepcritical.domain.report.claims import is_quote
from deepcritical.domain.report.comparison import compare, outcome_words
from deepcritical.domain.report.grids import (
    Grid,
    candidates_grid,
    findings_grid,
    outcomes_grid,
    trials_of,
)
from deepcritical.domain.report.layout import Chains, Ledger, Part, parts_of
from deepcritical.domain.report.markdown import edge_evidence, evidence_table, search_log
from deepcritical.domain.report.parts import HypothesisTested
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.report.sentences import how_checked, numbers_of
from deepcritical.domain.text.markdown import visible
from deepcritical.export.figures import figures_of
from deepcritical.export.forest_figure import draw_forests
from deepcritical.export.mechanism_figure import draw_mechanism, edge_label, edge_words
from deepcritical.export.prisma_figure import draw_prisma
from deepcritical.export.prose import (
    chip,
    cited_html,
    study_name,
    to_html,
    to_inline_html,
    unbroken,
)
from deepcritical.export.sources import EdgeSource, Source, edge_sources, sources_of
from deepcritical.export.svg import Drawing, figure_style, inline
from deepcritical.export.timeline import draw_timeline, point_words, timeline, year_of
from deepcritical.export.typeset import Preview, preview_of

_KINDS = (
    ("", "all studies"),
    ("randomised", "randomised trials alone"),
    ("controlled", "controlled studies without randomisation alone"),
    ("direct", "studies of the people asked about alone"),
)
"""Parts of the evidence that a reader may restrict the verdict to, with their names."""


_STOP_CLASSES = {"efficacy": "lack of effect, or futility", "other": "another reason"}
"""In words, where the class itself says too little."""


class Step(NamedTuple):
    """A name in a chain, and the edge that leads on from it."""

    name: str
    edge: EdgeSource | None = None
    """None for the last name."""


def render_document(document: Document, *, alone: bool = False) -> str:
    """The report, or the answer, as an HTML fragment, to be shown under `stylesheet`.

    Without `alone`, search log, evidence table and the figures of mechanism and timeline are left
    out, which the page has in tabs of their own.
    """
    if isinstance(document, DeepAnswer):
        return _answer(document, alone=alone)
    return _report(document, alone=alone)


def render_brief(report: ResearchReport) -> str:
    """The brief of a report, with what its citations open, as an HTML fragment."""
    return f"{_report(report, alone=False, parts=())}{render_sources(report)}"


def render_sources(document: Document) -> str:
    """Return the sources that chips and arrows of the document open, as an HTML fragment."""
    sources = sources_of(document)
    edges = edge_sources(document, sources) if isinstance(document, ResearchReport) else ()
    return filled("sources.html", sources=sources, edges=edges)


def render_page(document: Document, preview: Preview | None = None, above: str = "") -> str:
    """The report, or the answer, as one HTML file that makes no request; a link shows `preview`.

    `above` is safe HTML that stands before it.
    """
    title = document.title if isinstance(document, ResearchReport) else document.question
    return filled(
        "page.html",
        title=visible(title),
        preview=preview,
        style=stylesheet(),
        shown=above + render_document(document, alone=True),
        sources=render_sources(document),
    )


def render_evidence(document: Document) -> str:
    """Every reference as a row to sort and to filter, and what was found and not used."""
    report = document if isinstance(document, ResearchReport) else None
    names = sorted({SOURCE_NAMES[r.source] for r in document.references})
    return filled(
        "evidence.html",
        sources=sources_of(document),
        source_names=[(name, name) for name in names],
        stances=any(row.stances for row in document.evidence_table),
        read=document.total_papers_reviewed
        if isinstance(document, ResearchReport)
        else document.records_read,
        prisma=report and report.prisma,
        flow=report and draw_prisma(report),
    )


def render_mechanism(report: ResearchReport) -> str:
    """The signed graph, and its edges as a table."""
    references = report.references
    edges = edge_evidence(report.hypotheses_tested, report.evidence_table, references)
    return filled(
        "mechanism.html",
        drawing=draw_mechanism(report),
        edges=edges,
        prose=partial(to_html, references=references),
    )


def render_trials(document: Document) -> str:
    """The registered trials, those that were stopped first."""
    words = {"phase_name": phase_name, "stop_words": _STOP_CLASSES}
    trials = trials_of(document.references, document.evidence_table)
    return filled("trials.html", trials=trials, **words)


def render_studies(
    report: ResearchReport,
    verdict: Verdict | None = None,
    left_out: Sequence[str] = (),
    tier: str = "",
    hinges: Sequence[tuple[Sequence[str], Verdict]] = (),
) -> str:
    """The studies, each to be left out, and the verdict on those that are left.

    Args:
        report: The report.
        verdict: On the studies that are left; None for that of the report.
        left_out: Evidence ids of the studies that do not count.
        tier: The one kind of results that counts; '' for all.
        hinges: Records of a single study, and the verdict without it, where that is another one.
    """
    shown = report if verdict is None else report.model_copy(update={"verdict": verdict})
    gone = frozenset(left_out)
    held = {i for study in report.studies for i in study.evidence_ids}
    return filled(
        "studies.html",
        rows=[row for row in report.study_table if held.intersection(row.evidence_ids)],
        left_out={row.evidence_ids[0] for row in report.study_table if gone & {*row.evidence_ids}},
        only=tier,
        kinds=_KINDS,
        changed=verdict is not None,
        verdict=shown.verdict,
        was=report.verdict,
        hinges=[(study_name(ids, report), ids, other) for ids, other in hinges],
        numbers={r.evidence_id: n for n, r in enumerate(report.references, 1)},
        chip=partial(chip, references=report.references),
        found=outcomes_grid(shown),
        words=partial(label_words, brief=report.brief),
        forests=draw_forests(shown),
    )


def render_timeline(report: ResearchReport) -> str:
    """The references by year and level, and the same as a list."""
    points = sorted(timeline(report), key=lambda p: (p.year is None, -(p.year or 0), p.number))
    return filled("timeline.html", drawing=draw_timeline(report), points=points)


def _report(report: ResearchReport, *, alone: bool, parts: Sequence[Part] | None = None) -> str:
    references = report.references
    if parts is None:
        parts = parts_of(report, "file" if alone else "page", figures_of(report))
    return filled(
        "report.html",
        report=report,
        parts=parts,
        findings=findings_grid(report),
        candidates=candidates_grid(report),
        shown=_Blocks(report, alone=alone),
        numbers=partial(numbers_of, references=references),
        **_words(report),
    )


def _words(document: Document) -> dict[str, object]:
    references = document.references
    return {
        "prose": partial(to_html, references=references),
        "inline": partial(to_inline_html, references=references),
        "told": partial(cited_html, references=references),
        "chip": partial(chip, references=references),
    }


class _Blocks:
    def __init__(self, report: ResearchReport, *, alone: bool) -> None:
        self.report, self.alone = report, alone
        self.sources: tuple[Source, ...] = sources_of(report)
        edges = edge_sources(report, self.sources)
        self.edges = {(e.edge.subject, e.edge.object): e for e in edges}
        self.words = _words(report)

    def __call__(self, block: object) -> str:
        match block:
            case str():
                return to_html(block, self.report.references)
            case Grid():
                cards = not (self.alone and block.sortable)
                sortable = block.sortable and not self.alone
                return filled(
                    "table.html", grid=block, cards=cards, sortable=sortable, **self.words
                )
            case Drawing():
                return filled("figure.html", drawing=block)
            case Chains(hypotheses, drug):
                chains = [(h, tuple(_steps(h, self.edges))) for h in hypotheses]
                return filled("chains.html", chains=chains, drug=drug)
            case Ledger():
                return filled("ledger.html", ledger=block, **self.words)
            case _:
                return filled("references.html", sources=self.sources)


def _steps(
    hypothesis: HypothesisTested, edges: dict[tuple[str, str], EdgeSource]
) -> Iterator[Step]:
    names: Sequence[str] = hypothesis.chain
    for name, after in zip_longest(names, names[1:]):
        yield Step(name, edges.get((name, after)) if after else None)


def _answer(answer: DeepAnswer, *, alone: bool) -> str:
    references = answer.references
    return filled(
        "answer.html",
        answer=answer,
        sources=sources_of(answer),
        alone=alone,
        checklist=answer.checklist_table(),
        searches=search_log(answer.searches),
        evidence=evidence_table(answer.evidence_table, references),
        **_words(answer),
    )


class Side(NamedTuple):
    """One of two runs that are compared."""

    run_id: str
    question: str
    ended_at: datetime
    document: Document

    @property
    def on(self) -> str:
        """Return when it ended, for the reader."""
        return f"{self.ended_at.astimezone(UTC):%-d %b %Y, %H:%M} UTC"

    @property
    def outcome(self) -> str:
        """Return its verdict with the certainty; of an answer what it comes to."""
        return outcome_words(self.document)

    @property
    def answer(self) -> str:
        """Return its answer in a sentence."""
        return preview_of(self.document).sentence

    def link(self, study: StudyRow) -> str:
        """Return the address of a study's first record; '' where none is safe to follow."""
        own = (r for r in self.document.references if r.evidence_id in study.evidence_ids)
        return next((r.link for r in own if r.link), "")

    def chips(self, study: StudyRow) -> str:
        """Return the buttons that open a study's records within the run, as safe HTML."""
        references = self.document.references
        return "".join(chip(n, references) for n in numbers_of(study.evidence_ids, references))


def render_comparison(first: Side, second: Side) -> str:
    """Return a page with two runs side by side; it needs no script and makes no request."""
    shown = filled(
        "compare.html",
        sides=(first, second),
        compared=compare(first.document, second.document),
        columns=COLUMNS[:2],
        names=lambda row: finding_cells(row)[:2],
        found=_found,
    )
    page = {"title": "Two runs side by side", "preview": None, "sources": ""}
    return filled("page.html", style=stylesheet(), shown=shown, **page)


def render_news(former: Side | None, now: Side) -> str:
    """Return what is new in a run that asks the question of a former one, as an HTML fragment.

    `former` is None for a run that was deleted.
    """
    compared = compare(former.document, now.document) if former else None
    return filled("news.html", former=former, now=now, compared=compared)


def _found(row: OutcomeRow) -> tuple[str, str]:
    """Return what was found with its certainty, and how many studies and people stand behind it."""
    _, _, _, result, certainty = finding_cells(row)
    counted = "1 study" if row.studies == 1 else f"{row.studies:,} studies"
    studies = "a review" if row.review and row.studies == 1 else counted
    people = f", {row.people:,} people" if row.people else ""
    return f"{result}, {certainty} certainty", f"{studies}{people}"


_SIGN_OF_DIRECTION = {
    Direction.SUPPORTS: "▲",
    Direction.REFUTES: "▼",
    Direction.MIXED: "◆",
    Direction.NONE: "○",
}
"""The shapes of the timeline, as characters."""
_SYMBOL_OF_CERTAINTY = {"high": "⊕⊕⊕⊕", "moderate": "⊕⊕⊕◯", "low": "⊕⊕◯◯", "very low": "⊕◯◯◯"}
"""As the GRADE working group prints them."""


def filled(name: str, **values: object) -> str:
    """The template of that name as safe HTML."""
    return _environment().get_template(name).render(**values)


@cache
def stylesheet() -> str:
    """The style of a report; colours follow the `color-scheme` of the page."""
    style = (files(__package__) / "templates" / "report.css").read_text(encoding="utf-8")
    return f"{style}\n{figure_style()}"


@cache
def _environment() -> Environment:
    templates = Environment(
        loader=PackageLoader("deepcritical.export"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters |= {
        "visible": lambda text: unbroken(visible(text)),
        "anchor": lambda title: re.sub(r"\W+", "-", title.lower()).strip("-"),
        "sign": _SIGN_OF_DIRECTION.__getitem__,
        "grade_symbol": _SYMBOL_OF_CERTAINTY.__getitem__,
        "source_name": SOURCE_NAMES.__getitem__,
    }
    words = (edge_label, edge_words, how_checked, is_quote, label_words, point_words, study_words)
    templates.globals |= {one.__name__: one for one in (*words, trial_words, year_of)}
    templates.globals["drawn"] = inline
    return templates
