"""Reads records from an answer of Europe PMC (result type core).

Any field may be missing, null or of another type than documented; that costs the field, never the
record, and never another record.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from deepcritical.domain.errors import SearchError
from deepcritical.domain.evidence.kinds import is_retracted
from deepcritical.domain.evidence.record import Citation, Evidence, EvidenceMetadata, Integrity
from deepcritical.domain.study.identity import normalised_doi, trials_in
from deepcritical.tools.base import RETRACTED, WORST_FIRST, Page, ranked
from deepcritical.tools.json_values import (
    as_dict,
    as_list,
    as_number,
    as_text,
    decoded,
    dicts_at,
    unique,
)
from deepcritical.tools.markup import clean_markup

PREPRINT_MARK = "[PREPRINT - Not peer-reviewed] "
"""The beginning of the content of a preprint.

It stands in a paragraph of its own: in one sentence with the first finding, its "Not" would be read
as a negation of the finding.
"""
_ANY_MARK = re.compile(r"^(?:\[PREPRINT\b[^\]]*\]\s*)+", re.IGNORECASE)
_NO_TITLE = "[Not Available]"
"""PubMed's title of a record without one."""

_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


class NoAnswerError(SearchError):
    """An answer that holds neither results nor an error: Europe PMC sends one now and then."""


def parse(payload: bytes) -> Page:
    """The records of an answer, in the order of the source, and where the next ones are.

    Raises SearchError for an answer that is no result list.
    """
    answer = _answer(payload)
    items = as_list(as_dict(answer["resultList"]).get("result"))
    records: list[Evidence] = []
    skipped: list[str] = []
    for number, item in enumerate(items, 1):
        try:
            records.append(_evidence(_identified(item)))
        except ValueError as error:
            skipped.append(f"{_called(item, number)}: {error}")
    return Page(
        ranked(records),
        tuple(skipped),
        max(as_number(answer.get("hitCount")) or 0, len(records)),
        as_text(answer.get("nextCursorMark")),
    )


def _answer(payload: bytes) -> dict[str, Any]:
    answer = as_dict(decoded(payload, "Europe PMC"))
    told = as_text(answer.get("errMsg")) or as_text(answer.get("message"))
    if told or "errCode" in answer:
        raise SearchError(
            f"Europe PMC answered with an error ({told[:200] or 'no reason given'}).",
            "Put the question in other words, or try again later.",
        )
    # An answer without a count must not read as "nothing found".
    if not isinstance(answer.get("resultList"), dict) or "hitCount" not in answer:
        raise NoAnswerError("Europe PMC's answer holds no results.", "Try again later.")
    return answer


def _identified(item: Any) -> dict[str, Any]:
    record = as_dict(item)
    if not any(as_text(record.get(name)) for name in ("id", "pmid", "pmcid", "doi")):
        raise ValueError("no id")
    return record


def _called(item: Any, number: int) -> str:
    record = as_dict(item)
    name = ":".join(filter(None, (as_text(record.get("source")), as_text(record.get("id")))))
    return f"Europe PMC record {name or number}"


def _evidence(record: dict[str, Any]) -> Evidence:
    title = " ".join(clean_markup(as_text(record.get("title"))).split()) or _NO_TITLE
    types = _types(record)
    preprint = is_preprint(record, types)
    abstract = _ANY_MARK.sub("", clean_markup(as_text(record.get("abstractText"))))
    integrity, notices = integrity_of(record, title, types)
    source, identifier = as_text(record.get("source")).upper(), as_text(record.get("id"))
    meta = EvidenceMetadata(
        pmid=_id(record, "pmid", "MED", r"\d{1,9}"),
        pmcid=_id(record, "pmcid", "PMC", r"PMC\d+"),
        doi=normalised_doi(html.unescape(as_text(record.get("doi")))),
        linked_ids=links_of(record, title, abstract, types),
        journal=_journal(record),
        volume_pages=_volume_pages(record),
        publication_types=_marked(types, preprint, integrity),
        language=as_text(record.get("language")) or None,
        mesh_terms=tuple(_mesh(record)),
        chemicals=unique(
            as_text(item.get("name")) for item in dicts_at(record, "chemicalList", "chemical")
        ),
        cited_by=as_number(record.get("citedByCount")),
        integrity=integrity,
        notices=notices,
        text_kind="abstract" if abstract else "none",
        licence=as_text(record.get("license")) or None,
        note="Preprint: not peer-reviewed." if preprint else None,
        **_access(record),
    )
    return Evidence(
        content=f"{PREPRINT_MARK}\n\n{abstract}" if preprint and abstract else abstract,
        citation=Citation(
            source="europepmc",
            title=title,
            url=_url(meta, source, identifier),
            date=_date(record),
            authors=_authors(record),
        ),
        metadata=meta,
    )


def _access(record: dict[str, Any]) -> dict[str, Any]:
    """Return if the text is open access, and its free address; None for what is not said."""
    flag = as_text(record.get("isOpenAccess")).upper()
    urls = dicts_at(record, "fullTextUrlList", "fullTextUrl")
    free = [
        as_text(u.get("url")) for u in urls if as_text(u.get("availabilityCode")) in ("OA", "F")
    ]
    fields = {
        "open_access": {"Y": True, "N": False}.get(flag),
        "full_text_url": next(iter(free), ""),
    }
    return {name: value for name, value in fields.items() if value not in (None, "")}


def _types(record: dict[str, Any]) -> tuple[str, ...]:
    """Publication types: a list, one text, or in lite results one text with semicolons."""
    listed = as_list(as_dict(record.get("pubTypeList")).get("pubType"))
    texts = (as_text(item) for item in (*listed, record.get("pubType")))
    return unique(part.strip() for text in texts for part in text.split(";"))


def _marked(types: tuple[str, ...], preprint: bool, integrity: Integrity) -> tuple[str, ...]:
    """The types, with those that grading looks for where the source says the same otherwise."""
    more = ("Preprint",) if preprint else ()
    if integrity == "retracted":
        more = (*more, RETRACTED)
    canonical = {kind.lower(): kind for kind in more}
    return unique((*(canonical.get(kind.lower(), kind) for kind in types), *more))


def _id(record: dict[str, Any], name: str, collection: str, form: str) -> str | None:
    """An id of this form by its name, else the record's own, if it is of that collection."""
    own = as_text(record.get("id")) if as_text(record.get("source")).upper() == collection else ""
    found = (as_text(record.get(name)) or own).upper()
    return found if re.fullmatch(form, found) else None


def _url(meta: EvidenceMetadata, source: str, identifier: str) -> str:
    """The address by DOI, else by PMID, else the page of Europe PMC."""
    if meta.doi:
        return f"https://doi.org/{quote(meta.doi, safe='/:;()._-')}"
    if meta.pmid:
        return f"https://pubmed.ncbi.nlm.nih.gov/{meta.pmid}/"
    page = (source, identifier) if source and identifier else ("PMC", meta.pmcid or identifier)
    return f"https://europepmc.org/article/{'/'.join(quote(part, safe='') for part in page)}"


def _journal(record: dict[str, Any]) -> str | None:
    """The journal's full title, else its abbreviation; of a preprint its server."""
    journal = as_dict(as_dict(record.get("journalInfo")).get("journal"))
    names = (
        *(journal.get(key) for key in ("title", "isoabbreviation", "medlineAbbreviation")),
        record.get("journalTitle"),
        as_dict(record.get("bookOrReportDetails")).get("publisher"),
    )
    return next((clean_markup(name) for name in map(as_text, names) if name), None)


def _volume_pages(record: dict[str, Any]) -> str | None:
    """As in ``351(9103):637-641``, without what is a placeholder."""
    info = as_dict(record.get("journalInfo"))
    volume = as_text(info.get("volume") or record.get("journalVolume"))
    issue = as_text(info.get("issue") or record.get("issue"))
    pages = as_text(record.get("pageInfo"))
    placed = volume + (f"({issue})" if issue and issue.lower() != "forthcoming" else "")
    shown = (placed, "" if pages.lower() == "not available" else pages)
    return ":".join(part for part in shown if part) or None


def _date(record: dict[str, Any]) -> str:
    """Year, and month if one is known, of the issue; else the day of first publication.

    The day of first publication is a guess of Europe PMC when the issue has only a year.
    """
    info = as_dict(record.get("journalInfo"))
    year = as_number(info.get("yearOfPublication"))
    month = as_number(info.get("monthOfPublication")) or 0
    if year and 1000 <= year <= 9999:
        return f"{year}-{month:02}" if 1 <= month <= 12 else str(year)
    days = (as_text(record.get(f"{kind}PublicationDate")) for kind in ("first", "electronic"))
    if day := next(filter(_ISO_DATE.fullmatch, days), None):
        return day
    book = as_dict(record.get("bookOrReportDetails"))
    years = map(as_text, (record.get("pubYear"), book.get("yearOfPublication")))
    return next((year for year in years if re.fullmatch(r"[1-9]\d{3}", year)), "")


def _authors(record: dict[str, Any]) -> tuple[str, ...]:
    """Persons and groups in order; of a record without a list, the parts of its line of authors."""
    names = []
    for author in dicts_at(record, "authorList", "author"):
        parts = (as_text(author.get("lastName")), as_text(author.get("initials")))
        whole = as_text(author.get("fullName")) or as_text(author.get("collectiveName"))
        names.append(clean_markup(whole or " ".join(filter(None, parts))))
    line = as_text(record.get("authorString")).rstrip(".")
    # Two persons may share a name.
    parts_of_line = (clean_markup(name) for name in line.split(", "))
    return tuple(filter(None, names)) or tuple(filter(None, parts_of_line))


def _mesh(record: dict[str, Any]) -> Iterator[str]:
    """Headings as ``Descriptor`` or ``Descriptor/qualifier``; a major topic ends in ``*``."""
    for heading in dicts_at(record, "meshHeadingList", "meshHeading"):
        name = as_text(heading.get("descriptorName"))
        own = [f"{name}{_major(heading)}"]
        named = [
            f"{name}/{as_text(part.get('qualifierName'))}{_major(part)}"
            for part in dicts_at(heading, "meshQualifierList", "meshQualifier")
            if as_text(part.get("qualifierName"))
        ]
        if name:
            yield from (named if named and not _major(heading) else [*own, *named])


def _major(part: dict[str, Any]) -> str:
    return "*" if as_text(part.get("majorTopic_YN")) == "Y" else ""


_RETRACTED_TYPE = re.compile(
    r"retracted publication|withdrawn publication|preprint-(?:withdrawal|removal)", re.IGNORECASE
)
_NOTICES: tuple[tuple[str, Integrity, str], ...] = (
    (r"(?:retraction|retracted and republished|withdrawal|removal) in", "retracted", "retraction"),
    (r"partial retraction in", "concern", "partial retraction"),
    (r"expression of concern in", "concern", "concern"),
    (r"(?:erratum|correction|corrigendum) in", "corrected", "erratum"),
    (r"corrected and republished in", "corrected", "corrected republication"),
    # From here on the record is the notice itself, and a verb says so.
    (r"(?:retraction|withdrawal|removal) of", "not_checked", "retracts"),
    (r"partial retraction of", "not_checked", "retracts in part"),
    (r"expression of concern for", "not_checked", "raises concern on"),
    (r"(?:erratum|correction|corrigendum) for", "not_checked", "corrects"),
)
"""Types of links between a work and a notice on it."""
_SAME_STUDY = re.compile(
    r"(?:preprint|update|reprint) (?:of|in)|"
    r"(?:corrected and |retracted and )?republished (?:in|from)",
    re.IGNORECASE,
)
_REVIEW = re.compile(r"review|meta-analysis", re.IGNORECASE)
_VERSION = re.compile(r"^(10\.12688/.+)\.\d+$|^(10\..+?)(?:[/.-]v\d+|(?<=\d)v\d+)$")
"""A DOI of one version of a preprint: of F1000's platforms by a number, of others by v1, v2 ..."""


def is_preprint(record: dict[str, Any], types: tuple[str, ...]) -> bool:
    """Return whether types or source say so."""
    named = any(kind.lower().startswith("preprint") for kind in types)
    return named or as_text(record.get("source")).upper() == "PPR"


def integrity_of(
    record: dict[str, Any], title: str, types: tuple[str, ...]
) -> tuple[Integrity, tuple[str, ...]]:
    """Return the integrity status by types, title and links; unchecked if they say nothing."""
    plain = Evidence(
        content="",
        citation=Citation(source="europepmc", title=title),
        metadata=EvidenceMetadata(publication_types=types),
    )
    withdrawn = is_retracted(plain) or any(map(_RETRACTED_TYPE.search, types))
    found: list[Integrity] = ["retracted"] if withdrawn else []
    notices = []
    for kind, link in _corrections(record):
        for pattern, integrity, notice in _NOTICES:
            if re.fullmatch(pattern, kind, re.IGNORECASE):
                found.append(integrity)
                notices.append(f"{notice} {_link_id(link)}".strip())
    return min(found, key=WORST_FIRST.index, default="not_checked"), unique(notices)


def _corrections(record: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for link in dicts_at(record, "commentCorrectionList", "commentCorrection"):
        yield " ".join(as_text(link.get("type")).split()), link


def _link_id(link: dict[str, Any]) -> str:
    """The canonical id of a linked record; the DOI of its reference if it has no id."""
    source, identifier = as_text(link.get("source")).upper(), as_text(link.get("id"))
    if source == "MED" and identifier.isdecimal():
        return f"pmid:{identifier}"
    if re.fullmatch(r"PMC\d+", identifier):
        return f"pmcid:{identifier}"
    if re.fullmatch(r"PPR\d+", identifier):
        return f"europepmc:{identifier}"
    doi = normalised_doi(as_text(link.get("reference")))
    return f"doi:{doi}" if doi else ""


def links_of(
    record: dict[str, Any], title: str, abstract: str, types: tuple[str, ...]
) -> tuple[str, ...]:
    """Ids of other records of the study: preprint or published version, other version, trial.

    A preprint names itself and its other versions too: its published version knows it by that id.
    """
    links = [_link_id(link) for kind, link in _corrections(record) if _SAME_STUDY.fullmatch(kind)]
    versions = (record, *dicts_at(record, "versionList", "version"))
    own = [_link_id({"id": v.get("id")}) for v in versions if str(v.get("id")).startswith("PPR")]
    if is_preprint(record, types):
        own.append(_all_versions(normalised_doi(as_text(record.get("doi"))) or ""))
    return unique((*links, *own, *_trials(record, title, abstract, types)))


def _all_versions(doi: str) -> str:
    """The id that all versions of a preprint share; '' of a DOI without a version."""
    found = _VERSION.match(doi)
    return f"doi:{found.group(1) or found.group(2)}" if found else ""


def _trials(
    record: dict[str, Any], title: str, abstract: str, types: tuple[str, ...]
) -> tuple[str, ...]:
    """The only trial that the record names; a review names trials that it did not run."""
    listed = json.dumps([record.get(f"{kind}CrossReferenceList") for kind in ("data", "db")])
    named = trials_in(f"{listed} {title} {abstract}")
    return () if len(named) != 1 or _REVIEW.search(" ".join((*types, title))) else named
