"""Compares the results of two runs: outcome, rows of findings, and studies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from deepcritical.domain.appraisal.verdict import VerdictLabel
from deepcritical.domain.appraisal.votes import OutcomeRow
from deepcritical.domain.report.answer import Document
from deepcritical.domain.report.brief import StudyRow, finding_cells, label_words
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.text.spans import fold

_Known = tuple[StudyRow, frozenset[str]]
_MOST_FINDINGS = 6
"""Rows of a report without a brief, which chooses them."""


class OutcomePair(NamedTuple):
    """One outcome against one comparator, as each run found it; None where one did not."""

    first: OutcomeRow | None
    second: OutcomeRow | None

    @property
    def difference(self) -> str:
        """Return how the two differ, in words."""
        if self.first is None or self.second is None:
            return "only in A" if self.first else "only in B"
        return "same" if finding_cells(self.first) == finding_cells(self.second) else "changed"


class Comparison(NamedTuple):
    """The differences of a second run from a first."""

    same_outcome: bool
    """True if both have the same verdict and certainty."""
    outcomes: tuple[OutcomePair, ...]
    """The rows of either summary of findings."""
    only_first: tuple[StudyRow, ...]
    only_second: tuple[StudyRow, ...]
    changed: tuple[tuple[StudyRow, StudyRow], ...]
    """Studies of both with another result, or another part in the verdict."""
    in_both: int
    """Studies."""

    @property
    def is_same(self) -> bool:
        """Return whether the second run has the outcome and the studies of the first."""
        return self.same_outcome and not (self.only_first or self.only_second or self.changed)


def compare(first: Document, second: Document) -> Comparison:
    """Return how the second of two reports or answers differs from the first.

    Studies are matched by the ids of their records, outcomes by their name and comparator. An
    answer has no table of studies: each of its references counts as one.
    """
    ours, theirs = tuple(_studies(first)), tuple(_studies(second))
    pairs = [(a, b) for a, ids in ours for b, others in theirs if not ids.isdisjoint(others)]
    return Comparison(
        same_outcome=outcome_words(first) == outcome_words(second),
        outcomes=tuple(_outcomes(first, second)),
        only_first=tuple(_missing(ours, theirs)),
        only_second=tuple(_missing(theirs, ours)),
        changed=tuple((a, b) for a, b in pairs if (a.result, a.counts) != (b.result, b.counts)),
        in_both=len({b.evidence_ids for _, b in pairs}),
    )


def outcome_words(document: Document) -> str:
    """Return the verdict with its certainty; of an answer without one, what it comes to."""
    verdict = document.verdict
    if verdict is None:
        return document.headline
    told = label_words(verdict.label, document.brief).lower()
    if verdict.label is VerdictLabel.NOT_ASSESSED:
        return told
    return f"{told}, {verdict.certainty.value} certainty"


def _missing(studies: Sequence[_Known], others: Sequence[_Known]) -> Iterator[StudyRow]:
    """Yield those of the studies that are not among the others."""
    known = {i for _, ids in others for i in ids}
    return (study for study, ids in studies if known.isdisjoint(ids))


def _studies(document: Document) -> Iterator[_Known]:
    """Yield each study with all ids of its records, by which another run knows it, too."""
    ids = {reference.evidence_id: reference.ids for reference in document.references}
    rows = document.study_table if isinstance(document, ResearchReport) else ()
    designs = {row.evidence_id: row.design for row in document.evidence_table}
    for study in rows or (
        StudyRow(
            name=reference.short_name,
            design=designs.get(reference.evidence_id, ""),
            evidence_ids=(reference.evidence_id,),
        )
        for reference in document.references
    ):
        known = {i for evidence_id in study.evidence_ids for i in ids.get(evidence_id, ())}
        yield study, frozenset(known or {f"name:{fold(study.name)}"})


def _outcomes(first: Document, second: Document) -> Iterator[OutcomePair]:
    ours, theirs = ({_key(row): row for row in _rows(document)} for document in (first, second))
    shown = (row for document in (first, second) for row in _findings(document))
    for key in dict.fromkeys(map(_key, shown)):
        yield OutcomePair(ours.get(key), theirs.get(key))


def _rows(document: Document) -> tuple[OutcomeRow, ...]:
    """Return all rows, those of the summary last."""
    return (*(document.verdict.rows if document.verdict else ()), *_findings(document))


def _findings(document: Document) -> tuple[OutcomeRow, ...]:
    rows = document.verdict.rows if document.verdict else ()
    return document.brief.results(rows) if document.brief else rows[:_MOST_FINDINGS]


def _key(row: OutcomeRow) -> tuple[str, ...]:
    return fold(row.outcome), fold(row.comparator), row.directness, row.tested_as
