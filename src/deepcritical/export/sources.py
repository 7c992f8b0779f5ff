"""Collects the references with their texts, and the records behind each mechanism edge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from deepcritical.domain.appraisal.evidence_table import EvidenceRow
from deepcritical.domain.report.answer import Document
from deepcritical.domain.report.parts import Claim, Reference
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.text.markdown import visible
from deepcritical.export.mechanism_graph import TONES, EdgeSign, GraphEdge, mechanism_graph
from deepcritical.export.svg import Tone


class Passage(NamedTuple):
    """A stretch of a record's text; `used` where a sentence of the report rests on it."""

    text: str
    used: bool


class Source(NamedTuple):
    """The source behind a citation chip."""

    number: int
    reference: Reference
    row: EvidenceRow | None
    """None for a reference that was not graded."""
    passages: tuple[Passage, ...]

    @property
    def quotes(self) -> tuple[str, ...]:
        """The passages that the report uses."""
        return tuple(passage.text for passage in self.passages if passage.used)


class _Side(NamedTuple):
    sign: EdgeSign
    tone: Tone
    sources: tuple[Source, ...]


class EdgeSource(NamedTuple):
    """The source behind an edge of the mechanism."""

    number: int
    """Its place among the edges of the graph, from 1."""
    edge: GraphEdge
    sides: tuple[_Side, ...]

    def quotes(self, source: Source) -> list[str]:
        """The passages of a record that name both ends."""
        ends = (self.edge.subject.lower(), self.edge.object.lower())
        return [text for text in source.quotes if all(end in text.lower() for end in ends)]


def sources_of(document: Document) -> tuple[Source, ...]:
    """Every reference with its row of the evidence table and its text."""
    rows = {row.evidence_id: row for row in document.evidence_table}
    return tuple(
        Source(n, r, rows.get(r.evidence_id), passages(r, document.claims))
        for n, r in enumerate(document.references, 1)
    )


def edge_sources(report: ResearchReport, sources: Sequence[Source]) -> tuple[EdgeSource, ...]:
    """Every edge of the mechanism graph with the records that speak of it."""
    edges = enumerate(mechanism_graph(report).edges, 1)
    return tuple(EdgeSource(n, edge, tuple(_sides(edge, sources))) for n, edge in edges)


def _sides(edge: GraphEdge, sources: Sequence[Source]) -> Iterator[_Side]:
    for sign, numbers in edge.sides.items():
        yield _Side(sign, TONES[sign], tuple(sources[n - 1] for n in numbers))


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
