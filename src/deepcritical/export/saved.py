"""Reads a report.json, or an answer.json, back, so that it can be written again byte by byte."""

from __future__ import annotations

import json

from pydantic import AwareDatetime, TypeAdapter

from deepcritical.domain.answer import Document, read_document
from deepcritical.export.imprint import Imprint

_HEAD = ("run_id", "generated_at")
_TIME: TypeAdapter[AwareDatetime] = TypeAdapter(AwareDatetime)
_ID = TypeAdapter(str)


def from_json(text: str) -> tuple[Document, Imprint]:
    """The report, or the answer, and its imprint.

    Raises:
        ValidationError: A field is missing, unknown or of another type.
        ValueError: The text is no JSON, or has no head.
    """
    parsed = json.loads(text)
    body = {k: v for k, v in parsed.items() if k not in _HEAD} if type(parsed) is dict else parsed
    report = read_document(body)
    missing = [name for name in _HEAD if name not in parsed]
    if missing:
        raise ValueError(f"{' and '.join(missing)} missing")
    run_id = _ID.validate_python(parsed["run_id"], strict=True)
    return report, Imprint(run_id, _TIME.validate_python(parsed["generated_at"]))
