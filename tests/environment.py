"""The environment of processes that tests start."""

from __future__ import annotations

import os

__all__ = ["LEXICAL", "without_settings"]

LEXICAL = {"DEEPCRITICAL_EMBEDDING_MODEL": ""}
"""Records are ranked by words alone: to load the model of vectors takes each process seconds."""


def without_settings() -> dict[str, str]:
    """The environment without any setting of the developer's shell, and with `LEXICAL`."""
    kept = {name: v for name, v in os.environ.items() if not name.startswith("DEEPCRITICAL_")}
    return kept | LEXICAL
