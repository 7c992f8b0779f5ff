"""The report as PDF, set by Typst from the same Markdown that people read.

All text reaches the typesetter as data in JSON, never as markup of its language, so that no record
can steer it. Fonts come with the package `typst`; scripts that these lack are set in the fonts of
the machine.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from deepcritical.domain.report import ResearchReport
from deepcritical.export.columns import LONGEST_WORD, column_widths, longest_word
from deepcritical.export.figures import FIGURES
from deepcritical.export.plain import one_line
from deepcritical.export.prose import to_tree
from deepcritical.export.svg import Drawing, inline

if TYPE_CHECKING:
    from markdown_it.tree import SyntaxTreeNode
    from typst import Fonts

__all__ = ["as_pdf"]

_FIGURE_UNDER = {
    "Hypotheses tested": "mechanism",
    "Methodology": "prisma",
    "Evidence table": "timeline",
}
"""The heading that each figure follows."""
_TONES = {
    "supported": "good",
    "promising": "good",
    "mixed": "mixed",
    "unsupported": "bad",
    "refuted": "bad",
}
_LONG_WORD = re.compile(r"[^\s/-]{33,}")
_LINE = 118
"""Characters of a table on a line of the page."""
_TALL_CELL = 800
"""Characters from which a row may be too high to be kept on one page."""
_TALLEST = 1.3
"""Height of a page for a figure, in widths of the text; the rest is for heading and caption."""
Node = dict[str, Any]


def as_pdf(report: ResearchReport) -> bytes:
    """The report on A4, with figures as vectors and each ``[n]`` a link to its reference."""
    import typst

    template = files(__package__) / "templates" / "report.typ"
    data = json.dumps(_document(report), ensure_ascii=False)
    compiler = typst.Compiler(
        template.read_bytes(), font_paths=_fonts(), sys_inputs={"report": data}
    )
    written = compiler.compile(format="pdf")
    assert isinstance(written, bytes)  # noqa: S101 - the library's type: a list is for pictures
    return written


@cache
def _fonts() -> Fonts:
    """The package's fonts and the machine's, looked up once."""
    import typst

    return typst.Fonts()


def _document(report: ResearchReport) -> Node:
    tree = to_tree(report.to_markdown())
    return {
        "title": one_line(report.title),
        "tone": _TONES.get(report.verdict.label.value, "plain"),
        "blocks": list(_blocks(tree, report)),
    }


def _blocks(tree: SyntaxTreeNode, report: ResearchReport) -> Iterator[Node]:
    """The blocks of the report, each figure behind the heading that it belongs under."""
    heading = ""
    count = len(report.references)
    for node in tree.children:
        block = _node(node, count)
        if node.type == "heading":
            heading = _text(node)
        if heading == "References" and node.type == "ordered_list":
            block["kind"] = "references"
        yield block
        if node.type == "heading" and (name := _FIGURE_UNDER.get(heading)):
            drawing = FIGURES[name](report)
            if not drawing.empty:
                yield {
                    "kind": "figure",
                    "title": drawing.title,
                    "told": drawing.description,
                    "svg": inline(drawing),
                    "width": _width(drawing),
                }


def _width(drawing: Drawing) -> float:
    """The share of the text's width: at the size of the text, as far as one page has room."""
    return min(1.0, drawing.width / 820, _TALLEST * drawing.width / drawing.height)


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
        columns = _cells(node)
        made["columns"] = column_widths(columns, _LINE)
        made["breakable"] = any(len(cell) > _TALL_CELL for cells in columns for cell in cells)
        made["hyphenate"] = any(longest_word(cells) > LONGEST_WORD for cells in columns)
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
