"""The plan of a run, for a person to review; nothing is searched for it."""

from __future__ import annotations

from deepcritical.domain.plan import MOST_QUERIES, Place, PlannedQuery, ResearchPlan
from deepcritical.research.session import ResearchSession
from deepcritical.research.steps import generate_queries, refine_question


async def plan_research(session: ResearchSession, place: Place) -> ResearchPlan:
    """Question as understood, sources, the first round's searches, and limits.

    Raises:
        QuestionError: The question cannot be worked on.
    """
    await refine_question(session)
    queries = await generate_queries(session)
    return ResearchPlan(
        question=session.understood,
        place=place,
        queries=tuple(PlannedQuery.of(query) for query in queries[:MOST_QUERIES]),
        limits=session.limits,
        notices=tuple(session.notices),
    )
