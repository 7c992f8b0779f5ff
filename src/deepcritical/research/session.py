"""The state of one run: its question, store, log and limits. Nothing of a run is global."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from deepcritical.domain.appraisal.checklist import Inquiry
from deepcritical.domain.errors import DeepCriticalError
from deepcritical.domain.question.question import ResearchQuestion, SearchQuery
from deepcritical.domain.run import events
from deepcritical.domain.run.budget import RunLimits, Spent
from deepcritical.domain.run.plan import ResearchPlan
from deepcritical.domain.run.recipe import Recipe
from deepcritical.reasoning.base import Reasoner
from deepcritical.services.event_log import EventLog
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.services.storage.study_readings import owner_of_run
from deepcritical.tools.base import CheckIntegrity, LookUpFacts, LookUpNames, RankRecords
from deepcritical.tools.fulltext import FetchFullTexts
from deepcritical.tools.search_handler import Searches
from deepcritical.tools.snapshot import BUNDLED

_WITHIN_ROUND = {
    events.Stage.QUESTION: 0.0,
    events.Stage.SEARCH: 0.1,
    events.Stage.HYPOTHESES: 0.4,
    events.Stage.JUDGEMENT: 0.8,
    events.Stage.REPORT: 1.0,
    events.Stage.DONE: 1.0,
}
_RESEARCH_SHARE = 0.85


class RunSources(NamedTuple):
    """The sources of one run, open."""

    handler: Searches
    described: tuple[str, ...]
    """One line on each source, for the report."""
    check_integrity: CheckIntegrity | None = None
    """None when retractions are not looked up beside what the sources say."""
    look_up: LookUpNames | None = None
    """Knows names that no table has; None where nobody can be asked."""
    records: RankRecords | None = None
    """Ranks what was found; None where records are taken as their sources rank them."""
    facts: LookUpFacts | None = None
    """Knows what is curated of drugs; None where nobody is to be asked."""
    full_texts: FetchFullTexts | None = None
    """Fetches full texts; None where abstracts alone are read."""


@dataclass
class ResearchSession:
    """One run in progress."""

    text: str
    """The question as asked."""
    limits: RunLimits
    reasoner: Reasoner
    log: EventLog
    clock: Callable[[], float]
    """Monotonic seconds."""
    searched_on: str
    """ISO date, UTC."""
    owner: str = ""
    """Owner of this run's readings; '' for those that all users share."""
    context: str = ""
    """Text that the user said beside a free question."""
    sources: RunSources | None = None
    """None until they are open."""
    store: EvidenceStore = field(default_factory=EvidenceStore)
    plan: ResearchPlan | None = None
    """Plan that a person reviewed before the run, if anybody did."""
    question: ResearchQuestion | None = None
    inquiry: Inquiry | None = None
    """The free question as understood."""
    queries_ahead: tuple[SearchQuery, ...] = ()
    """Queries that the next round of a free question searches for."""
    new_facts_in_round: int = 0
    """Facts for the checklist that this round added."""
    spent: Spent = field(default_factory=Spent)
    """On a model, as far as the reasoner told."""
    stop_asked: bool = False
    """True where somebody in this process wants the report, or the answer, from what there is."""
    stop_wanted: bool = False
    """The same, from anywhere, as of the last effect: what a schedule of steps goes by."""
    iteration: int = 1
    """The round that is under way, from 1."""
    new_in_round: int = 0
    """Records that this round added."""
    answered_in_round: bool = False
    """True where any source answered a query of this round."""
    failed_in_round: bool = False
    """True where any source could not be read in this round."""
    full_texts_asked: set[str] = field(default_factory=set)
    """Records whose full text was asked for."""
    full_texts_closed: set[str] = field(default_factory=set)
    """Records that decide, and whose full text is not open or could not be read."""
    searched_in_round: bool = False
    proposed_in_round: bool = False
    targeted_in_round: bool = False
    spoken_in_round: set[str] = field(default_factory=set)
    """Agents that had a turn in this round."""
    stop_reason: events.StopReason | None = None
    """Set once: from then on only the report is written."""
    cut_short: str = ""
    """Reason that ended research before its time; '' when it ended by rule."""
    failure: DeepCriticalError | None = None
    """Set once: the run ends without a report."""
    notices: list[str] = field(default_factory=list)
    stage: events.Stage = events.Stage.QUESTION

    def __post_init__(self) -> None:
        self._started_s = self.clock()
        self.given_limits = self.limits
        """As they were before anything moved them."""

    def go_by(self, clock: Callable[[], float]) -> None:
        """Count the seconds by this clock, from now."""
        self.clock, self._started_s = clock, clock()

    @property
    def elapsed_s(self) -> float:
        """Seconds since the first step."""
        return self.clock() - self._started_s

    @property
    def research_s(self) -> float:
        """Seconds that are left for research; what is behind them is kept for the report."""
        return max(0.0, self.limits.research_deadline_s - self.elapsed_s)

    @property
    def search_s(self) -> float:
        """Seconds that a search may take: those of research.

        For the first one at least half of the report's, for without records nothing is reported.
        """
        return self.research_s if self.store.searches else max(self.research_s, self.report_s / 2)

    @property
    def report_s(self) -> float:
        """Seconds that are left until the report must be there."""
        return max(0.0, self.limits.deadline_s - self.elapsed_s)

    @property
    def searched(self) -> RunSources:
        """The sources; a programmer's error before they are open."""
        if self.sources is None:
            raise ValueError("the sources must be opened first")
        return self.sources

    @property
    def understood(self) -> ResearchQuestion:
        """The question as understood; a programmer's error before `refine_question`."""
        if self.question is None:
            raise ValueError("refine_question must run first")
        return self.question

    @property
    def inquired(self) -> Inquiry:
        """The free question as understood; a programmer's error before `refine_inquiry`."""
        if self.inquiry is None:
            raise ValueError("refine_inquiry must run first")
        return self.inquiry

    def begin_round(self) -> None:
        """Count a new round of search and judgement."""
        self.iteration += 1
        self.stage = events.Stage.SEARCH
        self.new_in_round = self.new_facts_in_round = 0
        self.answered_in_round = self.failed_in_round = False
        self.searched_in_round = self.proposed_in_round = self.targeted_in_round = False
        self.spoken_in_round.clear()

    async def emit(self, event: events.Event, stage: events.Stage | None = None) -> None:
        """Append an event to the log, with stage and progress out of the session's own state."""
        self.stage = stage or self.stage
        await self.log.append(event, self.stage, self._progress())

    async def notify(self, message: str) -> None:
        """Tell the reader something, in the log now and in the report later."""
        if message not in self.notices:
            self.notices.append(message)
            await self.emit(events.Notice(message=message))

    async def hear(self, event: events.Event) -> None:
        """Log what the reasoner tells; a notice is kept for the report, a dropped quote counted."""
        if isinstance(event, events.Notice):
            await self.notify(event.message)
            return
        if isinstance(event, events.JudgementMade):
            self.store.facts_dropped += event.dropped
            self.spent = event.spent
        elif isinstance(event, events.DeadlineMoved):
            self.limits = self.limits.until(event.deadline_s)
        await self.emit(event)

    def _progress(self) -> float:
        if self.stage is events.Stage.DONE:
            return 1.0
        if self.stage is events.Stage.REPORT:
            return _RESEARCH_SHARE
        done = (self.iteration - 1 + _WITHIN_ROUND[self.stage]) / self.limits.max_iterations
        return round(_RESEARCH_SHARE * done, 3)


def session_of(
    recipe: Recipe, log: EventLog, reasoner: Reasoner, clock: Callable[[], float], user_id: str
) -> ResearchSession:
    """Return the session of a run before its first step, or before it is replayed."""
    return ResearchSession(
        text=recipe.question,
        limits=_limits_of(recipe, log),
        reasoner=reasoner,
        log=log,
        clock=clock,
        searched_on=recipe.searched_on,
        context=recipe.context,
        owner=owner_of(recipe, user_id, log.run_id),
        plan=recipe.plan,
    )


def _limits_of(recipe: Recipe, log: EventLog) -> RunLimits:
    """Return the limits that a run has, which a former process may have moved."""
    told = [e.event for e in log.events if isinstance(e.event, events.DeadlineMoved)]
    return recipe.limits.until(told[-1].deadline_s) if told else recipe.limits


def owner_of(recipe: Recipe, user_id: str, run_id: str) -> str:
    """Return the owner of a run's readings; '' shares them with all users.

    Readings of public records by the operator's model are shared. Those that a user's key pays for,
    or of a private snapshot, are the user's. Those made beside a user's own documents are the
    run's, and are deleted with it.
    """
    if recipe.documents:
        return owner_of_run(run_id)
    place = recipe.place
    private = place.snapshot is not None and place.snapshot not in BUNDLED
    return user_id if recipe.own_key or private else ""
