"""Accounts for models in a run: expected cost, calls made, and rules used in their place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil
from typing import NamedTuple

from deepcritical.domain.errors import ReasoningError
from deepcritical.domain.run.budget import Judgement, Purse, RunLimits, Spent
from deepcritical.domain.run.events import BudgetPlanned, JudgementMade, Notice
from deepcritical.models.desk import RunDesk
from deepcritical.models.failing import NOT_ASKED
from deepcritical.models.providers import ModelServer

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
_SECTIONS = 3
_PLANNING, _TURNS = 2, 3
"""Calls of a manager before the first round, and in each round."""
_RECORD_TOKENS = 450
"""Of an abstract, and of what is told of it."""


class RunAccount:
    """Tells one run's desk, and remembers what the report must name."""

    def __init__(self, server: ModelServer, purse: Purse, desk: RunDesk) -> None:
        self._server = server
        self._purse = purse
        self._desk = desk
        self.by_rule: dict[Judgement, str] = {}
        """What rules did in the model's place, and how far."""
        self._manages = self._told_end = False
        self.new_records = self.matching = 0
        """Records to read and requests to match sentences in, once they are known."""

    async def budget(self, *, manages: bool = False) -> None:
        """Tell the expected cost of the run, before a model is first asked."""
        self._manages = manages
        await self._plan()
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
        if not self.new_records:
            self.new_records = new_records
            await self._plan()

    async def to_match(self, requests: int) -> None:
        """The same, once it is known in how many requests sentences are matched; told once."""
        if not self.matching:
            self.matching = requests
            await self._plan()

    async def _plan(self) -> None:
        limits, new_records = self._purse.limits, self.new_records
        parts = list(
            _parts(self._server, limits, new_records, self.matching, manages=self._manages)
        )
        estimate = _estimated(self._server, limits, parts)
        await self._desk.tell(
            BudgetPlanned(
                model=self._server.name, estimate=estimate, limits=limits, new_records=new_records
            )
        )

    async def made(self, judgement: Judgement, dropped: int = 0) -> None:
        """The model made a judgement.

        `dropped` quotes and ids of its answer are in no record.
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
        partly = "partly " if in_part else ""
        told = f"Continued {partly}without the model in {_WHAT[judgement]}: {why.message}."
        if why.message.startswith(NOT_ASKED):
            # That a model is given up is one fact, whatever it was to help with: it is told once.
            if self._told_end:
                return
            self._told_end = True
            told = f"Continued without the model: {why.message}. {why.advice}".strip()
        await self._desk.tell(Notice(message=told))

    async def _tell(self, judgement: Judgement, by: str, reason: str, dropped: int) -> None:
        event = {"judgement": judgement, "made_by": by, "reason": reason, "dropped": dropped}
        await self._desk.tell(JudgementMade.model_validate({**event, "spent": self._purse.spent}))

    def author(self, model: str, rules: str, *, wrote: bool) -> str:
        """Return the name of the report's writer."""
        missing = "; ".join(f"{_WHAT[j]}, {how}" for j, how in self.by_rule.items())
        by_rule = f" (by rule: {missing})" if missing else ""
        return f"{model}{by_rule}" if wrote else f"{rules}, beside {model}{by_rule}"


class _Part(NamedTuple):
    judgement: Judgement
    calls: int
    read: float
    """Tokens read in each call."""
    written: float


def _estimated(server: ModelServer, limits: RunLimits, parts: Sequence[_Part]) -> Spent:
    """The expected calls, tokens and dollars of a run, within its limits.

    benchmarks/model_run.py says how near that comes.
    """
    tokens = sum(part.calls * (part.read + part.written) for part in parts)
    share = min(1.0, limits.max_tokens / tokens)
    total = Spent()
    for part in parts:
        read, written = (int(share * part.calls * each) for each in (part.read, part.written))
        cost = server.server_for(part.judgement).price(read, written)
        spent = Spent(calls=part.calls, input_tokens=read, output_tokens=written, cost_usd=cost)
        total = total.plus(spent)
    return total.model_copy(update={"calls": min(total.calls, limits.max_calls)})


def _parts(
    server: ModelServer, limits: RunLimits, new_records: int, matching: int = 0, *, manages: bool
) -> Iterator[_Part]:
    """The requests of a run; a free question has `matching` ones a round in place of a judge's."""
    rounds = limits.max_iterations
    found = (9_000 if matching else 4_500) + 150 * limits.results_per_query
    yield _Part("question", 1, 700, 100)
    reader = server.server_for("reading").profile
    if new_records:
        size = min(reader.batch_records, max(1, reader.context_tokens // _RECORD_TOKENS))
        batches = ceil(new_records / size)
        each = new_records / batches
        yield _Part("reading", batches, 2_900 + each * _RECORD_TOKENS, each * 200)
    if matching:
        full = _shown(server, "assessment", matching * found) / matching
        yield _Part("assessment", rounds * matching + 1, full, 400)
    else:
        yield _Part("hypotheses", 1, 1_000, 100)
        judged = (rounds + 2) // 2  # of later rounds about every second brings other studies
        yield _Part("assessment", judged, _shown(server, "assessment", found), 100)
    if manages:
        yield _Part("manager", _PLANNING + _TURNS * rounds, 1_500, 60)
    yield _Part("report", _SECTIONS, _shown(server, "report", 3_600), 300)


def _shown(server: ModelServer, judgement: Judgement, most: int) -> float:
    """Tokens of a prompt with records: as many as there are, or as fit."""
    profile = server.server_for(judgement).profile
    return min(most, profile.context_tokens * (1.0 if profile.short else 0.85))
