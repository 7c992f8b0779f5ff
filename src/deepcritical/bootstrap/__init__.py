"""The composition root: builds the application from the settings.

Implementations are picked here and nowhere else.
"""

from deepcritical.bootstrap.application import (
    build_reasoner,
    build_runs,
    limits_of,
    open_retrieval,
    open_traces,
    read_alone,
    read_settings,
)
from deepcritical.bootstrap.chatting import ChatService, build_similar, open_chats
from deepcritical.bootstrap.live import LiveSources, Lookups, open_sources
from deepcritical.bootstrap.parts import (
    build_model_server,
    open_operations,
    open_readings,
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
