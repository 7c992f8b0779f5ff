"""What a run's model has left for later calls, so that another process can go on with it."""

from __future__ import annotations

from deepcritical.domain.base import Model
from deepcritical.domain.budget import Judgement
from deepcritical.models.answers import Plan
from deepcritical.models.desk import Asked

__all__ = ["Remembered"]


class Remembered(Model):
    """What is left of all calls so far."""

    asked: Asked
    by_rule: dict[Judgement, str]
    """What rules did in the model's place, and how far."""
    plans: dict[str, Plan | None]
    """What the model planned for a question, by its text."""
    searches: tuple[str, ...]
    """What the last check of a checklist would search for."""
