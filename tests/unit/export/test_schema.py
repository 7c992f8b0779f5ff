"""report.json is what its published schema says."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from deepcritical.domain.report import ResearchReport
from deepcritical.export.formats import FORMATS
from tests.conftest import ROOT
from tests.unit.export.reports import IMPRINT, full_report, report_of

SCHEMA = ROOT / "docs" / "report.schema.json"


def validator() -> jsonschema.Draft202012Validator:
    schema = json.loads(Path(SCHEMA).read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("report", [full_report(), report_of("TNF-α")], ids=["full", "texts"])
def test_a_report_is_valid(report: ResearchReport) -> None:
    written = json.loads(FORMATS["json"].render(report, IMPRINT))
    assert list(validator().iter_errors(written)) == []


@pytest.mark.parametrize("change", [{"verdict": None}, {"run_id": 3}, {"unknown": 1}])
def test_what_is_no_report_is_refused(change: dict[str, object]) -> None:
    written = json.loads(FORMATS["json"].render(full_report(), IMPRINT))
    assert list(validator().iter_errors(written | change))
