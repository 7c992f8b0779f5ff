"""Events of a call that is being recorded are told at once, and once."""

from __future__ import annotations

import asyncio
import json
import time
import types
from dataclasses import fields
from datetime import UTC, datetime
from enum import Enum
from functools import cache
from itertools import chain
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest
from annotated_types import Ge, Gt, Le, MaxLen, MinLen
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from deepcritical.domain.errors import (
    ERRORS,
    DeepCriticalError,
    RateLimitError,
    ReasoningError,
    RecordedError,
    StorageError,
)
from deepcritical.domain.question.question import SearchQuery
from deepcritical.domain.run.budget import RunLimits
from deepcritical.domain.run.events import Notice, RunCancelled, Stage
from deepcritical.domain.study.reading import StudyReading
from deepcritical.jobs import recorder as recording
from deepcritical.jobs.conduct import DurableManager, DurableReasoner
from deepcritical.jobs.engine import Effect, Journal
from deepcritical.jobs.recorder import EXECUTE, Form, Host, Outcome, Recorder, form_of
from deepcritical.models.failing import NoAnswerError
from deepcritical.reasoning.base import ExtractiveReasoner, ManagerModel, Reasoner, Studies
from deepcritical.reasoning.llm import Remembered
from deepcritical.research.session import ResearchSession
from deepcritical.services.event_log import EventLog
from deepcritical.tools.base import SourceOutcome, SourceQuery, SourceResult
from deepcritical.tools.deadline import Deadline
from deepcritical.tools.search_handler import SourceAnswer
from tests.conftest import DEMO_QUESTION, ROOT

LENGTH: Form[int] = Form("count", int)
TOLD = Notice(message="Half of it is read.")


class Kept(Journal):
    def __init__(self) -> None:
        self.outcomes: dict[str, dict[str, Any]] = {}

    async def record(self, name: str, effect: Effect) -> dict[str, Any]:
        if name not in self.outcomes:
            self.outcomes[name] = await effect()
        return self.outcomes[name]


def session() -> ResearchSession:
    return ResearchSession(
        text=DEMO_QUESTION,
        limits=RunLimits(),
        reasoner=ExtractiveReasoner(),
        log=EventLog("made"),
        clock=time.monotonic,
        searched_on="2999-01-01",
    )


def messages(run: ResearchSession) -> list[Any]:
    return [logged.event for logged in run.log.events]


async def test_what_a_call_tells_is_in_the_log_before_it_ends() -> None:
    run, go_on = session(), asyncio.Event()
    recorder = Recorder(run, Host())

    async def slow() -> int:
        await recorder.tell(TOLD)
        await go_on.wait()
        return 3

    call = asyncio.create_task(recorder.call(LENGTH, slow))
    async for logged in run.log.tail():
        assert logged.event == TOLD
        break
    assert not call.done()
    go_on.set()
    assert await call == 3
    assert messages(run) == [TOLD]


async def test_a_replay_tells_from_the_record() -> None:
    journal = Kept()

    async def effect() -> int:
        await recorder.tell(TOLD)
        return 3

    for run in (session(), session()):
        recorder = Recorder(run, Host(journal))
        assert await recorder.call(LENGTH, effect) == 3
        assert messages(run) == [TOLD]


async def test_that_the_log_has_ended_is_no_outcome_of_the_call() -> None:
    journal, run = Kept(), session()
    recorder = Recorder(run, Host(journal))
    await run.log.append(RunCancelled(), Stage.DONE, 1.0)

    async def effect() -> int:
        await recorder.tell(TOLD)
        return 3

    with pytest.raises(StorageError):
        await recorder.call(LENGTH, effect)
    assert journal.outcomes["count"]["result"] == 3
    assert journal.outcomes["count"]["error"] is None


LOCAL = {"name", "warm_up", "for_run", "by_rules", "manager_model", "remembered", "remember"}
JUDGEMENTS = [
    method
    for kind in (Reasoner, ManagerModel)
    for name, method in vars(kind).items()
    if not name.startswith("_") and name not in LOCAL | {"read_all"}
]
FORMS = {
    f.name: f for f in (*vars(recording).values(), *map(form_of, JUDGEMENTS)) if isinstance(f, Form)
}
TEXTS = st.sampled_from(["", "a", "Aβ₄₂ ≥ 3 µg/l", 'a "b"\n\\c\u2028', "[1](x)|<b>"]) | st.text(
    st.characters(exclude_categories=["Cs"]), max_size=6
)
PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    bool: st.booleans(),
    type(None): st.none(),
    Any: st.none() | st.integers() | TEXTS,
    datetime: st.datetimes(timezones=st.just(UTC)),
}


def values(kind: Any, bounds: tuple[Any, ...] = ()) -> st.SearchStrategy[Any]:
    """Values of a type, as far as the domain uses types."""
    origin, args = get_origin(kind), get_args(kind)
    if origin is Annotated:
        own = [m.metadata if isinstance(m, FieldInfo) else [m] for m in args[1:]]
        return values(args[0], (*bounds, *chain.from_iterable(own)))
    if origin in (Union, types.UnionType):
        return st.one_of([values(arg, bounds) for arg in args])
    if origin is Literal:
        return st.sampled_from(args)
    if origin is tuple and args[-1] is not Ellipsis:
        return st.tuples(*map(values, args))
    if origin in (tuple, list):
        least, most = bound(bounds, MinLen, 0), bound(bounds, MaxLen, 2)
        lists = st.lists(values(args[0]), min_size=least, max_size=max(least, min(most, 2)))
        return lists.map(tuple) if origin is tuple else lists
    if origin is dict:
        return st.dictionaries(values(args[0]), values(args[1]), max_size=2)
    return single(kind, bounds)


def single(kind: Any, bounds: tuple[Any, ...]) -> st.SearchStrategy[Any]:
    if kind in PLAIN:
        return PLAIN[kind]
    if issubclass(kind, BaseModel):
        return modelled(kind)
    if issubclass(kind, Enum):
        return st.sampled_from(kind)
    if issubclass(kind, str):
        return TEXTS.map(lambda text: text or "a") if bound(bounds, MinLen, 0) else TEXTS
    least = bound(bounds, Ge, bound(bounds, Gt, -1) + 1)
    most = bound(bounds, Le, 10_000)
    if issubclass(kind, float):
        return st.floats(least, most)
    return st.integers(least, most)


def bound(bounds: tuple[Any, ...], kind: type[Any], otherwise: Any) -> Any:
    found = (getattr(b, f.name) for b in bounds if isinstance(b, kind) for f in fields(kind))
    return next(found, otherwise)


@cache
def modelled(kind: type[BaseModel]) -> st.SearchStrategy[BaseModel]:
    """Instances with what they must have, and some of what they may have."""
    parts = {
        name: values(field.annotation, tuple(field.metadata))
        for name, field in kind.model_fields.items()
        if kind not in get_args(field.annotation)  # a model within itself has no end
    }
    must = {name: part for name, part in parts.items() if kind.model_fields[name].is_required()}
    may = sorted(parts.keys() - must.keys())
    chosen = st.sets(st.sampled_from(may), max_size=3) if may else st.just(set())
    return chosen.flatmap(
        lambda some: st.fixed_dictionaries(must | {name: parts[name] for name in sorted(some)})
    ).map(kind.model_validate)


DEMO_READINGS = ROOT / "src" / "deepcritical" / "data" / "readings" / "demo.jsonl"
READINGS = tuple(
    StudyReading.model_validate_json(line)
    for line in DEMO_READINGS.read_text(encoding="utf-8").splitlines()[:20]
)
RESULTS: dict[str, st.SearchStrategy[Any]] = {
    name: values(form.kind)
    for name, form in FORMS.items()
    if name not in ("execute", "overruled", "read_studies")
}
RESULTS["overruled"] = st.none()
RESULTS["read_studies"] = st.builds(
    Studies, readings=st.dictionaries(TEXTS, st.sampled_from(READINGS), max_size=2), problem=TEXTS
)
ANY_ERROR = st.builds(
    lambda kind, message, advice, wait_s: (
        kind(message, advice, wait_s) if kind is RateLimitError else kind(message, advice)
    ),
    st.sampled_from(sorted(ERRORS.values(), key=lambda kind: kind.__name__)),
    TEXTS,
    TEXTS,
    st.none() | st.floats(0, 100),
)
RESULTS["execute"] = st.lists(
    st.builds(
        SourceAnswer,
        TEXTS,
        modelled(SearchQuery),
        modelled(SourceResult),
        st.none() | PLAIN[datetime],
        st.none() | ANY_ERROR,
        st.none() | st.floats(0, 100),  # seconds: else drawn without bounds, infinity included
    ),
    max_size=2,
).map(tuple)

few = settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def through_json(plain: Any) -> Any:
    return json.loads(json.dumps(plain, allow_nan=False))


def comparable(result: Any) -> Any:
    """Errors are equal if they say the same and are of one kind."""
    if not isinstance(result, tuple) or not all(isinstance(a, SourceAnswer) for a in result):
        return result
    return [(answer._replace(error=None), told(answer.error)) for answer in result]


def told(error: DeepCriticalError | None) -> tuple[object, ...]:
    return (type(error), *error.args) if error else ()


@pytest.mark.parametrize("name", sorted(FORMS))
def test_a_result_of_each_kind_comes_back(name: str) -> None:
    form = FORMS[name]

    @few
    @given(RESULTS[name])
    def comes_back(result: Any) -> None:
        again = form.load(through_json(form.dump(result)))
        assert comparable(again) == comparable(result)
        assert type(again) is type(result)

    comes_back()


def test_every_call_of_a_reasoner_is_recorded() -> None:
    calls = {method.__name__ for method in JUDGEMENTS}
    assert calls <= vars(DurableReasoner).keys() | vars(DurableManager).keys()
    assert LOCAL | FORMS.keys() >= {name for name in vars(Reasoner) if not name.startswith("_")}


@few
@given(ANY_ERROR)
def test_an_error_comes_back_as_what_it_was(error: DeepCriticalError) -> None:
    plain = through_json(RecordedError.of(error).model_dump(mode="json"))
    assert told(RecordedError.model_validate(plain).restored()) == told(error)


def test_no_call_of_a_reasoner_goes_past_its_recorder() -> None:
    assert {n for n in vars(Reasoner) if n[0] != "_"} <= set(vars(DurableReasoner))


def test_an_error_of_elsewhere_comes_back_as_what_it_is_one_of() -> None:
    restored = RecordedError.of(NoAnswerError("no answer", "Ask again.")).restored()
    assert told(restored) == (ReasoningError, "no answer", "Ask again.")


async def test_until_when_a_query_was_asked_is_not_recorded() -> None:
    asked = SourceQuery(text="made up", max_results=3, answer_by=Deadline(12.5))
    result = SourceResult(outcome=SourceOutcome.EMPTY, query_as_run="made up")
    plain = through_json(EXECUTE.dump((SourceAnswer("made", asked, result),)))
    assert "answer_by" not in str(plain)
    (answer,) = EXECUTE.load(plain)
    assert answer.query == SearchQuery(text="made up")


@few
@given(modelled(Remembered))
def test_what_a_model_leaves_comes_back(left: Remembered) -> None:
    assert Remembered.model_validate(through_json(left.model_dump(mode="json"))) == left


@few
@given(modelled(Outcome))
def test_an_outcome_with_all_that_was_told_comes_back(outcome: Outcome) -> None:
    assert Outcome.model_validate(through_json(outcome.model_dump(mode="json"))) == outcome
