"""Context of a run for asking models: limits, clock, events, key; and the state of its calls."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal

from pydantic import SecretStr

from deepcritical.domain.base import Model
from deepcritical.domain.run.budget import RunLimits, Spent
from deepcritical.domain.run.events import Event
from deepcritical.services.storage.model_answers import AnswerBook
from deepcritical.services.telemetry import OFF, Telemetry

OutputMode = Literal["tool", "native", "prompted"]
"""Way of asking for a typed answer: as a tool call, as a JSON schema, or in words."""


async def _unheard(_event: Event) -> None:
    """Discard an event."""


@dataclass(frozen=True)
class RunDesk:
    """The context of one run for a reasoner: limits, the clock, a listener for events, a key."""

    limits: RunLimits = field(default_factory=RunLimits)
    elapsed_s: Callable[[], float] = lambda: 0.0
    """Seconds since the run's first step."""
    tell: Callable[[Event], Awaitable[None]] = _unheard
    """Receives what a reasoner spends and what it could not do; it never writes the store."""
    model_api_key: SecretStr | None = None
    """The user's own key for the model, for this run only."""
    telemetry: Telemetry = OFF
    """Is told of what is asked of a model."""
    book: AnswerBook = field(default_factory=AnswerBook)
    """Has every answer on record before it is used."""


class Asked(Model):
    """The cost and the state of the questions so far."""

    spent: Spent
    questions: int
    failed_in_a_row: int
    given_up: str
    """Why the model is not asked any more; '' while it is."""
    mode: OutputMode | None
    """In which way the server answers; None while that is not known."""
    deadline_s: float | None = None
    """Seconds that the run may take, once that follows the model's speed."""
    answered: bool = False
    """True if it has answered at all: one that has may be away for a moment."""
