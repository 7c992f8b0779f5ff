"""Decides which records are the same work, and which works belong to the same study."""

import re
from collections.abc import Iterator, Mapping
from itertools import combinations
from types import MappingProxyType
from typing import NamedTuple, get_args
from urllib.parse import quote, unquote, urlsplit

from deepcritical.domain.evidence.authors import author_name
from deepcritical.domain.evidence.kinds import is_retracted
from deepcritical.domain.evidence.record import (
    Citation,
    Evidence,
    EvidenceMetadata,
    Integrity,
    SourceName,
)
from deepcritical.domain.study.reading import StudyReading
from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.spans import fold

_DOI = bounded(r"10\.\d{4,9}/\S+", re.IGNORECASE)
_NCT = bounded(r"\bNCT\d{8}\b", re.IGNORECASE)
_REGISTERS = tuple(
    bounded(rf"\b({number})\b", re.IGNORECASE)
    for number in (
        r"ISRCTN[ :]?\d{8}",
        r"ACTRN[ :]?\d{14}",
        r"ChiCTR-?(?:[A-Z]{2,4}-)?\d{8,10}",
        r"UMIN[ :]?\d{9}",
        r"DRKS[ :]?\d{8}",
        r"IRCT\d{8,20}N\d{1,3}",
        r"CTRI/\d{4}/\d{2,3}/\d{6}",
        r"\d{4}-\d{6}-\d{2}",
    )
)
"""Numbers of trials in registers of the WHO's network; the last one is that of Europe."""
_NCT_WRITTEN = bounded(r"\bNCT[\s:#-]{0,2}(\d{8})\b", re.IGNORECASE)
_PMID_URL = bounded(
    r"(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed|"
    r"europepmc\.org/(?:article|abstract)/med)/(\d+)",
    re.IGNORECASE,
)
_NCT_URL = bounded(r"clinicaltrials\.gov/.*\b(NCT\d{8})\b", re.IGNORECASE)
_PMCID_URL = bounded(r"(?:ncbi\.nlm\.nih\.gov|europepmc\.org)/.*\b(PMC\d+)\b", re.IGNORECASE)
_NOT_PLAIN = bounded(r"[^\w\s]")


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
    if pmid := (meta.pmid or "").strip():
        ids.add(f"pmid:{pmid}")
    if pmcid := (meta.pmcid or "").strip():
        ids.add(f"pmcid:{pmcid.upper()}")
    if doi := normalised_doi(meta.doi):
        ids.add(f"doi:{doi}")
    if number := (meta.nct_id or "").strip():
        kind = "nct" if is_nct(number) else "registry"
        ids.add(f"{kind}:{number.upper()}")
    return frozenset(ids or {f"title:{normalised_title(evidence.citation.title)}"})


def is_nct(number: str) -> bool:
    """Return whether a trial's number is one of ClinicalTrials.gov."""
    return bool(_NCT.fullmatch(number.strip()))


def record_url(meta: EvidenceMetadata) -> str:
    """The stable address of a record by its best id; '' when it has none."""
    if meta.nct_id and is_nct(number := meta.nct_id.strip()):
        return f"https://clinicaltrials.gov/study/{number}"
    if meta.nct_id:  # the WHO's search portal holds what other registers send
        return f"https://trialsearch.who.int/Trial2.aspx?TrialID={quote(number)}"
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


def _registered_in(text: str) -> Iterator[set[str]]:
    """Yield the ids that a text names of each other register, as `canonical_ids` writes them."""
    for register in _REGISTERS:
        found = register.findall(text)
        yield {f"registry:{re.sub(r'[ :]', '', number).upper()}" for number in found}


def study_links(evidence: Evidence) -> frozenset[str]:
    """Ids of other records of the same study.

    They are declared links, and the trial id of each register that a paper names in its text. A
    review or a pooled analysis names trials that it did not run, so it links nothing by its text.
    """
    types = " ".join((*evidence.metadata.publication_types, evidence.citation.title)).lower()
    is_review = "review" in types or "meta-analysis" in types
    of_registers = [set(trials_in(evidence.content)), *_registered_in(evidence.content)]
    named = {one for numbers in of_registers if len(numbers) == 1 for one in numbers}
    if is_review or evidence.metadata.kind == "trial":
        named = set()
    return frozenset(named | set(evidence.metadata.linked_ids)) - canonical_ids(evidence)


def study_groups(
    records: Mapping[str, Evidence], readings: Mapping[str, StudyReading] = MappingProxyType({})
) -> tuple[tuple[str, ...], ...]:
    """Evidence ids grouped by study, in order of first appearance.

    The records of a study share an id, link to one another or to the same absent record, or report
    a trial of the same drugs in as many people.
    """
    group_of = {key: key for key in records}

    def root(key: str) -> str:
        while group_of[key] != key:
            key = group_of[key]
        return key

    place = {key: number for number, key in enumerate(records)}
    owner: dict[str, str] = {}
    for key, record in records.items():
        for identifier in canonical_ids(record):
            owner.setdefault(identifier, key)
    for key, record in records.items():
        for identifier in canonical_ids(record) | study_links(record):
            holder = owner.setdefault(identifier, key)
            first, second = sorted((root(key), root(holder)), key=place.__getitem__)
            group_of[second] = first
    for one, other in _reported_twice(records, readings):
        first, second = sorted((root(one), root(other)), key=place.__getitem__)
        group_of[second] = first
    groups: dict[str, list[str]] = {}
    for key in records:
        groups.setdefault(root(key), []).append(key)
    return tuple(tuple(members) for members in groups.values())


class _Trial(NamedTuple):
    """People, drugs and controls, which two reports of one trial have in common."""

    people: int
    drugs: frozenset[str]
    controls: frozenset[str]


_FEWEST, _MANY, _TOO_MANY = 30, 100, 500
"""People from which a number tells a trial: of the same authors, of several drugs, of any."""
_REVIEWS = frozenset({"systematic_review", "pooled_analysis", "narrative_review", "guideline"})


def _trial_of(reading: StudyReading) -> _Trial | None:
    """Return by what a report's trial is known; None where it is a round number of people."""
    people = reading.population.n_randomised or reading.population.n_analysed or 0
    is_trial = "trial" in reading.kinds and _REVIEWS.isdisjoint(reading.kinds)
    given = [i.drug or i.name for arm in reading.arms if not arm.control for i in arm.interventions]
    if not is_trial or people < _FEWEST or people % 10 == 0 or not given:
        return None
    controls = frozenset(arm.control for arm in reading.arms if arm.control)
    return _Trial(people, frozenset(map(fold, given)), controls)


def _reported_twice(
    records: Mapping[str, Evidence], readings: Mapping[str, StudyReading]
) -> Iterator[tuple[str, str]]:
    """Yield the reports that are of one trial, by its drugs and people, and by who reports it."""
    known: dict[int, list[tuple[str, _Trial]]] = {}
    for key, reading in readings.items():
        if key in records and (trial := _trial_of(reading)):
            known.setdefault(trial.people, []).append((key, trial))
    for reports in known.values():
        for (one, first), (other, second) in combinations(reports, 2):
            trial = _in_common(first, second)
            if trial and _is_reported_in(trial, records[one], records[other]):
                yield one, other


def _in_common(one: _Trial, other: _Trial) -> _Trial | None:
    """Return what two reports on as many people have in common; None if that is no trial.

    One of two reports may name further drugs, as of the background, where both name several.
    """
    drugs = one.drugs & other.drugs
    controls = one.controls & other.controls
    alike = one.drugs == other.drugs or (len(drugs) > 1 and drugs in (one.drugs, other.drugs))
    if not alike or (one.controls and other.controls and not controls):
        return None
    return _Trial(one.people, drugs, controls)


def _is_reported_in(trial: _Trial, one: Evidence, other: Evidence) -> bool:
    """Return whether two reports of such a trial are of the same one.

    Two of its authors are the same, by family name and first initial, or a group is. Without
    authors only a large trial, or one that compares drugs with each other, is told from others.
    """
    registered = [_registrations(record) for record in (one, other)]
    if all(registered) and registered[0].isdisjoint(registered[1]):
        return False
    authors = [set(map(_person, record.citation.authors)) for record in (one, other)]
    if all(authors):
        shared = authors[0] & authors[1]
        return len(shared) > 1 or any(is_group for _, _, is_group in shared)
    return trial.people >= (_MANY if len(trial.drugs) > 1 else _TOO_MANY)


def _person(author: str) -> tuple[str, str, bool]:
    name = author_name(author)
    return fold(name.family), fold(name.given)[:1], name.group


def _registrations(record: Evidence) -> set[str]:
    ids = canonical_ids(record) | study_links(record)
    return {one for one in ids if one.startswith(("nct:", "registry:"))}


_UNITED = (
    "linked_ids publication_types conditions interventions mesh_terms chemicals notices".split()
)
_OF_THE_TEXT = ("text_kind", "full_text_from", "tables_from", "page_starts")


def merge_evidence(*records: Evidence) -> Evidence:
    """One record out of some of the same work, whatever their order.

    No field is lost; where several have a value, that of the source which curates the record is
    kept (`SourceName`, in its order), and of one source that with the longer text. Lists are
    united, what is worst of their integrity and a title that marks a retraction win. A second id of
    one kind is kept as a link.

    A merged record no longer tells which source a field is from: merge all at once, because one
    after another may end otherwise.
    """
    ranked = sorted(records, key=_precedence)
    longest = max(ranked, key=lambda e: (len(e.content), e.content))
    meta: dict[str, object] = {}
    citation = dict(ranked[0].citation)
    for record in reversed(ranked):
        meta |= _known(record.metadata)
        citation |= _known(record.citation)
    for name in _UNITED:
        united = (value for record in ranked for value in getattr(record.metadata, name))
        meta[name] = tuple(dict.fromkeys(united))
    meta["integrity"] = min(
        (record.metadata.integrity for record in ranked), key=get_args(Integrity).index
    )
    for name in _OF_THE_TEXT:
        meta[name] = getattr(longest.metadata, name)
    citation["title"] = max(ranked, key=is_retracted).citation.title
    merged = Evidence(
        content=longest.content,
        citation=Citation.model_validate(citation),
        relevance_score=max(record.relevance_score for record in ranked),
        metadata=EvidenceMetadata.model_validate(meta),
    )
    return _linked(merged, frozenset().union(*map(canonical_ids, ranked)))


def _linked(merged: Evidence, ids: frozenset[str]) -> Evidence:
    """The record with those of its ids as links that no field of it holds."""
    lost = sorted(ids - canonical_ids(merged))
    links = tuple(dict.fromkeys((*merged.metadata.linked_ids, *lost)))
    metadata = merged.metadata.model_copy(update={"linked_ids": links})
    return merged.model_copy(update={"metadata": metadata})


def _precedence(record: Evidence) -> tuple[int, int, str]:
    source = get_args(SourceName).index(record.citation.source)
    return source, -len(record.content), record.model_dump_json(exclude={"relevance_score"})


def _known(model: Citation | EvidenceMetadata) -> dict[str, object]:
    return {name: value for name, value in dict(model).items() if value not in (None, "", ())}
