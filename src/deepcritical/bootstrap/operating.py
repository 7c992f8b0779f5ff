"""What whoever operates workers looks at, and the spans that are sent to his collector."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, NamedTuple

from deepcritical.domain.errors import ConfigurationError
from deepcritical.jobs.hosting import MOST_TAKEOVERS
from deepcritical.jobs.tending import TTL_S
from deepcritical.services.database import Database
from deepcritical.services.study_readings import StudyReadings
from deepcritical.services.telemetry import OFF, Telemetry
from deepcritical.settings import Settings

if TYPE_CHECKING:
    from deepcritical.services.operations import Operations

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")


def open_operations(settings: Settings) -> Operations | None:
    """A look at the database of the settings; None when nothing is kept. Nothing is opened yet."""
    if settings.database_url is None:
        return None
    # Imported late, with the library of the database.
    from deepcritical.services.operations import Operations, ReadOnlyDatabase

    database = ReadOnlyDatabase(settings.database_url.get_secret_value())
    return Operations(database, ttl_s=TTL_S, most_takeovers=MOST_TAKEOVERS + 1)


class OpenReadings(NamedTuple):
    """The readings of studies in the database of the settings. Close them."""

    store: StudyReadings
    close: Callable[[], Awaitable[None]]


def open_readings(settings: Settings) -> OpenReadings | None:
    """The store of readings; None when nothing is kept. Nothing is opened yet."""
    if settings.database_url is None:
        return None
    database = Database(settings.database_url.get_secret_value())
    return OpenReadings(StudyReadings(database), database.close)


def open_telemetry() -> Telemetry:
    """Where spans go by the variables of OpenTelemetry in the environment; by default nowhere.

    Raises:
        ConfigurationError: They ask for what cannot be done, or a library is not installed.
    """
    if not _is_wanted():
        return OFF
    protocol = next((os.environ[name] for name in _PROTOCOLS if os.environ.get(name)), "")
    if protocol not in ("", "http/protobuf"):
        raise ConfigurationError(
            f"Spans cannot be sent by the protocol {protocol}.",
            "Set OTEL_EXPORTER_OTLP_PROTOCOL to http/protobuf, or unset it.",
        )
    try:
        # Imported late: nobody waits for it, or needs it, who collects nothing.
        from deepcritical.services.otel import OtelTelemetry
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"Spans need a library that is not installed: {error.name}.",
            "Install it in a checkout with: pip install '.[telemetry]'",
        ) from error
    return OtelTelemetry()


def _is_wanted() -> bool:
    """Whether spans are to be sent.

    Raises:
        ConfigurationError: To something else than a collector.
    """
    exporter = os.environ.get("OTEL_TRACES_EXPORTER", "").strip().lower()
    if exporter not in ("", "none", "otlp"):
        raise ConfigurationError(
            f"Spans cannot be sent to the exporter {exporter}.",
            "Set OTEL_TRACES_EXPORTER to otlp or none.",
        )
    if exporter == "none" or os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return False
    return exporter == "otlp" or any(os.environ.get(name) for name in _ENDPOINTS)
