"""A plan as a file that a person edits."""

from __future__ import annotations

from pathlib import Path

from deepcritical.domain.errors import PlanError, StorageError
from deepcritical.domain.plan import ResearchPlan, parse_plan
from deepcritical.questions.wording import subject_of
from deepcritical.tools.registry import known

__all__ = ["check_new", "read_plan", "summary", "write_plan"]

_LARGEST_BYTES = 1_000_000


def check_new(path: Path) -> None:
    """Refuse a path at which something is: a plan that was edited must not be lost.

    Raises:
        PlanError: There is a file.
    """
    if path.exists():
        raise PlanError(f"{path} exists already.", "Name another file, or remove this one.")


def read_plan(path: Path) -> ResearchPlan:
    """The plan in a file.

    Raises:
        PlanError: There is none, or none that can be run.
    """
    try:
        with path.open("rb") as file:
            written = file.read(_LARGEST_BYTES + 1)
    except OSError as error:
        why = error.strerror or str(error)
        raise PlanError(
            f"The plan {path} cannot be read: {why}.", "Write one with --plan."
        ) from error
    if len(written) > _LARGEST_BYTES:
        raise PlanError(f"{path} is too large for a plan.", "Write one with --plan.")
    plan = parse_plan(written, str(path))
    try:
        known(plan.place.sources)
    except ValueError as error:
        raise PlanError(
            f"{path} is not a plan that can be run: {error} at place.sources.",
            "Correct the plan, or write a new one with --plan.",
        ) from error
    return plan


def write_plan(plan: ResearchPlan, path: Path) -> None:
    """Write a plan, indented, to a new file.

    Raises:
        PlanError: There is a file already.
        StorageError: The file cannot be written.
    """
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(plan.model_dump_json(indent=2) + "\n")
    except FileExistsError:
        check_new(path)
        raise
    except OSError as error:
        raise StorageError(
            f"The plan cannot be written to {path}: {error.strerror}.", "Name another file."
        ) from error


def summary(plan: ResearchPlan, path: Path) -> str:
    """What the plan says, and what to do with it."""
    question, limits = plan.question, plan.limits
    rounds = f"{limits.max_iterations} {'round' if limits.max_iterations == 1 else 'rounds'}"
    lines = (
        f"Understood as: {subject_of(question)}",
        f"Where: {plan.place.snapshot or ', '.join(plan.place.sources)}",
        f"First round: {len(plan.queries)} searches; at most {rounds}, {limits.deadline_s:g} s",
        *(f"Note: {notice}" for notice in plan.notices),
        f"Written to {path}. Nothing was searched. Edit it, then start the run with: "
        f"deepcritical research --from-plan {path}",
    )
    return "\n".join(lines)
