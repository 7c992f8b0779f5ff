"""``deepcritical render``: the files of a run, written again from its report.json."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from deepcritical.export.formats import ANSWER_FORMATS, FORMATS
from deepcritical.interfaces.main import main
from tests.conftest import DEMO_QUESTION, ROOT, paper, snapshot
from tests.servers.commands import forked_command

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    main_ended("research", DEMO_QUESTION, "--snapshot", "demo", "--quiet", "--out", str(folder))
    return folder


def main_ended(*args: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(args)
    assert isinstance(ended.value.code, int)
    return ended.value.code


def fields(written: Path) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads((written / "report.json").read_text(encoding="utf-8"))
    return parsed


@pytest.mark.slow
def test_every_file_is_the_same_to_the_byte_in_another_process(
    written: Path, tmp_path: Path
) -> None:
    args = ["render", str(written / "report.json"), "--out", str(tmp_path)]
    subprocess.run([forked_command(), *args], check=True, capture_output=True, cwd=tmp_path)  # noqa: S603
    names = {f"report.{suffix}" for suffix in FORMATS}
    assert {path.name for path in tmp_path.iterdir()} == names
    for name in names:
        assert (tmp_path / name).read_bytes() == (written / name).read_bytes(), name


def test_the_report_is_what_its_published_schema_says(written: Path) -> None:
    schema = json.loads((ROOT / "docs" / "report.schema.json").read_text(encoding="utf-8"))
    checked = jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker())
    assert list(checked.iter_errors(fields(written))) == []


def test_it_tells_what_it_wrote(written: Path, tmp_path: Path, capsys: Capture) -> None:
    assert main_ended("render", str(written / "report.json"), "--out", str(tmp_path / "new")) == 0
    assert "report.pdf" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "told"),
    [
        pytest.param({"verdict": None}, "verdict", id="a field of another type"),
        pytest.param({"of_another_version": 1}, "of_another_version", id="an unknown field"),
        pytest.param({"generated_at": "yesterday"}, "report.json is no report", id="no time"),
        pytest.param({"generated_at": "2999-01-01T00:00:00"}, "report.json is no", id="no zone"),
        pytest.param({"run_id": 7}, "report.json is no report", id="no id"),
    ],
)
def test_what_is_no_report_of_this_version_is_said_so(
    written: Path, tmp_path: Path, change: dict[str, Any], told: str, capsys: Capture
) -> None:
    path = tmp_path / "report.json"
    path.write_text(json.dumps(fields(written) | change), encoding="utf-8")
    assert main_ended("render", str(path), "--out", str(tmp_path / "new")) == 8
    error = capsys.readouterr().err
    assert told in error
    assert "of this version" in error
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("missing", ["title", "references", "run_id", "generated_at"])
def test_an_old_report_without_a_field(
    written: Path, tmp_path: Path, missing: str, capsys: Capture
) -> None:
    kept = {name: value for name, value in fields(written).items() if name != missing}
    path = tmp_path / "report.json"
    path.write_text(json.dumps(kept), encoding="utf-8")
    code = main_ended("render", str(path), "--out", str(tmp_path / "new"))
    # A list that is missing is an empty one; what names the report is not.
    assert code == (0 if missing == "references" else 8)
    assert missing == "references" or missing in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff\xfe", b"PK\x03\x04"])
def test_a_file_that_is_no_report(tmp_path: Path, content: bytes, capsys: Capture) -> None:
    path = tmp_path / "other.bin"
    path.write_bytes(content)
    assert main_ended("render", str(path), "--out", str(tmp_path / "new")) == 8
    assert "other.bin is no report" in capsys.readouterr().err


def test_a_folder_that_takes_no_file(written: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    report = str(written / "report.json")
    assert main_ended("render", report, "--out", str(tmp_path / "file")) == 11


def test_an_answer_is_written_again_to_the_byte(tmp_path: Path) -> None:
    source = snapshot(tmp_path / "made.jsonl", paper(1), paper(2))
    asked = ("ask", "Does examplol help in testitis?", "--snapshot", str(source), "--quiet")
    assert main_ended(*asked, "--out", str(tmp_path / "first")) == 0
    answer = str(tmp_path / "first" / "answer.json")
    assert main_ended("render", answer, "--out", str(tmp_path / "again")) == 0
    for suffix in ANSWER_FORMATS:
        first, again = (tmp_path / folder / f"answer.{suffix}" for folder in ("first", "again"))
        assert again.read_bytes() == first.read_bytes()
