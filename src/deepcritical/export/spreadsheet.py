"""Writes tables as CSV (RFC 4180) that a spreadsheet opens without running anything."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from deepcritical.export.plain import one_line

__all__ = ["as_csv"]

_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20", "|", "%")
"""What a spreadsheet takes for a formula, its full-width forms too (OWASP, CSV injection)."""


def as_csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """Return the table; UTF-8 with a byte order mark, without which Excel loses Greek letters."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(header)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue().encode("utf-8-sig")


def _cell(value: object) -> object:
    if not isinstance(value, str):
        return value
    text = one_line(value)
    return f"'{text}" if text.startswith(_FORMULA) else text
