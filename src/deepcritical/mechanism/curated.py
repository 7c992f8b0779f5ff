"""Builds mechanism edges from curated sources: drug to target, target to disease.

Each edge rests on the line that the source's record holds, so that it is cited like any other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from deepcritical.domain.appraisal.hypotheses import EdgeSide
from deepcritical.domain.evidence.drug_facts import (
    Association,
    CuratedFact,
    DrugFacts,
    DrugTarget,
    fact_records,
    fact_span,
)
from deepcritical.domain.evidence.record import Evidence, Fact, FactRole
from deepcritical.domain.question.frame import Condition
from deepcritical.domain.text.spans import fold
from deepcritical.vocabulary.conditions import condition_named, is_kind_of
from deepcritical.vocabulary.nodes import vocabulary

_LOWERS = frozenset(
    (
        "ALLOSTERIC ANTAGONIST, ANTAGONIST, ANTISENSE INHIBITOR, BLOCKER, DEGRADER, "
        "DISRUPTING AGENT, GATING INHIBITOR, HYDROLYTIC ENZYME, INHIBITOR, INVERSE AGONIST, "
        "NEGATIVE ALLOSTERIC MODULATOR, NEGATIVE MODULATOR, PROTEOLYTIC ENZYME, "
        "RNAI INHIBITOR, SEQUESTERING AGENT"
    ).split(", ")
)
_RAISES = frozenset(
    (
        "ACTIVATOR, AGONIST, EXOGENOUS GENE, EXOGENOUS PROTEIN, OPENER, PARTIAL AGONIST, "
        "POSITIVE ALLOSTERIC MODULATOR, POSITIVE MODULATOR, RELEASING AGENT, STABILISER"
    ).split(", ")
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
    """Return the effect of an action on its target's activity; `associated` if unknown."""
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
        targets = tuple(targets)
        meant: dict[str, dict[str, str]] = defaultdict(dict)
        for target in targets:
            for key in _keys(target) if target.symbol else ():
                meant[key].setdefault(fold(target.symbol), target.symbol)
        # A name that stands for several genes, as that of a family does, is none of them.
        self._symbols = {
            key: symbol
            for key, symbols in meant.items()
            if len(symbols) == 1
            for symbol in symbols.values()
        }
        self._by_id: dict[str, str] = {}
        for target in targets:
            for key in _ids(target):
                self._by_id.setdefault(key, target.target)
        self._own = {fold(self.of(t)): self.of(t) for t in targets}

    def of(self, target: DrugTarget) -> str:
        """The gene's symbol, or the target's name where no source gives one."""
        found = (self._symbols.get(key) for key in _keys(target))
        named = (self._by_id.get(key) for key in _ids(target))
        return target.symbol or next(filter(None, (*found, *named)), target.target)

    def known(self, name: str) -> str:
        """The target that a name means; '' where it is none."""
        return self._own.get(fold(self._symbols.get(fold(name), name)), "")


def _keys(target: DrugTarget) -> tuple[str, ...]:
    """By what a target is found to be that of another source."""
    names = (target.symbol, target.target, _acted_on(target))
    return (*(fold(name) for name in names if name), *_ids(target))


def _ids(target: DrugTarget) -> tuple[str, ...]:
    """Its ids, and the protein of UniProt that has its name."""
    named = _proteins().get(fold(target.target), "")
    return (*target.ids, *((named,) if named else ()))


@cache
def _proteins() -> Mapping[str, str]:
    """Ids of proteins by their names; a name of several proteins is left out."""
    found: dict[str, set[str]] = defaultdict(set)
    for node in vocabulary().nodes:
        if node.id.startswith("UniProt:"):
            for name in node.names:
                found[fold(name)].add(node.id)
    return {name: next(iter(ids)) for name, ids in found.items() if len(ids) == 1}


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
