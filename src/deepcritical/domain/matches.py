"""How results of a study match the question that is asked: its PICO, result by result."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from deepcritical.domain.base import Model
from deepcritical.domain.verdict import VerdictLabel
from deepcritical.domain.votes import Directness, Importance

MOST_SHOWN = 30
"""Results of one study that a model is shown to match; the rest count as the rules weigh them."""


class ResultMatch(Model):
    """What one result of a study tells of the question, as a model judged it."""

    result: int = Field(ge=0)
    """Place of the result in the study's reading, from 0."""
    side: Literal["a", "b"]
    """The arm with what is asked about; of stopping a drug, the arm that stopped it."""
    outcome: str
    """What was measured: of all names that were read for it the one that its row has."""
    importance: Importance
    directness: Directness


class Matched(Model):
    """What a model found one record to tell of the question."""

    results: tuple[ResultMatch, ...] = ()
    proposed: VerdictLabel | None = None
    """The verdict that it proposes over all the records that it was shown."""
