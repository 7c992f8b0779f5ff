"""Documents that tests read: PDFs as journals set them, and files that no reader should trust."""

from __future__ import annotations

import json
import zlib
from io import BytesIO
from pathlib import Path
from typing import Any

import typst
from pypdf import PdfWriter

__all__ = ["blank_pdf", "bomb_pdf", "encrypted_pdf", "pdf_of"]

_SET = """
#set page(height: 14cm, columns: 2)
#let told = json("told.json")
= #told.title
#for part in told.parts [
  == #part.heading
  #part.text
]
"""


def pdf_of(folder: Path, title: str, **parts: str) -> Path:
    """A paper in two columns on small pages, with a heading for each part."""
    told: dict[str, Any] = {
        "title": title,
        "parts": [{"heading": name.capitalize(), "text": text} for name, text in parts.items()],
    }
    (folder / "told.json").write_text(json.dumps(told))
    (folder / "paper.typ").write_text(_SET)
    typst.compile(str(folder / "paper.typ"), output=str(folder / "paper.pdf"))
    return folder / "paper.pdf"


def blank_pdf(folder: Path, pages: int) -> Path:
    """So many pages without a word."""
    writer = PdfWriter()
    for _ in range(pages):
        writer.add_blank_page(200, 200)
    return _saved(writer, folder / "blank.pdf")


def encrypted_pdf(folder: Path) -> Path:
    """A page that opens with a password alone."""
    writer = PdfWriter()
    writer.add_blank_page(200, 200)
    writer.encrypt("a made-up password", algorithm="RC4-128")
    return _saved(writer, folder / "encrypted.pdf")


def _saved(writer: PdfWriter, path: Path) -> Path:
    data = BytesIO()
    writer.write(data)
    path.write_bytes(data.getvalue())
    return path


def bomb_pdf(folder: Path, unpacked_mb: int) -> Path:
    """Return a PDF of some kB with one page, whose content unpacks to so many megabytes."""
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(b" " * 1_000_000) for _ in range(unpacked_mb))
    packed += packer.flush()
    parts = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >>",
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n%b\nendstream" % (len(packed), packed),
    )
    body = b"".join(b"%d 0 obj\n%b\nendobj\n" % part for part in enumerate(parts, 1))
    path = folder / "bomb.pdf"
    path.write_bytes(b"%PDF-1.4\n" + body + b"trailer << /Size 5 /Root 1 0 R >>\n%%EOF")
    return path
