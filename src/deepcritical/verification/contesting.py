"""Has a verifier compare what code read as results with the words of the records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from deepcritical.domain.brief import Contested, finding_cells
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.votes import OutcomeRow
from deepcritical.verification.verifiers import LONGEST_TEXT, Item, Verifier

_MOST = 12
"""Rows that are compared; the weightiest stand first."""


async def contested_rows(
    rows: Iterable[OutcomeRow],
    drug: str,
    records: Mapping[str, Evidence],
    verifier: Verifier,
) -> tuple[Contested, ...]:
    """Return the rows that a verifier finds contradicted by the records that they rest on.

    Args:
        rows: Of a summary of findings, as code read them.
        drug: The drug that they are on.
        records: The run's records, by evidence id.
        verifier: Compares them.
    """
    shown = [row for row in rows if row.effects][:_MOST]
    items = [_item(f"{n}", row, drug, records) for n, row in enumerate(shown)]
    judged = await verifier.entail(items) if items else {}
    return tuple(
        Contested(
            outcome=row.outcome,
            comparator=row.comparator,
            told=items[n].text,
            reason=said.reason,
            by=verifier.name,
        )
        for n, row in enumerate(shown)
        if (said := judged.get(f"{n}")) and said.verdict == "contradicted"
    )


def _item(key: str, row: OutcomeRow, drug: str, records: Mapping[str, Evidence]) -> Item:
    cited = {i: records[i] for i in row.evidence_ids if i in records}
    texts = {i: (one.citation.title, one.content[:LONGEST_TEXT]) for i, one in cited.items()}
    return Item(key, row_statement(row, drug), texts)


def row_statement(row: OutcomeRow, drug: str) -> str:
    """Return a row as a sentence; figures that code worked out stand in no record."""
    outcome, comparator, _, result, _ = finding_cells(row)
    is_own = not row.pooled and not any(e.turned_from or e.from_arms for e in row.effects)
    told = result if is_own else result.partition("; ")[0]
    return f"{outcome}, {drug} against {comparator}: {told.replace('the drug', drug)}."
