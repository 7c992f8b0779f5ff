"""The parts of a report on what was found: clinical, mechanistic, contradictory, on safety."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from deepcritical.domain.appraisal import Appraisal, Direction, StudyFinding
from deepcritical.domain.evidence import Fact, FactRole
from deepcritical.domain.hypotheses import Edge, MechanismHypothesis, Sign
from deepcritical.domain.markdown import escape_markdown, table
from deepcritical.domain.report_parts import EdgeTested, HypothesisTested
from deepcritical.reasoning.citing import Citer
from deepcritical.services.evidence_store import EvidenceStore

__all__ = ["Findings"]

NO_EVIDENCE = "no evidence in this snapshot"
_FINDING = {
    Direction.SUPPORTS: "favours",
    Direction.REFUTES: "no benefit, or harm",
    Direction.MIXED: "both ways",
    Direction.NONE: "no direction",
}
_MAX_SENTENCES = 3


class Findings:
    """Writes the sections on one drug and one condition.

    Args:
        store: The run's store.
        citer: Numbers the citations of the whole report.
        drug: Name of the drug.
        condition: Name of the condition.
    """

    def __init__(self, store: EvidenceStore, citer: Citer, drug: str, condition: str) -> None:
        self._store = store
        self._citer = citer
        self._drug = drug
        self._condition = condition
        self._appraisals = store.appraisals(drug)
        self._studies = store.studies(drug)

    def clinical(self) -> str:
        """Studies in people: of the condition itself, then related ones, then registered trials."""
        clinical = sorted((s for s in self._studies if s.clinical), key=self._order)
        direct = [s for s in clinical if s.direct]
        related = [s for s in clinical if not s.direct]
        parts = [
            self._group(f"Studies of {self._condition} itself", direct),
            self._group(
                "Related studies: another outcome, or a population without the condition", related
            ),
            self._trials(),
        ]
        return (
            "\n\n".join(part for part in parts if part)
            or f"No clinical study of {escape_markdown(self._drug)} "
            f"for {escape_markdown(self._condition)} was found."
        )

    def _order(self, study: StudyFinding) -> tuple[int, str, str]:
        date = max((self._store.evidence[i].citation.date for i in study.evidence_ids), default="")
        return (
            study.level or 9,
            "".join(chr(0x10FFFF - ord(c)) for c in date),
            study.evidence_ids[0],
        )

    def _group(self, title: str, studies: Sequence[StudyFinding]) -> str:
        if not studies:
            return ""
        rows = [self._row(study) for study in studies]
        header = ("Study", "Design", "OCEBM level", "Participants", "Finding", "Reference")
        told = [self._told(study) for study in studies]
        return f"### {escape_markdown(title)}\n\n{table(header, rows)}\n\n" + "\n".join(
            text for text in told if text
        )

    def _row(self, study: StudyFinding) -> tuple[str, ...]:
        main = self._main(study)
        grade = main.grade
        design = f"{grade.design.value}{' (read from the text)' if grade.from_text else ''}"
        several = "not about this drug alone" if not main.reading.about_drug else "not stated"
        size = f"{study.participants:,}" if study.participants else several
        return (
            self._citer.name(main.evidence_id),
            design,
            str(grade.level),
            size,
            _FINDING[study.direction],
            self._citer.cite(study.evidence_ids),
        )

    def _main(self, study: StudyFinding) -> Appraisal:
        ids = study.deciding_ids or study.evidence_ids
        return min(
            (self._appraisals[i] for i in ids), key=lambda a: (a.grade.level or 9, a.evidence_id)
        )

    def _told(self, study: StudyFinding) -> str:
        """What a study says, record by record.

        For a record without a direction, nothing but the reason for that.
        """
        lines = []
        for evidence_id in study.evidence_ids:
            reading = self._appraisals[evidence_id].reading
            told = dict.fromkeys(
                (*reading.supporting[:_MAX_SENTENCES], *reading.refuting[:_MAX_SENTENCES])
            )
            found = [self._citer.sentence(fact) for fact in sorted(told, key=lambda f: f.start)]
            lead = f"- **{self._citer.name(evidence_id)}**"
            if found:
                lines.append(f"{lead}, {self._citer.source(evidence_id)}: {' '.join(found)}")
            elif self._appraisals[evidence_id].clinical:
                shown = [
                    self._citer.sentence(f)
                    for f in reading.context
                    if f.role in (FactRole.RESULT, FactRole.CONCLUSION)
                ][:2]
                lines.append(
                    f"{lead}: {_capital(reading.remark)} {self._citer.cite([evidence_id])}."
                    + (
                        f" {self._citer.source(evidence_id).capitalize()}: {' '.join(shown)}"
                        if shown
                        else ""
                    )
                )
        return "\n".join(lines)

    def _trials(self) -> str:
        trials = [
            i
            for i in self._appraisals
            if self._appraisals[i].reading.included
            and self._store.evidence[i].metadata.kind == "trial"
        ]
        if not trials:
            return ""
        header = ("Trial", "Title", "Status", "Phase", "Enrolled", "Stopped because", "Reference")
        return (
            f"### Registered trials\n\n{table(header, [self._trial_row(i) for i in trials])}"
            + self._trial_notes(trials)
        )

    def _trial_row(self, evidence_id: str) -> tuple[str, ...]:
        record = self._store.evidence[evidence_id]
        meta = record.metadata
        size = (
            f"{meta.enrollment:,}"
            if meta.enrollment is not None
            else f"planned {meta.planned_enrollment:,}"
            if meta.planned_enrollment
            else ""
        )
        status = (meta.status or "not shown").replace("_", " ").lower()
        cells = (
            meta.nct_id or "",
            record.citation.title,
            status,
            (meta.phase or "").replace("PHASE", "Phase "),
            size,
            meta.why_stopped or "",
        )
        return (*map(escape_markdown, cells), self._citer.cite([evidence_id]))

    def _trial_notes(self, trials: Iterable[str]) -> str:
        notes = [
            f"- {self._citer.name(i)}: {escape_markdown(note.rstrip('.'))} {self._citer.cite([i])}."
            for i in trials
            if (note := self._store.evidence[i].metadata.note)
        ]
        return "\n\n" + "\n".join(notes) if notes else ""

    def mechanistic(self) -> str:
        """What the sentences behind the chains say, then what other animal and cell studies say."""
        used: dict[str, dict[int, Fact]] = {}
        for fact in (f for h in self._store.hypotheses for edge in h.edges for f in edge.facts):
            used.setdefault(fact.evidence_id, {})[fact.start] = fact
        lines = [
            self._mechanism_of(a, used.get(i, {})) for i, a in self._appraisals.items() if a.counts
        ]
        return (
            "\n".join(line for line in lines if line)
            or f"No record states how {escape_markdown(self._drug)} acts."
        )

    def _mechanism_of(self, appraisal: Appraisal, on_edges: dict[int, Fact]) -> str:
        """The sentences of one record behind the chains, in the record's order.

        For level 5, also what else it found.
        """
        reading = appraisal.reading
        others = [*reading.supporting, *reading.refuting] if appraisal.grade.level == 5 else []
        more = [f for f in others if f.start not in on_edges][:_MAX_SENTENCES]
        facts = sorted((*on_edges.values(), *more), key=lambda f: f.start)
        if not facts:
            return ""
        evidence_id = appraisal.evidence_id
        return (
            f"- **{self._citer.name(evidence_id)}** ({appraisal.grade.design.value}), "
            f"{self._citer.source(evidence_id)}: {' '.join(map(self._citer.sentence, facts))}"
        )

    def contradictions(self) -> str:
        """Both sides, side by side.

        Disputed edges of the chains come first, then clinical studies of the condition.
        """
        edges = {
            (e.subject, e.object): e
            for h in self._store.hypotheses
            for e in h.edges
            if e.contradicted
        }
        parts = [self._disputed(edge) for edge in edges.values()]
        direct = [s for s in self._studies if s.clinical and s.direct]
        sides = {
            d: [i for s in direct if s.direction is d for i in s.deciding_ids] for d in Direction
        }
        if sides[Direction.SUPPORTS] and (sides[Direction.REFUTES] or sides[Direction.MIXED]):
            parts.append(self._clinical_sides(sides))
        return "\n\n".join(parts) or "No contradiction was found among the records."

    def _disputed(self, edge: Edge) -> str:
        head = f"**{escape_markdown(edge.subject)} → {escape_markdown(edge.object)}**"
        sides = (
            (Sign.INCREASES, edge.increases),
            (Sign.DECREASES, edge.decreases),
            (Sign.NO_EFFECT, edge.no_effect),
        )
        lines = [
            f"- {sign.value.capitalize()}: "
            f"{' '.join(self._citer.sentence(f) for f in _one_per_record(facts))}"
            for sign, facts in sides
            if facts
        ]
        return "\n".join((head, "", *lines))

    def _clinical_sides(self, sides: dict[Direction, list[str]]) -> str:
        said = {
            Direction.SUPPORTS: "For",
            Direction.REFUTES: "Against",
            Direction.MIXED: "Both ways",
        }
        lines = [
            f"- {label}: "
            f"{', '.join(f'{self._citer.name(i)} {self._citer.cite([i])}' for i in sides[d])}."
            for d, label in said.items()
            if sides[d]
        ]
        return "\n".join(
            (
                f"**Does {escape_markdown(self._drug)} help "
                f"in {escape_markdown(self._condition)}?**",
                "",
                *lines,
            )
        )

    def safety(self) -> str:
        """Harms as the records report them."""
        lines = []
        for evidence_id, appraisal in self._appraisals.items():
            harms = (
                [f for f in appraisal.reading.context if f.role is FactRole.HARM]
                if appraisal.counts
                else []
            )
            if harms:
                lines.append(
                    f"- **{self._citer.name(evidence_id)}**, {self._citer.source(evidence_id)}: "
                    f"{' '.join(map(self._citer.sentence, harms[:_MAX_SENTENCES]))}"
                )
        if not lines:
            return (
                f"No record found here reports harms of {escape_markdown(self._drug)}. "
                "That is a gap of this search, not a sign of safety."
            )
        return (
            "As reported in the records found; not a safety assessment. "
            "Labelling, interactions and contraindications were not searched.\n\n"
            + "\n".join(lines)
        )

    def hypotheses(self, hypotheses: Iterable[MechanismHypothesis]) -> tuple[HypothesisTested, ...]:
        """The chains with the evidence on each edge."""
        return tuple(
            HypothesisTested(
                chain=h.nodes,
                prediction=self._prediction(h),
                confidence=h.confidence,
                complete=h.complete,
                edges=tuple(self._edge(edge) for edge in h.edges),
            )
            for h in hypotheses
        )

    def _edge(self, edge: Edge) -> EdgeTested:
        sides = (
            (Sign.INCREASES, edge.increases),
            (Sign.DECREASES, edge.decreases),
            (Sign.NO_EFFECT, edge.no_effect),
        )
        said = [
            f"{sign.value} {self._citer.cite(f.evidence_id for f in facts)}"
            for sign, facts in sides
            if facts
        ]
        finding = " but also ".join(said) if said else NO_EVIDENCE
        return EdgeTested(
            subject=edge.subject,
            object=edge.object,
            finding=finding,
            evidence_ids=tuple(dict.fromkeys(f.evidence_id for f in edge.facts)),
        )

    def _prediction(self, hypothesis: MechanismHypothesis) -> str:
        if not hypothesis.complete:
            return "no prediction: an edge has no evidence in this snapshot"
        if hypothesis.expected_effect is None:
            return "no prediction: records disagree on an edge"
        worse = hypothesis.expected_effect is Sign.INCREASES
        return (
            "on these records alone, "
            f"would be expected to {'worsen' if worse else 'lessen'} {self._condition}"
        )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _one_per_record(facts: Iterable[Fact]) -> list[Fact]:
    return list({fact.evidence_id: fact for fact in reversed(list(facts))}.values())[::-1]
