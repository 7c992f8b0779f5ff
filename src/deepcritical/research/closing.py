"""The end of a run whose deadline came first: by rules, from what it had found.

Nothing is asked of a source or a model any more.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from deepcritical.domain.errors import DeepCriticalError
from deepcritical.domain.run.events import Stage, StopReason
from deepcritical.research.answering import map_facts, synthesize_answer
from deepcritical.research.processing import process_results
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
        DeepCriticalError: It cannot be written, or `why`: no record could be weighed in time.
    """
    store = session.store
    if store.report is None:
        await _ask_nobody(session, why)
        await _bounded(session, process_results)
        weighed = [store.appraisals(drug).keys() for drug in store.drugs]
        await _told(session, set().union(*weighed), why)
        await judge(session, Stage.REPORT)
        await write_report(session)


async def close_answer(session: ResearchSession, why: DeepCriticalError) -> None:
    """Write the answer to a free question likewise."""
    if session.store.answer is None:
        await _ask_nobody(session, why)
        await _bounded(session, map_facts)
        await _told(session, set(session.store.read_for_items), why)
        await synthesize_answer(session)


async def _ask_nobody(session: ResearchSession, why: DeepCriticalError) -> None:
    unasked = " Retractions were not looked up." if session.searched.check_integrity else ""
    session.sources = RunSources(session.searched.handler, session.searched.described)
    session.stop_reason = session.stop_reason or StopReason.DEADLINE
    told = "What was found until then was weighed and written by rules."
    await session.notify(f"{why.message} {told}{unasked}")


async def _bounded(
    session: ResearchSession, weigh: Callable[[ResearchSession], Awaitable[None]]
) -> None:
    """Read the best records first, keep each as it is done, then weigh all."""
    store = session.store
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_READING_S):
            for key in store.best_first(key for key in store.evidence if key not in store.readings):
                one = {key: store.evidence[key]}
                studies = await session.reasoner.read_studies(one, session.owner)
                store.add_study(key, studies.readings[key])
            await weigh(session)


async def _told(session: ResearchSession, weighed: set[str], why: DeepCriticalError) -> None:
    if not weighed:
        raise why
    if left := len(session.store.evidence.keys() - weighed):
        await session.notify(f"{left} records were not weighed, for lack of time.")
