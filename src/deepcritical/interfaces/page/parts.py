"""What every part of the page is built of."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from types import MappingProxyType
from typing import Any

import gradio as gr

__all__ = ["PRIVATE", "RunShown", "html", "problem"]

RunShown = dict[str, str]
"""What the browser knows of the run that it follows: `id` and `question`; `own` and `private`,
each empty for no."""

PRIVATE: Mapping[str, Any] = MappingProxyType(
    {
        "api_visibility": "private",
        "show_progress": "hidden",
        # A plain request: each answer comes within milliseconds, and the stream of the queue, which
        # closes whenever nothing is under way, can lose a click that falls into that moment.
        "queue": False,
    }
)
"""How every event of the page is wired."""


def html(value: str | None, **options: Any) -> gr.HTML:
    """Our own HTML, without the framework's style on it."""
    return gr.HTML(value, apply_default_css=False, **options)


def problem(text: str) -> str:
    """What went wrong, as it is shown."""
    return f'<p class="problem" role="alert">{escape(text)}</p>'
