"""What a run was asked and is made of, so that any process can go on with it. Never a key."""

from __future__ import annotations

from typing import Literal

from deepcritical.domain.base import Model
from deepcritical.domain.budget import RunLimits
from deepcritical.domain.own_documents import OwnDocument
from deepcritical.domain.plan import Place, ResearchPlan


class ModelChoice(Model):
    """The model of a run, by name; its key is never a part of it."""

    name: str = ""
    """As ``provider:name``; '' for rules alone."""
    base_url: str = ""
    """Address of its server; '' is the provider's own."""
    manager: Literal["guided", "standard"] = "guided"


class Recipe(Model):
    """One run before its first step."""

    tool: str
    """``research`` ends with a report, ``deep_research`` with an answer."""
    question: str
    context: str = ""
    limits: RunLimits
    plan: ResearchPlan | None = None
    place: Place = Place()
    documents: tuple[OwnDocument, ...] = ()
    model: ModelChoice = ModelChoice()
    own_key: bool = False
    """Whether it needs a key, or a reasoner, that only the process has which took it in."""
    searched_on: str
    """ISO date, UTC."""
