"""The checks of the command ``doctor``.

Each ends, or leaves a thread that ends by a limit of its own.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import closing
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from deepcritical.bootstrap import build_model_server, limits_of, open_sources, read_settings
from deepcritical.domain import errors
from deepcritical.domain.checks import Check, failed, passed, skipped
from deepcritical.domain.run.budget import RunLimits, Spent
from deepcritical.export.typeset import check_pdf
from deepcritical.interfaces.cli import options
from deepcritical.models.answers import Plan
from deepcritical.models.desk import OutputMode, RunDesk
from deepcritical.services.chroma import ChromaIndex
from deepcritical.services.embeddings import DEFAULT_MODEL, EmbeddingService, ModelLoaded
from deepcritical.services.storage.database import Database
from deepcritical.tools.searching import check_crossref, check_source
from deepcritical.tools.snapshot import SnapshotSource, snapshot_path

if TYPE_CHECKING:
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
_MARGIN_S = 1.0
"""Seconds by which a source is given up earlier, so that its own words tell of it."""
Checking = Awaitable[Check | tuple[Check, ...]]


async def examined(
    model: options.ChosenModel, choice: options.Choice, within_s: float
) -> list[Check]:
    """Check all that a run needs, at once; each check ends within so many seconds."""
    try:
        settings = read_settings(*model)
    except errors.ConfigurationError as error:
        return [failed("settings", error)]
    snapshot = choice.snapshot or (None if choice.sources else settings.snapshot)
    names = () if snapshot else choice.sources or settings.sources
    # Kept answers would tell nothing of now, nor would the limits that workers share where their
    # database is away.
    fresh = settings.model_copy(update={"http_cache": None, "database_url": None})
    async with open_sources(fresh, names) as live, asyncio.TaskGroup() as tasks:
        key = "--ask-key" if model.api_key else settings.model_key and settings.model_key.found_in
        build = partial(build_model_server, settings)
        limits = limits_of(settings, "standard")
        wait_s = max(0.5, min(settings.source_deadline_s, within_s - _MARGIN_S))
        url = settings.database_url.get_secret_value() if settings.database_url else ""
        crossref = None if snapshot else live.crossref
        files = {
            "answers kept": (settings.http_cache, "DEEPCRITICAL_HTTP_CACHE"),
            "vectors kept": (settings.vector_cache, "DEEPCRITICAL_VECTOR_CACHE"),
        }
        checking = (
            ("answer", _model(settings.model, build, key or "", limits)),
            *((("snapshot", _snapshot(snapshot)),) if snapshot else ()),
            *((tool.name, check_source(tool, wait_s)) for tool in live.tools),
            *((("Crossref", check_crossref(crossref, wait_s)),) if crossref else ()),
            ("database", check_database(url)),
            *((name, check_file(name, *file)) for name, file in files.items()),
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
        late = errors.ChecksFailedError(
            f"No answer within {within_s:g} s.", "Try again, or give it more time with --within."
        )
        return (failed(name, late),)
    return found if isinstance(found, tuple) else (found,)


def _settings(misspelt: Sequence[str]) -> Check:
    if not misspelt:
        return passed("settings", "environment and .env can be read")
    error = errors.ConfigurationError(
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
    except errors.ConfigurationError as error:
        return (failed("model", error),)
    return await check_model(server, key_found_in, limits)


async def _snapshot(name: str) -> Check:
    try:
        return passed("snapshot", await SnapshotSource(snapshot_path(name)).describe())
    except errors.DeepCriticalError as error:
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


_WAIT_S = 5.0


async def check_database(url: str) -> Check:
    """Check that the database of runs opens, is writable and undamaged; changes nothing."""
    if not url:
        return skipped("database", "no run is kept: DATABASE_URL is empty")
    database = Database(url)
    try:
        told = await asyncio.to_thread(database.probe, _WAIT_S)
    except errors.DeepCriticalError as error:
        return failed("database", error)
    return passed("database", f"{database.name}: {told}")


async def check_file(name: str, path: Path | None, setting: str) -> Check:
    """Check that an SQLite file is writable; changes nothing in it."""
    if path is None:
        return skipped(name, f"nothing is kept: {setting} is empty")
    path = await asyncio.to_thread(path.expanduser)
    try:
        await asyncio.to_thread(_written, path)
    except (OSError, sqlite3.Error) as error:
        why = getattr(error, "strerror", None) or error
        advice = f"Name another file in {setting}, or set it to nothing."
        return failed(name, errors.StorageError(f"{path} cannot be written: {why}.", advice))
    return passed(name, f"{path} can be written")


def _written(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path, timeout=_WAIT_S, isolation_level=None)) as database:
        database.execute("BEGIN IMMEDIATE")
        database.execute("ROLLBACK")


async def check_embeddings(model: str) -> Check:
    """Check that the embedding model is there; tells why retrieval is lexical without it."""
    if not model:
        return skipped("embeddings", "none by setting: retrieval is lexical")
    state = await EmbeddingService(model).load()
    if isinstance(state, ModelLoaded):
        return passed("embeddings", f"{state.name}, {state.origin}, {state.dim} dimensions")
    if model == DEFAULT_MODEL:
        install = "For hybrid retrieval, in a checkout: pip install '.[embeddings,offline]'"
        return skipped("embeddings", f"retrieval is lexical: {state.reason}", install)
    advice = "Correct DEEPCRITICAL_EMBEDDING_MODEL; until then retrieval is lexical."
    return failed("embeddings", errors.ConfigurationError(state.reason, advice))


async def check_index(url: str, headers: Mapping[str, str] | None = None) -> Check:
    """Check that the index of vectors can be opened."""
    if not url:
        return skipped("vector index", "in memory, as CHROMA_URL is empty")
    try:
        index = ChromaIndex(url, headers)
        await asyncio.to_thread(index.acquire)
        await asyncio.to_thread(index.close)
    except errors.StorageError as error:
        return failed("vector index", error)
    return passed("vector index", f"{url} can be opened")


_QUESTION = "Can metformin be repurposed for Alzheimer's disease?"
_DRUG = "metformin"
_MODES: dict[OutputMode, str] = {
    "tool": "by a tool call",
    "native": "by a JSON schema",
    "prompted": "in words, the least reliable way",
}
_NOT_ANSWERED = "none without a key that is accepted"
_NO_KEY = errors.ConfigurationError(
    "The model's server wants one, and none is set.",
    "Set DEEPCRITICAL_MODEL_API_KEY or the provider's own variable, or use --ask-key.",
)


async def check_model(
    server: ModelServer, key_found_in: str, limits: RunLimits
) -> tuple[Check, ...]:
    """Check a model for a run with these limits: server, key, typed answer, price.

    `key_found_in` is '' without a key; the limits hold for the one question, too.
    """
    resolved = passed("model", _resolved(server))
    if server.needs_key and not key_found_in:
        return resolved, failed("key", _NO_KEY), skipped("answer", _NOT_ANSWERED)
    asked = await _asked(server, limits)
    return resolved, _key(key_found_in, asked.error), *asked.told(server, limits)


class _Asked:
    def __init__(self) -> None:
        self.error: errors.DeepCriticalError | None = None
        self.understood = False
        self.seconds = 0.0
        self.spent = Spent()

    def told(self, server: ModelServer, limits: RunLimits) -> tuple[Check, ...]:
        if isinstance(self.error, errors.ConfigurationError) and not isinstance(
            self.error, errors.ModelUnknownError
        ):
            return (skipped("answer", _NOT_ANSWERED),)  # the key's check tells why
        if self.error:
            return (failed("answer", self.error),)
        how = _MODES[server.mode or "tool"]
        read = "" if self.understood else "; but it misread the question, so expect little help"
        answer = f"in the form asked for, {how}, after {self.seconds:.1f} s{read}"
        return passed("answer", answer), _price(self.spent, limits)


async def _asked(server: ModelServer, limits: RunLimits) -> _Asked:
    started, asked = time.monotonic(), _Asked()
    desk = RunDesk(limits, lambda: time.monotonic() - started)
    # Late, as its libraries are: without a model nobody needs them.
    from deepcritical.models.asking import open_asker
    from deepcritical.prompts.asks import ask_plan

    try:
        async with open_asker(server, desk) as asker:
            prompt = ask_plan(_QUESTION, short=server.profile.short)
            plan = await asker.ask("question", prompt, Plan)
            asked.understood = any(_DRUG in drug.lower() for drug in plan.drugs)
            asked.spent = asker.purse.spent
    except errors.DeepCriticalError as error:
        asked.error = error
    asked.seconds = time.monotonic() - started
    return asked


def _resolved(server: ModelServer) -> str:
    profile = server.profile
    size = "short prompts" if profile.short else "full prompts"
    effort = f", {server.effort} effort" if server.effort else ""
    return (
        f"{server.name} at {server.address}; {size}{effort}, {profile.batch_records} records a call"
    )


def _key(found_in: str, error: errors.DeepCriticalError | None) -> Check:
    if isinstance(error, errors.KeyRefusedError):
        return failed("key", error if found_in else _NO_KEY)
    answered = error is None or isinstance(error, errors.ModelUnknownError)
    if not found_in:
        asked = "this server asked for none" if answered else "whether one is wanted is not known"
        return skipped("key", f"none is set, and {asked}")
    if answered:
        return passed("key", f"that of {found_in} was not refused")
    if isinstance(error, errors.ConfigurationError):
        return failed("key", error)
    return skipped("key", f"that of {found_in} is set; whether it is accepted is not known")


def _price(spent: Spent, limits: RunLimits) -> Check:
    counted = f"{spent.calls} calls, {spent.tokens:,} tokens"
    if spent.cost_usd is not None:
        return passed("price", f"known; this check cost ${spent.cost_usd:.4f} ({counted})")
    if limits.max_cost_usd is None:
        return skipped("price", f"not known for this name; this check took {counted}")
    return failed(
        "price",
        errors.ConfigurationError(
            "Not known for this name: the limit in dollars cannot be kept.",
            "Set DEEPCRITICAL_MAX_TOKENS or DEEPCRITICAL_MAX_CALLS beside it.",
        ),
    )
