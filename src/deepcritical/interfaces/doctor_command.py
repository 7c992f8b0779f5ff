"""``deepcritical doctor``: checks what a run needs, and says what to do about each problem."""

from __future__ import annotations

import asyncio
import json
import platform
from collections.abc import Callable, Sequence
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deepcritical.domain.checks import Check, CheckState, failed, passed, skipped
from deepcritical.domain.errors import ChecksFailedError, ConfigurationError, DeepCriticalError
from deepcritical.domain.markdown import visible
from deepcritical.interfaces.cli import Choice, Snapshot, Sources, chosen
from deepcritical.interfaces.model_options import (
    AskKey,
    BaseUrl,
    ChosenModel,
    ModelName,
    chosen_model,
)
from deepcritical.interfaces.output import plain_json

if TYPE_CHECKING:
    from deepcritical.domain.budget import RunLimits
    from deepcritical.models.providers import ModelServer

__all__ = ["doctor"]

EXTRAS = {
    "llm": ("pydantic_ai", "language models"),
    "embeddings": ("sentence_transformers", "hybrid retrieval"),
    "app": ("gradio", "the page"),
    "mcp": ("mcp", "the tools for agents"),
    "postgres": ("psycopg", "runs in PostgreSQL"),
    "telemetry": ("opentelemetry.exporter.otlp.proto.http", "spans for a collector"),
}
"""Optional extras: a module that comes with each, and what it is for."""
SOURCE_WAIT_S = 8.0
"""Seconds that a source gets at most."""
_COLOURS = {CheckState.OK: "green", CheckState.PROBLEM: "red", CheckState.SKIPPED: "yellow"}


def doctor(
    model: ModelName = None,
    model_base_url: BaseUrl = None,
    ask_key: AskKey = False,
    snapshot: Snapshot = None,
    sources: Sources = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the checks as JSON.")] = False,
) -> None:
    """Check what a run needs: settings, model, sources, files; a line for each, with advice.

    The model is asked one question, each source for one record. It ends with 0 when no check found
    a problem, and with 15 when one did. The database, the manager and the collector of spans are
    not looked at.
    """
    asked = chosen_model(model, model_base_url, ask_key)
    checks = asyncio.run(_examined(asked, chosen(snapshot, sources)))
    typer.echo(_as_json(checks) if as_json else _as_text(checks))
    problems = [check.name for check in checks if check.state is CheckState.PROBLEM]
    if problems:
        raise ChecksFailedError(
            f"{len(problems)} of {len(checks)} checks found a problem: {', '.join(problems)}."
        )


async def _examined(model: ChosenModel, choice: Choice) -> list[Check]:
    """All checks: first what waits for others, all at once, then what keeps this machine busy."""
    # Imported late: `--help` must not wait for them.
    from deepcritical.bootstrap import build_model_server, limits_of, open_sources, read_settings
    from deepcritical.services.checking import check_embeddings, check_index
    from deepcritical.tools.checking import check_crossref, check_source

    try:
        settings = read_settings(*model)
    except ConfigurationError as error:
        return [failed("settings", error)]
    snapshot = choice.snapshot or (None if choice.sources else settings.snapshot)
    names = () if snapshot else choice.sources or settings.sources
    found_in = "--ask-key" if model.api_key else settings.model_key and settings.model_key.found_in
    within_s = min(settings.source_deadline_s, SOURCE_WAIT_S)
    # Kept answers would tell nothing of now.
    fresh = settings.model_copy(update={"http_cache": None})
    async with open_sources(fresh, names) as live, asyncio.TaskGroup() as tasks:
        of_model = tasks.create_task(
            _model(
                settings.model,
                lambda spec: build_model_server(settings, spec),
                found_in or "",
                limits_of(settings, "standard"),
            )
        )
        asked = [tasks.create_task(check_source(tool, within_s)) for tool in live.tools]
        if live.crossref and not snapshot:
            asked.append(tasks.create_task(check_crossref(live.crossref, within_s)))
    return [
        _settings(settings.misspelt()),
        *of_model.result(),
        *([await _snapshot(snapshot)] if snapshot else []),
        *(task.result() for task in asked),
        *await _kept(settings.http_cache, settings.vector_cache),
        await check_embeddings(settings.embedding_model.strip()),
        await check_index(settings.chroma_url, settings.chroma_headers),
        *_installed(),
    ]


def _settings(misspelt: Sequence[str]) -> Check:
    if not misspelt:
        return passed("settings", "environment and .env can be read")
    error = ConfigurationError(
        f"No setting has the name {', '.join(misspelt)}.", "Correct the name, or remove it."
    )
    return failed("settings", error)


async def _model(
    spec: str | None, build: Callable[[str], ModelServer], key_found_in: str, limits: RunLimits
) -> tuple[Check, ...]:
    if spec is None:
        return (passed("model", "none: rules reason alone, and nothing is sent"),)
    try:
        server = build(spec)
    except ConfigurationError as error:
        return (failed("model", error),)
    from deepcritical.models.probing import check_model

    return await check_model(server, key_found_in, limits)


async def _snapshot(name: str) -> Check:
    from deepcritical.tools.snapshot import SnapshotSource, snapshot_path

    try:
        return passed("snapshot", await SnapshotSource(snapshot_path(name)).describe())
    except DeepCriticalError as error:
        return failed("snapshot", error)


async def _kept(http_cache: Path | None, vector_cache: Path | None) -> tuple[Check, ...]:
    from deepcritical.services.checking import check_file

    return (
        await check_file("answers kept", http_cache, "DEEPCRITICAL_HTTP_CACHE"),
        await check_file("vectors kept", vector_cache, "DEEPCRITICAL_VECTOR_CACHE"),
    )


def _installed() -> tuple[Check, ...]:
    from deepcritical.export.checking import check_pdf

    missing = {name: use for name, (module, use) in EXTRAS.items() if not _is_there(module)}
    if not missing:
        return check_pdf(), passed("extras", f"{', '.join(EXTRAS)} are installed")
    wanted = ", ".join(f"{name} ({use})" for name, use in missing.items())
    advice = f"If you want them, in a checkout: pip install '.[{','.join(missing)}]'"
    return check_pdf(), skipped("extras", f"not installed: {wanted}", advice)


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package that it would be in
        return False


def _as_json(checks: Sequence[Check]) -> str:
    told = {
        "version": metadata.version("deepcritical"),
        "python": platform.python_version(),
        "works": all(check.state is not CheckState.PROBLEM for check in checks),
        "checks": [check.model_dump(mode="json") for check in checks],
    }
    return plain_json(json.dumps(told, ensure_ascii=False, indent=2))


def _as_text(checks: Sequence[Check]) -> str:
    head = f"DeepCritical {metadata.version('deepcritical')}, Python {platform.python_version()}"
    width = max(len(check.name) for check in checks)
    return "\n".join((head, *(_line(check, width) for check in checks)))


def _line(check: Check, width: int) -> str:
    state = typer.style(f"{check.state.value:8}", fg=_COLOURS[check.state])
    line = f"{state}{check.name:{width}}  {visible(check.detail)}"
    return f"{line}\n{'':{width + 10}}→ {visible(check.advice)}" if check.advice else line
