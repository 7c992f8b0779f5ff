"""What a command does when it is told to end."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable

__all__ = ["on_signals"]


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
