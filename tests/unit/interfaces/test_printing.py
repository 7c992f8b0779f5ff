"""The form of a report that is printed, and the place of the rest of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deepcritical.interfaces.cli.ended import Wanted, print_report
from tests.unit.domain.report.briefs import brief_report
from tests.unit.export.reports import IMPRINT


def printed(
    capfdbinary: pytest.CaptureFixture[bytes],
    wanted: Wanted,
    folder: Path | None = None,
    *,
    is_kept: bool = True,
    has_brief: bool = True,
) -> str:
    report = brief_report() if has_brief else brief_report(None)
    print_report(report, IMPRINT, wanted, folder, is_kept=is_kept)
    return capfdbinary.readouterr().out.decode()


def test_the_brief_names_the_way_to_the_whole_report(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    again = f"Whole report: deepcritical research --reuse {IMPRINT.run_id[:8]} --full"
    assert again in printed(capfdbinary, "brief")
    assert "Whole report: --full (or" in printed(capfdbinary, "brief", is_kept=False)
    assert "Whole report: out/report.html" in printed(capfdbinary, "brief", Path("out"))


def test_the_whole_report_is_markdown(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert printed(capfdbinary, "full") == brief_report().to_markdown()


def test_a_report_without_a_brief_is_printed_as_a_whole(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    text = printed(capfdbinary, "brief", has_brief=False)
    assert text == brief_report(None).to_markdown()


def test_json_stays_json(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert json.loads(printed(capfdbinary, "json"))["brief"]["answer"]
