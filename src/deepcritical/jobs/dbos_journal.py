"""The journal of one run as the engine's steps."""

from __future__ import annotations

from typing import Any

from dbos import DBOS
from dbos import error as dbos_errors

from deepcritical.jobs.dbos_setup import refusals_told
from deepcritical.jobs.engine import LostRun, OutOfOrder
from deepcritical.jobs.journal import Effect

__all__ = ["DbosJournal"]

_LOST = (dbos_errors.DBOSWorkflowConflictIDError, dbos_errors.DBOSWorkflowCancelledError)


class DbosJournal:
    """Records effects as steps of the run that the calling task belongs to; see `RunJournal`."""

    def __init__(self) -> None:
        self.lost = False

    async def record(self, name: str, effect: Effect) -> dict[str, Any]:
        """The outcome of an effect; see `Journal.record`.

        Raises:
            LostRun: Another worker goes on with the run.
            OutOfOrder: The record has another effect in this place.
            StorageError: The outcome cannot be recorded.
        """

        async def step() -> dict[str, Any]:
            return await effect()

        try:
            async with refusals_told():
                return await DBOS.run_step_async({"name": name}, step)
        except _LOST as error:
            self.lost = True
            raise LostRun from error
        except dbos_errors.DBOSUnexpectedStepError as error:
            raise OutOfOrder(str(error)) from error
