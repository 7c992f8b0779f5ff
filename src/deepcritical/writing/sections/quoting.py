"""The parts of a report that are sentences of records: harms, mechanism, both sides, results.

`Citer` numbers the records that a document cites, and keeps the sentences that it takes from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from deepcritical.domain.appraisal.findings import Appraisal, Direction
from deepcritical.domain.appraisal.hypotheses import Edge, MechanismHypothesis, Sign
from deepcritical.domain.evidence.record import Fact, FactRole
from deepcritical.domain.question.frame import QuestionFrame
from deepcritical.domain.report.citation_validator import build_reference_from_evidence
from deepcritical.domain.report.parts import Claim, EdgeTested, HypothesisTested, Quoted, Reference
from deepcritical.domain.study.reading import StudyKind
from deepcritical.domain.text.markdown import escape_markdown
from deepcritical.reading.sentences import quoted
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.writing.sentences.told_harms import HarmsOf


class Citer:
    """Gives each record a number when it is first cited.

    Args:
        store: The run's store.
    """

    def __init__(self, store: EvidenceStore) -> None:
        self._store = store
        self._numbers: dict[str, int] = {}
        self._claims: dict[Claim, None] = {}

    def cite(self, ids: Iterable[str]) -> str:
        """Markers such as ``[1][3]``, in the order of their numbers."""
        numbers = sorted(
            self._numbers.setdefault(i, len(self._numbers) + 1) for i in dict.fromkeys(ids)
        )
        return "".join(f"[{number}]" for number in numbers)

    def claim(self, fact: Fact) -> Claim:
        """Cite a located sentence, and keep where it stands."""
        self.cite([fact.evidence_id])
        claim = Claim(
            sentence=escape_markdown(fact.quote),
            evidence_id=fact.evidence_id,
            quote=fact.quote,
            start=fact.start,
            end=fact.end,
            place=self._store.citable[fact.evidence_id].place_of(fact.start),
        )
        self._claims[claim] = None
        return claim

    @property
    def references(self) -> tuple[Reference, ...]:
        """The cited records in the order of their numbers."""
        citable = self._store.citable
        return tuple(build_reference_from_evidence(citable[i], i) for i in self._numbers)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Every kept sentence with its place in the evidence."""
        return tuple(self._claims)


AS_REPORTED = "As reported in the records found; not a safety assessment."
HARMS_UNREPORTED = (
    "No report of harms was recognised in the records found. That is not a sign of safety."
)
_FORMER = (
    "No record found here reports harms. That is a gap of this search, not a sign of safety.",
)
"""As reports of former versions say it."""
NO_CONTRADICTION = "No contradiction was recognised among the records."
SAME_RULES = "What the rules of the verdict would say, everything else being as it is."
STEADY = "No single study carries the verdict: without any one of them it is the same."
SET_PHRASES = (AS_REPORTED, HARMS_UNREPORTED, NO_CONTRADICTION, SAME_RULES, STEADY, *_FORMER)
"""The sentences of a report's sections that code always writes alike."""
_IN_OTHERS = "In people without the condition, with another one, or in animals"
_ELSEWHERE = "In other studies found"
"""Of those whose people were not read."""
_NO_EVIDENCE = "no evidence in the records found"
_LABORATORY: frozenset[StudyKind] = frozenset({"animal", "in_vitro"})
_MAX_SENTENCES = 4
_MOST_STEPS = 6
"""Sentences of one study on how things act."""
_SIDES = {
    Direction.SUPPORTS: "for",
    Direction.REFUTES: "against",
    Direction.MIXED: "both ways",
}


class Quoting(NamedTuple):
    """Collects the sentences on one drug and one condition."""

    store: EvidenceStore
    citer: Citer
    drug: str
    condition: str

    @property
    def _appraisals(self) -> Iterable[Appraisal]:
        return self.store.appraisals(self.drug).values()

    def _of(self, facts: Iterable[Fact], group: str = "") -> Quoted:
        return Quoted(group=group, claims=tuple(map(self.citer.claim, facts)))

    def keep_results(self) -> None:
        """Locate the sentences that the results of the studies rest on; they are not printed."""
        for appraisal in self._appraisals:
            if appraisal.counts:
                for fact in _leading(appraisal):
                    self.citer.claim(fact)

    def harms(self, *, several: bool, frame: QuestionFrame | None = None) -> Iterator[Quoted]:
        """Harms of the drug as the records report them, those in people with the condition first.

        Args:
            several: Whether the report is on several drugs, so that each must be named.
            frame: The question.
        """
        harms = HarmsOf(self.drug, frame)
        by_people: dict[str, list[Quoted]] = {"": [], _ELSEWHERE: [], _IN_OTHERS: []}
        for appraisal in self._appraisals:
            told = harms.all_in(appraisal, self.store.evidence[appraisal.evidence_id])
            if told and appraisal.counts:
                who = self._who(appraisal)
                named = ": ".join(filter(None, (self.drug if several else "", who)))
                by_people[who].append(self._of(told[:_MAX_SENTENCES], named))
        return (quoted for part in by_people.values() for quoted in part)

    def _who(self, appraisal: Appraisal) -> str:
        """Return the heading over those studied: others only where they were read as such."""
        reading = self.store.readings.get(appraisal.evidence_id)
        if appraisal.reading.direct:
            return ""
        if reading is None:
            return _ELSEWHERE
        are_animals = reading.population.species != "human" or {*reading.kinds} & _LABORATORY
        known = reading.population.conditions or appraisal.reading.votes
        related = all(v.directness == "related" for v in appraisal.reading.votes)
        return _IN_OTHERS if are_animals or (known and related) else _ELSEWHERE

    def sides(self) -> Iterator[Quoted]:
        """Studies of the condition for and against; none when they do not disagree."""
        direct = [s for s in self.store.studies(self.drug) if s.clinical and s.direct]
        found = {
            side: [i for s in direct if s.direction is side for i in s.deciding_ids]
            for side in _SIDES
        }
        both = found[Direction.SUPPORTS] and found[Direction.REFUTES]
        if not (both or found[Direction.MIXED]):
            return
        for side, told in _SIDES.items():
            for evidence_id in sorted(found[side], key=self._by_strength):
                if facts := _leading(self.store.appraisals(self.drug)[evidence_id]):
                    group = f"Does {self.drug} help in {self.condition}? Studies {told}"
                    yield self._of(facts, group)

    def _by_strength(self, evidence_id: str) -> tuple[int, int, float]:
        grade = self.store.appraisals(self.drug)[evidence_id].grade
        fits = self.store.relevance.get(evidence_id, 0.0)
        return grade.level or 9, -(grade.participants or 0), -fits

    def disputed(self) -> Iterator[Quoted]:
        """Edges on which records disagree, each side with a sentence of each record."""
        edges = {
            (edge.subject, edge.object): edge
            for hypothesis in self.store.hypotheses
            for edge in hypothesis.edges
            if edge.contradicted
        }
        for edge in edges.values():
            for sign, facts in _signs(edge):
                group = f"{edge.subject} → {edge.object}: {sign.value}"
                yield from (self._of([fact], group) for fact in _one_per_record(facts))

    def mechanism(self) -> Iterator[Quoted]:
        """Yield what curated sources hold, sentences behind the chains, other laboratory work."""
        used: dict[str, dict[int, Fact]] = {}
        for fact in (f for h in self.store.hypotheses for edge in h.edges for f in edge.facts):
            used.setdefault(fact.evidence_id, {})[fact.start] = fact
        own = {a.evidence_id: self._found(a) for a in self._appraisals if a.counts}
        for evidence_id in dict.fromkeys((*(i for i in used if i not in own), *own)):
            facts = own.get(evidence_id, {}) | used.get(evidence_id, {})
            if facts and (evidence_id in own or evidence_id not in self.store.evidence):
                yield self._of(facts[start] for start in sorted(facts))

    def _found(self, appraisal: Appraisal) -> dict[int, Fact]:
        """Return what a study found of how things act, and what laboratory work found at all."""
        key = appraisal.evidence_id
        reading, record = self.store.readings.get(key), self.store.evidence[key]
        steps = reading.mechanism if reading else ()
        spans = [span for step in steps for span in quoted(step.sentences, record)[:1]]
        facts = [Fact.of(span, key, FactRole.MECHANISM) for span in spans[:_MOST_STEPS]]
        return {fact.start: fact for fact in (*facts, *_preclinical(appraisal))}

    def tested(self) -> tuple[HypothesisTested, ...]:
        """The chains with the evidence on each edge."""
        return tuple(
            HypothesisTested(
                chain=h.nodes,
                prediction=self._prediction(h),
                confidence=h.confidence,
                complete=h.complete,
                reaches=h.reaches,
                edges=tuple(self._edge(edge) for edge in h.edges),
            )
            for h in self.store.hypotheses
        )

    def _edge(self, edge: Edge) -> EdgeTested:
        self.citer.cite(fact.evidence_id for fact in edge.facts)
        return EdgeTested(
            subject=edge.subject,
            object=edge.object,
            finding=edge_words(edge) or _NO_EVIDENCE,
            evidence_ids=_records(edge.facts),
            increases=_records(edge.increases),
            decreases=_records(edge.decreases),
            no_effect=_records(edge.no_effect),
            associated=_records(edge.associated),
        )

    def _prediction(self, hypothesis: MechanismHypothesis) -> str:
        """Return what the edges together would let expect, if each of them is shown and signed."""
        weakest = f"its weakest edge is {_weakest(hypothesis)}"
        shown = hypothesis.reaches and hypothesis.complete and not hypothesis.proposed_by_model
        if not shown or hypothesis.disputed or hypothesis.expected_effect is None:
            return f"no prediction, for an edge is not shown or disputed; {weakest}"
        worse = hypothesis.expected_effect is Sign.INCREASES
        wrong = f" ({hypothesis.wrong_action})" if hypothesis.wrong_action else ""
        return (
            "on these records alone, "
            f"would be expected to {'worsen' if worse else 'lessen'} {self.condition}{wrong}; "
            f"{weakest}"
        )


def _leading(appraisal: Appraisal) -> list[Fact]:
    """The first sentence for and the first against."""
    reading = appraisal.reading
    return list(dict.fromkeys((*reading.supporting[:1], *reading.refuting[:1])))


def _weakest(hypothesis: MechanismHypothesis) -> str:
    edge = hypothesis.weakest_edge
    return f"{edge.subject} → {edge.object}" if edge else "none"


def _preclinical(appraisal: Appraisal) -> list[Fact]:
    """Return what an animal or cell study, or an opinion, found both ways, and its conclusion."""
    if appraisal.grade.level != 5:
        return []
    reading = appraisal.reading
    ends = [f for f in reading.context if f.role in (FactRole.RESULT, FactRole.CONCLUSION)]
    return [*reading.supporting[:_MAX_SENTENCES], *reading.refuting[:_MAX_SENTENCES], *ends[-1:]]


def edge_words(edge: Edge) -> str:
    """Return what records show of an edge: "increases but also decreases"; '' without evidence."""
    said = [sign.value for sign, _ in _signs(edge)]
    return " but also ".join(said) or ("is tied to" if edge.associated else "")


def _signs(edge: Edge) -> list[tuple[Sign, tuple[Fact, ...]]]:
    sides = (
        (Sign.INCREASES, edge.increases),
        (Sign.DECREASES, edge.decreases),
        (Sign.NO_EFFECT, edge.no_effect),
    )
    return [(sign, facts) for sign, facts in sides if facts]


def _records(facts: Iterable[Fact]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f.evidence_id for f in facts))


def _one_per_record(facts: Iterable[Fact]) -> list[Fact]:
    """The shortest sentence of each record: the one that says it most directly."""
    chosen: dict[str, Fact] = {}
    for fact in facts:
        shorter = chosen.get(fact.evidence_id)
        if shorter is None or len(fact.quote) < len(shorter.quote):
            chosen[fact.evidence_id] = fact
    return list(chosen.values())
