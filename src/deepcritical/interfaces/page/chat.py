"""The chat: a thread for look-ups and small talk, and a card for questions about a report.

The browser speaks to ``/api/chats`` by itself (``assets/chat.js``). Here it is told which run is
open, what that has brought, and which messages of the form the thread answers.
"""

from __future__ import annotations

import gradio as gr

from deepcritical.domain.question import MAX_QUESTION_CHARS
from deepcritical.interfaces.page.parts import PRIVATE, html
from deepcritical.interfaces.page.style import asset, script

__all__ = ["build_chat", "wire_chat"]


def build_chat(skeleton: str) -> gr.HTML:
    """The thread or the card, by the name of its skeleton, drawn where it is called."""
    shown = asset(skeleton).replace("MAX_CHARS", str(MAX_QUESTION_CHARS))
    return html(None, html_template=shown, js_on_load=script("chat.js"))


def wire_chat(thread: gr.HTML, card: gr.HTML, live: gr.HTML, results: gr.HTML) -> None:
    """Have both know the run that is followed, and the card what it has brought in the end."""
    for told, listening in ((live, [thread, card]), (results, [card])):
        both = "(run) => [run, run]" if len(listening) > 1 else "(run) => run"
        told.change(None, [told], listening, js=both, **PRIVATE)
