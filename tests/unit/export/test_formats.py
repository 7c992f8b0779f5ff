from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from deepcritical.domain.report.report import ResearchReport
from deepcritical.export.formats import FORMATS
from deepcritical.export.writers import WRITERS, from_json
from tests.conftest import ROOT
from tests.unit.export.reports import IMPRINT, full_report, report_of
from tests.unit.export.test_html import reference, report


def test_json_is_the_report_headed_by_its_run() -> None:
    written = json.loads(FORMATS["json"].render(report(reference()), IMPRINT))
    assert written.pop("run_id") == "run-1"
    assert written.pop("generated_at") == "2999-01-01T12:30:15+00:00"
    assert ResearchReport.model_validate(written) == report(reference())


def test_markdown_and_html_are_the_report_for_people() -> None:
    whole = report(reference())
    assert FORMATS["md"].render(whole, IMPRINT).decode() == whole.to_markdown()
    assert FORMATS["html"].render(whole, IMPRINT).startswith(b"<!doctype html>")


def test_each_format_names_its_media_type() -> None:
    assert {suffix: form.media_type for suffix, form in FORMATS.items()} == {
        "html": "text/html",
        "pdf": "application/pdf",
        "md": "text/markdown",
        "json": "application/json",
        "bib": "application/x-bibtex",
        "ris": "application/x-research-info-systems",
        "csl.json": "application/vnd.citationstyles.csl+json",
        "evidence.csv": "text/csv",
        "studies.csv": "text/csv",
        "prisma.svg": "image/svg+xml",
        "mechanism.svg": "image/svg+xml",
        "timeline.svg": "image/svg+xml",
        "figures.json": "application/json",
    }


def test_each_format_has_a_writer() -> None:
    assert {*WRITERS, "json"} == set(FORMATS)


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_report_that_is_read_back_gives_the_same_bytes(suffix: str) -> None:
    first = FORMATS[suffix].render(full_report(), IMPRINT)
    again, imprint = from_json(FORMATS["json"].render(full_report(), IMPRINT).decode())
    assert FORMATS[suffix].render(again, imprint) == first


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
