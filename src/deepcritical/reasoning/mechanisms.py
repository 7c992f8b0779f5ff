"""Builds mechanism chains out of the relations of all records."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import pairwise

from deepcritical.domain.abbreviations import expand_abbreviations
from deepcritical.domain.evidence import Evidence, Fact
from deepcritical.domain.hypotheses import (
    Edge,
    MechanismHypothesis,
    Relation,
    Sign,
    chain_confidence,
)
from deepcritical.domain.question import Condition, Drug
from deepcritical.questions.searching import edge_query
from deepcritical.reasoning.relations import RecordRelations, record_relations
from deepcritical.vocabulary.nodes import vocabulary

__all__ = ["build_hypotheses"]

MAX_CHAINS = 5

_Edges = Mapping[tuple[str, str], Mapping[Sign, tuple[Fact, ...]]]


class _Names:
    """One name for each molecule across records.

    The vocabulary's, or else the abbreviation that papers use.
    """

    def __init__(self, records: Iterable[Evidence]) -> None:
        self._known: dict[str, str] = {}
        for record in records:
            for short, long in expand_abbreviations(
                f"{record.citation.title}\n{record.content}"
            ).items():
                self._known.setdefault(_key(short), self._vocabulary_name(long) or short)
                self._known.setdefault(_key(long), self._known[_key(short)])

    @staticmethod
    def _vocabulary_name(long: str) -> str | None:
        found = vocabulary().find(long)
        return found[0].node.name if found and found[0].text.strip() == long.strip() else None

    def one(self, name: str) -> str:
        """The common name; "X phosphorylation" keeps its process."""
        base, _, process = (
            name.rpartition(" ") if name.rpartition(" ")[2] in _PROCESSES else (name, "", "")
        )
        base = base.removeprefix("p-")
        common = self._known.get(_key(base), base).removeprefix("p-")
        return f"{common} {process}".strip()


_PROCESSES = ("aggregation", "phosphorylation", "degradation", "clearance", "pathology")


def _key(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()


def _collect(
    relations: Iterable[Relation],
    names: _Names,
    subject: str | None = None,
    target: str | None = None,
) -> _Edges:
    edges: dict[tuple[str, str], dict[Sign, dict[Fact, None]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    for relation in relations:
        ends = (subject or names.one(relation.subject), target or names.one(relation.object))
        if ends[0] != ends[1]:
            edges[ends][relation.sign][relation.fact] = None
    return {
        ends: {sign: tuple(facts) for sign, facts in signs.items()} for ends, signs in edges.items()
    }


def _majority(signs: Mapping[Sign, tuple[Fact, ...]]) -> Sign | None:
    """The sign with most facts; None when none leads."""
    ranked = sorted(signs, key=lambda sign: -len(signs[sign]))
    return (
        ranked[0]
        if ranked and (len(ranked) == 1 or len(signs[ranked[0]]) > len(signs[ranked[1]]))
        else None
    )


class _Graph:
    """All relations about one drug and one condition, joined over records."""

    def __init__(self, drug: Drug, condition: Condition, records: Mapping[str, Evidence]) -> None:
        self.drug, self.condition = drug.name, condition.name
        self.query = partial(edge_query, drug, condition)
        self.names = _Names(records.values())
        found: list[RecordRelations] = [
            record_relations(drug, condition, key, record) for key, record in records.items()
        ]
        of_drug = _collect((r for f in found for r in f.drug), self.names, subject=self.drug)
        self._edges: dict[tuple[str, str], Mapping[Sign, tuple[Fact, ...]]] = {
            **_collect(self._means(found, of_drug), self.names),
            **of_drug,
            **_collect((r for f in found for r in f.condition), self.names, target=self.condition),
        }

    def _means(self, found: Iterable[RecordRelations], of_drug: _Edges) -> Iterable[Relation]:
        """What a mediator itself does.

        It is the drug's effect, turned round when the drug lowers the mediator. Where no record
        says whether the drug raises or lowers the mediator, nothing is concluded.
        """
        for record in found:
            own = {self.names.one(r.object): r.sign for r in record.drug}
            for relation in record.means:
                mediator = self.names.one(relation.subject)
                sign = own.get(mediator) or _majority(of_drug.get((self.drug, mediator), {}))
                if sign in (Sign.INCREASES, Sign.DECREASES):
                    yield (
                        relation
                        if sign is Sign.INCREASES
                        else relation.model_copy(update={"sign": relation.sign.flipped})
                    )

    def edge(self, subject: str, target: str) -> Edge:
        """One edge with its facts; without facts when no record speaks of it."""
        facts = self._edges.get((subject, target), {})
        return Edge(
            subject=subject,
            object=target,
            increases=facts.get(Sign.INCREASES, ()),
            decreases=facts.get(Sign.DECREASES, ()),
            no_effect=facts.get(Sign.NO_EFFECT, ()),
        )

    @property
    def targets(self) -> list[str]:
        """What the drug acts on, most records first."""
        ends = [
            (end, {f.evidence_id for facts in signs.values() for f in facts})
            for (start, end), signs in self._edges.items()
            if start == self.drug
        ]
        return [end for end, _ in sorted(ends, key=lambda item: (-len(item[1]), item[0]))]

    def linked(self, node: str) -> bool:
        """Whether a record links the node to the condition."""
        return (node, self.condition) in self._edges

    def between(self, effect: str) -> list[str]:
        """Molecules through which the drug is said to act on an effect."""
        return [
            start
            for (start, end) in self._edges
            if end == effect and (self.drug, start) in self._edges and start != self.drug
        ]


def _chain(graph: _Graph, path: list[str], posed: bool) -> MechanismHypothesis:
    nodes = [graph.drug, *path, graph.condition]
    edges = tuple(graph.edge(a, b) for a, b in pairwise(nodes))
    return MechanismHypothesis(
        drug=graph.drug,
        target=path[0],
        pathway=path[1] if len(path) > 2 else None,
        effect=path[-1],
        condition=graph.condition,
        confidence=chain_confidence(edges),
        search_suggestions=tuple(
            graph.query(edge.subject, edge.object) for edge in edges if not edge.evidenced
        ),
        edges=edges,
        disputed=graph.edge(graph.drug, path[-1]).contradicted,
        posed_by_question=posed,
    )


def _paths(graph: _Graph) -> Iterable[list[str]]:
    """Paths from the drug to the condition, shown ones first.

    A target that leads nowhere is a path with a gap.
    """
    for effect in (target for target in graph.targets if graph.linked(target)):
        yield from ([mediator, effect] for mediator in graph.between(effect))
        yield [effect]
    for target in graph.targets:
        if not graph.linked(target):
            onward = [e for e in graph.targets if target in graph.between(e)]
            yield from [[target, effect] for effect in onward] or [[target]]


def _support(hypothesis: MechanismHypothesis) -> tuple[bool, int, int]:
    records = {fact.evidence_id for edge in hypothesis.edges for fact in edge.facts}
    return not hypothesis.complete, -len(records), len(hypothesis.edges)


def _posed(graph: _Graph, terms: Sequence[str]) -> Iterable[tuple[str, ...]]:
    """The paths that the question itself poses.

    From one term to the next first ("through AMPK and tau"), then through each term that no such
    path holds; a term that no record names is a node as it was written.
    """
    nodes = [_nodes_of(graph, term) for term in terms]
    pairs = [
        (first, second)
        for earlier, later in pairwise(nodes)
        for first in earlier
        for second in later
        if first in graph.between(second)
    ]
    yield from pairs
    for named in nodes:
        for node in named:
            if not any(node in pair for pair in pairs):
                onward = [e for e in graph.targets if node in graph.between(e) and graph.linked(e)]
                yield (node, onward[0]) if onward and not graph.linked(node) else (node,)


def _nodes_of(graph: _Graph, term: str) -> list[str]:
    common = graph.names.one(term)
    return [t for t in graph.targets if _key(common) in _key(t)] or [common]


def build_hypotheses(
    drug: Drug, condition: Condition, records: Mapping[str, Evidence], terms: Sequence[str] = ()
) -> tuple[MechanismHypothesis, ...]:
    """Chains from drug to condition: those that the question poses, then those of the records.

    The records' own chains come best supported first.

    Args:
        drug: The drug at the start of each chain.
        condition: The condition at its end.
        records: The records that may be used, by evidence id.
        terms: Targets or processes that the question names.
    """
    graph = _Graph(drug, condition, records)
    posed = [_chain(graph, list(path), posed=True) for path in dict.fromkeys(_posed(graph, terms))]
    paths = dict.fromkeys(tuple(path) for path in _paths(graph))
    found = sorted((_chain(graph, list(path), posed=False) for path in paths), key=_support)
    fresh = [h for h in found if h.nodes not in {p.nodes for p in posed}]
    return (*posed, *fresh[: max(0, MAX_CHAINS - len(posed))])
