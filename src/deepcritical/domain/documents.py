"""The texts that cite records: what a run ends with."""

from __future__ import annotations

from pydantic import JsonValue

from deepcritical.domain.answer import DeepAnswer
from deepcritical.domain.report import ResearchReport

Document = ResearchReport | DeepAnswer
"""The report of a team, or the answer to a free question."""


def read_document(fields: JsonValue) -> Document:
    """The report or the answer that JSON holds; only an answer has a checklist.

    Raises:
        ValidationError: A field is missing, unknown or of another type.
    """
    is_answer = isinstance(fields, dict) and "checklist" in fields
    return (DeepAnswer if is_answer else ResearchReport).model_validate(fields)
