"""The one store of a run: every record, reading, hypothesis and judgement.

Agents share it and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from deepcritical.domain.appraisal import Appraisal, StudyFinding, study_findings
from deepcritical.domain.assessment import JudgeAssessment
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.hypotheses import MechanismHypothesis
from deepcritical.domain.identity import canonical_ids, merge_evidence, study_groups
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.report_parts import SearchRun

__all__ = ["EvidenceStore"]


class EvidenceStore:
    """Everything a run knows. It only grows: a record may gain fields, but never leaves."""

    def __init__(self) -> None:
        self._records: dict[str, Evidence] = {}
        self._owner: dict[str, str] = {}
        self._appraisals: dict[str, dict[str, Appraisal]] = {}
        self.hypotheses: tuple[MechanismHypothesis, ...] = ()
        self.assessments: list[JudgeAssessment] = []
        self.searches: list[SearchRun] = []
        self.facts_dropped = 0
        self.report: ResearchReport | None = None

    @property
    def evidence(self) -> Mapping[str, Evidence]:
        """All records by id (``E1``, ``E2`` ...), in the order they were found."""
        return self._records

    def add(self, records: Iterable[Evidence]) -> tuple[str, ...]:
        """Take in records; those of the same work are merged.

        Returns:
            The ids of records that are new to the run, or whose text grew: they must be read.
        """
        unread: dict[str, None] = {}
        for record in records:
            key = next(
                (self._owner[i] for i in sorted(canonical_ids(record)) if i in self._owner), None
            )
            merged = merge_evidence(self._records[key], record) if key else record
            key = key or f"E{len(self._records) + 1}"
            if key not in self._records or merged.content != self._records[key].content:
                unread[key] = None
                self._forget_reading(key)
            self._records[key] = merged
            # Also ids that the merged record has no field for, such as a second DOI.
            for identifier in canonical_ids(merged) | canonical_ids(record):
                self._owner.setdefault(identifier, key)
        return tuple(unread)

    def _forget_reading(self, key: str) -> None:
        for readings in self._appraisals.values():
            readings.pop(key, None)

    def add_appraisal(self, appraisal: Appraisal) -> None:
        """Keep what was read in a record about one drug."""
        self._appraisals.setdefault(appraisal.reading.drug, {})[appraisal.evidence_id] = appraisal

    def appraisals(self, drug: str) -> Mapping[str, Appraisal]:
        """Readings about one drug by evidence id, in store order."""
        found = self._appraisals.get(drug, {})
        return {key: found[key] for key in self._records if key in found}

    @property
    def drugs(self) -> tuple[str, ...]:
        """The drugs that records were read for, in order of first reading."""
        return tuple(self._appraisals)

    def studies(self, drug: str) -> tuple[StudyFinding, ...]:
        """What each study says about a drug; records of one study count once."""
        return study_findings(self.appraisals(drug), study_groups(self._records))

    @property
    def queries_run(self) -> frozenset[str]:
        """Texts of the queries that were run; one that no source could answer is still open."""
        failed = {s.query for s in self.searches if s.outcome == "unavailable"}
        answered = {
            s.query for s in self.searches if s.outcome not in ("unavailable", "not_applicable")
        }
        return frozenset(s.query for s in self.searches) - (failed - answered)

    @property
    def identified(self) -> int:
        """Records in all answers of all sources, duplicates included (PRISMA: identified)."""
        return sum(search.identified for search in self.searches)
