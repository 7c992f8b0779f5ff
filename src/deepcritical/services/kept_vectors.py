"""Vectors of texts that need not be made again: those kept between runs, and those shipped."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from deepcritical.domain.errors import StorageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
