"""Makes the vectors that ship with the bundled snapshots: `python scripts/build_vectors.py`.

Run it after a change of a snapshot's texts, or of the default embedding model.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from deepcritical.services.embeddings import (
    SHIPPED_VECTORS,
    EmbeddingService,
    ModelUnavailable,
    content_hash,
    key_of,
)
from deepcritical.services.llamaindex_rag import embedded_text
from deepcritical.tools.snapshot import BUNDLED, SnapshotSource, snapshot_path


def write_vectors(path: Path, model: str, vectors: Mapping[str, NDArray[np.float32]]) -> None:
    """Write the file; the same vectors give the same bytes."""
    hashes = sorted(vectors)
    np.savez(
        path,
        model=np.array(model),
        hashes=np.array(hashes),
        vectors=np.stack([vectors[key] for key in hashes]).astype("float16"),
    )


async def texts() -> list[str]:
    """Return the text to embed of each record of the bundled snapshots."""
    held = [await SnapshotSource(snapshot_path(name)).contents() for name in BUNDLED]
    return [embedded_text(record) for each in held for record in each.records]


async def build() -> None:
    """Write the file."""
    service, wanted = EmbeddingService(), await texts()
    state = await service.load()
    if isinstance(state, ModelUnavailable):
        raise SystemExit(state.reason)
    vectors = await service.embed(wanted)
    kept = dict(zip(map(content_hash, wanted), vectors, strict=True))
    await asyncio.to_thread(write_vectors, SHIPPED_VECTORS, key_of(state, "document"), kept)
    print(f"{len(kept)} vectors in {SHIPPED_VECTORS}")


if __name__ == "__main__":
    asyncio.run(build())
