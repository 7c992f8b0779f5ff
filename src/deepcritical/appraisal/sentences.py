"""Puts a row of a summary of findings into one plain sentence."""

from __future__ import annotations

from deepcritical.domain.effect_words import effect_size, kind_words, row_direction
from deepcritical.domain.text import capitalised
from deepcritical.domain.votes import OutcomeRow, Way


def finding(row: OutcomeRow) -> str:
    """Return what was found, with the size of the effect; the outcome stands beside it."""
    other = f"{row.comparator} alone" if row.added_to == row.comparator else row.comparator
    against = f" than with {other}" if row.comparator else ""
    if row.comparator and row.way in (Way.NO_DIFFERENCE, Way.CONFLICT):
        against = f", against {other}"
    size = f" ({size})" if (size := effect_size(row)) else ""
    return f"{row_direction(row)}{against}{size}"


def row_sentence(row: OutcomeRow) -> str:
    """The row in words: what was found, by how many studies in how many people, how surely."""
    one, several = kind_words("reported") if row.tier == "reported" else ("study", "studies")
    studies = f"{row.studies} {one if row.studies == 1 else several}"
    if row.review and row.studies == 1:
        studies = "a review"
    people = f", {row.people:,} people" if row.people else ""
    told = f"{row.name}: {finding(row)}"
    return f"{capitalised(told)}: {studies}{people}, {row.certainty.value} certainty."
