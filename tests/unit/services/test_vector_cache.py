from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from deepcritical.domain.errors import StorageError
from deepcritical.services.embeddings import VectorCache

WRITER = """
import sys
from pathlib import Path
import numpy as np
from deepcritical.services.embeddings import VectorCache
cache = VectorCache(Path(sys.argv[1]))
for n in range(40):
    cache.put("model", {f"h{n}": np.full(3, n, dtype=np.float32)})
"""


def test_vectors_come_back_as_they_were(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "new" / "vectors.sqlite")
    vector = np.array([0.1, -0.2, 0.3], dtype=np.float32)
    cache.put("model", {"h": vector})
    found = VectorCache(tmp_path / "new" / "vectors.sqlite").get("model", ["h", "unknown"])
    assert list(found) == ["h"]
    assert found["h"].dtype == np.float32
    assert (found["h"] == vector).all()


def test_a_vector_belongs_to_its_model(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "vectors.sqlite")
    cache.put("model", {"h": np.ones(2, dtype=np.float32)})
    assert cache.get("another", ["h"]) == {}


def test_many_are_found_at_once(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "vectors.sqlite")
    vectors = {f"h{n}": np.full(2, n, dtype=np.float32) for n in range(2000)}
    cache.put("model", vectors)
    assert cache.get("model", list(vectors)).keys() == vectors.keys()


def test_who_reads_while_another_process_prepares_the_file_is_not_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deepcritical.services.embeddings._WAIT_S", 0.01)
    path = tmp_path / "vectors.sqlite"
    VectorCache(path).put("model", {"h": np.ones(2, dtype=np.float32)})
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = DELETE")
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM vectors").fetchone()
        assert list(VectorCache(path).get("model", ["h"])) == ["h"]


def test_processes_share_the_file(tmp_path: Path) -> None:
    path = tmp_path / "vectors.sqlite"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path)])  # noqa: S603 - our own program
        for _ in range(3)
    ]
    assert [writer.wait(timeout=50) for writer in writers] == [0, 0, 0]
    found = VectorCache(path).get("model", [f"h{n}" for n in range(40)])
    assert {key: vector.tolist() for key, vector in found.items()} == {
        f"h{n}": [n, n, n] for n in range(40)
    }


def test_a_vector_that_was_cut_short_says_what_to_do(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "vectors.sqlite")
    cache.get("model", [])
    with closing(sqlite3.connect(tmp_path / "vectors.sqlite")) as database, database:
        database.execute("INSERT INTO vectors VALUES ('model', 'h', x'0102')")
    with pytest.raises(StorageError, match="Delete it"):
        cache.get("model", ["h"])


def test_a_file_of_something_else_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "vectors.sqlite"
    path.write_text("not a database, but long enough to be looked at" * 10, encoding="utf-8")
    with pytest.raises(StorageError, match=r"Delete it, or name another"):
        VectorCache(path).get("model", ["h"])
