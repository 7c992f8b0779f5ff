"""Mechanism hypotheses: drug -> target -> pathway -> effect -> disease.

Each edge carries the evidence on it.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from math import prod
from typing import Literal, get_args

from deepcritical.domain.base import Model, UnitInterval
from deepcritical.domain.evidence.record import Fact
from deepcritical.domain.question.question import SearchQuery


class Sign(StrEnum):
    """The sign of a relation: what its subject does to its object."""

    INCREASES = "increases"
    DECREASES = "decreases"
    NO_EFFECT = "does not change"

    @property
    def factor(self) -> int:
        """+1, -1 or 0, for multiplying along a path."""
        return {"increases": 1, "decreases": -1}.get(self.value, 0)


EdgeSide = Literal["increases", "decreases", "no_effect", "associated"]
"""The direction that a fact gives an edge; `associated` where it gives none."""


class Edge(Model):
    """One step of a chain, with everything the evidence says of it."""

    subject: str
    object: str
    increases: tuple[Fact, ...] = ()
    decreases: tuple[Fact, ...] = ()
    no_effect: tuple[Fact, ...] = ()
    associated: tuple[Fact, ...] = ()
    """That the two belong together, without a direction: binding, an association."""

    @property
    def facts(self) -> tuple[Fact, ...]:
        """All facts on the edge."""
        return tuple(fact for facts in self.sides.values() for fact in facts)

    @property
    def sides(self) -> dict[EdgeSide, tuple[Fact, ...]]:
        """The facts by what they say of the edge."""
        return {side: getattr(self, side) for side in get_args(EdgeSide)}

    def each(self, change: Callable[[tuple[Fact, ...]], tuple[Fact, ...]]) -> Edge:
        """The same edge with the facts of each side changed."""
        return self.model_copy(update={side: change(facts) for side, facts in self.sides.items()})

    def moved(self, current: Callable[[str], str]) -> Edge:
        """The same with each fact under the id that its record has by now."""
        return self.each(lambda facts: tuple(f.moved_to(current(f.evidence_id)) for f in facts))

    @property
    def records(self) -> frozenset[str]:
        """Evidence ids of the records that speak of the edge."""
        return frozenset(fact.evidence_id for fact in self.facts)

    @property
    def strength(self) -> tuple[bool, bool, int]:
        """For comparing edges: with evidence, of one voice, and by how many records."""
        return self.evidenced, not self.contradicted, len(self.records)

    @property
    def evidenced(self) -> bool:
        """Return whether any record speaks of the edge."""
        return bool(self.facts)

    @property
    def contradicted(self) -> bool:
        """Return whether records disagree on the edge; an association takes no side."""
        return sum(map(bool, (self.increases, self.decreases, self.no_effect))) > 1

    @property
    def sign(self) -> Sign | None:
        """The sign that all records on the edge agree on.

        None without evidence or when they disagree, for votes are no evidence.
        """
        if self.contradicted:
            return None
        told = zip(Sign, (self.increases, self.decreases, self.no_effect), strict=True)
        return next((sign for sign, facts in told if facts), None)


class MechanismHypothesis(Model):
    """A chain by which the drug could act on the condition."""

    drug: str
    target: str
    """The molecule that the drug acts on first."""
    pathway: str | None = None
    """What lies between target and effect; None when the records name nothing between."""
    effect: str
    """The change next to the disease."""
    condition: str = ""
    confidence: UnitInterval
    """0-0.5; see `chain_confidence`."""
    search_suggestions: tuple[SearchQuery, ...] = ()
    """Queries that would test the edges without evidence."""
    edges: tuple[Edge, ...] = ()
    """From drug to condition; empty for a chain that was proposed and not looked up yet."""
    disputed: bool = False
    """Whether records disagree on what the drug does to the effect, whatever the way there."""
    posed_by_question: bool = False
    proposed_by_model: bool = False
    """Whether a model proposed it, and a step is shown by no curated source and no record."""

    @property
    def nodes(self) -> tuple[str, ...]:
        """The names along the chain, from drug to condition."""
        if self.edges:
            return (self.edges[0].subject, *(edge.object for edge in self.edges))
        named = (self.drug, self.target, self.pathway, self.effect, self.condition)
        return tuple(name for name in named if name)

    @property
    def complete(self) -> bool:
        """Return whether every edge has evidence, up to the condition."""
        return self.reaches and all(edge.evidenced for edge in self.edges)

    @property
    def reaches(self) -> bool:
        """Return whether the chain ends at the condition, and not at an effect of the drug."""
        return bool(self.edges) and self.edges[-1].object == self.condition

    @property
    def weakest_edge(self) -> Edge | None:
        """The edge that the chain hangs on: without evidence, disputed, or of fewest records.

        The first of several; None for a chain that was not looked up yet.
        """
        return min(self.edges, key=lambda edge: edge.strength, default=None)

    @property
    def needed_action(self) -> Sign | None:
        """Return the action on the target that would lessen the condition, by the edges behind it.

        None when one of these has no clear sign.
        """
        return {1: Sign.DECREASES, -1: Sign.INCREASES}.get(_along(self.edges[1:]))

    @property
    def wrong_action(self) -> str:
        """Return the error in the chain's overall sign, in words; '' when there is none.

        A target that drives the condition needs an antagonist, one that guards against it an
        agonist: the drug that does the opposite is flagged, whatever the evidence on each edge.
        """
        proposed, needed = self.edges[0].sign if self.edges else None, self.needed_action
        if proposed not in _ACTION or needed is None or proposed is needed:
            return ""
        return (
            f"{_ACTION[proposed]} of {self.edges[0].object} is proposed where "
            f"{_ACTION[needed]} is needed"
        )

    @property
    def expected_effect(self) -> Sign | None:
        """Return the predicted effect on the condition; None when an edge has no clear sign."""
        factor = 0 if self.disputed or not self.reaches else _along(self.edges)
        return {1: Sign.INCREASES, -1: Sign.DECREASES}.get(factor)


def _along(edges: tuple[Edge, ...]) -> int:
    """+1 or -1 along a path; 0 where an edge has no clear sign, and without edges."""
    return prod(edge.sign.factor if edge.sign else 0 for edge in edges) if edges else 0


_ACTION = {Sign.INCREASES: "an agonist", Sign.DECREASES: "an antagonist"}
"""The pharmacological action of a drug on a target, by the sign of its effect."""


def chain_confidence(edges: tuple[Edge, ...]) -> float:
    """Half the share of edges with evidence, halved again for each edge on which records disagree.

    Rounded to 2 digits. Half, because a mechanism is OCEBM level 5: even a chain without a gap is
    no evidence that patients benefit.
    """
    share = sum(edge.evidenced for edge in edges) / len(edges)
    return round(0.5 * share * 0.5 ** sum(edge.contradicted for edge in edges), 2)
