"""How a record of Europe PMC stands to others: notices on it, other versions, preprint, trial."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from deepcritical.domain.evidence import Citation, Evidence, EvidenceMetadata, Integrity
from deepcritical.domain.grading import is_retracted
from deepcritical.domain.identity import normalised_doi, trials_in
from deepcritical.tools.base import WORST_FIRST
from deepcritical.tools.json_values import as_text, dicts_at, unique

__all__ = ["integrity_of", "is_preprint", "links_of"]

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
    """Whether types or source say so."""
    named = any(kind.lower().startswith("preprint") for kind in types)
    return named or as_text(record.get("source")).upper() == "PPR"


def integrity_of(
    record: dict[str, Any], title: str, types: tuple[str, ...]
) -> tuple[Integrity, tuple[str, ...]]:
    """What types, title and links say; without a word of theirs nothing has been checked."""
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
