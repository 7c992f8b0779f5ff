"""The answer to a free question, and the output of the `deep_research` tool.

Inline `[n]` points at `references[n - 1]`.
"""

from collections.abc import Sequence
from typing import Literal, Self

from pydantic import Field, JsonValue

from deepcritical.domain.appraisal.checklist import BOTH_WAYS, ChecklistItem, Coverage
from deepcritical.domain.appraisal.evidence_table import EvidenceRow
from deepcritical.domain.appraisal.findings import StudyFinding
from deepcritical.domain.appraisal.verdict import Verdict
from deepcritical.domain.base import Model
from deepcritical.domain.evidence.record import SOURCE_TYPES, SourceType
from deepcritical.domain.question.frame import QuestionFrame
from deepcritical.domain.report.brief import Brief
from deepcritical.domain.report.markdown import evidence_table, reference_list, search_log, titled
from deepcritical.domain.report.parts import (
    Claim,
    DrugCandidate,
    Reference,
    ReportSection,
    SearchRun,
    SupportRate,
)
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.report.sentences import Finding, Sentence, citation_marks
from deepcritical.domain.run.events import StopReason
from deepcritical.domain.text.markdown import escape_markdown, table, visible
from deepcritical.domain.text.spans import shorten_at_sentence

_SNIPPET = 300
"""Characters that a snippet should not exceed; it is cut at a sentence."""


ANSWER_SCHEMA: Literal[3] = 3
"""1 had its sentences in Markdown alone; each of 3 has its wording."""


class AnswerPart(Model):
    """The statements on one checklist item."""

    item: str
    """Id of the item."""
    title: str
    sentences: tuple[Sentence, ...]


class AnsweredItem(Model):
    """One checklist item, and how far the evidence found covers it."""

    item: ChecklistItem
    coverage: Coverage
    reason: str
    """The rule that decided, in words."""
    evidence_ids: tuple[str, ...] = ()
    """Of the records whose sentences were located for it."""


class ToolSource(Model):
    """One source as the tool names it; `src_3` is `[3]` of the answer."""

    id: str
    type: SourceType
    title: str
    url: str
    snippet: str


class ChecklistCoverage(Model):
    """The items that are answered, and those that are not or only in part."""

    satisfied: tuple[str, ...]
    gaps: tuple[str, ...]


NOTHING_COVERED = ChecklistCoverage(satisfied=(), gaps=())


class ToolOutput(Model):
    """The output of the `deep_research` tool."""

    trace_id: str
    answer: str
    sources: tuple[ToolSource, ...]
    checklist_coverage: ChecklistCoverage
    iterations_used: int
    status: Literal["completed", "max_iterations_reached", "error"]

    @classmethod
    def failed(
        cls,
        trace_id: str,
        why: str,
        covered: ChecklistCoverage = NOTHING_COVERED,
        iterations_used: int = 0,
    ) -> Self:
        """Return the output of a run that ended without an answer."""
        return cls(
            trace_id=trace_id,
            answer=why,
            sources=(),
            checklist_coverage=covered,
            iterations_used=iterations_used,
            status="error",
        )


class DeepAnswer(Model):
    """Everything that is known of a free question. Every sentence on a study ends in `[n]`."""

    schema_version: Literal[1, 2, 3] = 1
    wording: int = 0
    """Version of the words in which code wrote it; 0 in answers from before it was kept."""
    question: str
    context: str = ""
    frame: QuestionFrame | None = None
    """How the question was understood; None in answers of schema 1."""
    scope_in: tuple[str, ...] = ()
    scope_out: tuple[str, ...] = ()
    key_terms: tuple[str, ...] = ()
    overview: str
    """What the studies come to; Markdown, rendered from `brief` and `lead`."""
    sections: tuple[ReportSection, ...] = ()
    """What is said of each item; Markdown, rendered from `parts`."""
    brief: Brief | None = None
    """Of a question on what a drug does in a condition: the answer as a report gives it."""
    verdict: Verdict | None = None
    """The verdict behind the brief."""
    candidates: tuple[DrugCandidate, ...] = ()
    """The drugs whose results its sentences rest on; of candidates the best first."""
    studies: tuple[StudyFinding, ...] = ()
    """The studies of these drugs."""
    lead: tuple[Sentence, ...] = ()
    """The answer in a few sentences."""
    parts: tuple[AnswerPart, ...] = ()
    findings: tuple[Finding, ...] = ()
    """What the sentences of `lead`, `parts` and the brief's synthesis rest on."""
    checklist: tuple[AnsweredItem, ...] = ()
    limitations: tuple[str, ...] = ()
    references: tuple[Reference, ...] = ()
    evidence_table: tuple[EvidenceRow, ...] = ()
    """A row for each reference, in the same order."""
    claims: tuple[Claim, ...] = ()
    """Every sentence taken from a record, with the located quote behind it."""
    searches: tuple[SearchRun, ...] = ()
    sources_searched: tuple[str, ...] = ()
    records_read: int = Field(default=0, ge=0)
    """Records read, after duplicates were merged."""
    search_iterations: int = Field(default=0, ge=0)
    stop_reason: StopReason = StopReason.NO_EVIDENCE
    notices: tuple[str, ...] = ()
    """What the reader must know of how the question was understood and answered; plain text."""
    support: SupportRate | None = None
    """How many sentences that cite a record are borne out by it; None where nobody has checked."""
    written_by: str = ""
    """The reasoner that wrote the text."""

    @property
    def headline(self) -> str:
        """The outcome in a few words."""
        done = sum(item.coverage is Coverage.SATISFIED for item in self.checklist)
        return f"{done} of {len(self.checklist)} checklist items satisfied"

    @property
    def gaps(self) -> tuple[str, ...]:
        """The items that are not satisfied, with the reason.

        Where a model answers, what it found weak evidence for is no gap; a conflict is one.
        """
        written = (*self.lead, *(self.brief.synthesis if self.brief else ()))
        by_model = any(sentence.origin == "model" for sentence in written)
        filled = (Coverage.SATISFIED, *((Coverage.PARTIAL,) if by_model else ()))
        return tuple(
            f"{answered.item.text} {answered.coverage.value.capitalize()}: {answered.reason}."
            for answered in self.checklist
            if answered.coverage not in filled or answered.reason == BOTH_WAYS
        )

    @property
    def answer(self) -> str:
        """The answer alone, as Markdown with inline `[n]`, with gaps and limitations."""
        parts = (
            self.overview,
            *(titled(part.title, part.content) for part in self.sections),
            _listed("Gaps", self.gaps),
            _listed("Limitations", self.limitations, escape=False),
        )
        return "\n\n".join(part for part in parts if part)

    def checklist_table(self) -> str:
        """The checklist as a Markdown table: how far each item is covered, why, and by what."""
        rows = [
            (
                escape_markdown(answered.item.text),
                answered.coverage.value,
                escape_markdown(answered.reason),
                citation_marks(answered.evidence_ids, self.references),
            )
            for answered in self.checklist
        ]
        return table(("What must be known", "Coverage", "Because", "Cited"), rows)

    def _repr_markdown_(self) -> str:
        """Return the Markdown that a notebook shows."""
        return self.to_markdown()

    def to_markdown(self) -> str:
        """The answer with all that it rests on, for people."""
        parts = (
            f"# {escape_markdown(self.question)}",
            f"> Context: {escape_markdown(self.context)}" if self.context else "",
            "\n".join(f"> Note: {escape_markdown(notice)}" for notice in self.notices),
            "*For research use, not medical advice.*",
            self.answer,
            f"## Checklist\n\n{self.checklist_table()}",
            self._method(),
            titled("Evidence table", evidence_table(self.evidence_table, self.references)),
            titled("References", reference_list(self.references)),
        )
        return "\n\n".join(part for part in parts if part) + "\n"

    def tool_output(self, trace_id: str) -> ToolOutput:
        """The answer as the tool hands it out."""
        limit = StopReason.MAX_ITERATIONS
        return ToolOutput(
            trace_id=trace_id,
            answer=self.answer,
            sources=tool_sources(self.references, self.claims),
            checklist_coverage=ChecklistCoverage(
                satisfied=tuple(
                    a.item.text for a in self.checklist if a.coverage is Coverage.SATISFIED
                ),
                gaps=self.gaps,
            ),
            iterations_used=self.search_iterations,
            status="max_iterations_reached" if self.stop_reason is limit else "completed",
        )

    def _method(self) -> str:
        asked = (
            ("Key terms", self.key_terms),
            ("In scope", self.scope_in),
            ("Out of scope", self.scope_out),
            ("Sources", self.sources_searched),
        )
        lines = [f"- {name}: {escape_markdown('; '.join(said))}" for name, said in asked if said]
        rounds = "1 round" if self.search_iterations == 1 else f"{self.search_iterations} rounds"
        lines.append(
            f"- {self.records_read} records read in {rounds}; ended by "
            f"{self.stop_reason.value.replace('_', ' ')}; written by "
            f"{escape_markdown(self.written_by)}"
        )
        lines += [f"- {self.support}"] if self.support else []
        log = search_log(self.searches)
        return "\n\n".join(("## How it was answered", "\n".join(lines), log)).rstrip()


def tool_sources(
    references: Sequence[Reference], claims: Sequence[Claim]
) -> tuple[ToolSource, ...]:
    """The references as a tool names them; a snippet is a located quote, if there is one."""
    return tuple(_source(n, ref, claims) for n, ref in enumerate(references, 1))


def _source(number: int, reference: Reference, claims: Sequence[Claim]) -> ToolSource:
    quotes = (c.quote for c in claims if c.evidence_id == reference.evidence_id)
    snippet = shorten_at_sentence(next(quotes, reference.text), _SNIPPET)
    return ToolSource(
        id=f"src_{number}",
        type=SOURCE_TYPES[reference.source],
        title=visible(reference.title),
        url=reference.link,
        snippet=visible(snippet),
    )


def _listed(title: str, lines: tuple[str, ...], *, escape: bool = True) -> str:
    if not lines:
        return ""
    told = (f"- {escape_markdown(line) if escape else line}" for line in lines)
    return f"## {title}\n\n" + "\n".join(told)


Document = ResearchReport | DeepAnswer
"""The report of a team, or the answer to a free question."""


def read_document(fields: JsonValue) -> Document:
    """The report or the answer that JSON holds; only an answer has a checklist."""
    is_answer = isinstance(fields, dict) and "checklist" in fields
    return (DeepAnswer if is_answer else ResearchReport).model_validate(fields)
