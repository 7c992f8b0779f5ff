"""The one store of a run: every record, reading, hypothesis and judgement.

Agents share it and nothing else.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Literal

from pydantic import ValidationError

from deepcritical.domain.appraisal import Appraisal, StudyFinding, study_findings
from deepcritical.domain.assessment import JudgeAssessment
from deepcritical.domain.base import Model
from deepcritical.domain.errors import StorageError
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.hypotheses import MechanismHypothesis
from deepcritical.domain.identity import canonical_ids, merge_evidence, study_groups
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.report_parts import SearchRun

__all__ = ["RUN_RECORDS", "EvidenceStore", "StoreState", "as_snapshot"]

RUN_RECORDS = "evidence.jsonl"
"""File in the folder of a run that keeps its records, as a snapshot."""


class StoreState(Model):
    """Everything a store holds, as it is written to JSON."""

    version: Literal[1] = 1
    records: dict[str, Evidence]
    owners: dict[str, str]
    """Canonical id -> evidence id, also of ids that no field of a record holds."""
    appraisals: dict[str, dict[str, Appraisal]]
    """Drug -> evidence id -> appraisal."""
    hypotheses: tuple[MechanismHypothesis, ...]
    assessments: tuple[JudgeAssessment, ...]
    searches: tuple[SearchRun, ...]
    facts_dropped: int
    report: ResearchReport | None


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

    def to_json(self) -> str:
        """The whole store as JSON, for `from_json`."""
        state = StoreState(
            records=self._records,
            owners=self._owner,
            appraisals=self._appraisals,
            hypotheses=self.hypotheses,
            assessments=tuple(self.assessments),
            searches=tuple(self.searches),
            facts_dropped=self.facts_dropped,
            report=self.report,
        )
        return state.model_dump_json()

    @classmethod
    def from_json(cls, text: str) -> EvidenceStore:
        """The store that `to_json` wrote.

        Raises:
            StorageError: The text is no store, or one of another version.
        """
        try:
            state = StoreState.model_validate_json(text)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"])) or "text"
            raise StorageError(
                f"This is no evidence store ({where}: {first['msg']}).",
                "Write it again with this version's EvidenceStore.to_json.",
            ) from error
        store = cls()
        store._records.update(state.records)
        store._owner.update(state.owners)
        store._appraisals.update({drug: dict(read) for drug, read in state.appraisals.items()})
        store.hypotheses = state.hypotheses
        store.assessments = list(state.assessments)
        store.searches = list(state.searches)
        store.facts_dropped = state.facts_dropped
        store.report = state.report
        return store

    def to_snapshot(self, name: str, created: str = "") -> bytes:
        """The records as a snapshot file; see `as_snapshot`."""
        return as_snapshot(self._records.values(), name, created)


def as_snapshot(records: Iterable[Evidence], name: str, created: str = "") -> bytes:
    """Records as a snapshot file: JSONL, UTF-8, headed by their number and SHA-256.

    A record's score in the answer of one source is left out, so that the same records give the same
    bytes.

    Args:
        records: What to export, in this order.
        name: What the snapshot is called.
        created: ISO date on which the records were fetched.
    """
    lines = [_line(record) for record in records]
    body = "".join(f"{line}\n" for line in lines)
    head = {
        "kind": "snapshot",
        "name": name,
        "created": created,
        "records": len(lines),
        "sha256": hashlib.sha256(body.encode()).hexdigest(),
    }
    return f"{json.dumps(head, ensure_ascii=False)}\n{body}".encode()


def _line(record: Evidence) -> str:
    plain = record.model_dump(mode="json", exclude_defaults=True, exclude={"relevance_score"})
    return json.dumps({"kind": "evidence", "record": plain}, ensure_ascii=False, sort_keys=True)
