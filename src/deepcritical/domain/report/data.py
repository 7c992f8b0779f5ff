"""The data of a report. Inline `[n]` points at `references[n - 1]`."""

from pydantic import Field, field_validator

from deepcritical.domain.appraisal.assessment import JudgeAssessment
from deepcritical.domain.appraisal.evidence_table import EvidenceRow
from deepcritical.domain.appraisal.findings import StudyFinding
from deepcritical.domain.appraisal.verdict import DIRECTIONS, NO_RECORD, Verdict
from deepcritical.domain.base import Model, UnitInterval
from deepcritical.domain.evidence.drug_facts import DrugFacts
from deepcritical.domain.report.brief import Brief, StudyRow
from deepcritical.domain.report.parts import (
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
from deepcritical.domain.report.sentences import Finding
from deepcritical.domain.text.spans import shorten_at_sentence

SUMMARY_LIMIT = 500
"""Characters that an executive summary should not exceed; it is cut at a sentence."""


REPORT_SCHEMA = 7
_BEFORE_BRIEFS = 3


class ReportData(Model):
    """Everything that a reader gets. Every factual sentence ends in `[n]`."""

    schema_version: int = _BEFORE_BRIEFS
    """4 since reports have a brief, 5 since they have curated facts, 6 since the sentences of
    records are data and no Markdown, 7 since each has its wording; older ones do not carry it."""
    wording: int = 0
    """Version of the words in which code wrote it; 0 in reports from before it was kept."""
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
        """The subject of the verdict, where that is not plain: of several candidates the first.

        Where a model's words answer, it is the question if these open the answer, or the model
        weighed the results alike, and else not plain.
        """
        answered = self.brief if self.brief and self.brief.is_answered else None
        if answered and not answered.denied and (self._is_agreed or answered.is_led):
            return ""
        claim = answered.claim if answered else ""
        if stated := self.proposition or claim:
            return f"on whether {stated}"
        count = len(self.drug_candidates)
        if count < 2:
            return ""
        return f"on {self.drug_candidates[0].name}, the first of {count} candidates"

    @property
    def _is_agreed(self) -> bool:
        """Return whether a model that weighed the results for the question came to this side."""
        proposed = next((one.proposed for one in self.studies if one.proposed), None)
        return proposed is not None and DIRECTIONS[proposed] == DIRECTIONS[self.verdict.label]

    @property
    def headline(self) -> str:
        """The outcome in a few words: the verdict."""
        return self.verdict.label.value

    @property
    def gaps(self) -> tuple[str, ...]:
        """The judge's open questions."""
        return self.assessment.gaps if self.assessment else ()
