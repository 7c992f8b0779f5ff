"""Contradictions as they are shown side by side, from the Markdown of their section."""

from __future__ import annotations

from typing import NamedTuple

from deepcritical.domain.patterns import bounded
from deepcritical.export.svg import Tone

__all__ = ["Part", "Side", "contradiction_parts"]

_TONES: dict[str, Tone] = {
    "For": "good",
    "Against": "bad",
    "Both ways": "mixed",
    "Increases": "good",
    "Decreases": "bad",
    "Does not change": "soft",
}
_LINE = bounded(rf"- ({'|'.join(_TONES)}): (.+)")


class Side(NamedTuple):
    """What stands on one side."""

    label: str
    tone: Tone
    content: str
    """Markdown."""


class Part(NamedTuple):
    """Prose, or what stands beside one another."""

    content: str = ""
    """Markdown; '' beside sides."""
    sides: tuple[Side, ...] = ()


def contradiction_parts(content: str) -> tuple[Part, ...]:
    """The section in parts; what is not written as sides stays prose."""
    parts: list[Part] = []
    blocks = content.split("\n\n")
    while blocks:
        block = blocks.pop(0)
        label = block.removesuffix(":")
        if block.endswith(":") and label in _TONES and blocks and blocks[0].startswith("- "):
            _beside(parts, Side(label, _TONES[label], blocks.pop(0)))
        elif lines := [_LINE.fullmatch(line) for line in block.split("\n")]:
            found = [Side(m[1], _TONES[m[1]], m[2]) for m in lines if m]
            parts.append(Part(sides=tuple(found)) if all(lines) else Part(block))
    return tuple(parts)


def _beside(parts: list[Part], side: Side) -> None:
    if parts and parts[-1].sides:
        parts[-1] = Part(sides=(*parts[-1].sides, side))
    else:
        parts.append(Part(sides=(side,)))
