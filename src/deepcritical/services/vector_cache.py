"""Vectors of texts, kept between runs in an SQLite file that several processes may share."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from deepcritical.domain.errors import StorageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["VectorCache"]

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
    """Vectors by model and content hash, each `(dim,)` float32.

    Every call opens the file anew, so that any thread and any process may make it.

    Args:
        path: The SQLite file; it and its folder are made if they are missing.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def get(self, model: str, hashes: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """The known ones of the vectors asked for.

        Raises:
            StorageError: The file cannot be read.
        """
        import numpy as np

        found: dict[str, NDArray[np.float32]] = {}
        with self._opened() as database:
            rows = database.execute(_KNOWN, (model, json.dumps(list(hashes))))
            found.update((key, np.frombuffer(blob, dtype="<f4")) for key, blob in rows)
        return found

    def put(self, model: str, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        """Keep vectors; what another process has kept meanwhile stays.

        Raises:
            StorageError: The file cannot be written.
        """
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
