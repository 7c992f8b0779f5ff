from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

from deepcritical.domain.report import ResearchReport
from deepcritical.export.formats import FORMATS
from tests.unit.export.test_html import reference, report


def test_json_is_the_report_headed_by_its_run() -> None:
    written = json.loads(FORMATS["json"].render(report(reference()), "run-1"))
    assert written.pop("run_id") == "run-1"
    at = datetime.fromisoformat(written.pop("generated_at"))
    assert timedelta(0) <= datetime.now(UTC) - at < timedelta(minutes=1)
    assert ResearchReport.model_validate(written) == report(reference())


def test_markdown_and_html_are_the_report_for_people() -> None:
    whole = report(reference())
    assert FORMATS["md"].render(whole, "run-1") == whole.to_markdown()
    assert FORMATS["html"].render(whole, "run-1").startswith("<!doctype html>")


def test_each_format_names_its_media_type() -> None:
    assert {suffix: form.media_type for suffix, form in FORMATS.items()} == {
        "html": "text/html",
        "md": "text/markdown",
        "json": "application/json",
    }
