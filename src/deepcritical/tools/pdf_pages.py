"""Reads the pages of a PDF, in a process of its own, which `documents` starts.

A PDF of some kB may unpack to gigabytes, and what PDFium cannot have ends its process. So this file
runs alone, under limits, and imports nothing of the package: the PDF comes by standard input, and
its pages go out as JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument


def main(max_pages: int, max_chars: int, max_memory_mb: int) -> None:
    """Write what a PDF says, as an object: `pages` and `title`, or `number` of pages, or `error`.

    With more pages none is read, and no page after so many characters; the address space is limited
    where the system has such a limit.
    """
    data = sys.stdin.buffer.read()
    with suppress(ImportError, ValueError, OSError):
        import resource

        most = max_memory_mb << 20
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    sys.stdout.write(json.dumps(_read(data, max_pages, max_chars)))


def _read(data: bytes, max_pages: int, max_chars: int) -> dict[str, object]:
    import pypdfium2 as pdfium

    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        return {"error": str(error)}
    try:
        if len(document) > max_pages:
            return {"number": len(document)}
        pages = list(_texts(document, max_chars))
        return {"pages": pages, "title": str(document.get_metadata_value("Title") or "")}
    except pdfium.PdfiumError as error:
        return {"error": str(error)}
    finally:
        document.close()


def _texts(document: PdfDocument, max_chars: int) -> Iterator[str]:
    """Yield the text of each page, until enough has come."""
    total = 0
    for page in document:
        if total > max_chars:
            return
        part = page.get_textpage()
        text = part.get_text_bounded()[:max_chars]
        part.close()
        page.close()
        total += len(text)
        yield text.replace("\r\n", "\n").replace("\r", "\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
