"""What a reasoner with a model tells of itself: what it may cost, what it did, what rules did."""

from __future__ import annotations

from deepcritical.domain.budget import Judgement, Purse
from deepcritical.domain.errors import ReasoningError
from deepcritical.domain.events import BudgetPlanned, JudgementMade, Notice
from deepcritical.models.desk import RunDesk
from deepcritical.models.providers import ModelServer

__all__ = ["Telling"]

_WHAT: dict[Judgement, str] = {
    "question": "understanding the question",
    "queries": "choosing searches",
    "reading": "reading records",
    "hypotheses": "proposing mechanism chains",
    "assessment": "judging the evidence",
    "manager": "managing the team",
    "report": "choosing key sentences",
}
_SECTIONS = 4
_PLANNING, _TURNS = 2, 3
"""Calls of a manager before the first round, and in each round."""
_WRITTEN_SHARE = 0.1
"""Of the tokens of a run, those that the model writes, as a guess for the estimate."""


class Telling:
    """Tells one run's desk, and remembers what the report must name.

    Args:
        server: The model's server.
        purse: The run's budget.
        desk: The run's limits and ear.
    """

    def __init__(self, server: ModelServer, purse: Purse, desk: RunDesk) -> None:
        self._server = server
        self._purse = purse
        self._desk = desk
        self.by_rule: dict[Judgement, str] = {}
        """What rules did in the model's place, and how far."""

    async def budget(self, *, manages: bool = False) -> None:
        """What the run is expected to cost, before the model is first asked.

        Args:
            manages: Whether the model also manages the team.
        """
        limits, profile = self._desk.limits, self._server.profile
        # A round reads twice in batches, proposes and judges.
        per_round = 4 + 2 * limits.results_per_query // profile.batch_records
        managing = _PLANNING + _TURNS * limits.max_iterations if manages else 0
        most = 1 + limits.max_iterations * per_round + managing + _SECTIONS
        calls = min(limits.max_calls, most)
        tokens = min(limits.max_tokens, calls * (profile.context_tokens // 3))
        written = int(tokens * _WRITTEN_SHARE)
        estimate = self._purse.priced(tokens - written, written).model_copy(update={"calls": calls})
        await self._desk.tell(
            BudgetPlanned(model=self._server.name, estimate=estimate, limits=limits)
        )
        if limits.max_cost_usd is not None and estimate.cost_usd is None:
            await self._desk.tell(
                Notice(
                    message=f"The price of {self._server.name} is not known: the limit in dollars "
                    "cannot be kept, those of calls and tokens are."
                )
            )

    async def made(self, judgement: Judgement, dropped: int = 0) -> None:
        """The model made a judgement.

        Args:
            judgement: Which.
            dropped: Quotes and ids of its answer that are in no record.
        """
        await self._tell(judgement, "model", "", dropped)

    async def fell_back(
        self, judgement: Judgement, why: ReasoningError, dropped: int = 0, *, in_part: bool = False
    ) -> None:
        """Rules judged in the model's place, wholly or in part; the reader is told, too."""
        if in_part or self.by_rule.get(judgement) == "in part":
            self.by_rule[judgement] = "in part"
        else:
            self.by_rule[judgement] = "done"
        await self._tell(judgement, "model in part" if in_part else "rules", why.message, dropped)
        done = "a part of it was" if in_part else "it was"
        await self._desk.tell(
            Notice(
                message=f"The model did not help in {_WHAT[judgement]}: {why.message}; "
                f"{done} done by rule."
            )
        )

    async def _tell(self, judgement: Judgement, by: str, reason: str, dropped: int) -> None:
        event = {"judgement": judgement, "made_by": by, "reason": reason, "dropped": dropped}
        await self._desk.tell(JudgementMade.model_validate({**event, "spent": self._purse.spent}))

    def author(self, model: str, rules: str, *, wrote: bool) -> str:
        """Who is named as the report's writer.

        Args:
            model: Name of the reasoner with a model.
            rules: Name of the one without.
            wrote: Whether a sentence of the report was chosen by the model.
        """
        missing = "; ".join(f"{_WHAT[j]}, {how}" for j, how in self.by_rule.items())
        by_rule = f" (by rule: {missing})" if missing else ""
        return f"{model}{by_rule}" if wrote else f"{rules}, beside {model}{by_rule}"
