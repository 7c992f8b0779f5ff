"""The composition root: builds the application from the settings.

Implementations are picked here and nowhere else.
"""

from deepcritical.bootstrap.application import (
    ChatService,
    build_reasoner,
    build_runs,
    build_similar,
    open_chats,
    open_traces,
    read_alone,
    read_settings,
)
from deepcritical.bootstrap.live import LiveSources, Lookups, open_sources
from deepcritical.bootstrap.parts import (
    build_model_server,
    limits_of,
    open_operations,
    open_readings,
    open_retrieval,
    place_of,
)

__all__ = [
    "ChatService",
    "LiveSources",
    "Lookups",
    "build_model_server",
    "build_reasoner",
    "build_runs",
    "build_similar",
    "limits_of",
    "open_chats",
    "open_operations",
    "open_readings",
    "open_retrieval",
    "open_sources",
    "open_traces",
    "place_of",
    "read_alone",
    "read_settings",
]
