"""A tool for agents, and the arguments and results of each; a model reads the field's docstring."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from datetime import datetime
from enum import Enum
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, SecretStr, ValidationError

from deepcritical.domain.base import Model, UnitInterval
from deepcritical.domain.question.question import MAX_QUESTION_CHARS
from deepcritical.domain.report.claims import ClaimVerdict
from deepcritical.domain.run.budget import Depth
from deepcritical.domain.tool.chat import SimilarRun
from deepcritical.domain.tool.registry import (
    NOTICE,
    DeepResearchInput,
    Question,
    Rounds,
    SearchInput,
)
from deepcritical.domain.tool.traces import TraceMetrics, TraceStatus
from deepcritical.interfaces.access import Caller

Tell = Callable[[float, str], Awaitable[None]]
"""Tells the client how far a call is, 0-1, and what happened."""


class Needs(Enum):
    """The permission that a tool needs."""

    READ = "read"
    """Nothing, unless runs are private: then the run says who may read it."""
    USER = "user"
    """To say who he is."""
    WORK = "work"
    """The same, and it is work for the server."""
    START = "start"
    """The same, and it starts a run."""


class Call(NamedTuple):
    """One call of a tool."""

    caller: Caller
    """The caller."""
    model: str
    """As ``provider:name``; '' is the server's own."""
    key: SecretStr | None
    """The user's own key for the model, of this call only."""
    tell: Tell
    check_reader: Callable[[str, str], None]
    """Refuses to let the caller read a run, given by its id and its owner; '' without a run."""
    attached: Callable[[str], AbstractContextManager[None]]
    """Says that this call waits for the run of that id: cancelling the one stops the other."""


Run = Callable[[Call, Any], Awaitable[Model]]
"""Does what a tool does, with its arguments, checked."""


class Tool(NamedTuple):
    """One tool, of which everything else is told to the client."""

    name: str
    title: str
    description: str
    arguments: type[Model]
    result: type[Model]
    run: Run
    needs: Needs = Needs.READ
    changes: bool = False
    """True if it changes anything, such as starting a run."""
    destroys: bool = False
    """True if what it ends cannot be had back."""
    asks_sources: bool = False
    """True if it reaches beyond the server."""

    def checked(self, given: dict[str, Any]) -> Model:
        """The arguments.

        Raises:
            ToolError: One is missing, unknown or of no use; it is named, and no value is.
        """
        try:
            return self.arguments.model_validate(given)
        except ValidationError as error:
            raise ToolError(f"{_told(error)} Correct it and call {self.name} again.") from None


class ToolError(Exception):
    """A call that ends as an error of its tool."""

    def __init__(self, text: str, output: Model | None = None) -> None:
        super().__init__(text, output)
        self.text = text
        self.output = output


def _told(error: ValidationError) -> str:
    faults = error.errors(include_url=False, include_input=False, include_context=False)
    return " ".join(f"`{'.'.join(map(str, f['loc']))}`: {f['msg']}." for f in faults)


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


class Started(Model):
    """A run that was started."""

    trace_id: str
    """Keep it: it is what get_research_status, get_report and cancel_research want."""
    kind: Literal["answer", "report"]
    next: str
    """What to do next."""


class ResearchStatus(Model):
    """The progress of a run."""

    trace_id: str
    question: str
    status: TraceStatus
    progress: UnitInterval
    stage: str
    message: str
    """The last thing that happened."""
    error_message: str = ""
    """Why it failed."""


class SimilarResearch(Model):
    """Former runs that may answer a question already."""

    runs: tuple[SimilarRun, ...]
    """Best first, three at most; `run_id` is the trace_id that get_report wants."""
    notice: str = NOTICE


class ReportText(Model):
    """A report, or an answer, in one format."""

    trace_id: str
    kind: Literal["answer", "report"]
    format: str
    content: str
    notice: str = NOTICE


class TraceEvent(Model):
    """One thing that happened in a run."""

    seq: int
    at: datetime
    stage: str
    progress: UnitInterval
    type: str
    text: str


class TraceOutput(Model):
    """The events of a run, and its costs."""

    trace_id: str
    question: str
    status: TraceStatus
    stage: str
    progress: UnitInterval
    events: tuple[TraceEvent, ...]
    metrics: TraceMetrics
    error_message: str = ""
    notice: str = NOTICE


class FoundRecord(Model):
    """A record of a source."""

    id: str
    """The best one of its ids."""
    ids: tuple[str, ...]
    title: str
    year: str
    """'' when the source does not say."""
    kind: str
    """Status of a trial, or publication types."""
    url: str
    snippet: str
    integrity: str
    """retracted, concern, corrected, clean or not_checked."""


class SearchOutput(Model):
    """The answer of a source."""

    source: str
    outcome: str
    """data, empty, or degraded when some of it could not be read."""
    query_as_run: str
    """Exactly as the source was asked."""
    total: int
    """Records that match at the source."""
    records: tuple[FoundRecord, ...]
    skipped: tuple[str, ...]
    """Records that could not be read, each with the reason."""
    notice: str = NOTICE


class CheckMade(Model):
    """One check of a sentence."""

    kind: str
    outcome: str
    reason: str


class Verified(Model):
    """The verdict on a sentence and the records that it cites."""

    claim: str
    verdict: ClaimVerdict
    reasons: tuple[str, ...]
    """Why it is not supported."""
    supported: bool = Field(json_schema_extra={"deprecated": True})
    """Whether the verdict is "supported". Deprecated: read `verdict`."""
    overstated: bool = Field(default=False, json_schema_extra={"deprecated": True})
    """Always false. Deprecated: what the source says less firmly is "cannot tell"."""
    reason: str = Field(json_schema_extra={"deprecated": True})
    """All reasons in one text. Deprecated: read `reasons`."""
    source: FoundRecord | None
    """The record that decided."""
    quotes: tuple[str, ...]
    """The words of the source that it rests on, best first."""
    checks: tuple[CheckMade, ...]
    not_found: tuple[str, ...]
    """Ids of which there is no record; a sentence that cites only such is not supported."""
    notice: str = NOTICE
