"""Sets by Typst: the report as PDF, from its Markdown and figures, and the card of a link to it.

All text reaches the typesetter as data in JSON, never as markup of its language, so that no record
can steer it. Fonts come with the package `typst`; scripts that these lack are set in the fonts of
the machine.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from deepcritical.domain.checks import Check, failed, passed
from deepcritical.domain.errors import ConfigurationError
from deepcritical.domain.report.answer import Document
from deepcritical.domain.report.brief import label_words
from deepcritical.domain.report.layout import Ledger, References, parts_of
from deepcritical.domain.report.parts import Reference
from deepcritical.domain.report.report import ResearchReport, block_markdown, head_markdown
from deepcritical.domain.text.markdown import one_line, visible
from deepcritical.export.figures import figures_of
from deepcritical.export.prose import to_tree
from deepcritical.export.svg import Drawing, inline

if TYPE_CHECKING:
    from markdown_it.tree import SyntaxTreeNode
    from typst import Fonts

_TONES = {
    "supported": "good",
    "promising": "good",
    "mixed": "mixed",
    "unsupported": "bad",
    "refuted": "bad",
    "harmful": "bad",
}


def as_pdf(report: ResearchReport) -> bytes:
    """The report on A4, with figures as vectors and each ``[n]`` a link to its reference."""
    return _typeset("report.typ", "report", _document(report), format="pdf")


def _typeset(template: str, name: str, data: Node, **wanted: Any) -> bytes:
    """A template of ours, set with data that it knows by a name."""
    import typst

    written = typst.Compiler(
        (files(__package__) / "templates" / template).read_bytes(),
        font_paths=_fonts(),
        sys_inputs={name: json.dumps(data, ensure_ascii=False)},
    ).compile(**wanted)
    assert isinstance(written, bytes)  # noqa: S101 - the library's type: a list is for pictures
    return written


@cache
def _fonts() -> Fonts:
    """The package's fonts and the machine's, looked up once."""
    import typst

    return typst.Fonts()


def check_pdf() -> Check:
    """Return whether a page of one word can be set. Blocks for less than a second."""
    try:
        import typst

        written = typst.Compiler(b"checked").compile(format="pdf")
    except (ImportError, OSError, RuntimeError) as error:
        reason = f"The typesetter cannot be used: {error}."
        return failed("PDF", ConfigurationError(reason, "Install the package typst again."))
    size = len(written) if isinstance(written, bytes) else 0
    return passed("PDF", f"a page of one word was set in {size:,} bytes")


def _document(report: ResearchReport) -> Node:
    count = len(report.references)
    verdict, *first = prose(head_markdown(report), count)
    return {
        "title": one_line(report.title),
        "tone": _TONES.get(report.verdict.label.value, "plain"),
        "blocks": [
            heading(1, report.title),
            verdict | {"kind": "badge"},
            # Below the parts, which alone are listed in the contents.
            *(node | {"level": 3} if node["kind"] == "heading" else node for node in first),
            {"kind": "contents"},
            *_parts(report),
        ],
    }


def _parts(report: ResearchReport) -> Iterator[Node]:
    body = True
    for part in parts_of(report, "paper", figures_of(report)):
        if part.appendix and body:
            body = False
            yield {"kind": "appendix"}
        yield heading(2, part.title)
        for block in part.blocks:
            yield from _block(block, report.references)


def _block(block: object, references: Sequence[Reference]) -> list[Node]:
    if isinstance(block, Drawing):
        return [figure(block)]
    made = prose(block_markdown(block, references), len(references))
    if isinstance(block, References) and references:
        return [node | {"kind": "references"} for node in made]
    return [{"kind": "small", "children": made}] if isinstance(block, Ledger) else made


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
    return {"kind": "heading", "level": level, "children": [{"kind": "text", "text": _set(words)}]}


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


_LONGEST = 300
"""Characters of the sentence; services cut longer ones."""


class Preview(NamedTuple):
    """The data of a link preview (Open Graph)."""

    title: str
    sentence: str
    image: str = ""
    """Address of the picture; '' for none."""
    page: str = ""
    """Where one can go on from here."""
    leads: str = ""
    """The name of that page."""


def preview_of(document: Document) -> Preview:
    """The title of a report or an answer, and what it comes to in a sentence."""
    if isinstance(document, ResearchReport):
        sentence = document.brief.answer[0].text if document.brief else document.answer
        return Preview(visible(document.title), visible(sentence)[:_LONGEST])
    said = document.lead[0].text if document.lead else document.headline
    return Preview(visible(document.question), visible(said)[:_LONGEST])


def render_card(document: Document) -> bytes:
    """The picture as PNG, 1200 x 630."""
    preview = preview_of(document)
    verdict = document.verdict
    told = label_words(verdict.label, document.brief) if verdict else ""
    data = {
        "title": one_line(preview.title),
        "verdict": told or "Answer",
        "sentence": one_line(preview.sentence),
        "tone": _TONES.get(verdict.label.value if verdict else "", "plain"),
    }
    return _typeset("card.typ", "card", data, format="png", ppi=72)
