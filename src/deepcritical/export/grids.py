"""The tables of a report as data, which HTML, PDF and CSV render."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from deepcritical.domain.answer import Document
from deepcritical.domain.brief import StudyRow, comparator_words, studies_words
from deepcritical.domain.certainty import Certainty
from deepcritical.domain.evidence_table import DrugStance, EvidenceRow
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.report_parts import Reference
from deepcritical.domain.votes import Importance, OutcomeRow
from deepcritical.export.plain import one_line
from deepcritical.export.prose import numbers_of
from deepcritical.export.sources import Trial, trials_of

_MOST_FINDINGS = 6
_WEIGHTS: tuple[Importance, ...] = ("critical", "harm", "important", "surrogate")
_POPULATIONS = {"direct": "", "broader": "indirect population", "related": "another condition"}
_RANKS = {certainty.value: n for n, certainty in enumerate(Certainty)}
EVIDENCE_COLUMNS = (
    "number id title authors year journal design level certainty certainty_reasons quality "
    "participants direction about_condition verdict_role status phase why_stopped stop_class "
    "integrity ids url note model_reading"
).split()
_UNREAD = EvidenceRow(evidence_id="", design="")
STUDY_COLUMNS = (
    "study design population arms comparator outcome result people certainty in_verdict "
    "references ids url"
).split()
_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20", "|", "%")
"""What a spreadsheet takes for a formula, its full-width forms too (OWASP, CSV injection)."""


class Cell(NamedTuple):
    """One cell."""

    text: str
    numbers: tuple[int, ...] = ()
    """References that stand behind the text."""
    note: str = ""
    """A second line, less prominent."""
    rank: int | None = None
    """What it is sorted by; None to sort it by its text."""
    is_grade: bool = False
    """Whether the text is a GRADE certainty."""

    @property
    def sort_key(self) -> str:
        """Return what a browser sorts the row by; '' sorts last."""
        return self.text.lower() if self.rank is None else str(self.rank)

    @property
    def plain(self) -> str:
        """Return all that is printed, as text."""
        marks = "".join(f"[{n}]" for n in self.numbers)
        symbol = "⊕⊕⊕⊕" if self.is_grade else ""
        return " ".join(part for part in (self.text, symbol, marks, self.note) if part)


class Grid(NamedTuple):
    """A table with one header row."""

    name: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    sortable: bool = False

    @property
    def columns(self) -> list[list[str]]:
        """Return the texts of each column, its heading first."""
        texts = [self.heads, *(tuple(cell.plain for cell in row) for row in self.rows)]
        return [list(column) for column in zip(*texts, strict=True)]


def findings_grid(report: ResearchReport) -> Grid:
    """Return the summary of findings: the rows of the brief, or the weightiest of the verdict."""
    ranked = sorted(report.verdict.rows, key=lambda row: _WEIGHTS.index(row.importance))
    rows = report.brief.findings if report.brief else ranked[:_MOST_FINDINGS]
    return Grid(
        "Summary of findings",
        ("Outcome", "Compared with", "Studies (people)", "Result", "Certainty"),
        tuple(_finding(row, report) for row in rows),
    )


def studies_grid(report: ResearchReport) -> Grid:
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


def trials_grid(report: ResearchReport) -> Grid:
    """Return the registered trials among the references, those that were stopped first."""
    return Grid(
        "Registered trials",
        ("Trial", "Status", "Phase", "People", "Why stopped"),
        tuple(_trial(trial) for trial in trials_of(report)),
    )


def _finding(row: OutcomeRow, report: ResearchReport) -> tuple[Cell, ...]:
    return (
        Cell(_capital(row.outcome), note=_POPULATIONS[row.directness]),
        Cell(comparator_words(row)),
        Cell(studies_words(row)),
        Cell(_result(row), numbers_of(row.evidence_ids, report.references)),
        Cell(row.certainty.value, is_grade=True),
    )


def _result(row: OutcomeRow) -> str:
    """What was found, without the outcome, which has a column of its own."""
    told = row.finding or row.way.value
    named = f"{row.outcome}: "
    return _capital(told[len(named) :] if told.lower().startswith(named.lower()) else told)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _study(row: StudyRow, report: ResearchReport) -> tuple[Cell, ...]:
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


def _trial(trial: Trial) -> tuple[Cell, ...]:
    ref, row = trial.source.reference, trial.row
    people = "" if row.participants is None else f"{row.participants:,}"
    if row.participants is None and row.planned is not None:
        people = f"{row.planned:,} planned"
    return (
        Cell(ref.title, (trial.source.number,), ref.short_name * (ref.short_name != ref.title)),
        Cell(row.status.replace("_", " ").lower() or "not shown"),
        Cell(trial.phase),
        Cell(people),
        Cell(row.why_stopped),
    )


def as_evidence_csv(report: Document) -> bytes:
    """The evidence table with its header, one row a reference."""
    rows = {row.evidence_id: row for row in report.evidence_table}
    return _as_csv(
        EVIDENCE_COLUMNS,
        (
            _reference_cells(n, r, rows.get(r.evidence_id, _UNREAD))
            for n, r in enumerate(report.references, 1)
        ),
    )


def _reference_cells(number: int, reference: Reference, row: EvidenceRow) -> tuple[object, ...]:
    integrity = "retracted" if reference.retracted else row.integrity.replace("_", " ")
    return (
        number,
        reference.evidence_id,
        reference.title,
        "; ".join(reference.authors),
        reference.date[:4],
        reference.journal,
        row.design,
        row.level,
        row.certainty,
        "; ".join(row.certainty_reasons),
        row.quality,
        row.participants,
        _each(row, lambda stance: stance.direction.value),
        _each(row, lambda stance: "yes" if stance.direct else "related"),
        _each(row, lambda stance: stance.role.value),
        row.status,
        row.phase,
        row.why_stopped,
        row.stop_class,
        integrity,
        " ".join(reference.public_ids),
        reference.link,
        reference.note,
        _each(row, lambda stance: stance.dispute),
    )


def _each(row: EvidenceRow, said: Callable[[DrugStance], str]) -> str:
    """What is said of the drug; of several, each with its name."""
    if len(row.stances) == 1:
        return said(row.stances[0])
    return "; ".join(f"{stance.drug}: {said(stance)}" for stance in row.stances)


def as_studies_csv(report: ResearchReport) -> bytes:
    """The table of studies, one row a study; the header alone for a report without one."""
    return _as_csv(STUDY_COLUMNS, [_study_cells(study, report) for study in report.study_table])


def _study_cells(study: StudyRow, report: ResearchReport) -> tuple[object, ...]:
    numbers = numbers_of(study.evidence_ids, report.references)
    records = [report.references[n - 1] for n in numbers]
    return (
        study.name,
        study.design,
        study.population,
        "; ".join(study.arms),
        study.comparator,
        study.outcome,
        study.result,
        study.people,
        study.certainty,
        study.counts,
        " ".join(map(str, numbers)),
        " ".join(record_id for record in records for record_id in record.public_ids),
        next((record.link for record in records if record.link), ""),
    )


def _as_csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """The table; UTF-8 with a byte order mark, without which Excel loses Greek letters."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(header)
    writer.writerows([_safe_cell(value) for value in row] for row in rows)
    return text.getvalue().encode("utf-8-sig")


def _safe_cell(value: object) -> object:
    if not isinstance(value, str):
        return value
    text = one_line(value)
    return f"'{text}" if text.startswith(_FORMULA) else text
