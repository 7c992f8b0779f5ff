"""Dependencies of REST requests: the caller, the key, and the services."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Path, Request, Response, Security
from fastapi.security import APIKeyHeader, HTTPBearer
from pydantic import SecretStr

from deepcritical.domain.errors import TraceNotFoundError
from deepcritical.interfaces.access import Access, Caller, check_owner, set_cookies
from deepcritical.jobs.run import RunView
from deepcritical.jobs.runs import RunService

_bearer = HTTPBearer(auto_error=False, description="The token of a user.")
_model_key = APIKeyHeader(
    name="X-Model-Key",
    scheme_name="ModelKey",
    auto_error=False,
    description="Your own key for the model, for this run or this message alone.",
)


def part(name: str) -> Any:
    """A part of the application by its name, as what a request needs."""

    async def of_app(request: Request) -> Any:
        return getattr(request.app.state, name)

    return Depends(of_app)


Runs = Annotated[RunService, part("runs")]
Rules = Annotated[Access, part("access")]


async def _key(sent: Annotated[str | None, Security(_model_key)] = None) -> SecretStr | None:
    return SecretStr(sent.strip()) if sent and sent.strip() else None


ModelKey = Annotated[SecretStr | None, Depends(_key)]


async def _caller(
    request: Request, response: Response, rules: Rules, _: Annotated[object, Security(_bearer)]
) -> Caller:
    caller = rules.identify(request)
    set_cookies(response, caller, request, rules.shares)
    return caller


Who = Annotated[Caller, Depends(_caller)]


def unknown_run() -> TraceNotFoundError:
    """Return what is told of a run that nobody knows here."""
    return TraceNotFoundError("There is no run of this id here.", "Ask the question again.")


async def readable(request: Request, run_id: str) -> RunView:
    """The run of an id, for who may read it.

    Raises:
        AuthenticationError, OwnershipError: It is private, and another user's.
        TraceNotFoundError: There is none.
    """
    rules: Access = request.app.state.access
    run = await rules.readable(request.app.state.runs, request, run_id)
    if run is None:
        raise unknown_run()
    return run


RunId = Annotated[str, Path(max_length=64, description="The id of a run.")]


async def _known(
    run_id: RunId, request: Request, _: Annotated[object, Security(_bearer)]
) -> RunView:
    return await readable(request, run_id)


Known = Annotated[RunView, Depends(_known)]


async def _own(caller: Who, run: Known) -> RunView:
    check_owner(caller, run.user_id)
    return run


Own = Annotated[RunView, Depends(_own)]
