"""The command ``doctor``: checks what a run needs, and gives advice on each problem."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from importlib import metadata
from platform import python_version
from typing import Annotated

import typer

from deepcritical.domain.checks import Check, CheckState
from deepcritical.domain.errors import ChecksFailedError
from deepcritical.domain.text.markdown import visible
from deepcritical.interfaces.cli import options
from deepcritical.interfaces.cli.output import print_json

WITHIN_S = 9.0
"""Seconds that each check gets by default; all are made at once."""
_COLOURS = {CheckState.OK: "green", CheckState.PROBLEM: "red", CheckState.SKIPPED: "yellow"}


def doctor(
    model: options.ModelName = None,
    model_base_url: options.BaseUrl = None,
    ask_key: options.AskKey = False,
    snapshot: options.Snapshot = None,
    sources: options.Sources = None,
    within_s: Annotated[
        float,
        typer.Option("--within", min=1, help="Seconds that each check gets; all are made at once."),
    ] = WITHIN_S,
    as_json: Annotated[bool, typer.Option("--json", help="Print the checks as JSON.")] = False,
) -> None:
    """Check what a run needs: settings, model, sources, database, files; with advice for each.

    The model is asked one question, each source for one record; the database and the vector index
    are opened. All is done at once, within about 10 s. It ends with 0 when no check found a
    problem, and with 15 when one did. The manager and the collector of spans are not looked at.
    """
    # Imported late: `--help` must not wait for them.
    from deepcritical.interfaces.cli.checks import examined

    asked = options.chosen_model(model, model_base_url, ask_key)
    checks = asyncio.run(examined(asked, options.chosen(snapshot, sources), within_s))
    problems = [check.name for check in checks if check.state is CheckState.PROBLEM]
    if as_json:
        told = [check.model_dump(mode="json") for check in checks]
        versions = {"version": metadata.version("deepcritical"), "python": python_version()}
        print_json({**versions, "works": not problems, "checks": told})
    else:
        typer.echo(_as_text(checks))
    if problems:
        raise ChecksFailedError(
            f"{len(problems)} of {len(checks)} checks found a problem: {', '.join(problems)}."
        )


def _as_text(checks: Sequence[Check]) -> str:
    head = f"DeepCritical {metadata.version('deepcritical')}, Python {python_version()}"
    width = max(len(check.name) for check in checks)
    return "\n".join((head, *(_line(check, width) for check in checks)))


def _line(check: Check, width: int) -> str:
    state = typer.style(f"{check.state.value:8}", fg=_COLOURS[check.state])
    line = f"{state}{check.name:{width}}  {visible(check.detail)}"
    return f"{line}\n{'':{width + 10}}→ {visible(check.advice)}" if check.advice else line
