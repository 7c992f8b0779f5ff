"""The look-up of curated facts: beside the first searches, once in a run."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from deepcritical.domain.frame import QuestionKind
from deepcritical.domain.named import Drug
from deepcritical.research.session import ResearchSession

_MOST_DRUGS = 3


async def beside_facts(session: ResearchSession, searching: Coroutine[Any, Any, None]) -> None:
    """Search, and meanwhile look up the drugs asked about, if nobody has done so in this run.

    Raises:
        DeepCriticalError: What the search raises; a look-up raises nothing.
    """
    look_up = session.searched.facts
    drugs = _drugs(session)
    if look_up is None or session.store.drug_facts is not None:
        await searching
        return
    if not drugs:
        session.store.drug_facts = ()
        await searching
        return
    try:
        async with asyncio.TaskGroup() as tasks:
            asked = tasks.create_task(_looked_up(look_up(drugs, session.search_s)))
            tasks.create_task(searching)
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from None
    session.store.drug_facts = asked.result()
    # Told only now, so that a run that goes on elsewhere tells things in the same order.
    await _tell(session)


async def _looked_up(asking: Any) -> Any:
    return await asking


def _drugs(session: ResearchSession) -> tuple[Drug, ...]:
    """The drugs that a question names; a class is none."""
    question = session.understood
    frame = question.frame
    if question.drug is None or (frame and frame.kind is QuestionKind.CLASS):
        return ()
    named = {drug.name: drug for drug in (question.drug, *(frame.drugs if frame else ()))}
    return tuple(named.values())[:_MOST_DRUGS]


async def _tell(session: ResearchSession) -> None:
    for facts in session.store.drug_facts or ():
        for how in ("unavailable", "degraded"):
            names = [asked.source for asked in facts.asked if asked.outcome == how]
            if names:
                what = "were" if len(names) > 1 else "was"
                await session.notify(
                    f"Curated facts on {facts.drug}: {', '.join(names)} {what} {how}."
                )
