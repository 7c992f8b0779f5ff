"""A graph of what a drug does, out of curated facts and of what the studies themselves found."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from deepcritical.domain.drug_facts import DrugFacts
from deepcritical.domain.evidence import Evidence, Fact, FactRole
from deepcritical.domain.hypotheses import Edge, EdgeSide
from deepcritical.domain.named import Condition, Drug
from deepcritical.domain.patterns import bounded
from deepcritical.domain.study import MechanismStatement, StudyReading
from deepcritical.domain.text import Span, addresses_a_model, fold
from deepcritical.mechanism.curated import curated_edges
from deepcritical.reading.sentences import numbered
from deepcritical.vocabulary.conditions import condition_named

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


class Studied(NamedTuple):
    """A record and what was read of it."""

    evidence_id: str
    evidence: Evidence
    reading: StudyReading


class MechanismGraph:
    """Signed edges between drug, molecules, processes and condition, each with what it rests on.

    Args:
        drug: Where chains begin.
        condition: Where they end.
        facts: What curated sources know of the drug.
        studies: The records that may be used, with their readings.
    """

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

    def after(self, name: str) -> tuple[str, ...]:
        """What a node acts on or is tied to, those of most records first."""
        if name not in self._after:
            ends = [end for start, end in self._facts if start == name]
            ends.sort(key=lambda end: (-len(self.edge(name, end).records), end))
            self._after[name] = tuple(ends)
        return self._after[name]


_AMOUNT = bounded(
    r" (?:activity|concentrations?|expression|generation|levels?|load|production|protein|mRNA|"
    r"transcription)$"
)
"""Behind a molecule: how much there is of it, or how active it is."""
_WHERE = bounded(r"^(?:serum|plasma|circulating|brain) ", re.IGNORECASE)
_PHOSPHORYLATED = bounded(r"^(?:phosphorylated |phospho-?|p-)(?=\w)", re.IGNORECASE)
_NOT_A_WORD = bounded(r"[\W_]")


def node_name(written: str) -> str:
    """The node that a name stands for: "X expression" is X, "p-X" is "X phosphorylation"."""
    name = " ".join(written.split())
    plain = _WHERE.sub("", _AMOUNT.sub("", name))
    if _PHOSPHORYLATED.match(plain):
        return f"{_PHOSPHORYLATED.sub('', plain)} phosphorylation"
    return plain or name


def node_key(written: str) -> str:
    """What two writings of one node have in common."""
    return _NOT_A_WORD.sub("", node_name(written).casefold())
