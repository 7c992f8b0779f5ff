"""The command ``doctor``: checks what a run needs, and gives advice on each problem."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from platform import python_version
from typing import TYPE_CHECKING, Annotated

import typer

from deepcritical.domain.checks import Check, CheckState, failed, passed, skipped
from deepcritical.domain.errors import ChecksFailedError, ConfigurationError, DeepCriticalError
from deepcritical.domain.markdown import visible
from deepcritical.interfaces.cli import options
from deepcritical.interfaces.cli.output import print_json

if TYPE_CHECKING:
    from deepcritical.bootstrap import LiveSources
    from deepcritical.domain.budget import RunLimits
    from deepcritical.models.providers import ModelServer

EXTRAS = {
    "llm": ("pydantic_ai", "language models"),
    "embeddings": ("sentence_transformers", "hybrid retrieval"),
    "app": ("gradio", "the page"),
    "mcp": ("mcp", "the tools for agents"),
    "postgres": ("psycopg", "runs in PostgreSQL"),
    "telemetry": ("opentelemetry.exporter.otlp.proto.http", "spans for a collector"),
}
"""Optional extras: a module that comes with each, and what it is for."""
WITHIN_S = 9.0
"""Seconds that each check gets by default; all are made at once."""
_MARGIN_S = 1.0
"""How much earlier a source is given up, so that it is told by its own words."""
Checking = Awaitable[Check | tuple[Check, ...]]
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
    asked = options.chosen_model(model, model_base_url, ask_key)
    checks = asyncio.run(_examined(asked, options.chosen(snapshot, sources), within_s))
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


async def _examined(
    model: options.ChosenModel, choice: options.Choice, within_s: float
) -> list[Check]:
    # Imported late: `--help` must not wait for them.
    from deepcritical.bootstrap import build_model_server, limits_of, open_sources, read_settings
    from deepcritical.export.pdf import check_pdf
    from deepcritical.services.checking import check_embeddings, check_index

    try:
        settings = read_settings(*model)
    except ConfigurationError as error:
        return [failed("settings", error)]
    snapshot = choice.snapshot or (None if choice.sources else settings.snapshot)
    names = () if snapshot else choice.sources or settings.sources
    # Kept answers would tell nothing of now.
    fresh = settings.model_copy(update={"http_cache": None})
    async with open_sources(fresh, names) as live, asyncio.TaskGroup() as tasks:
        key = "--ask-key" if model.api_key else settings.model_key and settings.model_key.found_in
        build = partial(build_model_server, settings)
        limits = limits_of(settings, "standard")
        wait_s = max(0.5, min(settings.source_deadline_s, within_s - _MARGIN_S))
        url = settings.database_url.get_secret_value() if settings.database_url else ""
        checking = (
            ("answer", _model(settings.model, build, key or "", limits)),
            *((("snapshot", _snapshot(snapshot)),) if snapshot else ()),
            *_of_sources(live, wait_s, with_crossref=not snapshot),
            *_of_stores(url, settings.http_cache, settings.vector_cache),
            ("embeddings", check_embeddings(settings.embedding_model.strip())),
            ("vector index", check_index(settings.chroma_url, settings.chroma_headers)),
            ("PDF", asyncio.to_thread(check_pdf)),
        )
        begun = [tasks.create_task(_bounded(name, made, within_s)) for name, made in checking]
    found = (check for task in begun for check in task.result())
    return [_settings(settings.misspelt()), *found, _installed()]


async def _bounded(name: str, checking: Checking, within_s: float) -> tuple[Check, ...]:
    """Return the result of a check, or that it did not end in time."""
    try:
        async with asyncio.timeout(within_s):
            found = await checking
    except TimeoutError:
        late = ChecksFailedError(
            f"No answer within {within_s:g} s.", "Try again, or give it more time with --within."
        )
        return (failed(name, late),)
    return found if isinstance(found, tuple) else (found,)


def _of_sources(
    live: LiveSources, wait_s: float, *, with_crossref: bool
) -> Iterator[tuple[str, Checking]]:
    from deepcritical.tools.searching import check_crossref, check_source

    for tool in live.tools:
        yield tool.name, check_source(tool, wait_s)
    if live.crossref and with_crossref:
        yield "Crossref", check_crossref(live.crossref, wait_s)


def _of_stores(
    database_url: str, answers: Path | None, vectors: Path | None
) -> Iterator[tuple[str, Checking]]:
    from deepcritical.services.checking import check_database, check_file

    yield "database", check_database(database_url)
    for name, path, setting in (
        ("answers kept", answers, "DEEPCRITICAL_HTTP_CACHE"),
        ("vectors kept", vectors, "DEEPCRITICAL_VECTOR_CACHE"),
    ):
        yield name, check_file(name, path, setting)


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


def _installed() -> Check:
    missing = {name: use for name, (module, use) in EXTRAS.items() if not _is_there(module)}
    if not missing:
        return passed("extras", f"{', '.join(EXTRAS)} are installed")
    wanted = ", ".join(f"{name} ({use})" for name, use in missing.items())
    advice = f"If you want them, in a checkout: pip install '.[{','.join(missing)}]'"
    return skipped("extras", f"not installed: {wanted}", advice)


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package that it would be in
        return False


def _as_text(checks: Sequence[Check]) -> str:
    head = f"DeepCritical {metadata.version('deepcritical')}, Python {python_version()}"
    width = max(len(check.name) for check in checks)
    return "\n".join((head, *(_line(check, width) for check in checks)))


def _line(check: Check, width: int) -> str:
    state = typer.style(f"{check.state.value:8}", fg=_COLOURS[check.state])
    line = f"{state}{check.name:{width}}  {visible(check.detail)}"
    return f"{line}\n{'':{width + 10}}→ {visible(check.advice)}" if check.advice else line
