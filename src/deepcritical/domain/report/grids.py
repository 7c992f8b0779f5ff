"""The tables of a report as data, for all renderers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from deepcritical.domain.appraisal.evidence_table import EvidenceRow, phase_name
from deepcritical.domain.appraisal.votes import Importance, OutcomeRow
from deepcritical.domain.evidence.certainty import Certainty
from deepcritical.domain.evidence.kinds import RUNNING, STOPPED, status_words
from deepcritical.domain.report.brief import (
    COLUMNS,
    Brief,
    Contested,
    StudyRow,
    finding_cells,
    told_cells,
)
from deepcritical.domain.report.data import ReportData
from deepcritical.domain.report.parts import DrugCandidate, Reference
from deepcritical.domain.report.sentences import numbers_of

_MOST_FINDINGS = 6
_DISPUTED = "disputed: a check did not find it so in the record"
_WEIGHTS: tuple[Importance, ...] = ("critical", "harm", "important", "surrogate")
_RANKS = {certainty.value: n for n, certainty in enumerate(Certainty)}
_REGISTERS = ("clinicaltrials", "registry")


class Cell(NamedTuple):
    """One cell."""

    text: str
    numbers: tuple[int, ...] = ()
    """References that stand behind the text."""
    note: str = ""
    """A second line, less prominent."""
    rank: int | None = None
    """The key to sort by; None to sort by its text."""
    is_grade: bool = False
    """True if the text is a GRADE certainty."""

    @property
    def sort_key(self) -> str:
        """Return what a browser sorts the row by; '' sorts last."""
        return self.text.lower() if self.rank is None else str(self.rank)


class Grid(NamedTuple):
    """A table with one header row."""

    name: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    sortable: bool = False


def findings_grid(report: ReportData) -> Grid:
    """Return the summary of findings: the rows of the brief, or the weightiest of the verdict."""
    if report.brief:
        return brief_grid(report.brief, report.references)
    ranked = weightiest_first(report.verdict.rows)[:_MOST_FINDINGS]
    cells = (_finding(row, report.references) for row in ranked)
    return Grid("Summary of findings", COLUMNS, tuple(cells))


def brief_grid(brief: Brief, references: Sequence[Reference]) -> Grid:
    """Return the summary of findings of a brief: rows by a model, then those of the verdict.

    Those that a check disputes say so.
    """
    disputed = _disputed(brief.contested)
    told = (_cells(told_cells(row), row.said.evidence_ids, references) for row in brief.told)
    rows = (
        _finding(row, references, said=disputed.get((row.outcome, row.comparator), ""))
        for row in brief.findings
    )
    return Grid("Summary of findings", COLUMNS, (*told, *rows))


def _disputed(contested: Iterable[Contested]) -> dict[tuple[str, str], str]:
    """Return the remark on each row that a check disputes, by outcome and comparator."""
    return {(one.outcome, one.comparator): _DISPUTED for one in contested}


def outcomes_grid(report: ReportData) -> Grid:
    """Return every row of the verdict with its weight, also those that the brief leaves out."""
    rows = weightiest_first(report.verdict.rows)
    disputed = _disputed(report.brief.contested if report.brief else ())
    cells = tuple(
        _finding(
            row, report.references, row.importance, disputed.get((row.outcome, row.comparator), "")
        )
        for row in rows
    )
    return Grid("All outcomes", COLUMNS, cells)


def weightiest_first(rows: Sequence[OutcomeRow]) -> list[OutcomeRow]:
    """Return rows against nothing before those against other drugs, in the order of weight."""
    return sorted(
        rows, key=lambda r: (bool(r.comparator) and not r.asked, _WEIGHTS.index(r.importance))
    )


def candidates_grid(report: ReportData) -> Grid:
    """Return each drug with its own verdict; no row where there is only one."""
    several = report.drug_candidates if len(report.drug_candidates) > 1 else ()
    return Grid(
        "Drug candidates",
        ("Drug", "Verdict", "Certainty", "Studies", "Rule and deciding records"),
        tuple(_candidate(one, report) for one in several),
    )


def _candidate(one: DrugCandidate, report: ReportData) -> tuple[Cell, ...]:
    verdict = one.verdict
    return (
        Cell(one.name),
        Cell(verdict.label.value),
        Cell(verdict.certainty.value, is_grade=True),
        Cell(str(one.studies)),
        Cell(verdict.rule.rstrip("."), numbers_of(verdict.deciding_ids, report.references)),
    )


def studies_grid(report: ReportData) -> Grid:
    """Return the table of studies."""
    return Grid(
        "Studies",
        (
            "Study",
            "Population",
            "Arms",
            "Main outcome",
            "Result",
            "People",
            "Certainty",
            "In the verdict",
        ),
        tuple(_study(row, report) for row in report.study_table),
        sortable=True,
    )


def trials_grid(report: ReportData) -> Grid:
    """Return the registered trials among the references, those that were stopped first."""
    return Grid(
        "Registered trials",
        ("Trial", "Status", "Phase", "People", "Why stopped"),
        tuple(_trial(trial) for trial in trials_of(report.references, report.evidence_table)),
    )


def _finding(
    row: OutcomeRow, references: Sequence[Reference], weight: str = "", said: str = ""
) -> tuple[Cell, ...]:
    return _cells(finding_cells(row), row.evidence_ids, references, weight, said)


def _cells(
    texts: tuple[str, str, str, str, str],
    evidence_ids: Sequence[str],
    references: Sequence[Reference],
    weight: str = "",
    said: str = "",
) -> tuple[Cell, ...]:
    outcome, comparator, studies, result, certainty = texts
    return (
        Cell(outcome, note=weight),
        Cell(comparator),
        Cell(studies),
        Cell(result, numbers_of(evidence_ids, references), said),
        Cell(certainty, is_grade=certainty in _RANKS),
    )


def _study(row: StudyRow, report: ReportData) -> tuple[Cell, ...]:
    return (
        Cell(row.name, numbers_of(row.evidence_ids, report.references), row.design),
        Cell(row.population),
        Cell("; ".join(row.arms), note=f"against {row.comparator}" if row.comparator else ""),
        Cell(row.outcome),
        Cell(row.result),
        Cell("" if row.people is None else f"{row.people:,}", rank=row.people),
        Cell(row.certainty, rank=_RANKS.get(row.certainty), is_grade=row.certainty in _RANKS),
        Cell(row.counts),
    )


class Graded(NamedTuple):
    """A reference with its row of the evidence table."""

    number: int
    reference: Reference
    row: EvidenceRow


class Trial(NamedTuple):
    """A registry entry among the references."""

    number: int
    reference: Reference
    row: EvidenceRow
    others: tuple[Graded, ...]
    """The other references to the same study."""

    @property
    def stopped(self) -> bool:
        """Return whether it was stopped before its end."""
        return bool(self.row.why_stopped) or self.row.status in STOPPED

    @property
    def running(self) -> bool:
        """Return whether it is under way or planned."""
        return self.row.status in RUNNING

    @property
    def status(self) -> str:
        """Return its status in words; '' where the registry shows none."""
        return status_words(self.row.status, self.reference.note, self.reference.date)


def trials_of(references: Sequence[Reference], rows: Sequence[EvidenceRow]) -> tuple[Trial, ...]:
    """Return the registry entries among the references: stopped, then under way, then the others.

    A paper that carries the status of its trial stands in for an entry that is not among them.
    """
    by_id = {row.evidence_id: row for row in rows}
    graded = {
        r.evidence_id: Graded(n, r, by_id[r.evidence_id])
        for n, r in enumerate(references, 1)
        if r.evidence_id in by_id
    }
    entries = {r.evidence_id for r in references if r.source in _REGISTERS}
    found = [
        Trial(*one, others=tuple(graded[i] for i in one.row.same_study if i in graded))
        for one in graded.values()
        if _stands_for(one.row, entries)
    ]
    return tuple(sorted(found, key=lambda t: (not t.stopped, not t.running, t.number)))


def _stands_for(row: EvidenceRow, entries: set[str]) -> bool:
    alone = not entries.intersection(row.same_study)
    return row.evidence_id in entries or (bool(row.status) and alone)


def _trial(trial: Trial) -> tuple[Cell, ...]:
    ref, row = trial.reference, trial.row
    people = "" if row.participants is None else f"{row.participants:,}"
    if row.participants is None and row.planned is not None:
        people = f"{row.planned:,} planned"
    return (
        Cell(ref.title, (trial.number,), ref.short_name * (ref.short_name != ref.title)),
        Cell(trial.status or "not shown"),
        Cell(phase_name(row.phase)),
        Cell(people),
        Cell(row.why_stopped),
    )
