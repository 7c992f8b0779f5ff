"""Checks database, caches, embedding model and vector index for the command ``doctor``.

Every check ends, or leaves a thread that ends by a limit of its own.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from deepcritical.domain.checks import Check, failed, passed, skipped
from deepcritical.domain.errors import ConfigurationError, DeepCriticalError, StorageError
from deepcritical.services.chroma import ChromaIndex
from deepcritical.services.database import Database
from deepcritical.services.embeddings import DEFAULT_MODEL, EmbeddingService, ModelLoaded

_WAIT_S = 5.0


async def check_database(url: str) -> Check:
    """Check that the database of runs opens, is writable and undamaged; changes nothing."""
    if not url:
        return skipped("database", "no run is kept: DATABASE_URL is empty")
    database = Database(url)
    try:
        told = await asyncio.to_thread(database.probe, _WAIT_S)
    except DeepCriticalError as error:
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
        return failed(name, StorageError(f"{path} cannot be written: {why}.", advice))
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
    return failed("embeddings", ConfigurationError(state.reason, advice))


async def check_index(url: str, headers: Mapping[str, str] | None = None) -> Check:
    """Check that the index of vectors can be opened."""
    if not url:
        return skipped("vector index", "in memory, as CHROMA_URL is empty")
    try:
        index = ChromaIndex(url, headers)
        await asyncio.to_thread(index.acquire)
        await asyncio.to_thread(index.close)
    except StorageError as error:
        return failed("vector index", error)
    return passed("vector index", f"{url} can be opened")
