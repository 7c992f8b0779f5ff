"""Renders mechanism steps, curated drug facts and the search log as Markdown."""

from collections.abc import Iterator, Sequence

from deepcritical.domain.drug_facts import EVENTS_CAVEAT, DrugFacts, DrugTarget
from deepcritical.domain.evidence_table import EvidenceRow
from deepcritical.domain.markdown import escape_markdown, table
from deepcritical.domain.report_parts import EdgeTested, HypothesisTested, Reference, SearchRun
from deepcritical.domain.text import capitalised

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
