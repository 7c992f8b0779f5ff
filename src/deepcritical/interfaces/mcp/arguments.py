"""What each tool is asked. The docstring under a field is what the tool's user, a model, reads."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from deepcritical.domain.base import Model
from deepcritical.domain.budget import Depth
from deepcritical.domain.question import MAX_QUESTION_CHARS
from deepcritical.domain.tool_registry import DeepResearchInput, Question, Rounds, SearchInput

ReportFormat = Literal["md", "json", "bib", "ris", "csl.json", "evidence.csv"]
"""The formats that are text."""

_TraceId = Annotated[str, Field(min_length=36, max_length=36)]


class StartResearch(DeepResearchInput):
    """A question that nobody waits for."""

    question: Question
    """As for deep_research with kind answer, or for research_report with kind report."""
    kind: Literal["answer", "report"] = "answer"
    """answer: any biomedical question, by a checklist; report: drug repurposing, with a verdict."""
    context: str = Field(default="", max_length=MAX_QUESTION_CHARS)
    """With kind answer: what else should be known."""
    max_iterations: Rounds = 10
    """With kind answer: rounds of search at most, 1-10."""
    depth: Depth = "standard"
    """With kind report: quick, standard or deep."""


class AboutTrace(Model):
    """A run."""

    trace_id: _TraceId
    """The trace_id that start_research, or the first progress message of a run, named."""


class GetReport(AboutTrace):
    """The report of a run."""

    format: ReportFormat = "md"
    """md for reading, json for all fields, bib, ris or csl.json for the references alone."""


class GetTrace(AboutTrace):
    """The events of a run."""

    after: Annotated[int, Field(ge=0)] = 0
    """Only events with a number above this one; give the last seq that you have seen."""


class Search(SearchInput):
    """A query."""

    query: Question
    """Words, or a query in the source's own language, with its field tags and operators."""


class VerifyClaim(Model):
    """A sentence, and what it cites."""

    claim: Question
    """One sentence that states a finding."""
    ids: Annotated[tuple[str, ...], Field(min_length=1, max_length=10)]
    """The records it cites, 1-10: PMID, PMCID, DOI or NCT number of each."""
    quote: str = ""
    """Words of the record that the sentence is said to rest on; they are looked for, too."""
