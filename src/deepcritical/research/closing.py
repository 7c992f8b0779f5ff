"""The end of a run whose deadline came first: by rules, from what it had found.

Nothing is asked of a source or a model any more.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable

from deepcritical.domain.errors import DeepCriticalError
from deepcritical.domain.events import Stage, StopReason
from deepcritical.research.answering import map_facts, synthesize_answer
from deepcritical.research.processing import process_results
from deepcritical.research.rounds import read_studies
from deepcritical.research.session import ResearchSession, RunSources
from deepcritical.research.steps import judge, write_report

_READING_S = 20.0
"""Seconds in which rules read what nobody has read yet; a run's usual records take one or two."""


async def close_report(session: ResearchSession, why: DeepCriticalError) -> None:
    """Write the report from the records that there are.

    Args:
        session: Of a run that has found some.
        why: What ended its research.

    Raises:
        DeepCriticalError: It cannot be written.
    """
    if session.store.report is None:
        await _ask_nobody(session, why)
        await _bounded(session, process_results(session))
        await judge(session, Stage.REPORT)
        await write_report(session)


async def close_answer(session: ResearchSession, why: DeepCriticalError) -> None:
    """Write the answer to a free question likewise."""
    if session.store.answer is None:
        await _ask_nobody(session, why)
        await _bounded(session, _read_for_answer(session))
        await synthesize_answer(session)


async def _ask_nobody(session: ResearchSession, why: DeepCriticalError) -> None:
    session.sources = RunSources(session.searched.handler, session.searched.described)
    session.stop_reason = session.stop_reason or StopReason.DEADLINE
    told = "What was found until then was weighed and written by rules."
    await session.notify(f"{why.message} {told}")


async def _bounded(session: ResearchSession, reading: Awaitable[None]) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_READING_S):
            await reading
    if left := len(session.store.evidence.keys() - session.store.readings.keys()):
        await session.notify(f"{left} records were not read, for lack of time.")


async def _read_for_answer(session: ResearchSession) -> None:
    await read_studies(session)
    await map_facts(session)
