"""What whoever operates workers looks at, and the spans that are sent to his collector."""

from __future__ import annotations

from deepcritical.jobs.hosting import MOST_TAKEOVERS
from deepcritical.jobs.tending import TTL_S
from deepcritical.services.operations import Operations, ReadOnlyDatabase
from deepcritical.settings import Settings

__all__ = ["open_operations"]


def open_operations(settings: Settings) -> Operations | None:
    """A look at the database of the settings; None when nothing is kept. Nothing is opened yet."""
    if settings.database_url is None:
        return None
    database = ReadOnlyDatabase(settings.database_url.get_secret_value())
    return Operations(database, ttl_s=TTL_S, most_takeovers=MOST_TAKEOVERS)
