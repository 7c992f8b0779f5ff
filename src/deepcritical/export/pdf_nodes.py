"""Builds what the template of the PDF sets: nodes of text, from Markdown and from typed data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from deepcritical.domain.report_parts import Reference
from deepcritical.domain.sentences import Sentence
from deepcritical.export.grids import Cell, Grid
from deepcritical.export.plain import one_line
from deepcritical.export.prose import LONGEST_WORD, cited, column_widths, longest_word, to_tree
from deepcritical.export.svg import Drawing, inline

if TYPE_CHECKING:
    from markdown_it.tree import SyntaxTreeNode

_LONG_WORD = re.compile(r"[^\s/-]{33,}")
_LINE = 118
"""Characters of a table on a line of the page."""
_SIZE, _DENSE = 8.2, 7.4
"""Text of tables in points; that of tables with many columns."""
_TALL_CELL = 800
"""Characters from which a row may be too high to be kept on one page."""
_TALLEST = 1.3
"""Height of a page for a figure, in widths of the text; the rest is for heading and caption."""
Node = dict[str, Any]


def text(words: str) -> Node:
    """Return text as it is set, never as markup."""
    return {"kind": "text", "text": _set(words)}


def strong(words: str) -> Node:
    """Return text in bold."""
    return {"kind": "strong", "children": [text(words)]}


def heading(level: int, words: str) -> Node:
    """Return a heading."""
    return {"kind": "heading", "level": level, "children": [text(words)]}


def paragraph(*inner: Node, leads: bool = False) -> Node:
    """Return a paragraph; one that leads stays on the page of what follows."""
    return {"kind": "paragraph", "leads": leads, "children": list(inner)}


def bullets(items: Iterable[Sequence[Node]], *, small: bool = False) -> Node:
    """Return a list with one item for each sequence of nodes."""
    children = [{"kind": "item", "children": list(item)} for item in items]
    made = {"kind": "bullet_list", "children": children}
    return {"kind": "small", "children": [made]} if small else made


def note(words: str) -> Node:
    """Return text less prominent than that before it, on a line of its own."""
    return {"kind": "note", "children": [text(words)]}


def aside(words: str) -> Node:
    """Return text less prominent than that before it, on its line."""
    return {"kind": "aside", "children": [text(f" {words}")]}


def citation(number: int) -> Node:
    """Return a link to a reference that there is."""
    return {"kind": "citation", "number": number, "known": True}


def sentences(told: Sequence[Sentence], references: Sequence[Reference]) -> list[Node]:
    """Return sentences, each with its citations before the stop."""
    nodes: list[Node] = []
    for words, numbers, stop in cited(told, references):
        lead = " " if nodes else ""
        nodes += [text(f"{lead}{words}{' ' if numbers else ''}"), *map(citation, numbers)]
        nodes.append(text(stop))
    return nodes


def prose(markdown: str, n_references: int) -> list[Node]:
    """Return a text that a report holds as Markdown."""
    return [_node(node, n_references) for node in to_tree(markdown).children]


def inline_prose(markdown: str, n_references: int) -> list[Node]:
    """Return the same for a part of a line."""
    return [part for node in prose(markdown, n_references) for part in node.get("children", ())]


def table(grid: Grid) -> Node:
    """Return a table."""
    rows = [[_cell(cell) for cell in row] for row in grid.rows]
    heads = [{"kind": "cell", "children": [text(head)]} for head in grid.heads]
    children = [{"kind": "row", "children": row} for row in (heads, *rows)]
    made = {"kind": "table", "children": [{"kind": "rows", "children": children}]}
    return made | _shape(grid.columns) | ({"size": _DENSE} if grid.sortable else {})


def figure(drawing: Drawing) -> Node:
    """Return a figure at the size of the text, as far as one page has room."""
    width = min(1.0, drawing.width / 820, _TALLEST * drawing.width / drawing.height)
    return {
        "kind": "figure",
        "title": one_line(drawing.title),
        "told": drawing.description,
        "svg": inline(drawing),
        "width": width,
    }


def _cell(cell: Cell) -> Node:
    inner = [text(cell.text or "–")]
    inner += [text(" "), *map(citation, cell.numbers)] if cell.numbers else []
    inner += [note(cell.note)] if cell.note else []
    return {"kind": "cell", "children": inner}


def _shape(columns: Sequence[Sequence[str]]) -> Node:
    """How a table with these columns, each with its heading first, is laid out."""
    return {
        "size": _SIZE,
        "columns": column_widths(columns, _LINE),
        "breakable": any(len(cell) > _TALL_CELL for cells in columns for cell in cells),
        "hyphenate": any(longest_word(cells) > LONGEST_WORD for cells in columns),
    }


def _node(node: SyntaxTreeNode, n_references: int) -> Node:
    made: Node = {"kind": node.type}
    if node.type == "citation":
        number = node.meta["number"]
        return made | {"number": number, "known": 1 <= number <= n_references}
    if node.type in ("text", "code_inline"):
        return {"kind": "text", "text": _set(node.content)}
    if node.type == "link":
        return made | {"to": str(node.attrs["href"]), "text": _set(_text(node))}
    if node.type == "heading":
        made["level"] = int(node.tag[1:])
    if node.type == "table":
        made |= _shape(_cells(node))
    if node.type == "paragraph":
        made["leads"] = _leads(node)
    return made | {"children": [_node(child, n_references) for child in node.children]}


def _leads(paragraph: SyntaxTreeNode) -> bool:
    """Whether a paragraph announces what follows, and must not be left at the foot of a page."""
    parts = [part for line in paragraph.children for part in line.children]
    kinds = [part.type for part in parts if part.type != "text" or part.content]
    return _text(paragraph).endswith(":") or kinds == ["strong"]


def _set(text: str) -> str:
    """Text as it is set: without control characters, and with places to break very long words."""
    lead, end = (" " if text[:1].isspace() else ""), (" " if text[-1:].isspace() else "")
    broken = _LONG_WORD.sub(lambda word: "\u200b".join(_cut(word.group())), one_line(text))
    return f"{lead}{broken}{end}" if broken else lead


def _cut(word: str) -> list[str]:
    return [word[n : n + 16] for n in range(0, len(word), 16)]


def _text(node: SyntaxTreeNode) -> str:
    if node.type == "citation":
        return f"[{node.meta['number']}]"
    return node.content or "".join(map(_text, node.children))


def _cells(table: SyntaxTreeNode) -> list[list[str]]:
    """The texts of each column, its heading first."""
    rows = [row.children for part in table.children for row in part.children]
    return [[_text(cell) for cell in column] for column in zip(*rows, strict=False)]
