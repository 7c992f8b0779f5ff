"""What code read is compared with the records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deepcritical.appraisal.verdict import decide
from deepcritical.domain.votes import Way
from deepcritical.verification.contesting import contested_rows, row_statement
from deepcritical.verification.verifiers import Item, Judged
from tests.unit.appraisal.builders import findings, record, vote


class Doubting:
    """Finds each second row contradicted, and the others not borne."""

    name = "test:verifier"

    def __init__(self) -> None:
        self.shown: list[Item] = []

    async def entail(self, items: Sequence[Item]) -> Mapping[str, Judged]:
        self.shown += items
        return {
            one.id: Judged("contradicted" if n % 2 else "not_enough", frozenset(), "no")
            for n, one in enumerate(items)
        }


async def test_rows_that_a_verifier_finds_contradicted_are_named_with_what_was_said() -> None:
    rows = decide(findings(vote(), vote(Way.NO_DIFFERENCE, row="flurbs"))).rows
    paper = record()
    verifier = Doubting()
    told = await contested_rows(rows, "examplol", {"E1": paper, "E2": paper}, verifier)
    assert [one.outcome for one in told] == [rows[1].outcome]
    assert (told[0].by, told[0].reason) == ("test:verifier", "no")
    assert told[0].told == row_statement(rows[1], "examplol")
    assert [one.text for one in verifier.shown] == [row_statement(r, "examplol") for r in rows]
    assert all(paper.content in quotes for one in verifier.shown for quotes in one.quotes.values())
