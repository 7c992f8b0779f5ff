"""Has a verifier compare what code read as results with the words of the records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.report.brief import Contested, Statement
from deepcritical.verification.verifiers import LONGEST_TEXT, Item, Verifier

_MOST = 16
"""Statements that are compared."""


async def contested_by(
    verifier: Verifier, statements: Sequence[Statement], records: Mapping[str, Evidence]
) -> tuple[Contested, ...]:
    """Return the statements that a verifier does not find in the records that they rest on.

    Args:
        verifier: Compares them.
        statements: The weightiest first.
        records: The run's records, by evidence id.
    """
    shown = [one for one in statements if {*one.evidence_ids} <= {*records}][:_MOST]
    items = [_item(f"{n}", one, records) for n, one in enumerate(shown)]
    judged = await verifier.entail(items) if items else {}
    return tuple(
        Contested(
            outcome=one.outcome,
            comparator=one.comparator,
            told=one.text,
            reason=said.reason,
            by=verifier.name,
        )
        for n, one in enumerate(shown)
        if (said := judged.get(f"{n}")) and said.verdict != "supported"
    )


def _item(key: str, told: Statement, records: Mapping[str, Evidence]) -> Item:
    cited = {i: records[i] for i in told.evidence_ids}
    texts = {i: (one.citation.title, one.content[:LONGEST_TEXT]) for i, one in cited.items()}
    return Item(key, told.text, texts)
