"""What is said of the run itself in a report or an answer."""

from __future__ import annotations

from deepcritical.domain.base import Model


class ReportContext(Model):
    """What the writer must say of the run itself."""

    stop_reason: str
    iterations: int
    searched_on: str
    """ISO date, UTC."""
    sources: tuple[str, ...]
    """One line on each source."""
    notices: tuple[str, ...] = ()
    found_by: str = "rules"
    """What found the sentences that are told."""
    plan_reviewed: bool = False
    """Whether the run followed a plan that a person had for review."""
    retrieval: str = ""
    """How the records of the run were ranked; '' when they were not."""
