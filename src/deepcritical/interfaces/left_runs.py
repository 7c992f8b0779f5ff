"""Runs that other processes left: every server goes on with them while it is there."""

from __future__ import annotations

import logging

from deepcritical.domain.errors import StorageError
from deepcritical.jobs.engine import EngineBusyError
from deepcritical.jobs.runs import RunService

__all__ = ["tended"]

_LOG = logging.getLogger(__name__)


async def tended(runs: RunService) -> None:
    """Go on with what former processes left; a database that is away ends no server."""
    try:
        await runs.tend()
    except (StorageError, EngineBusyError) as error:
        _LOG.warning("runs that were left are not gone on with: %s", error)
