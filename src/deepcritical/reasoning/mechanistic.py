"""The mechanistic part of a report: targets, what studies found, chains, disputed edges."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from deepcritical.domain.appraisal import Appraisal
from deepcritical.domain.drug_fact_records import is_fact_record
from deepcritical.domain.evidence import Fact, FactRole
from deepcritical.domain.hypotheses import Edge, MechanismHypothesis, Sign
from deepcritical.domain.markdown import escape_markdown
from deepcritical.domain.question import ResearchQuestion
from deepcritical.domain.report_parts import EdgeTested, HypothesisTested
from deepcritical.mechanism.graph import MechanismGraph, Studied
from deepcritical.questions.searching import condition_of, drug_named
from deepcritical.reading.sentences import quoted
from deepcritical.reasoning.judging import best_drug
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.writing.citing import Citer

__all__ = ["MechanismSection", "graph_of"]

NO_EVIDENCE = "no evidence in the records found"
_MAX_SENTENCES = 4
_MOST_STEPS = 6
"""Sentences of one study on how things act."""


def graph_of(question: ResearchQuestion, store: EvidenceStore) -> MechanismGraph | None:
    """The graph of the drug asked about, or of the best candidate; None without any.

    Its studies are those that bear on the question and are not retracted.
    """
    name = best_drug(question, store)
    if name is None:
        return None
    studies = [
        Studied(a.evidence_id, store.evidence[a.evidence_id], reading)
        for a in store.appraisals(name).values()
        if a.counts and (reading := store.readings.get(a.evidence_id))
    ]
    drug = question.drug or drug_named(name)
    return MechanismGraph(drug, condition_of(question), store.drug_facts or (), studies)


@dataclass(frozen=True)
class MechanismSection:
    """Writes how one drug could act on one condition."""

    store: EvidenceStore
    citer: Citer
    drug: str
    condition: str

    def mechanistic(self) -> str:
        """What curated sources hold, the sentences behind the chains, and other laboratory work."""
        used: dict[str, dict[int, Fact]] = {}
        for fact in (f for h in self.store.hypotheses for edge in h.edges for f in edge.facts):
            used.setdefault(fact.evidence_id, {})[fact.start] = fact
        appraisals = self.store.appraisals(self.drug).items()
        curated = [self._curated(i, facts) for i, facts in used.items() if is_fact_record(i)]
        lines = [
            self._record(a, self._found(i) | used.get(i, {})) for i, a in appraisals if a.counts
        ]
        return (
            "\n".join(line for line in (*curated, *lines) if line)
            or f"How {escape_markdown(self.drug)} acts was not recognised in the records."
        )

    def _found(self, evidence_id: str) -> dict[int, Fact]:
        """What the study of a record found of how things act."""
        reading, record = self.store.readings.get(evidence_id), self.store.evidence[evidence_id]
        told = [quoted(step.sentences, record)[:1] for step in reading.mechanism] if reading else []
        facts = [Fact.of(span, evidence_id, FactRole.MECHANISM) for spans in told for span in spans]
        return {fact.start: fact for fact in facts[:_MOST_STEPS]}

    def _curated(self, record_id: str, facts: dict[int, Fact]) -> str:
        told = " ".join(self.citer.sentence(facts[start]) for start in sorted(facts))
        name = escape_markdown(self.store.citable[record_id].citation.title)
        return f"- **{name}**, {self.citer.source(record_id)}: {told}"

    def _record(self, appraisal: Appraisal, on_edges: dict[int, Fact]) -> str:
        facts = on_edges | {f.start: f for f in _preclinical(appraisal)}
        if not facts:
            return ""
        evidence_id = appraisal.evidence_id
        told = " ".join(self.citer.sentence(facts[start]) for start in sorted(facts))
        return (
            f"- **{self.citer.name(evidence_id)}** ({appraisal.grade.design.value}), "
            f"{self.citer.source(evidence_id)}: {told}"
        )

    def disputed(self) -> str:
        """Edges on which records disagree, each side with its sentences; '' without any."""
        edges = {
            (edge.subject, edge.object): edge
            for hypothesis in self.store.hypotheses
            for edge in hypothesis.edges
            if edge.contradicted
        }
        return "\n\n".join(self._disputed(edge) for edge in edges.values())

    def _disputed(self, edge: Edge) -> str:
        head = f"**{escape_markdown(edge.subject)} → {escape_markdown(edge.object)}**"
        lines = [
            f"- {sign.value.capitalize()}: "
            f"{' '.join(self.citer.sentence(f) for f in _one_per_record(facts))}"
            for sign, facts in _sides(edge)
        ]
        return "\n".join((head, "", *lines))

    def hypotheses(self) -> tuple[HypothesisTested, ...]:
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
        said = [
            f"{sign.value} {self.citer.cite(f.evidence_id for f in facts)}"
            for sign, facts in _sides(edge)
        ]
        if edge.associated and not said:
            said = [f"is tied to {self.citer.cite(f.evidence_id for f in edge.associated)}"]
        return EdgeTested(
            subject=edge.subject,
            object=edge.object,
            finding=" but also ".join(said) if said else NO_EVIDENCE,
            evidence_ids=_records(edge.facts),
            increases=_records(edge.increases),
            decreases=_records(edge.decreases),
            no_effect=_records(edge.no_effect),
            associated=_records(edge.associated),
        )

    def _prediction(self, hypothesis: MechanismHypothesis) -> str:
        if not hypothesis.reaches:
            return f"no record or curated source found ties {hypothesis.effect} to {self.condition}"
        if not hypothesis.complete:
            return (
                "no prediction: an edge has no evidence in the records found "
                f"({_weakest(hypothesis)})"
            )
        if hypothesis.disputed:
            return (
                f"no prediction: records disagree on whether {self.drug} raises or lowers "
                f"{hypothesis.effect}"
            )
        open_edge = next((e for e in hypothesis.edges if e.sign is None), None)
        if open_edge and not open_edge.contradicted:
            return (
                f"no prediction: {open_edge.subject} is tied to {open_edge.object}, and no source "
                "found says in which direction"
            )
        if hypothesis.expected_effect is None:
            return "no prediction: records disagree on an edge, or find no change"
        worse = hypothesis.expected_effect is Sign.INCREASES
        wrong = f" ({hypothesis.wrong_action})" if hypothesis.wrong_action else ""
        return (
            "on these records alone, "
            f"would be expected to {'worsen' if worse else 'lessen'} {self.condition}{wrong}; "
            f"its weakest edge is {_weakest(hypothesis)}"
        )


def _weakest(hypothesis: MechanismHypothesis) -> str:
    edge = hypothesis.weakest_edge
    return f"{edge.subject} → {edge.object}" if edge else "none"


def _preclinical(appraisal: Appraisal) -> list[Fact]:
    """What an animal or cell study, or an opinion, found both ways, and its conclusion."""
    if appraisal.grade.level != 5:
        return []
    reading = appraisal.reading
    ends = [f for f in reading.context if f.role in (FactRole.RESULT, FactRole.CONCLUSION)]
    return [*reading.supporting[:_MAX_SENTENCES], *reading.refuting[:_MAX_SENTENCES], *ends[-1:]]


def _sides(edge: Edge) -> list[tuple[Sign, tuple[Fact, ...]]]:
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
