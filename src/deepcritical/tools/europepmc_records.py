"""The records of an answer of Europe PMC (result type core).

Any field may be missing, null or of another type than documented; that costs the field, never the
record, and never another record.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple
from urllib.parse import quote

from deepcritical.domain.errors import SearchError
from deepcritical.domain.evidence import Citation, Evidence, EvidenceMetadata, Integrity
from deepcritical.domain.grading import is_retracted
from deepcritical.domain.identity import normalised_doi
from deepcritical.tools.base import Parsed
from deepcritical.tools.markup import clean_markup

__all__ = ["PREPRINT_MARK", "NoAnswerError", "Page", "parse", "ranked", "read_page"]

PREPRINT_MARK = "[PREPRINT - Not peer-reviewed] "
"""What the content of a preprint begins with.

It stands in a paragraph of its own: in one sentence with the first finding, its "Not" would be read
as a negation of the finding.
"""
_ANY_MARK = re.compile(r"^(?:\[PREPRINT\b[^\]]*\]\s*)+", re.IGNORECASE)
_NO_TITLE = "[Not Available]"
"""What PubMed prints for a record without a title."""

_RETRACTED_TYPE = re.compile(
    r"retracted publication|withdrawn publication|preprint-(?:withdrawal|removal)", re.IGNORECASE
)
_NOTICES: tuple[tuple[str, Integrity, str], ...] = (
    (r"(?:retraction|retracted and republished|withdrawal|removal) in", "retracted", "retraction"),
    (r"partial retraction in", "concern", "partial retraction"),
    (r"expression of concern in", "concern", "concern"),
    (r"(?:erratum|correction|corrigendum) in", "corrected", "erratum"),
    (r"corrected and republished in", "corrected", "corrected republication"),
)
"""Types of links to a notice; "Retraction of" and "Erratum for" stand on the notice itself."""
_SAME_STUDY = re.compile(
    r"(?:preprint|update|reprint) (?:of|in)|"
    r"(?:corrected and |retracted and )?republished (?:in|from)",
    re.IGNORECASE,
)
_REVIEW = re.compile(r"review|meta-analysis", re.IGNORECASE)
_NCT = re.compile(r"\bNCT\d{8}\b", re.IGNORECASE)
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")

_WORST_FIRST: tuple[Integrity, ...] = ("retracted", "concern", "corrected", "clean", "not_checked")


class NoAnswerError(SearchError):
    """An answer that holds neither results nor an error: Europe PMC sends one now and then."""


class Page(NamedTuple):
    """One page of an answer."""

    records: tuple[Evidence, ...]
    skipped: tuple[str, ...]
    """Records that could not be read, each named with the reason."""
    total: int
    """Records that match at the source."""
    next_cursor: str
    """Where the next page begins; '' behind the last one."""


def parse(payload: bytes) -> Parsed:
    """The records of an answer, in the order of the source.

    Raises:
        SearchError: The answer is no result list.
    """
    page = read_page(payload)
    return Parsed(page.records, page.skipped)


def read_page(payload: bytes) -> Page:
    """The records of an answer and where the next ones are; raises as `parse` does."""
    answer = _answer(payload)
    items = _list(_dict(answer["resultList"]).get("result"))
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
        max(_number(answer.get("hitCount")) or 0, len(records)),
        _text(answer.get("nextCursorMark")),
    )


def ranked(records: list[Evidence]) -> tuple[Evidence, ...]:
    """The records with a score by their rank, which does not depend on how many there are."""
    return tuple(
        record.model_copy(update={"relevance_score": round(1 / (1 + rank / 10), 4)})
        for rank, record in enumerate(records)
    )


def _answer(payload: bytes) -> dict[str, Any]:
    try:
        answer = _dict(json.loads(payload))
    except (ValueError, RecursionError) as error:
        raise SearchError("Europe PMC's answer is not JSON.", "Try again later.") from error
    told = _text(answer.get("errMsg")) or _text(answer.get("message"))
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
    record = _dict(item)
    if not any(_text(record.get(name)) for name in ("id", "pmid", "pmcid", "doi")):
        raise ValueError("no id")
    return record


def _called(item: Any, number: int) -> str:
    record = _dict(item)
    name = ":".join(filter(None, (_text(record.get("source")), _text(record.get("id")))))
    return f"Europe PMC record {name or number}"


def _evidence(record: dict[str, Any]) -> Evidence:
    title = " ".join(clean_markup(_text(record.get("title"))).split()) or _NO_TITLE
    types = _types(record)
    preprint = _is_preprint(record, types)
    abstract = _ANY_MARK.sub("", clean_markup(_text(record.get("abstractText"))))
    integrity, notices = _integrity(record, title, types)
    source, identifier = _text(record.get("source")).upper(), _text(record.get("id"))
    meta = EvidenceMetadata(
        pmid=_pmid(record, source, identifier),
        pmcid=_pmcid(record, source, identifier),
        doi=normalised_doi(_text(record.get("doi"))),
        linked_ids=_linked(record, title, abstract, types),
        journal=_journal(record),
        volume_pages=_volume_pages(record),
        publication_types=_marked(types, preprint, integrity),
        language=_text(record.get("language")) or None,
        mesh_terms=tuple(_mesh(record)),
        chemicals=_unique(
            _text(item.get("name")) for item in _dicts(record, "chemicalList", "chemical")
        ),
        cited_by=_number(record.get("citedByCount")),
        integrity=integrity,
        notices=notices,
        text_kind="abstract" if abstract else "none",
        licence=_text(record.get("license")) or None,
        note="Preprint: not peer-reviewed." if preprint else None,
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


def _types(record: dict[str, Any]) -> tuple[str, ...]:
    """Publication types: a list, one text, or in lite results one text with semicolons."""
    listed = _list(_dict(record.get("pubTypeList")).get("pubType"))
    texts = (_text(item) for item in (*listed, record.get("pubType")))
    return _unique(part.strip() for text in texts for part in text.split(";"))


def _is_preprint(record: dict[str, Any], types: tuple[str, ...]) -> bool:
    named = any(kind.lower().startswith("preprint") for kind in types)
    return named or _text(record.get("source")).upper() == "PPR"


def _marked(types: tuple[str, ...], preprint: bool, integrity: Integrity) -> tuple[str, ...]:
    """The types, with those that grading looks for where the source says the same otherwise."""
    more = ("Preprint",) if preprint else ()
    if integrity == "retracted":
        more = (*more, "Retracted Publication")
    canonical = {kind.lower(): kind for kind in more}
    return _unique((*(canonical.get(kind.lower(), kind) for kind in types), *more))


def _integrity(
    record: dict[str, Any], title: str, types: tuple[str, ...]
) -> tuple[Integrity, tuple[str, ...]]:
    """What types, title and links say; without a word of theirs nothing has been checked."""
    plain = Evidence(content="", citation=Citation(source="europepmc", title=title))
    withdrawn = is_retracted(plain) or any(map(_RETRACTED_TYPE.search, types))
    found: list[Integrity] = ["retracted"] if withdrawn else []
    notices = []
    for kind, link in _corrections(record):
        for pattern, integrity, notice in _NOTICES:
            if re.fullmatch(pattern, kind, re.IGNORECASE):
                found.append(integrity)
                notices.append(f"{notice} {_link_id(link)}".strip())
    return min(found, key=_WORST_FIRST.index, default="not_checked"), _unique(notices)


def _corrections(record: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for link in _dicts(record, "commentCorrectionList", "commentCorrection"):
        yield " ".join(_text(link.get("type")).split()), link


def _link_id(link: dict[str, Any]) -> str:
    """The canonical id of a linked record; the DOI of its reference if it has no id."""
    source, identifier = _text(link.get("source")).upper(), _text(link.get("id"))
    if source == "MED" and identifier.isdecimal():
        return f"pmid:{identifier}"
    if re.fullmatch(r"PMC\d+", identifier):
        return f"pmcid:{identifier}"
    if re.fullmatch(r"PPR\d+", identifier):
        return f"europepmc:{identifier}"
    doi = normalised_doi(_text(link.get("reference")))
    return f"doi:{doi}" if doi else ""


def _linked(
    record: dict[str, Any], title: str, abstract: str, types: tuple[str, ...]
) -> tuple[str, ...]:
    """Ids of other records of the study: preprint or published version, other version, trial.

    A preprint names itself and its other versions too: its published version knows it by that id.
    """
    links = [_link_id(link) for kind, link in _corrections(record) if _SAME_STUDY.fullmatch(kind)]
    versions = (record, *_dicts(record, "versionList", "version"))
    own = [_link_id({"id": v.get("id")}) for v in versions if str(v.get("id")).startswith("PPR")]
    return _unique((*links, *own, *_trials(record, title, abstract, types)))


def _trials(
    record: dict[str, Any], title: str, abstract: str, types: tuple[str, ...]
) -> tuple[str, ...]:
    """The trial that the source lists for a paper; a review lists trials that it did not run."""
    listed = json.dumps([record.get(f"{kind}CrossReferenceList") for kind in ("data", "db")])
    if "nct" in map(_text, _list(_dict(record.get("tmAccessionTypeList")).get("accessionType"))):
        listed += f" {title} {abstract}"
    named = {match.upper() for match in _NCT.findall(listed)}
    if len(named) != 1 or _REVIEW.search(" ".join((*types, title))):
        return ()
    return (f"nct:{named.pop()}",)


def _pmid(record: dict[str, Any], source: str, identifier: str) -> str | None:
    pmid = _text(record.get("pmid")) or (identifier if source == "MED" else "")
    return pmid if re.fullmatch(r"\d{1,9}", pmid) else None


def _pmcid(record: dict[str, Any], source: str, identifier: str) -> str | None:
    pmcid = (_text(record.get("pmcid")) or (identifier if source == "PMC" else "")).upper()
    return pmcid if re.fullmatch(r"PMC\d+", pmcid) else None


def _url(meta: EvidenceMetadata, source: str, identifier: str) -> str:
    """The address by DOI, else by PMID, else the page of Europe PMC."""
    if meta.doi:
        return f"https://doi.org/{quote(meta.doi, safe='/:;()._-')}"
    if meta.pmid:
        return f"https://pubmed.ncbi.nlm.nih.gov/{meta.pmid}/"
    page = (source, identifier) if source and identifier else ("PMC", meta.pmcid or identifier)
    return f"https://europepmc.org/article/{'/'.join(quote(part, safe='') for part in page)}"


def _journal(record: dict[str, Any]) -> str | None:
    """The journal, abbreviated as in reference lists; of a preprint its server."""
    journal = _dict(_dict(record.get("journalInfo")).get("journal"))
    names = (
        *(journal.get(key) for key in ("isoabbreviation", "ISOAbbreviation", "title")),
        record.get("journalTitle"),
        _dict(record.get("bookOrReportDetails")).get("publisher"),
    )
    return next((clean_markup(name).rstrip(".") for name in map(_text, names) if name), None)


def _volume_pages(record: dict[str, Any]) -> str | None:
    """As in ``351(9103):637-641``, without what is a placeholder."""
    info = _dict(record.get("journalInfo"))
    volume = _text(info.get("volume") or record.get("journalVolume"))
    issue = _text(info.get("issue") or record.get("issue"))
    pages = _text(record.get("pageInfo"))
    placed = volume + (f"({issue})" if issue and issue.lower() != "forthcoming" else "")
    shown = (placed, "" if pages.lower() == "not available" else pages)
    return ":".join(part for part in shown if part) or None


def _date(record: dict[str, Any]) -> str:
    """Year, and month if one is known, of the issue; else the day of first publication.

    The day of first publication is a guess of Europe PMC when the issue has only a year.
    """
    info = _dict(record.get("journalInfo"))
    year = _number(info.get("yearOfPublication"))
    month = _number(info.get("monthOfPublication")) or 0
    if year and 1000 <= year <= 9999:
        return f"{year}-{month:02}" if 1 <= month <= 12 else str(year)
    first = _text(record.get("firstPublicationDate"))
    if _ISO_DATE.fullmatch(first):
        return first
    listed = _text(record.get("pubYear"))
    return listed if re.fullmatch(r"\d{4}", listed) else ""


def _authors(record: dict[str, Any]) -> tuple[str, ...]:
    """Persons and groups in order; of a record without a list, the parts of its line of authors."""
    names = []
    for author in _dicts(record, "authorList", "author"):
        parts = (_text(author.get("lastName")), _text(author.get("initials")))
        whole = _text(author.get("fullName")) or _text(author.get("collectiveName"))
        names.append(clean_markup(whole or " ".join(filter(None, parts))))
    line = _text(record.get("authorString")).rstrip(".")
    return _unique(names) or _unique(clean_markup(name) for name in line.split(", "))


def _mesh(record: dict[str, Any]) -> Iterator[str]:
    """Headings as ``Descriptor`` or ``Descriptor/qualifier``; a major topic ends in ``*``."""
    for heading in _dicts(record, "meshHeadingList", "meshHeading"):
        name = _text(heading.get("descriptorName"))
        own = [f"{name}{_major(heading)}"]
        named = [
            f"{name}/{_text(part.get('qualifierName'))}{_major(part)}"
            for part in _dicts(heading, "meshQualifierList", "meshQualifier")
            if _text(part.get("qualifierName"))
        ]
        if name:
            yield from (named if named and not _major(heading) else [*own, *named])


def _major(part: dict[str, Any]) -> str:
    return "*" if _text(part.get("majorTopic_YN")) == "Y" else ""


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    """A list; a single item as a list of it."""
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def _dicts(record: dict[str, Any], outer: str, inner: str) -> list[dict[str, Any]]:
    items = _list(_dict(record.get(outer)).get(inner))
    return [item for item in items if isinstance(item, dict)]


def _text(value: Any) -> str:
    """A text, or a whole number as text, in characters that any file can hold; else ''."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    return str(value).encode("utf-8", "replace").decode("utf-8").strip()


def _number(value: Any) -> int | None:
    text = _text(value)
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 12 else None


def _unique(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for text in texts if text))
