"""The parts of a report as Markdown."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from deepcritical.domain.appraisal import Direction
from deepcritical.domain.brief import (
    COLUMNS,
    Briefed,
    DecidingStudy,
    StudyRow,
    TrialUnderWay,
    badge,
    comparator_words,
    finding_cells,
    studies_words,
    study_words,
    trial_words,
)
from deepcritical.domain.effect_words import gravest_first
from deepcritical.domain.evidence_table import DrugStance, EvidenceRow, phase_name
from deepcritical.domain.markdown import escape_markdown, table
from deepcritical.domain.record_kinds import status_words
from deepcritical.domain.report_parts import (
    DrugCandidate,
    Quoted,
    Reference,
    ReportSection,
    VerdictChange,
)
from deepcritical.domain.sentences import as_markdown, citation_marks
from deepcritical.domain.verdict import Verdict
from deepcritical.domain.votes import Importance, OutcomeRow

_REGISTERS = ("clinicaltrials", "registry")

_SCALES = "How these scores are computed: see “How the verdict is reached” in the documentation."
_TABLE_NOTE = (
    "Level is OCEBM 2011. GRADE is the certainty of the record alone, quality (0-1) a weighted "
    "mean of design, size, integrity, peer review and citations; no verdict rests on it. "
    "Direction is towards the claim that the drug helps; “related” means another outcome or "
    "population. A direction that only a model reads, or that it disputes, is marked; the verdict "
    "counts the direction that the rules read."
)
_MOST_ROWS: dict[Importance, int] = {"critical": 10, "harm": 8, "important": 8, "surrogate": 5}
"""Rows of each weight that are printed; the data holds all."""
_NEARNESS = {"direct": "", "broader": ", indirect", "related": ", other people"}
_TEXT_USED = {
    "summary": "Text used: demo summary, not the abstract itself",
    "registry": "Text used: registry entry",
    "label": "Text used: label, or entry of a curated source",
    "full_text": "Text used: abstract and results of the full text",
}


def section(
    part: ReportSection, references: Sequence[Reference] = (), rows: Sequence[EvidenceRow] = ()
) -> str:
    """A section under its heading, with the sentences of records; nothing for an empty one."""
    told = "\n\n".join(filter(None, (part.content, quotes(part.quoted, references, rows))))
    return f"## {part.title}\n\n{told}" if told else ""


def quotes(
    quoted: Sequence[Quoted], references: Sequence[Reference], rows: Sequence[EvidenceRow]
) -> str:
    """What records say, a line each under the headings of their groups.

    The words stand in quotation marks only where they are the source's own.
    """
    numbers = {r.evidence_id: n for n, r in enumerate(references, 1)}
    designs = {row.evidence_id: row.design.partition(" (")[0] for row in rows}
    listed = [one for one in quoted if one.evidence_id in numbers]
    parts: list[str] = []
    for group, own in groupby(listed, key=lambda one: one.group):
        lines = [_quoted(one, numbers[one.evidence_id], references, designs) for one in own]
        parts += [f"**{escape_markdown(group)}**"] if group else []
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _quoted(
    one: Quoted, number: int, references: Sequence[Reference], designs: Mapping[str, str]
) -> str:
    reference = references[number - 1]
    design = escape_markdown(designs.get(one.evidence_id, ""))
    lead = f"**{escape_markdown(reference.short_name)}**{f' ({design})' if design else ''}"
    told = []
    for claim in one.claims:
        words = escape_markdown(claim.quote)
        said = words if reference.text_kind == "summary" else f"“{words}”"
        told.append(f"{said} ({escape_markdown(claim.place)})" if claim.place else said)
    return f"- {lead} [{number}]: {' '.join(told)}"


def because(verdict: Verdict, references: Sequence[Reference]) -> str:
    """The rule behind the verdict, the records that decided, and what lowered or capped it."""
    decided = [
        f"{escape_markdown(reference.short_name)} [{n}]"
        for n, reference in enumerate(references, 1)
        if reference.evidence_id in verdict.deciding_ids
    ]
    lowered = "; ".join(verdict.downgrades)
    lines = [f"Rule: {verdict.rule}"]
    lines += [f"Decided by: {', '.join(decided)}."] if decided else []
    lines += [
        f"Certainty (GRADE) is {verdict.certainty.value}"
        f"{f', lowered for {lowered}' if lowered else ''}.",
    ]
    lines += [] if decided or lowered else ["No studies to grade."]
    lines += [f"Caps: {'; '.join(verdict.caps)}."] if verdict.caps else []
    lines.append(_SCALES)
    return "\n".join(f"- {line}" for line in lines)


def candidate_table(candidates: Sequence[DrugCandidate], references: Sequence[Reference]) -> str:
    """Each drug with its own verdict; nothing without candidates."""
    if not candidates:
        return ""
    several = len(candidates) > 1
    decided = "Rule and deciding records" if several else "Deciding records"
    header = ("Drug", "Verdict", "Certainty", "Studies", decided)
    rows = [
        (
            escape_markdown(candidate.name),
            candidate.verdict.label.value,
            candidate.verdict.certainty.value,
            str(candidate.studies),
            f"{candidate.verdict.rule.rstrip('.') if several else ''} "
            f"{citation_marks(candidate.verdict.deciding_ids, references)}".strip(),
        )
        for candidate in candidates
    ]
    return f"## Drug candidates\n\n{table(header, rows)}"


def findings_table(rows: Sequence[OutcomeRow], references: Sequence[Reference]) -> str:
    """The summary of findings: the outcomes that decide first, then harms and lesser ones."""
    if not rows:
        return ""
    header = tuple("Outcome;Weight;Compared with;Studies (people);Finding;GRADE;Records".split(";"))
    shown = []
    for weight, most in _MOST_ROWS.items():
        of_weight = [row for row in rows if row.importance == weight]
        shown += (gravest_first(of_weight) if weight == "harm" else of_weight)[:most]
    lines = [
        (
            escape_markdown(f"{row.outcome} ({row.tested_as})" if row.tested_as else row.outcome),
            f"{row.importance}{_NEARNESS[row.directness]}",
            escape_markdown(comparator_words(row)),
            studies_words(row),
            escape_markdown(row.finding),
            row.certainty.value,
            citation_marks(row.evidence_ids, references),
        )
        for row in shown
    ]
    left = len(rows) - len(lines)
    more = f"\n\n{left} more outcomes are in the report's data." if left else ""
    return f"## Summary of findings\n\n{table(header, lines)}{more}"


def study_table(rows: Sequence[StudyRow], references: Sequence[Reference]) -> str:
    """Return the table of studies, a row each; '' without studies."""
    header = tuple("Study;Design;People;Population;Compared with;Result;In the verdict".split(";"))
    lines = [_study_cells(row, references) for row in rows]
    return f"## Studies\n\n{table(header, lines)}" if rows else ""


def change_table(changes: Sequence[VerdictChange], references: Sequence[Reference]) -> str:
    """The verdicts that the same rules would give over other evidence; '' without any."""
    names = {r.evidence_id: escape_markdown(r.short_name) for r in references}
    lines = []
    for one in changes:
        lacked = (
            *(names.get(i, "") for i in one.without[:1]),
            citation_marks(one.without, references),
        )
        change = " ".join(filter(None, (escape_markdown(one.change), *lacked)))
        lines.append((change, one.label.value, one.certainty.value))
    return table(("If the records", "Verdict", "Certainty"), lines) if lines else ""


def trial_table(rows: Sequence[EvidenceRow], references: Sequence[Reference]) -> str:
    """The registered trials among the references, those that were stopped first.

    A paper that carries the status of its trial stands in for an entry that is not among them.
    """
    by_id = {row.evidence_id: row for row in rows}
    entries = {r.evidence_id for r in references if r.source in _REGISTERS}
    found = [
        (n, r, by_id[r.evidence_id]) for n, r in enumerate(references, 1) if r.evidence_id in by_id
    ]
    trials = [
        (number, reference, row)
        for number, reference, row in found
        if row.evidence_id in entries or (row.status and not entries.intersection(row.same_study))
    ]
    lines = [
        (
            f"{escape_markdown(reference.short_name)} [{number}]",
            escape_markdown(reference.title),
            escape_markdown(
                status_words(row.status, reference.note, reference.date) or "not shown"
            ),
            escape_markdown(phase_name(row.phase)),
            _enrolled(row),
            escape_markdown(row.why_stopped),
        )
        for number, reference, row in sorted(trials, key=lambda one: not one[2].why_stopped)
    ]
    header = ("Trial", "Title", "Status", "Phase", "Enrolled", "Stopped because")
    return f"## Registered trials\n\n{table(header, lines)}" if lines else ""


def _enrolled(row: EvidenceRow) -> str:
    if row.participants is None:
        return "" if row.planned is None else f"planned {row.planned:,}"
    return f"{row.participants:,}"


def _study_cells(row: StudyRow, references: Sequence[Reference]) -> tuple[str, ...]:
    result = f"{row.outcome}: {row.result}" if row.result else ""
    people = f"{row.people:,}" if row.people else ""
    cells = (row.design, people, row.population, row.comparator, result, row.counts)
    name = f"{escape_markdown(row.name)} {citation_marks(row.evidence_ids, references)}".rstrip()
    return (name, *map(escape_markdown, cells))


def evidence_table(rows: Sequence[EvidenceRow], references: Sequence[Reference]) -> str:
    """Each reference with its design, level, size, direction and part in the verdict."""
    if not rows:
        return ""
    by_id = {row.evidence_id: row for row in rows}
    header = tuple(
        "Ref.;Study;Design;Level;GRADE;Quality;People;Direction;In the verdict".split(";")
    )
    # An answer has no verdict, and its sides are those of sentences.
    columns = len(header) if any(row.stances for row in rows) else len(header) - 2
    lines = [
        _evidence_line(number, reference, by_id[reference.evidence_id])[:columns]
        for number, reference in enumerate(references, 1)
        if reference.evidence_id in by_id
    ]
    return f"## Evidence table\n\n{_TABLE_NOTE}\n\n{table(header[:columns], lines)}"


def _evidence_line(number: int, reference: Reference, row: EvidenceRow) -> tuple[str, ...]:
    ended = f", {row.status.replace('_', ' ').lower()}" if row.status else ""
    return (
        f"[{number}]",
        escape_markdown(reference.short_name),
        escape_markdown(f"{row.design}{' (read from the text)' if row.design_from_text else ''}")
        + escape_markdown(ended),
        str(row.level or ""),
        row.certainty,
        "" if row.quality is None else f"{row.quality:.2f}",
        f"{row.participants:,}" if row.participants else "",
        _stances(row, [_direction(stance) for stance in row.stances]),
        _stances(row, [stance.role.value for stance in row.stances]),
    )


def _direction(stance: DrugStance) -> str:
    told = stance.direction is not Direction.NONE and not stance.direct
    dispute = f" ({stance.dispute})" if stance.dispute else ""
    return f"{stance.direction.value}{' (related)' if told else ''}{dispute}"


def _stances(row: EvidenceRow, said: Sequence[str]) -> str:
    """What is said of each drug; its name only where there are several."""
    if len(said) == 1:
        return said[0]
    named = zip(row.stances, said, strict=True)
    return "; ".join(f"{escape_markdown(stance.drug)}: {text}" for stance, text in named)


def reference_list(references: Sequence[Reference]) -> str:
    """The numbered references."""
    lines = [f"{n}. {_reference(reference)}" for n, reference in enumerate(references, 1)]
    return "## References\n\n" + ("\n".join(lines) or "None.")


def _reference(reference: Reference) -> str:
    """Vancouver order: authors, title, journal, year, volume and pages, ids."""
    parts = (
        reference.byline,
        reference.title,
        reference.place,
        ", ".join(reference.public_ids),
        _TEXT_USED.get(reference.text_kind, ""),
        "RETRACTED" if reference.retracted else "",
        f"Note: {reference.note}" if reference.note else "",
    )
    texts = [part.rstrip(".") for part in parts if part]
    link = f" <{reference.link}>" if reference.link else ""
    return f"{'. '.join(map(escape_markdown, texts))}.{link}"


def brief_markdown(report: Briefed) -> str:
    """Return the brief as Markdown without a title; '' for a report without one."""
    brief, references = report.brief, report.references
    if brief is None:
        return ""
    label, remarks = badge(report)
    rows = [_cells(row, references) for row in brief.findings]
    parts = (
        " · ".join((f"**{label}**", *map(escape_markdown, remarks))),
        as_markdown(brief.licensed, references),
        as_markdown(brief.answer, references),
        f"**Harms:** {as_markdown(brief.harms, references)}" if brief.harms else "",
        f"**Label:** {as_markdown(brief.label, references)}" if brief.label else "",
        as_markdown(brief.synthesis, references),
        table(COLUMNS, rows) if rows else "",
        _listed("Main studies", (_study(study, references) for study in brief.studies)),
        _listed("What is missing", map(escape_markdown, brief.missing)),
        _listed("Trials under way", (_trial(trial, references) for trial in brief.trials)),
    )
    return "\n\n".join(part for part in parts if part)


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
