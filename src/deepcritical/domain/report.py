"""The structured report. Inline `[n]` points at `references[n - 1]`."""

from __future__ import annotations

from pydantic import Field, field_validator

from deepcritical.domain.assessment import JudgeAssessment
from deepcritical.domain.base import Model, UnitInterval
from deepcritical.domain.evidence import SourceName
from deepcritical.domain.report_markdown import to_markdown
from deepcritical.domain.text import shorten_at_sentence
from deepcritical.domain.verdict import Verdict

__all__ = [
    "SUMMARY_LIMIT",
    "Claim",
    "DrugCandidate",
    "EdgeTested",
    "HypothesisTested",
    "Reference",
    "ReportSection",
    "ResearchReport",
    "SearchRun",
]

SUMMARY_LIMIT = 500
"""Characters that an executive summary should not exceed; it is cut at a sentence."""


class Reference(Model):
    """One entry of the reference list, always built from a stored record."""

    evidence_id: str
    title: str
    authors: tuple[str, ...] = ()
    source: SourceName
    date: str = ""
    journal: str = ""
    volume_pages: str = ""
    url: str = ""
    ids: tuple[str, ...] = ()
    """Canonical ids, such as ``pmid:26890736``."""
    text_kind: str = "abstract"


class Claim(Model):
    """One factual sentence of the report and the place in the evidence that it rests on."""

    sentence: str
    """As printed, without the citation marker."""
    evidence_id: str
    quote: str
    start: int
    end: int


class ReportSection(Model):
    """One part of the report; `content` is Markdown with inline `[n]`."""

    title: str
    content: str


class EdgeTested(Model):
    """One edge of a tested chain, as printed."""

    subject: str
    object: str
    finding: str
    """Sign and contradiction in words, or ``no evidence in this snapshot``, with inline `[n]`."""
    evidence_ids: tuple[str, ...] = ()


class HypothesisTested(Model):
    """One mechanism chain with the evidence on each edge."""

    chain: tuple[str, ...]
    prediction: str
    """What the chain predicts for the condition, in words."""
    confidence: UnitInterval
    complete: bool
    edges: tuple[EdgeTested, ...]


class DrugCandidate(Model):
    """A drug with its own verdict for the condition."""

    name: str
    verdict: Verdict
    studies: int = Field(ge=0)
    """Studies that bear on the question, not records."""


class SearchRun(Model):
    """One query as it was run against one source."""

    source: str
    query: str
    outcome: str
    identified: int
    new: int


class ResearchReport(Model):
    """Everything that a reader gets. Every factual sentence ends in `[n]`."""

    title: str
    research_question: str
    executive_summary: str
    """Aims at 100-500 characters; what is longer is cut at a sentence, never refused."""
    verdict: Verdict
    methodology: ReportSection
    hypotheses_tested: tuple[HypothesisTested, ...] = ()
    mechanistic_findings: ReportSection
    clinical_findings: ReportSection
    contradictions: ReportSection
    safety: ReportSection
    drug_candidates: tuple[DrugCandidate, ...] = ()
    limitations: tuple[str, ...] = ()
    conclusion: str
    references: tuple[Reference, ...] = ()
    claims: tuple[Claim, ...] = ()
    """Every sentence taken from a record, with the located quote behind it."""
    searches: tuple[SearchRun, ...] = ()
    sources_searched: tuple[str, ...] = ()
    total_papers_reviewed: int = Field(default=0, ge=0)
    """Records read, after duplicates were merged."""
    studies_included: int = Field(default=0, ge=0)
    search_iterations: int = Field(default=0, ge=0)
    confidence_score: UnitInterval
    assessment: JudgeAssessment | None = None
    written_by: str
    """The reasoner that wrote the text."""

    @field_validator("executive_summary")
    @classmethod
    def _cut_at_sentence(cls, text: str) -> str:
        return shorten_at_sentence(text, SUMMARY_LIMIT)

    def to_markdown(self) -> str:
        """The report as Markdown, for people."""
        return to_markdown(self)
