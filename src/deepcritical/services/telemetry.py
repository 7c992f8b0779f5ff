"""What runs are measured with, for whoever collects it; by itself nothing is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from typing import Protocol

__all__ = ["OFF", "Attributes", "NoTelemetry", "Span", "Telemetry"]

Attributes = Mapping[str, str | int | float | tuple[str, ...] | None]
"""Names of the semantic conventions, or ``deepcritical.…``; None says nothing. Never a key, a
question, a prompt or an answer."""


class Span(Protocol):
    """Protocol: one piece of work that is under way."""

    def tell(self, attributes: Attributes) -> None:
        """Say more of it."""

    def fail(self, error: str) -> None:
        """It did not succeed; `error` is the name of a kind of error."""


class Telemetry(Protocol):
    """Protocol: takes spans, at once and without an error, whatever becomes of them."""

    def of_run(self, run_id: str) -> AbstractContextManager[None]:
        """Spans that begin within it belong to the run, in whichever process that is."""
        ...

    def span(
        self, name: str, attributes: Attributes, *, remote: bool = False
    ) -> AbstractContextManager[Span]:
        """Work that takes as long as the context; an error that leaves it fails it.

        Args:
            name: What is done.
            attributes: What is known before.
            remote: Whether it is done by another service that is waited for.
        """
        ...

    def run_ended(
        self, run_id: str, started_at: datetime, attributes: Attributes, error: str = ""
    ) -> None:
        """A run has ended here; its other spans may have been told by several processes."""

    def close(self) -> None:
        """Send what was not sent yet, for a few seconds at most. Blocks."""


class _Unheard:
    def tell(self, attributes: Attributes) -> None:
        """Nobody listens."""

    def fail(self, error: str) -> None:
        """Nobody listens."""


class NoTelemetry:
    """Implements `Telemetry` for who collects nothing."""

    @contextmanager
    def of_run(self, run_id: str) -> Iterator[None]:  # noqa: ARG002 - as in `Telemetry`
        """Nothing is told."""
        yield

    @contextmanager
    def span(
        self,
        name: str,  # noqa: ARG002 - as in `Telemetry`
        attributes: Attributes,  # noqa: ARG002 - the same
        *,
        remote: bool = False,  # noqa: ARG002 - the same
    ) -> Iterator[Span]:
        """Nothing is told."""
        yield _Unheard()

    def run_ended(
        self, run_id: str, started_at: datetime, attributes: Attributes, error: str = ""
    ) -> None:
        """Nothing is told."""

    def close(self) -> None:
        """There is nothing to send."""


OFF = NoTelemetry()
