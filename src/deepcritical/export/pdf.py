"""Writes the report as PDF, set by Typst from its Markdown and its figures.

All text reaches the typesetter as data in JSON, never as markup of its language, so that no record
can steer it. Fonts come with the package `typst`; scripts that these lack are set in the fonts of
the machine.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from deepcritical.domain.checks import Check, failed, passed
from deepcritical.domain.errors import ConfigurationError
from deepcritical.domain.layout import Ledger, References, parts_of
from deepcritical.domain.layout_markdown import block_markdown, head_markdown
from deepcritical.domain.markdown import one_line
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.report_parts import Reference
from deepcritical.export import pdf_nodes as nodes
from deepcritical.export.figures import figures_of
from deepcritical.export.pdf_nodes import Node
from deepcritical.export.svg import Drawing

if TYPE_CHECKING:
    from typst import Fonts

TONES = {
    "supported": "good",
    "promising": "good",
    "mixed": "mixed",
    "unsupported": "bad",
    "refuted": "bad",
    "harmful": "bad",
}


def as_pdf(report: ResearchReport) -> bytes:
    """The report on A4, with figures as vectors and each ``[n]`` a link to its reference."""
    return typeset("report.typ", "report", _document(report), format="pdf")


def typeset(template: str, name: str, data: Node, **wanted: Any) -> bytes:
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
    verdict, *first = nodes.prose(head_markdown(report), count)
    return {
        "title": one_line(report.title),
        "tone": TONES.get(report.verdict.label.value, "plain"),
        "blocks": [
            nodes.heading(1, report.title),
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
        yield nodes.heading(2, part.title)
        for block in part.blocks:
            yield from _block(block, report.references)


def _block(block: object, references: Sequence[Reference]) -> list[Node]:
    if isinstance(block, Drawing):
        return [nodes.figure(block)]
    made = nodes.prose(block_markdown(block, references), len(references))
    if isinstance(block, References) and references:
        return [node | {"kind": "references"} for node in made]
    return [{"kind": "small", "children": made}] if isinstance(block, Ledger) else made
