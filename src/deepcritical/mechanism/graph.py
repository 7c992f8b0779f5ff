"""Builds the graph of a drug's effects from curated facts and studies, and finds its chains."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise, product
from typing import NamedTuple

from deepcritical.domain.appraisal.hypotheses import (
    Edge,
    EdgeSide,
    MechanismHypothesis,
    chain_confidence,
)
from deepcritical.domain.evidence.drug_facts import DrugFacts
from deepcritical.domain.evidence.record import Evidence, Fact, FactRole
from deepcritical.domain.question.frame import Condition, Drug
from deepcritical.domain.study.reading import MechanismStatement, StudyReading
from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.spans import Span, addresses_a_model, fold
from deepcritical.mechanism.curated import curated_edges
from deepcritical.questions.searching import edge_query
from deepcritical.reading.sentences import numbered
from deepcritical.vocabulary.conditions import condition_named
from deepcritical.vocabulary.folding import key_of

_SIDES: Mapping[str, EdgeSide] = {
    "increases": "increases",
    "decreases": "decreases",
    "no_effect": "no_effect",
    "binds": "associated",
    "associated": "associated",
}
_MOST_CHARS = 80
"""Of a name; what is longer is a sentence and no node."""
_Pair = tuple[str, str]
_AMOUNT = bounded(
    r" (?:activity|concentrations?|expression|generation|levels?|load|production|protein|mRNA|"
    r"transcription)$"
)
"""Behind a molecule: how much there is of it, or how active it is."""
_WHERE = bounded(r"^(?:serum|plasma|circulating|brain) ", re.IGNORECASE)
_PHOSPHORYLATED = bounded(r"^(?:phosphorylated |phospho-?|p-)(?=\w)", re.IGNORECASE)
_NOT_A_WORD = bounded(r"[\W_]")
MOST_CHAINS = 5
_MOST_MEANT, _MOST_POSED = 3, 27
"""Nodes of one term of a question; ways through several terms that are looked at."""
_WORD = bounded(r"[^\w-]")
_MOST_ONWARD = 10
"""Steps from one node that chains follow, those of most records."""
_MOST_BETWEEN = 3
"""Names between drug and condition: target, pathway, effect."""
_Path = tuple[str, ...]


class Studied(NamedTuple):
    """A record and what was read of it."""

    evidence_id: str
    evidence: Evidence
    reading: StudyReading


class MechanismGraph:
    """Signed edges between drug, molecules, processes and condition, each with what it rests on."""

    def __init__(
        self,
        drug: Drug,
        condition: Condition,
        facts: Sequence[DrugFacts],
        studies: Sequence[Studied],
    ) -> None:
        self.drug, self.condition = drug, condition
        self._names: dict[str, str] = {}
        self._after: dict[str, tuple[str, ...]] = {}
        self._facts: dict[_Pair, dict[EdgeSide, dict[Fact, None]]] = defaultdict(
            lambda: defaultdict(dict)
        )
        self._drug_names = {fold(name) for name in drug.names}
        self._condition_names = {fold(name) for name in (condition.name, *condition.names)}
        self._known = condition_named(condition.name)
        self._told = [f"{one.evidence.citation.title} {one.evidence.content}" for one in studies]
        for edge in curated_edges(facts, drug.name, condition):
            self._add(edge.subject, edge.object, edge.side, edge.fact)
        for study in studies:
            told = numbered(study.evidence) if study.reading.mechanism else ()
            for statement in study.reading.mechanism:
                self._read(statement, study.evidence_id, told)

    def _read(self, statement: MechanismStatement, evidence_id: str, told: Sequence[Span]) -> None:
        named = (statement.subject, statement.object)
        if any(len(name) > _MOST_CHARS or addresses_a_model(name) for name in named):
            return
        # The title, at 0, stands in no text.
        number = next((n for n in statement.sentences if 0 < n < len(told)), None)
        if number is not None:
            fact = Fact.of(told[number], evidence_id, FactRole.MECHANISM)
            self._add(statement.subject, statement.object, _SIDES[statement.relation], fact)

    def _add(self, subject: str, object_: str, side: EdgeSide, fact: Fact) -> None:
        start, end = self._noted(subject), self._noted(object_)
        if start != end and self.drug.name != end and start != self.condition.name:
            self._facts[start, end][side][fact] = None

    def _noted(self, written: str) -> str:
        name = self.node(written)
        return self._names.setdefault(node_key(name), name)

    def node(self, written: str) -> str:
        """The name of the node that a writing means, whether or not the graph has it."""
        folded = fold(written)
        if folded in self._drug_names:
            return self.drug.name
        found = condition_named(written)
        if folded in self._condition_names or (found is not None and found == self._known):
            return self.condition.name
        return self._names.get(node_key(written), node_name(written))

    @property
    def nodes(self) -> tuple[str, ...]:
        """All names with an edge."""
        return tuple(dict.fromkeys(name for pair in self._facts for name in pair))

    @property
    def edges(self) -> Iterator[Edge]:
        """All edges, curated ones first."""
        return (self.edge(*pair) for pair in self._facts)

    def edge(self, subject: str, object_: str) -> Edge:
        """One edge with its facts; without facts where nothing is known of it."""
        sides = self._facts.get((subject, object_), {})
        return Edge(
            subject=subject, object=object_, **{side: tuple(facts) for side, facts in sides.items()}
        )

    @cached_property
    def _texts(self) -> list[str]:
        return [f" {key_of(told)} " for told in self._told]

    def knows(self, name: str) -> bool:
        """Say whether a name is a node or stands in a study's title or text; a sentence is none."""
        if name in self._names.values():
            return True
        odd = len(name) > _MOST_CHARS or addresses_a_model(name)
        return not odd and any(f" {key_of(name)} " in text for text in self._texts)

    def after(self, name: str) -> tuple[str, ...]:
        """Return the nodes that a node acts on or is associated with, most records first."""
        if name not in self._after:
            ends = [end for start, end in self._facts if start == name]
            ends.sort(key=lambda end: (-len(self.edge(name, end).records), end))
            self._after[name] = tuple(ends)
        return self._after[name]


def node_name(written: str) -> str:
    """The node that a name stands for: "X expression" is X, "p-X" is "X phosphorylation"."""
    name = " ".join(written.split())
    plain = _WHERE.sub("", _AMOUNT.sub("", name))
    if _PHOSPHORYLATED.match(plain):
        return f"{_PHOSPHORYLATED.sub('', plain)} phosphorylation"
    return plain or name


def node_key(written: str) -> str:
    """Return the key that all spellings of one node share."""
    return _NOT_A_WORD.sub("", node_name(written).casefold())


def chains_of(graph: MechanismGraph, terms: Sequence[str] = ()) -> tuple[MechanismHypothesis, ...]:
    """Chains that the question poses, then those of the graph, best supported first.

    A chain of the graph ends at an effect where nothing ties that to the condition.
    """
    posed = [_chain(graph, path, posed=True) for path in dict.fromkeys(_posed(graph, terms))]
    told = [chain.nodes for chain in posed]
    own = sorted((_chain(graph, path) for path in _paths(graph)), key=_support)
    fresh = [h for h in own if not any(nodes[: len(h.nodes)] == h.nodes for nodes in told)]
    return _first([*posed, *fresh], len(posed))


def proposed_chains(
    graph: MechanismGraph, chains: Sequence[MechanismHypothesis], proposed: Sequence[Sequence[str]]
) -> tuple[tuple[MechanismHypothesis, ...], int]:
    """The chains with those that a model proposes behind the posed ones, in its order.

    A step that nobody shows is told as its proposal, and is no gap that is searched for.

    Args:
        graph: What is known.
        chains: Those of `chains_of`.
        proposed: Names from the drug on; each a node of the graph, or a word of its studies.

    Returns:
        The chains, and how many proposals were dropped.
    """
    kept: list[MechanismHypothesis] = []
    for names in proposed[: 2 * MOST_CHAINS]:
        inner = [n for n in map(graph.node, names) if n != graph.drug.name]
        between = [name for name in dict.fromkeys(inner) if name != graph.condition.name]
        if 0 < len(between) <= _MOST_BETWEEN and all(map(graph.knows, between)):
            chain = _chain(graph, (*between, graph.condition.name))
            told = {} if chain.complete else {"proposed_by_model": True, "search_suggestions": ()}
            kept.append(chain.model_copy(update=told))
    posed = [h for h in chains if h.posed_by_question]
    rest = [h for h in chains if not h.posed_by_question]
    return _first([*posed, *kept, *rest], len(posed)), len(proposed) - len(kept)


def _first(chains: Sequence[MechanismHypothesis], posed: int) -> tuple[MechanismHypothesis, ...]:
    once: dict[_Path, MechanismHypothesis] = {}
    for chain in chains:
        once.setdefault(chain.nodes, chain)
    return tuple(once.values())[: max(MOST_CHAINS, posed)]


def _chain(graph: MechanismGraph, path: _Path, *, posed: bool = False) -> MechanismHypothesis:
    edges = tuple(graph.edge(a, b) for a, b in pairwise((graph.drug.name, *path)))
    inner = [name for name in path if name != graph.condition.name]
    reaches = path[-1] == graph.condition.name
    missing = () if reaches else (graph.edge(path[-1], graph.condition.name),)
    still_open = [e for e in (*edges, *missing) if not e.evidenced]
    return MechanismHypothesis(
        drug=graph.drug.name,
        target=inner[0],
        pathway=inner[1] if len(inner) > 2 else None,
        effect=inner[-1],
        condition=graph.condition.name,
        confidence=chain_confidence((*edges, *missing)),
        search_suggestions=tuple(
            edge_query(graph.drug, graph.condition, e.subject, e.object) for e in still_open
        ),
        edges=edges,
        disputed=graph.edge(graph.drug.name, inner[-1]).contradicted,
        posed_by_question=posed,
    )


def _paths(graph: MechanismGraph, path: _Path = ()) -> Iterator[_Path]:
    """Ways over known edges, up to the condition or to where nothing more is known."""
    condition = graph.condition.name
    seen = {graph.drug.name, *path}
    ends = [name for name in graph.after((graph.drug.name, *path)[-1]) if name not in seen]
    if condition in ends and path:
        yield (*path, condition)
    onward = [name for name in ends if name != condition] if len(path) < _MOST_BETWEEN else []
    for name in onward[:_MOST_ONWARD]:
        yield from _paths(graph, (*path, name))
    if path and not onward and condition not in ends:
        yield path


def _support(chain: MechanismHypothesis) -> tuple[bool, int, tuple[str, ...]]:
    records = {fact.evidence_id for edge in chain.edges for fact in edge.facts}
    return not chain.complete, -len(records), chain.nodes


def _posed(graph: MechanismGraph, terms: Sequence[str]) -> Iterator[_Path]:
    """The ways that the question poses: through all terms in turn, or through each alone.

    A term that no edge names is a node as it was written.
    """
    named = [_meant(graph, term) for term in terms]
    steps = list(product(*named))[:_MOST_POSED] if 1 < len(named) <= _MOST_BETWEEN else []
    ways = [way for way in steps if all(b in graph.after(a) for a, b in pairwise(way))]
    for way in ways:
        yield (*way, graph.condition.name)
    for name in (name for names in named for name in names):
        if not any(name in way for way in ways):
            yield (name, graph.condition.name)


def _meant(graph: MechanismGraph, term: str) -> tuple[str, ...]:
    """The nodes of a term: its own, and effects of the drug that name it, such as its processes."""
    own, key = graph.node(term), term.casefold()
    effects = graph.after(graph.drug.name)
    named = [e for e in effects if e != own and key in _WORD.split(e.casefold())]
    named.sort(key=lambda effect: not effect.casefold().startswith(key))
    known = [own] if own in graph.nodes else []
    return tuple([*known, *named][:_MOST_MEANT]) or (own,)
