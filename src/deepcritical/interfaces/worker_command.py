"""``deepcritical worker``: conducts runs that servers take in, on any number of machines."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from typing import TYPE_CHECKING

import typer

from deepcritical.domain.errors import ConfigurationError
from deepcritical.interfaces.stop_signals import on_signals

if TYPE_CHECKING:
    from deepcritical.jobs.runs import RunService

__all__ = ["worker"]


def worker() -> None:
    """Conduct the runs that wait in DATABASE_URL, until Ctrl-C or SIGTERM.

    What is under way then is handed over to the other workers, or waits for the next one. Model
    and sources of a run are those that it was asked with; their keys are read from the environment.
    """
    # Imported late: `--help` must not wait for the framework.
    from deepcritical import bootstrap

    settings = bootstrap.read_settings()
    if settings.database_url is None:
        raise ConfigurationError(
            "A worker takes its runs from a database, and none is set.",
            "Set DATABASE_URL to that of the servers.",
        )
    runs = bootstrap.build_runs(settings, serves=True)
    logging.basicConfig(level=logging.WARNING)
    asyncio.run(_conduct(runs, settings.worker_runs))
    logging.shutdown()
    sys.stdout.flush()
    # All is closed. Threads of the engine that try to reach a database that is away would keep the
    # process for as long as they pause between two tries.
    os._exit(0)


async def _conduct(runs: RunService, slots: int) -> None:
    told_to_end = asyncio.Event()
    on_signals(told_to_end.set)
    warming: asyncio.Task[None] | None = None
    try:
        await runs.tend()
        typer.echo(f"This worker conducts up to {slots} runs at once (Ctrl-C hands them over)")
        warming = asyncio.create_task(runs.warm_up())
        await told_to_end.wait()
    finally:
        if warming:
            warming.cancel()
        await runs.close()
