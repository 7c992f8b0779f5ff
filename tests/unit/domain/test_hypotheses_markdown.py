"""Each edge stands once, with the records for and against it, their level and size."""

from __future__ import annotations

from deepcritical.domain.report_markdown import edge_evidence
from tests.unit.export.reports import CHAIN, REFERENCES, ROWS


def rows(*chains: object) -> list[str]:
    found = edge_evidence(chains or (CHAIN,), ROWS, REFERENCES)  # type: ignore[arg-type]
    return found.splitlines()[2:]


def test_an_edge_names_the_records_of_each_finding() -> None:
    assert rows()[0] == (
        "| examplol → targetase | H1 | decreases | "
        "Invented 2021 (randomised controlled trial, level 2, 1,240 people) [1] |"
    )
    assert "does not change | Pomilius 2022 (animal or cell study, level 5) [2]" in rows()[2]


def test_an_edge_without_a_record_says_so() -> None:
    assert rows()[-1] == "| TNF-α → testitis | H1 | no evidence in the records found | – |"


def test_an_edge_of_two_chains_stands_once() -> None:
    found = rows(CHAIN, CHAIN.model_copy(update={"chain": ("examplol", "targetase", "TNF-α")}))
    assert len(found) == len(rows())
    assert "| H1, H2 |" in found[0]
