"""Writes the references as BibTeX, RIS and CSL-JSON."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from typing import Literal, NamedTuple
from urllib.parse import quote

from deepcritical.domain.evidence.authors import AuthorName, author_name
from deepcritical.domain.report.answer import Document
from deepcritical.domain.report.parts import Reference
from deepcritical.domain.text.markdown import one_line
from deepcritical.domain.text.patterns import bounded

EntryKind = Literal["article", "preprint", "trial", "web"]

_PLACE = bounded(r"(?P<volume>[^:(]*)(?:\((?P<issue>[^)]*)\))?(?::(?P<pages>.*))?")
"""``88(4):1311-1323``, each part where it is known."""
_DATE = bounded(r"(?P<year>\d{4})(?:-(?P<month>\d\d)(?:-(?P<day>\d\d))?)?")
_RANGE = bounded(r"(\w{0,9}?)(\d{1,9})\s*[-\u2010-\u2013]\s*(\w{0,9}?)(\d{1,9})")
_AND_OTHERS = bounded(r"et al\W*", re.IGNORECASE)
_REGISTERS = {"clinicaltrials": "ClinicalTrials.gov", "registry": "Trial register"}
_IDS = {"doi:": "DOI", "pmid:": "PMID", "pmcid:": "PMCID", "nct:": "NCT", "registry:": "registry"}
_RIS_TYPES = {"article": "JOUR", "preprint": "UNPB", "trial": "RPRT", "web": "ELEC"}
_CSL_TYPES = {
    "article": "article-journal",
    "preprint": "article",
    "trial": "report",
    "web": "webpage",
}
_BIBTEX_TYPES = {"article": "article", "preprint": "misc", "trial": "misc", "web": "misc"}
_HOW = {"preprint": "Preprint", "trial": "Trial registration", "web": "Web page"}
_SPECIAL = {
    # Braces by name: BibTeX counts them even where they are escaped.
    "\\": r"\textbackslash{}",
    "{": r"\ensuremath{\lbrace}",
    "}": r"\ensuremath{\rbrace}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "$&%#_"},
}
_LIGATURE = bounded(
    r"(?<=-)(?=-)|(?<=`)(?=`)|(?<=')(?=')|(?<=[?!])(?=`)|(?<=,)(?=,)|(?<=<)(?=<)|(?<=>)(?=>)"
)
"""Between two characters that TeX would make one of."""
_AND = bounded(r"(?<=\s)(and|others)(?=\s)|^others$", re.IGNORECASE)


class Entry(NamedTuple):
    """One reference; every text is on one line, '' where nothing is known."""

    key: str
    """Unique among the entries; letters and digits of ASCII."""
    kind: EntryKind
    title: str
    authors: tuple[AuthorName, ...]
    and_others: bool
    """True if the source names only the first authors."""
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


def as_ris(report: Document) -> str:
    """A record for each reference; lines end as the format's specification says, in CR LF."""
    return "".join(f"{line}\r\n" for entry in entries(report) for line in _ris_lines(entry))


def _ris_lines(entry: Entry) -> Iterator[str]:
    for tag, value in _ris_tags(entry):
        if value:
            yield f"{tag}  - {value}"
    yield "ER  - "
    yield ""


def _ris_tags(entry: Entry) -> Iterator[tuple[str, str]]:
    yield "TY", _RIS_TYPES[entry.kind]
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


def as_csl_json(report: Document) -> str:
    """A list with an item for each reference."""
    items = [_csl_item(entry) for entry in entries(report)]
    return json.dumps(items, ensure_ascii=False, indent=2) + "\n"


def _csl_item(entry: Entry) -> dict[str, object]:
    fields: dict[str, object] = {
        "id": entry.key,
        "type": _CSL_TYPES[entry.kind],
        "title": entry.title,
        "author": [_csl_name(author) for author in entry.authors],
        "container-title": entry.journal,
        "issued": {"date-parts": [list(entry.date)]} if entry.date else None,
        "volume": entry.volume,
        "issue": entry.issue,
        "number": entry.trial_id,
        "page": "-".join(entry.pages),
        "DOI": entry.doi,
        "PMID": entry.pmid,
        "PMCID": entry.pmcid,
        "URL": entry.url,
        "note": entry.note,
    }
    return {name: value for name, value in fields.items() if value}


def _csl_name(author: AuthorName) -> dict[str, str]:
    if author.group:
        return {"literal": author.family}
    parts = {"family": author.family, "given": author.given, "suffix": author.suffix}
    return {name: value for name, value in parts.items() if value}


def as_bibtex(report: Document) -> str:
    """An entry for each reference; names of groups and titles keep their capitals by braces."""
    return "\n".join(map(_bibtex_entry, entries(report)))


def _bibtex_entry(entry: Entry) -> str:
    fields = "".join(f"  {name} = {{{value}}},\n" for name, value in _bibtex_fields(entry) if value)
    return f"@{_BIBTEX_TYPES[entry.kind]}{{{entry.key},\n{fields}}}\n"


def _bibtex_fields(entry: Entry) -> Iterator[tuple[str, str]]:
    authors = [*map(_bibtex_author, entry.authors), *(["others"] if entry.and_others else [])]
    yield "author", " and ".join(authors)
    yield "title", f"{{{_tex(entry.title)}}}"
    yield "journal" if entry.kind == "article" else "publisher", _tex(entry.journal)
    yield "year", str(entry.date[0]) if entry.date else ""
    yield "volume", _tex(entry.volume)
    yield "number", _tex(entry.trial_id if entry.kind == "trial" else entry.issue)
    yield "pages", "--".join(map(_tex, entry.pages))
    yield "howpublished", _HOW.get(entry.kind, "")
    yield "doi", _verbatim(entry.doi)
    yield "pmid", _tex(entry.pmid)
    yield "pmcid", _tex(entry.pmcid)
    yield "url", _verbatim(entry.url)
    yield "note", _tex(entry.note)


def _bibtex_author(author: AuthorName) -> str:
    if author.group:
        return f"{{{_tex(author.family)}}}"
    # "and" divides authors wherever it stands outside of braces.
    family = _AND.sub(r"{\g<0>}", _tex(author.family))
    given = _AND.sub(r"{\g<0>}", _tex(author.given))
    # Braces keep a comma within a name from dividing it.
    family = f"{{{family}}}" if "," in family else family
    given = f"{{{given}}}" if "," in given else given
    return ", ".join(part for part in (family, author.suffix, given) if part)


def _tex(text: str) -> str:
    """Text in which no character steers TeX."""
    return _LIGATURE.sub("{}", "".join(_SPECIAL.get(c, c) for c in text))


def _verbatim(address: str) -> str:
    r"""An address or a DOI, which styles print as it is: only braces and ``\`` are quoted."""
    return "".join(quote(c) if c in "{}\\" else c for c in address)
