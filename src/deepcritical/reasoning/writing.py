"""Writes the extractive reasoner's report: located sentences, counts and the rules' verdict."""

from __future__ import annotations

from collections import Counter
from typing import Any

from deepcritical.domain.appraisal import Direction, Remark, StudyFinding
from deepcritical.domain.assessment import JudgeAssessment
from deepcritical.domain.hypotheses import MechanismHypothesis, Sign
from deepcritical.domain.markdown import escape_markdown
from deepcritical.domain.question import ResearchQuestion
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.report_parts import DrugCandidate, ReportSection
from deepcritical.domain.text import capitalised
from deepcritical.domain.verdict import Verdict, VerdictLabel, decide
from deepcritical.questions.wording import answer_to, claim_of
from deepcritical.reasoning.base import ReportContext
from deepcritical.reasoning.changing import ChangeSection
from deepcritical.reasoning.citing import Citer
from deepcritical.reasoning.clinical import ClinicalSection, safety
from deepcritical.reasoning.evidence_rows import evidence_rows
from deepcritical.reasoning.judging import assess, rank_drugs
from deepcritical.reasoning.mechanistic import MechanismSection
from deepcritical.reasoning.methods import Methods
from deepcritical.reasoning.ratings import BOTH, IN_FAVOUR, NO_EFFECT, Rating, Way
from deepcritical.services.evidence_store import EvidenceStore

__all__ = ["write"]

_TOP = 5
NOTHING = "No record bears on the question."
_NONE_DECIDED = "None of the candidates has enough evidence for a verdict."


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
        changing = self._changing()
        candidates = tuple(self._candidate(drug) for drug in self.drugs)
        sections = self._sections()
        frame = self.question.frame
        return ResearchReport(
            title=self._title(),
            research_question=self.question.text,
            executive_summary=summary,
            verdict=self.verdict,
            answer=answer_to(frame, self.verdict.label) if frame else "",
            proposition=claim_of(frame) if frame and frame.negative else "",
            **sections,
            drug_candidates=candidates if self.studies else (),
            limitations=self.methods.limitations(),
            what_would_change=changing,
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
            "safety": safety(clinical) or NOTHING,
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
                    why = (
                        Remark.RETRACTED if appraisal.grade.retracted else appraisal.reading.remark
                    )
                    told.setdefault(evidence_id, why or Remark.MECHANISM_ONLY)
        if not told:
            return ""
        lines = [f"- {self._read_too(i, why)}" for i, why in told.items()]
        return "\n\n### Read, without a finding to report\n\n" + "\n".join(lines)

    def _read_too(self, evidence_id: str, why: str) -> str:
        name, cited = self.citer.name(evidence_id), self.citer.cite([evidence_id])
        return Rating.READ_TOO.told(name=name, remark=why, cited=cited)

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
            if self._none_decided:
                return f"{capitalised(self.main)}, the first by rank,"
            return f"The best placed candidate is {self.main}"
        return capitalised(self.main or "the drug")

    @property
    def _none_decided(self) -> bool:
        """Whether several candidates are left, and the evidence is enough for none of them."""
        verdicts = [decide(self.store.studies(drug)).label for drug in self.drugs]
        return len(verdicts) > 1 and set(verdicts) == {VerdictLabel.INSUFFICIENT}

    def _summary(self) -> str:
        cond = escape_markdown(self.condition)
        if not self.studies:
            return (
                f"No record found bears on {escape_markdown(self._subject())}. "
                "This is a finding about the sources searched, not about the drug: "
                "absence of evidence is not evidence of absence."
            )
        first = Rating.VERDICT.told(
            drug=escape_markdown(self._asked()),
            condition=cond,
            label=self.verdict.label.value,
            certainty=self.verdict.certainty.value,
            rule=_lower(self.verdict.rule.rstrip(".")),
            cited=self.citer.cite(self.verdict.deciding_ids),
        )
        none = _NONE_DECIDED if self._none_decided else ""
        return " ".join(
            part
            for part in (none, first, self._posed(), self._counted(), self._mechanism_line())
            if part
        )

    def _posed(self) -> str:
        """What the records say of the mechanism that the question poses."""
        posed = [h for h in self.store.hypotheses if h.posed_by_question]
        if not posed:
            return ""
        said = []
        for h in posed:
            shown = self.citer.cite(f.evidence_id for e in h.edges for f in e.facts)
            way = " → ".join(map(escape_markdown, h.nodes[1:-1]))
            said.append(f"{way}: {_way(h)} {shown}".strip())
        return Rating.POSED.told(ways="; ".join(said))

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
            (len(by[Direction.SUPPORTS]), IN_FAVOUR, by[Direction.SUPPORTS]),
            (len(by[Direction.REFUTES]), NO_EFFECT, by[Direction.REFUTES]),
            (len(by[Direction.MIXED]), BOTH, by[Direction.MIXED]),
        ]
        said = [
            f"{n} {text} {self.citer.cite(i for s in studies for i in s.deciding_ids)}"
            for n, text, studies in parts
            if n
        ]
        return Rating.COUNTS.told(n=len(direct), counts=", ".join(said))

    def _mechanism_line(self) -> str:
        complete = [h for h in self.store.hypotheses if h.complete]
        if not complete:
            return ""
        ids = self.citer.cite(f.evidence_id for h in complete for e in h.edges for f in e.facts)
        by = Counter(map(_way, complete))
        said = ", ".join(f"{by[way]} {way.value}" for way in Way if by[way])
        return Rating.CHAINS.told(n=len(complete), effects=said, cited=ids)

    def _conclusion(self) -> str:
        if not self.studies:
            return (
                f"The sources searched hold no evidence on {escape_markdown(self._subject())}; "
                "no conclusion can be drawn."
            )
        decided = self.citer.cite(self.verdict.deciding_ids)
        of_all = f"any of the candidates ({', '.join(self.drugs)})"
        verdict = Rating[self.verdict.label.name].told(
            drug=escape_markdown(of_all if self._none_decided else self.main or ""),
            condition=escape_markdown(self.condition),
            cited=decided,
        )
        certainty = Rating.CERTAINTY.told(
            certainty=self.verdict.certainty.value, because=self._why_uncertain(), cited=decided
        )
        return f"{verdict} {certainty}"

    def _changing(self) -> ReportSection:
        context, drug = self.context, self.main or ""
        section = ChangeSection(
            self.store,
            self.citer,
            drug,
            self.condition,
            context.searched_on,
            self.assessment.gaps,
        )
        return ReportSection(
            title="What would change this verdict", content=section.content() if drug else NOTHING
        )

    def _why_uncertain(self) -> str:
        return f" ({'; '.join(self.verdict.downgrades)})" if self.verdict.downgrades else ""

    def _candidate(self, drug: str) -> DrugCandidate:
        studies = self.store.studies(drug)
        verdict: Verdict = decide(studies)
        self.citer.cite(verdict.deciding_ids)
        return DrugCandidate(name=drug, verdict=verdict, studies=len(studies))


def _way(hypothesis: MechanismHypothesis) -> Way:
    """What a chain says of the condition."""
    if not hypothesis.complete:
        return Way.INCOMPLETE
    if hypothesis.expected_effect is None:
        return Way.DISPUTED
    return Way.HELPS if hypothesis.expected_effect is Sign.DECREASES else Way.HARMS


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def write(
    question: ResearchQuestion, store: EvidenceStore, context: ReportContext, written_by: str
) -> ResearchReport:
    """The report over everything in the store."""
    return _Writer(question, store, context, written_by).report()
