"""Who sends a request of the REST API, with which key, and the parts that it is put to."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request, Response, Security
from fastapi.security import APIKeyHeader, HTTPBearer
from pydantic import SecretStr

from deepcritical.interfaces.access import Access, Caller, set_owner_cookie
from deepcritical.jobs.runs import RunService

__all__ = ["ModelKey", "Rules", "Runs", "Who"]

_bearer = HTTPBearer(auto_error=False, description="The token of a user.")
_model_key = APIKeyHeader(
    name="X-Model-Key",
    scheme_name="ModelKey",
    auto_error=False,
    description="Your own key for the model, for this run or this message alone.",
)


async def _runs_of_app(request: Request) -> RunService:
    runs: RunService = request.app.state.runs
    return runs


async def _access_of_app(request: Request) -> Access:
    access: Access = request.app.state.access
    return access


Runs = Annotated[RunService, Depends(_runs_of_app)]
Rules = Annotated[Access, Depends(_access_of_app)]


async def _key(sent: Annotated[str | None, Security(_model_key)] = None) -> SecretStr | None:
    return SecretStr(sent.strip()) if sent and sent.strip() else None


ModelKey = Annotated[SecretStr | None, Depends(_key)]


async def _caller(
    request: Request, response: Response, rules: Rules, _: Annotated[object, Security(_bearer)]
) -> Caller:
    caller = rules.identify(request)
    set_owner_cookie(response, caller, secure=request.url.scheme == "https")
    return caller


Who = Annotated[Caller, Depends(_caller)]
