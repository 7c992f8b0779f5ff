"""Draws SVG shapes and text, in tones that follow light and dark mode.

A drawing carries the colours of paper in its attributes, which any viewer and a PDF can read. A
style sheet, in the page or in the file itself, replaces them where the reader's screen is dark.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from html import escape
from typing import Literal, NamedTuple

from deepcritical.domain.text.markdown import one_line

Tone = Literal["ink", "soft", "line", "card", "tint", "good", "bad", "mixed", "drug", "none"]

_TONES: dict[str, tuple[str, str]] = {
    "ink": ("#1e293b", "#e2e8f0"),
    "soft": ("#55606f", "#a3b0c2"),
    "line": ("#a9b6c6", "#4a5a75"),
    "card": ("#ffffff", "#16213a"),
    "tint": ("#f1f5f9", "#1c2942"),
    "good": ("#0f766e", "#5eead4"),
    "bad": ("#b42318", "#fca5a0"),
    "mixed": ("#92510a", "#fbbf6a"),
    "drug": ("#1d4ed8", "#93c5fd"),
}
"""On paper and light screens, and on dark ones."""
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"
LINE_HEIGHT = 18
"""Between the lines of a label, for text of 14."""


class Drawing(NamedTuple):
    """A figure, `width` by `height` units large; one unit is a pixel at full size."""

    name: str
    """Letters; unique among the figures of a page."""
    title: str
    description: str
    """Description in words, for readers who cannot see it."""
    width: int
    height: int
    body: str
    """SVG."""
    empty: bool = False
    """True if there was nothing to draw, and the body only says so."""


def nothing_drawn(name: str, title: str, said: str, width: int) -> Drawing:
    """Return a figure that says why there is nothing in it."""
    return Drawing(name, title, said, width, 60, label(12, 34, [said]), empty=True)


def standalone(drawing: Drawing) -> str:
    """The drawing as an SVG file, on a ground of its own."""
    dark = "".join(f".f-{n}{{fill:{d}}}.s-{n}{{stroke:{d}}}" for n, (_, d) in _TONES.items())
    style = f"<style>@media (prefers-color-scheme: dark){{{dark}}}</style>"
    ground = f'<rect width="100%" height="100%" {_paint("card", None)}/>'
    return f"{inline(drawing, style + ground)}\n"


def figure_style() -> str:
    """The tones of drawings in a report; they follow the `color-scheme` of the page."""
    return "\n".join(
        f".dc-report .f-{n} {{ fill: light-dark({light}, {dark}); }} "
        f".dc-report .s-{n} {{ stroke: light-dark({light}, {dark}); }}"
        for n, (light, dark) in _TONES.items()
    )


def inline(drawing: Drawing, head: str = "") -> str:
    """The drawing as an element of a page that has `figure_style`; `head` stands before it."""
    title, name = escape(one_line(drawing.title)), f"figure-{drawing.name}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {drawing.width} {drawing.height}" '
        f'width="{drawing.width}" height="{drawing.height}" role="img" '
        f'aria-labelledby="{name}-title {name}-desc" font-family="{_FONT}" font-size="14">'
        f'<title id="{name}-title">{title}</title>'
        f'<desc id="{name}-desc">{escape(one_line(drawing.description))}</desc>'
        f"{head}{drawing.body}</svg>"
    )


def path(
    data: str,
    *,
    fill: Tone = "none",
    stroke: Tone | None = None,
    width: float = 1.6,
    dash: str = "",
    hint: str = "",
) -> str:
    """A path by its data; `hint` is shown while a pointer rests on it."""
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    line = f' stroke-width="{width:g}" stroke-linejoin="round"{dashes}' if stroke else ""
    inner = f"<title>{escape(one_line(hint))}</title>" if hint else ""
    return f'<path d="{data}" {_paint(fill, stroke)}{line}>{inner}</path>'


def opener(target: str, body: str) -> str:
    """A part that opens the popover of that id, where a page has a script for it."""
    return f'<g data-opens="{target}">{body}</g>'


def box(
    x: float,
    y: float,
    width: float,
    height: float,
    *,
    stroke: Tone = "line",
    radius: float = 9,
    hint: str = "",
) -> str:
    """A rounded box on the ground of cards."""
    inner = f"<title>{escape(one_line(hint))}</title>" if hint else ""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}" '
        f'{_paint("card", stroke)} stroke-width="1.6">{inner}</rect>'
    )


def label(
    x: float,
    y: float,
    lines: Iterable[str],
    *,
    tone: Tone = "ink",
    size: float = 14,
    bold: bool = False,
    anchor: Literal["start", "middle", "end"] = "start",
    turned: bool = False,
) -> str:
    """Lines of text under one another, the first with its baseline on `y`."""
    step = LINE_HEIGHT * size / 14
    spans = "".join(
        f'<tspan x="{x:g}" y="{y + step * n:g}">{escape(one_line(line))}</tspan>'
        for n, line in enumerate(lines)
    )
    weight = ' font-weight="700"' if bold else ""
    around = f' transform="rotate(-90 {x:g} {y:g})"' if turned else ""
    return (
        f'<text text-anchor="{anchor}" font-size="{size:g}" {_paint(tone, None)}{weight}{around}>'
        f"{spans}</text>"
    )


def lines_of(text: str, width: float, most: int, size: float = 14) -> list[str]:
    """The text in at most so many lines of a width, in units; what is cut off ends in "…".

    No line ends at a no-break space.
    """
    characters = max(4, int(width / (0.54 * size)))
    return textwrap.wrap(text, characters, max_lines=most, placeholder=" …") or [""]


def _paint(fill: Tone, stroke: Tone | None) -> str:
    classes = [f"f-{fill}"] if fill != "none" else []
    classes += [f"s-{stroke}"] if stroke else []
    named = f'class="{" ".join(classes)}" ' if classes else ""
    filled = _TONES[fill][0] if fill != "none" else "none"
    drawn = f' stroke="{_TONES[stroke][0]}"' if stroke else ""
    return f'{named}fill="{filled}"{drawn}'
