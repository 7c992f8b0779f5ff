"""The references as RIS, the format that every reference manager reads."""

from __future__ import annotations

from collections.abc import Iterator

from deepcritical.domain.answer import Document
from deepcritical.export.bibliography import Entry, entries

_TYPES = {"article": "JOUR", "preprint": "UNPB", "trial": "RPRT", "web": "ELEC"}


def as_ris(report: Document) -> str:
    """A record for each reference; lines end as the format's specification says, in CR LF."""
    return "".join(f"{line}\r\n" for entry in entries(report) for line in _lines(entry))


def _lines(entry: Entry) -> Iterator[str]:
    for tag, value in _tags(entry):
        if value:
            yield f"{tag}  - {value}"
    yield "ER  - "
    yield ""


def _tags(entry: Entry) -> Iterator[tuple[str, str]]:
    yield "TY", _TYPES[entry.kind]
    yield "ID", entry.key
    yield from (("AU", author.inverted) for author in entry.authors)
    yield "TI", entry.title
    yield "PB" if entry.kind == "trial" else "T2", entry.journal
    yield "PY", str(entry.date[0]) if entry.date else ""
    yield "DA", "/".join(f"{part:02d}" for part in entry.date)
    yield "VL", entry.volume
    yield "IS", entry.issue
    yield "SP", entry.first_page
    yield "EP", entry.last_page
    yield "DO", entry.doi
    yield "AN", entry.pmid or entry.trial_id
    yield "C2", entry.pmcid
    yield "UR", entry.url
    yield "N1", entry.note
