"""A tool for agents, and the context of its calls."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from enum import Enum
from typing import Any, NamedTuple

from pydantic import SecretStr, ValidationError

from deepcritical.domain.base import Model
from deepcritical.interfaces.access import Caller

Tell = Callable[[float, str], Awaitable[None]]
"""Tells the client how far a call is, 0-1, and what happened."""


class Needs(Enum):
    """The permission that a tool needs."""

    READ = "read"
    """Nothing, unless runs are private: then the run says who may read it."""
    USER = "user"
    """To say who he is."""
    WORK = "work"
    """The same, and it is work for the server."""
    START = "start"
    """The same, and it starts a run."""


class Call(NamedTuple):
    """One call of a tool."""

    caller: Caller
    """The caller."""
    model: str
    """As ``provider:name``; '' is the server's own."""
    key: SecretStr | None
    """The user's own key for the model, of this call only."""
    tell: Tell
    check_reader: Callable[[str, str], None]
    """Refuses to let the caller read a run, given by its id and its owner; '' without a run."""
    attached: Callable[[str], AbstractContextManager[None]]
    """Says that this call waits for the run of that id: cancelling the one stops the other."""


Run = Callable[[Call, Any], Awaitable[Model]]
"""Does what a tool does, with its arguments, checked."""


class Tool(NamedTuple):
    """One tool, of which everything else is told to the client."""

    name: str
    title: str
    description: str
    arguments: type[Model]
    result: type[Model]
    run: Run
    needs: Needs = Needs.READ
    changes: bool = False
    """True if it changes anything, such as starting a run."""
    destroys: bool = False
    """True if what it ends cannot be had back."""
    asks_sources: bool = False
    """True if it reaches beyond the server."""

    def checked(self, given: dict[str, Any]) -> Model:
        """The arguments.

        Raises:
            ToolError: One is missing, unknown or of no use; it is named, and no value is.
        """
        try:
            return self.arguments.model_validate(given)
        except ValidationError as error:
            raise ToolError(f"{_told(error)} Correct it and call {self.name} again.") from None


class ToolError(Exception):
    """A call that ends as an error of its tool."""

    def __init__(self, text: str, output: Model | None = None) -> None:
        super().__init__(text, output)
        self.text = text
        self.output = output


def _told(error: ValidationError) -> str:
    faults = error.errors(include_url=False, include_input=False, include_context=False)
    return " ".join(f"`{'.'.join(map(str, f['loc']))}`: {f['msg']}." for f in faults)
