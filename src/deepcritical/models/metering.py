"""Reserves, sends and counts the requests of a question; retries transient failures.

What was answered already, before the process died that had asked, is taken from the run's record.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from pydantic_ai import exceptions as failures
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from deepcritical.domain.errors import BudgetExceeded
from deepcritical.domain.run.budget import Judgement, Purse, Spent
from deepcritical.models.failing import PASSING, UNANSWERED, TooLongError, is_unreachable
from deepcritical.models.providers import ModelServer
from deepcritical.models.sending import noted
from deepcritical.prompts.evidence import CHARS_PER_TOKEN
from deepcritical.services.storage.model_answers import AnswerBook, Place

TURNS = 3
"""Requests of one question at most: the first, and one repair each of a tool call and of text."""
_REPEATS = 2
"""Times that a request is sent again after a passing failure."""
_LONGEST_WAIT_S = 20.0
"""A server that asks for a longer wait is not waited for."""
_LONGEST_CHARS_PER_TOKEN = 20
"""An answer with more for each token that it was allowed comes of no limit, and is not read."""
_OF_THE_MOMENT = frozenset(("timestamp", "run_id", "conversation_id"))
"""Fields that differ when the same request is sent again."""
_NOT_ASKED_BY = frozenset(("temperature", "timeout"))
"""Settings that a server may refuse, or that change no answer."""


class Budget(NamedTuple):
    """The budget that the models of one run share."""

    purse: Purse
    settled: asyncio.Event
    """Set when a call has ended and its reservation is given back."""
    book: AnswerBook
    """Has what was answered before, and what is answered now."""


class _Request(NamedTuple):
    messages: list[ModelMessage]
    settings: ModelSettings
    parameters: ModelRequestParameters


class Metered(WrapperModel):
    """Reserves every request before it is sent, and sends it again after a passing failure."""

    def __init__(
        self,
        model: Model,
        server: ModelServer,
        budget: Budget,
        judgement: Judgement,
        *,
        patient: bool,
        stands_in: bool,
    ) -> None:
        super().__init__(model)
        self._server = server
        self._patient = patient
        self._purse = budget.purse
        self._settled = budget.settled
        self._book = budget.book
        self._judgement = judgement
        self._stands_in = stands_in
        self._turns = 0

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """The answer; the request is sent again after a passing failure."""
        # The library's own limit does not count answers that ask to be continued.
        self._turns += 1
        if self._turns > TURNS:
            raise failures.UnexpectedModelBehavior("it did not come to an end")
        asked = _Request(
            messages, ModelSettings(**(model_settings or {})), model_request_parameters
        )
        most = self._most(asked)
        place = await self._book.place(self._content(asked))
        if place.answer:
            self._purse.settle(Spent(), place.spent)
        else:
            await self._repeatedly(place, most, asked)
        if len(place.answer) > most.output_tokens * _LONGEST_CHARS_PER_TOKEN:
            raise TooLongError("it is not read")
        (response,) = ModelMessagesTypeAdapter.validate_json(place.answer)
        assert isinstance(response, ModelResponse)  # noqa: S101 - nothing else is an answer
        return response

    async def _repeatedly(self, place: Place, most: Spent, asked: _Request) -> None:
        """Have it answered; it is sent again after a passing failure."""
        for repeat in range(_REPEATS + 1):
            try:
                return await self._accepted(place, most, asked)
            except PASSING as error:
                wait_s = error.retry_after if error.retry_after is not None else 0.5 * 2**repeat
                longest_s = min(_LONGEST_WAIT_S, self._purse.seconds_left(self._judgement))
                unable = isinstance(error, failures.ModelServerError) or is_unreachable(error)
                in_vain = unable and not self._patient
                if repeat == _REPEATS or wait_s > longest_s or in_vain:
                    raise
            await asyncio.sleep(wait_s)
        raise AssertionError("the last attempt returns or raises")

    async def _accepted(self, place: Place, most: Spent, asked: _Request) -> None:
        """Send it, and once more without a temperature if it is that which is refused."""
        try:
            return await self._sent(place, most, asked)
        except failures.ModelRequestRejectedError as error:
            if "temperature" not in asked.settings or "temperature" not in str(error):
                raise
            self._server.takes_temperature = False
            del asked.settings["temperature"]
        return await self._sent(place, most, asked)

    async def _sent(self, place: Place, most: Spent, asked: _Request) -> None:
        """Send it, and record the answer. What a dead process had in flight is charged, too."""
        if not self._purse.seconds_left(self._judgement):
            raise BudgetExceeded("The time for it is over.", "Raise DEEPCRITICAL_DEADLINE_S.")
        await self._reserved(most)
        actual = most  # also for an answer that is not used: the model has written it
        sent = place.sent
        try:
            response = await self._timed(place, asked)
            answer = ModelMessagesTypeAdapter.dump_json([response]).decode()
            once = self._cost(response, most, len(answer))
            actual = once
            for _ in range(1, place.sent):
                actual = actual.plus(once)
        except UNANSWERED as error:
            actual = Spent(unanswered=1)
            if not isinstance(error, asyncio.CancelledError):  # else it is asked again elsewhere
                await self._unanswered(place, sent)
            raise
        except failures.UnexpectedModelBehavior as error:
            if type(error) is failures.UnexpectedModelBehavior:  # not of what a model wrote
                actual = Spent(unanswered=1)
                await self._unanswered(place, sent)
                raise failures.ModelAPIError(self.model_name, "no answer in the body") from error
            raise
        except Exception as error:
            if place.sent == sent or isinstance(error, failures.UserError):
                actual = Spent()  # it cannot be asked like that, and was not sent
                await self._unanswered(place, sent)
            raise
        finally:
            self._purse.settle(most, actual)
            self._settled.set()
        await self._book.keep(place, answer, actual)

    async def _timed(self, place: Place, asked: _Request) -> ModelResponse:
        """Send it within the time that an answer may take; the first one shows the speed."""
        begun_s = time.monotonic()

        async def note() -> None:
            nonlocal begun_s
            limit.reschedule(None)  # what the database takes is no time of the model's
            await self._book.sending(place)
            begun_s = time.monotonic()
            limit.reschedule(asyncio.get_running_loop().time() + self._answer_s)

        async with (
            asyncio.timeout(self._answer_s) as limit,
            noted(note, by_client=self._server.notes),
        ):
            response = await super().request(*asked)
        self._purse.first_answer_s = self._purse.first_answer_s or time.monotonic() - begun_s
        return response

    @property
    def _answer_s(self) -> float:
        """Seconds that an answer may take."""
        return min(self._server.timeout_s, self._purse.seconds_left(self._judgement))

    async def _unanswered(self, place: Place, sent_before: int) -> None:
        """Take the note back, if it was made."""
        if place.sent > sent_before:
            await self._book.unanswered(place)

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

    def _content(self, asked: _Request) -> str:
        """Return the hash of a request: messages, server and form; the same in every process."""
        settings = {n: value for n, value in asked.settings.items() if n not in _NOT_ASKED_BY}
        told = [
            self._server.name,
            self._server.address,
            _lasting(ModelMessagesTypeAdapter.dump_python(asked.messages, mode="json")),
            settings,
            *_schemas(asked.parameters),
        ]
        return hashlib.sha256(json.dumps(told, sort_keys=True, default=str).encode()).hexdigest()

    def _most(self, asked: _Request) -> Spent:
        """Return the highest cost of a request, estimated from its length."""
        size = len(ModelMessagesTypeAdapter.dump_json(asked.messages))
        size += len(json.dumps(_schemas(asked.parameters)))
        return self._priced(-(-size // CHARS_PER_TOKEN), asked.settings.get("max_tokens", 0))

    def _cost(self, response: ModelResponse, most: Spent, written_chars: int) -> Spent:
        """Return the cost of an answer by the server's count, or by its length without one."""
        used = response.usage
        read, written = used.input_tokens, used.output_tokens
        spent = self._priced(
            read if read > 0 else most.input_tokens,
            written if written > 0 else written_chars // CHARS_PER_TOKEN,
        )
        # Only the usage as it was told knows what came from the server's cache.
        cost = self._server.cost(used) if read > 0 and written > 0 else None
        return spent if cost is None else spent.model_copy(update={"cost_usd": cost})

    def _priced(self, read: int, written: int) -> Spent:
        spent = self._purse.priced(read, written, self._server.price)
        return spent.model_copy(update={"by_fallback": int(self._stands_in)})


def _schemas(parameters: ModelRequestParameters) -> Sequence[Any]:
    tools = [tool.parameters_json_schema for tool in parameters.output_tools]
    return tools, parameters.output_object.json_schema if parameters.output_object else {}


def _lasting(told: Any) -> Any:
    """A message without what differs each time that it is made."""
    if isinstance(told, dict):
        return {n: _lasting(value) for n, value in told.items() if n not in _OF_THE_MOMENT}
    return [_lasting(value) for value in told] if isinstance(told, list) else told
