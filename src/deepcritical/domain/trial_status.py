"""Status of a registered trial by its entry; an old entry is said to be old."""

from __future__ import annotations

import re

from deepcritical.domain.evidence import Evidence
from deepcritical.domain.patterns import bounded

_STALE = bounded(
    r"\bstatus\b[^;]{0,80}\b(?:out of date|older|outdated|not current)\b|"
    r"\bdisagree on the status\b|"
    r"\b(?:old|20\d\d) copy of the registry|\bregistry list of (?:19|20)\d\d",
    re.IGNORECASE,
)
"""A note that says that the status of a registry entry may have changed since."""
_RUNNING = frozenset(
    {"RECRUITING", "ACTIVE_NOT_RECRUITING", "NOT_YET_RECRUITING", "ENROLLING_BY_INVITATION"}
)


def is_under_way(record: Evidence, today: str) -> bool:
    """Whether a trial is under way by its registry entry, and its planned end is not past."""
    meta = record.metadata
    if meta.kind != "trial" or meta.why_stopped or meta.has_results:
        return False
    year = re.search(r"\b(?:19|20)\d\d\b", meta.completion_date or "")
    return meta.status in _RUNNING and not (year and year.group() < today[:4])


def is_current(record: Evidence) -> bool:
    """Whether no note says that the status is of an old copy of the registry."""
    return not _STALE.search(record.metadata.note or "")


def told_status(record: Evidence) -> str:
    """The status in words; one that may change, and that the record's note calls old, with that."""
    meta = record.metadata
    return status_words(meta.status or "", meta.note or "", record.citation.date)


def status_words(status: str, note: str, date: str) -> str:
    """The same from a status in capitals, the note kept with its entry, and the entry's date."""
    told = status.replace("_", " ").lower()
    if status in _RUNNING and _STALE.search(note):
        return f"{told} (as recorded{f' in {date[:4]}' if date else ''})"
    return told
