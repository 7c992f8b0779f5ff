"""The report as HTML: a fragment for a page of ours, or a file that needs nothing else.

Citation chips are buttons of the browser's own popovers, so that neither needs a script.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, partial
from importlib.resources import files
from typing import NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined

from deepcritical.domain.answer import DeepAnswer
from deepcritical.domain.claim_appendix import claim_appendix
from deepcritical.domain.hypotheses_markdown import edge_evidence
from deepcritical.domain.markdown import visible
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.report_markdown import because, candidate_table, evidence_table
from deepcritical.domain.report_parts import Claim, Reference
from deepcritical.domain.search_log import search_log
from deepcritical.export.figures import FIGURES
from deepcritical.export.prose import to_html, to_inline_html
from deepcritical.export.svg import figure_style, inline

__all__ = ["answer_as_html", "as_html", "render_report", "stylesheet"]


class Passage(NamedTuple):
    """A stretch of a record's text; `used` where a sentence of the report rests on it."""

    text: str
    used: bool


class Source(NamedTuple):
    """What a citation chip opens."""

    reference: Reference
    passages: tuple[Passage, ...]


def as_html(report: ResearchReport) -> str:
    """The report as one HTML file that makes no request."""
    page = _templates().get_template("page.html")
    return page.render(
        title=visible(report.title), style=stylesheet(), report=render_report(report)
    )


def render_report(report: ResearchReport) -> str:
    """The report as an HTML fragment, to be shown under `stylesheet`."""
    references = report.references
    return (
        _templates()
        .get_template("report.html")
        .render(
            report=report,
            sources=[Source(r, passages(r, report.claims)) for r in references],
            because=because(report.verdict, references),
            searches=search_log(report.searches),
            candidates=candidate_table(report.drug_candidates, references).partition("\n\n")[2],
            evidence=evidence_table(report.evidence_table, references).partition("\n\n")[2],
            edges=edge_evidence(report.hypotheses_tested, report.evidence_table, references),
            claims=claim_appendix(report.claims, references, whole=True),
            figures={name: draw(report) for name, draw in FIGURES.items()},
            drawn=inline,
            prose=partial(to_html, references=references),
            inline=partial(to_inline_html, references=references),
        )
    )


def answer_as_html(answer: DeepAnswer) -> str:
    """The answer to a free question as one HTML file that makes no request."""
    references = answer.references
    shown = (
        _templates()
        .get_template("answer.html")
        .render(
            answer=answer,
            sources=[Source(r, passages(r, answer.claims)) for r in references],
            checklist=answer.checklist_table(),
            searches=search_log(answer.searches),
            evidence=evidence_table(answer.evidence_table, references).partition("\n\n")[2],
            prose=partial(to_html, references=references),
            inline=partial(to_inline_html, references=references),
        )
    )
    page = _templates().get_template("page.html")
    return page.render(title=visible(answer.question), style=stylesheet(), report=shown)


@cache
def stylesheet() -> str:
    """The style of a report; colours follow the `color-scheme` of the page."""
    style = (files(__package__) / "templates" / "report.css").read_text(encoding="utf-8")
    return f"{style}\n{figure_style()}"


def passages(reference: Reference, claims: Sequence[Claim]) -> tuple[Passage, ...]:
    """The record's text, cut where the quotes of the report's claims begin and end."""
    spans = {(c.start, c.end) for c in claims if c.evidence_id == reference.evidence_id}
    # Of quotes that begin together the longest comes first and covers the others.
    return tuple(_cut(reference.text, sorted(spans, key=lambda span: (span[0], -span[1]))))


def _cut(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[Passage]:
    at = 0
    for start, end in spans:
        if start > at:
            yield Passage(visible(text[at:start]), used=False)
        if end > at:
            yield Passage(visible(text[max(start, at) : end]), used=True)
        at = max(at, end)
    if at < len(text):
        yield Passage(visible(text[at:]), used=False)


@cache
def _templates() -> Environment:
    templates = Environment(
        loader=PackageLoader("deepcritical.export"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters["visible"] = visible
    templates.filters["anchor"] = lambda title: re.sub(r"\W+", "-", title.lower()).strip("-")
    return templates
