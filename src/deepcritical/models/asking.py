"""Asks a model for a typed answer, within a budget, in the way its server can give one.

What a server cannot do is found out by the first question: a tool call, else a JSON schema, else
words. An answer that does not fit is sent back once with the error. After that there is no answer,
and the caller judges by rule.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel
from pydantic_ai import Agent, NativeOutput, PromptedOutput, ToolOutput, UsageLimits
from pydantic_ai import exceptions as failures
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from deepcritical.domain.budget import Judgement, Purse, Spent
from deepcritical.domain.errors import (
    BudgetExceeded,
    ConfigurationError,
    DeepCriticalError,
    KeyRefusedError,
    ModelUnknownError,
    ReasoningError,
)
from deepcritical.models.desk import Asked, OutputMode, RunDesk
from deepcritical.models.providers import ModelServer
from deepcritical.prompts.asks import Prompt
from deepcritical.prompts.evidence import CHARS_PER_TOKEN

__all__ = ["Asker", "NoAnswerError"]

_MODES: tuple[OutputMode, ...] = ("tool", "native", "prompted")
_REPEATS = 2
"""Times that a request is sent again after a passing failure."""
_LONGEST_WAIT_S = 20.0
"""A server that asks for a longer wait is not waited for."""
_TURNS = 3
"""Requests of one question at most: the first, and one repair each of a tool call and of text."""
_LONGEST_CHARS_PER_TOKEN = 20
"""An answer with more for each token that it was allowed comes of no limit, and is not read."""
_IN_A_ROW = 3
"""Questions without an answer after which the model is not asked again in this run."""

_PASSING = (
    failures.ModelRateLimitError,
    failures.ModelUnavailableError,
    failures.ModelServerError,
    failures.ModelConnectionError,
)
_UNANSWERED = (*_PASSING, failures.ModelHTTPError, TimeoutError, asyncio.CancelledError)
"""Failures of a request that got no answer: it is not spending."""
_UNABLE = (
    failures.UnexpectedModelBehavior,
    failures.ModelRequestRejectedError,
    failures.ModelServerError,
    failures.UserError,
)
"""What a server answers that cannot give an answer in the way it was asked."""
_FINAL = (
    failures.ContentFilterError,
    failures.ModelAuthenticationError,
    failures.ModelNotFoundError,
    failures.ModelContextWindowExceededError,
)
"""What no other way of asking would change."""


class _TooLongError(failures.UnexpectedModelBehavior):
    """An answer far longer than was allowed."""


_REASONS: tuple[tuple[type[BaseException], str, str], ...] = (
    (failures.ModelAuthenticationError, "the model server refused the key", ""),
    (failures.ModelNotFoundError, "the model server knows no model of this name", ""),
    (
        failures.ModelContextWindowExceededError,
        "the prompt was too long for the model",
        "Give the server a longer context, or set DEEPCRITICAL_MODEL_PROFILE=small.",
    ),
    (
        failures.ModelRateLimitError,
        "the model server's rate limit was reached",
        "Wait a minute, or ask the provider for more.",
    ),
    (
        failures.ModelQuotaExceededError,
        "the account's quota is used up",
        "Top it up, or use another key.",
    ),
    (
        failures.ModelConnectionError,
        "the connection to the model server failed",
        "See that the server runs and that DEEPCRITICAL_MODEL_BASE_URL is its address.",
    ),
    (failures.ModelUnavailableError, "the model server is not available", "Try again later."),
    (
        failures.ModelServerError,
        "the model server failed",
        "Look into the server's log, or try again later.",
    ),
    (
        failures.ModelRequestRejectedError,
        "the model server rejected the request",
        "Look into the server's log for what it cannot do.",
    ),
    (failures.ContentFilterError, "the model refused to answer", "Use another model."),
    (
        failures.OutputTokenLimitExceeded,
        "the model's answer was cut off",
        "Use a model that answers more briefly.",
    ),
    (
        _TooLongError,
        "the model's answer was far longer than allowed",
        "Use a model that ends its answers, or a server that keeps max_tokens.",
    ),
    (
        failures.UnexpectedModelBehavior,
        "the model's answer did not have the form asked for",
        "Use a model that can give structured output.",
    ),
    (
        TimeoutError,
        "the model did not answer in time",
        "Raise DEEPCRITICAL_MODEL_TIMEOUT_S, or use a faster model.",
    ),
    (
        failures.ModelAPIError,
        "the model server's answer could not be read",
        "See that DEEPCRITICAL_MODEL_BASE_URL is the address of an API, often one with /v1.",
    ),
)
"""What is said of each failure, and what can be done about it; the first that fits counts."""


class _Wrong(NamedTuple):
    """What ends a run at its first question, and what to do about it."""

    error: type[ConfigurationError]
    advice: str
    of_own_key: str
    """The advice to who brought a key."""


_WRONG: dict[type[BaseException], _Wrong] = {
    failures.ModelAuthenticationError: _Wrong(
        KeyRefusedError,
        "Check DEEPCRITICAL_MODEL_API_KEY, or unset DEEPCRITICAL_MODEL to run without a model.",
        "Check the key that you gave for this run; nothing was kept of it.",
    ),
    failures.ModelNotFoundError: _Wrong(
        ModelUnknownError,
        "Check DEEPCRITICAL_MODEL and DEEPCRITICAL_MODEL_BASE_URL, or unset DEEPCRITICAL_MODEL to "
        "run without a model.",
        "Check the name of the model.",
    ),
}

T = TypeVar("T", bound=BaseModel)


class NoAnswerError(ReasoningError):
    """The model gave none that could be used; the message says why, in a few words."""


class _Metered(WrapperModel):
    """Reserves every request before it is sent, and sends it again after a passing failure."""

    def __init__(
        self, model: Model, asker: Asker, judgement: Judgement, timeout_s: float, *, patient: bool
    ) -> None:
        super().__init__(model)
        self._patient = patient
        self._purse = asker.purse
        self._settled = asker.settled
        self._judgement = judgement
        self._timeout_s = timeout_s
        self._turns = 0

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        # The library's own limit does not count answers that ask to be continued.
        self._turns += 1
        if self._turns > _TURNS:
            raise failures.UnexpectedModelBehavior("it did not come to an end")
        most = self._most(messages, model_settings or {}, model_request_parameters)
        for repeat in range(_REPEATS + 1):
            try:
                return await self._sent(most, messages, model_settings, model_request_parameters)
            except _PASSING as error:
                wait_s = error.retry_after if error.retry_after is not None else 0.5 * 2**repeat
                longest_s = min(_LONGEST_WAIT_S, self._purse.seconds_left(self._judgement))
                unable = isinstance(error, failures.ModelServerError) and not self._patient
                if repeat == _REPEATS or wait_s > longest_s or unable:
                    raise
            await asyncio.sleep(wait_s)
        raise AssertionError("the last attempt returns or raises")

    async def _sent(self, most: Spent, *request: Any) -> ModelResponse:
        if not self._purse.seconds_left(self._judgement):
            raise BudgetExceeded("The time for it is over.", "Raise DEEPCRITICAL_DEADLINE_S.")
        await self._reserved(most)
        actual = most  # also for an answer that cannot be read: the model has written it
        try:
            left_s = self._purse.seconds_left(self._judgement)
            async with asyncio.timeout(min(self._timeout_s, left_s)):
                response = await super().request(*request)
            written = len(ModelMessagesTypeAdapter.dump_json([response]))
            actual = self._cost(response, most, written)
        except _UNANSWERED:
            actual = Spent(unanswered=1)
            raise
        finally:
            self._purse.settle(most, actual)
            self._settled.set()
        if written > most.output_tokens * _LONGEST_CHARS_PER_TOKEN:
            raise _TooLongError("it is not read")
        return response

    async def _reserved(self, most: Spent) -> None:
        """Reserve the call; wait for those under way while what they leave may be enough."""
        while True:
            # Cleared before the try, so that no end of another call is missed.
            self._settled.clear()
            try:
                self._purse.reserve(self._judgement, most)
            except BudgetExceeded:
                if not (self._purse.under_way and self._purse.may_fit(self._judgement, most)):
                    raise
            else:
                return
            await self._settled.wait()

    def _most(
        self,
        messages: list[ModelMessage],
        settings: ModelSettings,
        parameters: ModelRequestParameters,
    ) -> Spent:
        """What a request costs at most, as far as its length tells."""
        tools = [t.parameters_json_schema for t in parameters.output_tools]
        schema = parameters.output_object.json_schema if parameters.output_object else {}
        asked = len(ModelMessagesTypeAdapter.dump_json(messages))
        asked += len(json.dumps([tools, schema]))
        return self._purse.priced(-(-asked // CHARS_PER_TOKEN), settings.get("max_tokens", 0))

    def _cost(self, response: ModelResponse, most: Spent, written_chars: int) -> Spent:
        """What the answer cost, as its server says, or as its length tells when it does not."""
        read, written = response.usage.input_tokens, response.usage.output_tokens
        return self._purse.priced(
            read if read > 0 else most.input_tokens,
            written if written > 0 else written_chars // CHARS_PER_TOKEN,
        )


class Asker:
    """Puts the questions of one run to one model, its client, within the desk's limits and time."""

    def __init__(self, server: ModelServer, model: Model, desk: RunDesk) -> None:
        self.purse = Purse(desk.limits, server.price, desk.elapsed_s)
        self.profile = server.profile
        self._server = server
        self._model = model
        self._own_key = desk.model_api_key is not None
        self.settled = asyncio.Event()
        """Set when a call has ended and its reservation is given back."""
        self._mode = server.mode
        self._slots = asyncio.Semaphore(server.profile.at_once)
        self._tried = asyncio.Event()
        """Set once it is known, or cannot be, in which way the server answers."""
        self._failed_in_a_row = 0
        self._asked = 0
        self._given_up = ""

    @property
    def asked(self) -> Asked:
        """What the questions so far have cost and shown."""
        return Asked(
            spent=self.purse.spent,
            questions=self._asked,
            failed_in_a_row=self._failed_in_a_row,
            given_up=self._given_up,
            mode=self._mode,
        )

    def go_on(self, asked: Asked) -> None:
        """Go on behind the questions that another process asked."""
        self.purse.spent, self._asked = asked.spent, asked.questions
        self._failed_in_a_row, self._given_up = asked.failed_in_a_row, asked.given_up
        self._mode = asked.mode or self._mode
        if self._asked:
            self._tried.set()

    async def ask(self, judgement: Judgement, prompt: Prompt, answer: type[T]) -> T:
        """The model's answer.

        Raises:
            NoAnswerError: There is none.
            ConfigurationError: The run's very first question shows that key or name are wrong.
        """
        self._asked += 1
        first = self._asked == 1
        if not (first or self._mode):
            await self._tried.wait()
        try:
            async with self._slots:
                # Here, because the model may have been given up while others were waited for.
                if self._given_up:
                    raise NoAnswerError(self._given_up)
                found = await self._in_some_mode(judgement, prompt, answer)
        except BudgetExceeded as error:
            raise NoAnswerError(
                "the model's budget for it is used up", "Raise the limits of calls and tokens."
            ) from error
        except (failures.AgentRunError, failures.UserError, TimeoutError) as error:
            raise self._failed(error, first=first) from error
        finally:
            self._tried.set()
        self._failed_in_a_row = 0
        return found

    def _failed(self, error: BaseException, *, first: bool) -> ReasoningError | ConfigurationError:
        told = ((text, what) for kind, text, what in _REASONS if isinstance(error, kind))
        reason, advice = next(told, ("it failed", ""))
        wrong = next((w for kind, w in _WRONG.items() if isinstance(error, kind)), None)
        if first and wrong:
            return wrong.error(
                f"{reason[0].upper()}{reason[1:]} ({self._server.name}).",
                wrong.of_own_key if self._own_key else wrong.advice,
            )
        self._failed_in_a_row += 1
        if self._failed_in_a_row >= _IN_A_ROW or wrong:
            self._given_up = f"it is not asked any more, because {reason}"
            self._server.mode = None
        return NoAnswerError(reason, advice)

    async def _in_some_mode(self, judgement: Judgement, prompt: Prompt, answer: type[T]) -> T:
        known = self._mode
        unable: Exception | None = None
        for mode in (known,) if known else _MODES:
            try:
                found = await self._in_mode(mode, judgement, prompt, answer)
            except _FINAL:
                raise
            except _UNABLE as error:
                unable = unable or error
                continue
            self._mode = self._server.mode = mode
            return found
        # This run asks in one way from here on; the next one finds out anew.
        self._mode = self._mode or _MODES[0]
        raise unable or AssertionError("there is always a mode")

    async def _in_mode(
        self, mode: OutputMode, judgement: Judgement, prompt: Prompt, answer: type[T]
    ) -> T:
        profile = self.profile
        settings = ModelSettings(max_tokens=profile.output_tokens, max_retries=0)
        if profile.temperature is not None:
            settings["temperature"] = profile.temperature
        # While it is not known what the server can do, its failure may mean that it cannot do this.
        patient = self._mode is not None or mode is _MODES[-1]
        metered = _Metered(self._model, self, judgement, self._server.timeout_s, patient=patient)
        agent = Agent(
            metered,
            name=prompt.task,  # else the library looks for one in the frames of its callers
            output_type=_AS[mode](answer, prompt.task),
            instructions=prompt.rules,
            model_settings=settings,
            retries=1,
        )
        limits = UsageLimits(request_limit=_TURNS)
        try:
            found: T = (await agent.run(prompt.text, usage_limits=limits)).output
        except (failures.AgentRunError, failures.UserError, TimeoutError, DeepCriticalError):
            raise
        except Exception as error:
            # The libraries take a server's answer apart before they look whether it can be.
            raise failures.ModelAPIError(self._server.name, "unreadable") from error
        return found


_AS: dict[OutputMode, Callable[[type[Any], str], Any]] = {
    "tool": lambda answer, task: ToolOutput(answer, name=task),
    "native": lambda answer, task: NativeOutput(answer, name=task),
    "prompted": lambda answer, task: PromptedOutput(answer, name=task),
}
