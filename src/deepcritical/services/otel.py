"""Sends OpenTelemetry spans over HTTP (OTLP) in a thread of its own.

The provider is ours alone and never the process's: other libraries would send prompts to it.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from importlib.metadata import version
from time import time_ns
from uuid import UUID, uuid4

from opentelemetry import context, trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from opentelemetry.sdk.util.instrumentation import InstrumentationScope

from deepcritical.services.telemetry import Attributes, Span, Telemetry

_NAME = "deepcritical"
CLOSE_S = 3.0
"""Time that the last spans may take, since a collector that is away must hold up no end."""
_FAILED = trace.StatusCode.ERROR


class OtelTelemetry(Telemetry):
    """Sends spans; where it sends to is read from the variables of OpenTelemetry.

    A run is one trace, whose id is the run's, so that every process tells of the same one. Its own
    span has an id that follows from it, too: it is told last, by whoever ends the run.
    """

    def __init__(self) -> None:
        own = {
            "service.name": _NAME,
            "service.version": version(_NAME),
            "service.instance.id": str(uuid4()),
        }
        # What the environment says of the resource overrides what we say.
        self._resource = Resource(own).merge(OTELResourceDetector().detect())
        self._processor = BatchSpanProcessor(OTLPSpanExporter())
        # All runs are told: a share of them is for the collector to choose, since the samplers of
        # the library go by leading bits of trace ids, which in ids of runs are not random.
        provider = TracerProvider(
            sampler=ALWAYS_ON, resource=self._resource, shutdown_on_exit=False
        )
        provider.add_span_processor(self._processor)
        self._tracer = provider.get_tracer(_NAME, version(_NAME))

    @contextmanager
    def of_run(self, run_id: str) -> Iterator[None]:
        """See `Telemetry`."""
        root = trace.NonRecordingSpan(_root_of(run_id))
        token = context.attach(trace.set_span_in_context(root, context.Context()))
        try:
            yield
        finally:
            context.detach(token)

    @contextmanager
    def span(self, name: str, attributes: Attributes, *, remote: bool = False) -> Iterator[Span]:
        """See `Telemetry`. Of an error its kind is told; its words may be a user's."""
        kind = trace.SpanKind.CLIENT if remote else trace.SpanKind.INTERNAL
        with self._tracer.start_as_current_span(
            name, kind=kind, record_exception=False, set_status_on_exception=False
        ) as begun:
            span = _Span(begun)
            span.tell(attributes)
            try:
                yield span
            except BaseException as error:
                span.fail(type(error).__name__)
                raise

    def run_ended(
        self, run_id: str, started_at: datetime, attributes: Attributes, error: str = ""
    ) -> None:
        """See `Telemetry`."""
        told = {**_said(attributes), **({"error.type": error} if error else {})}
        self._processor.on_end(
            ReadableSpan(
                "run",
                context=_root_of(run_id),
                resource=self._resource,
                attributes=told,
                status=trace.Status(_FAILED if error else trace.StatusCode.UNSET),
                start_time=round(started_at.timestamp() * 1e9),
                end_time=time_ns(),
                instrumentation_scope=InstrumentationScope(_NAME, version(_NAME)),
            )
        )

    def close(self) -> None:
        """See `Telemetry`."""
        ending = threading.Thread(target=self._processor.shutdown, daemon=True)
        ending.start()
        ending.join(CLOSE_S)


class _Span(Span):
    """That of the library."""

    def __init__(self, begun: trace.Span) -> None:
        self._begun = begun

    def tell(self, attributes: Attributes) -> None:
        self._begun.set_attributes(_said(attributes))

    def fail(self, error: str) -> None:
        self._begun.set_attribute("error.type", error)
        self._begun.set_status(_FAILED)


def _said(attributes: Attributes) -> dict[str, str | int | float | tuple[str, ...]]:
    return {name: value for name, value in attributes.items() if value is not None}


def _root_of(run_id: str) -> trace.SpanContext:
    """The span of a run, as every process knows it."""
    span_id = int.from_bytes(hashlib.sha256(run_id.encode()).digest()[:8])
    sampled = trace.TraceFlags(trace.TraceFlags.SAMPLED)
    return trace.SpanContext(UUID(run_id).int, span_id, is_remote=True, trace_flags=sampled)
