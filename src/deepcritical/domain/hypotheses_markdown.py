"""The hypotheses tested as Markdown: each chain, and the evidence on its edges by record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deepcritical.domain.evidence_table import EvidenceRow
from deepcritical.domain.markdown import escape_markdown, table
from deepcritical.domain.report_parts import EdgeTested, HypothesisTested, Reference

_HEADER = ("Edge", "In", "Finding", "Records, with OCEBM level and people")


def hypothesis_list(
    hypotheses: Sequence[HypothesisTested],
    drug: str,
    rows: Sequence[EvidenceRow] = (),
    references: Sequence[Reference] = (),
) -> str:
    """Each chain with what it predicts, then each edge with what the records say of it."""
    told = "\n".join(_hypothesis(n, h) for n, h in enumerate(hypotheses, 1))
    none = (
        f"No mechanism{f' of {escape_markdown(drug)}' if drug else ''} "
        "was recognised in the records."
    )
    evidence = edge_evidence(hypotheses, rows, references)
    behind = f"\n\n### Evidence on each edge\n\n{evidence}" if evidence else ""
    return f"## Hypotheses tested\n\n{told or none}{behind}"


def _hypothesis(number: int, hypothesis: HypothesisTested) -> str:
    chain = " → ".join(map(escape_markdown, hypothesis.chain))
    prediction = escape_markdown(hypothesis.prediction)
    return f"- **H{number}. {chain}** (confidence {hypothesis.confidence:.2f}): {prediction}."


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
