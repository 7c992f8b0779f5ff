"""Prints the brief of a report: in colour on a terminal, as plain text into a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich import box
from rich.columns import Columns
from rich.console import Console, ConsoleRenderable
from rich.table import Table
from rich.text import Text

from deepcritical.domain.brief import (
    COLUMNS,
    badge,
    cited_ids,
    finding_cells,
    study_words,
    trial_words,
)
from deepcritical.domain.certainty import Certainty
from deepcritical.domain.markdown import one_line
from deepcritical.domain.sentences import as_text, citation_marks
from deepcritical.domain.verdict import VerdictLabel
from deepcritical.interfaces.cli.output import to_stdout

if TYPE_CHECKING:
    from deepcritical.domain.brief import Brief, DecidingStudy
    from deepcritical.domain.report import ResearchReport
    from deepcritical.domain.report_parts import Reference

_LINES = 40
"""Of a brief that is 100 columns wide or wider, so that it fits a screen."""
_NARROW_LINES = 50
_WIDE = 100
"""Columns; also of what goes into a pipe."""
_WIDEST = 110
"""Columns; longer lines are hard to read."""
_NARROW = 90
"""Columns; below, the comparator stands beside the outcome."""
_COLOURS = {
    VerdictLabel.SUPPORTED: "green",
    VerdictLabel.PROMISING: "cyan",
    VerdictLabel.MIXED: "yellow",
    VerdictLabel.REFUTED: "red",
    VerdictLabel.HARMFUL: "red",
    VerdictLabel.UNSUPPORTED: "magenta",
}
_CERTAINTIES = {Certainty.HIGH: "green", Certainty.MODERATE: "cyan", Certainty.LOW: "yellow"}


class _Room(NamedTuple):
    findings: int
    studies: int
    missing: int
    trials: int

    def of(self, brief: Brief) -> Brief:
        kept = {name: getattr(brief, name)[:most] for name, most in self._asdict().items()}
        return brief.model_copy(update=kept)


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


class _Page(NamedTuple):
    report: ResearchReport
    whole: Brief
    brief: Brief
    """What is printed of it."""
    width: int
    on_terminal: bool

    @property
    def references(self) -> tuple[Reference, ...]:
        return self.report.references


def print_brief(report: ResearchReport, brief: Brief, hint: str) -> None:
    """Print the brief on stdout in at most 40 lines, or 50 on a narrow terminal.

    The last line is `hint`: where the rest is.

    Raises:
        StorageError: The output cannot be written.
    """
    console = Console(file=sys.stdout, highlight=False, markup=False, emoji=False)
    console.width = min(console.width, _WIDEST) if console.is_terminal else _WIDE
    for room in _ROOMS:
        page = _Page(report, brief, room.of(brief), console.width, console.is_terminal)
        with console.capture() as captured:
            console.print(*_parts(page), Text(one_line(hint), "dim"), sep="\n")
        lines = [line.rstrip() for line in captured.get().splitlines()]
        if len(lines) <= (_LINES if console.width >= _WIDE else _NARROW_LINES):
            break
    to_stdout(("\n".join(lines) + "\n").encode())


def _parts(page: _Page) -> Iterator[ConsoleRenderable]:
    """Yield the parts in order, a blank line between them."""
    yield Text(one_line(page.report.research_question), "bold")
    yield _badge(page)
    for notice in page.report.notices:
        yield _labelled("Note", notice, "yellow")
    yield Text()
    if page.brief.licensed:
        yield Text(as_text(page.brief.licensed, page.references), "bold")
        yield Text()
    yield Text(as_text(page.brief.answer, page.references))
    for heading, told in (("Harms", page.brief.harms), ("Label", page.brief.label)):
        if told:
            yield Text()
            yield _labelled(heading, as_text(told, page.references), "bold")
    if page.brief.synthesis:
        yield Text()
        yield Text(as_text(page.brief.synthesis, page.references))
    for part in (_findings, _studies, _missing, _trials, _cited):
        if printed := list(part(page)):
            yield Text()
            yield from printed
    yield Text()


def _badge(page: _Page) -> Text:
    label, remarks = badge(page.report)
    colour = _COLOURS.get(page.report.verdict.label, "bright_black")
    # The coloured field needs a margin; in plain text there is no field.
    head = (f" {label} " if page.on_terminal else label, f"bold reverse {colour}")
    told = "".join(f" · {one_line(remark)}" for remark in remarks)
    return Text.assemble(head, told, (" · for research use, not medical advice", "dim"))


def _labelled(label: str, text: str, style: str) -> Text:
    return Text.assemble((f"{label}: ", style), one_line(text))


def _findings(page: _Page) -> Iterator[ConsoleRenderable]:
    if not page.brief.findings:
        return
    narrow = page.width < _NARROW
    table = Table(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        padding=(0, 1, 0, 0),
        pad_edge=False,
        header_style="bold",
        expand=True,
    )
    for name, ratio in zip(COLUMNS, (24, 18, None, 48, None), strict=True):
        if not (narrow and name == COLUMNS[1]):
            table.add_column(Text(name.replace(" (", "\n(")), ratio=ratio)
    for row in page.brief.findings:
        outcome, comparator, studies, result, certainty = map(one_line, finding_cells(row))
        against = f" against {comparator}" if row.comparator else ""
        told = [f"{outcome}{against}"] if narrow else [outcome, comparator]
        marks = citation_marks(row.evidence_ids, page.references)
        colour = _CERTAINTIES.get(row.certainty, "red")
        cells = (*told, studies, f"{result} {marks}".rstrip())
        table.add_row(*map(Text, cells), Text(certainty, colour, no_wrap=True))
    yield table
    if more := len(page.whole.findings) - len(page.brief.findings):
        yield Text(f"{more} more {'outcome' if more == 1 else 'outcomes'}", "dim")


def _studies(page: _Page) -> Iterator[ConsoleRenderable]:
    lines = [_study(study, page.references) for study in page.brief.studies]
    return _listed("Main studies", lines, len(page.whole.studies))


def _study(study: DecidingStudy, references: Sequence[Reference]) -> Text:
    words = one_line(study_words(study))
    head = (one_line(study.name), "bold")
    result = as_text((study.result,), references)
    return Text.assemble(head, f", {words}" if words else "", f": {result}")


def _missing(page: _Page) -> Iterator[ConsoleRenderable]:
    lines = [Text(one_line(text)) for text in page.brief.missing]
    return _listed("What is missing", lines, len(page.whole.missing))


def _trials(page: _Page) -> Iterator[ConsoleRenderable]:
    """Yield a line for each trial, on which its title alone may be cut."""
    if not page.brief.trials:
        return
    lines = Table.grid(padding=(0, 1), expand=True)
    for ratio in (None, 1, None):
        lines.add_column(ratio=ratio, no_wrap=True, overflow="ellipsis")
    for trial in page.brief.trials:
        marks = citation_marks((trial.evidence_id,), page.references)
        name = Text.assemble("• ", (one_line(trial.registry_id), "bold"))
        words = Text(one_line(f"{trial_words(trial)} {marks}"))
        lines.add_row(name, Text(one_line(trial.title)), words)
    yield _heading("Trials under way", len(page.whole.trials) - len(page.brief.trials))
    yield lines


def _cited(page: _Page) -> Iterator[ConsoleRenderable]:
    cited = cited_ids(page.brief)
    names = [
        _reference(number, reference)
        for number, reference in enumerate(page.references, 1)
        if reference.evidence_id in cited
    ]
    if names:
        yield Columns(names, padding=(0, 2))


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


def _listed(
    heading: str, lines: Sequence[ConsoleRenderable], in_all: int
) -> Iterator[ConsoleRenderable]:
    if not lines:
        return
    yield _heading(heading, in_all - len(lines))
    for line in lines:
        bullet = Table.grid(padding=(0, 1))
        bullet.add_row(Text("•"), line)
        yield bullet


def _heading(heading: str, more: int) -> Text:
    return Text.assemble((heading, "bold"), (f" (and {more} more)" if more else "", "dim"))
