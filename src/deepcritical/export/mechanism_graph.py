"""Joins the mechanism chains of a report into one graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

from deepcritical.domain.base import Model
from deepcritical.domain.report.parts import EdgeTested
from deepcritical.domain.report.report import ResearchReport
from deepcritical.export.svg import Tone

COLUMNS = ("Drug", "Target", "Pathway", "Process", "Disease")
_LAST = len(COLUMNS) - 1


class EdgeSign(StrEnum):
    """The sign of an edge by its records."""

    INCREASES = "increases"
    DECREASES = "decreases"
    NO_EFFECT = "does not change"
    ASSOCIATED = "is tied to"
    """Without a direction: binding, an association."""
    DISPUTED = "disputed"
    """Records disagree."""
    UNKNOWN = "no evidence"


TONES: dict[EdgeSign, Tone] = {
    EdgeSign.INCREASES: "good",
    EdgeSign.DECREASES: "bad",
    EdgeSign.NO_EFFECT: "soft",
    EdgeSign.ASSOCIATED: "ink",
    EdgeSign.DISPUTED: "mixed",
    EdgeSign.UNKNOWN: "soft",
}


class GraphNode(Model):
    """A name in a chain; one node, however many chains it is in."""

    name: str
    column: int
    """Place in `COLUMNS`, by the longest way from the drug."""


class GraphEdge(Model):
    """A step between two nodes, with the numbers of the references that speak of it."""

    subject: str
    object: str
    increases: tuple[int, ...] = ()
    decreases: tuple[int, ...] = ()
    no_effect: tuple[int, ...] = ()
    associated: tuple[int, ...] = ()
    sign: EdgeSign

    @property
    def sides(self) -> dict[EdgeSign, tuple[int, ...]]:
        """The references by what they say, without what none says."""
        told = {
            EdgeSign.INCREASES: self.increases,
            EdgeSign.DECREASES: self.decreases,
            EdgeSign.NO_EFFECT: self.no_effect,
            EdgeSign.ASSOCIATED: self.associated,
        }
        return {sign: numbers for sign, numbers in told.items() if numbers}


class MechanismGraph(Model):
    """Nodes and edges of all chains, in the order of the chains."""

    columns: tuple[str, ...] = COLUMNS
    nodes: tuple[GraphNode, ...] = ()
    edges: tuple[GraphEdge, ...] = ()


def mechanism_graph(report: ResearchReport) -> MechanismGraph:
    """The graph of the hypotheses that the report tested."""
    edges = {
        (edge.subject, edge.object): edge
        for hypothesis in report.hypotheses_tested
        for edge in hypothesis.edges
        if edge.subject != edge.object
    }
    chains = [h.chain for h in report.hypotheses_tested if len(h.chain) > 1]
    reached = {h.chain[-1] for h in report.hypotheses_tested if h.chain and h.reaches}
    columns = _columns(edges, {c[0] for c in chains}, reached)
    numbers = {r.evidence_id: n for n, r in enumerate(report.references, 1)}
    return MechanismGraph(
        nodes=tuple(GraphNode(name=name, column=at) for name, at in columns.items()),
        edges=tuple(_edge(edge, numbers) for edge in edges.values()),
    )


def _edge(edge: EdgeTested, numbers: Mapping[str, int]) -> GraphEdge:
    made = GraphEdge(
        subject=edge.subject,
        object=edge.object,
        increases=_cited(edge.increases, numbers),
        decreases=_cited(edge.decreases, numbers),
        no_effect=_cited(edge.no_effect, numbers),
        associated=_cited(edge.associated, numbers),
        sign=EdgeSign.UNKNOWN,
    )
    said = [sign for sign in made.sides if sign is not EdgeSign.ASSOCIATED]
    tied = EdgeSign.ASSOCIATED if made.associated else EdgeSign.UNKNOWN
    sign = said[0] if len(said) == 1 else EdgeSign.DISPUTED if said else tied
    return made.model_copy(update={"sign": sign})


def _cited(ids: Iterable[str], numbers: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(sorted(numbers[i] for i in ids if i in numbers))


def _columns(
    edges: Iterable[tuple[str, str]], drugs: set[str], diseases: set[str]
) -> dict[str, int]:
    """The column of each name: drugs first, diseases last, the others by their longest way."""
    pairs = list(edges)
    columns = dict.fromkeys((name for pair in pairs for name in pair), 1)
    ends = {n: _LAST if n in diseases else 0 for n in columns if n in drugs or n in diseases}
    columns |= ends
    # As often as a way can be long; names on a circle stop at the last column but one.
    for _ in range(_LAST):
        for start, end in pairs:
            if end not in ends and start not in diseases:
                columns[end] = max(columns[end], min(columns[start] + 1, _LAST - 1))
    for name in columns:
        onward = {end for start, end in pairs if start == name}
        told_before = any(end == name and start not in drugs for start, end in pairs)
        if name not in ends and told_before and onward and onward <= diseases:
            columns[name] = _LAST - 1
    return columns
