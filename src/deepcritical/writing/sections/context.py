"""The facts on the run itself, for a report or an answer."""

from __future__ import annotations

from deepcritical.domain.base import Model


class ReportContext(Model):
    """The facts on the run itself that the writer must state."""

    stop_reason: str
    iterations: int
    searched_on: str
    """ISO date, UTC."""
    sources: tuple[str, ...]
    """One line on each source."""
    notices: tuple[str, ...] = ()
    found_by: str = "rules"
    """The means that found the sentences that are told."""
    plan_reviewed: bool = False
    """True where the run followed a plan that a person had for review."""
    retrieval: str = ""
    """The way that the records of the run were ranked; '' when they were not."""
