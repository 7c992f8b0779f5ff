"""Events of a run, typed. Every interface shows a run from its log of events."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from deepcritical.domain.appraisal.checklist import Checklist, Inquiry, ItemCoverage
from deepcritical.domain.base import Model, UnitInterval
from deepcritical.domain.question.question import ResearchQuestion
from deepcritical.domain.run.budget import Judgement, RunLimits, Spent


class Stage(StrEnum):
    """The stage of a run."""

    QUESTION = "question"
    SEARCH = "search"
    HYPOTHESES = "hypotheses"
    JUDGEMENT = "judgement"
    REPORT = "report"
    DONE = "done"


class StopReason(StrEnum):
    """The reason why research stopped and the report was written."""

    SUFFICIENT_EVIDENCE = "sufficient_evidence"
    MAX_ITERATIONS = "max_iterations_reached"
    NO_NEW_EVIDENCE = "no_new_evidence"
    NO_EVIDENCE = "no_evidence"
    DEADLINE = "deadline"
    CHECKLIST_SATISFIED = "checklist_satisfied"
    BUDGET = "budget"
    USER_STOP = "user_stop"


class RunStarted(Model):
    """The first event of a run."""

    type: Literal["run_started"] = "run_started"
    question: str
    reasoner: str


class SourcesOpened(Model):
    """The sources of the run are open."""

    type: Literal["sources_opened"] = "sources_opened"
    sources: tuple[str, ...]
    """One line on each."""


class BudgetPlanned(Model):
    """The expected cost of models, before the first call and again before records are read."""

    type: Literal["budget_planned"] = "budget_planned"
    model: str
    estimate: Spent
    """What a run of these limits is expected to cost, within them."""
    limits: RunLimits
    new_records: int = 0
    """Records that a model is to read, as far as that is known."""


class DeadlineMoved(Model):
    """The model is slow, and the run gets more time; no deadline was set."""

    type: Literal["deadline_moved"] = "deadline_moved"
    model: str
    first_answer_s: float
    """Seconds that its first answer took."""
    deadline_s: float
    """Seconds that the run may take now."""


class JudgementMade(Model):
    """A model was asked for a judgement, or rules made it in the model's place."""

    type: Literal["judgement_made"] = "judgement_made"
    judgement: Judgement
    made_by: Literal["model", "model in part", "rules"]
    reason: str = ""
    """Why rules made it, or a part of it."""
    dropped: int = 0
    """Quotes and ids of the answer that are in no record; they are never used."""
    spent: Spent
    """Of the whole run so far."""


class QuestionRefined(Model):
    """The question was understood."""

    type: Literal["question_refined"] = "question_refined"
    question: ResearchQuestion


class AgentCalled(Model):
    """The manager handed the turn to an agent."""

    type: Literal["agent_called"] = "agent_called"
    agent: str
    instruction: str
    iteration: int
    chosen_by: Literal["code", "model"] = "code"


class Searched(Model):
    """One query as it was run against one source, and what came of it."""

    source: str
    query: str
    """In plain words."""
    query_as_run: str = ""
    """Exactly as the source was asked; '' when it could not be read."""
    outcome: str
    """One of `data`, `empty`, `degraded`, `unavailable`, `not_applicable`."""
    total: int = 0
    """Records that match at the source (PRISMA-S: hits)."""
    identified: int
    """Records in the answer."""
    new: int
    """Those that the run did not have yet: what is kept after duplicates are merged."""
    cached: bool = False
    """Whether the answer was kept from an earlier search."""


class SourceSearched(Searched):
    """One query was run against one source."""

    type: Literal["source_searched"] = "source_searched"
    seconds: float | None = Field(default=None, ge=0)
    """Until the source answered, waiting for its turn included; None for a snapshot."""


class IntegrityChecked(Model):
    """Retractions of the records that bear on the question were looked up."""

    type: Literal["integrity_checked"] = "integrity_checked"
    checked: int
    """Records that were looked up."""
    failed: int
    """Those of them of which nothing is known, because the look-up did not succeed."""
    found: tuple[str, ...] = ()
    """Titles of records that the look-up found retracted or of concern."""


class EvidenceProcessed(Model):
    """New records were read and graded."""

    type: Literal["evidence_processed"] = "evidence_processed"
    read: int
    included: int
    facts_located: int
    facts_dropped: int
    """Facts whose quote was not in the record; they are never used."""


class RecordRead(Model):
    """The reader of a record, and the parts of it that could not be read."""

    evidence_id: str
    reader: str
    """``registry``, ``curated``, ``rules``, or the model as ``provider:name``."""
    results: int
    unread: tuple[str, ...] = ()
    title: str = ""
    """Of its record, at most 120 characters; '' where it gives no result."""
    told: str = ""
    """Design and first result in a few words."""


class RecordsRanked(Model):
    """The records found so far were ranked for the question: what is read and told first."""

    type: Literal["records_ranked"] = "records_ranked"
    records: int
    retrieval: str
    """``hybrid (BM25 + all-MiniLM-L6-v2)``, or ``lexical (BM25): `` and the reason."""


class StudiesRead(Model):
    """Records were read, each into what it says of its study."""

    type: Literal["studies_read"] = "studies_read"
    records: tuple[RecordRead, ...]


class HypothesesProposed(Model):
    """Mechanism chains were found."""

    type: Literal["hypotheses_proposed"] = "hypotheses_proposed"
    chains: tuple[str, ...]


class EvidenceAssessed(Model):
    """The judge scored the evidence."""

    type: Literal["evidence_assessed"] = "evidence_assessed"
    mechanism_score: int
    clinical_score: int
    recommendation: str
    gaps: tuple[str, ...]


class RoundChosen(Model):
    """Research goes on; this is what the next round goes for."""

    type: Literal["round_chosen"] = "round_chosen"
    iteration: int
    """The round that comes."""
    gaps: tuple[str, ...]
    """The gaps that it is to close, the first one first."""
    searches: int
    """Open queries that it begins with."""
    postponed: int
    """Open queries that are left for a later round."""
    made_by: Literal["model", "rules"]
    wanted: bool
    """Whether the judge wanted another round; that there is one is decided by code."""


class InquiryRefined(Model):
    """A free question was understood."""

    type: Literal["inquiry_refined"] = "inquiry_refined"
    inquiry: Inquiry


class ChecklistMade(Model):
    """The checklist of a free question: what an answer must cover."""

    type: Literal["checklist_made"] = "checklist_made"
    checklist: Checklist


class FactsMapped(Model):
    """New records were read for the items of the checklist."""

    type: Literal["facts_mapped"] = "facts_mapped"
    read: int
    facts_located: int
    facts_dropped: int
    """Facts whose quote was not in the record; they are never used."""


class CompletenessChecked(Model):
    """The coverage of each checklist item by the facts."""

    type: Literal["completeness_checked"] = "completeness_checked"
    iteration: int
    items: tuple[ItemCoverage, ...]


class AnswerWritten(Model):
    """The answer is in the store."""

    type: Literal["answer_written"] = "answer_written"
    satisfied: int
    """Checklist items."""
    items: int
    references: int


class ReferencesValidated(Model):
    """The references of the report were checked against the store."""

    type: Literal["references_validated"] = "references_validated"
    kept: int
    removed: tuple[str, ...]
    """Titles of references that do not exist in the store."""
    dangling: tuple[int, ...] = ()
    """This and the next are of former versions, which renumbered citations in their prose."""
    unsupported: int = 0


class ClaimsChecked(Model):
    """The sentences of the report were checked against what they cite."""

    type: Literal["claims_checked"] = "claims_checked"
    checked: int
    failed: tuple[str, ...]


class ReportWritten(Model):
    """The report is in the store."""

    type: Literal["report_written"] = "report_written"
    verdict: str
    references: int


class Notice(Model):
    """Something the reader must know: a fallback, an unknown name, a bound that was met."""

    type: Literal["notice"] = "notice"
    message: str


class RunCompleted(Model):
    """Terminal: there is a report."""

    type: Literal["run_completed"] = "run_completed"
    stop_reason: StopReason
    verdict: str
    """Of a report; of an answer, how much of its checklist is satisfied."""
    references: int


class RunFailed(Model):
    """Terminal: there is no report."""

    type: Literal["run_failed"] = "run_failed"
    error: str
    message: str
    advice: str = ""


class RunCancelled(Model):
    """Terminal: the user stopped the run."""

    type: Literal["run_cancelled"] = "run_cancelled"


Event = Annotated[
    RunStarted
    | SourcesOpened
    | BudgetPlanned
    | DeadlineMoved
    | JudgementMade
    | QuestionRefined
    | AgentCalled
    | SourceSearched
    | EvidenceProcessed
    | RecordsRanked
    | StudiesRead
    | HypothesesProposed
    | IntegrityChecked
    | EvidenceAssessed
    | RoundChosen
    | InquiryRefined
    | ChecklistMade
    | FactsMapped
    | CompletenessChecked
    | AnswerWritten
    | ReferencesValidated
    | ClaimsChecked
    | ReportWritten
    | Notice
    | RunCompleted
    | RunFailed
    | RunCancelled,
    Field(discriminator="type"),
]

TERMINAL = (RunCompleted, RunFailed, RunCancelled)
"""A run has exactly one of these, as its last event."""


class LoggedEvent(Model):
    """An event in its place in the log."""

    run_id: str
    seq: int = Field(ge=1)
    """1, 2, 3 ... without a gap."""
    at: datetime
    stage: Stage
    progress: UnitInterval
    """Share of the run that is done; never goes back."""
    event: Event


class KeyedEvent(NamedTuple):
    """An event of a run, and what it is recognised by."""

    key: str
    logged: LoggedEvent


class EventKeys:
    """Gives each event of one run its key: its content, and how often it came before."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def of(self, event: Mapping[str, Any]) -> str:
        """The key of the next event, given as JSON."""
        text = json.dumps(event, sort_keys=True, separators=(",", ":"))
        content = hashlib.sha256(text.encode()).hexdigest()[:32]
        self._seen[content] += 1
        return f"{content}-{self._seen[content]}"
