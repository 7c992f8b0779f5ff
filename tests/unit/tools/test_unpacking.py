"""Bodies unpacked piece by piece, up to a limit."""

from __future__ import annotations

import gzip
import zlib

import httpx
import pytest

from deepcritical.domain.errors import SearchError
from deepcritical.tools.network import MAX_BODY_BYTES, Unpacker

TEXT = b'{"text": "' + b"made up " * 50_000 + b'"}'
GZIP, DEFLATE = {"content-encoding": "gzip"}, {"content-encoding": "deflate"}


def bare(data: bytes) -> bytes:
    """Deflate without a header."""
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize(
    ("packed", "headers"),
    [
        (TEXT, {}),
        (gzip.compress(TEXT), GZIP),
        (zlib.compress(TEXT), DEFLATE),
        (bare(TEXT), DEFLATE),
    ],
    ids=["plain", "gzip", "zlib", "bare deflate"],
)
@pytest.mark.parametrize("size", [7, 1_000, 10_000_000])
def test_a_body_in_pieces_is_whole(packed: bytes, headers: dict[str, str], size: int) -> None:
    body = Unpacker("Made Up", headers)
    for start in range(0, len(packed), size):
        body.take(packed[start : start + size])
    assert body.body == TEXT
    assert not body.breaks_off


@pytest.mark.parametrize(
    ("packed", "headers"),
    [
        (TEXT[:-5], {}),
        (b"<set><record/>\n", {}),
        (b"<set", {}),
        (gzip.compress(TEXT)[:-20], GZIP),
        (gzip.compress(b"plain text of a made-up kind" * 9)[:-9], GZIP),
    ],
    ids=["JSON", "whole XML", "XML", "packed JSON", "packed text"],
)
def test_a_body_that_ends_inside_is_told(packed: bytes, headers: dict[str, str]) -> None:
    body = Unpacker("Made Up", headers)
    body.take(packed)
    assert body.breaks_off is not packed.endswith(b">\n")


def test_a_bomb_is_unpacked_no_further_than_the_limit() -> None:
    bomb = gzip.compress(bytes(10 * MAX_BODY_BYTES), 9)
    body = Unpacker("Made Up", GZIP)
    with pytest.raises(SearchError, match="more than 20 MB"):
        body.take(bomb)
    assert body.body == b""


@pytest.mark.parametrize("packing", ["br", "gzip, gzip", "zstd"])
def test_what_was_not_asked_for_is_refused(packing: str) -> None:
    with pytest.raises(httpx.RemoteProtocolError, match="packed by"):
        Unpacker("Made Up", {"content-encoding": packing})


def test_what_is_not_packed_as_it_says_cannot_be_unpacked() -> None:
    with pytest.raises(httpx.RemoteProtocolError, match="cannot be unpacked"):
        Unpacker("Made Up", GZIP).take(b"made up")
