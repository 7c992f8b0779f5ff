"""Prints the brief of a report: in colour on a terminal, as plain text into a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from rich import box
from rich.columns import Columns
from rich.console import Console, ConsoleRenderable
from rich.markdown import Markdown
from rich.table import Table
from rich.text import Text

from deepcritical.domain.appraisal.verdict import VerdictLabel
from deepcritical.domain.report.brief import cited_ids
from deepcritical.domain.report.grids import Cell, Grid, findings_grid
from deepcritical.domain.report.report import answered, badge, listed
from deepcritical.domain.text.markdown import one_line
from deepcritical.interfaces.cli.output import to_stdout

if TYPE_CHECKING:
    from deepcritical.domain.report.brief import Brief
    from deepcritical.domain.report.parts import Reference
    from deepcritical.domain.report.report import ResearchReport

_LINES = 40
"""Of a brief that is 100 columns wide or wider, so that it fits a screen."""
_NARROW_LINES = 50
_WIDE = 100
"""Columns; also of what goes into a pipe."""
_WIDEST = 110
"""Columns; longer lines are hard to read."""
_COLOURS = {
    VerdictLabel.SUPPORTED: "green",
    VerdictLabel.PROMISING: "cyan",
    VerdictLabel.MIXED: "yellow",
    VerdictLabel.REFUTED: "red",
    VerdictLabel.HARMFUL: "red",
    VerdictLabel.UNSUPPORTED: "magenta",
}
_CERTAINTIES = {"high": "green", "moderate": "cyan", "low": "yellow", "very low": "red"}
_RATIOS = (24, 18, None, 48, None)
"""Shares of the columns of the table in what is left of a line."""


class _Room(NamedTuple):
    findings: int
    studies: int
    missing: int
    trials: int

    def of(self, brief: Brief) -> Brief:
        kept = {name: getattr(brief, name)[:most] for name, most in self._asdict().items()}
        # Of rows by a model as many as leave place for what code adds.
        left = max(1, self.findings - len(brief.findings)) if brief.told else 0
        return brief.model_copy(update={**kept, "told": brief.told[:left]})


_ROOMS = (
    _Room(6, 5, 4, 3),
    _Room(6, 4, 3, 3),
    _Room(5, 4, 2, 3),
    _Room(4, 3, 2, 3),
    _Room(4, 3, 2, 2),
    _Room(3, 3, 2, 2),
    _Room(3, 3, 1, 1),
    _Room(2, 2, 1, 1),
)
"""The first that fits the lines, else the last."""


def print_brief(report: ResearchReport, brief: Brief, hint: str) -> None:
    """Print the brief on stdout in at most 40 lines, or 50 on a narrow terminal.

    The last line is `hint`: where the rest is.

    Raises:
        StorageError: The output cannot be written.
    """
    console = Console(file=sys.stdout, highlight=False, markup=False, emoji=False)
    console.width = min(console.width, _WIDEST) if console.is_terminal else _WIDE
    for room in _ROOMS:
        shown = report.model_copy(update={"brief": room.of(brief)})
        parts = (*_head(shown, console.is_terminal), *_parts(shown, brief))
        with console.capture() as captured:
            console.print(*parts, Text(one_line(hint), "dim"), sep="\n")
        lines = [line.rstrip() for line in captured.get().splitlines()]
        if len(lines) <= (_LINES if console.width >= _WIDE else _NARROW_LINES):
            break
    to_stdout(("\n".join(lines) + "\n").encode())


def _head(report: ResearchReport, on_terminal: bool) -> Iterator[ConsoleRenderable]:
    yield Text(one_line(report.research_question), "bold")
    yield _badge(report, on_terminal)
    yield Text()
    yield Markdown("\n\n".join(filter(None, answered(report))))
    yield Text()
    for notice in report.notices:
        yield Text.assemble(("Note: ", "yellow"), one_line(notice))
    if report.notices:
        yield Text()


def _badge(report: ResearchReport, on_terminal: bool) -> Text:
    label, remarks = badge(report)
    colour = _COLOURS.get(report.verdict.label, "bright_black")
    # The coloured field needs a margin; in plain text there is no field.
    head = (f" {label} " if on_terminal else label, f"bold reverse {colour}")
    told = "".join(f" · {one_line(remark)}" for remark in remarks)
    return Text.assemble(head, told, (" · for research use, not medical advice", "dim"))


def _parts(report: ResearchReport, whole: Brief) -> Iterator[ConsoleRenderable]:
    """Yield table, lists and references, a blank line after each."""
    if (grid := findings_grid(report)).rows:
        yield _table(grid)
        if more := len((*whole.told, *whole.findings)) - len(grid.rows):
            yield Text(f"{more} more {'outcome' if more == 1 else 'outcomes'}", "dim")
        yield Text()
    wholes = (whole.studies, whole.told_missing, whole.trials)
    for (heading, lines), every in zip(listed(report), wholes, strict=True):
        if lines:
            more = len(every) - len(lines.splitlines())
            yield Text.assemble((heading, "bold"), (f" (and {more} more)" if more else "", "dim"))
            yield _list(lines)
            yield Text()
    cited = cited_ids(report.brief) if report.brief else ()
    names = [
        _reference(number, reference)
        for number, reference in enumerate(report.references, 1)
        if reference.evidence_id in cited
    ]
    if names:
        yield Columns(names, padding=(0, 2))
        yield Text()


def _list(lines: str) -> Table:
    """A list of Markdown, its points right below each other."""
    points = Table.grid(padding=(0, 1, 0, 0))
    for line in lines.splitlines():
        points.add_row(" •", Markdown(line.removeprefix("- ")))
    return points


def _table(grid: Grid) -> Table:
    table = Table(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        padding=(0, 1, 0, 0),
        pad_edge=False,
        header_style="bold",
        expand=True,
    )
    for name, ratio in zip(grid.heads, _RATIOS, strict=True):
        table.add_column(Text(name.replace(" (", "\n(")), ratio=ratio)
    for row in grid.rows:
        table.add_row(*map(_cell, row))
    return table


def _cell(cell: Cell) -> Text:
    if cell.is_grade:
        return Text(cell.text, _CERTAINTIES[cell.text], no_wrap=True)
    marks = "".join(f"[{n}]" for n in cell.numbers)
    return Text(f"{one_line(cell.text)} {marks}".rstrip())


def _reference(number: int, reference: Reference) -> Text:
    name = one_line(reference.short_name)
    ids = [_public_id(i) for i in reference.public_ids[:1]]
    told = [name, *(i for i in ids if i not in name)]
    written = Text(f"[{number}] {', '.join(told)}", "dim")
    for flag in ("retracted", "preprint"):
        if getattr(reference, flag):
            written.append(f", {flag}", "not dim yellow")
    return written


def _public_id(canonical: str) -> str:
    kind, _, value = canonical.partition(":")
    shown = one_line(value)
    return shown if kind in ("nct", "registry") else f"{kind.upper()} {shown}"
