"""The composition root: settings in, a ready application out.

Implementations are picked here and nowhere else.
"""

from deepcritical.bootstrap.application import (
    build_model_server,
    build_reasoner,
    build_runs,
    limits_of,
    open_retrieval,
    open_traces,
    place_of,
    read_settings,
)
from deepcritical.bootstrap.chatting import ChatService, build_similar, open_chats
from deepcritical.bootstrap.live import LiveSources, open_sources

__all__ = [
    "ChatService",
    "LiveSources",
    "build_model_server",
    "build_reasoner",
    "build_runs",
    "build_similar",
    "limits_of",
    "open_chats",
    "open_retrieval",
    "open_sources",
    "open_traces",
    "place_of",
    "read_settings",
]
