"""HTTP errors as problem details (RFC 9457), with the status of each error."""

from __future__ import annotations

import asyncio
import logging
import math
import threading
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException as StarletteHTTPException

from deepcritical.domain import errors
from deepcritical.domain.base import Model

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

_LOG = logging.getLogger(__name__)
PROBLEM_TYPE = "application/problem+json"
CAPACITY_RETRY_S = 60
"""Seconds after which to try again where too many runs are under way."""
STORAGE_RETRY_S = 10
"""Seconds after which to try again where the database does not answer."""
STATUSES: tuple[tuple[type[errors.DeepCriticalError], int], ...] = (
    (errors.AuthenticationError, 401),
    (errors.QuotaExceededError, 429),
    (errors.AccessError, 403),
    (errors.QuestionError, 422),
    (errors.ConfigurationError, 422),
    (errors.TraceNotFoundError, 404),
    (errors.TraceEndedError, 409),
    (errors.DocumentNotFoundError, 404),
    (errors.DocumentTooLargeError, 413),
    (errors.DocumentError, 422),
    (errors.CapacityError, 503),
    (errors.DatabaseDamagedError, 500),
    (errors.DatabaseFullError, 507),
    (errors.StorageError, 503),
)
"""Status of each error; the first class that fits counts."""

_REASONS: dict[type[Exception], str] = {
    errors.DatabaseBusyError: "database_busy",
    errors.DatabaseDamagedError: "database_damaged",
    errors.DatabaseFullError: "database_full",
    errors.DatabaseReadOnlyError: "database_read_only",
    errors.DatabaseUnreachableError: "database_unreachable",
}


class InvalidField(Model):
    """A part of the request that cannot be used."""

    pointer: str
    """Where it is, such as ``#/question``, or the name of a parameter or header."""
    detail: str


class Problem(Model):
    """An error, with advice on what to do about it."""

    type: str = "about:blank"
    title: str
    """The status in words."""
    status: int
    detail: str
    """What happened."""
    advice: str = ""
    """What to do next."""
    errors: tuple[InvalidField, ...] = ()
    """Each part of the request that cannot be used."""
    reason: str = ""
    """Of a question that is not searched, why: such as ``unknown_name`` or ``not_biomedical``.

    Of a database that cannot be used: ``database_busy``, ``database_damaged``,
    ``database_full``, ``database_read_only`` or ``database_unreachable``.
    """
    offers: tuple[str, ...] = ()
    """Names or questions to ask about instead, the nearest first."""


_DOCUMENTED = {
    "description": "What went wrong, and what to do about it.",
    "content": {PROBLEM_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
}
PROBLEM_RESPONSES: dict[int | str, dict[str, Any]] = {
    # The second one takes the place of the framework's own.
    **dict.fromkeys(("4XX", 422, "5XX"), _DOCUMENTED)
}
"""The errors in the description of the interface."""


def problem_response(
    status: int,
    detail: str,
    advice: str = "",
    *,
    invalid: Iterable[InvalidField] = (),
    headers: Mapping[str, str] | None = None,
    reason: str = "",
    offers: Iterable[str] = (),
) -> JSONResponse:
    """The answer to a request that cannot be met."""
    body = Problem(
        title=HTTPStatus(status).phrase,
        status=status,
        detail=detail,
        advice=advice,
        errors=tuple(invalid),
        reason=reason,
        offers=tuple(offers),
    )
    return JSONResponse(body.model_dump(), status, dict(headers or {}), media_type=PROBLEM_TYPE)


def add_handlers(app: FastAPI) -> None:
    """Have an application answer every error as a problem."""
    app.add_exception_handler(errors.DeepCriticalError, _of_ours)
    app.add_exception_handler(RequestValidationError, _of_request)
    app.add_exception_handler(StarletteHTTPException, _of_http)
    app.add_exception_handler(Exception, _of_defect)


class DescribedApi(FastAPI):
    """An application whose description tells the shape of a problem, too."""

    _making = threading.Lock()
    _described: dict[str, Any] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; to make the description takes a second, and reads sources."""
        asked = self.openapi_url and scope.get("path", "").endswith(self.openapi_url)
        if asked and self._described is None:
            await asyncio.to_thread(self.openapi)
        await super().__call__(scope, receive, send)

    def openapi(self) -> dict[str, Any]:
        """Return the description, made once, and given to nobody before it is whole."""
        with self._making:
            if self._described is None:
                made = super().openapi()
                schemas = made["components"]["schemas"]
                problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
                schemas |= problem.pop("$defs")
                schemas["Problem"] = problem
                self._described = made
            return self._described


async def _of_ours(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, errors.DeepCriticalError)  # noqa: S101 - as it is registered
    status = next((code for kind, code in STATUSES if isinstance(error, kind)), 500)
    if status >= 500:
        _LOG.warning("a request was answered with %s: %s", status, error)
    more: dict[str, Any] = {"reason": _REASONS.get(type(error), "")}
    if isinstance(error, errors.QuestionDeclinedError):
        more = {"reason": error.reason, "offers": error.offers}
    return problem_response(status, error.message, error.advice, headers=_headers(error), **more)


def _headers(error: errors.DeepCriticalError) -> dict[str, str]:
    if isinstance(error, errors.AuthenticationError):
        return {"WWW-Authenticate": 'Bearer realm="DeepCritical"'}
    if isinstance(error, errors.QuotaExceededError):
        return {"Retry-After": str(math.ceil(error.retry_after_s))}
    if isinstance(error, errors.CapacityError):
        return {"Retry-After": str(CAPACITY_RETRY_S)}
    if isinstance(error, errors.DatabaseBusyError | errors.DatabaseUnreachableError):
        return {"Retry-After": str(STORAGE_RETRY_S)}
    return {}


async def _of_request(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - as it is registered
    # Never what was sent: it may be a key at the wrong place.
    invalid = [InvalidField(pointer=_pointer(e["loc"]), detail=e["msg"]) for e in error.errors()]
    first = invalid[0]
    return problem_response(
        422,
        f"{first.pointer}: {first.detail}.",
        "Correct what `errors` names; /api/openapi.json describes every request.",
        invalid=invalid,
    )


def _pointer(location: Iterable[object]) -> str:
    place, *parts = map(str, location)
    return "/".join(("#", *parts)) if place == "body" else "/".join((place, *parts))


async def _of_http(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, StarletteHTTPException)  # noqa: S101 - as it is registered
    known = isinstance(error, HTTPException) or error.status_code != 404
    detail = str(error.detail) if known else "There is nothing at this address."
    advice = "" if known else "/api/openapi.json lists what there is."
    return problem_response(error.status_code, detail, advice, headers=error.headers)


async def _of_defect(_request: Request, _error: Exception) -> JSONResponse:
    return problem_response(
        500, "This is a defect of DeepCritical.", "Please report it with the log of the server."
    )
