"""Components and styles that all parts of the page share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from types import MappingProxyType
from typing import Any

import gradio as gr

from deepcritical.domain.text.markdown import visible
from deepcritical.export.html import stylesheet

SHEETS = ("page.css", "form.css", "live.css", "chat.css", "results.css")

RunShown = dict[str, str]
"""The state that the browser keeps of the run it follows: `id` and `question`; `own` and `private`,
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
"""Options with which every event of the page is wired."""


def html(value: str | None, **options: Any) -> gr.HTML:
    """Our own HTML, without the framework's style on it."""
    return gr.HTML(value, apply_default_css=False, **options)


def problem(text: str, offers: Sequence[str] = (), *, failed: bool = True) -> str:
    """Return a message as the page shows it, with a button for each question offered.

    Only a message that something failed looks like an error.
    """
    buttons = "".join(f'<button type="button">{escape(visible(one))}</button>' for one in offers)
    choose = f'<p class="choose" role="group" aria-label="Ask instead">{buttons}</p>'
    kind = "problem" if failed else "problem asks"
    return f'<p class="{kind}" role="alert">{escape(text)}</p>{choose if offers else ""}'


def account_line(name: str) -> str:
    """Return the line that signs a visitor in, or out again: a frame cannot show the sign-in."""
    if name:
        out = "fetch('/logout', {method: 'POST'}).then((answer) => answer.ok && location.reload())"
        act = f'<button type="button" onclick="{out}">Sign out</button>'
        return f'<p class="account"><b>{escape(visible(name))}</b>{act}</p>'
    go = "this.search = location.search; if (self !== top) this.target = '_blank'"
    link = f'<a href="/login/huggingface" rel="noopener" onclick="{go}">'
    return f'<p class="account">{link}Sign in with Hugging Face</a></p>'


def asset(name: str) -> str:
    """The text of a file beside the page."""
    return (files(__package__) / "assets" / name).read_text(encoding="utf-8")


def script(name: str) -> str:
    """A script of a part, with what the scripts of all parts share."""
    return asset("common.js") + asset(name)


def own_style() -> str:
    """Return the sheets of the page's parts; `css=` of the framework would lose media queries."""
    return "\n".join([*map(asset, SHEETS), stylesheet()])


_FONTS = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "sans-serif")
THEME = gr.themes.Base(
    primary_hue="teal",
    secondary_hue="blue",
    neutral_hue="slate",
    font=_FONTS,
    font_mono=("monospace",),
).set(
    button_primary_background_fill="#0f766e",
    button_primary_background_fill_dark="#0f766e",
    button_primary_background_fill_hover="#115e59",
    button_primary_background_fill_hover_dark="#115e59",
    body_text_color_subdued="#55606f",
    input_placeholder_color="#55606f",
    input_placeholder_color_dark="#a3b0c2",
    color_accent="#0f766e",
)
