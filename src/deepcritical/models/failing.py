"""Failures of questions to a model: their meaning, their message, and the fallback."""

from __future__ import annotations

import asyncio
import socket
from typing import NamedTuple

from pydantic_ai import exceptions as failures

from deepcritical.domain.errors import (
    ConfigurationError,
    KeyRefusedError,
    ModelUnknownError,
    ReasoningError,
)

PASSING = (
    failures.ModelRateLimitError,
    failures.ModelUnavailableError,
    failures.ModelServerError,
    failures.ModelConnectionError,
)
UNANSWERED = (failures.ModelAPIError, TimeoutError, asyncio.CancelledError)
"""Failures of a request that got no answer, or none that can be read: it is not spending."""
OF_SERVER = (*PASSING, failures.ModelQuotaExceededError, TimeoutError)
"""Failures of a server, and not of the question: another model may answer it."""
UNABLE = (
    failures.UnexpectedModelBehavior,
    failures.ModelRequestRejectedError,
    failures.ModelServerError,
    failures.UserError,
)
"""Errors of a server that cannot give an answer in the way it was asked."""
FINAL = (
    failures.ContentFilterError,
    failures.ModelAuthenticationError,
    failures.ModelNotFoundError,
    failures.ModelContextWindowExceededError,
)
"""Failures that no other way of asking would avoid."""


NOT_ASKED = "it is not asked any more"
"""Beginning of the reason once a model was given up."""


class TooLongError(failures.UnexpectedModelBehavior):
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
        TooLongError,
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
"""Message and advice for each failure; the first that fits counts."""


class Wrong(NamedTuple):
    """An error that ends a run at its first question, with advice on what to do about it."""

    error: type[ConfigurationError]
    advice: str
    of_own_key: str
    """The advice to who brought a key."""


WRONG: dict[type[BaseException], Wrong] = {
    failures.ModelAuthenticationError: Wrong(
        KeyRefusedError,
        "Check DEEPCRITICAL_MODEL_API_KEY, or unset DEEPCRITICAL_MODEL to run without a model.",
        "Check the key that you gave for this run; nothing was kept of it.",
    ),
    failures.ModelNotFoundError: Wrong(
        ModelUnknownError,
        "Check DEEPCRITICAL_MODEL and DEEPCRITICAL_MODEL_BASE_URL, or unset DEEPCRITICAL_MODEL to "
        "run without a model.",
        "Check the name of the model.",
    ),
}


def is_unreachable(error: BaseException) -> bool:
    """Return whether nobody listens at the server's address.

    A name such as localhost may have several addresses; then every one of them has refused.
    """
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, ConnectionRefusedError | socket.gaierror):
            return True
        if isinstance(seen, BaseExceptionGroup):
            return all(map(is_unreachable, seen.exceptions))
        seen = seen.__cause__ or seen.__context__
    return False


def told_of(error: BaseException) -> tuple[str, str]:
    """Return the message on a failure, with advice."""
    told = ((text, advice) for kind, text, advice in _REASONS if isinstance(error, kind))
    return next(told, ("it failed", ""))


class NoAnswerError(ReasoningError):
    """The model gave none that could be used; the message says why, in a few words.

    With `of_server` the server failed, so that another model may answer.
    """

    def __init__(self, message: str, advice: str = "", *, of_server: bool = False) -> None:
        super().__init__(message, advice)
        self.of_server = of_server
