"""Results of checks on the services and files that a run needs."""

from enum import StrEnum

from deepcritical.domain.base import Model
from deepcritical.domain.errors import DeepCriticalError


class CheckState(StrEnum):
    """The result of a check."""

    OK = "ok"
    PROBLEM = "problem"
    """A run would not go as configured."""
    SKIPPED = "skipped"
    """Not needed, or not to be found out."""


class Check(Model):
    """One thing that was checked."""

    name: str
    state: CheckState
    detail: str
    """What was found."""
    advice: str = ""
    """What to do about it; '' when there is nothing to do."""


def passed(name: str, detail: str) -> Check:
    """A check that found nothing wrong."""
    return Check(name=name, state=CheckState.OK, detail=detail)


def skipped(name: str, detail: str, advice: str = "") -> Check:
    """A check that was not made, or need not pass."""
    return Check(name=name, state=CheckState.SKIPPED, detail=detail, advice=advice)


def failed(name: str, error: DeepCriticalError) -> Check:
    """A check that ended in an error."""
    return Check(name=name, state=CheckState.PROBLEM, detail=error.message, advice=error.advice)
