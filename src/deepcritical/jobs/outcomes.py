"""The record of one call of a run, as JSON from which exactly the same is restored."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any, Generic, TypeVar, get_type_hints

from pydantic import Field, TypeAdapter

from deepcritical.domain.appraisal import Reading
from deepcritical.domain.base import Model
from deepcritical.domain.drug_facts import DrugFacts
from deepcritical.domain.events import Event
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.frame import OutsideName
from deepcritical.domain.question import SearchQuery
from deepcritical.domain.recorded_errors import RecordedError
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
