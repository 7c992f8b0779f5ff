"""The one store of a run: every record, reading, hypothesis and judgement.

Agents share it and nothing else.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, TypeVar

from deepcritical.domain.appraisal.assessment import JudgeAssessment
from deepcritical.domain.appraisal.checklist import Checklist, ItemCoverage, ItemFact
from deepcritical.domain.appraisal.findings import Appraisal, StudyFinding, study_findings
from deepcritical.domain.appraisal.hypotheses import MechanismHypothesis
from deepcritical.domain.evidence.drug_facts import DrugFacts, fact_records
from deepcritical.domain.evidence.kinds import is_notice
from deepcritical.domain.evidence.record import Evidence, is_own_document
from deepcritical.domain.report.answer import DeepAnswer
from deepcritical.domain.report.parts import SearchRun
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.study.identity import canonical_ids, merge_evidence, study_groups
from deepcritical.domain.study.reading import StudyReading


class Taken(NamedTuple):
    """The place of an incoming record in the store."""

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
        """The record, also by a former id."""
        return self._records[self.current(evidence_id)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)

    def current(self, evidence_id: str) -> str:
        """The id under which a work is listed."""
        return self._aliases.get(evidence_id, evidence_id)

    def take(self, record: Evidence) -> Taken:
        """Take in a record: of a new work, of a known one, or of several that are now one."""
        found = {self._owners[i] for i in _names(record) if i in self._owners}
        keys = [key for key in self._records if key in found] if len(found) > 1 else [*found]
        if len(keys) == 1 and any(_says_as_much(part, record) for part in self._merged(keys[0])):
            return Taken(keys[0], (), (keys[0],))
        key = keys[0] if keys else f"E{len(self._records) + len(self._aliases) + 1}"
        parts = _distinct([*(part for i in keys for part in self._merged(i)), record])
        merged = merge_evidence(*parts)
        unchanged = tuple(i for i in keys if self._records[i].content == merged.content)
        self._join(key, keys[1:])
        self._records[key] = merged
        if len(parts) > 1:
            self._parts[key] = parts
        # Also ids that the merged record has no field for, such as a second DOI.
        self._owners |= dict.fromkeys(_names(record) | _names(merged), key)
        return Taken(key, tuple(keys[1:]), unchanged)

    def _merged(self, key: str) -> tuple[Evidence, ...]:
        return self._parts.get(key) or (self._records[key],)

    def _join(self, key: str, others: list[str]) -> None:
        for other in others:
            del self._records[other]
            self._parts.pop(other, None)
            self._aliases |= {i: key for i, held in self._aliases.items() if held == other}
            self._aliases[other] = key
            self._owners |= {i: key for i, held in self._owners.items() if held == other}


def _names(record: Evidence) -> frozenset[str]:
    """Yield the names by which a work is found.

    A retraction or a correction may come under the DOI of the article that it is about. It is a
    work of its own: as one, the article would be taken for the notice and no longer be read.
    """
    ids = canonical_ids(record)
    if not is_notice(record):
        return ids
    return frozenset(f"notice {i}" if i.startswith("doi:") else i for i in ids)


def _says_as_much(one: Evidence, other: Evidence) -> bool:
    """Return whether the other is the same record, and fits no query better."""
    return (
        one.relevance_score >= other.relevance_score
        and one.content == other.content
        and one.citation == other.citation
        and one.metadata == other.metadata
    )


def _distinct(records: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """Each record once: a score in the answer of a source makes no other record."""
    best: dict[str, Evidence] = {}
    for record in records:
        text = record.model_dump_json(exclude={"relevance_score"})
        best[text] = max(record, best.get(text, record), key=lambda e: e.relevance_score)
    return tuple(best.values())


T = TypeVar("T")


class EvidenceStore:
    """Everything a run knows. It only grows: no text and no id of a record is ever lost."""

    def __init__(self) -> None:
        self._works = Works()
        self._appraisals: dict[str, dict[str, Appraisal]] = {}
        self.hypotheses: tuple[MechanismHypothesis, ...] = ()
        self.assessments: list[JudgeAssessment] = []
        self.searches: list[SearchRun] = []
        self.facts_dropped = 0
        self.report: ResearchReport | None = None
        self.instruction = ""
        """What a model that manages asks of the agent whose turn it is; '' where code chose it."""
        self.checklist: Checklist | None = None
        self.item_facts: tuple[ItemFact, ...] = ()
        """Located sentences by checklist item, in the order they were found."""
        self.read_for_items: dict[str, None] = {}
        """Ids of the records that were read for the checklist."""
        self.coverage: tuple[ItemCoverage, ...] = ()
        """How far each item of the checklist is covered, as last checked."""
        self.answer: DeepAnswer | None = None
        self._readings: dict[str, StudyReading] = {}
        self._changes = 0
        self._grouped: tuple[int, tuple[tuple[str, ...], ...]] = (0, ())
        """The records by study, and after how many changes of records and readings."""
        self.relevance: Mapping[str, float] = {}
        """Evidence id -> how well the record fits the question, 0-1, as last ranked."""
        self.likeness: Mapping[str, Mapping[int, float]] = {}
        """Evidence id -> start of a sentence -> how alike its meaning and the question's are."""
        self.retrieval = ""
        """The ranking of records in words; '' when they were not ranked."""
        self.drug_facts: tuple[DrugFacts, ...] | None = None
        """Facts of curated sources on the drugs asked about; None where no source was asked."""

    @property
    def evidence(self) -> Mapping[str, Evidence]:
        """All records by id (``E1``, ``E2`` ...), in the order they were found.

        An id whose work turned out to be that of an earlier one finds the same record as that.
        """
        return self._works

    def best_first(self, ids: Iterable[str]) -> tuple[str, ...]:
        """Ids of records: the user's own, then those that fit the question best; else in order."""

        def order(one: str) -> tuple[bool, float]:
            return not is_own_document(self._works[one]), -self.relevance.get(one, 0.0)

        return tuple(sorted(ids, key=order))

    @property
    def citable(self) -> Mapping[str, Evidence]:
        """All records, and those of curated facts (``L1``, ``L2`` ...), which no search found."""
        return {**self._works, **fact_records(self.drug_facts or ())}

    def add(self, records: Iterable[Evidence]) -> tuple[str, ...]:
        """Take in records; those of the same work are merged, whatever their order.

        Returns:
            The ids of records that are new to the run, or whose text grew: they must be read.
        """
        unread: dict[str, None] = {}
        for record in records:
            taken = self._works.take(record)
            if taken.evidence_id not in taken.unchanged:
                unread[taken.evidence_id] = None
            self._keep_readings(taken)
            self._changes += 1
            self._forget_facts(taken)
            if taken.joined:
                self._move_hypotheses()
        return tuple(i for i in unread if i == self._works.current(i))

    def _keep_readings(self, taken: Taken) -> None:
        """Only readings of the text as it is now; those of a work that was joined follow it."""
        for drug, readings in self._appraisals.items():
            kept = _of_the_same_text(readings, taken)
            if kept is not None:
                self._appraisals[drug][taken.evidence_id] = kept.moved_to(taken.evidence_id)
        study = _of_the_same_text(self._readings, taken)
        if study is not None:
            self._readings[taken.evidence_id] = study

    def add_study(self, evidence_id: str, reading: StudyReading) -> None:
        """Keep what a record says of its study."""
        self._readings[evidence_id] = reading
        self._changes += 1

    @property
    def readings(self) -> Mapping[str, StudyReading]:
        """Return the studies as their records describe them, by evidence id, in store order."""
        return {key: self._readings[key] for key in self._works if key in self._readings}

    def _move_hypotheses(self) -> None:
        current = self._works.current
        self.hypotheses = tuple(
            h.model_copy(update={"edges": tuple(edge.moved(current) for edge in h.edges)})
            for h in self.hypotheses
        )

    def _forget_facts(self, taken: Taken) -> None:
        """Of a work whose text grew, or that was joined: it is read for the checklist anew."""
        if taken.evidence_id in taken.unchanged and not taken.joined:
            return
        ids = {taken.evidence_id, *taken.joined}
        for key in ids:
            self.read_for_items.pop(key, None)
        self.item_facts = tuple(f for f in self.item_facts if f.fact.evidence_id not in ids)

    def add_item_facts(self, facts: Iterable[ItemFact]) -> None:
        """Keep facts for the checklist; each gets an id of its own."""
        last = max((int(fact.id[1:]) for fact in self.item_facts), default=0)
        fresh = (f.model_copy(update={"id": f"F{n}"}) for n, f in enumerate(facts, last + 1))
        self.item_facts = (*self.item_facts, *fresh)

    def _groups(self) -> tuple[tuple[str, ...], ...]:
        changes = self._changes
        if self._grouped[0] != changes:
            self._grouped = changes, study_groups(self._works, self._readings)
        return self._grouped[1]

    @property
    def study_of(self) -> Mapping[str, int]:
        """Evidence id -> number of its study; records of one study have the same."""
        return {i: n for n, group in enumerate(self._groups()) for i in group}

    def add_appraisal(self, appraisal: Appraisal) -> None:
        """Keep what was read in a record about one drug."""
        self._appraisals.setdefault(appraisal.reading.drug, {})[appraisal.evidence_id] = appraisal

    def appraisals(self, drug: str) -> Mapping[str, Appraisal]:
        """Readings about one drug by evidence id, in store order."""
        found = self._appraisals.get(drug, {})
        return {key: found[key] for key in self._works if key in found}

    @property
    def drugs(self) -> tuple[str, ...]:
        """The drugs that records were read for, in order of first reading."""
        return tuple(self._appraisals)

    @property
    def included(self) -> tuple[str, ...]:
        """Ids of the records that bear on the question for any of the drugs."""
        found = (one for drug in self.drugs for one in self.appraisals(drug).values())
        return tuple(dict.fromkeys(one.evidence_id for one in found if one.reading.included))

    def studies(self, drug: str) -> tuple[StudyFinding, ...]:
        """Return the findings of each study on a drug; records of one study count once."""
        return study_findings(self.appraisals(drug), self._groups())

    @property
    def queries_run(self) -> frozenset[str]:
        """Texts of the queries that were run; one that no source could answer is still open."""
        failed = {s.query for s in self.searches if s.outcome == "unavailable"}
        answered = {
            s.query for s in self.searches if s.outcome not in ("unavailable", "not_applicable")
        }
        return frozenset(s.query for s in self.searches) - (failed - answered)


def as_snapshot(records: Iterable[Evidence], name: str, created: str = "") -> bytes:
    """Records as a snapshot file: JSONL, UTF-8, headed by their number and SHA-256.

    A record's score in the answer of one source is left out, so that the same records give the same
    bytes.
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


def _of_the_same_text(held: dict[str, T], taken: Taken) -> T | None:
    """Take out what is held of a work, and return what is of its text as it is now."""
    ids = (taken.evidence_id, *taken.joined)
    found = {i: held.pop(i) for i in ids if i in held}
    return next((found[i] for i in taken.unchanged if i in found), None)
