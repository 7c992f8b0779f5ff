"""What the page looks like: its theme, and the style sheets of its parts."""

from __future__ import annotations

from importlib.resources import files

import gradio as gr

from deepcritical.export.templating import stylesheet

__all__ = ["HEAD", "THEME", "asset", "script"]

SHEETS = ("page.css", "form.css", "live.css", "chat.css", "results.css")


def asset(name: str) -> str:
    """The text of a file beside the page."""
    return (files(__package__) / "assets" / name).read_text(encoding="utf-8")


def script(name: str) -> str:
    """A script of a part, with what the scripts of all parts share."""
    return asset("common.js") + asset(name)


HEAD = "<style>" + "\n".join([*map(asset, SHEETS), stylesheet()]) + "</style>"
"""In the head and not as `css=`, which loses media queries."""

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
