"""``deepcritical verify``: a report of the bundled snapshot, as written and tampered with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deepcritical import research
from deepcritical.export.writers import as_json
from deepcritical.interfaces.main import main
from tests.conftest import DEMO_QUESTION
from tests.unit.export.reports import IMPRINT

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def fields() -> dict[str, Any]:
    report = research(DEMO_QUESTION, snapshot="demo")
    parsed: dict[str, Any] = json.loads(as_json(report, IMPRINT))
    return parsed


@pytest.fixture
def path(tmp_path: Path, fields: dict[str, Any]) -> Path:
    return saved(tmp_path / "report.json", fields)


def saved(path: Path, fields: Any) -> Path:
    path.write_text(json.dumps(fields), encoding="utf-8")
    return path


def code_of(*args: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["verify", *args])
    assert isinstance(ended.value.code, int)
    return ended.value.code


@pytest.mark.slow
def test_an_honest_report_holds(path: Path, fields: dict[str, Any], capsys: Capture) -> None:
    assert code_of(str(path)) == 0
    out = capsys.readouterr().out
    rate = fields["support"]
    assert rate["cited"] == rate["borne_out"] > 20
    assert f"{rate['borne_out']} of {rate['cited']} cited sentences match their source" in out
    assert "FAILS" not in out


def test_it_holds_against_its_snapshot_too(path: Path, capsys: Capture) -> None:
    assert code_of(str(path), "--snapshot", "demo", "--json") == 0
    ledger = json.loads(capsys.readouterr().out)
    assert all(entry["holds"] for entry in ledger["entries"])


def test_a_changed_number_is_found_and_told_first(
    tmp_path: Path, fields: dict[str, Any], capsys: Capture
) -> None:
    false = "Metformin cured 4711 of 4711 participants [1]."
    tampered = {**fields, "conclusion": f"{false} {fields['conclusion']}"}
    assert code_of(str(saved(tmp_path / "report.json", tampered))) == 13
    streams = capsys.readouterr()
    assert streams.out.startswith(f"FAILS  verdict  {false.removesuffix(' [1].')}")
    assert "1 of" in streams.err


@pytest.mark.parametrize(("forged", "code"), [("", 0), ("4711 people", 13)])
def test_a_report_in_the_words_of_an_earlier_version_is_said_to_be_one(
    tmp_path: Path, fields: dict[str, Any], capsys: Capture, *, forged: str, code: int
) -> None:
    """Sentences on rows in other words hold as far as the rows go; a false figure is printed."""
    text = json.dumps({**fields, "schema_version": 6, "wording": 0}).replace(
        "Studies differ on", "Studies disagree on"
    )
    told = json.loads(text.replace("100 people", forged) if forged else text)
    told["brief"]["stated"] = []
    assert code_of(str(saved(tmp_path / "report.json", told))) == code
    out = capsys.readouterr().out
    assert ("of its sentences in words that are no longer written" in out) is not bool(forged)
    assert ("FAILS  rating  Studies disagree on" in out) is bool(forged)


@pytest.mark.parametrize(("schema", "code"), [(7, 13), (6, 0)])
def test_without_its_wording_a_report_fails_unless_it_is_a_former_one_and_says_so(
    tmp_path: Path, fields: dict[str, Any], capsys: Capture, *, schema: int, code: int
) -> None:
    told = {k: v for k, v in fields.items() if k != "wording"} | {"schema_version": schema}
    assert code_of(str(saved(tmp_path / "report.json", told))) == code
    out = capsys.readouterr().out
    assert ("whether parts were cut out of it is not checked" in out) is not bool(code)
    assert code_of(str(tmp_path / "report.json"), "--json") == code
    assert bool(json.loads(capsys.readouterr().out)["notices"]) is not bool(code)


def test_a_changed_source_is_found_by_its_snapshot(
    tmp_path: Path, fields: dict[str, Any], capsys: Capture
) -> None:
    first, *others = fields["references"]
    made = "Metformin cured everybody at once."
    changed = {**fields, "references": [{**first, "text": f"{first['text']} {made}"}, *others]}
    place = {"start": len(first["text"]) + 1, "end": len(first["text"]) + 1 + len(made)}
    claim = {"sentence": made, "quote": made, "evidence_id": first["evidence_id"], **place}
    changed["claims"] = [*fields["claims"], claim]
    path = str(saved(tmp_path / "report.json", changed))
    assert code_of(path) == 0
    assert code_of(path, "--snapshot", "demo") == 13
    assert "the snapshot has another text than the report" in capsys.readouterr().out


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", "no report", '{"title": 3}', "\ud800"])
def test_what_is_no_report_is_said_so(tmp_path: Path, content: str, capsys: Capture) -> None:
    path = tmp_path / "report.json"
    path.write_bytes(content.encode("utf-8", "surrogatepass"))
    assert code_of(str(path)) == 8
    assert "report.json is no report" in capsys.readouterr().err


def test_a_report_that_is_not_there(tmp_path: Path) -> None:
    assert code_of(str(tmp_path / "none.json")) == 8
    assert code_of(str(tmp_path)) == 8


def test_a_snapshot_that_is_not_there(path: Path) -> None:
    assert code_of(str(path), "--snapshot", "none") == 7
