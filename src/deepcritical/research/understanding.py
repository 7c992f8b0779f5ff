"""Reads what a run's question asks; looks up a name that no table has where the run searches."""

from __future__ import annotations

from deepcritical.domain.errors import SearchError
from deepcritical.domain.question.frame import DeclineReason, QuestionFrame
from deepcritical.domain.question.question import checked_question
from deepcritical.questions.naming import find_names
from deepcritical.questions.reading import literal_frame, read_frame
from deepcritical.research.session import ResearchSession
from deepcritical.services.tasks import calculated
from deepcritical.tools.base import LookUpNames


async def understand(session: ResearchSession) -> QuestionFrame:
    """The frame of the session's question.

    Raises:
        QuestionError: It is empty or too long.
    """
    look_up = session.sources.look_up if session.sources else None
    return await frame_of(session.text, session.context, look_up)


async def understand_freely(session: ResearchSession) -> QuestionFrame:
    """The frame of a free question: an unknown name beside known ones only ranks what is found.

    Raises:
        QuestionError: It is empty or too long.
    """
    frame = await understand(session)
    if frame.declined is not DeclineReason.UNKNOWN_NAME:
        return frame
    names = await calculated(find_names, frame.text)
    if not (names.drugs or names.conditions):
        return frame
    unknown = ", ".join(f'"{name.text}"' for name in frame.missing)
    literal = await calculated(literal_frame, frame.text)
    told = f"No vocabulary knows {unknown}: it was searched as it stands."
    return literal.model_copy(update={"notices": (*literal.notices, told)})


async def frame_of(
    text: str, context: str = "", look_up: LookUpNames | None = None
) -> QuestionFrame:
    """The frame of a question; one that is declined for an unknown name was looked up in vain.

    Where nobody could be asked, such a name is searched as it stands, and the reader is told.

    Raises:
        QuestionError: It is empty or too long.
    """
    text = checked_question(text)
    frame = await calculated(read_frame, text, context=context)
    if not frame.missing or look_up is None:
        return frame
    try:
        known = await look_up(frame.missing)
    except SearchError:
        known = frame.missing
    return await calculated(read_frame, text, known, context=context)
