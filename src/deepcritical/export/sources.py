"""The references with their texts, the trials among them, and the records behind each edge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from deepcritical.domain.answer import Document
from deepcritical.domain.evidence_table import EvidenceRow, phase_name
from deepcritical.domain.markdown import visible
from deepcritical.domain.record_kinds import STOPPED
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.report_parts import Claim, Reference
from deepcritical.export.mechanism_graph import TONES, EdgeSign, GraphEdge, mechanism_graph
from deepcritical.export.svg import Tone

_REGISTERS = ("clinicaltrials", "registry")
_RUNNING = {"RECRUITING", "ACTIVE_NOT_RECRUITING", "NOT_YET_RECRUITING", "ENROLLING_BY_INVITATION"}
_STOP_CLASSES = {
    "efficacy": "lack of effect, or futility",
    "safety": "safety",
    "business": "business",
    "enrolment": "enrolment",
    "other": "another reason",
}


class Passage(NamedTuple):
    """A stretch of a record's text; `used` where a sentence of the report rests on it."""

    text: str
    used: bool


class Source(NamedTuple):
    """What a citation chip opens."""

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
    """What an edge of the mechanism opens."""

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
