"""A chat over the tools of a registry: quick questions at once, research only when it is accepted.

Who chooses a tool, rules or a model, can only choose: the tools that take minutes are turned into
an offer by code, and start when the user accepts it. What tools return is data.
"""

import asyncio
import re
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import Any, NamedTuple
from uuid import uuid4

from deepcritical.domain.errors import CapacityError, DeepCriticalError, ResearchCancelled
from deepcritical.domain.question.question import checked_question
from deepcritical.domain.run.budget import RunLimits
from deepcritical.domain.tool.chat import (
    ENDS_TURN,
    ChatAnswer,
    ChatEvent,
    FoundRecords,
    ResearchEnded,
    ResearchOffered,
    SimilarRun,
    ToolCalled,
    ToolTold,
    TurnFailed,
)
from deepcritical.domain.tool.registry import ToolCaller, ToolRegistry, ToolResult
from deepcritical.models.desk import RunDesk
from deepcritical.reasoning.chatting import (
    DEEP_RESEARCH,
    RAG,
    RESEARCH_REPORT,
    SEARCH,
    ChatReasoner,
    ChatTurn,
    Exchange,
    ToolChoice,
    asked_back,
)
from deepcritical.services.tasks import within

OFFERED = {DEEP_RESEARCH: "one to three minutes", RESEARCH_REPORT: "one to three minutes"}
"""The tools that a chat never starts by itself, and how long they take."""
TURN_LIMITS = RunLimits(max_iterations=1, deadline_s=120, max_calls=8, max_tokens=80_000)
"""The budget and the deadline of a turn; research that was accepted has its own."""
MAX_HISTORY = 6
"""Turns that are remembered."""
_MOST_TOOLS = 2
"""Tools of a turn, the second one only where the first found nothing."""
_YES = re.compile(
    r"(?:yes(?:,? please)?|y|ok(?:ay)?|sure|go(?: ahead)?|do it|start(?: it)?|accept)[.!]*",
    re.IGNORECASE,
)
_NO = re.compile(r"(?:no(?:,? thanks| thank you)?|n|don'?t|cancel|decline)[.!]*", re.IGNORECASE)
_DECLINED = ChatAnswer(head="Not started.", written_by="rules")
_OWN_NUMBERS = "These numbers are this answer's own, not those of the run's references."
_LAPSED = TurnFailed(
    error="OfferLapsed",
    message="This offer does not stand any more.",
    advice="Ask the question again.",
)

FindSimilar = Callable[[str, str, ToolCaller], Awaitable[tuple[SimilarRun, ...]]]
"""Tool, question and caller to former runs of nearly the same question."""


class _Talk(NamedTuple):
    """The speaker of a turn, and the place where its events go."""

    caller: ToolCaller
    tell: Callable[[ChatEvent], Awaitable[None]]


class _Offer(NamedTuple):
    event: ResearchOffered
    inputs: dict[str, Any]


class Chat:
    """One conversation of one user. It keeps the last turns, and at most one offer.

    Args:
        registry: The tools.
        reasoner: Chooses among them, and tells what they found.
        similar: Finds former runs to be named beside an offer.
        run_id: A finished run that alone is asked; '' for none.
        caller: The user.
        limits: Budget and deadline of a turn.
        clock: Monotonic seconds.
    """

    def __init__(
        self,
        registry: ToolRegistry,
        reasoner: ChatReasoner,
        similar: FindSimilar,
        *,
        run_id: str = "",
        caller: ToolCaller | None = None,
        limits: RunLimits = TURN_LIMITS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._registry = registry
        self._reasoner = reasoner
        self._caller = caller or ToolCaller()
        self._limits = limits
        self._similar = similar
        self._clock = clock
        self._history: deque[Exchange] = deque(maxlen=MAX_HISTORY)
        self._offer: _Offer | None = None
        self._working: asyncio.Task[None] | None = None
        self._over_a_run = bool(run_id)
        self.run_id = run_id
        """The finished run that questions are put to; research that ends takes its place."""

    @property
    def history(self) -> tuple[Exchange, ...]:
        """The last turns, the oldest first."""
        return tuple(self._history)

    @property
    def offer_id(self) -> str:
        """The offer that can be accepted now; '' for none."""
        return self._offer.event.offer_id if self._offer else ""

    def accepts(self, message: str) -> bool:
        """Return whether a message would start the research that is offered."""
        return bool(self._offer and _YES.fullmatch(message.strip()))

    def say(
        self, message: str, caller: ToolCaller | None = None
    ) -> AsyncGenerator[ChatEvent, None]:
        """One turn, event by event, up to the one that ends it.

        A plain "yes" accepts the offer of the turn before, a plain "no" declines it; with any other
        message it lapses.
        """
        starts = self.accepts(message)
        offer, self._offer = self._offer, None
        if offer and starts:
            return self._events(lambda talk: self._research(offer, talk), caller)
        if offer and _NO.fullmatch(message.strip()):
            return self._events(lambda talk: talk.tell(_DECLINED), caller)
        return self._events(lambda talk: self._turn(message, talk), caller)

    def accept(
        self, offer_id: str, caller: ToolCaller | None = None
    ) -> AsyncGenerator[ChatEvent, None]:
        """Start what was offered, as a button does; only the last offer can be accepted."""
        offer, self._offer = self._offer, None
        if offer is None or offer.event.offer_id != offer_id:
            return self._events(lambda talk: talk.tell(_LAPSED), caller)
        return self._events(lambda talk: self._research(offer, talk), caller)

    async def _events(
        self, turn: Callable[[_Talk], Awaitable[None]], caller: ToolCaller | None
    ) -> AsyncGenerator[ChatEvent, None]:
        """The events of a turn, which works in a task: its deadline must not count the reader's."""
        if self._working and not self._working.done():
            yield _failed(CapacityError("The turn before has not ended.", "Wait for its answer."))
            return
        told: asyncio.Queue[ChatEvent | None] = asyncio.Queue()
        talk = _Talk(caller or self._caller, told.put)
        task = self._working = asyncio.create_task(_guarded(turn, talk, told))
        task.add_done_callback(self._idle)
        try:
            while event := await told.get():
                yield event
                if isinstance(event, ENDS_TURN):
                    break
            await task
        finally:
            task.cancel()
            await asyncio.wait([task])

    def _idle(self, _turn: asyncio.Task[None]) -> None:
        # A task that was cancelled keeps its frames, and these the user's key.
        self._working = None

    async def _turn(self, message: str, talk: _Talk) -> None:
        text = checked_question(message)
        began = self._clock()
        desk = RunDesk(
            self._limits, lambda: self._clock() - began, model_api_key=talk.caller.model_api_key
        )
        advice = "Ask a narrower question, or raise DEEPCRITICAL_CHAT_DEADLINE_S."
        async with (
            within(lambda: self._limits, late="The answer did not come", advice=advice),
            self._reasoner.for_turn(desk) as reasoner,
        ):
            ending = await self._answered(text, reasoner, talk)
        self._history.append(Exchange(text, _outcome(ending)))
        await talk.tell(ending)

    async def _answered(
        self, text: str, reasoner: ChatReasoner, talk: _Talk
    ) -> ChatAnswer | ResearchOffered:
        """Tools until one finds something; the last answer where none does."""
        tried: list[str] = []
        answer: ChatAnswer | None = None
        while len(tried) < _MOST_TOOLS:
            turn = ChatTurn(text, self.run_id, self.history, tuple(tried))
            choice = await reasoner.choose(turn, self._tools())
            if choice is None:
                break
            if choice.tool in OFFERED:
                return await self._offered(turn, choice, talk.caller)
            found = await self._looked(choice, reasoner.name, talk)
            if found.offer:
                asked, report = turn._replace(message=found.offer), ToolChoice(RESEARCH_REPORT, "")
                return await self._offered(asked, report, talk.caller)
            answer = found.answer or await reasoner.tell(turn, choice.query, found)
            if choice.tool == RAG and answer.references and not answer.printed_numbers:
                notices = (*answer.notices, _OWN_NUMBERS)
                answer = answer.model_copy(update={"notices": notices})
            if answer.in_evidence:
                return answer
            tried.append(choice.tool)
        return answer or ChatAnswer(
            head="No tool here answers this message.", in_evidence=False, written_by=reasoner.name
        )

    def _tools(self) -> Sequence[Any]:
        """The tools that may be chosen: one over a run needs a run.

        Sources answer nothing in a chat that was opened over a run: its reader takes every answer
        for the evidence of that run.
        """
        looks = [SEARCH] if not self._over_a_run else []
        chosen = (*looks, *([RAG] if self.run_id else []), *OFFERED)
        return [tool for tool in self._registry.tools if tool.name in chosen]

    async def _offered(
        self, turn: ChatTurn, choice: ToolChoice, caller: ToolCaller
    ) -> ChatAnswer | ResearchOffered:
        """The offer, with the user's or code's words as the question: a model's may be a record's.

        What no research can answer is not offered: the user is told what to ask instead.
        """
        text = turn.message
        if told := await asyncio.to_thread(asked_back, turn):
            return ChatAnswer(head=told, in_evidence=False, written_by="rules")
        similar = await self._similar(choice.tool, text, caller)
        event = ResearchOffered(
            offer_id=uuid4().hex,
            tool=choice.tool,
            question=text,
            why=choice.why,
            takes=OFFERED[choice.tool],
            similar=similar,
        )
        self._offer = _Offer(event, {"question": text})
        return event

    async def _looked(self, choice: ToolChoice, chosen_by: str, talk: _Talk) -> FoundRecords:
        inputs: dict[str, Any] = {"query": choice.query}
        if choice.tool == RAG:
            inputs["run_id"] = self.run_id
        await talk.tell(ToolCalled(tool=choice.tool, inputs=inputs, chosen_by=chosen_by))
        return FoundRecords.model_validate((await self._run(choice.tool, inputs, talk)).payload)

    async def _run(self, tool: str, inputs: dict[str, Any], talk: _Talk) -> ToolResult:
        async with aclosing(self._registry.call(tool, inputs, talk.caller)) as steps:
            async for step in steps:
                if isinstance(step, ToolResult):
                    step.raise_for_error()
                    return step
                await talk.tell(ToolTold(tool=tool, progress=step))
        raise AssertionError("a tool ends with a result")

    async def _research(self, offer: _Offer, talk: _Talk) -> None:
        tool = offer.event.tool
        await talk.tell(ToolCalled(tool=tool, inputs=offer.inputs, chosen_by="user"))
        result = await self._run(tool, offer.inputs, talk)
        self.run_id = str(result.payload["trace_id"])
        ending = ResearchEnded(tool=tool, run_id=self.run_id, text=result.text)
        self._history.append(Exchange(offer.event.question, _outcome(ending)))
        await talk.tell(ending)


async def _guarded(
    turn: Callable[[_Talk], Awaitable[None]], talk: _Talk, told: asyncio.Queue[ChatEvent | None]
) -> None:
    """The turn; whatever happens, its reader is not left waiting."""
    try:
        await turn(talk)
    except DeepCriticalError as error:
        await told.put(_failed(error))
    except ResearchCancelled:
        await told.put(TurnFailed(error="ResearchCancelled", message="The research was stopped."))
    finally:
        told.put_nowait(None)


def _failed(error: DeepCriticalError) -> TurnFailed:
    return TurnFailed(error=type(error).__name__, message=error.message, advice=error.advice)


def _outcome(ending: ChatAnswer | ResearchOffered | ResearchEnded) -> str:
    """Return what is remembered of a turn: words of code, none of a record."""
    match ending:
        case ResearchOffered():
            return f"{ending.tool} was offered"
        case ResearchEnded():
            return f"{ending.tool} was done, run {ending.run_id}"
    found = f"{len(ending.references)} records were cited"
    return found if ending.in_evidence else "nothing was found"
