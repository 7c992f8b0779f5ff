"""Requests and responses of the REST API. No model here has a field for a key."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints
from starlette.responses import Response

from deepcritical.domain.appraisal.votes import Tier
from deepcritical.domain.base import Model, UnitInterval
from deepcritical.domain.evidence.record import Citation, Evidence, EvidenceMetadata
from deepcritical.domain.run.events import LoggedEvent, RunCompleted, StopReason
from deepcritical.domain.tool.chat import SimilarRun
from deepcritical.domain.tool.registry import DeepResearchInput, Question, ReportInput
from deepcritical.domain.tool.traces import Folded, TraceMetrics, TraceStatus, TraceSummary, fold
from deepcritical.export.formats import formats_of
from deepcritical.interfaces.access import Caller
from deepcritical.interfaces.render import told
from deepcritical.interfaces.sharing import DEFAULT_HOURS, MAX_HOURS
from deepcritical.jobs.run import RunView
from deepcritical.jobs.runs import RunService

ROOT = "/api/runs"
ModelChoice = Annotated[str, StringConstraints(max_length=200)]
Name = Annotated[str, StringConstraints(max_length=200)]


class ResearchRequest(ReportInput):
    """A question of drug repurposing; the run ends with a report."""

    tool: Literal["research"]
    model: ModelChoice = ""
    """As provider:name, with the header X-Model-Key; empty for the server's own."""


class DeepResearchRequest(DeepResearchInput):
    """Any biomedical question; the run ends with an answer."""

    tool: Literal["deep_research"]
    model: ModelChoice = ""
    """As for `research`."""


class AgainRequest(Model):
    """With what the question of a finished run is asked again."""

    model: ModelChoice = ""
    """As for `research`; the model of the finished run is not kept."""


StartRequest = Annotated[ResearchRequest | DeepResearchRequest, Field(discriminator="tool")]


class StartedRun(Model):
    """A run that was accepted."""

    id: str
    """A random uuid4; where no tokens are asked for, it gives access to read the run."""
    links: dict[str, str]
    owner_token: str = ""
    """For an anonymous user who sent none: send it as Bearer token to list and stop runs."""


class RunListed(Model):
    """A run as it stands."""

    id: str
    tool: str
    question: str
    status: TraceStatus
    ended: bool
    progress: UnitInterval
    stage: str
    started_at: datetime | None
    completed_at: datetime | None
    error: str
    metrics: TraceMetrics
    links: dict[str, str]


class RunShown(RunListed):
    """A run as it stands, with how it ended."""

    stop_reason: StopReason | None
    """Why the search ended; None for a run that has not completed."""
    outcome: str
    """The verdict, or how much of the checklist is answered."""
    files: dict[str, str]
    """The report, or the answer, by file suffix; none before the end."""
    queue_position: int | None
    """Its place among the runs that wait for their first step, from 1 on; None once it has one."""
    no_worker: bool
    """Whether it waits, and no process is there to conduct it."""
    former: str
    """Id of the run whose question this one asks again; empty for none."""


class ShareRequest(Model):
    """The lifetime of a share link."""

    hours: int = Field(default=DEFAULT_HOURS, ge=1, le=MAX_HOURS)


class SharedRun(Model):
    """A link with which others read a run; keep it as you keep the run itself."""

    page: str
    """Where a browser reads the run."""
    share: str
    """What a program adds to the addresses of this run as `?share=`."""
    expires_at: datetime
    """When the link ends (UTC)."""


class RunPage(Model):
    """Runs of one user, the newest first."""

    runs: tuple[RunListed, ...]
    next: str | None
    """Address of the page with older ones; None on the last."""


class EventShown(LoggedEvent):
    """An event of a run, with words for people."""

    text: str


class EventPage(Model):
    """Events of a run so far."""

    events: tuple[EventShown, ...]
    ended: bool
    """Whether none will follow these."""
    next: int
    """What `after` is next time."""


class SimilarShown(SimilarRun):
    """A former run of yours of nearly the same question."""

    ago: str
    """How long ago it ended, such as ``3 days``."""
    links: dict[str, str]


class SimilarPage(Model):
    """Former runs that may answer a question already; they are offered, never used unasked."""

    runs: tuple[SimilarShown, ...]
    """Best first, three at most."""


class ServerShown(Model):
    """The reasoner and the sources of this server."""

    reasoner: str
    sources: tuple[str, ...]
    """One line on each."""


class ClaimReference(Model):
    """A record that a claim may rest on."""

    id: Name = ""
    """As the claim cites it, such as ``E12``; by default E1, E2 and so on."""
    title: Annotated[str, StringConstraints(min_length=1, max_length=1000)]
    text: Annotated[str, StringConstraints(max_length=20_000)]
    """Its abstract, or whatever of it can be quoted."""
    pmid: Name | None = None
    pmcid: Name | None = None
    doi: Name | None = None
    nct_id: Name | None = None
    retracted: bool = False

    def as_evidence(self) -> Evidence:
        """The record."""
        ids = {name: getattr(self, name) for name in ("pmid", "pmcid", "doi", "nct_id")}
        kinds = ("Retracted Publication",) if self.retracted else ()
        return Evidence(
            content=self.text,
            citation=Citation(source="web", title=self.title, url=""),
            metadata=EvidenceMetadata(**ids, publication_types=kinds),
        )


class ChangedEvidence(Model):
    """The studies that a verdict is to rest on; all of them if neither field is set."""

    without: tuple[Annotated[str, StringConstraints(min_length=1, max_length=200)], ...] = Field(
        default=(), max_length=500
    )
    """Studies to leave out, each by the id of a record of it: `pmid:12345678`, or its id in the
    run."""
    only: Tier | None = None
    """Only studies whose results came about so: `randomised`, `controlled` or `uncontrolled`."""


class ClaimToVerify(Model):
    """A sentence, and the records that it is said to rest on."""

    claim: Question
    references: Annotated[tuple[ClaimReference, ...], Field(min_length=1, max_length=20)]
    quote: Annotated[str, StringConstraints(min_length=1, max_length=5000)] | None = None
    """Words of a record that the sentence is said to rest on; by default they are found."""

    def records(self) -> dict[str, Evidence]:
        """The records by id."""
        numbered = enumerate(self.references, 1)
        return {given.id or f"E{number}": given.as_evidence() for number, given in numbered}


def run_links(run_id: str) -> dict[str, str]:
    """Return the addresses for reading and stopping a run."""
    at = f"{ROOT}/{run_id}"
    parts = ("events", "cancel", "write-now", "resume", "again", "output")
    return {"self": at} | {part.replace("-", "_"): f"{at}/{part}" for part in parts}


def started_run(run_id: str, caller: Caller, response: Response) -> StartedRun:
    """A run that was accepted, whose address the response tells, too."""
    links = run_links(run_id)
    response.headers["Location"] = links["self"]
    return StartedRun(id=run_id, links=links, owner_token=caller.owner_token)


def run_listed(trace: TraceSummary) -> RunListed:
    """A run of the list."""
    question = str(trace.input_params.get("question", ""))
    return RunListed(**_standing(trace.id, trace.tool_name, question, trace))


def _standing(run_id: str, tool: str, question: str, at: Folded | TraceSummary) -> dict[str, Any]:
    return {
        "id": run_id,
        "tool": tool,
        "question": question,
        "status": at.status,
        "ended": at.status.ended,
        "progress": at.progress,
        "stage": at.current_stage,
        "started_at": at.started_at,
        "completed_at": at.completed_at,
        "error": at.error_message,
        "metrics": at.metrics,
        "links": run_links(run_id),
    }


def similar_shown(found: Sequence[SimilarRun]) -> SimilarPage:
    """Former runs."""
    shown = (SimilarShown(**dict(one), ago=one.age, links=run_links(one.run_id)) for one in found)
    return SimilarPage(runs=tuple(shown))


async def run_shown(run: RunView, runs: RunService) -> RunShown:
    """A run as its events tell it.

    Raises:
        StorageError: They cannot be read.
    """
    events = await run.events()
    end = events[-1].event if events else None
    done = end if isinstance(end, RunCompleted) else None
    place = None if events else await runs.queue_position(run.run_id)
    document = run.report or run.answer
    suffixes = formats_of(document) if document else ()
    return RunShown(
        **_standing(run.run_id, run.tool_name, run.question, fold(events)),
        stop_reason=done.stop_reason if done else None,
        outcome=done.verdict if done else "",
        files={suffix: f"{ROOT}/{run.run_id}/export/{suffix}" for suffix in suffixes},
        queue_position=place,
        no_worker=place is not None and not await runs.anybody_conducts(),
        former=run.former,
    )


def events_shown(events: Sequence[LoggedEvent], after: int, ended: bool) -> EventPage:
    """Events above a number."""
    shown = tuple(EventShown(**dict(logged), text=told(logged)) for logged in events)
    return EventPage(events=shown, ended=ended, next=shown[-1].seq if shown else after)
