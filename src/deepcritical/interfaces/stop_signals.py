"""What a command does when it is told to end."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

from deepcritical.domain.errors import ResearchCancelled

__all__ = ["on_signals", "resumable"]


@contextmanager
def resumable(run_id: str, *, is_kept: bool) -> Iterator[None]:
    """Print the id of a run that is cancelled within, and how to go on with it.

    Args:
        run_id: The run.
        is_kept: Whether the database has it.
    """
    try:
        yield
    except ResearchCancelled:
        if is_kept:
            told = f"The run {run_id} is kept. Go on with it: deepcritical traces resume {run_id}"
            typer.echo(told, err=True)
        raise


def on_signals(stop: Callable[[], object]) -> None:
    """The first signal ends the run in its own way, with a complete log; the next one at once.

    Must be called within a running event loop.
    """
    loop = asyncio.get_running_loop()

    def first(signum: int) -> None:
        stop()
        loop.remove_signal_handler(signum)
        # Python's own handler would wait for the thread in hand.
        signal.signal(signum, signal.SIG_DFL)

    for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(signum, first, signum)
