"""The section on what would change the verdict: by its own rules, and by trials under way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from deepcritical.appraisal.verdict import decide
from deepcritical.appraisal.what_if import WhatIf, what_if
from deepcritical.domain.appraisal import Direction, StudyFinding
from deepcritical.domain.markdown import escape_markdown, table
from deepcritical.domain.trial_status import is_under_way, status_and_size
from deepcritical.domain.verdict import Verdict
from deepcritical.reasoning.ratings import Rating
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.writing.citing import Citer

__all__ = ["ChangeSection"]

_TOP = 5
_HEADER = ("If the records", "Verdict", "Certainty")


@dataclass(frozen=True)
class ChangeSection:
    """Writes what would lift or lower the verdict on one drug."""

    store: EvidenceStore
    citer: Citer
    drug: str
    condition: str
    searched_on: str
    """ISO date; a trial whose planned end is before it is not under way."""
    gaps: Sequence[str] = ()
    """What the assessment found missing, most important first."""

    @property
    def _studies(self) -> tuple[StudyFinding, ...]:
        return self.store.studies(self.drug)

    def content(self) -> str:
        """The table of changes, what no change of that kind can lift, trials, what is missing."""
        verdict = decide(self._studies)
        parts = (self._changes(verdict), _caps(verdict), self._awaited(), self._missing())
        return "\n\n".join(part for part in parts if part)

    def _changes(self, verdict: Verdict) -> str:
        found = what_if(self._studies)
        rows = [self._row(change, verdict) for change in found]
        about = f"{escape_markdown(self.drug)} in {escape_markdown(self.condition)}"
        lead = (
            f"What the rules of the verdict would say of {about}, everything else being as it is. "
            f"Now: {verdict.label.value}, {verdict.certainty.value} certainty."
        )
        hinges = any(change.without for change in found)
        several = sum(s.direction is not Direction.NONE for s in self._studies) > 1
        alone = "No single study carries the verdict: without any one of them it is the same."
        steady = [alone] if several and not hinges else []
        return "\n\n".join((lead, table(_HEADER, rows), *steady))

    def _row(self, change: WhatIf, now: Verdict) -> tuple[str, ...]:
        named = [self.citer.name(i) for i in change.without[:1]]
        told = " ".join((change.change, *named, self.citer.cite(change.without))).rstrip()
        same = " (as now)" if change.verdict.label is now.label else ""
        return (
            told,
            f"{change.verdict.label.value}{same}",
            change.verdict.certainty.value,
        )

    def _awaited(self) -> str:
        """Registered trials that are not finished.

        A trial whose results are among the records is none, whatever its entry says.
        """
        reported = {i for s in self._studies if s.level is not None for i in s.evidence_ids}
        records = (
            (i, self.store.evidence[i])
            for i, a in self.store.appraisals(self.drug).items()
            if a.reading.included and i not in reported
        )
        running = [(i, r) for i, r in records if is_under_way(r, self.searched_on)]
        if not running:
            return "No trial under way is among the records found."
        named = [
            f"{self.citer.name(i)}, {status_and_size(r)} {self.citer.cite([i])}"
            for i, r in running[:_TOP]
        ]
        rest = [i for i, _ in running[_TOP:]]
        more = f"; and {len(rest)} more {self.citer.cite(rest)}" if rest else ""
        return Rating.AWAITED.told(trials="; ".join(named) + more)

    def _missing(self) -> str:
        told = (f"{gap[:1].lower()}{gap[1:].rstrip('.')}" for gap in self.gaps[:_TOP])
        gaps = "; ".join(map(escape_markdown, told))
        return f"Missing from the evidence: {gaps}." if gaps else ""


def _caps(verdict: Verdict) -> str:
    caps = "; ".join(verdict.caps)
    return f"Caps that hold as long as the evidence is of this kind: {caps}." if caps else ""
