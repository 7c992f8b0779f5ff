"""The clinical part of a report: studies of the condition, related ones, trials, safety."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from deepcritical.domain.appraisal import Appraisal, Direction, StudyFinding
from deepcritical.domain.evidence import Fact, FactRole
from deepcritical.domain.evidence_table import phase_name
from deepcritical.domain.markdown import escape_markdown, table
from deepcritical.domain.text import capitalised
from deepcritical.domain.trial_status import told_status
from deepcritical.reasoning.ratings import Rating
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.writing.citing import NOTE, Citer

__all__ = ["ClinicalSection", "safety"]

_MAX_SENTENCES = 4
_MAX_TRIALS = 15
_AS_REPORTED = (
    "As reported in the records found; not a safety assessment. "
    "Labelling, interactions and contraindications were not searched."
)
_IN_OTHERS = "In people without the condition, with another one, or in animals:"
_TRIAL_HEADER = (
    "Trial",
    "Title",
    "Status",
    "Phase",
    "Enrolled",
    "Outcome",
    "Stopped because",
)


@dataclass(frozen=True)
class ClinicalSection:
    """Writes what is known of one drug in people with one condition."""

    store: EvidenceStore
    citer: Citer
    drug: str
    condition: str

    @cached_property
    def _appraisals(self) -> Mapping[str, Appraisal]:
        return self.store.appraisals(self.drug)

    @cached_property
    def _studies(self) -> tuple[StudyFinding, ...]:
        return self.store.studies(self.drug)

    def clinical(self) -> str:
        """The sentences that results stand in, the strongest studies first; registered trials."""
        told = [
            line for study in sorted(self._studies, key=self._order) if (line := self._told(study))
        ]
        parts = ["\n".join(told), self._trials()]
        return (
            "\n\n".join(part for part in parts if part)
            or f"No clinical study of {escape_markdown(self.drug)} "
            f"for {escape_markdown(self.condition)} was found."
        )

    def _order(self, study: StudyFinding) -> tuple[bool, int, float, str]:
        fits = max(self.store.relevance.get(i, 0.0) for i in study.evidence_ids)
        return not study.direct, study.level or 9, -fits, study.evidence_ids[0]

    def _told(self, study: StudyFinding) -> str:
        """The leading sentence of each record of a study, for and against."""
        lines = []
        for evidence_id in study.evidence_ids:
            reading = self._appraisals[evidence_id].reading
            shown = dict.fromkeys((*reading.supporting[:1], *reading.refuting[:1]))
            if shown:
                lead = f"- **{self.citer.name(evidence_id)}**, {self.citer.source(evidence_id)}"
                told = f"{lead}: {self._sentences(list(shown))}"
                lines.append(told + self._note(evidence_id))
        return "\n".join(lines)

    def _note(self, evidence_id: str) -> str:
        """The caution that is kept with a paper; those of trials stand below their table."""
        meta = self.store.evidence[evidence_id].metadata
        if meta.kind == "trial" or not meta.note:
            return ""
        note = escape_markdown(meta.note.rstrip("."))
        return f" {NOTE}{note} {self.citer.cite([evidence_id])}."

    def _sentences(self, facts: Sequence[Fact]) -> str:
        return " ".join(map(self.citer.sentence, facts))

    def _trials(self) -> str:
        trials = [
            i
            for i, a in self._appraisals.items()
            if a.reading.included and self.store.evidence[i].metadata.kind == "trial"
        ]
        if not trials:
            return ""
        shown = sorted(trials, key=lambda i: not self.store.evidence[i].metadata.why_stopped)
        rows = [self._trial_row(i) for i in shown[:_MAX_TRIALS]]
        rest = shown[_MAX_TRIALS:]
        more = f"\n\n{Rating.FURTHER_TRIALS.told(cited=self.citer.cite(rest))}" if rest else ""
        return f"### Registered trials\n\n{table(_TRIAL_HEADER, rows)}{more}"

    def _trial_row(self, evidence_id: str) -> tuple[str, ...]:
        record = self.store.evidence[evidence_id]
        meta = record.metadata
        planned = f"planned {meta.planned_enrollment:,}" if meta.planned_enrollment else ""
        cells = (
            record.citation.title,
            told_status(record) or "not shown",
            phase_name(meta.phase or ""),
            f"{meta.enrollment:,}" if meta.enrollment is not None else planned,
        )
        return (
            f"{escape_markdown(meta.nct_id or '')} {self.citer.cite([evidence_id])}".lstrip(),
            *map(escape_markdown, cells),
            self._outcome(evidence_id),
            escape_markdown(meta.why_stopped or ""),
        )

    def _outcome(self, evidence_id: str) -> str:
        """What the records of a trial's study say of the benefit, with those that say it."""
        study = next((s for s in self._studies if evidence_id in s.evidence_ids), None)
        if study is None or study.level is None:
            return "no result found here"
        papers = [i for i in study.evidence_ids if self._appraisals[i].clinical]
        return f"{_finding(study)} {self.citer.cite(study.deciding_ids or papers)}"

    def sides(self) -> str:
        """Studies of the condition for and against, side by side; '' when they do not disagree."""
        direct = [s for s in self._studies if s.clinical and s.direct]
        sides = {
            d: [i for s in direct if s.direction is d for i in s.deciding_ids] for d in Direction
        }
        against = sides[Direction.REFUTES] or sides[Direction.MIXED]
        if not sides[Direction.MIXED] and not (sides[Direction.SUPPORTS] and against):
            return ""
        labels = {
            Direction.SUPPORTS: "For",
            Direction.REFUTES: "Against",
            Direction.MIXED: "Both ways",
        }
        asked = f"Does {escape_markdown(self.drug)} help in {escape_markdown(self.condition)}?"
        told = [
            f"{label}:\n\n" + "\n".join(map(self._side, sorted(sides[d], key=self._by_strength)))
            for d, label in labels.items()
            if sides[d]
        ]
        return "\n\n".join((f"**{asked}**", *told))

    def _by_strength(self, evidence_id: str) -> tuple[int, int, float]:
        grade = self._appraisals[evidence_id].grade
        fits = self.store.relevance.get(evidence_id, 0.0)
        return grade.level or 9, -(grade.participants or 0), -fits

    def _side(self, evidence_id: str) -> str:
        """One record of a side: its level and size, and its first finding of each direction."""
        appraisal = self._appraisals[evidence_id]
        reading, people = appraisal.reading, appraisal.grade.participants
        size = f", {people:,} people" if people and reading.about_drug else ""
        told = dict.fromkeys((*reading.supporting[:1], *reading.refuting[:1]))
        return (
            f"- **{self.citer.name(evidence_id)}** (level {appraisal.grade.level or '–'}{size}), "
            f"{self.citer.source(evidence_id)}: {self._sentences(list(told))}"
        )

    def harms(self) -> str:
        """Harms as the records report them, those in other people apart; '' without any."""
        own, related = self._harms(direct=True), self._harms(direct=False)
        parts = ["\n".join(own)]
        if related:
            parts += [_IN_OTHERS, "\n".join(related)]
        return "\n\n".join(part for part in parts if part)

    def _harms(self, *, direct: bool) -> list[str]:
        """Harms by record, in people with the condition or in others."""
        lines = []
        for evidence_id, appraisal in self._appraisals.items():
            harms = [f for f in appraisal.reading.context if f.role is FactRole.HARM]
            if harms and appraisal.counts and appraisal.reading.direct is direct:
                lead = f"- **{self.citer.name(evidence_id)}**, {self.citer.source(evidence_id)}"
                lines.append(f"{lead}: {self._sentences(harms[:_MAX_SENTENCES])}")
        return lines


def safety(sections: Sequence[ClinicalSection]) -> str:
    """What the records report of harms of each drug, and of which drugs they report none."""
    told = [(part.drug, part.harms()) for part in sections]
    found = [(drug, harms) for drug, harms in told if harms]
    silent = [escape_markdown(drug) for drug, harms in told if not harms]
    parts = [_AS_REPORTED] if found else []
    if silent:
        parts.append(
            f"No record found here reports harms of {_listed(silent)}. "
            "That is a gap of this search, not a sign of safety."
        )
    for drug, harms in found:
        parts += [f"### {escape_markdown(capitalised(drug))}"] if len(told) > 1 else []
        parts.append(harms)
    return "\n\n".join(parts)


def _listed(names: Sequence[str]) -> str:
    """``a, b or c``."""
    return " or ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)


def _finding(study: StudyFinding) -> str:
    """The direction of a study in the words of a table."""
    if study.direction is Direction.REFUTES:
        both = "no effect shown, harm in part"
        return (
            both if study.null and study.harmful else "harm" if study.harmful else "no effect shown"
        )
    return {
        Direction.SUPPORTS: "favours",
        Direction.MIXED: "both ways",
        Direction.NONE: "no direction",
    }[study.direction]
