"""Renders a report's Markdown as HTML in which each ``[n]`` is a citation chip."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from html import escape
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode
from markdown_it.utils import EnvType, OptionsDict

from deepcritical.domain.report.parts import Reference
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.report.sentences import Sentence, as_markdown
from deepcritical.domain.text.markdown import visible
from deepcritical.domain.text.patterns import bounded

_MARKER = bounded(r"\[(\d{1,4})\](?!\()")


def to_html(markdown: str, references: Sequence[Reference]) -> str:
    """Safe HTML of a part of a report; markup that stands in the text is shown as text."""
    return str(_parser().render(markdown, {"references": references}))


def to_inline_html(markdown: str, references: Sequence[Reference]) -> str:
    """The same for a part of a line: no paragraph around it."""
    return unbroken(_parser().renderInline(markdown, {"references": references}))


def unbroken(text: str) -> str:
    """Return the text with no line to end within "95 % CI"."""
    return text.replace(" % CI", "\u00a0%\u00a0CI")


def cited_html(sentences: Sequence[Sentence], references: Sequence[Reference]) -> str:
    """Return the sentences as safe HTML with a citation chip for each record."""
    return to_inline_html(as_markdown(sentences, references), references)


def to_tree(markdown: str) -> SyntaxTreeNode:
    """A report's Markdown as a tree; `citation` nodes have their number in `meta`.

    Addresses in angle brackets, which only a reference's own link is printed in, are links.
    """
    return SyntaxTreeNode(_parser(links=True).parse(markdown))


def chip(number: int, references: Sequence[Reference]) -> str:
    """Return the button that opens reference `number`; the bare mark for a number without one."""
    if not 1 <= number <= len(references):
        return f"[{number}]"
    name = escape(visible(references[number - 1].short_name), quote=True)
    return (
        f'<button class="cite" popovertarget="src-{number}" '
        f'aria-label="Citation {number}: {name}">{number}</button>'
    )


@cache
def _parser(*, links: bool = False) -> MarkdownIt:
    """CommonMark with tables; without what no report is written with: HTML, images, links, code.

    A fence that is opened and never closed would swallow the rest of a report. With `links` an
    address in angle brackets is one.
    """
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.disable(["image", "link", "reference", "html_inline", "html_block", "fence", "code"])
    if not links:
        parser.disable("autolink")
    parser.inline.ruler.before("link", "citation", _citation)
    parser.add_render_rule("citation", _render_citation)
    parser.add_render_rule("table_open", _render_table_open)
    parser.add_render_rule("table_close", lambda *_: "</table></div>")
    return parser


def _citation(state: StateInline, silent: bool) -> bool:
    match = _MARKER.match(state.src, state.pos)
    if match is None:
        return False
    if not silent:
        state.push("citation", "", 0).meta = {"number": int(match[1])}
    state.pos = match.end()
    return True


def _render_citation(
    _renderer: RendererHTML, tokens: Sequence[Token], index: int, _o: OptionsDict, env: EnvType
) -> str:
    return chip(tokens[index].meta["number"], env["references"])


def _render_table_open(
    _renderer: RendererHTML, tokens: Sequence[Token], index: int, _o: OptionsDict, _env: EnvType
) -> str:
    # A wide table scrolls within itself, also by keyboard, so that the page never does.
    headings = [t.content for t, of in pairwise(tokens[:index]) if of.type == "heading_close"]
    columns = [t.content for t in tokens[index:] if t.type == "inline"][:2]
    name = escape(visible(", ".join([*headings[-1:], *columns])), quote=True)
    return f'<div class="scroll" role="region" aria-label="Table: {name}" tabindex="0"><table>'


def study_name(evidence_ids: Sequence[str], report: ResearchReport) -> str:
    """Return the short name of the study that these records report; '' if none is cited."""
    for study in report.study_table:
        if set(study.evidence_ids) & set(evidence_ids):
            return study.name
    return next((r.short_name for r in report.references if r.evidence_id in evidence_ids), "")
