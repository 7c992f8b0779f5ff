"""A sentence of a model cites all sentences of its records that hold its figures and drugs."""

from __future__ import annotations

import pytest

from deepcritical.domain.report.sentences import Finding
from deepcritical.verification.fields import also_bearing


def said(number: int, quote: str) -> Finding:
    """Return a sentence of the record 1."""
    return Finding(id=f"1.{number}", evidence_ids=("E1",), quotes=(quote,))


RECORD = [
    said(1, "We studied 473 outpatients."),
    said(2, "Scores were lower with examplol."),
    said(3, "The ratio was 0.83 (P = 0.32)."),
    said(4, "Metformin was given beside it."),
    said(5, "Another 473 people declined."),
]


@pytest.mark.parametrize(
    ("text", "also"),
    [
        ("Scores were lower with examplol.", ()),
        ("In 473 outpatients scores were lower with examplol.", ("1.1",)),
        ("In 473 outpatients scores were lower (P = 0.32).", ("1.1", "1.3")),
        ("Beside metformin scores were lower.", ("1.4",)),
        ("In 474 outpatients scores were lower.", ()),
        ("Beside aspirin scores were lower.", ()),
    ],
)
def test_what_a_record_says_elsewhere_is_cited_too(text: str, also: tuple[str, ...]) -> None:
    cited, others = [RECORD[1]], [one for one in RECORD if one is not RECORD[1]]
    found = also_bearing(text, cited, others)
    assert tuple(sorted(one.id for one in found)) == also
