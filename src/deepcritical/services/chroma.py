"""Chroma, the index of vectors: in memory, in a folder, or on a server. The URL decides."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from deepcritical.domain.errors import StorageError
from deepcritical.services.embeddings import ModelLoaded, content_hash
from deepcritical.services.imports import import_quietly

if TYPE_CHECKING:
    from chromadb.api.client import Client
    from llama_index.vector_stores.chroma import ChromaVectorStore

__all__ = ["ChromaIndex"]

_EXHAUSTIVE = 2**31 - 1
"""Above the number of records of any collection: a search that stops earlier may find fewer records
of a run than asked for, because it counts those of other runs before they are filtered out."""


class ChromaIndex:
    """The index that all runs of a process share; a disposable copy of vectors kept elsewhere.

    An embedded one is open only while runs use it: a removed row keeps its memory until the client
    is closed (1.7 KB of each record, measured with chromadb 1.5.9). Who makes one closes it.

    Args:
        url: Empty for memory, the path of a folder, or ``http(s)://host:port`` of a server.
    """

    def __init__(self, url: str = "") -> None:
        self._url = url
        self._client: Client | None = None
        self._users = 0
        # Runs come and go in threads; the client is opened for the first and closed for the last.
        self._counting = threading.Lock()

    def acquire(self) -> None:
        """Open the index unless it is open. Blocks; each call needs one of `release`.

        Raises:
            StorageError: It cannot be reached.
        """
        with self._counting, translated("be opened"):
            if self._client is None:
                self._client = _opened(self._url)
            self._users += 1

    def release(self) -> None:
        """Close an embedded index after its last user. Blocks."""
        with self._counting:
            self._users -= 1
            if self._users == 0 and not self._on_server:
                self._close()

    def close(self) -> None:
        """Close the index, also the connections to a server, which outlast runs. Blocks."""
        with self._counting:
            self._close()

    def _close(self) -> None:
        client, self._client = self._client, None
        if client is None:
            return
        # Their close() leaves the connections of both to a server open (chromadb 1.5.9).
        apis: tuple[Any, ...] = (client, client._admin_client)
        sessions = [getattr(api._server, "_session", None) for api in apis]
        client.close()
        for session in sessions:
            if session is not None:
                session.close()

    @property
    def _on_server(self) -> bool:
        return urlsplit(self._url).scheme in ("http", "https")

    def vectors_of(self, model: ModelLoaded) -> ChromaVectorStore:
        """The collection of a model, which is made if it is missing. Blocks."""
        if self._client is None:
            raise ValueError("acquire the index first")
        from llama_index.vector_stores.chroma import ChromaVectorStore

        return ChromaVectorStore(
            chroma_collection=self._client.get_or_create_collection(
                f"evidence-{content_hash(model.fingerprint)[:32]}",
                metadata={"model": model.fingerprint},
                configuration={"hnsw": {"space": "cosine", "ef_search": _EXHAUSTIVE}},
                embedding_function=None,
            )
        )


@contextmanager
def translated(what: str) -> Iterator[None]:
    """Errors of Chroma, of whichever library carries its requests, as one of ours.

    Raises:
        StorageError: An operation on the index failed.
    """
    try:
        yield
    except Exception as error:
        cause = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise StorageError(
            f"The index of vectors cannot {what}: {cause}.",
            "Check the Chroma server or folder, or set none to keep the index in memory.",
        ) from error


def _opened(url: str) -> Client:
    import_quietly("chromadb", "llama_index.vector_stores.chroma")
    import chromadb
    from chromadb.config import Settings

    settings = Settings(anonymized_telemetry=False)
    parts = urlsplit(url)
    client: object
    if not url:
        client = chromadb.EphemeralClient(settings)
    elif parts.scheme in ("http", "https"):
        secure = parts.scheme == "https"
        port = parts.port or (443 if secure else 8000)
        client = chromadb.HttpClient(parts.hostname or "", port, ssl=secure, settings=settings)
    else:
        client = chromadb.PersistentClient(url, settings)
    return cast("Client", client)  # their declared type lacks close()
