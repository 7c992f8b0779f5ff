"""Builds the nodes that the PDF template sets, from Markdown and figures."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from deepcritical.domain.markdown import one_line
from deepcritical.export.prose import to_tree
from deepcritical.export.svg import Drawing, inline

if TYPE_CHECKING:
    from markdown_it.tree import SyntaxTreeNode

_LONG_WORD = re.compile(r"[^\s/-]{33,}")
_SIZE, _DENSE, _MANY = 8.2, 7.4, 7
"""Text of tables in points; that of tables with more columns than so many."""
_TALL_CELL = 800
"""Characters from which a row may be too high to be kept on one page."""
_TALLEST = 1.3
"""Height of a page for a figure, in widths of the text; the rest is for heading and caption."""
Node = dict[str, Any]


def heading(level: int, words: str) -> Node:
    """Return a heading."""
    return {
        "kind": "heading",
        "level": level,
        "children": [{"kind": "text", "text": _set(words)}],
    }


def prose(markdown: str, n_references: int) -> list[Node]:
    """Return a text that a report prints as Markdown."""
    return [_node(node, n_references) for node in to_tree(markdown).children]


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
        made |= _shape(node)
    if node.type == "paragraph":
        made["leads"] = _leads(node)
    return made | {"children": [_node(child, n_references) for child in node.children]}


def _leads(paragraph: SyntaxTreeNode) -> bool:
    """Return whether a paragraph introduces the next one, so that no page may end with it."""
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


def _shape(table: SyntaxTreeNode) -> Node:
    """Return how a table is laid out; the typesetter divides the line among the columns."""
    rows = [row.children for part in table.children for row in part.children]
    return {
        "size": _DENSE if len(rows[0]) > _MANY else _SIZE,
        "columns": len(rows[0]),
        "breakable": any(len(_text(cell)) > _TALL_CELL for row in rows for cell in row),
    }
