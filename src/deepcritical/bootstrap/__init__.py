"""The composition root: settings in, a ready application out.

Implementations are picked here and nowhere else.
"""

from deepcritical.bootstrap.application import (
    build_lookups,
    build_model_server,
    build_reasoner,
    build_runs,
    limits_of,
    open_retrieval,
    open_traces,
    read_settings,
)
from deepcritical.bootstrap.live import LiveSources, open_sources
from deepcritical.bootstrap.lookups import Found, Lookups

__all__ = [
    "Found",
    "LiveSources",
    "Lookups",
    "build_lookups",
    "build_model_server",
    "build_reasoner",
    "build_runs",
    "limits_of",
    "open_retrieval",
    "open_sources",
    "open_traces",
    "read_settings",
]
