"""Vectors of the records of the bundled snapshots, made beforehand, so that a demo waits for none.

`scripts/build_vectors.py` makes the file: float16, by the SHA-256 of the text that is embedded, so
that a record whose text was changed since has none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from deepcritical.domain.errors import StorageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["SHIPPED_VECTORS", "ShippedVectors", "write_vectors"]

SHIPPED_VECTORS = Path(__file__).parent.parent / "data" / "snapshots" / "vectors.npz"


class _Held(NamedTuple):
    model: str
    vectors: Mapping[str, NDArray[np.float32]]


class ShippedVectors:
    """Vectors of one model by content hash, read once.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def get(self, model: str, hashes: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """Those of the vectors asked for that are shipped, each `(dim,)` float32, L2-normalised.

        Args:
            model: Fingerprint of the model, and the role of the texts.
            hashes: Content hashes.

        Raises:
            StorageError: The file cannot be read.
        """
        if self._held.model != model:
            return {}
        return {key: self._held.vectors[key] for key in hashes if key in self._held.vectors}

    @cached_property
    def _held(self) -> _Held:
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
        return _Held(model, dict(zip(hashes, vectors, strict=True)))


def write_vectors(path: Path, model: str, vectors: Mapping[str, NDArray[np.float32]]) -> None:
    """Write the file; the same vectors give the same bytes."""
    import numpy as np

    hashes = sorted(vectors)
    np.savez(
        path,
        model=np.array(model),
        hashes=np.array(hashes),
        vectors=np.stack([vectors[key] for key in hashes]).astype("float16"),
    )
