"""The durable engine over the database of runs, made when the first run needs it."""

from __future__ import annotations

from deepcritical.jobs.durable_runs import DurableRuns
from deepcritical.jobs.engine import Engine
from deepcritical.jobs.tending import TTL_S
from deepcritical.services.database_url import sqlite_file
from deepcritical.services.job_board import JobBoard
from deepcritical.services.tool_trace_service import ToolTraceService
from deepcritical.services.worker_files import WorkerName

__all__ = ["build_durable", "open_board"]


def build_durable(
    traces: ToolTraceService,
    *,
    slots: int = 20,
    queue_limit_s: float = 1800.0,
    most_of_user: int = 100,
    one_shot: bool = False,
    ttl_s: float = TTL_S,
) -> DurableRuns:
    """Durable runs in the database of these traces.

    Args:
        traces: The runs.
        slots: Runs that this process conducts at once.
        queue_limit_s: Seconds that a run may wait for its first step.
        most_of_user: Runs of one user that may wait or be under way.
        one_shot: Whether the process ends with the runs that it takes in.
        ttl_s: Seconds without a sign of life after which a worker is taken for dead.
    """
    url = traces.database.url

    def engine() -> Engine:
        # Imported late: it is the heaviest part of a process that has a database.
        from deepcritical.jobs.dbos_engine import DbosEngine

        return DbosEngine(url, WorkerName(sqlite_file(url)), slots=slots)

    board = JobBoard(traces.database, queue_limit_s=queue_limit_s, most_of_user=most_of_user)
    return DurableRuns(board, traces, engine, slots=slots, one_shot=one_shot, ttl_s=ttl_s)


def open_board(traces: ToolTraceService) -> JobBoard:
    """The jobs beside these traces, for a process that conducts none."""
    return JobBoard(traces.database)
