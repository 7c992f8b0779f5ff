"""Reads tables of JATS articles (the XHTML table model) as rows of cells."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree import ElementTree as ET

from deepcritical.domain.base import Model
from deepcritical.domain.patterns import bounded
from deepcritical.tools.xml_text import plain_text

__all__ = ["Table", "read_table", "text_of"]

_MAX_ROWS = 300
_MAX_COLUMNS = 40
_MAX_CELL_CHARS = 1_000
_EMPTIED = bounded(r"\s?[\[(][\s,;–-]*[\])]")
"""Brackets that held nothing but references."""


class Table(Model):
    """A table with its cells as text; a cell that spans others stands in each place it covers."""

    label: str = ""
    caption: str = ""
    header: tuple[str, ...] = ()
    """One text a column; several rows of headings are joined."""
    rows: tuple[tuple[str, ...], ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """Each row as one sentence, ``caption; column: value; column: value``."""
        name = ". ".join(filter(None, (self.label, self.caption))).rstrip(".")
        return tuple(line for row in self.rows if (line := self._line(name, row)))

    def _line(self, name: str, row: tuple[str, ...]) -> str:
        heads = (*self.header, *[""] * len(row))
        cells = [
            f"{head}: {cell}" if head else cell
            for head, cell in zip(heads, row, strict=False)
            if cell
        ]
        if not cells or len(set(row)) == 1 < len(row):  # a heading across all columns
            return ""
        return "; ".join((*([name] if name else []), *cells)) + "."


def read_table(wrap: ET.Element) -> Table:
    """Return the table of a ``table-wrap`` element; its marks of footnotes are left out."""
    for parent in list(wrap.iter()):
        for child in parent.findall("xref"):
            if child.get("ref-type") in ("table-fn", "fn", "bibr"):
                child.text = ""
                for part in list(child):
                    child.remove(part)
    head = _grid(wrap.iterfind(".//thead/tr"))
    body = _grid(wrap.iterfind(".//tbody/tr")) or _grid(wrap.iterfind(".//table/tr"))
    if not head and body and (first := wrap.find(".//tr")) is not None and first.find("td") is None:
        head, body = body[:1], body[1:]
    return Table(
        label=text_of(wrap.find("label")).rstrip("."),
        caption=text_of(wrap.find("caption")),
        header=tuple(_joined(column) for column in zip(*head, strict=True)),
        rows=tuple(tuple(row) for row in body),
    )


def text_of(element: ET.Element | None) -> str:
    """Return the text of an element without brackets that held only numbers of references."""
    return "" if element is None else _EMPTIED.sub("", plain_text(element))


def _joined(column: Iterable[str]) -> str:
    return " ".join(dict.fromkeys(text for text in column if text))


def _grid(rows: Iterable[ET.Element]) -> list[list[str]]:
    """The cells of rows by their columns, each row of the same length."""
    grid: list[list[str]] = []
    above: dict[int, tuple[str, int]] = {}
    for row, _ in zip(rows, range(_MAX_ROWS), strict=False):
        line: dict[int, str] = {column: text for column, (text, _) in above.items()}
        above = {c: (text, left - 1) for c, (text, left) in above.items() if left > 1}
        column = 0
        for cell in row:
            if cell.tag not in ("td", "th"):
                continue
            while column in line:
                column += 1
            text, deep = text_of(cell)[:_MAX_CELL_CHARS], _span(cell, "rowspan", _MAX_ROWS)
            wide = _span(cell, "colspan", _MAX_COLUMNS)
            line |= dict.fromkeys(range(column, column + wide), text)
            if deep > 1:
                above |= dict.fromkeys(range(column, column + wide), (text, deep - 1))
            column += wide
        grid.append([line.get(c, "") for c in range(min(max(line, default=-1) + 1, _MAX_COLUMNS))])
    width = max(map(len, grid), default=0)
    return [line + [""] * (width - len(line)) for line in grid]


def _span(cell: ET.Element, name: str, most: int) -> int:
    told = cell.get(name, "1")[:6]
    return min(most, int(told)) if told.isascii() and told.isdigit() and int(told) > 0 else 1
