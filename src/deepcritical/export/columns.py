"""Widths of the columns of a table, from the texts in it: for paper and for screens alike."""

from __future__ import annotations

from collections.abc import Sequence

from deepcritical.domain.patterns import bounded

LONGEST_WORD = 18
"""Letters from which a longer word is broken, not given room."""
_GAP = 4.5
"""Space around a cell, and what capitals take more, in characters."""
_BREAK = bounded(r"[\s/]|-(?=[^\W\d])")
"""Where a line may end within a cell; a number that holds hyphens stays whole."""
_FILLED = 1.25
"""Room that a column would take, in mean lengths of its cells: most of them fit on one line."""
_WIDE = 40.0
"""Characters from which a longer text is set on several lines even where there is room."""

Columns = Sequence[Sequence[str]]
"""The texts of each column, its heading first."""


def column_widths(columns: Columns, line: float) -> list[float]:
    """Widths in characters: room for the longest word, the rest by what the cells would take.

    Args:
        columns: A table.
        line: Characters that a line has room for; the widths add up to it, or to more where the
            longest words need that.
    """
    least = [_least(cells) for cells in columns]
    wanted = [
        max(0.0, _FILLED * _mean(cells, line) + _GAP - width)
        for cells, width in zip(columns, least, strict=True)
    ]
    spare = max(0.0, line - sum(least)) / (sum(wanted) or 1.0)
    return [width + spare * more for width, more in zip(least, wanted, strict=True)]


def natural_width(columns: Columns) -> float:
    """The characters that a table can be read well in."""
    return sum(
        max(_least(cells), min(_WIDE, _FILLED * _mean(cells, _WIDE) + _GAP)) for cells in columns
    )


def longest_word(cells: Sequence[str]) -> int:
    """Letters of the longest word."""
    return max((len(word) for cell in cells for word in _BREAK.split(cell)), default=1)


def _least(cells: Sequence[str]) -> float:
    return min(longest_word(cells), LONGEST_WORD) + _GAP


def _mean(cells: Sequence[str], most: float) -> float:
    return sum(min(len(cell), most) for cell in cells) / len(cells)
