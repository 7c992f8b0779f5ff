"""`deepcritical eval` measures whole runs, reads trials, and writes what it measured."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from benchmarks.recorded_model import RecordedModel, key_of
from benchmarks.side_by_side import (
    asked_of,
    is_unsupported,
    measure,
    record,
    statements,
    table,
    ways_of,
)
from deepcritical import research
from deepcritical.bootstrap.application import build_reasoner
from deepcritical.domain.appraisal.verdict import DIRECTIONS, VerdictLabel
from deepcritical.evaluation.measuring import Bench, evaluate
from deepcritical.evaluation.scores import Evaluation, bootstrapped
from deepcritical.evaluation.verdicts import is_overstated
from deepcritical.interfaces.main import main
from deepcritical.reading.rules.reader import read_by_rules
from deepcritical.settings import Settings
from deepcritical.tools.snapshot import parse
from tests.conftest import QUESTION as MADE_UP
from tests.conftest import paper, run_service, snapshot
from tests.servers.models import Fault, ModelServer
from tests.servers.running import running

QUESTION = "Can metformin be repurposed for Alzheimer's disease?"


def _measured(folder: Path, capsys: pytest.CaptureFixture[str], *options: str) -> Evaluation:
    with pytest.raises(SystemExit) as ended:
        main(["eval", str(folder), "--out", str(folder / "out"), *options])
    assert ended.value.code == 0
    text = (folder / "out" / "evaluation.md").read_text("utf-8")
    assert text in capsys.readouterr().out
    told = (folder / "out" / "evaluation.json").read_text("utf-8")
    return Evaluation.model_validate_json(told)


@pytest.mark.slow
def test_a_verdict_is_right_in_its_direction_and_overstated_beyond_its_strength(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path / 'runs.db'}")
    records = str(snapshot(tmp_path / "made_up.jsonl", *map(paper, (1, 2))))
    said = research(MADE_UP, snapshot=records).verdict.label
    assert said is not VerdictLabel.NOT_ASSESSED
    other = next(one for one in VerdictLabel if DIRECTIONS[one] != DIRECTIONS[said])
    rows = [{"question": MADE_UP, "expected": label.value, "half": half}
            for label, half in ((said, "development"), (other, "kept aside"))]  # fmt: skip
    (tmp_path / "verdicts.jsonl").write_text("\n".join(map(json.dumps, rows)))
    told = _measured(tmp_path, capsys, "--snapshot", records)
    right = {f.half: f.right.hits for f in told.figures if f.measure.startswith("direction")}
    assert right == {"development": 1, "kept aside": 0}


@pytest.mark.parametrize(
    ("said", "expected", "over"),
    [
        ("supported", "promising", True),
        ("promising", "supported", False),
        ("supported", "refuted", True),
        ("unsupported", "promising", True),
        ("insufficient evidence", "refuted", False),
        ("not assessed", "supported", False),
        ("mixed", "insufficient evidence", True),
        ("harmful", "harmful", False),
    ],
)
def test_what_goes_further_or_another_way_is_overstated(
    said: str, expected: str, over: bool
) -> None:
    assert is_overstated(VerdictLabel(said), VerdictLabel(expected)) is over


def test_trials_are_read_and_the_missed_ones_of_the_development_half_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "A trial of naproxen in gout. We randomised 80 patients to naproxen or placebo."
    rows = [
        {"pmid": str(n), "text": text,
         "annotations": [{"label": "total-participants", "text": people}]}
        for n, people in enumerate(("80", "80", "90"), 1)
    ]  # fmt: skip
    (tmp_path / "pico_corpus.jsonl").write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(SystemExit):
        main(["eval", str(tmp_path), "--missed", "5"])
    shown = capsys.readouterr().out
    assert "people randomised | development | 1 of 2: 50.0 % [9–91]" in shown
    assert "- people randomised: 80 for [90]" in shown


@pytest.mark.parametrize(("status", "read"), [(200, 2), (503, 0)])
def test_what_rules_read_in_a_models_place_is_counted(
    tmp_path: Path, status: int, read: int
) -> None:
    path, text = tmp_path / "pico_corpus.jsonl", "A trial of naproxen in gout. 80 patients got it."
    rows = [{"pmid": str(n), "text": text, "annotations": []} for n in (1, 2)]
    path.write_text("\n".join(map(json.dumps, rows)))
    server = ModelServer()
    server.fault = lambda _: Fault(status=status) if status != 200 else None

    async def measured() -> Evaluation:
        async with running(server.app) as url:
            own = {"model": "compatible:made-up", "model_base_url": f"{url}v1"}
            reasoner = build_reasoner(Settings.model_validate(own))
            bench = Bench(reasoner, lambda _: run_service(), "demo", True, None)
            return (await evaluate([path], bench, model="compatible:made-up"))[0]

    figures = asyncio.run(measured()).figures
    by_model = [f.right for f in figures if f.measure == "records read by the model"]
    assert (sum(one.hits for one in by_model), sum(one.n for one in by_model)) == (read, 2)


def test_a_path_without_sets_ends_with_9(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["eval", str(tmp_path)])
    assert ended.value.code == 9
    assert "SciFact" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("pairs.jsonl", '{"other": 1}'),
        ("pairs.jsonl", "no JSON"),
        ("pairs.jsonl.gz", "not packed"),
        ("claims_dev.jsonl", '{"id": 1}'),  # without corpus.jsonl beside it
        ("pubmedqa.json", "[1, 2]"),
        ("biored.pubtator", "1 without a field"),
        ("drugmechdb.json", '["a", "b"]'),
        ("pico_corpus.jsonl", '{"pmid": 1, "text": "A trial.", "annotations": []}'),
    ],
)
def test_a_file_of_another_form_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, content: str
) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(SystemExit) as ended:
        main(["eval", str(tmp_path / name)])
    assert ended.value.code == 9
    assert name in capsys.readouterr().err


def test_a_figure_of_no_cited_text_is_unsupported() -> None:
    texts = {"1": "Pain fell by 12.5 points in 1,200 people."}
    text = "Pain fell by 12.5 points in 1,200 people [1]. It fell by 13 points [1]. It is so [2]."
    told = [is_unsupported(sentence, cited, texts) for sentence, cited in statements(text)]
    assert told == [False, True, True]
    assert not list(statements("| Pain | 13 [1] |\n\nNothing is cited here."))


async def test_a_recording_answers_what_it_was_asked_before_and_nothing_else(
    tmp_path: Path,
) -> None:
    path = tmp_path / "answers.jsonl.gz"
    asked = {"model": "m", "messages": [{"role": "user", "content": "Say it."}]}
    assert key_of(asked) != key_of(asked | {"model": "n"})

    async def answer(_request: Request) -> JSONResponse:
        message = {"role": "assistant", "content": "It."}
        return JSONResponse({"choices": [{"message": message}]})

    hosted = Starlette(routes=[Route("/v1/chat/completions", answer, methods=["POST"])])
    async with running(hosted) as url:
        recorder = RecordedModel(path, f"{url}v1")
        assert await _said(recorder, asked) == (200, "It.")
    recorder.save(used_alone=True)
    replayed = RecordedModel(path)
    assert await _said(replayed, asked) == (200, "It.")
    assert await _said(replayed, asked | {"model": "n"}) == (503, "")
    assert (replayed.calls, replayed.refused) == (1, 1)
    RecordedModel(path).save(used_alone=True)
    assert await _said(RecordedModel(path), asked) == (503, "")


async def _said(model: RecordedModel, asked: Mapping[str, object]) -> tuple[int, str]:
    async with running(model.app) as url, httpx.AsyncClient() as client:
        answer = await client.post(f"{url}v1/chat/completions", json=asked)
    if answer.is_error:
        return answer.status_code, ""
    text: str = answer.json()["choices"][0]["message"]["content"]
    return 200, text


def _set(folder: Path) -> str:
    """A set of two questions on made-up trials that rules have read."""
    records = snapshot(folder / "made_up.jsonl", *map(paper, (1, 2)))
    found = parse(records.read_bytes(), records.name).records
    read = [read_by_rules(record, datetime.now(UTC)).model_dump_json() for record in found]
    (folder / "readings.jsonl.gz").write_bytes(gzip.compress("\n".join(read).encode()))
    rows = [
        {"question": question, "expected": "mixed", "side_by_side": chosen}
        for question, chosen in ((MADE_UP, True), (QUESTION, False))
    ]
    (folder / "later_verdicts.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return f"{folder}={records}"


@pytest.mark.slow
@pytest.mark.parametrize("name", list(ways_of(()))[1:])
def test_ways_with_a_model_are_recorded_once_and_replayed_until_something_changes(
    tmp_path: Path, name: str
) -> None:
    way, asked, path = ways_of(())[name], asked_of([_set(tmp_path)], None), tmp_path / "a.jsonl.gz"
    assert [row["question"] for row in asked.rows] == [MADE_UP]
    server = ModelServer()

    async def recorded() -> None:
        async with running(server.app) as url:
            await record([way], asked, RecordedModel(path, f"{url}v1"))

    asyncio.run(recorded())
    told = asyncio.run(measure(way, asked, RecordedModel(path)))
    assert told["calls"][0] >= len(server.asked) > 0
    assert f"| {name} |" in table({"version": "0", "commit": "", "measured_on": "",
                                   "ways": {name: told}})  # fmt: skip
    other = asked._replace(rows=[{**asked.rows[0], "question": f"{MADE_UP[:-1]} or testosis?"}])
    with pytest.raises(SystemExit, match="Record again"):
        asyncio.run(measure(way, other, RecordedModel(path)))


def test_the_interval_of_a_mean_holds_it_and_is_the_same_again() -> None:
    mean, low, high = bootstrapped([1, 2, 6])
    assert low < mean == 3 < high
    assert bootstrapped([1, 2, 6]) == (mean, low, high)
    assert bootstrapped([4, 4]) == (4, 4, 4)


def test_questions_on_other_records_are_an_error_and_no_empty_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {"question": QUESTION, "records": "others", "half": "development"}
    path = tmp_path / "recall.jsonl"
    path.write_text(json.dumps({**row, "marked_by_a": ["1"], "marked_by_b": ["1"]}))
    with pytest.raises(SystemExit, match="9"):
        main(["eval", str(path), "--snapshot", "demo"])
    assert "--snapshot" in capsys.readouterr().err
