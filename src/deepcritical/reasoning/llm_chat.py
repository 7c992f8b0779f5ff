"""A chat's judgements with a model: it chooses the tool, and sentences of records.

It chooses among the tools and the sentences that are there; no word of its own is printed. Where it
does not help, rules do, and the reader is told.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from deepcritical.answering.quoting import quoted_sentence
from deepcritical.answering.records import chosen_passages
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.question.question import MAX_QUESTION_CHARS
from deepcritical.domain.run.events import Event, Notice
from deepcritical.domain.text.spans import Span
from deepcritical.domain.tool.chat import ChatAnswer, FoundRecords
from deepcritical.domain.tool.registry import ToolConfig
from deepcritical.models.answers import Chosen, Section, ToolPick
from deepcritical.models.asking import Asker, open_asker
from deepcritical.models.desk import RunDesk
from deepcritical.models.failing import NoAnswerError
from deepcritical.models.profiles import Profile
from deepcritical.models.providers import ModelServer
from deepcritical.prompts.asks import Offered, ask_sentences, ask_tool
from deepcritical.prompts.evidence import CHARS_PER_TOKEN, ShownRecords, batches
from deepcritical.questions.naming import find_names
from deepcritical.reasoning.chatting import (
    ChatReasoner,
    ChatTurn,
    ToolChoice,
    as_sentences,
    read_look_up,
)

_MOST_RECORDS = 12
"""Records that a model is shown."""
_MOST_CHOSEN = 40
"""Sentences of an answer that are looked up; more is no choice."""
_POINTING = frozenset("and also it its this that these those they them their then there".split())
"""Words of a message that only point back."""
_BY_MODEL = "The model chose which sentences of the records are shown; it wrote none of them."


class ModelChat(ChatReasoner):
    """Chooses with one model. `for_turn` gives each turn a reasoner of its own."""

    def __init__(
        self, server: ModelServer, asker: Asker | None = None, notices: list[str] | None = None
    ) -> None:
        self._server = server
        self._asker = asker
        self._notices = [] if notices is None else notices

    @property
    def name(self) -> str:
        """Name shown to the reader."""
        return f"model {self._server.name}"

    @asynccontextmanager
    async def for_turn(self, desk: RunDesk) -> AsyncIterator[ChatReasoner]:
        """A reasoner with a client, a key and a budget of its own."""
        notices: list[str] = []

        async def hear(event: Event) -> None:
            if isinstance(event, Notice):
                notices.append(event.message)
            await desk.tell(event)

        async with open_asker(self._server, replace(desk, tell=hear)) as asker:
            yield ModelChat(self._server, asker, notices)

    async def choose(self, turn: ChatTurn, tools: Sequence[ToolConfig]) -> ToolChoice | None:
        """The model's choice among the tools that were not tried; else that of the rules."""
        by_rule = await super().choose(turn, tools)
        open_tools = [Offered(t.name, t.description) for t in tools if t.name not in turn.tried]
        if not open_tools:
            return by_rule
        prompt = ask_tool(
            turn.message, open_tools, turn.history, turn.tried, short=self._server.profile.short
        )
        try:
            pick = await self._asked().ask("question", prompt, ToolPick)
        except NoAnswerError as error:
            self._told("choosing a tool", error)
            # An offer of research shows no notices.
            return by_rule and by_rule._replace(why=f"{by_rule.why} {self._notices[-1]}".strip())
        if pick.tool not in {tool.name for tool in open_tools}:
            self._notices.append("The model chose no tool that there is; rules chose one.")
            return by_rule
        query = await asyncio.to_thread(_query, pick.query, turn)
        return ToolChoice(pick.tool, query, "The model takes it for more than a look-up.")

    async def tell(self, turn: ChatTurn, query: str, found: FoundRecords) -> ChatAnswer:
        """The rules' answer, its sentences chosen by the model where it chose any of the records'.

        The head, with the number of studies on each side, and what is said of each record stay the
        rules'. A look-up, and a question on which rules find nothing, is answered by rules alone.
        """
        by_rule = await super().tell(turn, query, found)
        if not by_rule.sentences or read_look_up(query):
            return self._noted(by_rule)
        shown = await asyncio.to_thread(_shown, found.records, self._limit_chars)
        if shown is None:
            return self._noted(by_rule)
        try:
            prompt = ask_sentences(turn.message, shown, short=self._teller.short)
            chosen = (await self._asked().ask("report", prompt, Section)).sentences
        except NoAnswerError as error:
            self._told("choosing sentences", error)
            return self._noted(by_rule)
        seen = {i: found.records[i] for i in shown.ids}
        return self._noted(await asyncio.to_thread(self._chosen, by_rule, query, chosen, seen))

    def _chosen(
        self,
        by_rule: ChatAnswer,
        query: str,
        chosen: Sequence[Chosen],
        records: Mapping[str, Evidence],
    ) -> ChatAnswer:
        located = _located(chosen[:_MOST_CHOSEN], records)
        by_record: dict[str, dict[int, Span]] = {}
        for evidence_id, span in located:
            by_record.setdefault(evidence_id, {})[span.start] = span
        spans = {i: tuple(own.values()) for i, own in by_record.items()}
        passages = chosen_passages(query, records, spans)
        shown = {passage.reference.evidence_id for passage in passages}
        left_out = {"left_out": len(chosen) - sum(i in shown for i, _ in located)}
        if not passages:
            return by_rule.model_copy(update=left_out)
        return by_rule.model_copy(
            update={
                **left_out,
                "sentences": as_sentences(passages),
                "references": tuple(passage.reference for passage in passages),
                "written_by": self.name,
                "notices": (*by_rule.notices, _BY_MODEL),
            }
        )

    @property
    def _limit_chars(self) -> int:
        return self._teller.context_tokens * CHARS_PER_TOKEN

    @property
    def _teller(self) -> Profile:
        return self._server.server_for("report").profile

    def _asked(self) -> Asker:
        if self._asker is None:
            raise ValueError("a model is asked within a turn; use for_turn")
        return self._asker

    def _told(self, what: str, error: NoAnswerError) -> None:
        self._notices.append(f"Continued without the model in {what}: {error.message}.")

    def _noted(self, answer: ChatAnswer) -> ChatAnswer:
        return answer.model_copy(update={"notices": (*answer.notices, *self._notices)})


def _query(wanted: str, turn: ChatTurn) -> str:
    """Return the message, completed as the model wants it where it names no drug and no condition.

    The model may replace words such as "it" and add words of the user's former messages. What is
    searched is shown, and answers are judged by it, so that a word of the model's own could reach
    the reader or turn the question round.
    """
    names = find_names(turn.message)
    if names.drugs or names.conditions:
        return turn.message
    query = " ".join(wanted.split())[:MAX_QUESTION_CHARS]
    own, words = _words(turn.message), _words(query)
    former = {word for exchange in turn.history for word in _words(exchange.message)}
    rest = iter(words)
    complete = all(word in rest for word in own if word not in _POINTING)
    return query if complete and former.union(own).issuperset(words) else turn.message


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _located(chosen: Iterable[Chosen], records: Mapping[str, Evidence]) -> list[tuple[str, Span]]:
    """Return the chosen sentences as they stand in their records; others are passed over."""
    known = ((one, records[one.evidence_id]) for one in chosen if one.evidence_id in records)
    found = ((one.evidence_id, quoted_sentence(one.quote, record)) for one, record in known)
    return [(evidence_id, span) for evidence_id, span in found if span]


def _shown(records: Mapping[str, Evidence], limit_chars: int) -> ShownRecords | None:
    first = dict(list(records.items())[:_MOST_RECORDS])
    return next(iter(batches(first, _MOST_RECORDS, limit_chars)), None)
