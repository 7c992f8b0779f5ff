"""Writes the extractive reasoner's report: located sentences, counts and the rules' verdict."""

from __future__ import annotations

import re
from typing import Any

from deepcritical.domain.appraisal import Direction, StudyFinding
from deepcritical.domain.assessment import JudgeAssessment
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.hypotheses import Sign
from deepcritical.domain.markdown import escape_markdown
from deepcritical.domain.question import ResearchQuestion
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.report_parts import DrugCandidate, ReportSection
from deepcritical.domain.text import capitalised
from deepcritical.domain.verdict import Verdict, VerdictLabel, decide
from deepcritical.reasoning.base import ReportContext
from deepcritical.reasoning.citing import Citer
from deepcritical.reasoning.clinical import ClinicalSection
from deepcritical.reasoning.evidence_rows import evidence_rows
from deepcritical.reasoning.judging import assess, rank_drugs
from deepcritical.reasoning.mechanistic import MechanismSection
from deepcritical.reasoning.methods import Methods
from deepcritical.services.evidence_store import EvidenceStore

__all__ = ["write"]

_TOP = 5
NOTHING = "No record bears on the question."
_STALE = re.compile(
    r"\bstatus\b[^;]{0,40}\b(?:out of date|older|outdated|not current)\b|"
    r"\b(?:old|20\d\d) copy of the registry|\bregistry list of (?:19|20)\d\d",
    re.IGNORECASE,
)
"""A note that says that the status of a registry entry may have changed since."""
_RUNNING = frozenset(
    {"RECRUITING", "ACTIVE_NOT_RECRUITING", "NOT_YET_RECRUITING", "ENROLLING_BY_INVITATION"}
)


_TITLES = {
    "methodology": "Methodology",
    "clinical_findings": "Clinical findings",
    "mechanistic_findings": "Mechanistic findings",
    "contradictions": "Contradictory evidence",
    "safety": "Safety",
}


class _Writer:
    """One report in the making."""

    def __init__(
        self,
        question: ResearchQuestion,
        store: EvidenceStore,
        context: ReportContext,
        written_by: str,
    ) -> None:
        self.question, self.store, self.context, self.written_by = (
            question,
            store,
            context,
            written_by,
        )
        self.condition = question.condition.name if question.condition else question.text
        self.citer = Citer(store)
        self.drugs = (question.drug.name,) if question.drug else rank_drugs(store)[:_TOP]
        self.main = self.drugs[0] if self.drugs else None
        self.studies: tuple[StudyFinding, ...] = store.studies(self.main) if self.main else ()
        self.verdict = decide(self.studies)
        self.methods = Methods(question, store, context, self.citer, self.drugs, written_by)
        self.assessment: JudgeAssessment = (
            store.assessments[-1] if store.assessments else assess(question, store)
        )

    def report(self) -> ResearchReport:
        # The order of these calls gives the references their numbers: the summary's come first.
        summary = self._summary()
        conclusion = self._conclusion()
        candidates = tuple(self._candidate(drug) for drug in self.drugs)
        sections = self._sections()
        return ResearchReport(
            title=self._title(),
            research_question=self.question.text,
            executive_summary=summary,
            verdict=self.verdict,
            **sections,
            drug_candidates=candidates if self.studies else (),
            limitations=self.methods.limitations(),
            conclusion=conclusion,
            references=self.citer.references,
            evidence_table=evidence_rows(self.store, self.citer.references, candidates),
            claims=self.citer.claims,
            searches=tuple(self.store.searches),
            prisma=self.methods.prisma(),
            sources_searched=tuple(dict.fromkeys(s.source for s in self.store.searches)),
            total_papers_reviewed=len(self.store.evidence),
            studies_included=len(self.studies),
            notices=self.context.notices,
            search_iterations=self.context.iterations,
            confidence_score=self.verdict.confidence,
            assessment=self.assessment,
            written_by=self.written_by,
        )

    def _sections(self) -> dict[str, Any]:
        cond = self.condition
        clinical = [ClinicalSection(self.store, self.citer, drug, cond) for drug in self.drugs]
        drug = self.main if self.studies else None
        mechanism = MechanismSection(self.store, self.citer, drug, cond) if drug else None
        tested = mechanism.hypotheses() if mechanism else ()
        contents = {
            "clinical_findings": self._per_drug([part.clinical() for part in clinical]),
            "mechanistic_findings": mechanism.mechanistic() if mechanism else NOTHING,
            "contradictions": self._contradictions(mechanism, clinical),
            "safety": self._per_drug([part.safety() for part in clinical]),
        }
        contents["clinical_findings"] += self._also_read()
        contents["methodology"] = self.methods.methodology()
        sections: dict[str, Any] = {
            name: ReportSection(title=_TITLES[name], content=content)
            for name, content in contents.items()
        }
        if mechanism and len(self.drugs) > 1:
            sections["mechanistic_findings"] = ReportSection(
                title=f"{_TITLES['mechanistic_findings']}: {drug}",
                content=contents["mechanistic_findings"],
            )
        return sections | {"hypotheses_tested": tested}

    def _contradictions(
        self, mechanism: MechanismSection | None, clinical: list[ClinicalSection]
    ) -> str:
        disputed = mechanism.disputed() if mechanism else ""
        parts = [disputed, *(part.sides() for part in clinical)]
        return (
            "\n\n".join(part for part in parts if part)
            or "No contradiction was recognised among the records."
        )

    def _also_read(self) -> str:
        """Records that bear on the question and that no section speaks of: nothing is hidden."""
        cited = {reference.evidence_id for reference in self.citer.references}
        told: dict[str, str] = {}
        for drug in self.drugs:
            for evidence_id, appraisal in self.store.appraisals(drug).items():
                if appraisal.reading.included and evidence_id not in cited:
                    why = "retracted" if appraisal.grade.retracted else appraisal.reading.remark
                    told.setdefault(evidence_id, why or "mechanism only")
        if not told:
            return ""
        lines = [
            f"- {self.citer.name(i)}: {why} {self.citer.cite([i])}." for i, why in told.items()
        ]
        return "\n\n### Read, without a finding to report\n\n" + "\n".join(lines)

    def _title(self) -> str:
        drug = self.question.drug
        asked = capitalised(drug.name) if drug else "Repurposing candidates"
        return f"{asked} for {self.condition}: what the evidence shows"

    def _per_drug(self, contents: list[str]) -> str:
        if len(contents) <= 1:
            return contents[0] if contents else NOTHING
        return "\n\n".join(
            f"### {capitalised(drug)}\n\n{content.replace('### ', '#### ')}"
            for drug, content in zip(self.drugs, contents, strict=True)
        )

    def _direct(self) -> list[StudyFinding]:
        return [
            s for s in self.studies if s.clinical and s.direct and s.direction is not Direction.NONE
        ]

    def _asked(self) -> str:
        if self.question.drug is None and self.main:
            return f"The best placed candidate is {self.main}"
        return capitalised(self.main or "the drug")

    def _summary(self) -> str:
        cond = escape_markdown(self.condition)
        if not self.studies:
            return (
                f"No record found bears on {escape_markdown(self._subject())}. "
                "This is a finding about the sources searched, not about the drug: "
                "absence of evidence is not evidence of absence."
            )
        label = f"**{self.verdict.label.value}**"
        lead = f"{escape_markdown(self._asked())} for {cond}"
        decided = self.citer.cite(self.verdict.deciding_ids)
        first = (
            f"{lead}: {label}, {self.verdict.certainty.value} certainty: "
            f"{_lower(self.verdict.rule.rstrip('.'))} {decided}."
        )
        return " ".join(
            part for part in (first, self._posed(), self._counted(), self._mechanism_line()) if part
        )

    def _posed(self) -> str:
        """What the records say of the mechanism that the question poses."""
        posed = [h for h in self.store.hypotheses if h.posed_by_question]
        if not posed:
            return ""
        said = []
        for h in posed:
            shown = self.citer.cite(f.evidence_id for e in h.edges for f in e.facts)
            state = (
                "no chain without a gap"
                if not h.complete
                else "disputed"
                if h.expected_effect is None
                else "would help"
                if h.expected_effect is Sign.DECREASES
                else "would harm"
            )
            way = " → ".join(map(escape_markdown, h.nodes[1:-1]))
            said.append(f"{way}: {state} {shown}".strip())
        return f"Ways through what was asked about: {'; '.join(said)}."

    def _subject(self) -> str:
        return (
            f"{self.question.drug.name} and {self.condition}"
            if self.question.drug
            else self.condition
        )

    def _counted(self) -> str:
        direct = self._direct()
        if not direct:
            return ""
        by = {d: [s for s in direct if s.direction is d] for d in Direction}
        parts = [
            (len(by[Direction.SUPPORTS]), "in favour", by[Direction.SUPPORTS]),
            (len(by[Direction.REFUTES]), "without effect or with harm", by[Direction.REFUTES]),
            (len(by[Direction.MIXED]), "both ways", by[Direction.MIXED]),
        ]
        said = [
            f"{n} {text} {self.citer.cite(i for s in studies for i in s.deciding_ids)}"
            for n, text, studies in parts
            if n
        ]
        return (
            f"Clinical studies of the condition with a direction: {len(direct)} "
            f"({', '.join(said)})."
        )

    def _mechanism_line(self) -> str:
        complete = [h for h in self.store.hypotheses if h.complete]
        if not complete:
            return ""
        ids = self.citer.cite(f.evidence_id for h in complete for e in h.edges for f in e.facts)
        parts = (
            (sum(h.expected_effect is Sign.DECREASES for h in complete), "would help"),
            (sum(h.expected_effect is Sign.INCREASES for h in complete), "would harm"),
            (sum(h.expected_effect is None for h in complete), "disputed between records"),
        )
        said = ", ".join(f"{n} {text}" for n, text in parts if n)
        return f"Mechanism chains without a gap: {len(complete)} ({said}) {ids}."

    def _conclusion(self) -> str:
        if not self.studies:
            return (
                f"The sources searched hold no evidence on {escape_markdown(self._subject())}; "
                "no conclusion can be drawn."
            )
        decided = self.citer.cite(self.verdict.deciding_ids)
        gaps = self.assessment.gaps[:3]
        missing = (
            "\n\nMissing from the evidence: "
            f"{'; '.join(escape_markdown(g.rstrip('.')) for g in gaps)}."
            if gaps
            else ""
        )
        return (
            f"{self._verdict_sentence()} {decided}. "
            f"Certainty is {self.verdict.certainty.value}{self._why_uncertain()} {decided}."
            f"{self._awaited()}{missing}"
        )

    def _verdict_sentence(self) -> str:
        """What the evidence says of the drug, without a full stop."""
        drug, cond = escape_markdown(self.main or ""), escape_markdown(self.condition)
        return {
            VerdictLabel.SUPPORTED: f"The evidence found supports {drug} for {cond}",
            VerdictLabel.PROMISING: (
                f"The evidence found is promising for {drug} in {cond}, "
                "and not yet enough to act on"
            ),
            VerdictLabel.MIXED: (
                f"The evidence found does not settle whether {drug} helps in {cond}: "
                "findings point both ways"
            ),
            VerdictLabel.INSUFFICIENT: (
                f"The evidence found is insufficient to say whether {drug} helps in {cond}"
            ),
            VerdictLabel.UNSUPPORTED: f"The evidence found does not support {drug} for {cond}",
            VerdictLabel.REFUTED: f"The evidence found speaks against {drug} for {cond}",
        }[self.verdict.label]

    def _awaited(self) -> str:
        """Registered trials that are not finished: what could change the verdict.

        A trial whose results are among the records is none, whatever its entry says.
        """
        reported = {i for s in self.studies if s.level is not None for i in s.evidence_ids}
        records = (
            (i, self.store.evidence[i])
            for i, a in self.store.appraisals(self.main or "").items()
            if a.reading.included and i not in reported
        )
        running = [(i, r) for i, r in records if _is_running(r, self.context.searched_on)]
        if not running:
            return ""
        named = [
            f"{self.citer.name(i)}, {_status(r)} {self.citer.cite([i])}" for i, r in running[:_TOP]
        ]
        more = f"; and {len(running) - _TOP} more" if len(running) > _TOP else ""
        return (
            "\n\nRegistered trials that could change this verdict (status as of the record): "
            f"{'; '.join(named)}{more}."
        )

    def _why_uncertain(self) -> str:
        return f" ({'; '.join(self.verdict.downgrades)})" if self.verdict.downgrades else ""

    def _candidate(self, drug: str) -> DrugCandidate:
        studies = self.store.studies(drug)
        verdict: Verdict = decide(studies)
        self.citer.cite(verdict.deciding_ids)
        return DrugCandidate(name=drug, verdict=verdict, studies=len(studies))


def _is_running(record: Evidence, today: str) -> bool:
    """Whether a trial is under way by its registry entry, and its planned end is not past."""
    meta = record.metadata
    if meta.kind != "trial" or meta.why_stopped or meta.has_results:
        return False
    year = re.search(r"\b(?:19|20)\d\d\b", meta.completion_date or "")
    return meta.status in _RUNNING and not (year and year.group() < today[:4])


def _status(record: Evidence) -> str:
    """Status and size; a status that the record's note calls old is said to be so."""
    size = record.metadata.enrollment or record.metadata.planned_enrollment
    status = (record.metadata.status or "").replace("_", " ").lower()
    if _STALE.search(record.metadata.note or ""):
        status += f" (as recorded{f' in {year}' if (year := record.citation.date[:4]) else ''})"
    return f"{status}, {size:,} participants" if size else status


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def write(
    question: ResearchQuestion, store: EvidenceStore, context: ReportContext, written_by: str
) -> ResearchReport:
    """The report over everything in the store."""
    return _Writer(question, store, context, written_by).report()
