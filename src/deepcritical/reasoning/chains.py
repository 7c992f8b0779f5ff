"""Mechanism chains that a model proposes, joined with those that the rules find.

A name on a chain must stand in a record, in the question or in the vocabulary; a sentence on an
edge must name both ends. What records say of an edge is shown whoever found it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from deepcritical.answering.quoting import quoted_sentence
from deepcritical.domain.evidence import Evidence, Fact, FactRole
from deepcritical.domain.hypotheses import Edge, MechanismHypothesis, chain_confidence
from deepcritical.domain.orders import addresses_a_model
from deepcritical.domain.question import Condition, Drug
from deepcritical.domain.text import fold
from deepcritical.models.answers import Chain, Shown
from deepcritical.questions.searching import edge_query
from deepcritical.reasoning.names import ConditionNames, DrugNames
from deepcritical.reasoning.relation_cues import NO_EFFECT
from deepcritical.vocabulary.nodes import vocabulary

__all__ = ["joined_chains"]

MAX_CHAINS = 5
_MAX_NAME = 60
_MOST_SHOWN = 20
_Ends = tuple[str, str]
_SIDES = ("increases", "decreases", "no_effect")


def joined_chains(
    drug: Drug,
    condition: Condition,
    records: Mapping[str, Evidence],
    by_rule: Sequence[MechanismHypothesis],
    proposed: Sequence[Chain],
) -> tuple[tuple[MechanismHypothesis, ...], int]:
    """The chains of both, best supported first, and how many of the model's sentences were dropped.

    Args:
        drug: The drug at the start of each chain.
        condition: The condition at its end.
        records: The records that may be used, by evidence id.
        by_rule: The chains that the rules find; those that the question poses stay first.
        proposed: The model's chains.
    """
    joining = _Joining(drug, condition, records, by_rule)
    for chain in proposed[: 2 * MAX_CHAINS]:
        joining.propose(chain)
    return joining.chains(), joining.dropped


@dataclass
class _Joining:
    """Collects what is known of each edge, and the chains that run over them."""

    drug: Drug
    condition: Condition
    records: Mapping[str, Evidence]
    by_rule: Sequence[MechanismHypothesis]
    dropped: int = 0

    def __post_init__(self) -> None:
        self._text = fold(
            " ".join(f"{r.citation.title} {r.content}" for r in self.records.values())
        )
        self._facts: dict[_Ends, dict[str, dict[Fact, None]]] = {}
        self._paths: dict[tuple[str, ...], tuple[str, ...]] = {}
        for edge in (edge for h in self.by_rule for edge in h.edges):
            for side in _SIDES:
                for fact in getattr(edge, side):
                    self._add(edge.subject, edge.object, side, fact)

    def _add(self, subject: str, object_: str, side: str, fact: Fact) -> None:
        sides = self._facts.setdefault((fold(subject), fold(object_)), {s: {} for s in _SIDES})
        if not any(
            f.start == fact.start and f.evidence_id == fact.evidence_id for f in sides[side]
        ):
            sides[side][fact] = None

    def propose(self, chain: Chain) -> None:
        """Take a chain in, if every name on it is known."""
        between = [name for name in (chain.target, chain.pathway, chain.effect) if name.strip()]
        between = list(dict.fromkeys(" ".join(name.split()) for name in between))
        inner = [
            n for n in between if fold(n) not in (fold(self.drug.name), fold(self.condition.name))
        ]
        if not inner or not all(map(self._is_known, inner)):
            self.dropped += 1
            return
        nodes = (self.drug.name, *inner, self.condition.name)
        self._paths.setdefault(tuple(map(fold, nodes)), nodes)
        ends = {(self._key(s.subject), self._key(s.object)): s.shown_by for s in chain.steps}
        for subject, object_ in pairwise(nodes):
            for shown in ends.get((self._key(subject), self._key(object_)), [])[:_MOST_SHOWN]:
                self._show(subject, object_, shown)

    def _key(self, name: str) -> str:
        if DrugNames(self.drug, name).named(name):
            return fold(self.drug.name)
        named = ConditionNames(self.condition, name).named(name)
        return fold(self.condition.name) if named else fold(name)

    def _is_known(self, name: str) -> bool:
        if (
            len(name) > _MAX_NAME
            or addresses_a_model(name)
            or re.search(r"\d{4}|[:/@<>\[\]]", name)
        ):
            return False
        if re.search(rf"(?<!\w){re.escape(fold(name))}(?!\w)", self._text):
            return True
        return any(mention.text == name for mention in vocabulary().find(name))

    def _show(self, subject: str, object_: str, shown: Shown) -> None:
        record = self.records.get(shown.evidence_id)
        span = quoted_sentence(shown.quote, record) if record else None
        if (
            record is None
            or span is None
            or not all(self._names(end, span.text, record) for end in (subject, object_))
        ):
            self.dropped += 1
            return
        fact = Fact.of(span, shown.evidence_id, FactRole.MECHANISM)
        # What a sentence denies is no effect, whatever sign the model gives it.
        sign = "no_effect" if NO_EFFECT.search(span.text) else shown.sign
        self._add(subject, object_, sign, fact)

    def _names(self, end: str, sentence: str, record: Evidence) -> bool:
        text = f"{record.citation.title}\n{record.content}"
        if end == self.drug.name:
            return DrugNames(self.drug, text).named(sentence)
        if end == self.condition.name:
            return ConditionNames(self.condition, text).named(sentence)
        return fold(end) in fold(sentence)

    def chains(self) -> tuple[MechanismHypothesis, ...]:
        """All chains with everything that is known of their edges."""
        ruled = [self._renewed(h) for h in self.by_rule]
        known = {tuple(map(fold, h.nodes)) for h in ruled}
        new = [self._chain(nodes) for key, nodes in self._paths.items() if key not in known]
        posed = [h for h in ruled if h.posed_by_question]
        rest = [h for h in ruled if not h.posed_by_question] + new
        return (*posed, *sorted(rest, key=_support)[: max(0, MAX_CHAINS - len(posed))])

    def _edge(self, subject: str, object_: str) -> Edge:
        facts = self._facts.get((fold(subject), fold(object_)), {})
        sides = {side: tuple(facts.get(side, ())) for side in _SIDES}
        return Edge(subject=subject, object=object_, **sides)

    def _renewed(self, chain: MechanismHypothesis) -> MechanismHypothesis:
        edges = tuple(self._edge(edge.subject, edge.object) for edge in chain.edges)
        return chain.model_copy(update={"edges": edges, **self._of_edges(edges)})

    def _chain(self, nodes: tuple[str, ...]) -> MechanismHypothesis:
        edges = tuple(self._edge(a, b) for a, b in pairwise(nodes))
        inner = nodes[1:-1]
        return MechanismHypothesis(
            drug=nodes[0],
            target=inner[0],
            pathway=inner[1] if len(inner) > 2 else None,
            effect=inner[-1],
            condition=nodes[-1],
            edges=edges,
            disputed=self._edge(nodes[0], inner[-1]).contradicted,
            **self._of_edges(edges),
        )

    def _of_edges(self, edges: tuple[Edge, ...]) -> dict[str, Any]:
        """What follows from the edges: confidence, and queries for those without evidence."""
        return {
            "confidence": chain_confidence(edges),
            "search_suggestions": tuple(
                edge_query(self.drug, self.condition, e.subject, e.object)
                for e in edges
                if not e.evidenced
            ),
        }


def _support(hypothesis: MechanismHypothesis) -> tuple[bool, int, int]:
    records = {fact.evidence_id for edge in hypothesis.edges for fact in edge.facts}
    return not hypothesis.complete, -len(records), len(hypothesis.edges)
