"""Prints a finished report on stdout in the form that was asked for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from deepcritical.export.formats import FORMATS
from deepcritical.interfaces.output import file_to_stdout

if TYPE_CHECKING:
    from deepcritical.domain.documents import Document
    from deepcritical.export.imprint import Imprint

__all__ = ["Wanted", "print_report"]

Wanted = Literal["brief", "full", "json"]
"""The brief, or the whole report as Markdown or as JSON."""


def print_report(
    report: Document, imprint: Imprint, wanted: Wanted, folder: Path | None, *, is_kept: bool
) -> None:
    """Print a report; one without a brief, of an old run or of `ask`, is printed as a whole.

    Args:
        report: The report, or an answer.
        imprint: Which run it is of.
        wanted: The form.
        folder: Where its files are, if they were asked for.
        is_kept: Whether the run can be had again by its id.

    Raises:
        StorageError: The output cannot be written.
    """
    # Imported late: `--help` must not wait for them.
    from deepcritical.domain.report import ResearchReport
    from deepcritical.interfaces.terminal_brief import print_brief

    if wanted == "brief" and isinstance(report, ResearchReport) and report.brief:
        print_brief(report, report.brief, _hint(imprint, folder, is_kept))
        return
    suffix = "json" if wanted == "json" else "md"
    file_to_stdout(suffix, FORMATS[suffix].render(report, imprint))


def _hint(imprint: Imprint, folder: Path | None, is_kept: bool) -> str:
    if folder:
        return f"Whole report: {folder / 'report.html'}"
    again = f"deepcritical research --reuse {imprint.run_id[:8]} " if is_kept else ""
    return f"Whole report: {again}--full (or --out FOLDER)"
