"""A collector of spans: OTLP over HTTP, as protobuf."""

from __future__ import annotations

from typing import Any, NamedTuple

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route


class Told(NamedTuple):
    """A span as it was sent."""

    name: str
    trace: str
    """Hexadecimal, as all ids."""
    id: str
    parent: str
    """'' for none."""
    remote: bool
    seconds: float
    failed: bool
    attributes: dict[str, Any]
    sender: dict[str, Any]
    """Attributes of the process that sent it."""


class Collector:
    """Keeps every span that is sent to it, and the bytes that they came as."""

    def __init__(self) -> None:
        self.spans: list[Told] = []
        self.bodies: list[bytes] = []
        self.app = Starlette(routes=[Route("/v1/traces", self._taken, methods=["POST"])])

    def named(self, beginning: str) -> list[Told]:
        """The spans whose name begins in this way."""
        return [span for span in self.spans if span.name.startswith(beginning)]

    async def _taken(self, request: Request) -> Response:
        body = await request.body()
        self.bodies.append(body)
        for of_process in ExportTraceServiceRequest.FromString(body).resource_spans:
            sender = _plain(of_process.resource.attributes)
            for scope in of_process.scope_spans:
                self.spans += [_told(span, sender) for span in scope.spans]
        done = ExportTraceServiceResponse().SerializeToString()
        return Response(done, media_type="application/x-protobuf")


def _told(span: Span, sender: dict[str, Any]) -> Told:
    return Told(
        name=span.name,
        trace=span.trace_id.hex(),
        id=span.span_id.hex(),
        parent=span.parent_span_id.hex(),
        remote=span.kind == Span.SPAN_KIND_CLIENT,
        seconds=(span.end_time_unix_nano - span.start_time_unix_nano) / 1e9,
        failed=span.status.code == Status.STATUS_CODE_ERROR,
        attributes=_plain(span.attributes),
        sender=sender,
    )


def _plain(attributes: Any) -> dict[str, Any]:
    return {one.key: _value(one.value) for one in attributes}


def _value(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(one) for one in value.array_value.values]
    return getattr(value, kind)
