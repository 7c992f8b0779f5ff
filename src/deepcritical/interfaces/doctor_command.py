"""``deepcritical doctor``: checks what a run needs, and says what to do about each problem."""

from __future__ import annotations

import asyncio
import json
import platform
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
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
    from deepcritical.bootstrap import LiveSources
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
WITHIN_S = 9.0
"""Seconds that each check gets by default; all are made at once."""
_MARGIN_S = 1.0
"""How much earlier a source is given up, so that it is told by its own words."""
_COLOURS = {CheckState.OK: "green", CheckState.PROBLEM: "red", CheckState.SKIPPED: "yellow"}


def doctor(
    model: ModelName = None,
    model_base_url: BaseUrl = None,
    ask_key: AskKey = False,
    snapshot: Snapshot = None,
    sources: Sources = None,
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
    asked = chosen_model(model, model_base_url, ask_key)
    checks = asyncio.run(_examined(asked, chosen(snapshot, sources), within_s))
    typer.echo(_as_json(checks) if as_json else _as_text(checks))
    problems = [check.name for check in checks if check.state is CheckState.PROBLEM]
    if problems:
        raise ChecksFailedError(
            f"{len(problems)} of {len(checks)} checks found a problem: {', '.join(problems)}."
        )


async def _examined(model: ChosenModel, choice: Choice, within_s: float) -> list[Check]:
    """All checks, made at once; none waits for another."""
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
        work = _Work(tasks, within_s)
        key = "--ask-key" if model.api_key else settings.model_key and settings.model_key.found_in
        build = partial(build_model_server, settings)
        limits = limits_of(settings, "standard")
        work.begin("answer", _model(settings.model, build, key or "", limits))
        if snapshot:
            work.begin("snapshot", _snapshot(snapshot))
        _begin_sources(work, live, settings.source_deadline_s, with_crossref=not snapshot)
        url = settings.database_url.get_secret_value() if settings.database_url else ""
        _begin_stores(work, url, settings.http_cache, settings.vector_cache)
        work.begin("embeddings", check_embeddings(settings.embedding_model.strip()))
        work.begin("vector index", check_index(settings.chroma_url, settings.chroma_headers))
        work.begin("PDF", asyncio.to_thread(check_pdf))
    return [_settings(settings.misspelt()), *work.results(), _installed()]


class _Work:
    """Checks that are under way, each with the time that it gets.

    Args:
        tasks: Runs them.
        within_s: Seconds that each gets.
    """

    def __init__(self, tasks: asyncio.TaskGroup, within_s: float) -> None:
        self.within_s = within_s
        self._tasks = tasks
        self._begun: list[asyncio.Task[tuple[Check, ...]]] = []

    def begin(self, name: str, checking: Awaitable[Check | tuple[Check, ...]]) -> None:
        """Begin a check; its name is told if it does not end in time."""
        self._begun.append(self._tasks.create_task(self._bounded(name, checking)))

    def results(self) -> list[Check]:
        """What was found, in the order in which the checks were begun."""
        return [check for task in self._begun for check in task.result()]

    async def _bounded(
        self, name: str, checking: Awaitable[Check | tuple[Check, ...]]
    ) -> tuple[Check, ...]:
        try:
            async with asyncio.timeout(self.within_s):
                found = await checking
        except TimeoutError:
            late = ChecksFailedError(
                f"No answer within {self.within_s:g} s.",
                "Try again, or give it more time with --within.",
            )
            return (failed(name, late),)
        return found if isinstance(found, tuple) else (found,)


def _begin_sources(
    work: _Work, live: LiveSources, deadline_s: float, *, with_crossref: bool
) -> None:
    from deepcritical.tools.checking import check_crossref, check_source

    wait_s = max(0.5, min(deadline_s, work.within_s - _MARGIN_S))
    for tool in live.tools:
        work.begin(tool.name, check_source(tool, wait_s))
    if live.crossref and with_crossref:
        work.begin("Crossref", check_crossref(live.crossref, wait_s))


def _begin_stores(
    work: _Work, database_url: str, answers: Path | None, vectors: Path | None
) -> None:
    from deepcritical.services.checking import check_database, check_file

    work.begin("database", check_database(database_url))
    for name, path, setting in (
        ("answers kept", answers, "DEEPCRITICAL_HTTP_CACHE"),
        ("vectors kept", vectors, "DEEPCRITICAL_VECTOR_CACHE"),
    ):
        work.begin(name, check_file(name, path, setting))


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
