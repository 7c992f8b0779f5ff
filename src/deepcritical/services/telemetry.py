"""The interface for measuring runs; by default nothing is measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime

from deepcritical.domain.run.events import Event, LoggedEvent, RunCompleted
from deepcritical.domain.tool.traces import fold

Attributes = Mapping[str, str | int | float | tuple[str, ...] | None]
"""Names of the semantic conventions, or ``deepcritical.…``; None says nothing. Never a key, a
question, a prompt or an answer."""


class Span:
    """One piece of work that is under way; by itself nobody listens."""

    def tell(self, attributes: Attributes) -> None:
        """Say more of it."""

    def fail(self, error: str) -> None:
        """It did not succeed; `error` is the name of a kind of error."""


class Telemetry:
    """Takes spans, at once and without an error, whatever becomes of them; by itself none."""

    @contextmanager
    def of_run(self, run_id: str) -> Iterator[None]:  # noqa: ARG002 - for who collects
        """Spans that begin within it belong to the run, in whichever process that is."""
        yield

    @contextmanager
    def span(
        self,
        name: str,  # noqa: ARG002 - for who collects
        attributes: Attributes,  # noqa: ARG002 - the same
        *,
        remote: bool = False,  # noqa: ARG002 - the same
    ) -> Iterator[Span]:
        """Work that takes as long as the context; an error that leaves it fails it."""
        yield Span()

    def run_ended(
        self, run_id: str, started_at: datetime, attributes: Attributes, error: str = ""
    ) -> None:
        """A run has ended here; its other spans may have been told by several processes."""

    def close(self) -> None:
        """Send what was not sent yet, for a few seconds at most. Blocks."""


OFF = Telemetry()


def attributes_of(run_id: str, events: Sequence[LoggedEvent], ending: Event) -> Attributes:
    """Return what is told of a run that has ended: never a question or an answer."""
    spent = fold(events).metrics
    completed = ending if isinstance(ending, RunCompleted) else None
    return {
        "deepcritical.run.id": run_id,
        "deepcritical.run.ending": ending.type,
        "deepcritical.run.stop_reason": completed.stop_reason.value if completed else None,
        "deepcritical.run.references": completed.references if completed else None,
        "deepcritical.run.iterations": spent.iterations,
        "deepcritical.run.queries": sum(spent.queries.values()),
        "deepcritical.run.model_calls": spent.llm_calls,
        "deepcritical.run.tokens": spent.tokens,
        "deepcritical.cost_usd": spent.cost_usd,
    }
