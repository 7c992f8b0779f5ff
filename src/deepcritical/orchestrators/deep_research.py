"""The loop of a free question: a checklist, and searches for what it still wants."""

from deepcritical.domain.errors import DeepCriticalError
from deepcritical.research.answering import (
    check_completeness,
    generate_checklist,
    refine_inquiry,
    search_for_items,
    stop_early,
    synthesize_answer,
)
from deepcritical.research.session import ResearchSession


async def deep_research(session: ResearchSession) -> None:
    """Run the loop until there is an answer in the session's store.

    Raises:
        DeepCriticalError: The question cannot be worked on, or no source can be read.
    """
    await refine_inquiry(session)
    await generate_checklist(session)
    while session.stop_reason is None:
        try:
            await search_for_items(session)
            await check_completeness(session)
        except DeepCriticalError as error:
            await stop_early(session, error)
    await synthesize_answer(session)
