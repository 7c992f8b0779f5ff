"""Makes the vectors that ship with the bundled snapshots: `python scripts/build_vectors.py`.

Run it after a change of a snapshot's texts, or of the default embedding model.
"""

from __future__ import annotations

import asyncio

from deepcritical.services.embeddings import (
    EmbeddingService,
    ModelUnavailable,
    content_hash,
    key_of,
)
from deepcritical.services.kept_vectors import SHIPPED_VECTORS, write_vectors
from deepcritical.services.llamaindex_rag import embedded_text
from deepcritical.tools.snapshot import BUNDLED, SnapshotSource, snapshot_path


async def texts() -> list[str]:
    """What is embedded of each record of the bundled snapshots."""
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
