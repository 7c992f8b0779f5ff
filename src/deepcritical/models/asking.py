"""Asks the models of a run for typed answers, within a budget, in the mode a server supports.

What a server cannot do is found out by the first question: a tool call, else a JSON schema, else
words. An answer that does not fit is sent back once with the error. Where a server fails, the
fallback model is asked, if there is one. After that there is no answer, and the caller judges by
rule.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import lru_cache
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel
from pydantic_ai import Agent, NativeOutput, PromptedOutput, ToolOutput, UsageLimits
from pydantic_ai import exceptions as failures
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from deepcritical.domain.errors import (
    BudgetExceeded,
    ConfigurationError,
    DeepCriticalError,
    ReasoningError,
)
from deepcritical.domain.run.budget import Judgement, Purse
from deepcritical.domain.run.events import DeadlineMoved, Notice
from deepcritical.models.desk import Asked, OutputMode, RunDesk
from deepcritical.models.failing import (
    FINAL,
    NOT_ASKED,
    OF_SERVER,
    UNABLE,
    WRONG,
    NoAnswerError,
    is_unreachable,
    told_of,
)
from deepcritical.models.metering import TURNS, Budget, Metered
from deepcritical.models.profiles import Profile
from deepcritical.models.providers import ModelServer
from deepcritical.prompts.asks import Prompt
from deepcritical.services.tasks import SOON_S, to_the_end
from deepcritical.services.telemetry import Attributes, Telemetry

_MODES: tuple[OutputMode, ...] = ("tool", "native", "prompted")
_IN_A_ROW = 3
"""Questions without an answer after which a model is not asked again in this run."""

T = TypeVar("T", bound=BaseModel)


class Answered(NamedTuple, Generic[T]):
    """An answer, and whose it is."""

    answer: T
    server: ModelServer


class _Line:
    def __init__(self, server: ModelServer, model: Model, *, stands_in: bool = False) -> None:
        self.server = server
        self.model = model
        self.stands_in = stands_in
        """Whether it is asked only in another's place."""
        self.mode = server.mode
        self.slots = asyncio.Semaphore(server.profile.at_once)
        self.tried = asyncio.Event()
        """Set once it is known, or cannot be, in which way the server answers."""
        self.failed_in_a_row = 0
        self.answered = False
        self.asked = 0
        self.given_up = ""
        """Why it is not asked any more; '' while it is."""
        self.of_server = True
        """True if it is given up for a reason of its server."""

    def give_up(self, why: str, *, of_server: bool) -> None:
        self.given_up, self.of_server = why, of_server
        self.server.mode = None


@asynccontextmanager
async def open_asker(server: ModelServer, desk: RunDesk) -> AsyncIterator[Asker]:
    """An asker over clients of its own, until the context ends.

    The desk's key goes to no other address than the model's.
    """
    stack = AsyncExitStack()
    try:
        clients = {}
        for name, one in server.all.items():
            own = desk.model_api_key if one.address == server.address else None
            # Making a client reads certificates from the disk.
            model = await asyncio.to_thread(one.open, own.get_secret_value() if own else None)
            clients[name] = await stack.enter_async_context(
                SpannedModel(model, one, desk.telemetry)
            )
        yield Asker(server, clients, desk)
    finally:
        # Who is cancelled once more while it closes one connection would leave the others open.
        await to_the_end(stack.aclose(), SOON_S)


class Asker:
    """Puts the questions of one run to its models, within the desk's limits and time."""

    def __init__(self, server: ModelServer, clients: Mapping[str, Model], desk: RunDesk) -> None:
        self.purse = Purse(desk.limits, server.price, desk.elapsed_s)
        self._server = server
        self._desk = desk
        self._own_key = desk.model_api_key is not None
        self.book = desk.book
        """What models answered in this run."""
        self._budget = Budget(self.purse, asyncio.Event(), desk.book)
        self._lines = {
            one.name: _Line(one, clients[one.name]) for one in (*server.steps.values(), server)
        }
        last = server.fallback
        self._fallback = _Line(last, clients[last.name], stands_in=True) if last else None
        self._stood_in: set[str] = set()
        self._moved_to: float | None = None

    def server_for(self, judgement: Judgement) -> ModelServer:
        """The model that is asked for a judgement."""
        return self._server.server_for(judgement)

    def profile_for(self, judgement: Judgement) -> Profile:
        """Return the profile: the amount to ask at once."""
        return self.server_for(judgement).profile

    @property
    def _main(self) -> _Line:
        return self._lines[self._server.name]

    @property
    def asked(self) -> Asked:
        """The cost and the state of the questions so far."""
        main = self._main
        return Asked(
            spent=self.purse.spent,
            questions=main.asked,
            failed_in_a_row=main.failed_in_a_row,
            given_up=main.given_up,
            mode=main.mode,
            answered=main.answered,
            deadline_s=self._moved_to,
        )

    def go_on(self, asked: Asked) -> None:
        """Go on behind the questions that another process asked."""
        main = self._main
        self.purse.spent, main.asked = asked.spent, asked.questions
        main.failed_in_a_row, main.given_up = asked.failed_in_a_row, asked.given_up
        main.mode = asked.mode or main.mode
        main.answered = asked.answered
        if asked.deadline_s:
            self._moved_to = asked.deadline_s
            self.purse.limits = self.purse.limits.until(asked.deadline_s)
        if main.asked:
            main.tried.set()

    async def ask(self, judgement: Judgement, prompt: Prompt, answer: type[T]) -> T:
        """The answer of the judgement's model, or of the fallback where its server fails.

        Raises:
            NoAnswerError: There is none.
            ConfigurationError: The very first question to the model shows that key or name are
                wrong.
        """
        return (await self.answered(judgement, prompt, answer)).answer

    async def answered(self, judgement: Judgement, prompt: Prompt, answer: type[T]) -> Answered[T]:
        """The same, with the model that gave it."""
        line = self._lines[self.server_for(judgement).name]
        try:
            return Answered(await self._of(line, judgement, prompt, answer), line.server)
        except NoAnswerError as error:
            last = self._fallback
            if last is None or last.server.name == line.server.name or not error.of_server:
                raise
            await self._told(line.server, last.server, error)
        return Answered(await self._of(last, judgement, prompt, answer), last.server)

    async def _told(self, failed: ModelServer, by: ModelServer, error: NoAnswerError) -> None:
        """Say once of each model that another answers in its place."""
        if failed.name in self._stood_in:
            return
        self._stood_in.add(failed.name)
        await self._desk.tell(
            Notice(
                message=f"{failed.name} did not answer ({error.message}); the fallback model "
                f"{by.name} is asked in its place where that happens."
            )
        )

    async def _of(self, line: _Line, judgement: Judgement, prompt: Prompt, answer: type[T]) -> T:
        line.asked += 1
        first = line.asked == 1
        if not (first or line.mode):
            await line.tried.wait()
        try:
            async with line.slots:
                # Here, because the model may have been given up while others were waited for.
                if line.given_up:
                    raise NoAnswerError(line.given_up, of_server=line.of_server)
                found = await self._in_some_mode(line, judgement, prompt, answer)
        except BudgetExceeded as error:
            raise NoAnswerError(
                "the model's budget for it is used up", "Raise the limits of calls and tokens."
            ) from error
        except (failures.AgentRunError, failures.UserError, TimeoutError) as error:
            raise self._failed(line, error, first=first) from error
        finally:
            line.tried.set()
        line.failed_in_a_row, line.answered = 0, True
        await self._keep_pace(line.server.name)
        return found

    async def _keep_pace(self, model: str) -> None:
        """Give a slow model more time, as its first answer shows it, and tell of that."""
        before, took_s = self.purse.limits, self.purse.first_answer_s
        if not (before.paced and took_s):
            return
        self.purse.limits = before.at_pace(took_s)
        self._moved_to = self.purse.limits.deadline_s
        if self._moved_to > before.deadline_s:
            await self._desk.tell(
                DeadlineMoved(model=model, first_answer_s=took_s, deadline_s=self._moved_to)
            )

    def _failed(
        self, line: _Line, error: BaseException, *, first: bool
    ) -> ReasoningError | ConfigurationError:
        reason, advice = told_of(error)
        wrong = next((w for kind, w in WRONG.items() if isinstance(error, kind)), None)
        if first and wrong and not line.stands_in:
            return wrong.error(
                f"{reason[0].upper()}{reason[1:]} ({line.server.name}).",
                wrong.of_own_key if self._own_key else wrong.advice,
            )
        line.failed_in_a_row += 1
        of_server = isinstance(error, OF_SERVER)
        absent = not line.answered and is_unreachable(error)
        if line.failed_in_a_row >= _IN_A_ROW or wrong or absent:
            line.give_up(f"{NOT_ASKED}, because {reason}", of_server=of_server)
        return NoAnswerError(line.given_up or reason, advice, of_server=of_server)

    async def _in_some_mode(
        self, line: _Line, judgement: Judgement, prompt: Prompt, answer: type[T]
    ) -> T:
        known = line.mode
        unable: Exception | None = None
        for mode in (known,) if known else _MODES:
            try:
                found = await self._in_mode(line, mode, judgement, prompt, answer)
            except FINAL:
                raise
            except UNABLE as error:
                unable = unable or error
                continue
            line.mode = line.server.mode = mode
            return found
        # This run asks in one way from here on; the next one finds out anew.
        line.mode = line.mode or _MODES[0]
        raise unable or AssertionError("there is always a mode")

    async def _in_mode(
        self, line: _Line, mode: OutputMode, judgement: Judgement, prompt: Prompt, answer: type[T]
    ) -> T:
        # While it is not known what the server can do, its failure may mean that it cannot do this.
        patient = line.mode is not None or mode is _MODES[-1]
        metered = Metered(
            line.model,
            line.server,
            self._budget,
            judgement,
            patient=patient,
            stands_in=line.stands_in,
        )
        asked = _agent(mode, answer, prompt.task).run(
            prompt.text,
            model=metered,
            instructions=prompt.rules,
            model_settings=line.server.settings(judgement),
            usage_limits=UsageLimits(request_limit=TURNS),
        )
        try:
            found: T = (await asked).output
        except (failures.AgentRunError, failures.UserError, TimeoutError, DeepCriticalError):
            raise
        except Exception as error:
            # The libraries take a server's answer apart before they look whether it can be.
            raise failures.ModelAPIError(line.server.name, "unreadable") from error
        return found


class SpannedModel(WrapperModel):
    """Tells of every request that is sent, by the semantic conventions for generative AI.

    Not by the library's own way, which tells prompts.
    """

    def __init__(self, model: Model, server: ModelServer, telemetry: Telemetry) -> None:
        super().__init__(model)
        self._server = server
        self._telemetry = telemetry

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """One span."""
        asked = _asked(self._server, self.model_name, model_settings or {})
        with self._telemetry.span(f"chat {self.model_name}", asked, remote=True) as span:
            response = await super().request(messages, model_settings, model_request_parameters)
            span.tell(self._answered(response))
        return response

    def _answered(self, response: ModelResponse) -> Attributes:
        read, written = response.usage.input_tokens, response.usage.output_tokens
        reason = response.finish_reason
        return {
            "gen_ai.response.id": response.provider_response_id,
            "gen_ai.response.model": response.model_name,
            "gen_ai.response.finish_reasons": (reason,) if reason else None,
            "gen_ai.usage.input_tokens": read,
            "gen_ai.usage.output_tokens": written,
            "deepcritical.cost_usd": self._server.price(read, written),
        }


def _asked(server: ModelServer, model: str, settings: ModelSettings) -> Attributes:
    place = urlsplit(server.address)
    return {
        "gen_ai.operation.name": "chat",
        # The conventions know the service, of which two APIs are one.
        "gen_ai.provider.name": server.name.partition(":")[0].removesuffix("-chat"),
        "gen_ai.request.model": model,
        "gen_ai.request.max_tokens": settings.get("max_tokens"),
        "gen_ai.request.temperature": settings.get("temperature"),
        "server.address": place.hostname,
        "server.port": place.port,
    }


_AS: dict[OutputMode, Callable[[type[Any], str], Any]] = {
    "tool": lambda answer, task: ToolOutput(answer, name=task),
    "native": lambda answer, task: NativeOutput(answer, name=task),
    "prompted": lambda answer, task: PromptedOutput(answer, name=task),
}


@lru_cache(maxsize=128)
def _agent(mode: OutputMode, answer: type[Any], task: str) -> Agent[object, Any]:
    """Return what asks any model for an answer of the type: its schema takes 20 ms to write."""
    return Agent(
        name=task,  # else the library looks for one in the frames of its callers
        output_type=_AS[mode](answer, task),
        retries=1,
    )
