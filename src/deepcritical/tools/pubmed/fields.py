"""Reads the fields of one PubMed record; one that is missing or odd is left out.

Names of elements are those of the PubMed DTD (pubmed_250101.dtd) and of NLM's "MEDLINE/PubMed XML
Element Descriptions".
"""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple
from xml.etree import ElementTree as ET

from deepcritical.domain.evidence.record import Integrity
from deepcritical.domain.study.identity import normalised_doi, trials_in
from deepcritical.tools.base import WORST_FIRST
from deepcritical.tools.markup import children_of, plain_text, text_at, texts_at

_ARTICLE = "MedlineCitation/Article"
_BOOK = "BookDocument"

# --- ids ---------------------------------------------------------------------------------------

_OWN_IDS = ("PubmedData/ArticleIdList", f"{_BOOK}/ArticleIdList", "PubmedBookData/ArticleIdList")
"""The record's own lists; those of `ReferenceList` name the papers that it cites."""
_PMCID = re.compile(r"PMC[0-9]+")


def pmid_of(record: ET.Element) -> str | None:
    """The PMID."""
    texts = (
        *texts_at(record, "MedlineCitation/PMID"),
        *texts_at(record, f"{_BOOK}/PMID"),
        *_own_ids(record, "pubmed"),
    )
    return next((text for text in texts if is_pmid(text)), None)


def pmcid_of(record: ET.Element) -> str | None:
    """The PMCID; older records have it as an `OtherID` only."""
    texts = (*_own_ids(record, "pmc"), *texts_at(record, "MedlineCitation/OtherID"))
    found = (_PMCID.search(text.upper()) for text in texts)
    return next((match.group() for match in found if match), None)


def doi_of(record: ET.Element) -> str | None:
    """The DOI, lower-case, of the record's own ids, else of its `ELocationID`."""
    places = (
        place
        for parent in (_ARTICLE, _BOOK)
        for place in children_of(record, f"{parent}/ELocationID[@EIdType='doi']")
        if place.get("ValidYN") != "N"
    )
    texts = (*_own_ids(record, "doi"), *map(plain_text, places))
    return next((doi for doi in map(normalised_doi, texts) if doi), None)


def trials_of(record: ET.Element) -> tuple[str, ...]:
    """NCT ids of the trials that the paper reports on, as its `DataBankList` says."""
    return trials_in(" ".join(texts_at(record, f"{_ARTICLE}/DataBankList//AccessionNumber")))


def _own_ids(record: ET.Element, kind: str) -> list[str]:
    return [
        text
        for parent in _OWN_IDS
        for text in texts_at(record, f"{parent}/ArticleId[@IdType='{kind}']")
    ]


def is_pmid(text: str) -> bool:
    """Return whether a text is a PMID."""
    return re.fullmatch(r"[1-9][0-9]{0,9}", text) is not None


# --- text --------------------------------------------------------------------------------------


def abstract_of(record: ET.Element) -> str:
    """The abstract, each labelled section as ``LABEL: text`` and a paragraph of its own.

    The line on copyright is no part of it. An abstract in another language, or one written for
    patients (`OtherAbstract`), stands in only where there is no abstract.
    """
    for parent in (f"{_ARTICLE}/Abstract", f"{_BOOK}/Abstract"):
        for abstract in children_of(record, parent):
            if text := _sections(abstract):
                return text
    others = children_of(record, "MedlineCitation/OtherAbstract")
    others.sort(key=lambda other: other.get("Language", "eng") != "eng")
    return next((text for text in map(_sections, others) if text), "")


def _sections(abstract: ET.Element) -> str:
    return "\n\n".join(filter(None, map(_section, abstract.findall("AbstractText"))))


def _section(element: ET.Element) -> str:
    text = plain_text(element)
    label = " ".join(element.get("Label", "").split()).rstrip(":").rstrip()
    if not (text and label) or text.upper().startswith(f"{label.upper()}:"):
        return text
    return f"{label}: {text}"


_LICENCE = re.compile(
    r"\bCC0(?: \d\.\d)?\b|\bCC[ -]BY(?:[- ](?:NC|ND|SA))*(?: ?\d\.\d)?\b|"
    r"\bCreative Commons(?: (?-i:[A-Z])[\w-]*)*(?: \d\.\d)?|\bpublic domain\b|"
    r"\bOpen Government Licen[cs]e(?: v?\d\.\d)?",
    re.IGNORECASE,
)


def licence_of(record: ET.Element) -> str | None:
    """The licence that the line on copyright states, in its words; a mere © is none."""
    for parent in (_ARTICLE, _BOOK):
        match = _LICENCE.search(text_at(record, f"{parent}/Abstract/CopyrightInformation"))
        if match:
            return match.group()
    return None


# --- authors -----------------------------------------------------------------------------------

_AUTHOR_LISTS = (
    f"{_ARTICLE}/AuthorList",
    f"{_BOOK}/AuthorList[@Type='authors']",
    f"{_BOOK}/AuthorList",
    f"{_BOOK}/Book/AuthorList",
)


def authors_of(record: ET.Element) -> tuple[str, ...]:
    """All authors, people as ``Family GI``, groups by their name.

    A chapter's own authors come before the editors of its book. A name marked as an error
    (`ValidYN` of N) is left out, because its correction stands beside it.
    """
    for path in _AUTHOR_LISTS:
        people = [
            author for found in children_of(record, path) for author in found.findall("Author")
        ]
        names = filter(None, (_name(author) for author in people if author.get("ValidYN") != "N"))
        if authors := tuple(names):  # two people may share a name
            return authors
    return ()


def _name(author: ET.Element) -> str:
    """A suffix such as Jr is left out: running text would take it for the family name."""
    family, fore = text_at(author, "LastName"), text_at(author, "ForeName", "FirstName")
    if not family:
        return text_at(author, "CollectiveName") or fore
    initials = text_at(author, "Initials") or "".join(
        part[0] for part in re.split(r"[\s.-]+", fore) if part
    )
    return f"{family} {initials.replace('.', '').replace(' ', '')}".strip()


# --- date, volume, pages -----------------------------------------------------------------------

_DATES = (
    f"{_ARTICLE}/Journal/JournalIssue/PubDate",
    f"{_BOOK}/Book/PubDate",
    f"{_BOOK}/ContributionDate",
    f"{_ARTICLE}/ArticleDate",
    "PubmedData/History/PubMedPubDate[@PubStatus='pubmed']",
    "PubmedData/History/PubMedPubDate",
    "PubmedBookData/History/PubMedPubDate",
)
"""Best first: the date of the issue, or of the book, is PubMed's Date of Publication [DP]."""
_MONTHS = (
    "january february march april may june july august september october november december".split()
)
_YEAR = re.compile(r"(?<![0-9])(1[5-9]|20)[0-9]{2}(?![0-9])")
_WORD_AND_DAY = re.compile(r"\b([A-Za-z]{3,9})\b\.?(?:\s+([0-9]{1,2})\b)?")


def date_of(record: ET.Element) -> str:
    """ISO date as exact as it is given; '' when there is none.

    A range, such as the `MedlineDate` "1978 Jul-Sep", is given by its beginning; a season by its
    year, because its months differ with the hemisphere.
    """
    places = (place for path in _DATES for place in children_of(record, path))
    return next((found for found in map(_iso_date, places) if found), "")


def _iso_date(element: ET.Element) -> str:
    loose = text_at(element, "MedlineDate")
    year = _YEAR.search(text_at(element, "Year") or loose or plain_text(element))
    if not year:
        return ""
    month, day = text_at(element, "Month"), text_at(element, "Day")
    if loose and not month:
        month, day = next(
            (
                (found.group(1), found.group(2) or "")
                for found in _WORD_AND_DAY.finditer(loose)
                if _month(found.group(1))
            ),
            ("", ""),
        )
    return _joined_date(int(year.group()), _month(month), day)


def _month(text: str) -> int | None:
    if re.fullmatch(r"0?[1-9]|1[0-2]", text):
        return int(text)
    name = re.split(r"[-–./ ]", text.lower())[0]
    numbers = (n for n, month in enumerate(_MONTHS, 1) if month.startswith(name))
    return next(numbers, None) if len(name) >= 3 else None


def _joined_date(year: int, month: int | None, day: str) -> str:
    if month is None:
        return str(year)
    if re.fullmatch(r"[0-9]{1,2}", day):
        try:
            return date(year, month, int(day)).isoformat()
        except ValueError:
            pass  # no such day: the month stands
    return f"{year}-{month:02d}"


def volume_pages_of(record: ET.Element) -> str | None:
    """``367(2):107-14``, as far as it is known."""
    issue = record.find(f"{_ARTICLE}/Journal/JournalIssue")
    volume, number = text_at(issue, "Volume"), text_at(issue, "Issue")
    pages = record.find(f"{_ARTICLE}/Pagination")
    if pages is None:
        pages = record.find(f"{_BOOK}/Pagination")
    ends = (text_at(pages, "StartPage"), text_at(pages, "EndPage"))
    span = text_at(pages, "MedlinePgn") or "-".join(filter(None, ends))
    place = f"{volume}({number})" if number else volume
    return ":".join(filter(None, (place, span))) or None


# --- index terms -------------------------------------------------------------------------------


def mesh_of(record: ET.Element) -> tuple[str, ...]:
    """MeSH headings; one that is a major topic, itself or by a qualifier, ends in ``*``.

    Supplementary concepts (diseases, protocols, organisms) follow.
    """
    headings = children_of(record, "MedlineCitation/MeshHeadingList/MeshHeading")
    terms = [*map(_heading, headings)]
    terms += texts_at(record, "MedlineCitation/SupplMeshList/SupplMeshName")
    return tuple(dict.fromkeys(term for term in terms if term))


def _heading(heading: ET.Element) -> str:
    descriptor = text_at(heading, "DescriptorName")
    is_major = any(part.get("MajorTopicYN") == "Y" for part in heading)
    return f"{descriptor}*" if descriptor and is_major else descriptor


# --- retractions and corrections ---------------------------------------------------------------


class Corrections(NamedTuple):
    """The content of `CommentsCorrectionsList`."""

    integrity: Integrity
    notices: tuple[str, ...]
    linked_ids: tuple[str, ...]
    """Other versions of the same study: preprint, update, republication."""


class _Kind(NamedTuple):
    notice: str
    integrity: Integrity = "not_checked"
    same_study: bool = False


_KINDS = {
    "RetractionIn": _Kind("retraction", "retracted"),
    "RetractedandRepublishedIn": _Kind("retraction", "retracted", True),
    "ExpressionOfConcernIn": _Kind("concern", "concern"),
    # Part of the results are withdrawn: not a retraction of the work, more than an erratum.
    "PartialRetractionIn": _Kind("partial retraction", "concern"),
    "ErratumIn": _Kind("erratum", "corrected"),
    "CorrectedandRepublishedIn": _Kind("erratum", "corrected", True),
    "RepublishedIn": _Kind("republication", same_study=True),
    "UpdateIn": _Kind("update", same_study=True),
    "ReprintIn": _Kind("reprint", same_study=True),
    # From here on this record is the notice, or the later version, and a verb says so.
    "RetractionOf": _Kind("retracts"),
    "PartialRetractionOf": _Kind("retracts in part"),
    "RetractedandRepublishedFrom": _Kind("republishes after retraction", same_study=True),
    "ExpressionOfConcernFor": _Kind("raises concern on"),
    "ErratumFor": _Kind("corrects"),
    "CorrectedandRepublishedFrom": _Kind("republishes after correction", same_study=True),
    "RepublishedFrom": _Kind("republishes", same_study=True),
    "UpdateOf": _Kind("updates", same_study=True),
    "ReprintOf": _Kind("reprints", same_study=True),
}
"""Values of `RefType`; those left out (CommentIn, Cites ...) say nothing about the record."""


def corrections_of(record: ET.Element) -> Corrections:
    """Retractions, concerns, errata and other versions, as far as PubMed links them.

    Without any, integrity stays `not_checked`: PubMed does not know of every retraction.
    """
    entries = [
        (_KINDS[entry.get("RefType", "")], _targets(entry))
        for entry in children_of(
            record, "MedlineCitation/CommentsCorrectionsList/CommentsCorrections"
        )
        if entry.get("RefType") in _KINDS
    ]
    found = {kind.integrity for kind, _ in entries}
    return Corrections(
        integrity=min(found, key=WORST_FIRST.index, default="not_checked"),
        notices=tuple(
            dict.fromkeys(f"{kind.notice} {named[0]}".strip() for kind, named in entries)
        ),
        linked_ids=tuple(
            dict.fromkeys(
                target
                for kind, named in entries
                for target in named
                if kind.same_study and target.startswith(("pmid:", "doi:"))
            )
        ),
    )


def _targets(entry: ET.Element) -> list[str]:
    """The canonical ids of the other record, else how it is cited; never empty."""
    pmid = next((text for text in texts_at(entry, "PMID") if is_pmid(text)), None)
    source = text_at(entry, "RefSource")
    doi = normalised_doi(source)
    ids = [f"pmid:{pmid}"] if pmid else []
    return [*ids, f"doi:{doi}"] if doi else ids or [source]
