"""The chat: quick questions while no run is open, questions to a run's evidence once it has ended.

The browser speaks to ``/api/chats`` by itself (``assets/chat.js``). Here it is only told which run
is open, and what that has brought.
"""

from __future__ import annotations

import gradio as gr

from deepcritical.domain.question import MAX_QUESTION_CHARS
from deepcritical.interfaces.page.parts import PRIVATE, html
from deepcritical.interfaces.page.style import asset

__all__ = ["build_chat", "wire_chat"]


def build_chat() -> gr.HTML:
    """The card of the chat, drawn where it is called."""
    skeleton = asset("chat.html").replace("MAX_CHARS", str(MAX_QUESTION_CHARS))
    return html(None, html_template=skeleton, js_on_load=asset("chat.js"))


def wire_chat(chat: gr.HTML, live: gr.HTML, results: gr.HTML) -> None:
    """Have the chat know the run that is followed.

    Args:
        chat: The card of the chat.
        live: The card of the run.
        results: What the run has brought, once it has ended.
    """
    for told in (live, results):
        told.change(None, [told], [chat], js="(run) => run", **PRIVATE)
