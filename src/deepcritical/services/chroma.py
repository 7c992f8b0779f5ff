"""Opens Chroma, the index of vectors: in memory, in a folder, or on a server by its URL."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, cast
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from deepcritical.domain.errors import StorageError
from deepcritical.services.embeddings import ModelLoaded, content_hash
from deepcritical.services.imports import import_quietly

if TYPE_CHECKING:
    from chromadb.api.client import Client
    from llama_index.vector_stores.chroma import ChromaVectorStore

TokenHeader = Literal["Authorization", "X-Chroma-Token"]
"""The headers in which Chroma's own client sends a token."""
_PORT = 8000
"""Of a server, unless its address names another; their client wants one beside it in any case."""
_EXHAUSTIVE = 2**31 - 1
"""Above the number of records of any collection: a search that stops earlier may find fewer records
of a run than asked for, because it counts those of other runs before they are filtered out."""
_HEARD_S = 5.0
_ANSWERED_S = 30.0
"""Seconds for one request; their client waits without end for a server that says nothing."""
_VERSION = "1."
"""How the version begins of every server that speaks as this client does."""
_ASKED_FIRST = ("/api/v2/version", "/api/v2/auth/identity")
"""Paths asked before anything is imported, to detect a server that refuses or is not Chroma."""
_ADVICE = "Start it, correct CHROMA_URL, or set it to nothing to keep the index in memory."


def index_address(text: str) -> str:
    """Empty for memory, the path of a folder, or the full address of a server.

    Raises:
        ValueError: It is an address, and not one of a server. The message does not repeat it, for
            it may hold a password.
    """
    if "://" not in text:
        return text.strip()
    address = text.strip().rstrip("/")
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("a server of Chroma is http://host:port or https://host:port")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ValueError("name no user and no query in it; a token has a setting of its own")
    if parts.port is None and parts.scheme == "http":
        return parts._replace(netloc=f"{parts.netloc}:{_PORT}").geturl()
    return address


def _is_server(address: str) -> bool:
    """Return whether the index is on a server."""
    return urlsplit(address).scheme in ("http", "https")


def token_headers(token: str, header: TokenHeader = "Authorization") -> dict[str, str]:
    """The header that carries a token; none without one."""
    if not token:
        return {}
    return {header: f"Bearer {token}" if header == "Authorization" else token}


class ChromaIndex:
    """The index that all runs of a process share; a disposable copy of vectors kept elsewhere.

    An embedded one is open only while runs use it: a removed row keeps its memory until the client
    is closed (1.7 KB of each record, measured with chromadb 1.5.9). Who makes one closes it.

    Args:
        url: Empty for memory, the path of a folder, or ``http(s)://host:port`` of a server.
        headers: What a server is sent with every request.

    Raises:
        ValueError: As `index_address`.
    """

    def __init__(self, url: str = "", headers: Mapping[str, str] | None = None) -> None:
        self._url = index_address(url)
        self._headers = dict(headers or {})
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
                self._client = _opened(self._url, self._headers)
            self._users += 1

    def release(self) -> None:
        """Close an embedded index after its last user. Blocks."""
        with self._counting:
            self._users -= 1
            if self._users == 0 and not _is_server(self._url):
                self._close()

    def close(self) -> None:
        """Close the index, also the connections to a server, which outlast runs. Blocks."""
        with self._counting:
            self._close()

    def _close(self) -> None:
        client, self._client = self._client, None
        if client is None:
            return
        sessions = _sessions_of(client)
        client.close()
        for session in sessions:
            session.close()

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
    """Errors of Chroma, of whichever library carries its requests, as one of ours."""
    try:
        yield
    except StorageError:
        raise
    except Exception as error:
        cause = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise StorageError(
            f"The index of vectors cannot {what}: {cause}.",
            "Check the Chroma server or folder, or set none to keep the index in memory.",
        ) from error


def _opened(url: str, headers: Mapping[str, str]) -> Client:
    if _is_server(url):
        _check_server(url, headers)  # first, for without it nothing needs to be imported
    import_quietly("chromadb", "llama_index.vector_stores.chroma")
    import chromadb
    from chromadb.config import Settings

    if _is_server(url):
        return _client_of_server(url, headers)
    settings = Settings(anonymized_telemetry=False)
    client = chromadb.PersistentClient(url, settings) if url else chromadb.EphemeralClient(settings)
    return cast("Client", client)  # their declared type lacks close()


def _client_of_server(url: str, headers: Mapping[str, str]) -> Client:
    """A client whose requests all end, those by which it is made too."""
    from chromadb.api.client import Client as ServerClient
    from chromadb.config import Settings

    class EndingClient(ServerClient):
        """Their client asks the server while it is made, before it lets anybody set a limit."""

        def get_user_identity(self) -> Any:
            self._server._session.timeout = _HEARD_S  # type: ignore[attr-defined]
            return super().get_user_identity()

        def _validate_tenant_database(self, tenant: str, database: str) -> None:
            for session in _sessions_of(self):
                session.timeout = _HEARD_S
            super()._validate_tenant_database(tenant, database)

    client = EndingClient(
        settings=Settings(
            anonymized_telemetry=False,
            chroma_api_impl="chromadb.api.fastapi.FastAPI",
            chroma_server_host=url,
            chroma_server_http_port=_PORT,
            chroma_server_ssl_enabled=False,
            chroma_server_headers=dict(headers),
        )
    )
    for session in _sessions_of(client):
        session.timeout = _ANSWERED_S
    return client


def _sessions_of(client: Any) -> list[Any]:
    """The connections to a server, which their close() leaves open (chromadb 1.5.9)."""
    apis = (client, client._admin_client)
    found = (getattr(api._server, "_session", None) for api in apis)
    return [session for session in found if session is not None]


def _check_server(url: str, headers: Mapping[str, str]) -> None:
    """Find out in seconds whether a server of Chroma is there."""
    try:
        version, *_ = [json.loads(_heard(f"{url}{path}", headers)) for path in _ASKED_FIRST]
    except HTTPError as error:
        with error:
            raise _refused(url, error.code) from error
    except json.JSONDecodeError as error:
        raise _no_chroma(url, "it answers with something else") from error
    except (OSError, ValueError) as error:
        why = error.reason if isinstance(error, URLError) else error
        raise StorageError(f"No Chroma server answers at {url}: {why}.", _ADVICE) from error
    if not isinstance(version, str) or not version.startswith(_VERSION):
        raise _no_chroma(url, f"it says {str(version)[:50]}")


def _heard(url: str, headers: Mapping[str, str]) -> bytes:
    asked = Request(url, headers=dict(headers))  # noqa: S310 - only http and https get here
    with urlopen(asked, timeout=_HEARD_S) as answer:  # noqa: S310
        return bytes(answer.read(10_000))


def _refused(url: str, status: int) -> StorageError:
    if status in (401, 403):
        return StorageError(
            f"The Chroma server at {url} refuses (status {status}).",
            "Set CHROMA_TOKEN to its token, and CHROMA_TOKEN_HEADER to the header that it wants.",
        )
    return _no_chroma(url, f"status {status}")


def _no_chroma(url: str, why: str) -> StorageError:
    return StorageError(
        f"What answers at {url} is no Chroma server of version {_VERSION}x: {why}.",
        "Correct CHROMA_URL, or update the server.",
    )
