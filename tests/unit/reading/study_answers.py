"""Invented records with what a reader may answer on them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from deepcritical.domain.evidence.record import Citation, Evidence, EvidenceMetadata
from deepcritical.domain.study.reading import Reader, Result, StudyReading
from deepcritical.reading.answers import ReadStudy
from deepcritical.reading.building import built
from deepcritical.reading.checking import checked
from deepcritical.reading.sentences import numbered

READ_AT = datetime(2030, 1, 1, tzinfo=UTC)
READER = Reader(kind="model", name="test:reader")
TITLE = "Examplol versus placebo in testitis: a randomised trial"
PEOPLE = "Eighty-one adults were randomised to examplol (n = 40) or placebo (n = 41)."
ARMS: list[dict[str, Any]] = [
    {"id": "A", "label": "examplol", "gets": ["examplol"]},
    {"id": "B", "label": "placebo", "control": "placebo"},
]


def record(text: str, *, title: str = TITLE, **metadata: Any) -> Evidence:
    return Evidence(
        content=text,
        citation=Citation(source="pubmed", title=title),
        metadata=EvidenceMetadata.model_validate({"pmid": "1", **metadata}),
    )


def unchecked(evidence: Evidence, **answer: Any) -> StudyReading:
    study = ReadStudy.model_validate({"id": "R1", "arms": ARMS, **answer})
    return built(study, evidence, READER, READ_AT)


def check(evidence: Evidence, **answer: Any) -> StudyReading:
    return checked(unchecked(evidence, **answer), numbered(evidence), evidence)


def check_result(sentence: str, **result: Any) -> tuple[Result | None, tuple[str, ...]]:
    """The result that stands after the people's sentence, and the parts that were faulty."""
    evidence = record(f"{PEOPLE} {sentence}")
    told = {"outcome": "itching", "a": "A", "b": "B", "s": [2], **result}
    reading = check(evidence, results=[told])
    return next(iter(reading.results), None), tuple(fault.part for fault in reading.faults)
