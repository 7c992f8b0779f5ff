"""When two records are the same work, and when two works belong to the same study."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import get_args
from urllib.parse import quote, unquote, urlsplit

from deepcritical.domain.evidence import Citation, Evidence, EvidenceMetadata, Integrity, SourceName
from deepcritical.domain.grading import is_retracted
from deepcritical.domain.text import fold

__all__ = [
    "canonical_ids",
    "is_nct",
    "merge_evidence",
    "normalised_doi",
    "normalised_title",
    "record_url",
    "study_groups",
    "study_links",
    "trials_in",
]

_DOI = re.compile(r"10\.\d{4,9}/\S+", re.IGNORECASE)
_NCT = re.compile(r"\bNCT\d{8}\b", re.IGNORECASE)
_NCT_WRITTEN = re.compile(r"\bNCT[\s:#-]{0,2}(\d{8})\b", re.IGNORECASE)
_PMID_URL = re.compile(
    r"(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed|"
    r"europepmc\.org/(?:article|abstract)/med)/(\d+)",
    re.IGNORECASE,
)
_NCT_URL = re.compile(r"clinicaltrials\.gov/.*\b(NCT\d{8})\b", re.IGNORECASE)
_PMCID_URL = re.compile(r"(?:ncbi\.nlm\.nih\.gov|europepmc\.org)/.*\b(PMC\d+)\b", re.IGNORECASE)
_NOT_PLAIN = re.compile(r"[^\w\s]")


def normalised_doi(doi: str | None) -> str | None:
    """A lower-case DOI without a resolver prefix or trailing punctuation; None if there is none."""
    match = _DOI.search(unquote(doi)) if doi else None
    return match.group().rstrip(".,;)").lower() if match else None


def normalised_title(title: str) -> str:
    """A title for exact comparison: folded, without punctuation."""
    return re.sub(r"\s+", " ", _NOT_PLAIN.sub(" ", fold(title))).strip()


def _url_ids(url: str) -> set[str]:
    ids: set[str] = set()
    if match := _PMID_URL.search(url):
        ids.add(f"pmid:{match.group(1)}")
    if match := _NCT_URL.search(url):
        ids.add(f"nct:{match.group(1).upper()}")
    if match := _PMCID_URL.search(url):
        ids.add(f"pmcid:{match.group(1).upper()}")
    if "doi.org" in url.lower() and (doi := normalised_doi(url)):
        ids.add(f"doi:{doi}")
    if not ids and (parts := urlsplit(url)).netloc:
        ids.add(
            f"url:{parts.netloc.lower().removeprefix('www.')}{parts.path.rstrip('/')}"
            f"{'?' + parts.query if parts.query else ''}"
        )
    return ids


def canonical_ids(evidence: Evidence) -> frozenset[str]:
    """All ids that name this record, such as ``pmid:26890736`` or ``doi:10.3233/jad-150493``.

    Records that share one are the same work. A record without any is named by its normalised title.
    """
    meta = evidence.metadata
    ids = _url_ids(evidence.citation.url)
    if meta.pmid:
        ids.add(f"pmid:{meta.pmid.strip()}")
    if meta.pmcid:
        ids.add(f"pmcid:{meta.pmcid.strip().upper()}")
    if doi := normalised_doi(meta.doi):
        ids.add(f"doi:{doi}")
    if meta.nct_id:
        ids.add(_trial_id(meta.nct_id.strip().upper()))
    return frozenset(ids or {f"title:{normalised_title(evidence.citation.title)}"})


def _trial_id(number: str) -> str:
    """``nct:`` for ClinicalTrials.gov; other registers have numbers of their own."""
    return f"nct:{number}" if is_nct(number) else f"registry:{number}"


def is_nct(number: str) -> bool:
    """Whether a trial's number is one of ClinicalTrials.gov."""
    return bool(_NCT.fullmatch(number.strip()))


def _trial_url(number: str) -> str:
    """ClinicalTrials.gov for its own; the WHO's search portal holds what other registers send."""
    if is_nct(number):
        return f"https://clinicaltrials.gov/study/{number}"
    return f"https://trialsearch.who.int/Trial2.aspx?TrialID={quote(number)}"


def record_url(meta: EvidenceMetadata) -> str:
    """The stable address of a record by its best id; '' when it has none."""
    if meta.nct_id:
        return _trial_url(meta.nct_id.strip())
    if meta.pmid:
        return f"https://pubmed.ncbi.nlm.nih.gov/{meta.pmid}/"
    if meta.pmcid:
        return f"https://pmc.ncbi.nlm.nih.gov/articles/{meta.pmcid}/"
    if doi := normalised_doi(meta.doi):
        return f"https://doi.org/{doi}"
    return ""


def trials_in(text: str) -> tuple[str, ...]:
    """The ids of trials of ClinicalTrials.gov that a text names, such as ``nct:NCT01965756``."""
    return tuple(dict.fromkeys(f"nct:NCT{digits}" for digits in _NCT_WRITTEN.findall(text)))


def study_links(evidence: Evidence) -> frozenset[str]:
    """Ids of other records of the same study.

    They are declared links, and the trial id that a paper names in its text. A review or a pooled
    analysis names trials that it did not run, so it links nothing by its text.
    """
    types = (
        " ".join(evidence.metadata.publication_types).lower()
        + " "
        + evidence.citation.title.lower()
    )
    is_review = "review" in types or "meta-analysis" in types
    named = set(trials_in(evidence.content))
    if is_review or len(named) > 1 or evidence.metadata.kind == "trial":
        named = set()
    return frozenset(named | set(evidence.metadata.linked_ids)) - canonical_ids(evidence)


def study_groups(records: Mapping[str, Evidence]) -> tuple[tuple[str, ...], ...]:
    """Evidence ids grouped by study, in order of first appearance.

    The records of a study share an id, link to one another or to the same absent record.
    """
    group_of = {key: key for key in records}

    def root(key: str) -> str:
        while group_of[key] != key:
            key = group_of[key]
        return key

    owner: dict[str, str] = {}
    for key, record in records.items():
        for identifier in canonical_ids(record):
            owner.setdefault(identifier, key)
    for key, record in records.items():
        for identifier in canonical_ids(record) | study_links(record):
            holder = owner.setdefault(identifier, key)
            first, second = sorted((root(key), root(holder)), key=list(records).index)
            group_of[second] = first
    groups: dict[str, list[str]] = {}
    for key in records:
        groups.setdefault(root(key), []).append(key)
    return tuple(tuple(members) for members in groups.values())


_IDS = ("pmid", "pmcid", "doi", "nct_id")
_UNITED = (
    "linked_ids",
    "publication_types",
    "conditions",
    "interventions",
    "mesh_terms",
    "chemicals",
    "notices",
)


def merge_evidence(first: Evidence, second: Evidence) -> Evidence:
    """One record out of two of the same work.

    No field is lost; where both have a value, that of the source which curates the record is kept
    (`SourceName`, in its order), and of one source that with the longer text, whichever came first.
    Lists are united, what is worst of its integrity and a title that marks a retraction win. Its
    own ids are those that came first; a second id of one kind is kept as a link.
    """
    ids = {**_known_ids(second), **_known_ids(first)}
    first, second = sorted((first, second), key=_precedence)
    meta = {**_known(second.metadata), **_known(first.metadata), **ids}
    for name in _UNITED:
        united = (*getattr(first.metadata, name), *getattr(second.metadata, name))
        meta[name] = tuple(dict.fromkeys(united))
    meta["integrity"] = min(
        (first.metadata.integrity, second.metadata.integrity), key=get_args(Integrity).index
    )
    longer = max((first, second), key=lambda e: (len(e.content), e.content))
    meta["text_kind"] = longer.metadata.text_kind
    citation = {**dict(first.citation), **_known(second.citation), **_known(first.citation)}
    citation["title"] = max((first, second), key=is_retracted).citation.title
    merged = Evidence(
        content=longer.content,
        citation=Citation.model_validate(citation),
        relevance_score=max(first.relevance_score, second.relevance_score),
        metadata=EvidenceMetadata.model_validate(meta),
    )
    lost = (canonical_ids(first) | canonical_ids(second)) - canonical_ids(merged)
    links = tuple(dict.fromkeys((*merged.metadata.linked_ids, *sorted(lost))))
    metadata = merged.metadata.model_copy(update={"linked_ids": links})
    return merged.model_copy(update={"metadata": metadata})


def _known_ids(record: Evidence) -> dict[str, object]:
    return {name: value for name, value in _known(record.metadata).items() if name in _IDS}


def _precedence(record: Evidence) -> tuple[int, int, str]:
    source = get_args(SourceName).index(record.citation.source)
    return source, -len(record.content), record.model_dump_json(exclude={"relevance_score"})


def _known(model: Citation | EvidenceMetadata) -> dict[str, object]:
    return {name: value for name, value in _fields(model) if value not in (None, "", ())}


def _fields(model: Citation | EvidenceMetadata) -> Iterable[tuple[str, object]]:
    yield from model
