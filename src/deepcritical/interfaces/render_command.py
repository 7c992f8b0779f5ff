"""``deepcritical render REPORT.json``: all formats of a finished report again, offline."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deepcritical.interfaces.report_files import read_report, write_report

__all__ = ["render"]


def render(
    report: Annotated[Path, typer.Argument(help="A report as JSON, as --out writes it.")],
    out: Annotated[Path, typer.Option(help="Folder for the files; made if missing.")],
) -> None:
    """Write a finished report in all formats again, byte by byte, without network or model.

    Exit codes: 0 written; 8 the report cannot be read; 11 a file cannot be written.
    """
    saved = read_report(report)
    names = write_report(saved.report, saved.imprint, out)
    typer.echo(f"Written to {out}: {', '.join(names)}", err=True)
