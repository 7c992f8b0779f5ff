"""Reads records from PubMed's XML, as EFetch answers.

One bad record never costs the rest. It is read as a stream, one record at a time, because an answer
of 1,000 records holds many megabytes of reference lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html.entities import html5
from io import BytesIO
from typing import Any
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

from deepcritical.domain.errors import RateLimitError, SearchError
from deepcritical.domain.evidence.kinds import is_retracted
from deepcritical.domain.evidence.record import Citation, Evidence, EvidenceMetadata
from deepcritical.domain.study.identity import record_url, trials_in
from deepcritical.domain.text.patterns import bounded
from deepcritical.tools.base import Parsed, with_integrity
from deepcritical.tools.markup import text_at, texts_at
from deepcritical.tools.pubmed import fields

_RECORDS = frozenset({"PubmedArticle", "PubmedBookArticle"})
_ROOTS = _RECORDS | {"PubmedArticleSet", "PubmedBookArticleSet"}
_VERNACULAR = ("MedlineCitation/Article/VernacularTitle", "BookDocument/VernacularTitle")
_NOT_AVAILABLE = bounded(r"\[?\s*not available\s*\]?\.?", re.IGNORECASE)
_REVIEW = re.compile(r"review|meta-analysis", re.IGNORECASE)
_DECLARES = re.compile(rb"<!DOCTYPE[^>\[]*\[")
_BROKEN_RECORD = re.compile(
    rb"<(PubmedArticle|PubmedBookArticle)(?:\s[^>]*)?>.*?(?:</\1\s*>|\Z|(?=<\1[\s>]))", re.DOTALL
)
_FORBIDDEN = bytes(set(range(32)) - {9, 10, 13})
_NAMED = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)([A-Za-z][A-Za-z0-9]*;)")
"""A character by a name that only HTML knows."""
_PMID = re.compile(rb"<PMID[^>]*>\s*([0-9]{1,10})\s*<")


def parse(payload: bytes) -> Parsed:
    """The records of an answer of EFetch (`db=pubmed`, `retmode=xml`), articles and book chapters.

    Raises:
        RateLimitError: The body refuses more requests.
        SearchError: It is an error message, or no XML of PubMed.
    """
    return _read(payload)[0]


def is_whole(payload: bytes) -> bool:
    """Return whether the answer is complete XML; `parse` also reads the rest of a broken one.

    Raises as `parse` does.
    """
    return _read(payload)[1]


def _read(payload: bytes) -> tuple[Parsed, bool]:
    """The records, and whether they come from XML that is whole."""
    # E-utilities name a DTD and declare nothing of their own: what does is no answer of theirs.
    if _DECLARES.search(payload.partition(b"<Pubmed")[0]):
        raise SearchError("PubMed sent XML that declares entities of its own.", "Try again later.")
    try:
        return _read_stream(payload), True
    except (ET.ParseError, LookupError, ValueError) as error:  # the latter two: of its encoding
        parsed = _read_pieces(payload, error)
    if not parsed.records:
        raise refusal(payload)
    return parsed, False


def refusal(payload: bytes) -> SearchError:
    """The error that a body without data stands for."""
    words = " ".join(payload[:300].decode("utf-8", "replace").split())
    if re.search(r"rate limit", words, re.IGNORECASE):
        return RateLimitError(
            "PubMed refuses more requests for the moment.", "Try again in a minute."
        )
    return SearchError(
        f"PubMed answered with something else than its data: {words[:120] or 'nothing'}",
        "Try again later.",
    )


def _read_stream(payload: bytes) -> Parsed:
    """Records as they end; each is dropped from memory as soon as it is read."""
    # Expat fetches no external entity and bounds what inner ones may grow to (CVE-2013-0340).
    events = ET.iterparse(BytesIO(payload), events=("end",))  # noqa: S314
    read, root = _Reading(), ET.Element("")
    for _, root in events:  # the element that ends last is the root
        if root.tag in _RECORDS:
            read.add(root)
            root.clear()
        elif root.tag == "ERROR":
            read.errors.append(text_at(root, "."))
    if not read.records and not read.skipped and (read.errors or root.tag not in _ROOTS):
        told = "; ".join(read.errors) or text_at(root, ".") or root.tag
        raise SearchError(f"PubMed could not fetch: {told[:200]}", "Try again later.")
    return read.parsed()


def _read_pieces(payload: bytes, error: Exception) -> Parsed:
    """The records of XML that is broken somewhere, each parsed for itself."""
    read = _Reading()
    for piece in _BROKEN_RECORD.finditer(payload):
        try:
            read.add(ET.fromstring(_mended(piece.group())))  # noqa: S314 - no DTD, no entities
        except ET.ParseError:
            named = _PMID.search(piece.group())
            read.skip(named.group(1).decode() if named else None, "its XML is broken")
    if not read.skipped and not payload.rstrip().endswith(b"Set>"):
        read.skipped.append(f"the answer is broken XML: {error}")
    return read.parsed()


def _mended(piece: bytes) -> str:
    """A record without the commonest breaks: forbidden and undecodable characters, HTML's names."""
    text = piece.translate(None, _FORBIDDEN).decode("utf-8", "replace")
    return _NAMED.sub(_character, text)


def _character(name: re.Match[str]) -> str:
    known = html5.get(name.group(1))
    return escape(known) if known else name.group()


class _Reading:
    """The records read of a set so far."""

    def __init__(self) -> None:
        self.records: list[Evidence] = []
        self.skipped: list[str] = []
        self.errors: list[str] = []

    def add(self, element: ET.Element) -> None:
        """Read a record, or note why it cannot be read."""
        try:
            self.records.append(_evidence(element))
        except ValueError as error:
            self.skip(fields.pmid_of(element), str(error).splitlines()[0])

    def skip(self, pmid: str | None, reason: str) -> None:
        number = len(self.records) + len(self.skipped) + 1
        name = f"PMID {pmid}" if pmid else f"record {number}"
        self.skipped.append(f"{name}: {reason}")

    def parsed(self) -> Parsed:
        return Parsed(tuple(self.records), (*self.skipped, *self.errors))


def _evidence(record: ET.Element) -> Evidence:
    """One record.

    Raises ValueError for a record without a title or an id, which cannot be cited.
    """
    title = _title(record)
    if not title:
        raise ValueError("no title")
    content = fields.abstract_of(record)
    metadata = _metadata(record, title, content)
    url = record_url(metadata)
    if not url:
        raise ValueError("no PMID, PMCID or DOI")
    citation = Citation(
        source="pubmed",
        title=title,
        url=url,
        date=fields.date_of(record),
        authors=fields.authors_of(record),
    )
    read = Evidence(content=content, citation=citation, metadata=metadata)
    is_marked = metadata.integrity == "retracted" or is_retracted(read)
    return with_integrity(read, "retracted") if is_marked else read


def _title(record: ET.Element) -> str:
    """The title; the one in the paper's language where NLM has no English one."""
    places = (
        "MedlineCitation/Article/ArticleTitle",
        *_VERNACULAR[:1],
        "BookDocument/ArticleTitle",
        *_VERNACULAR[1:],
        "BookDocument/Book/BookTitle",
    )
    titles = [title for place in places for title in texts_at(record, place)]
    return next((title for title in titles if not _NOT_AVAILABLE.fullmatch(title)), "")


def _metadata(record: ET.Element, title: str, content: str) -> EvidenceMetadata:
    types = tuple(
        dict.fromkeys(
            (
                *texts_at(record, "MedlineCitation/Article/PublicationTypeList/PublicationType"),
                *texts_at(record, "BookDocument/PublicationType"),
            )
        )
    )
    corrections = fields.corrections_of(record)
    vernacular = text_at(record, *_VERNACULAR)
    more: dict[str, Any] = {"vernacular_title": vernacular} if vernacular else {}
    return EvidenceMetadata(
        pmid=fields.pmid_of(record),
        pmcid=fields.pmcid_of(record),
        doi=fields.doi_of(record),
        linked_ids=(*_trials(record, title, content, types), *corrections.linked_ids),
        journal=_journal(record),
        volume_pages=fields.volume_pages_of(record),
        publication_types=types,
        language=_language(record),
        mesh_terms=fields.mesh_of(record),
        chemicals=texts_at(record, "MedlineCitation/ChemicalList/Chemical/NameOfSubstance"),
        integrity=corrections.integrity,
        notices=corrections.notices,
        text_kind="abstract" if content else "none",
        licence=fields.licence_of(record),
        **more,
    )


def _trials(record: ET.Element, title: str, content: str, types: Iterable[str]) -> tuple[str, ...]:
    """Trials that the record is declared to report on, and the only one that its abstract names.

    A review lists trials that it did not run: linked to it, they would count as one study.
    """
    if _REVIEW.search(" ".join((*types, title))):
        return ()
    named = trials_in(content)
    return tuple(dict.fromkeys((*fields.trials_of(record), *(named if len(named) == 1 else ()))))


def _journal(record: ET.Element) -> str | None:
    """The full title, else its abbreviation; the book of a chapter."""
    places = (
        "MedlineCitation/Article/Journal/Title",
        "MedlineCitation/Article/Journal/ISOAbbreviation",
        "MedlineCitation/MedlineJournalInfo/MedlineTA",
        "BookDocument/Book/BookTitle",
    )
    return text_at(record, *places) or None


def _language(record: ET.Element) -> str | None:
    """All languages of the paper, as ISO 639-2 codes."""
    places = ("MedlineCitation/Article/Language", "BookDocument/Language")
    return ", ".join(code for place in places for code in texts_at(record, place)) or None
