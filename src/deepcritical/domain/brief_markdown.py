"""Writes the brief of a report as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from deepcritical.domain.brief_words import (
    COLUMNS,
    Briefed,
    badge,
    finding_cells,
    study_words,
    trial_words,
)
from deepcritical.domain.markdown import escape_markdown, table
from deepcritical.domain.sentences import as_markdown, citation_marks

if TYPE_CHECKING:
    from deepcritical.domain.brief import DecidingStudy, TrialUnderWay
    from deepcritical.domain.report_parts import Reference
    from deepcritical.domain.votes import OutcomeRow

__all__ = ["brief_markdown"]


def brief_markdown(report: Briefed) -> str:
    """Return the brief as Markdown without a title; '' for a report without one."""
    brief, references = report.brief, report.references
    if brief is None:
        return ""
    parts = (
        _badge_line(report),
        as_markdown(brief.licensed, references),
        as_markdown(brief.answer, references),
        f"**Harms:** {as_markdown(brief.harms, references)}" if brief.harms else "",
        f"**Label:** {as_markdown(brief.label, references)}" if brief.label else "",
        as_markdown(brief.synthesis, references),
        _findings(brief.findings, references),
        _listed("Main studies", (_study(study, references) for study in brief.studies)),
        _listed("What is missing", map(escape_markdown, brief.missing)),
        _listed("Trials under way", (_trial(trial, references) for trial in brief.trials)),
    )
    return "\n\n".join(part for part in parts if part)


def _badge_line(report: Briefed) -> str:
    label, remarks = badge(report)
    return " · ".join((f"**{label}**", *map(escape_markdown, remarks)))


def _findings(rows: Sequence[OutcomeRow], references: Sequence[Reference]) -> str:
    if not rows:
        return ""
    return table(COLUMNS, [_cells(row, references) for row in rows])


def _cells(row: OutcomeRow, references: Sequence[Reference]) -> tuple[str, ...]:
    outcome, comparator, studies, result, certainty = map(escape_markdown, finding_cells(row))
    marks = citation_marks(row.evidence_ids, references)
    return (outcome, comparator, studies, f"{result} {marks}".rstrip(), certainty)


def _study(study: DecidingStudy, references: Sequence[Reference]) -> str:
    head = [f"**{escape_markdown(study.name)}**", escape_markdown(study_words(study))]
    return f"{', '.join(filter(None, head))}: {as_markdown((study.result,), references)}"


def _trial(trial: TrialUnderWay, references: Sequence[Reference]) -> str:
    words = escape_markdown(f"{trial.title} ({trial_words(trial)})")
    marks = citation_marks((trial.evidence_id,), references)
    return f"**{escape_markdown(trial.registry_id)}**: {words} {marks}".rstrip()


def _listed(heading: str, lines: Iterable[str]) -> str:
    listed = "\n".join(f"- {line}" for line in lines)
    return f"## {heading}\n\n{listed}" if listed else ""
