"""A former run that nearly the same question was put to: how old it is, and what is new since."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from deepcritical.domain.base import Model, UnitInterval


class News(Model):
    """What sources hold that they did not hold for a former run."""

    state: Literal["nothing", "more", "unknown"]
    """`unknown`: a source could not be asked again, or would be asked in another way."""
    more: int = Field(default=0, ge=0)
    """Records that match its widest queries now and did not then, as the sources count them."""
    told: str
    """The same in a sentence, source by source."""


class SimilarRun(Model):
    """A completed run that may answer a question that is about to be asked. It is only offered."""

    run_id: str
    tool_name: str
    question: str
    ended_at: datetime
    """UTC."""
    age_s: float = Field(ge=0)
    similarity: UnitInterval
    """Of the two questions; 1 for the same words."""
    compared_by: str
    """What the similarity is of: the name of an embedding model, or ``words``."""
    headline: str
    """Its outcome in a few words."""
    references: int = Field(ge=0)
    written_by: str
    """The reasoner that wrote it."""
    news: News

    @property
    def age(self) -> str:
        """How old it is, in the largest unit that fits: ``3 days``."""
        for unit, seconds in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
            if (count := int(self.age_s // seconds)) >= 1:
                return f"{count} {unit}{'' if count == 1 else 's'}"
        return "less than a minute"
