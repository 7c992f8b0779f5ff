"""Matches of a study's results with the question's PICO, one for each result."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from deepcritical.domain.base import Model
from deepcritical.domain.verdict import VerdictLabel
from deepcritical.domain.votes import Directness, Importance

MOST_SHOWN = 30
"""Results of one study that a model is shown to match; the rest count as the rules weigh them."""


class ResultMatch(Model):
    """A model's judgement of how one result of a study bears on the question."""

    result: int = Field(ge=0)
    """Place of the result in the study's reading, from 0."""
    side: Literal["a", "b"]
    """The arm with what is asked about; of stopping a drug, the arm that stopped it."""
    outcome: str
    """What was measured: of all names that were read for it the one that its row has."""
    importance: Importance
    directness: Directness


class Matched(Model):
    """A model's judgement of one record for the question."""

    results: tuple[ResultMatch, ...] = ()
    proposed: VerdictLabel | None = None
    """The verdict that it proposes over all the records that it was shown."""
