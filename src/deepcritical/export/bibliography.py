"""The references as bibliographic entries, whatever format they are then written in."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import Literal, NamedTuple

from deepcritical.domain.answer import Document
from deepcritical.domain.patterns import bounded
from deepcritical.domain.report_parts import AuthorName, Reference, author_name
from deepcritical.export.plain import one_line

EntryKind = Literal["article", "preprint", "trial", "web"]

_PLACE = bounded(r"(?P<volume>[^:(]*)(?:\((?P<issue>[^)]*)\))?(?::(?P<pages>.*))?")
"""``88(4):1311-1323``, each part where it is known."""
_DATE = bounded(r"(?P<year>\d{4})(?:-(?P<month>\d\d)(?:-(?P<day>\d\d))?)?")
_RANGE = bounded(r"(\w{0,9}?)(\d{1,9})\s*[-\u2010-\u2013]\s*(\w{0,9}?)(\d{1,9})")
_AND_OTHERS = bounded(r"et al\W*", re.IGNORECASE)
_REGISTERS = {"clinicaltrials": "ClinicalTrials.gov", "registry": "Trial register"}
_IDS = {"doi:": "DOI", "pmid:": "PMID", "pmcid:": "PMCID", "nct:": "NCT", "registry:": "registry"}


class Entry(NamedTuple):
    """One reference; every text is on one line, '' where nothing is known."""

    key: str
    """Unique among the entries; letters and digits of ASCII."""
    kind: EntryKind
    title: str
    authors: tuple[AuthorName, ...]
    and_others: bool
    """Whether the source names only the first authors."""
    date: tuple[int, ...]
    """Year, month, day, as far as they are known."""
    journal: str
    """For a trial, its register."""
    volume: str
    issue: str
    first_page: str
    last_page: str
    """Written out: ``107-14`` ends on 114."""
    doi: str
    pmid: str
    pmcid: str
    trial_id: str
    url: str
    note: str

    @property
    def pages(self) -> tuple[str, ...]:
        """First and last page, or the only one, or none."""
        return tuple(page for page in (self.first_page, self.last_page) if page)


def entries(report: Document) -> tuple[Entry, ...]:
    """An entry for each reference, in order."""
    stems = [_stem(r) or f"ref{n}" for n, r in enumerate(report.references, 1)]
    many, used = Counter(stems), Counter[str]()
    found = []
    for stem, reference in zip(stems, report.references, strict=True):
        used[stem] += 1
        key = f"{stem}-{used[stem]}" if many[stem] > 1 else stem
        found.append(_entry(key, reference))
    return tuple(found)


def _entry(key: str, reference: Reference) -> Entry:
    names = [one_line(name) for name in reference.authors]
    ids = {name: _id(reference, prefix) for prefix, name in _IDS.items()}
    place = _PLACE.match(one_line(reference.volume_pages))
    volume, issue, pages = place.groups() if place else ("", "", "")
    first, last = _pages(pages or "")
    return Entry(
        key=key,
        kind=_kind(reference),
        title=one_line(reference.title),
        authors=tuple(author_name(n) for n in names if n and not _AND_OTHERS.fullmatch(n)),
        and_others=any(map(_AND_OTHERS.fullmatch, names)),
        date=_date(reference.date),
        journal=_REGISTERS.get(reference.source) or one_line(reference.journal),
        volume=(volume or "").strip(),
        issue=(issue or "").strip(),
        first_page=first,
        last_page=last,
        doi=ids["DOI"],
        pmid=ids["PMID"],
        pmcid=ids["PMCID"],
        trial_id=ids["NCT"] or ids["registry"],
        url=reference.link,
        note=_note(reference),
    )


def _kind(reference: Reference) -> EntryKind:
    if reference.source in _REGISTERS:
        return "trial"
    if reference.preprint:
        return "preprint"
    if reference.source == "curated":
        return "web"
    return "web" if reference.source == "web" and not reference.journal else "article"


def _id(reference: Reference, prefix: str) -> str:
    found = (i.removeprefix(prefix) for i in reference.ids if i.startswith(prefix))
    return one_line(next(found, ""))


def _note(reference: Reference) -> str:
    told = ("RETRACTED" if reference.retracted else "", one_line(reference.note).rstrip("."))
    return "".join(f"{part}. " for part in told if part).rstrip()


def _date(text: str) -> tuple[int, ...]:
    found = _DATE.match(text)
    return tuple(int(part) for part in found.groups() if part) if found else ()


def _pages(text: str) -> tuple[str, str]:
    """First and last page, of a range with the last one written out."""
    text = text.strip()
    span = _RANGE.fullmatch(text)
    if span is None:
        return text, ""
    letters, first, end_letters, last = span.groups()
    whole = first[: len(first) - len(last)] + last if len(last) < len(first) else last
    return letters + first, (end_letters or letters) + whole


def _stem(reference: Reference) -> str:
    """Family name of the first author and year, or the number of the trial."""
    trial = _id(reference, "nct:")
    if trial or not reference.authors:
        return _plain(trial)
    return _plain(f"{author_name(reference.authors[0]).family[:40]}{reference.date[:4]}")


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9]", "", folded)
