"""A run as the work of whichever process conducts it."""

from __future__ import annotations

from typing import NamedTuple

from deepcritical.domain.recipe import Recipe


class EngineRow(NamedTuple):
    """The row of the engine, beside the jobs, that says which worker has a run."""

    table: str
    schema: str
    """In PostgreSQL; a file has none."""
    values: dict[str, str]
    """By column, as long as the worker has it."""


class Signals(NamedTuple):
    """What a user wants of a run that is under way."""

    cancel: bool = False
    write_now: bool = False
    deleted: bool = False


class Begun(NamedTuple):
    """A run that a worker has taken up, and what was said of it meanwhile."""

    recipe: Recipe
    user_id: str
    ended: bool
    """Whether its last event is written already, so that nothing is left to do."""
    late: bool
    """Whether it has waited for its first step for longer than it may."""
    takeovers: int
    """How often a worker was lost at the place where the run is, which had this run alone."""
    lost_with_others: int
    """How often one was lost there that had other runs, too."""
    signals: Signals
