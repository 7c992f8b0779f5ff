"""Measures on files and folders of labelled sets, and tells what it was measured with."""

from __future__ import annotations

import asyncio
import gzip
import json
import platform
import subprocess
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from deepcritical.domain.errors import ConfigurationError
from deepcritical.evaluation.formats import FORMATS, Bench, Format, format_of
from deepcritical.evaluation.scores import (
    Cost,
    Evaluation,
    Figure,
    Measured,
    Outcome,
    figures_of,
)


def sets_in(paths: Sequence[Path]) -> tuple[Path, ...]:
    """The files of known forms among files and in folders, in the order of the forms.

    What lies in a folder named train was trained on, and is left out.

    Raises:
        ConfigurationError: One is not there, a file has no known form, or nothing is to measure.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if not path.exists():
            raise ConfigurationError(f"There is no {path}.", "Give a set's file or a folder.")
        if path.is_file():
            _form(path)
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        wanted = (p for p in inside if p.is_file() and "train" not in p.parts)
        found |= dict.fromkeys(p for p in wanted if format_of(p.absolute()))
    if not found:
        raise ConfigurationError("There is no set of a known form.", _known())
    order = {one: n for n, one in enumerate(FORMATS)}
    return tuple(sorted(found, key=lambda p: order[_form(p)]))


def _form(path: Path) -> Format:
    known = format_of(path.absolute())
    if known is None:
        raise ConfigurationError(f"{path} has the form of no known set.", _known())
    return known


def _known() -> str:
    return "Known are: " + ", ".join(f"{f.name} ({f.files}; {f.origin})" for f in FORMATS) + "."


_MALFORMED = (
    KeyError,
    json.JSONDecodeError,
    UnicodeDecodeError,
    gzip.BadGzipFile,
    FileNotFoundError,
)


async def evaluate(
    paths: Sequence[Path], bench: Bench, *, model: str
) -> tuple[Evaluation, list[Outcome]]:
    """Measure on each set.

    Args:
        paths: Of `sets_in`.
        bench: What is measured.
        model: As provider:name; '' for none.

    Returns:
        The figures, and the labels that were missed and may be looked at.
    """
    figures: list[Figure] = []
    costs: dict[str, Cost] = {}
    missed: list[Outcome] = []
    grouped: dict[str, list[Outcome]] = {}
    for path in paths:
        known = _form(path)
        begun = time.perf_counter()
        outcomes, spent = await _measured(known, path, bench)
        seconds = time.perf_counter() - begun
        former = costs.get(known.name, Cost(seconds=0.0))
        costs[known.name] = Cost(
            seconds=former.seconds + seconds,
            calls=former.calls + spent.calls,
            tokens=former.tokens + spent.tokens,
            usd=spent.cost_usd,
        )
        grouped.setdefault(known.name, []).extend(outcomes)
    for name, outcomes in grouped.items():
        figures += figures_of(name, outcomes)
        missed += [o for o in outcomes if not o.right and o.half == "development"]
    return await asyncio.to_thread(_told, tuple(figures), costs, model), missed


async def _measured(known: Format, path: Path, bench: Bench) -> Measured:
    try:
        return await known.measure(path, bench)
    except _MALFORMED as error:
        why = f"no field {error}" if isinstance(error, KeyError) else str(error)
        raise ConfigurationError(
            f"{path} has the name of {known.name}, and not its form ({why}).",
            "Give the file as it is published, or under another name.",
        ) from error


def _told(figures: tuple[Figure, ...], costs: dict[str, Cost], model: str) -> Evaluation:
    return Evaluation(
        version=version("deepcritical"),
        commit=_commit(),
        measured_on=datetime.now(UTC).date().isoformat(),
        model=model,
        python=f"Python {platform.python_version()}",
        figures=figures,
        costs=costs,
    )


def _commit() -> str:
    """The commit of the checkout that this file lies in; '' where it is installed."""
    asked = ["git", "rev-parse", "--short", "HEAD"]
    try:
        done = subprocess.run(  # noqa: S603
            asked, cwd=Path(__file__).parent, capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
