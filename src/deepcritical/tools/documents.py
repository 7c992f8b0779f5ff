"""Reads documents of the user's own as records: a PDF with its pages, or a text file.

Text without a page (`.txt`, `.md`) is a title on its first line and a text behind it. A document is
read on this machine alone, and kept nowhere. They are a source of one run: all of them, once.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

from deepcritical.domain.errors import DocumentError, DocumentTooLargeError
from deepcritical.domain.evidence.record import (
    MAX_TEXT_CHARS,
    OWN_DOCUMENT,
    Citation,
    Evidence,
    EvidenceMetadata,
    cut,
)
from deepcritical.domain.run.recipe import MAX_DOCUMENTS, OwnDocument
from deepcritical.domain.study.identity import normalised_doi
from deepcritical.domain.text.patterns import bounded
from deepcritical.tools import pdf_pages
from deepcritical.tools.base import SearchTool, SourceOutcome, SourceQuery, SourceResult

MAX_BYTES = 30_000_000
MAX_PAGES = 200
"""Of one document: a thesis has more, a paper with its supplement has not."""
SUFFIXES = (".pdf", ".txt", ".md")
_READ_CHARS = 2 * MAX_TEXT_CHARS
"""More than is kept of any record: lines and blanks go."""
_PDF_S = 30.0
_MEMORY_MB = 1_024
"""Memory of the process that reads a PDF, with its libraries."""
_CONTROL = bounded(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_LEAST_LETTERS = 200
"""Of a whole PDF; with fewer its pages are pictures."""
_TITLE_CHARS = (15, 300)
_DOI = bounded(r"\b10\.\d{4,9}/[^\s\"<>]{2,200}")
_HYPHEN = bounded(r"(?<=[a-z])-\n(?=[a-z])")
_HEADING = bounded(
    r"^(?:\d{1,2}\.?\s)?(abstract|background|introduction|aims?|objectives?|methods?|"
    r"(?:patients|materials|subjects) and methods|results?|findings|discussion|conclusions?|"
    r"interpretation)\s?:?$",
    re.IGNORECASE,
)
_FILE_NAME = bounded(r"\.(?:docx?|indd|pdf|tex|qxd)\b|^untitled|^microsoft word", re.IGNORECASE)


def read_document(path: Path) -> Evidence:
    """Return a document as a record, with the offsets of its pages. Blocks.

    Raises DocumentError: it cannot be read, is too large, is encrypted, or is pictures of text.
    """
    _check_suffix(path)
    try:
        if path.exists() and not path.is_file():
            raise DocumentError(f"{path.name} cannot be read: it is no file.")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise DocumentError(f"{path.name} cannot be read: {error.strerror}.") from error
    return document_of(path.name, data)


def document_of(name: str, data: bytes) -> Evidence:
    """Return what a file of this name holds as a record, like `read_document`."""
    file = PurePath(name)
    _check_suffix(file)
    if len(data) > MAX_BYTES:
        most = MAX_BYTES // 1_000_000
        raise DocumentTooLargeError(f"{name} is larger than {most} MB.", "Give a smaller file.")
    named, pages = _of_pdf(file, data) if file.suffix.lower() == ".pdf" else _of_text(file, data)
    return _record(file, named, pages)


def _check_suffix(file: PurePath) -> None:
    if file.suffix.lower() not in SUFFIXES:
        advice = f"Give a file that ends in {', '.join(SUFFIXES)}, or an id such as a PMID."
        raise DocumentError(f"{file.name} is no document that can be read.", advice)


def page_of(record: Evidence, start: int) -> int | None:
    """Return the page, from 1, on which a place in the text stands; None where there are none."""
    return sum(at <= start for at in record.metadata.page_starts) or None


def _of_text(path: PurePath, data: bytes) -> tuple[str, list[str]]:
    try:
        text = data.decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise DocumentError(f"{path.name} is no text in UTF-8.") from error
    if "\0" in text:
        raise DocumentError(f"{path.name} is no text.")
    if not text:
        raise DocumentError(f"{path.name} is empty.")
    title, _, body = _CONTROL.sub(" ", text[:_READ_CHARS]).partition("\n")
    return title.lstrip("# ").strip(), [body.strip() or title]


def _of_pdf(path: PurePath, data: bytes) -> tuple[str, list[str]]:
    read = _unpacked(path, data)
    if error := read.get("error"):
        if "password" in error.lower():
            advice = "Save a copy without a password, and give that."
            raise DocumentError(f"{path.name} is encrypted.", advice)
        raise DocumentError(f"{path.name} is no PDF that can be read: {error}.")
    if number := read.get("number"):
        told = f"{path.name} has {number:,} pages; at most {MAX_PAGES} are read."
        raise DocumentError(told, "Give the paper alone.")
    pages = [_CONTROL.sub(" ", text) for text in read["pages"]]
    if sum(char.isalpha() for text in pages for char in text) < _LEAST_LETTERS:
        advice = "Give a PDF with text, or have it recognised first."
        raise DocumentError(f"{path.name} holds pictures of pages, and no text.", advice)
    return _CONTROL.sub(" ", read["title"]), pages


def _unpacked(path: PurePath, data: bytes) -> dict[str, Any]:
    """Return the output of `pdf_pages` for a PDF; DocumentError if it takes more than a paper."""
    limits = map(str, (MAX_PAGES, _READ_CHARS, _MEMORY_MB))
    # By its path and without the directories beside it, so that nothing else is imported.
    call = [sys.executable, "-P", pdf_pages.__file__, *limits]
    try:
        done = subprocess.run(call, input=data, capture_output=True, timeout=_PDF_S, check=True)  # noqa: S603
        return dict(json.loads(done.stdout))
    except (subprocess.SubprocessError, ValueError) as error:
        told = f"{path.name} takes more time or memory than a paper does, or ends its reader."
        raise DocumentError(told, "Print it to a new PDF, or give its text.") from error


def _record(path: PurePath, named: str, pages: Sequence[str]) -> Evidence:
    texts = [_as_prose(text) for text in pages]
    starts: list[int] = []
    content = ""
    for text in texts:
        starts.append(len(content))
        content += f"{text}\n\n" if text else ""
    doi = next((normalised_doi(m[0].rstrip(".,;)")) for m in _DOI.finditer(pages[0])), None)
    return cut(
        Evidence(
            content=content.strip(),
            citation=Citation(
                source="doi",
                title=_title(named, pages[0]) or path.stem,
                url=f"https://doi.org/{doi}" if doi else "",
            ),
            metadata=EvidenceMetadata(
                doi=doi,
                note=f"{OWN_DOCUMENT}{path.name}.",
                page_starts=tuple(starts) if path.suffix.lower() == ".pdf" else (),
            ),
        )
    )


def _title(named: str, first_page: str) -> str:
    """Return the title that the file gives, unless that is a file's name; else its first line.

    A line goes on in the next one where that begins in lower case, or it ends in a comma or colon.
    """
    lines = [" ".join(line.split()) for line in (named, "", *first_page.split("\n"))]
    least, most = _TITLE_CHARS
    for number, line in enumerate(lines):
        told = line
        for more in lines[number + 1 : number + 4] if number else ():
            if not more[:1].islower() and not told.endswith((",", ":", "-")):
                break
            told = f"{told} {more}".strip()
        if least <= len(told) <= most and not _FILE_NAME.search(told):
            return told
    return ""


def _as_prose(text: str) -> str:
    """Return lines joined to paragraphs, and headings of sections as labels of their text."""
    lines = [line.strip() for line in _HYPHEN.sub("", text).split("\n")]
    told = (f"\n\n{m[1].capitalize()}:" if (m := _HEADING.match(line)) else line for line in lines)
    return re.sub(r"[ \t]+", " ", " ".join(filter(None, told))).replace(" \n", "\n").strip()


RecordsOf = Callable[[Sequence[str]], Awaitable[Mapping[str, Evidence]]]


class OwnDocuments(SearchTool):
    """A search tool over documents that the user gave."""

    name = "your documents"

    def __init__(self, documents: Sequence[OwnDocument], records_of: RecordsOf) -> None:
        self._documents = tuple(documents)
        self._records_of = records_of
        self._given = False

    async def fetch(self, _query: SourceQuery) -> SourceResult:
        """All documents at the first query; `not_applicable` from then on."""
        if self._given:
            return SourceResult(outcome=SourceOutcome.NOT_APPLICABLE, query_as_run="")
        self._given = True
        ids = [document.name for document in self._documents if document.record is None]
        known = await self._records_of(ids) if ids else {}
        lost = tuple(f"{i}: no source knows it" for i in ids if i not in known)
        found = [document.record or known.get(document.name) for document in self._documents]
        evidence = tuple(filter(None, found))
        return SourceResult(
            outcome=SourceOutcome.DEGRADED if lost else SourceOutcome.DATA,
            evidence=evidence,
            query_as_run=", ".join(document.name for document in self._documents),
            total=len(evidence),
            skipped=lost,
        )


def documents_in(path: Path) -> tuple[OwnDocument, ...]:
    """The document that a file is, or those of a folder. Blocks.

    Raises DocumentError where one of them cannot be read, or a folder has none.
    """
    try:
        inside = sorted(path.iterdir()) if path.is_dir() else None
    except OSError as error:
        raise DocumentError(f"{path.name} cannot be read: {error.strerror}.") from error
    files = [path] if inside is None else [p for p in inside if p.suffix.lower() in SUFFIXES]
    if not files:
        advice = f"Put files in it that end in {', '.join(SUFFIXES)}."
        raise DocumentError(f"{path.name} has no document that can be read.", advice)
    if len(files) > MAX_DOCUMENTS:
        raise DocumentError(f"{path.name} has more than {MAX_DOCUMENTS} documents.", "Choose some.")
    return tuple(OwnDocument(name=file.name, record=read_document(file)) for file in files)
