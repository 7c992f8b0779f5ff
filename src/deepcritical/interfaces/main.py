"""The entry point of the ``deepcritical`` command; registers all commands."""

from __future__ import annotations

import atexit
import gc
from collections.abc import Sequence
from importlib.metadata import version
from typing import Annotated

import typer

from deepcritical.domain.errors import ResearchCancelled
from deepcritical.interfaces.cli.admin import admin
from deepcritical.interfaces.cli.ask import ask
from deepcritical.interfaces.cli.chat import chat
from deepcritical.interfaces.cli.doctor import doctor
from deepcritical.interfaces.cli.evaluate import evaluate_sets
from deepcritical.interfaces.cli.output import exit_code
from deepcritical.interfaces.cli.records import read, readings, search, understand
from deepcritical.interfaces.cli.reports import render, verify
from deepcritical.interfaces.cli.research import research
from deepcritical.interfaces.cli.traces import traces
from deepcritical.interfaces.serving import mcp, serve, worker

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
for command in (research, ask, chat, search, read, understand, verify, render):
    app.command()(command)
app.command("eval")(evaluate_sets)
app.command()(doctor)
app.command()(mcp)
app.command()(worker)
app.command()(serve)
app.add_typer(traces, name="traces")
app.add_typer(admin, name="admin")
app.add_typer(readings, name="readings")
_GREETING = """\
DeepCritical answers whether a drug may help in a disease, from studies that it cites.

  deepcritical research "Can colchicine prevent heart attacks?"
  deepcritical research "What could be repurposed for pulmonary fibrosis?" --out report
  deepcritical serve   # the same on a page in your browser

All commands: deepcritical --help"""


def _tell_version(asked: bool) -> None:
    if asked:
        typer.echo(f"deepcritical {version('deepcritical')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_tell_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Drug-repurposing answers from located evidence."""
    if context.invoked_subcommand is None:
        typer.echo(_GREETING)


def main(args: Sequence[str] | None = None) -> None:
    """Entry point of the ``deepcritical`` command; `args` as on the command line."""
    # What is loaded are millions of objects that stay. To look through them for cycles again and
    # again takes a fifth of the start, and to go through them once more at the end a second.
    gc.set_threshold(100_000, 20, 20)
    atexit.register(gc.freeze)
    try:
        app(args)
    except ResearchCancelled as error:
        raise SystemExit(exit_code(error)) from error
    except Exception as error:
        raise SystemExit(exit_code(error)) from error
