"""Has new runs conducted: by the engine, or as tasks of this process where none can take them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from deepcritical.domain.errors import CapacityError, StorageError
from deepcritical.domain.events import RunFailed, Stage
from deepcritical.domain.recipe import Recipe
from deepcritical.jobs.conduct import DEFECT, conduct, failed
from deepcritical.jobs.durable_runs import DurableRuns
from deepcritical.jobs.engine import EngineBusyError
from deepcritical.jobs.held import Held, resolve
from deepcritical.jobs.hosting import PartsFor, Tool
from deepcritical.jobs.recorder import Host
from deepcritical.jobs.run import Once
from deepcritical.reasoning.base import Reasoner

__all__ = ["Conducting", "Own"]

_LOG = logging.getLogger(__name__)
CLOSE_S = 10.0
"""How long runs that were stopped get to write their end."""


@dataclass(frozen=True)
class Own:
    """What a run has that no other process could give it, and who asked."""

    reasoner: Reasoner | None
    key: SecretStr | None
    log_path: Path | None
    user_id: str
    once: Once | None = None


class Conducting:
    """The runs that a service took in.

    Args:
        tools: How the runs of each tool are conducted.
        durable: The engine's runs; None for none.
        parts_for: Makes the parts of a run that another process began.
    """

    def __init__(
        self, tools: dict[str, Tool], durable: DurableRuns | None, parts_for: PartsFor
    ) -> None:
        self._tools = tools
        self._durable = durable
        self._parts_for = parts_for
        self._handing_out: set[asyncio.Task[None]] = set()
        self._alone: dict[str, asyncio.Task[None]] = {}
        """Runs that no engine conducts."""

    async def tend(self) -> None:
        """Conduct what other processes left, from now on."""
        if self._durable:
            await self._durable.start(self._parts_for, self._tools)

    def start(self, held: Held, recipe: Recipe, asked: Mapping[str, Any], user_id: str) -> None:
        """Begin with a run; what becomes of it is told by its log and its ending."""
        if self._durable is None:
            self._conduct_alone(held, recipe.tool)
            return
        self._durable.hold(held.session.log.run_id, held)
        task = asyncio.create_task(self._hand_out(self._durable, held, recipe, asked, user_id))
        self._handing_out.add(task)
        task.add_done_callback(self._handing_out.discard)

    async def _hand_out(
        self,
        durable: DurableRuns,
        held: Held,
        recipe: Recipe,
        asked: Mapping[str, Any],
        user_id: str,
    ) -> None:
        """Give a new run to the engine, or conduct it here where that cannot take it."""
        run_id = held.session.log.run_id
        try:
            await self.tend()
            await durable.submit(run_id, held, recipe, asked, user_id)
        except CapacityError as error:
            await _tell_failed(held, failed(error), error)
        except (EngineBusyError, StorageError) as error:
            # As text: a record that keeps the error keeps its frames, and the key in them.
            _LOG.warning("the run %s ends with this process: %s", run_id, str(error))
            if held.session.log.ended or (held.cancelled and not held.taken_in):
                return  # whoever waits is told, or just about to be
            self._conduct_alone(held, recipe.tool)
            if held.cancelled:
                self.stop(run_id)
        except Exception as error:
            await _tell_failed(held, DEFECT, error)
            raise

    def _conduct_alone(self, held: Held, tool: str) -> None:
        run_id = held.session.log.run_id
        self._alone[run_id] = task = asyncio.create_task(_alone(held, self._tools[tool]))
        task.add_done_callback(lambda _task: self._alone.pop(run_id, None))

    def stop(self, run_id: str) -> None:
        """Cancel a run."""
        if task := self._alone.get(run_id):
            # Not before the task's first step: cancelled earlier, it would never write its end.
            task.get_loop().call_soon(task.cancel)
        elif self._durable:
            self._durable.stop(run_id)

    async def handed_out(self) -> None:
        """Until the database knows the runs that were started here, if it can be used."""
        if self._handing_out:
            await asyncio.wait(self._handing_out, timeout=CLOSE_S)

    def let_go(self) -> None:
        """Stop every run; a durable one goes on when there is a process again."""
        for run_id in list(self._alone):
            self.stop(run_id)
        if self._durable:
            self._durable.let_go()

    async def close(self) -> None:
        """Stop every run, and wait until it has written its end, or was handed over."""
        await self.handed_out()
        self.let_go()
        if self._alone:
            await asyncio.wait(self._alone.values(), timeout=CLOSE_S)
        if self._durable:
            await self._durable.close()


async def _tell_failed(held: Held, event: RunFailed, error: Exception) -> None:
    """End a run for whoever waits for it, unless he has cancelled it."""
    if held.session.log.ended:
        return
    await held.session.emit(event, Stage.DONE)
    resolve(held.ending, error)


async def _alone(held: Held, tool: Tool) -> None:
    try:
        ended = await conduct(
            held.session,
            tool.schedule,
            tool.outcome,
            held.open_sources,
            held.key,
            held.writer,
            Host(telemetry=tool.telemetry),
        )
        if not held.ending.done():
            held.ending.set_result(ended)
    except asyncio.CancelledError:
        resolve(held.ending, None)
    except Exception as error:  # noqa: BLE001 - it is handed on to whoever waits
        resolve(held.ending, error)
