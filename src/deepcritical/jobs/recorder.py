"""Records every effect of a run, and gives the run only what is recorded.

A run that another process takes over replays its steps. Their results come from the journal, so
that they take the same way up to where the run was interrupted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar, cast, get_type_hints

from pydantic import Field, TypeAdapter

from deepcritical.domain.appraisal.findings import Reading
from deepcritical.domain.base import Model
from deepcritical.domain.errors import (
    ConfigurationError,
    DeepCriticalError,
    RecordedError,
    StorageError,
)
from deepcritical.domain.evidence.drug_facts import DrugFacts
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.question.frame import OutsideName
from deepcritical.domain.question.question import SearchQuery
from deepcritical.domain.run.events import DeadlineMoved, Event, RunCancelled, RunFailed
from deepcritical.jobs.engine import Journal
from deepcritical.reasoning.base import Reasoner
from deepcritical.research.session import ResearchSession
from deepcritical.services.storage.model_answers import STEP, AnswerBook
from deepcritical.services.tasks import calculated
from deepcritical.services.telemetry import OFF, Telemetry, attributes_of
from deepcritical.tools.base import Ranking, SourceResult
from deepcritical.tools.fulltext import FullTextAnswer
from deepcritical.tools.search_handler import SourceAnswer

T = TypeVar("T")


class _Answer(Model):
    """A `SourceAnswer`; of its query what the reader is told, not until when it was asked."""

    source: str
    query: SearchQuery
    result: SourceResult
    searched_at: datetime | None
    error: RecordedError | None
    seconds: float | None = None

    @classmethod
    def of(cls, answer: SourceAnswer) -> _Answer:
        asked = {name: getattr(answer.query, name) for name in SearchQuery.model_fields}
        error = RecordedError.of(answer.error) if answer.error else None
        return cls(**{**answer._asdict(), "query": SearchQuery(**asked), "error": error})

    def restored(self) -> SourceAnswer:
        error = self.error.restored() if self.error else None
        return SourceAnswer(**{**dict(self), "error": error})


class Read(Model):
    """The readings that were given, and the error that ended them early."""

    readings: tuple[Reading, ...]
    error: RecordedError | None = None


class Begun(Model):
    """The facts that hold for a run from its first step on, in every process."""

    started_at: datetime
    """UTC."""
    searched_on: str
    """ISO date, UTC."""
    reasoner: str
    """Its name."""


class Outcome(Model):
    """The ending of one call; a schedule of steps branches on nothing else."""

    result: Any = None
    """As JSON; None when there is an error."""
    error: RecordedError | None = None
    told: tuple[Event, ...] = ()
    """Events of the reasoner during the call, in order."""
    finished_at: datetime
    """UTC."""
    elapsed_s: float
    """Seconds since the run's first step, at the call's end."""
    stop_wanted: bool = False
    """True where by then the user had asked for the report from what was found."""
    left: dict[str, Any] = Field(default_factory=dict)
    """State that the reasoner keeps for later calls, such as its spending; see `remembered`."""


class Form(Generic[T]):
    """The results of one kind of call; `taken` makes what is recorded of one, `given` undoes it."""

    def __init__(
        self,
        name: str,
        recorded: Any,
        taken: Callable[[T], Any] = lambda value: value,
        given: Callable[[Any], T] = lambda value: value,
    ) -> None:
        self.name = name
        self.kind = recorded
        self._adapter: TypeAdapter[Any] = TypeAdapter(recorded)
        self._taken = taken
        self._given = given

    def dump(self, result: T) -> Any:
        """Return a result as JSON."""
        return self._adapter.dump_python(self._taken(result), mode="json")

    def load(self, plain: Any) -> T:
        """Return the result of its JSON."""
        return self._given(self._adapter.validate_python(plain))


BEGIN: Form[Begun] = Form("begin", Begun)
EXECUTE: Form[tuple[SourceAnswer, ...]] = Form(
    "execute",
    tuple[_Answer, ...],
    lambda answers: tuple(map(_Answer.of, answers)),
    lambda recorded: tuple(map(_Answer.restored, recorded)),
)
CHECK_INTEGRITY: Form[tuple[Evidence, ...]] = Form("check_integrity", tuple[Evidence, ...])
DRUG_FACTS: Form[tuple[DrugFacts, ...]] = Form("drug_facts", tuple[DrugFacts, ...])
FULL_TEXTS: Form[tuple[FullTextAnswer, ...]] = Form("full_texts", tuple[FullTextAnswer, ...])
LOOK_UP_NAMES: Form[tuple[OutsideName, ...]] = Form("look_up_names", tuple[OutsideName, ...])
RANK_RECORDS: Form[Ranking] = Form("rank_records", Ranking)
READ_ALL: Form[Read] = Form("read_all", Read)


def form_of(method: Callable[..., Awaitable[T]]) -> Form[T]:
    """Return the form of a judgement: its name, and its result as the method declares it."""
    return Form(method.__name__, get_type_hints(method)["return"])


_TOLD: ContextVar[list[Event] | None] = ContextVar("told", default=None)
"""Events of the call under way; None between calls."""


@dataclass(frozen=True)
class Host:
    """The environment of a run; the defaults are for a run that ends with its process."""

    journal: Journal = field(default_factory=Journal)
    wants_stop: Callable[[], bool] = lambda: False
    """Test of whether the user wants the report from what was found; run after every call."""
    lets_go: Callable[[], bool] = lambda: False
    """Test of whether a run that is cancelled here continues elsewhere or later, so that its log
    gets no end."""
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    telemetry: Telemetry = OFF
    """Receives what is done here, not what comes from the record."""
    answers: AnswerBook = field(default_factory=AnswerBook)
    """The answers of models in steps that are not recorded yet."""


class Recorder:
    """The records of one run, and its time, which stands still between them.

    A call that was under way when its process died is made again. Of its requests to models only
    those in flight are repeated, and the run is charged for both: see `services.model_answers`.
    """

    def __init__(self, session: ResearchSession, host: Host) -> None:
        self._session = session
        self._host = host
        self.telemetry = host.telemetry
        self.answers = host.answers
        self._calls = 0
        self.deadline: asyncio.Timeout | None = None
        """Ends the run when its time is over."""
        self._clock = session.clock
        self._begun_at_s = session.clock()
        self._before_s = 0.0
        self._recorded_s = 0.0
        self._refused: StorageError | None = None
        self.started_at = host.now()
        """Time at which the run began, in any process (UTC)."""
        session.go_by(lambda: self._recorded_s)

    @property
    def elapsed_s(self) -> float:
        """Seconds that processes have had the run since its first step.

        The seconds of a former process count up to its last record, and at most up to the end of
        research, so that the whole time for the report is left.
        """
        return self._before_s + self._clock() - self._begun_at_s

    @property
    def left_s(self) -> float:
        """Seconds until the report must be there."""
        return max(0.0, self._session.limits.deadline_s - self.elapsed_s)

    @property
    def search_s(self) -> float:
        """Seconds that a search may take; after the time for research, half of what is left."""
        research_s = self._session.limits.research_deadline_s - self.elapsed_s
        return max(research_s, self.left_s / 2)

    async def begin(self) -> None:
        """Record when and with what the run begins, or continue with what is recorded.

        Raises:
            ConfigurationError: It began with another reasoner.
            ResearchCancelled: As `Journal.record`.
        """
        session = self._session

        async def effect() -> Begun:
            return Begun(
                started_at=self._host.now(),
                searched_on=session.searched_on,
                reasoner=session.reasoner.name,
            )

        begun = await self.call(BEGIN, effect)
        if begun.reasoner != session.reasoner.name:
            raise ConfigurationError(
                f"The run was begun with the reasoner {begun.reasoner}, and here it is "
                f"{session.reasoner.name}.",
                "Set the same model again, or ask the question anew.",
            )
        self.started_at = begun.started_at
        session.searched_on = begun.searched_on

    async def call(
        self, form: Form[T], effect: Callable[[], Awaitable[T]], keeper: Reasoner | None = None
    ) -> T:
        """Return the recorded result of an effect; a replay tells its events again.

        The `keeper` keeps something for later calls.

        Raises:
            DeepCriticalError: What the effect raised, as it is recorded.
            ResearchCancelled: As `Journal.record`.
            StorageError: The run was ended elsewhere.
        """
        done_here = False
        self._calls += 1  # before anything is awaited: in the same order in every process
        step = f"{self._calls}:{form.name}"

        async def recorded() -> dict[str, Any]:
            nonlocal done_here
            done_here = True
            STEP.set(step)  # of a task of its own, or overwritten by the next call
            return await self._done(form, effect, keeper)

        plain = await self._host.journal.record(form.name, recorded)
        outcome, result = await calculated(_restored, form, plain)
        if not done_here:
            self._go_on_behind(outcome)
            if keeper:
                keeper.remember(outcome.left)
        # Of calls made at once the later one counts, in whichever order a replay restores them.
        self._recorded_s = max(self._recorded_s, outcome.elapsed_s)
        self._session.stop_wanted = outcome.stop_wanted
        for event in () if done_here else outcome.told:
            await self._session.hear(event)
        if not done_here:
            self._reset_deadline()
        if error := self._refused or (outcome.error and outcome.error.restored()):
            raise error
        return cast("T", result)

    def _go_on_behind(self, outcome: Outcome) -> None:
        """Count the time from a record of a former process on: nobody had the run in between."""
        before_s = min(outcome.elapsed_s, self._session.limits.research_deadline_s)
        self._before_s = max(self._before_s, before_s)
        self._begun_at_s = self._clock()

    def _reset_deadline(self) -> None:
        """Move the deadline with the time that does not count, and with what a slow model gets."""
        if self.deadline and not self.deadline.expired():
            self.deadline.reschedule(asyncio.get_running_loop().time() + self.left_s)

    async def _done(
        self, form: Form[T], effect: Callable[[], Awaitable[T]], keeper: Reasoner | None
    ) -> dict[str, Any]:
        told: list[Event] = []
        result: T | None = None
        error: RecordedError | None = None
        token = _TOLD.set(told)
        step = {"deepcritical.step": form.name}
        with self.telemetry.span(f"step {form.name}", step) as span:
            try:
                result = await effect()
            except DeepCriticalError as raised:
                error = RecordedError.of(raised)
                span.fail(error.kind)
            finally:
                _TOLD.reset(token)
        stop = self._session.stop_wanted or self._session.stop_asked
        outcome = Outcome(
            error=error,
            told=tuple(told),
            finished_at=self._host.now(),
            elapsed_s=self.elapsed_s,
            stop_wanted=stop or self._host.wants_stop(),
            left=keeper.remembered() if keeper else {},
        )
        return await calculated(_dumped, form, outcome, result)

    def ended(self, ending: Event) -> None:
        """Report the end of the run to telemetry."""
        error = ending.error if isinstance(ending, RunFailed) else ""
        error = "cancelled" if isinstance(ending, RunCancelled) else error
        run_id = self._session.log.run_id
        told = attributes_of(run_id, self._session.log.events, ending)
        self.telemetry.run_ended(run_id, self.started_at, told, error)

    async def tell(self, event: Event) -> None:
        """Log an event at once, and keep it for the record of the call under way.

        A call that is repeated after its process died tells again; the log drops what it has.
        """
        told = _TOLD.get()
        if told is None:
            await self._session.hear(event)
            return
        told.append(event)
        try:
            await self._session.hear(event)
            if isinstance(event, DeadlineMoved):
                self._reset_deadline()
        except StorageError as error:
            # A log that takes no more is no outcome of the call, and is not recorded.
            self._refused = error


def _dumped(form: Form[Any], outcome: Outcome, result: Any) -> dict[str, Any]:
    plain = outcome.model_dump(mode="json")
    return plain if outcome.error else {**plain, "result": form.dump(result)}


def _restored(form: Form[Any], plain: dict[str, Any]) -> tuple[Outcome, Any]:
    outcome = Outcome.model_validate(plain)
    return outcome, None if outcome.error else form.load(outcome.result)
