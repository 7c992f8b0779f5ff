"""Renders parts of a report as Markdown."""

from collections.abc import Mapping, Sequence
from itertools import groupby

from deepcritical.domain.appraisal import Direction
from deepcritical.domain.evidence_table import DrugStance, EvidenceRow
from deepcritical.domain.markdown import escape_markdown, table
from deepcritical.domain.report_parts import (
    Quoted,
    Reference,
    VerdictChange,
)
from deepcritical.domain.sentences import citation_marks
from deepcritical.domain.verdict import Verdict

_SCALES = "How these scores are computed: see “How the verdict is reached” in the documentation."
_TABLE_NOTE = (
    "Level is OCEBM 2011. GRADE is the certainty of the record alone, quality (0-1) a weighted "
    "mean of design, size, integrity, peer review and citations; no verdict rests on it. "
    "Direction is towards the claim that the drug helps; “related” means another outcome or "
    "population. A direction that only a model reads, or that it disputes, is marked; the verdict "
    "counts the direction that the rules read."
)
_TEXT_USED = {
    "summary": "Text used: demo summary, not the abstract itself",
    "registry": "Text used: registry entry",
    "label": "Text used: label, or entry of a curated source",
    "full_text": "Text used: abstract and results of the full text",
}


def titled(title: str, content: str) -> str:
    """Return a text under a heading; '' without a text."""
    return f"## {title}\n\n{content}" if content else ""


def quotes(
    quoted: Sequence[Quoted], references: Sequence[Reference], rows: Sequence[EvidenceRow]
) -> str:
    """Return the quotes of records, one a line, under the headings of their groups.

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
    lines = [f"Rule: {verdict.told_rule}"]
    lines += [f"Decided by: {', '.join(decided)}."] if decided else []
    lines += [
        f"Certainty (GRADE) is {verdict.certainty.value}"
        f"{f', lowered for {lowered}' if lowered else ''}.",
    ]
    lines += [] if decided or lowered else ["No studies to grade."]
    lines += [f"Caps: {'; '.join(verdict.caps)}."] if verdict.caps else []
    lines.append(_SCALES)
    return "\n".join(f"- {line}" for line in lines)


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
    return f"{_TABLE_NOTE}\n\n{table(header[:columns], lines)}"


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
    """Return the statement on each drug, with its name where there are several."""
    if len(said) == 1:
        return said[0]
    named = zip(row.stances, said, strict=True)
    return "; ".join(f"{escape_markdown(stance.drug)}: {text}" for stance, text in named)


def reference_list(references: Sequence[Reference]) -> str:
    """The numbered references."""
    lines = [f"{n}. {_reference(reference)}" for n, reference in enumerate(references, 1)]
    return "\n".join(lines) or "None."


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
