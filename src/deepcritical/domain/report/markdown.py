"""Renders parts of a report as Markdown: table, references, mechanism, curated facts, searches."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from deepcritical.domain.appraisal.evidence_table import DrugStance, EvidenceRow
from deepcritical.domain.appraisal.findings import Direction
from deepcritical.domain.appraisal.verdict import Verdict
from deepcritical.domain.evidence.drug_facts import EVENTS_CAVEAT, DrugFacts, DrugTarget
from deepcritical.domain.report.parts import (
    EdgeTested,
    HypothesisTested,
    Quoted,
    Reference,
    SearchRun,
    VerdictChange,
)
from deepcritical.domain.report.sentences import citation_marks
from deepcritical.domain.text.markdown import escape_markdown, table
from deepcritical.domain.text.spans import capitalised

_SCALES = "How these scores are computed: see “How the verdict is reached” in the documentation."
_TABLE_NOTE = (
    "Level is OCEBM 2011. GRADE is the certainty of the record alone, quality (0-1) a weighted "
    "mean of design, size, integrity, peer review and citations; no verdict rests on it. "
    "Direction is towards the claim that the drug helps; “related” means another outcome or "
    "population. A direction that only a model reads, or that it disputes, is marked; the verdict "
    "counts the direction that the rules read."
)
_TEXT_USED = {
    "summary": "Text used: a summary, not the abstract itself",
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
        f"{f', lowered for {lowered}' if lowered else ''}."
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


_HEADER = ("Edge", "In", "Finding", "Records, with OCEBM level and people")


def edge_evidence(
    hypotheses: Sequence[HypothesisTested],
    rows: Sequence[EvidenceRow],
    references: Sequence[Reference],
) -> str:
    """A table of the edges, each once, with the records for and against; '' without any edge."""
    by_id = {row.evidence_id: row for row in rows}
    edges: dict[tuple[str, str], tuple[EdgeTested, list[str]]] = {}
    for number, hypothesis in enumerate(hypotheses, 1):
        for edge in hypothesis.edges:
            edges.setdefault((edge.subject, edge.object), (edge, []))[1].append(f"H{number}")
    lines = [
        (" → ".join(map(escape_markdown, names)), ", ".join(chains), finding, records)
        for names, (edge, chains) in edges.items()
        for finding, records in _findings(edge, by_id, references)
    ]
    return table(_HEADER, lines) if lines else ""


def _findings(
    edge: EdgeTested, rows: dict[str, EvidenceRow], references: Sequence[Reference]
) -> Iterator[tuple[str, str]]:
    """Each finding with its records; or that there is none."""
    sides = (
        ("increases", edge.increases),
        ("decreases", edge.decreases),
        ("does not change", edge.no_effect),
        ("is tied to", edge.associated),
    )
    for sign, ids in sides:
        records = [
            _record(number, reference, rows.get(reference.evidence_id))
            for number, reference in enumerate(references, 1)
            if reference.evidence_id in ids
        ]
        if ids:
            yield sign, "; ".join(records)
    if not any(ids for _, ids in sides):
        yield edge.finding, ""


def _record(number: int, reference: Reference, row: EvidenceRow | None) -> str:
    name = escape_markdown(reference.short_name)
    if row is None:
        return f"{name} [{number}]"
    level = f", level {row.level}" if row.level else ""
    people = f", {row.participants:,} people" if row.participants else ""
    return f"{name} ({escape_markdown(row.design)}{level}{people}) [{number}]"


_MOST = 8
"""Of each kind that are printed; the data holds all."""


def facts_markdown(facts: Sequence[DrugFacts] | None) -> str:
    """Return the section on curated facts; '' where nobody was asked."""
    parts = [part for one in facts or () for part in _of_drug(one)]
    return "\n\n".join(parts)


def _of_drug(facts: DrugFacts) -> Iterator[str]:
    yield f"### {escape_markdown(capitalised(facts.drug))}"
    if lines := list(_lines(facts)):
        yield "\n".join(f"- **{name}:** {escape_markdown(text)}" for name, text in lines)
    rows = [
        (
            escape_markdown(asked.source),
            asked.outcome.replace("_", " "),
            asked.retrieved + (" (kept)" if asked.cached else ""),
            escape_markdown(asked.licence),
            escape_markdown(asked.note),
        )
        for asked in facts.asked
    ]
    if rows:
        yield table(("Asked", "Outcome", "On", "Licence", "Note"), rows)
    if facts.origins:
        each = {origin.source: origin for origin in facts.origins}.values()
        named = sorted({f"{o.source} ({o.licence}, {o.url})" for o in each})
        yield f"Attribution: {escape_markdown('; '.join(named))}."


def _lines(facts: DrugFacts) -> Iterator[tuple[str, str]]:
    classes = [f"{c.name} ({c.kind})" if c.kind else c.name for c in facts.classes]
    approved = [i.condition for i in facts.indications if i.approved]
    agencies = [f"{a.agency} {a.date}".strip() for a in facts.approvals]
    targets = [_target(t) for t in facts.targets]
    events = [f"{e.event.lower()} {e.reports:,}" for e in facts.events]
    relations = [f"{r.kind} {r.object}" for r in facts.relations]
    labels = [", ".join(one.products) or facts.drug for one in facts.labels]
    for name, texts in (
        ("Class", classes),
        ("Targets", targets),
        ("Approved for", approved),
        ("Approved by", agencies),
        ("Labels", labels),
        ("Read from papers by PubTator3", relations),
    ):
        if texts:
            yield name, _some(texts)
    if events:
        yield "Reported with it (FAERS)", f"{_some(events)}. {EVENTS_CAVEAT}"


def _target(target: DrugTarget) -> str:
    own = target.symbol and target.symbol != target.target
    name = f"{target.target} ({target.symbol})" if own else target.target
    action = f", {target.action_type.lower()}" if target.action_type else ""
    return f"{name}{action}, by {target.origin.source}"


def _some(texts: Sequence[str]) -> str:
    known = list(dict.fromkeys(texts))
    rest = len(known) - _MOST
    return "; ".join(known[:_MOST]) + (f"; and {rest} more" if rest > 0 else "")


def search_log(searches: Sequence[SearchRun]) -> str:
    """The log as Markdown: a table for a snapshot, an entry for each query of live sources.

    A query that a source was not meant for was not run there, and is not listed.
    """
    ran = [search for search in searches if search.outcome != "not_applicable"]
    live = [search for search in ran if search.searched_at]
    local = [search for search in ran if not search.searched_at]
    by_source = {search.source: [s for s in live if s.source == search.source] for search in live}
    parts = (_table(local), *(_of_source(*of_source) for of_source in by_source.items()))
    return "\n\n".join(filter(None, parts))


def _table(searches: Sequence[SearchRun]) -> str:
    rows = [
        (
            escape_markdown(search.source),
            escape_markdown(search.query),
            search.outcome,
            str(search.identified),
            str(search.new),
        )
        for search in searches
    ]
    return table(("Source", "Query", "Outcome", "Records", "New"), rows) if rows else ""


def _of_source(source: str, searches: Sequence[SearchRun]) -> str:
    filters = dict.fromkeys(name for search in searches for name in search.filters)
    told = f" ({'; '.join(map(escape_markdown, filters))})" if filters else ""
    head = f"Queries to {escape_markdown(source)}, exactly as run{told}:"
    return "\n".join((head, "", *map(_entry, searches)))


def _entry(search: SearchRun) -> str:
    time = f"{search.searched_at:%H:%M:%S} UTC" if search.searched_at else ""
    kept = ", kept from an earlier search" if search.cached else ""
    hits = f"{search.total:,} hit{'' if search.total == 1 else 's'}"
    counts = f"{hits}, {search.identified} retrieved, {search.new} new{kept}"
    told = counts if search.outcome in ("data", "degraded") else search.outcome
    notes = escape_markdown("; ".join(note.rstrip(".") for note in search.notes))
    # A query that got no answer is known in plain words only.
    asked = search.query_as_run or f"(in plain words) {search.query}"
    entry = f"- {time}, {told}: {escape_markdown(asked)}."
    if search.understood_as and search.understood_as[0] != search.query_as_run:
        entry += f" Understood as: {escape_markdown('; '.join(search.understood_as))}."
    return f"{entry} Notes: {notes}." if notes else entry
