"""What a run is expected to spend on models; benchmarks/model_run.py says how near that comes."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import NamedTuple

from deepcritical.domain.budget import Judgement, RunLimits, Spent
from deepcritical.models.providers import ModelServer

__all__ = ["estimated"]

_SECTIONS = 4
_PLANNING, _TURNS = 2, 3
"""Calls of a manager before the first round, and in each round."""
_RECORD_TOKENS = 450
"""Of an abstract, and of what is told of it."""


class _Part(NamedTuple):
    judgement: Judgement
    calls: int
    read: float
    """Tokens read in each call."""
    written: float


def estimated(
    server: ModelServer, limits: RunLimits, *, new_records: int = 0, manages: bool = False
) -> Spent:
    """The expected calls, tokens and dollars of a run, within its limits.

    Args:
        server: The model of the run, with those of its steps.
        limits: The run's.
        new_records: Those that a model has to read, because nobody has read them before.
        manages: Whether a model manages the team.
    """
    parts = list(_parts(server, limits, new_records, manages=manages))
    tokens = sum(part.calls * (part.read + part.written) for part in parts)
    share = min(1.0, limits.max_tokens / tokens)
    total = Spent()
    for part in parts:
        read, written = (int(share * part.calls * each) for each in (part.read, part.written))
        cost = server.server_for(part.judgement).price(read, written)
        spent = Spent(calls=part.calls, input_tokens=read, output_tokens=written, cost_usd=cost)
        total = total.plus(spent)
    return total.model_copy(update={"calls": min(total.calls, limits.max_calls)})


def _parts(
    server: ModelServer, limits: RunLimits, new_records: int, *, manages: bool
) -> Iterator[_Part]:
    rounds, found = limits.max_iterations, 9_000 + 150 * limits.results_per_query
    yield _Part("question", 1, 700, 100)
    reader = server.server_for("reading").profile
    if new_records:
        size = min(reader.batch_records, max(1, reader.context_tokens // _RECORD_TOKENS))
        batches = ceil(new_records / size)
        each = new_records / batches
        yield _Part("reading", batches, 2_900 + each * _RECORD_TOKENS, each * 200)
    yield _Part("hypotheses", rounds, 1_500, 100)
    yield _Part("assessment", rounds, _shown(server, "assessment", found), 100)
    if manages:
        yield _Part("manager", _PLANNING + _TURNS * rounds, 1_500, 60)
    yield _Part("report", _SECTIONS, _shown(server, "report", 4_400), 300)


def _shown(server: ModelServer, judgement: Judgement, most: int) -> float:
    """Tokens of a prompt with records: as many as there are, or as fit."""
    profile = server.server_for(judgement).profile
    return min(most, profile.context_tokens * (1.0 if profile.short else 0.85))
