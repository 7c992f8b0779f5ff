"""The report as HTML: a fragment for a page of ours, or a file that needs nothing else.

Citation chips and the arrows of chains are buttons of the browser's own popovers, so that neither
needs a script.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import zip_longest
from typing import NamedTuple

from deepcritical.domain.answer import DeepAnswer
from deepcritical.domain.claim_appendix import claim_appendix
from deepcritical.domain.documents import Document
from deepcritical.domain.hypotheses_markdown import edge_evidence
from deepcritical.domain.markdown import visible
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.report_markdown import because, candidate_table, evidence_table
from deepcritical.domain.report_parts import HypothesisTested
from deepcritical.domain.search_log import search_log
from deepcritical.export.figures import FIGURES
from deepcritical.export.mechanism_figure import edge_label, edge_words
from deepcritical.export.prose import to_html, to_inline_html
from deepcritical.export.sides import contradiction_parts
from deepcritical.export.sources import EdgeSource, edge_sources, sources_of
from deepcritical.export.svg import inline
from deepcritical.export.templating import filled, stylesheet

__all__ = ["answer_as_html", "as_html", "render_document", "render_sources"]


class Step(NamedTuple):
    """A name in a chain, and the edge that leads on from it."""

    name: str
    edge: EdgeSource | None = None
    """None for the last name."""


def as_html(report: ResearchReport) -> str:
    """The report as one HTML file that makes no request."""
    return _page(report.title, report)


def answer_as_html(answer: DeepAnswer) -> str:
    """The answer to a free question as one HTML file that makes no request."""
    return _page(answer.question, answer)


def render_document(document: Document, *, alone: bool = False) -> str:
    """The report, or the answer, as an HTML fragment, to be shown under `stylesheet`.

    Args:
        document: What a run ended with.
        alone: Whether nothing stands beside it; else search log, evidence table and the figures of
            mechanism and timeline are left out, which the page has in tabs of their own.
    """
    if isinstance(document, DeepAnswer):
        return _answer(document, alone=alone)
    return _report(document, alone=alone)


def render_sources(document: Document) -> str:
    """What chips and arrows of the document open, as an HTML fragment."""
    sources = sources_of(document)
    edges = edge_sources(document, sources) if isinstance(document, ResearchReport) else ()
    return filled("sources.html", sources=sources, edges=edges, words=edge_words)


def _page(title: str, document: Document) -> str:
    return filled(
        "page.html",
        title=visible(title),
        style=stylesheet(),
        shown=render_document(document, alone=True),
        sources=render_sources(document),
    )


def _report(report: ResearchReport, *, alone: bool) -> str:
    references, rows = report.references, report.evidence_table
    sources = sources_of(report)
    edges = {(e.edge.subject, e.edge.object): e for e in edge_sources(report, sources)}
    return filled(
        "report.html",
        report=report,
        sources=sources,
        alone=alone,
        because=because(report.verdict, references),
        searches=search_log(report.searches),
        candidates=candidate_table(report.drug_candidates, references).partition("\n\n")[2],
        evidence=evidence_table(rows, references).partition("\n\n")[2],
        chains=[(h, tuple(_steps(h, edges))) for h in report.hypotheses_tested],
        edges=edge_evidence(report.hypotheses_tested, rows, references),
        edge_label=edge_label,
        edge_words=edge_words,
        contradictions=contradiction_parts(report.contradictions.content),
        claims=claim_appendix(report.claims, references, whole=True),
        figures={name: draw(report) for name, draw in FIGURES.items()},
        drawn=inline,
        prose=partial(to_html, references=references),
        inline=partial(to_inline_html, references=references),
    )


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
        evidence=evidence_table(answer.evidence_table, references).partition("\n\n")[2],
        prose=partial(to_html, references=references),
        inline=partial(to_inline_html, references=references),
    )
