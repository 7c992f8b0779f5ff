"""Invented trials, which tests give to the reader by rules."""

from __future__ import annotations

from datetime import UTC, datetime

from deepcritical.domain.evidence.record import Citation, Evidence, EvidenceMetadata
from deepcritical.domain.study.reading import StudyReading
from deepcritical.reading.rules import read_by_rules

READ_AT = datetime(2030, 1, 1, tzinfo=UTC)
TITLE = "Examplol versus placebo in testitis: a randomised, double-blind trial"
METHODS = "Methods: A total of 81 adults were randomised to examplol (n = 40) or placebo (n = 41)."


def record(results: str, *, title: str = TITLE, methods: str = METHODS) -> Evidence:
    return Evidence(
        content=f"{methods}\nResults: {results}",
        citation=Citation(source="pubmed", title=title),
        metadata=EvidenceMetadata(pmid="1"),
    )


def read(results: str, *, title: str = TITLE, methods: str = METHODS) -> StudyReading:
    return read_by_rules(record(results, title=title, methods=methods), READ_AT)
