"""The log of a run as an HTML fragment: rounds, turns, queries, judgements, notices."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from deepcritical.domain.budget import Spent
from deepcritical.domain.events import (
    AgentCalled,
    JudgementMade,
    LoggedEvent,
    Notice,
    SourceSearched,
    Stage,
)
from deepcritical.domain.traces import fold
from deepcritical.export.templating import filled

_BEFORE = (Stage.QUESTION,)
_AFTER = (Stage.REPORT, Stage.DONE)


class Turn(NamedTuple):
    """What an agent did in one go; in a run without agents, what one stage did."""

    part: str
    """Such as ``Round 2``."""
    title: str
    instruction: str
    seconds: float
    """From the end of the turn before."""
    queries: tuple[SourceSearched, ...]
    lines: tuple[LoggedEvent, ...]
    """What else happened."""


class Asked(NamedTuple):
    """A judgement that a model was asked for."""

    event: JudgementMade
    at_s: float
    took: Spent
    """Since the judgement before; of calls made at once the one that is told first has it."""


def render_trace(events: Sequence[LoggedEvent], told: Callable[[LoggedEvent], str]) -> str:
    """The trace of a run."""
    turns = _turns(events)
    return filled(
        "trace.html",
        folded=fold(events),
        seconds=_seconds(events, 0, len(events) - 1) if events else 0.0,
        parts=[(name, tuple(of)) for name, of in groupby(turns, lambda turn: turn.part)],
        asked=tuple(_asked(events)),
        notices=[e.event.message for e in events if isinstance(e.event, Notice)],
        told=told,
    )


def _turns(events: Sequence[LoggedEvent]) -> list[Turn]:
    starts = [n for n in range(len(events)) if n == 0 or _begins(events[n - 1], events[n])]
    rounds, turns = 1, []
    for start, end in pairwise([*starts, len(events)]):
        before = events[start - 1].stage if start else Stage.QUESTION
        if before is Stage.JUDGEMENT and events[start].stage is Stage.SEARCH:
            rounds += 1
        turns.append(_turn(events, start, end, rounds))
    return turns


def _begins(before: LoggedEvent, logged: LoggedEvent) -> bool:
    return isinstance(logged.event, AgentCalled) or (
        logged.stage is not before.stage and logged.stage is not Stage.DONE
    )


def _turn(events: Sequence[LoggedEvent], start: int, end: int, rounds: int) -> Turn:
    own, first = events[start:end], events[start]
    called = first.event if isinstance(first.event, AgentCalled) else None
    return Turn(
        part=_part(first.stage, rounds),
        title=called.agent if called else first.stage.value.capitalize(),
        instruction=called.instruction if called else "",
        seconds=_seconds(events, max(start - 1, 0), end - 1),
        queries=tuple(e.event for e in own if isinstance(e.event, SourceSearched)),
        lines=tuple(e for e in own if not isinstance(e.event, SourceSearched | AgentCalled)),
    )


def _part(stage: Stage, rounds: int) -> str:
    if stage in _BEFORE:
        return "Question"
    return "Writing" if stage in _AFTER else f"Round {rounds}"


def _seconds(events: Sequence[LoggedEvent], start: int, end: int) -> float:
    return (events[end].at - events[start].at).total_seconds()


def _asked(events: Sequence[LoggedEvent]) -> Iterable[Asked]:
    before = Spent()
    for logged in events:
        if isinstance(logged.event, JudgementMade):
            spent = logged.event.spent
            newer = spent.requests > before.requests
            took = spent.plus(before, -1) if newer else Spent()
            before = spent if newer else before
            yield Asked(logged.event, (logged.at - events[0].at).total_seconds(), took)
