"""Runs that wait: every server conducts them while it is there."""

from __future__ import annotations

import asyncio
import logging

from deepcritical.domain.errors import StorageError
from deepcritical.jobs.engine import EngineBusyError
from deepcritical.jobs.runs import RunService

_LOG = logging.getLogger(__name__)
AGAIN_S = 2.0
"""How often a database that is away is asked again."""


async def tended(runs: RunService) -> None:
    """Begin to conduct what waits, as soon as there is a database; one that is away ends no server.

    In a process whose engine another service has, nothing is begun.
    """
    while True:
        try:
            await runs.tend()
        except EngineBusyError as error:
            _LOG.warning("runs that wait are not conducted here: %s", error)
        except StorageError as error:
            _LOG.warning("runs that wait are not conducted yet: %s", error)
            await asyncio.sleep(AGAIN_S)
            continue
        return
