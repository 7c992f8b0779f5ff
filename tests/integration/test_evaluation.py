"""`deepcritical eval` measures whole runs, reads trials, and writes what it measured."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from benchmarks.recorded_model import RecordedModel, key_of
from benchmarks.side_by_side import is_unsupported, statements
from deepcritical import research
from deepcritical.domain.verdict import DIRECTIONS, VerdictLabel
from deepcritical.evaluation.scores import Evaluation
from deepcritical.evaluation.verdicts import is_overstated
from deepcritical.interfaces.main import main
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


def test_a_verdict_is_right_in_its_direction_and_overstated_beyond_its_strength(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path / 'runs.db'}")
    said = research(QUESTION, snapshot="demo").verdict.label
    other = next(one for one in VerdictLabel if DIRECTIONS[one] != DIRECTIONS[said])
    rows = [{"question": QUESTION, "expected": label.value, "half": half}
            for label, half in ((said, "development"), (other, "kept aside"))]  # fmt: skip
    (tmp_path / "verdicts.jsonl").write_text("\n".join(map(json.dumps, rows)))
    told = _measured(tmp_path, capsys)
    right = {f.half: f.right.hits for f in told.figures if f.measure.startswith("direction")}
    decided = int(said is not VerdictLabel.NOT_ASSESSED)
    assert right == {"development": decided, "kept aside": 0}


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
    replayed = RecordedModel(path)
    assert await _said(replayed, asked) == (200, "It.")
    assert await _said(replayed, asked | {"model": "n"}) == (503, "")
    assert replayed.refused == 1


async def _said(model: RecordedModel, asked: Mapping[str, object]) -> tuple[int, str]:
    async with running(model.app) as url, httpx.AsyncClient() as client:
        answer = await client.post(f"{url}v1/chat/completions", json=asked)
    if answer.is_error:
        return answer.status_code, ""
    return answer.status_code, answer.json()["choices"][0]["message"]["content"]
