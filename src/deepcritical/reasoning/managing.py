"""A model as the manager of the team speaks through it: typed answers within the run's budget."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TypeVar

from pydantic import BaseModel

from deepcritical.domain.errors import ReasoningError
from deepcritical.models.accounting import RunAccount
from deepcritical.models.answers import NextTurn, TeamNote
from deepcritical.models.asking import Asker, NoAnswerError
from deepcritical.prompts.evidence import CHARS_PER_TOKEN
from deepcritical.prompts.managing import ask_manager

T = TypeVar("T", bound=BaseModel)


class AskedManager:
    """Implements `ManagerModel` over the questions and the budget of one run.

    Args:
        asker: Puts the questions of the run.
        account: Tells what was spent, and what rules did instead.
    """

    def __init__(self, asker: Asker, account: RunAccount) -> None:
        self._asker = asker
        self._account = account

    async def note(self, said: Sequence[str], request: str) -> str:
        """What is given and missing, or how to go about it, in a few lines."""
        return "\n".join((await self._asked("team_note", TeamNote, said, request)).lines)

    async def ledger(self, said: Sequence[str], request: str) -> str:
        """Who speaks next, as JSON in the framework's form."""
        return _as_ledger(await self._asked("team_ledger", NextTurn, said, request))

    async def overruled(self, why: str) -> None:
        """Say that code decided in the model's place."""
        await self._account.fell_back("manager", ReasoningError(why), in_part=True)

    async def _asked(self, task: str, form: type[T], said: Sequence[str], request: str) -> T:
        limit_chars = self._asker.profile_for("manager").context_tokens * CHARS_PER_TOKEN
        prompt = ask_manager(task, said, request, limit_chars)
        try:
            answer = await self._asker.ask("manager", prompt, form)
        except NoAnswerError as error:
            await self._account.fell_back("manager", error)
            raise
        await self._account.made("manager")
        return answer


def _as_ledger(turn: NextTurn) -> str:
    """The answer in the form that the framework reads."""
    answers = {
        "is_request_satisfied": turn.request_satisfied,
        "is_in_loop": turn.in_loop,
        "is_progress_being_made": turn.progress,
        "next_speaker": turn.next_agent,
        "instruction_or_question": turn.instruction,
    }
    return json.dumps({name: {"reason": "", "answer": given} for name, given in answers.items()})
