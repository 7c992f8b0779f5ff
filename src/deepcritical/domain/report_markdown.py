"""The parts of a report as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from deepcritical.domain.appraisal import Direction
from deepcritical.domain.evidence_table import DrugStance, EvidenceRow
from deepcritical.domain.markdown import escape_markdown, table
from deepcritical.domain.report_parts import (
    DrugCandidate,
    HypothesisTested,
    Reference,
    ReportSection,
)
from deepcritical.domain.verdict import Verdict

__all__ = [
    "because",
    "candidate_table",
    "evidence_table",
    "hypothesis_list",
    "reference_list",
    "section",
]

_REGISTERS = ("clinicaltrials", "registry")
"""Whose cautions stand in the list of references; those on papers stand beside their findings."""

_TEXT_USED = {
    "summary": "Text used: summary written for the snapshot",
    "registry": "Text used: registry entry",
}


def section(part: ReportSection) -> str:
    """A section under its heading; nothing for one without content."""
    if not part.content:
        return ""
    return f"## {part.title}\n\n{part.content}"


def _markers(ids: Sequence[str], references: Sequence[Reference]) -> str:
    numbers = (n for n, reference in enumerate(references, 1) if reference.evidence_id in ids)
    return "".join(f"[{n}]" for n in numbers)


def because(verdict: Verdict, references: Sequence[Reference]) -> str:
    """The rule behind the verdict, the records that decided, and what lowered or capped it."""
    decided = [
        f"{escape_markdown(reference.short_name)} [{n}]"
        for n, reference in enumerate(references, 1)
        if reference.evidence_id in verdict.deciding_ids
    ]
    lines = [f"Rule: {verdict.rule}"]
    lines += [f"Decided by: {', '.join(decided)}."] if decided else []
    lines += [f"Lowered the certainty: {reason}." for reason in verdict.downgrades]
    lines += [f"Cap: {cap}." for cap in verdict.caps]
    return "\n".join(f"- {line}" for line in lines)


def candidate_table(candidates: Sequence[DrugCandidate], references: Sequence[Reference]) -> str:
    """Each drug with its own verdict; nothing without candidates."""
    if not candidates:
        return ""
    header = ("Drug", "Verdict", "Certainty", "Studies", "Decided by")
    rows = [
        (
            escape_markdown(candidate.name),
            candidate.verdict.label.value,
            candidate.verdict.certainty.value,
            str(candidate.studies),
            f"{candidate.verdict.rule.rstrip('.')} "
            f"{_markers(candidate.verdict.deciding_ids, references)}.",
        )
        for candidate in candidates
    ]
    return f"## Drug candidates\n\n{table(header, rows)}"


def hypothesis_list(hypotheses: Sequence[HypothesisTested], drug: str) -> str:
    """Each chain with what it predicts and the evidence on its edges."""
    told = "\n\n".join(_hypothesis(n, h) for n, h in enumerate(hypotheses, 1))
    none = (
        f"No mechanism{f' of {escape_markdown(drug)}' if drug else ''} "
        "was recognised in the records."
    )
    return f"## Hypotheses tested\n\n{told or none}"


def _hypothesis(number: int, hypothesis: HypothesisTested) -> str:
    chain = " → ".join(map(escape_markdown, hypothesis.chain))
    prediction = escape_markdown(hypothesis.prediction)
    head = f"**H{number}. {chain}** (confidence {hypothesis.confidence:.2f}): {prediction}."
    edges = [
        f"- {escape_markdown(edge.subject)} → {escape_markdown(edge.object)}: {edge.finding}."
        for edge in hypothesis.edges
    ]
    return "\n".join((head, "", *edges))


def evidence_table(rows: Sequence[EvidenceRow], references: Sequence[Reference]) -> str:
    """Each reference with its design, level, size, direction and part in the verdict."""
    if not rows:
        return ""
    by_id = {row.evidence_id: row for row in rows}
    header = ("Ref.", "Study", "Design", "OCEBM level", "People", "Direction", "In the verdict")
    lines = [
        _evidence_line(number, reference, by_id[reference.evidence_id])
        for number, reference in enumerate(references, 1)
        if reference.evidence_id in by_id
    ]
    return f"## Evidence table\n\n{table(header, lines)}"


def _evidence_line(number: int, reference: Reference, row: EvidenceRow) -> tuple[str, ...]:
    ended = f", {row.status.replace('_', ' ').lower()}" if row.status else ""
    return (
        f"[{number}]",
        escape_markdown(reference.short_name),
        escape_markdown(f"{row.design}{' (read from the text)' if row.design_from_text else ''}")
        + escape_markdown(ended),
        str(row.level or ""),
        f"{row.participants:,}" if row.participants else "",
        _stances(row, [_direction(stance) for stance in row.stances]),
        _stances(row, [stance.role.value for stance in row.stances]),
    )


def _direction(stance: DrugStance) -> str:
    told = stance.direction is not Direction.NONE and not stance.direct
    return f"{stance.direction.value}{' (related)' if told else ''}"


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
        f"Note: {reference.note}" if reference.note and reference.source in _REGISTERS else "",
    )
    texts = [part.rstrip(".") for part in parts if part]
    link = f" <{reference.link}>" if reference.link else ""
    return f"{'. '.join(map(escape_markdown, texts))}.{link}"
