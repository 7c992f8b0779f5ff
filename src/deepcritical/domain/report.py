"""The structured report. Inline `[n]` points at `references[n - 1]`."""

from pydantic import Field, field_validator

from deepcritical.domain.appraisal import StudyFinding
from deepcritical.domain.assessment import JudgeAssessment
from deepcritical.domain.base import Model, UnitInterval
from deepcritical.domain.brief import Brief, StudyRow
from deepcritical.domain.claims import claim_appendix
from deepcritical.domain.drug_facts import DrugFacts
from deepcritical.domain.evidence_table import EvidenceRow
from deepcritical.domain.markdown import escape_markdown
from deepcritical.domain.report_markdown import (
    because,
    brief_markdown,
    candidate_table,
    change_table,
    evidence_table,
    findings_table,
    reference_list,
    section,
    study_table,
    trial_table,
)
from deepcritical.domain.report_parts import (
    Claim,
    DrugCandidate,
    HypothesisTested,
    PrismaFlow,
    Reference,
    ReportSection,
    SearchRun,
    SupportRate,
    VerdictChange,
)
from deepcritical.domain.section_markdown import facts_markdown, hypothesis_list, search_log
from deepcritical.domain.sentences import Finding
from deepcritical.domain.text import shorten_at_sentence
from deepcritical.domain.verdict import NO_RECORD, Verdict

SUMMARY_LIMIT = 500
"""Characters that an executive summary should not exceed; it is cut at a sentence."""
_DISCLAIMER = "*For research use, not medical advice.*"


REPORT_SCHEMA = 6
_BEFORE_BRIEFS = 3


class ResearchReport(Model):
    """Everything that a reader gets. Every factual sentence ends in `[n]`."""

    schema_version: int = _BEFORE_BRIEFS
    """4 since reports have a brief, 5 since they have curated facts, 6 since the sentences of
    records are data and no Markdown; older ones do not carry it."""
    title: str
    research_question: str
    executive_summary: str = Field(json_schema_extra={"deprecated": True})
    """Repeats the brief, which takes its place in the next release.

    Aims at 100-500 characters; what is longer is cut at a sentence, never refused.
    """
    verdict: Verdict = NO_RECORD
    """By rule, never by a writer; without studies it is insufficient evidence."""
    answer: str = ""
    """The verdict as the answer to the question as it was put; '' where it asks for no yes or no,
    and in reports of version 0.1."""
    proposition: str = ""
    """What the verdict is on, where the question was put the other way round; '' elsewhere."""
    brief: Brief | None = None
    """The answer on one screen; None in reports before 0.3."""
    study_table: tuple[StudyRow, ...] = ()
    """Every study that bears on the question; () before version 0.3."""
    findings: tuple[Finding, ...] = ()
    """Those that the sentences of a model, and those over curated facts, cite."""
    drug_facts: tuple[DrugFacts, ...] | None = None
    """What curated sources know of the drugs asked about; None where nobody was asked."""
    methodology: ReportSection
    hypotheses_tested: tuple[HypothesisTested, ...] = ()
    mechanistic_findings: ReportSection
    clinical_findings: ReportSection
    contradictions: ReportSection = ReportSection(title="Contradictory evidence")
    safety: ReportSection = ReportSection(title="Safety")
    drug_candidates: tuple[DrugCandidate, ...] = ()
    limitations: tuple[str, ...] = ()
    what_would_change: ReportSection = ReportSection(title="What would change this verdict")
    """How far the verdict rests on single studies; of former versions all that would change it."""
    verdict_changes: tuple[VerdictChange, ...] = ()
    """Verdicts by the same rules over other evidence; () before schema 6."""
    conclusion: str = Field(json_schema_extra={"deprecated": True})
    """Repeats the brief; `brief` takes its place in the next release."""
    references: tuple[Reference, ...] = ()
    studies: tuple[StudyFinding, ...] = ()
    """What each study counts for, of the drug that the verdict is on; () before version 0.3."""
    evidence_table: tuple[EvidenceRow, ...] = ()
    """A row for each reference, in the same order."""
    claims: tuple[Claim, ...] = ()
    """Every sentence of a record that is printed, or that a result rests on, with its place."""
    searches: tuple[SearchRun, ...] = ()
    prisma: PrismaFlow | None = None
    """The counts of the search; None for a report that was not written from one."""
    sources_searched: tuple[str, ...] = ()
    total_papers_reviewed: int = Field(default=0, ge=0)
    """Records read, after duplicates were merged."""
    studies_included: int = Field(default=0, ge=0)
    search_iterations: int = Field(default=0, ge=0)
    confidence_score: UnitInterval
    assessment: JudgeAssessment | None = None
    notices: tuple[str, ...] = ()
    """What the reader must know of how the question was understood and answered; plain text."""
    support: SupportRate | None = None
    """How many sentences that cite a record are borne out by it; None where nobody has checked."""
    written_by: str = ""
    """The reasoner that wrote the text."""

    @field_validator("executive_summary")
    @classmethod
    def _cut_at_sentence(cls, text: str) -> str:
        return shorten_at_sentence(text, SUMMARY_LIMIT)

    @property
    def verdict_on(self) -> str:
        """What the verdict is on, where that is not plain: of several candidates the first."""
        if self.proposition:
            return f"on whether {self.proposition}"
        count = len(self.drug_candidates)
        if count < 2:
            return ""
        return f"on {self.drug_candidates[0].name}, the first of {count} candidates"

    @property
    def headline(self) -> str:
        """The outcome in a few words: the verdict."""
        return self.verdict.label.value

    @property
    def gaps(self) -> tuple[str, ...]:
        """What is still unknown, by its judge."""
        return self.assessment.gaps if self.assessment else ()

    def _repr_markdown_(self) -> str:
        """What a notebook shows."""
        return self.to_markdown()

    def to_markdown(self) -> str:
        """The report as Markdown, for people."""
        rows, several = self.evidence_table, len(self.drug_candidates) > 1
        parts = (
            f"# {escape_markdown(self.title)}",
            *self._head(),
            candidate_table(self.drug_candidates, self.references),
            study_table(self.study_table, self.references),
            *map(self._section, (self.clinical_findings, self.safety)),
            "" if self.clinical_findings.content else trial_table(rows, self.references),
            hypothesis_list(
                self.hypotheses_tested,
                self.drug_candidates[0].name if self.drug_candidates else "",
                rows,
                self.references,
            ),
            *map(self._section, (self.mechanistic_findings, self.contradictions)),
            self._section(self.what_would_change),
            change_table(self.verdict_changes, self.references),
            "## Limitations\n\n" + "\n".join(f"- {text}" for text in self.limitations),
            "" if self.brief else f"## Conclusion\n\n{self.conclusion}",
            facts_markdown(self.drug_facts),
            self._section(self.methodology),
            f"## How this was assessed\n\n{self._because()}" if self.brief else "",
            f"{self.support}." if self.support else "",
            _titled("Search log", search_log(self.searches)),
            # Of several candidates the table of studies has only those of the first.
            "" if self.study_table and not several else evidence_table(rows, self.references),
            reference_list(self.references),
            _titled("Claim appendix", claim_appendix(self.claims, self.references)),
        )
        return "\n\n".join(part for part in parts if part) + "\n"

    def _head(self) -> tuple[str, ...]:
        """Return the answer with what must stand beside it: the brief, or of old reports more."""
        brief, rows = self.brief, self.verdict.rows
        notices = "\n".join(f"> Note: {escape_markdown(notice)}" for notice in self.notices)
        question = f"## Research question\n\n{escape_markdown(self.research_question)}"
        if brief:
            rest = findings_table(rows, self.references) if len(rows) > len(brief.findings) else ""
            return (brief_markdown(self), notices, _DISCLAIMER, question, rest)
        return (
            self._banner(),
            f"> {escape_markdown(self.answer)}" if self.answer else "",
            notices,
            self._because(),
            _DISCLAIMER,
            f"## Executive summary\n\n{self.executive_summary}",
            question,
            findings_table(rows, self.references),
        )

    def _section(self, part: ReportSection) -> str:
        return section(part, self.references, self.evidence_table)

    def _because(self) -> str:
        return because(self.verdict, self.references)

    def _banner(self) -> str:
        scores = self.assessment
        said = (
            f"> **{' '.join(('Verdict', escape_markdown(self.verdict_on))).rstrip()}: "
            f"{self.verdict.label.value}**",
            f"certainty {self.verdict.certainty.value}",
            f"confidence {self.confidence_score:.1f}",
            f"mechanism {scores.mechanism_score}/10" if scores else "",
            f"clinical {scores.clinical_score}/10" if scores else "",
        )
        return " · ".join(part for part in said if part)


def _titled(title: str, content: str) -> str:
    return section(ReportSection(title=title, content=content))
