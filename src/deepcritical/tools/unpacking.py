"""Unpacks the body of an answer piece by piece, never further than a limit."""

from __future__ import annotations

import zlib
from collections.abc import Mapping

import httpx

from deepcritical.domain.errors import SearchError

__all__ = ["BREAKS_OFF", "MAX_BODY_BYTES", "Unpacker"]

BREAKS_OFF = "breaks_off"
"""Extension of an answer whose body ends inside."""

MAX_BODY_BYTES = 20_000_000
"""Largest answer that is read; a page of 1,000 records with abstracts is a quarter of it."""
_PIECE = 65_536
_ZLIB_OR_GZIP, _BARE = 47, -15
"""Windows of zlib: with either header, and without one, as some servers send deflate."""


class Unpacker:
    """Collects a body.

    Args:
        name: Name of the source, for errors.
        headers: Of the answer.

    Raises:
        httpx.RemoteProtocolError: It is packed otherwise than was asked for. Packed twice or by
            brotli, a few kilobytes unpack to gigabytes in a single piece.
    """

    def __init__(self, name: str, headers: Mapping[str, str]) -> None:
        self._name = name
        self._body = bytearray()
        packing = headers.get("content-encoding", "identity").lower()
        if packing not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise httpx.RemoteProtocolError(f"the body is packed by {packing}")
        self._packed = packing not in ("", "identity")
        self._may_be_bare = packing == "deflate"
        self._unzip = zlib.decompressobj(_ZLIB_OR_GZIP)

    def take(self, piece: bytes) -> None:
        """Unpack a piece of the body as it came.

        Raises:
            SearchError: The body is larger than any answer may be.
            httpx.RemoteProtocolError: It cannot be unpacked.
        """
        if not self._packed:
            self._keep(piece)
            return
        try:
            self._unpack(piece)
        except zlib.error as error:
            raise httpx.RemoteProtocolError("the body cannot be unpacked") from error

    def _unpack(self, piece: bytes) -> None:
        try:
            part = self._unzip.decompress(piece, _PIECE)
        except zlib.error:
            if not self._may_be_bare:
                raise
            self._unzip = zlib.decompressobj(_BARE)
            part = self._unzip.decompress(piece, _PIECE)
        self._may_be_bare = False
        self._keep(part)
        while self._unzip.unconsumed_tail:
            self._keep(self._unzip.decompress(self._unzip.unconsumed_tail, _PIECE))

    def _keep(self, part: bytes) -> None:
        self._body += part
        if len(self._body) > MAX_BODY_BYTES:
            self._body = bytearray()  # the error may hold this object for a while
            message = f"{self._name} sent more than {MAX_BODY_BYTES // 1_000_000} MB."
            raise SearchError(message, "Ask for fewer records.")

    @property
    def body(self) -> bytes:
        """What has come so far."""
        return bytes(self._body)

    @property
    def breaks_off(self) -> bool:
        """Whether the body ends inside: as packed, or JSON or XML that does not end so."""
        body = self.body.strip()
        cut = body[:1] in _ENDS and not body.endswith(_ENDS[body[:1]])
        return cut or (self._packed and bool(body) and not self._unzip.eof)


_ENDS = {b"{": b"}", b"[": b"]", b"<": b">"}
