"""The works of a run: one record for each, whatever the sources and the order they answer in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from deepcritical.domain.evidence import Evidence
from deepcritical.domain.identity import canonical_ids, merge_evidence
from deepcritical.domain.record_kinds import is_notice


class Taken(NamedTuple):
    """Where a record that came in belongs."""

    evidence_id: str
    """Of its work."""
    joined: tuple[str, ...]
    """Ids of what was thought to be other works until this record came."""
    unchanged: tuple[str, ...]
    """Those of all these ids whose text was that of the work already."""


class Works(Mapping[str, Evidence]):
    """Merged records by evidence id (``E1``, ``E2`` ...), in the order they were found.

    What a work says is made anew from all records that came of it, so that their order does not
    count. Works that a later record shows to be one become one, under the id that is older; the
    other id still finds it, but is not listed.
    """

    def __init__(self) -> None:
        self._records: dict[str, Evidence] = {}
        self._parts: dict[str, tuple[Evidence, ...]] = {}
        """By evidence id, the records that a work was merged from, where they differ."""
        self._aliases: dict[str, str] = {}
        """Former evidence id -> evidence id."""
        self._owners: dict[str, str] = {}
        """Canonical id -> evidence id; ``notice`` stands before the DOI of a notice."""

    def __getitem__(self, evidence_id: str) -> Evidence:
        """The record, also by a former id.

        Raises:
            KeyError: No such id was given out.
        """
        return self._records[self.current(evidence_id)]

    def __iter__(self) -> Iterator[str]:
        """The ids of all works."""
        return iter(self._records)

    def __len__(self) -> int:
        """How many works there are."""
        return len(self._records)

    def current(self, evidence_id: str) -> str:
        """The id under which a work is listed."""
        return self._aliases.get(evidence_id, evidence_id)

    def take(self, record: Evidence) -> Taken:
        """Take in a record: of a new work, of a known one, or of several that are now one."""
        found = {self._owners[i] for i in _names(record) if i in self._owners}
        keys = [key for key in self._records if key in found] if len(found) > 1 else [*found]
        key = keys[0] if keys else f"E{len(self._records) + len(self._aliases) + 1}"
        parts = _distinct([*(part for i in keys for part in self._parts_of(i)), record])
        merged = merge_evidence(*parts)
        unchanged = tuple(i for i in keys if self._records[i].content == merged.content)
        self._join(key, keys[1:])
        self._records[key] = merged
        if len(parts) > 1:
            self._parts[key] = parts
        # Also ids that the merged record has no field for, such as a second DOI.
        self._owners |= dict.fromkeys(_names(record) | _names(merged), key)
        return Taken(key, tuple(keys[1:]), unchanged)

    def _parts_of(self, key: str) -> tuple[Evidence, ...]:
        return self._parts.get(key) or (self._records[key],)

    def _join(self, key: str, others: list[str]) -> None:
        for other in others:
            del self._records[other]
            self._parts.pop(other, None)
            self._aliases |= {i: key for i, held in self._aliases.items() if held == other}
            self._aliases[other] = key
            self._owners |= {i: key for i, held in self._owners.items() if held == other}


def _names(record: Evidence) -> frozenset[str]:
    """What a work is found by.

    A retraction or a correction may come under the DOI of the article that it is about. It is a
    work of its own: as one, the article would be taken for the notice and no longer be read.
    """
    ids = canonical_ids(record)
    if not is_notice(record):
        return ids
    return frozenset(f"notice {i}" if i.startswith("doi:") else i for i in ids)


def _distinct(records: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """Each record once: a score in the answer of a source makes no other record."""
    best: dict[str, Evidence] = {}
    for record in records:
        text = record.model_dump_json(exclude={"relevance_score"})
        best[text] = max(record, best.get(text, record), key=lambda e: e.relevance_score)
    return tuple(best.values())
