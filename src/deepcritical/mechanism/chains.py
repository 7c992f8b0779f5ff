"""Chains from a drug to a condition over the graph: those asked about, then the best supported."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, product

from deepcritical.domain.hypotheses import MechanismHypothesis, chain_confidence
from deepcritical.domain.patterns import bounded
from deepcritical.mechanism.graph import MechanismGraph
from deepcritical.questions.searching import edge_query

MOST_CHAINS = 5
_MOST_MEANT, _MOST_POSED = 3, 27
"""Nodes of one term of a question; ways through several terms that are looked at."""
_WORD = bounded(r"[^\w-]")
_MOST_ONWARD = 10
"""Steps from one node that chains follow, those of most records."""
_MOST_BETWEEN = 3
"""Names between drug and condition: target, pathway, effect."""
_Path = tuple[str, ...]


def chains_of(graph: MechanismGraph, terms: Sequence[str] = ()) -> tuple[MechanismHypothesis, ...]:
    """Chains that the question poses, then those of the graph, best supported first.

    A chain of the graph ends at an effect where nothing ties that to the condition.

    Args:
        graph: What is known.
        terms: Targets or processes that the question names.
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

    Args:
        graph: What is known.
        chains: Those of `chains_of`.
        proposed: Names from the drug on; every one must be a node of the graph.

    Returns:
        The chains, and how many proposals were dropped.
    """
    kept: list[MechanismHypothesis] = []
    for names in proposed[: 2 * MOST_CHAINS]:
        inner = [n for n in map(graph.node, names) if n != graph.drug.name]
        between = [name for name in dict.fromkeys(inner) if name != graph.condition.name]
        if 0 < len(between) <= _MOST_BETWEEN and set(between) <= set(graph.nodes):
            kept.append(_chain(graph, (*between, graph.condition.name)))
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
