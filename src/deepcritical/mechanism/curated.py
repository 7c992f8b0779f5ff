"""Edges from curated sources: what the drug does to its targets, and what these are tied to.

Each edge rests on the line that the source's record holds, so that it is cited like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from deepcritical.domain.drug_fact_records import fact_records, fact_span
from deepcritical.domain.drug_facts import Association, CuratedFact, DrugFacts, DrugTarget
from deepcritical.domain.evidence import Evidence, Fact, FactRole
from deepcritical.domain.hypotheses import EdgeSide
from deepcritical.domain.named import Condition
from deepcritical.domain.text import fold
from deepcritical.vocabulary.conditions import condition_named, is_kind_of

__all__ = ["CuratedEdge", "curated_edges", "side_of_action"]

_LOWERS = frozenset(
    (
        "ALLOSTERIC ANTAGONIST",
        "ANTAGONIST",
        "ANTISENSE INHIBITOR",
        "BLOCKER",
        "DEGRADER",
        "DISRUPTING AGENT",
        "GATING INHIBITOR",
        "HYDROLYTIC ENZYME",
        "INHIBITOR",
        "INVERSE AGONIST",
        "NEGATIVE ALLOSTERIC MODULATOR",
        "NEGATIVE MODULATOR",
        "PROTEOLYTIC ENZYME",
        "RNAI INHIBITOR",
        "SEQUESTERING AGENT",
    )
)
_RAISES = frozenset(
    (
        "ACTIVATOR",
        "AGONIST",
        "EXOGENOUS GENE",
        "EXOGENOUS PROTEIN",
        "OPENER",
        "PARTIAL AGONIST",
        "POSITIVE ALLOSTERIC MODULATOR",
        "POSITIVE MODULATOR",
        "RELEASING AGENT",
        "STABILISER",
    )
)
"""Action types of ChEMBL (table action_type) under their parent types: negative, positive."""
_RELATIONS: Mapping[str, EdgeSide] = {
    "inhibit": "decreases",
    "negative_correlate": "associated",
    "positive_correlate": "associated",
    "stimulate": "increases",
}
"""Relations of PubTator3 to a molecule; a correlation has no direction of cause."""


class CuratedEdge(NamedTuple):
    """An edge between two names, on the side on which a source puts it."""

    subject: str
    object: str
    side: EdgeSide
    fact: Fact


def side_of_action(action_type: str) -> EdgeSide:
    """What an action does to the activity of its target; `associated` where its type tells not."""
    action = " ".join(action_type.upper().split())
    return "decreases" if action in _LOWERS else "increases" if action in _RAISES else "associated"


def curated_edges(
    facts: Sequence[DrugFacts], drug: str, condition: Condition
) -> Iterator[CuratedEdge]:
    """The edges from a drug to its targets, and from these to a condition.

    Relations that a machine reads from papers (PubTator3) stand only on targets that curators name.
    """
    records = fact_records(facts)
    for own in (one for one in facts if fold(one.drug) == fold(drug)):
        names = _Names(own.targets)
        cited = _Cited(records, own.drug)
        for target in own.targets:
            if fact := cited.fact(target):
                side = side_of_action(target.action_type)
                yield CuratedEdge(drug, names.of(target), side, fact)
        for relation in own.relations:
            known = names.known(relation.object)
            if known and relation.kind in _RELATIONS and (fact := cited.fact(relation)):
                yield CuratedEdge(drug, known, _RELATIONS[relation.kind], fact)
        for association in _of_condition(own.associations, condition):
            if fact := cited.fact(association):
                name = names.known(association.symbol) or association.symbol
                yield CuratedEdge(name, condition.name, "associated", fact)


class _Cited(NamedTuple):
    records: Mapping[str, Evidence]
    drug: str

    def fact(self, fact: CuratedFact) -> Fact | None:
        """The line of the source's record that holds a fact; None where no record holds it."""
        found = fact_span(fact, self.drug, self.records)
        return Fact.of(found[1], found[0], FactRole.MECHANISM) if found else None


class _Names:
    """One name for a target that sources call by its gene, its protein or the drug's mechanism."""

    def __init__(self, targets: Iterable[DrugTarget]) -> None:
        self._symbols: dict[str, str] = {}
        for target in targets:
            if target.symbol:
                for name in (target.symbol, target.target, _acted_on(target)):
                    self._symbols.setdefault(fold(name), target.symbol)
        self._own = {fold(self.of(t)): self.of(t) for t in targets}

    def of(self, target: DrugTarget) -> str:
        """The gene's symbol, or the target's name where no source gives one."""
        keys = (target.symbol, target.target, _acted_on(target))
        found = (self._symbols.get(fold(key)) for key in keys if key)
        return next(filter(None, found), target.target)

    def known(self, name: str) -> str:
        """The target that a name means; '' where it is none."""
        return self._own.get(fold(self._symbols.get(fold(name), name)), "")


def _acted_on(target: DrugTarget) -> str:
    """The target in the words of its mechanism: "X inhibitor" acts on X."""
    return target.mechanism.casefold().removesuffix(target.action_type.casefold()).strip()


def _of_condition(
    associations: Iterable[Association], condition: Condition
) -> Iterator[Association]:
    """Those with the condition itself, or with a form of it."""
    known = condition_named(condition.name)
    names = {fold(name) for name in (condition.name, *condition.names)}
    for association in associations:
        found = condition_named(association.disease)
        same = fold(association.disease) in names
        if same or (known and found and (found == known or is_kind_of(found, known))):
            yield association
