"""What a reasoner with a model tells of itself: what it may cost, what it did, what rules did."""

from __future__ import annotations

from deepcritical.domain.budget import Judgement, Purse
from deepcritical.domain.errors import ReasoningError
from deepcritical.domain.events import BudgetPlanned, JudgementMade, Notice
from deepcritical.models.desk import RunDesk
from deepcritical.models.failing import NOT_ASKED
from deepcritical.models.providers import ModelServer
from deepcritical.reasoning.estimating import estimated

__all__ = ["Telling"]

_WHAT: dict[Judgement, str] = {
    "question": "understanding the question",
    "queries": "choosing searches",
    "reading": "reading records",
    "hypotheses": "proposing mechanism chains",
    "assessment": "judging the evidence",
    "manager": "managing the team",
    "report": "writing what the studies show together",
    "verify": "checking sentences",
}


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
        self._manages = self._told_records = self._told_end = False

    async def budget(self, *, manages: bool = False) -> None:
        """What the run is expected to cost, before a model is first asked.

        Args:
            manages: Whether a model also manages the team.
        """
        self._manages = manages
        await self._plan(0)
        unpriced = [one.name for one in self._server.all.values() if one.price(0, 0) is None]
        if self._desk.limits.max_cost_usd is not None and unpriced:
            await self._desk.tell(
                Notice(
                    message=f"The price of {' and '.join(unpriced)} is not known: the limit in "
                    "dollars cannot be kept, those of calls and tokens are."
                )
            )

    async def to_read(self, new_records: int) -> None:
        """The same, once it is known how many records are to be read; told once."""
        if not self._told_records:
            self._told_records = True
            await self._plan(new_records)

    async def _plan(self, new_records: int) -> None:
        limits = self._desk.limits
        estimate = estimated(self._server, limits, new_records=new_records, manages=self._manages)
        await self._desk.tell(
            BudgetPlanned(
                model=self._server.name,
                estimate=estimate,
                limits=limits,
                new_records=new_records,
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
        if why.message.startswith(NOT_ASKED):
            await self._gave_up(why)
            return
        partly = "partly " if in_part else ""
        await self._desk.tell(
            Notice(
                message=f"Continued {partly}without the model in {_WHAT[judgement]}: {why.message}."
            )
        )

    async def _gave_up(self, why: ReasoningError) -> None:
        """That a model is given up is one fact, whatever it was to help with: it is told once."""
        if not self._told_end:
            self._told_end = True
            told = f"Continued without the model: {why.message}."
            await self._desk.tell(Notice(message=f"{told} {why.advice}".strip()))

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
