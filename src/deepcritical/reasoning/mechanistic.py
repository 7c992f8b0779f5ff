"""The mechanistic part of a report: chains with their edges, what records say, disputed edges."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from deepcritical.domain.appraisal import Appraisal
from deepcritical.domain.evidence import Fact, FactRole
from deepcritical.domain.hypotheses import Edge, MechanismHypothesis, Sign
from deepcritical.domain.markdown import escape_markdown
from deepcritical.domain.report_parts import EdgeTested, HypothesisTested
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.writing.citing import Citer

__all__ = ["MechanismSection"]

NO_EVIDENCE = "no evidence in the records found"
_MAX_SENTENCES = 4


@dataclass(frozen=True)
class MechanismSection:
    """Writes how one drug could act on one condition."""

    store: EvidenceStore
    citer: Citer
    drug: str
    condition: str

    def mechanistic(self) -> str:
        """The sentences behind the chains, and what else animal and cell studies say."""
        used: dict[str, dict[int, Fact]] = {}
        for fact in (f for h in self.store.hypotheses for edge in h.edges for f in edge.facts):
            used.setdefault(fact.evidence_id, {})[fact.start] = fact
        appraisals = self.store.appraisals(self.drug).items()
        lines = [self._record(a, used.get(i, {})) for i, a in appraisals if a.counts]
        return (
            "\n".join(line for line in lines if line)
            or f"How {escape_markdown(self.drug)} acts was not recognised in the records."
        )

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
                edges=tuple(self._edge(edge) for edge in h.edges),
            )
            for h in self.store.hypotheses
        )

    def _edge(self, edge: Edge) -> EdgeTested:
        said = [
            f"{sign.value} {self.citer.cite(f.evidence_id for f in facts)}"
            for sign, facts in _sides(edge)
        ]
        return EdgeTested(
            subject=edge.subject,
            object=edge.object,
            finding=" but also ".join(said) if said else NO_EVIDENCE,
            evidence_ids=_records(edge.facts),
            increases=_records(edge.increases),
            decreases=_records(edge.decreases),
            no_effect=_records(edge.no_effect),
        )

    def _prediction(self, hypothesis: MechanismHypothesis) -> str:
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
