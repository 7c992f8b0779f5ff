"""The mechanism chains of a report joined into one graph, as data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

from deepcritical.domain.base import Model
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.report_parts import EdgeTested

COLUMNS = ("Drug", "Target", "Pathway", "Process", "Disease")
_LAST = len(COLUMNS) - 1


class EdgeSign(StrEnum):
    """What the records say of an edge."""

    INCREASES = "increases"
    DECREASES = "decreases"
    NO_EFFECT = "does not change"
    ASSOCIATED = "is tied to"
    """Without a direction: binding, an association."""
    DISPUTED = "disputed"
    """Records disagree."""
    UNKNOWN = "no evidence"


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
    sides = {
        EdgeSign.INCREASES: _cited(edge.increases, numbers),
        EdgeSign.DECREASES: _cited(edge.decreases, numbers),
        EdgeSign.NO_EFFECT: _cited(edge.no_effect, numbers),
    }
    tied = _cited(edge.associated, numbers)
    said = [sign for sign, cited in sides.items() if cited]
    none = EdgeSign.ASSOCIATED if tied else EdgeSign.UNKNOWN
    sign = said[0] if len(said) == 1 else EdgeSign.DISPUTED if said else none
    return GraphEdge(
        subject=edge.subject,
        object=edge.object,
        increases=sides[EdgeSign.INCREASES],
        decreases=sides[EdgeSign.DECREASES],
        no_effect=sides[EdgeSign.NO_EFFECT],
        associated=tied,
        sign=sign,
    )


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
