"""Collects the registered trials among the references of a report."""

from __future__ import annotations

from typing import NamedTuple

from deepcritical.domain.documents import Document
from deepcritical.domain.evidence_table import EvidenceRow, phase_name
from deepcritical.domain.stop_reasons import STOPPED
from deepcritical.export.sources import Source, sources_of

__all__ = ["Trial", "trials_of"]

_REGISTERS = ("clinicaltrials", "registry")
_RUNNING = {"RECRUITING", "ACTIVE_NOT_RECRUITING", "NOT_YET_RECRUITING", "ENROLLING_BY_INVITATION"}
_STOP_CLASSES = {
    "efficacy": "lack of effect, or futility",
    "safety": "safety",
    "business": "business",
    "enrolment": "enrolment",
    "other": "another reason",
}


class Trial(NamedTuple):
    """A registry entry among the references."""

    source: Source
    row: EvidenceRow
    stopped: bool
    running: bool
    phase: str
    stop_class: str
    """In words; '' for one that was not stopped."""
    others: tuple[Source, ...]
    """The other references to the same study."""


def trials_of(document: Document) -> tuple[Trial, ...]:
    """The registry entries among the references: stopped, then under way, then the others.

    A paper that carries the status of its trial stands in for an entry that is not among them.
    """
    sources = sources_of(document)
    by_id = {source.reference.evidence_id: source for source in sources}
    entries = {i for i, source in by_id.items() if source.reference.source in _REGISTERS}
    found = [_trial(s, s.row, by_id) for s in sources if s.row and _stands_for(s.row, entries)]
    return tuple(sorted(found, key=lambda t: (not t.stopped, not t.running, t.source.number)))


def _stands_for(row: EvidenceRow, entries: set[str]) -> bool:
    """Whether a record stands for its trial."""
    alone = not entries.intersection(row.same_study)
    return row.evidence_id in entries or (bool(row.status) and alone)


def _trial(source: Source, row: EvidenceRow, by_id: dict[str, Source]) -> Trial:
    return Trial(
        source,
        row,
        stopped=bool(row.why_stopped) or row.status in STOPPED,
        running=row.status in _RUNNING,
        phase=phase_name(row.phase),
        stop_class=_STOP_CLASSES[row.stop_class] if row.stop_class else "",
        others=tuple(by_id[i] for i in row.same_study if i in by_id),
    )
