"""What a run's model has left for later calls, so that another process can go on with it."""

from __future__ import annotations

from deepcritical.domain.base import Model
from deepcritical.domain.budget import Judgement, Spent
from deepcritical.reasoning.answers import Plan
from deepcritical.reasoning.providers import OutputMode

__all__ = ["Asked", "Remembered"]


class Asked(Model):
    """What the questions so far have cost and shown."""

    spent: Spent
    questions: int
    failed_in_a_row: int
    given_up: str
    """Why the model is not asked any more; '' while it is."""
    mode: OutputMode | None
    """In which way the server answers; None while that is not known."""


class Remembered(Model):
    """What is left of all calls so far."""

    asked: Asked
    by_rule: dict[Judgement, str]
    """What rules did in the model's place, and how far."""
    plans: dict[str, Plan | None]
    """What the model planned for a question, by its text."""
    searches: tuple[str, ...]
    """What the last check of a checklist would search for."""
