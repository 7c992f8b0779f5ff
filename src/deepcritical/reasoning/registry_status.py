"""The status of a registered trial, as of the record: an old entry is said to be old."""

from __future__ import annotations

import re

from deepcritical.domain.evidence import Evidence

__all__ = ["is_under_way", "status_and_size", "told_status"]

_STALE = re.compile(
    r"\bstatus\b[^;]{0,40}\b(?:out of date|older|outdated|not current)\b|"
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


def told_status(record: Evidence) -> str:
    """The status in words; one that may change, and that the record's note calls old, with that."""
    status = (record.metadata.status or "").replace("_", " ").lower()
    if record.metadata.status in _RUNNING and _STALE.search(record.metadata.note or ""):
        year = record.citation.date[:4]
        return f"{status} (as recorded{f' in {year}' if year else ''})"
    return status


def status_and_size(record: Evidence) -> str:
    """Status with the people enrolled, or planned."""
    size = record.metadata.enrollment or record.metadata.planned_enrollment
    status = told_status(record)
    return f"{status}, {size:,} participants" if size else status
