"""The durable engine over the database of runs, made when the first run needs it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from deepcritical.jobs.durable_runs import DurableRuns
from deepcritical.jobs.tending import TTL_S
from deepcritical.services.database_url import sqlite_file
from deepcritical.services.job_board import JobBoard, WorkerName
from deepcritical.services.tool_trace_service import ToolTraceService

if TYPE_CHECKING:
    from deepcritical.jobs.dbos_engine import DbosEngine

__all__ = ["build_durable", "open_board"]


def build_durable(
    traces: ToolTraceService,
    *,
    slots: int = 20,
    of_user: int | None = None,
    of_all: int | None = None,
    conducts: bool = True,
    queue_limit_s: float = 1800.0,
    most_of_user: int = 500,
    one_shot: bool = False,
    ttl_s: float = TTL_S,
    keeping: tuple[float | None, float | None] = (None, None),
) -> DurableRuns:
    """Durable runs in the database of these traces.

    Args:
        traces: The runs.
        slots: Runs that this process conducts at once.
        of_user: Runs of one user that all processes conduct at once; None for 3/4 of the slots.
        of_all: Runs that all processes conduct at once; None for as many as have a slot.
        conducts: Whether this process conducts runs that it was not given a key for; else they wait
            for a worker.
        queue_limit_s: Seconds that a run may wait for its first step.
        most_of_user: Runs of one user that may wait or be under way.
        one_shot: Whether the process ends with the runs that it takes in.
        ttl_s: Seconds without a sign of life after which a worker is taken for dead.
        keeping: Days for which the events of runs that have ended are kept, and the runs.
    """
    shares = (slots, of_user or slots - slots // 4, of_all)
    engine = partial(_engine, traces.database.url, shares, one_shot=one_shot, conducts=conducts)
    limits: dict[str, Any] = {"queue_limit_s": queue_limit_s, "most_of_user": most_of_user}
    board = JobBoard(traces.database, keeping=keeping, **limits)
    runs = partial(DurableRuns, board, traces, engine, slots=slots, conducts=conducts)
    return runs(one_shot=one_shot, ttl_s=ttl_s)


def _engine(
    url: str, shares: tuple[int, int, int | None], *, one_shot: bool, conducts: bool
) -> DbosEngine:
    # Imported late: it is the heaviest part of a process that has a database.
    from deepcritical.jobs.dbos_engine import DbosEngine
    from deepcritical.jobs.dbos_setup import Shares

    # A command goes by the limits of the servers and workers beside it, if there are any.
    own = Shares(*shares, settles=not one_shot)
    return DbosEngine(url, WorkerName(sqlite_file(url)), own if conducts else None)


def open_board(traces: ToolTraceService) -> JobBoard:
    """The jobs beside these traces, for a process that conducts none."""
    return JobBoard(traces.database)
