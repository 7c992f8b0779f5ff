"""Finds the ids that a sentence names, and the records that they belong to."""

from __future__ import annotations

import re
from collections.abc import Mapping

from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.study.identity import canonical_ids, normalised_doi
from deepcritical.domain.text.markdown import unescape_markdown
from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.spans import body_sentences

_MARKERS = bounded(r"\s*(?<!\\)\[(?:E?\d[\dE\s,;–-]*)\](?!\()")
_KEY = bounded(r"\[(E\d+(?:\s*[,;]\s*E\d+)*)\]")
_PMID = bounded(r"\bPMID[\s:#]*(\d{1,9})\b", re.IGNORECASE)
_PMCID = bounded(r"\bPMC(?:ID)?[\s:#]*(?:PMC)?(\d{3,9})\b")
_NCT = bounded(r"\bNCT[\s:#-]{0,2}(\d{8})\b", re.IGNORECASE)
_IS_DOI = bounded(r"(?:doi[\s:]*|https?://(?:dx\.)?doi\.org/)?10\.\d{4,9}/\S+", re.IGNORECASE)
_DOI = bounded(r"\b10\.\d{4,9}/[^\s\])>;,]+", re.IGNORECASE)
_IDS = bounded(
    r"\(?\b(?:PMID|PMCID|DOI)[\s:#]*[^\s)\];,]+\)?|\bNCT\d{8}\b|\b10\.\d{4,9}/\S+", re.IGNORECASE
)


def cited_records(sentence: str, records: Mapping[str, Evidence]) -> tuple[tuple[str, ...], str]:
    """The keys of the records that a sentence names, else all of them, and an id that is wrong."""
    named: dict[str, None] = {}
    for key in keys_in(sentence):
        if key in records:
            named[key] = None
        elif "" not in records:
            return (), f"[{key}] is no record of this run"
    ids = ids_in(sentence)
    for wanted in ids:
        bearing = [key for key, record in records.items() if _has_id(record, wanted)]
        fitting = [key for key in bearing if key in named] if named else bearing
        if not fitting:
            return (), f"{wanted} is not the id of the record cited"
        if not named or len(ids) > 1:
            named.update(dict.fromkeys(fitting))
    return tuple(named or records), ""


def keys_in(sentence: str) -> tuple[str, ...]:
    """The evidence ids that a sentence cites, as in ``[E1, E12]``."""
    return tuple(key for group in _KEY.findall(sentence) for key in re.findall(r"E\d+", group))


def ids_in(sentence: str) -> tuple[str, ...]:
    """The canonical ids that a sentence names."""
    found = [f"pmid:{n}" for n in _PMID.findall(sentence)]
    found += [f"pmcid:PMC{n}" for n in _PMCID.findall(sentence)]
    found += [f"nct:NCT{n}" for n in _NCT.findall(sentence)]
    found += [f"doi:{doi}" for m in _DOI.findall(sentence) if (doi := normalised_doi(m))]
    return tuple(dict.fromkeys(found))


def id_named(text: str) -> str | None:
    """Return the canonical id that a text is, such as ``PMID 26890736`` or a bare number of it.

    None where it is none, or more than one. A DOI by itself is read whole, with its brackets.
    """
    given = text.strip()
    if _IS_DOI.fullmatch(given) and (doi := normalised_doi(given)):
        return f"doi:{doi}"
    bare = given.isascii() and given.isdecimal() and len(given) <= 9
    found = ids_in(f"PMID {given}" if bare else given)
    is_path = given.startswith("/")
    return found[0] if len(found) == 1 and len(given.split()) <= 2 and not is_path else None


def _has_id(record: Evidence, wanted: str) -> bool:
    if wanted in canonical_ids(record) or wanted in record.metadata.linked_ids:
        return True
    # A paper names the registration of its own trial, and its own DOI.
    kind, _, number = wanted.partition(":")
    text = "".join(s.text for s in body_sentences(record.content, record.citation.title)).lower()
    return kind in ("nct", "doi") and number.lower() in re.sub(r"\s+", "", text)


def plain(sentence: str) -> str:
    """The sentence without markers, ids and escapes."""
    bare = _IDS.sub(" ", _MARKERS.sub("", sentence))
    return " ".join(unescape_markdown(bare).split())
