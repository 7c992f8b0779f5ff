"""Tells a look-up, which a search answers at once, from a question that needs research."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from deepcritical.answering.needs import inquiry_of
from deepcritical.answering.queries import need_queries
from deepcritical.domain.errors import QuestionError
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.identity import canonical_ids
from deepcritical.domain.patterns import bounded
from deepcritical.domain.question import SearchQuery
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.verification.ids import ids_in

_TRIALS = r"(?:clinical |randomi[sz]ed |controlled )*trials?|RCTs?|registrations?"
_PAPERS = (
    r"papers?|stud(?:y|ies)|publications?|articles?|(?:systematic )?reviews?|records?|"
    r"meta-?analys[ei]s|literature|preprints?"
)
_THINGS = rf"(?:{_TRIALS}|{_PAPERS})"
_NEW = r"latest|newest|(?:most )?recent(?:ly)?|new|ongoing|recruiting|current(?:ly)?|upcoming"
_STATUS = r"(?:(?:completed|terminated|withdrawn|suspended|stopped|open|active|planned)\s+)?"
_OPENERS = (
    rf"^(?:please\s+)?(?:the\s+)?(?:{_NEW})\s+(?:[\w-]+\s+){{0,2}}?{_THINGS}\b",
    r"^(?:please\s+)?(?:can you\s+)?(?:find|search(?:\s+(?:for|pubmed for))?|look\s+up|list|"
    r"show(?:\s+me)?|get|fetch|give\s+me)\b"
    rf"(?:\s+(?:all|any|some|the|me|{_NEW}))*\s+{_STATUS}(?:[\w-]+\s+){{0,2}}?{_THINGS}\b",
    rf"^(?:(?:what|which)(?:\s+(?:are|were)(?:\s+the)?)?|are\s+there(?:\s+any)?|any)\s+"
    rf"(?:(?:{_NEW})\s+)?{_STATUS}{_THINGS}\b",
    rf"^{_STATUS}{_THINGS}\s+(?:of|on|about|with|for|in)\b",
)
_LOOK_UP = tuple(bounded(pattern, re.IGNORECASE) for pattern in _OPENERS)
_IS_NEW = bounded(rf"\b(?:{_NEW})\b", re.IGNORECASE)
_IS_TRIALS = bounded(rf"\b(?:{_TRIALS})\b", re.IGNORECASE)
_BARE_PMID = bounded(r"\d{5,9}")
_LINK = bounded(
    r"^\W*(?:that\s+|which\s+)?(?:(?:of|on|about|with|for|in|test(?:s|ed|ing)?|"
    r"stud(?:y|ied|ying)|exist|there|are|were|is|the|have|has)\s+)+",
    re.IGNORECASE,
)
_REGISTRIES = ("clinicaltrials", "registry")
_STOPPED = ("TERMINATED", "WITHDRAWN", "SUSPENDED")
_STATUSES = {
    "recruiting": ("RECRUITING", "ENROLLING_BY_INVITATION"),
    "open": ("RECRUITING", "ENROLLING_BY_INVITATION"),
    "ongoing": ("RECRUITING", "ENROLLING_BY_INVITATION", "ACTIVE_NOT_RECRUITING"),
    "active": ("RECRUITING", "ENROLLING_BY_INVITATION", "ACTIVE_NOT_RECRUITING"),
    "upcoming": ("NOT_YET_RECRUITING",),
    "planned": ("NOT_YET_RECRUITING",),
    "completed": ("COMPLETED",),
    "stopped": _STOPPED,
    "terminated": ("TERMINATED",),
    "withdrawn": ("WITHDRAWN",),
    "suspended": ("SUSPENDED",),
}
"""What a registry calls what a user asks for."""


class LookUp(NamedTuple):
    """What is to be listed."""

    ids: tuple[str, ...]
    """Canonical ids of the very records that are wanted; empty for a list."""
    about: str
    """What the records of a list are about, in the user's words."""
    kind: Literal["trials", "records"]
    newest: bool
    """Whether the newest come first."""
    statuses: tuple[str, ...] = ()
    """Registry statuses of which one is wanted; empty for any."""


def read_look_up(message: str) -> LookUp | None:
    """The look-up that a message is; None for a question, which has an answer and no list."""
    text = message.strip()
    ids = (f"pmid:{text}",) if _BARE_PMID.fullmatch(text) else ids_in(text)
    opened = next((m for pattern in _LOOK_UP if (m := pattern.match(text))), None)
    if not ids and opened is None:
        return None
    about = _LINK.sub("", text[opened.end() :]) if opened else text
    said = opened[0] if opened else ""
    kind: Literal["trials", "records"] = "trials" if _IS_TRIALS.search(said) else "records"
    statuses = tuple(s for word, named in _STATUSES.items() if word in said.lower() for s in named)
    wanted = statuses if kind == "trials" else ()
    return LookUp(ids, about.strip(" ?.!"), kind, bool(_IS_NEW.search(said)), wanted)


def search_queries(message: str) -> tuple[SearchQuery, ...]:
    """The one query of a quick search, or one for each id that is looked up."""
    look_up = read_look_up(message)
    if look_up and look_up.ids:
        return tuple(SearchQuery(text=i.partition(":")[2]) for i in look_up.ids)
    about = (look_up.about if look_up else "") or message
    try:
        return need_queries(inquiry_of(about), EvidenceStore())[:1]
    except QuestionError:
        return (SearchQuery(text=about),)


def listed(look_up: LookUp, records: Mapping[str, Evidence]) -> dict[str, Evidence]:
    """The records that a look-up wants: those of its ids, or of its kind, in its order."""
    if look_up.ids:
        wanted = set(look_up.ids)
        return {i: r for i, r in records.items() if wanted & canonical_ids(r)}
    found = {i: r for i, r in records.items() if look_up.kind == "records" or _is_trial(r)}
    if look_up.statuses:
        found = {i: r for i, r in found.items() if _status(r) in look_up.statuses}
    return _newest_first(found.items()) if look_up.newest else found


def _status(record: Evidence) -> str:
    return re.sub(r"[\W_]+", "_", record.metadata.status or "").upper()


def _is_trial(record: Evidence) -> bool:
    types = record.metadata.publication_types
    return record.citation.source in _REGISTRIES or any("trial" in t.lower() for t in types)


def _newest_first(records: Iterable[tuple[str, Evidence]]) -> dict[str, Evidence]:
    return dict(sorted(records, key=lambda item: _date(item[1]), reverse=True))


def _date(record: Evidence) -> str:
    return record.citation.date or record.metadata.completion_date or ""
