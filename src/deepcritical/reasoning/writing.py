"""Writes the extractive reasoner's report: located sentences, counts and the rules' verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from deepcritical.appraisal.verdict import decide
from deepcritical.domain.appraisal import Remark, StudyFinding
from deepcritical.domain.assessment import JudgeAssessment
from deepcritical.domain.brief import Brief, StudyRow
from deepcritical.domain.hypotheses import MechanismHypothesis, Sign
from deepcritical.domain.markdown import escape_markdown
from deepcritical.domain.question import ResearchQuestion
from deepcritical.domain.report import REPORT_SCHEMA, ResearchReport
from deepcritical.domain.report_parts import DrugCandidate, ReportSection
from deepcritical.domain.sentences import Finding, Sentence, as_markdown
from deepcritical.domain.text import capitalised
from deepcritical.domain.verdict import Verdict, VerdictLabel
from deepcritical.questions.wording import answer_to, proposition_of, subject_of
from deepcritical.reasoning.changing import ChangeSection
from deepcritical.reasoning.clinical import ClinicalSection, safety
from deepcritical.reasoning.judging import assess, rank_drugs
from deepcritical.reasoning.mechanistic import MechanismSection
from deepcritical.reasoning.methods import Methods
from deepcritical.reasoning.ratings import Rating
from deepcritical.reasoning.ratings import Way as ChainWay
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.writing.brief import Matter, brief_of
from deepcritical.writing.citing import Citer
from deepcritical.writing.context import ReportContext
from deepcritical.writing.evidence_rows import evidence_rows
from deepcritical.writing.findings import findings_of
from deepcritical.writing.label_facts import Asked, facts_told
from deepcritical.writing.studies import study_rows
from deepcritical.writing.words import listed

__all__ = ["store_findings", "with_synthesis", "write"]

_TOP = 5
NOTHING = "No record bears on the question."
_NONE_DECIDED = "None of the candidates has enough evidence for a verdict."


_TITLES = {
    "methodology": "Methodology",
    "clinical_findings": "Results in the words of the records",
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
        self.facts = facts_told(store.drug_facts or (), _asked(question))
        self.methods = Methods(question, store, context, self.citer, self.drugs, written_by)
        self.assessment: JudgeAssessment = (
            store.assessments[-1] if store.assessments else assess(question, store)
        )

    def report(self) -> ResearchReport:
        # The order of these calls gives the references their numbers: the summary's come first.
        brief = self._brief()
        summary = self._summary(brief)
        changing = self._changing()
        candidates = tuple(self._candidate(drug) for drug in self.drugs)
        study_table = self._study_table()
        sections = self._sections()
        frame = self.question.frame
        return ResearchReport(
            schema_version=REPORT_SCHEMA,
            title=self._title(),
            research_question=self.question.text,
            executive_summary=summary,
            brief=brief,
            study_table=study_table,
            verdict=self.verdict,
            answer=self._answer(),
            proposition=proposition_of(frame, self.verdict.label) if frame else "",
            **sections,
            drug_candidates=candidates if self.studies else (),
            limitations=self.methods.limitations(),
            what_would_change=changing,
            conclusion=summary,
            references=self.citer.references,
            studies=self.studies,
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

    def _answer(self) -> str:
        frame, verdict = self.question.frame, self.verdict
        weak = verdict.is_weak_signal
        return answer_to(frame, verdict.label, weak_signal=weak) if frame else ""

    def _brief(self) -> Brief | None:
        if not self.studies or self.main is None:
            return None
        appraisals = self.store.appraisals(self.main)
        records = self.store.evidence
        matter = Matter(
            drug=self.main,
            condition=self.condition,
            frame=self.question.frame if self.question.drug else None,
            verdict=self.verdict,
            studies=self.studies,
            evidence=records,
            readings=self.store.readings,
            registered=[
                i
                for i, a in appraisals.items()
                if a.reading.included and records[i].metadata.kind == "trial"
            ],
            searched_on=self.context.searched_on,
        )
        brief = brief_of(matter, self._lead())
        told = {"licensed": self.facts.licensed, "label": self.facts.label}
        return brief.model_copy(update=told)

    def _lead(self) -> str:
        """What is said first where no drug was asked about."""
        if self.question.drug or len(self.drugs) < 2:
            return ""
        if self._none_decided:
            return _NONE_DECIDED
        others = listed(list(self.drugs[1:]))
        return (
            f"Among the candidates, {self.main} has the strongest evidence; "
            f"the others are {others}."
        )

    def _study_table(self) -> tuple[StudyRow, ...]:
        if self.main is None:
            return ()
        appraisals = self.store.appraisals(self.main)
        decided = self.verdict.deciding_ids
        store = self.store
        rows = study_rows(self.studies, appraisals, store.evidence, store.readings, decided)
        table = tuple(rows)
        for row in table:
            self.citer.cite(row.evidence_ids)
        return table

    def _sections(self) -> dict[str, Any]:
        cond = self.condition
        clinical = [ClinicalSection(self.store, self.citer, drug, cond) for drug in self.drugs]
        drug = self.main if self.studies else None
        mechanism = MechanismSection(self.store, self.citer, drug, cond) if drug else None
        tested = mechanism.hypotheses() if mechanism else ()
        contents = {
            "clinical_findings": self._per_drug([part.clinical() for part in clinical]),
            "mechanistic_findings": (
                "\n\n".join(filter(None, (self._asked_way(), mechanism.mechanistic())))
                if mechanism
                else NOTHING
            ),
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
        curated = {"findings": self.facts.findings, "drug_facts": self.store.drug_facts}
        return sections | {"hypotheses_tested": tested} | curated

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
        """Records that bear on the question and that nothing else names, as retracted ones."""
        cited = {reference.evidence_id for reference in self.citer.references}
        told: dict[str, str] = {}
        for drug in self.drugs:
            for evidence_id, appraisal in self.store.appraisals(drug).items():
                if appraisal.reading.included and evidence_id not in cited:
                    retracted = appraisal.grade.retracted
                    why = Remark.RETRACTED if retracted else appraisal.reading.remark
                    told.setdefault(evidence_id, why or Remark.MECHANISM_ONLY)
        lines = [f"- {self._read_too(i, why)}" for i, why in told.items()]
        heading = "\n\n### Read, without a finding to report\n\n"
        return heading + "\n".join(lines) if lines else ""

    def _read_too(self, evidence_id: str, why: str) -> str:
        name, cited = self.citer.name(evidence_id), self.citer.cite([evidence_id])
        return Rating.READ_TOO.told(name=name, remark=why, cited=cited)

    def _title(self) -> str:
        if self.question.drug:
            return f"{capitalised(subject_of(self.question))}: what the evidence shows"
        return f"Repurposing candidates for {self.condition}: what the evidence shows"

    def _per_drug(self, contents: list[str]) -> str:
        if len(contents) <= 1:
            return contents[0] if contents else NOTHING
        return "\n\n".join(
            f"### {capitalised(drug)}\n\n{content.replace('### ', '#### ')}"
            for drug, content in zip(self.drugs, contents, strict=True)
        )

    @property
    def _none_decided(self) -> bool:
        """Whether several candidates are left, and the evidence is enough for none of them."""
        verdicts = [decide(self.store.studies(drug)).label for drug in self.drugs]
        return len(verdicts) > 1 and set(verdicts) == {VerdictLabel.INSUFFICIENT}

    def _summary(self, brief: Brief | None) -> str:
        if brief is None:
            return (
                f"No record found bears on {escape_markdown(self._subject())}. "
                "This is a finding about the sources searched, not about the drug: "
                "absence of evidence is not evidence of absence."
            )
        told = (*brief.answer, *brief.harms)
        for sentence in brief.licensed:
            self.citer.cite(sentence.evidence_ids)
        for sentence in (*told, *(study.result for study in brief.studies)):
            self.citer.cite(sentence.evidence_ids)
        for trial in brief.trials:
            self.citer.cite([trial.evidence_id])
        for sentence in brief.label:
            self.citer.cite(sentence.evidence_ids)
        return as_markdown(told, self.citer.references)

    def _asked_way(self) -> str:
        """What the records say of the mechanism that the question names."""
        return " ".join(part for part in (self._posed(), self._mechanism_line()) if part)

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

    def _mechanism_line(self) -> str:
        complete = [h for h in self.store.hypotheses if h.complete]
        if not complete:
            return ""
        ids = self.citer.cite(f.evidence_id for h in complete for e in h.edges for f in e.facts)
        by = Counter(map(_way, complete))
        said = ", ".join(f"{by[way]} {way.value}" for way in ChainWay if by[way])
        return Rating.CHAINS.told(n=len(complete), effects=said, cited=ids)

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

    def _candidate(self, drug: str) -> DrugCandidate:
        studies = self.store.studies(drug)
        verdict: Verdict = decide(studies)
        self.citer.cite(verdict.deciding_ids)
        return DrugCandidate(name=drug, verdict=verdict, studies=len(studies))


def _asked(question: ResearchQuestion) -> Asked:
    frame = question.frame
    drugs = frame.drugs if frame else ()
    return Asked(question.condition, frame.population if frame else (), drugs)


def _way(hypothesis: MechanismHypothesis) -> ChainWay:
    """What a chain says of the condition."""
    if not hypothesis.complete:
        return ChainWay.INCOMPLETE
    if hypothesis.expected_effect is None:
        return ChainWay.DISPUTED
    helps = hypothesis.expected_effect is Sign.DECREASES
    return ChainWay.HELPS if helps else ChainWay.HARMS


def write(
    question: ResearchQuestion, store: EvidenceStore, context: ReportContext, written_by: str
) -> ResearchReport:
    """The report over everything in the store."""
    return _Writer(question, store, context, written_by).report()


def store_findings(store: EvidenceStore, report: ResearchReport, drug: str) -> dict[str, Finding]:
    """Return what a model may write about: the findings on the report's first drug."""
    return findings_of(
        drug,
        report.verdict,
        report.studies,
        store.appraisals(drug),
        store.evidence,
        store.readings,
        store.relevance,
    )


def with_synthesis(
    report: ResearchReport,
    store: EvidenceStore,
    written: Sequence[Sentence],
    findings: Mapping[str, Finding],
) -> ResearchReport:
    """Return the report with checked sentences of a model in its brief, and what they cite."""
    if report.brief is None or not written:
        return report
    citer = Citer(store)
    citer.cite(reference.evidence_id for reference in report.references)
    for sentence in written:
        citer.cite(sentence.evidence_ids)
    cited = dict.fromkeys(i for sentence in written for i in sentence.finding_ids)
    return report.model_copy(
        update={
            "brief": report.brief.model_copy(update={"synthesis": tuple(written)}),
            "findings": (*report.findings, *(findings[i] for i in cited)),
            "references": citer.references,
            "evidence_table": evidence_rows(store, citer.references, report.drug_candidates),
        }
    )
