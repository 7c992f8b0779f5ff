"""A chat's judgements with a model: it chooses the tool, and words what records say.

What it chooses is one of the tools that are there; of what it says only sentences stand that their
records bear out. Where it does not help, rules do, and the reader is told.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

from deepcritical.domain.chat import ChatAnswer, FoundRecords
from deepcritical.domain.citation_validator import build_reference_from_evidence
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.question import MAX_QUESTION_CHARS
from deepcritical.domain.tool_registry import ToolConfig
from deepcritical.prompts.chat_asks import Offered, ask_sentences, ask_tool
from deepcritical.prompts.evidence import CHARS_PER_TOKEN, ShownRecords, batches
from deepcritical.reasoning.answers import SaidSentences, ToolPick
from deepcritical.reasoning.asking import Asker, NoAnswerError
from deepcritical.reasoning.base import RunDesk
from deepcritical.reasoning.chatting import ChatReasoner, ChatTurn, RuleChat, ToolChoice
from deepcritical.reasoning.look_ups import listed, read_look_up
from deepcritical.reasoning.providers import ModelServer
from deepcritical.reasoning.said import Borne, as_sentences, borne_out

__all__ = ["ModelChat"]

_MOST_RECORDS = 12
"""Records that a model is shown."""


class ModelChat:
    """Implements `ChatReasoner` with one model. `for_turn` gives each turn one of its own.

    Args:
        server: The model's server.
        asker: Puts questions to it, within the budget of a turn.
    """

    def __init__(self, server: ModelServer, asker: Asker | None = None) -> None:
        self._server = server
        self._asker = asker
        self._rules = RuleChat()
        self._short = server.profile.short
        self._notices: list[str] = []

    @property
    def name(self) -> str:
        """Name shown to the reader."""
        return f"model {self._server.name}"

    @asynccontextmanager
    async def for_turn(self, desk: RunDesk) -> AsyncIterator[ChatReasoner]:
        """A reasoner with a client, a key and a budget of its own."""
        key = desk.model_api_key
        # Making a client reads certificates from the disk.
        model = await asyncio.to_thread(self._server.open, key.get_secret_value() if key else None)
        async with model:
            yield ModelChat(self._server, Asker(self._server, model, desk))

    async def choose(self, turn: ChatTurn, tools: Sequence[ToolConfig]) -> ToolChoice | None:
        """The model's choice among the tools that were not tried; else that of the rules."""
        by_rule = await self._rules.choose(turn, tools)
        open_tools = [Offered(t.name, t.description) for t in tools if t.name not in turn.tried]
        if not open_tools:
            return by_rule
        prompt = ask_tool(turn.message, open_tools, turn.history, turn.tried, short=self._short)
        try:
            pick = await self._asked().ask("question", prompt, ToolPick)
        except NoAnswerError as error:
            self._told("choosing a tool", error)
            return by_rule
        if pick.tool not in {tool.name for tool in open_tools}:
            self._notices.append("The model chose no tool that there is; rules chose one.")
            return by_rule
        query = " ".join(pick.query.split())[:MAX_QUESTION_CHARS] or turn.message
        return ToolChoice(pick.tool, query, "The model takes it for more than a look-up.")

    async def tell(self, turn: ChatTurn, query: str, found: FoundRecords) -> ChatAnswer:
        """What the model says of the records, as far as they bear it out; else as rules do."""
        by_rule = await self._rules.tell(turn, query, found)
        look_up = read_look_up(turn.message) or read_look_up(query)
        records = listed(look_up, found.records) if look_up else found.records
        shown = await asyncio.to_thread(_shown, records, self._limit_chars)
        if shown is None:
            return self._noted(by_rule)
        try:
            prompt = ask_sentences(turn.message, shown, short=self._short)
            said = (await self._asked().ask("report", prompt, SaidSentences)).sentences
        except NoAnswerError as error:
            self._told("wording the answer", error)
            return self._noted(by_rule)
        seen = {i: records[i] for i in shown.ids}
        kept = await asyncio.to_thread(borne_out, said, seen, f"{turn.message} {query}")
        left_out = len(said) - len(kept)
        if not kept:
            return self._noted(by_rule.model_copy(update={"left_out": left_out}))
        return self._noted(self._worded(kept, seen, found, left_out))

    @property
    def _limit_chars(self) -> int:
        return self._server.profile.context_tokens * CHARS_PER_TOKEN

    def _asked(self) -> Asker:
        if self._asker is None:
            raise ValueError("a model is asked within a turn; use for_turn")
        return self._asker

    def _told(self, what: str, error: NoAnswerError) -> None:
        self._notices.append(
            f"The model did not help in {what}: {error.message}; it was done by rule."
        )

    def _noted(self, answer: ChatAnswer) -> ChatAnswer:
        return answer.model_copy(update={"notices": (*answer.notices, *self._notices)})

    def _worded(
        self,
        kept: Sequence[Borne],
        seen: Mapping[str, Evidence],
        found: FoundRecords,
        left_out: int,
    ) -> ChatAnswer:
        cited = tuple(dict.fromkeys(one.evidence_id for one in kept))
        numbers = {evidence_id: number for number, evidence_id in enumerate(cited, 1)}
        return ChatAnswer(
            head=f"From {len(cited)} of {len(found.records)} records. Source: {found.origin}.",
            sentences=as_sentences(kept, seen, numbers),
            references=tuple(build_reference_from_evidence(seen[i], i) for i in cited),
            left_out=left_out,
            written_by=self.name,
            notices=found.notices,
        )


def _shown(records: Mapping[str, Evidence], limit_chars: int) -> ShownRecords | None:
    first = dict(list(records.items())[:_MOST_RECORDS])
    return next(iter(batches(first, _MOST_RECORDS, limit_chars)), None)
