"""The chat: quick questions while no run is open, questions to a run's evidence once it has ended.

The browser speaks to ``/api/chats`` by itself (``assets/chat.js``). Here it is only told which run
is open, and when it has ended.
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


def wire_chat(chat: gr.HTML, live: gr.HTML) -> None:
    """Have the chat know the run that is followed.

    Args:
        chat: The card of the chat.
        live: The card of the run, which triggers `finished` at the run's end.
    """
    live.change(None, [live], [chat], js="(run) => run", **PRIVATE)
    live.finished(None, [live], [chat], js="(run) => ({ ...run, ended: true })", **PRIVATE)
