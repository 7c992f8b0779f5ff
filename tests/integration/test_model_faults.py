"""Every fault of a model's server, over real HTTP: the run ends once, soundly, within its budget.

The table of what was seen is printed when the module is done.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from deepcritical.domain.errors import ConfigurationError
from deepcritical.domain.run.budget import RunLimits
from deepcritical.tools.snapshot import parse
from tests.conftest import of_type
from tests.integration.modelled import APIS, Modelled, assert_sound, modelled, records
from tests.servers.answers import Answer
from tests.servers.models import Fault, ModelServer

LIMITS = RunLimits(max_iterations=2, deadline_s=40, max_calls=40, max_tokens=400_000)
INVENTED = ("31415926", "evil.example", "98.7", "E999", "NCT31415926")

Prepare = Callable[[ModelServer], object]


class Row(NamedTuple):
    """One fault and how a run with it must end: by model, by rules, in part, or with an error."""

    prepare: Prepare
    ends: str
    timeout_s: float = 5.0
    manages: bool = False
    """Whether the model also manages the team."""


def answering(change: Callable[[str, Answer], Any]) -> Prepare:
    return lambda server: setattr(server, "change", change)


def failing(fault: Fault, times: int | None = None) -> Prepare:
    def prepare(server: ModelServer) -> None:
        left = [times]

        def next_fault(_asked: object) -> Fault | None:
            if left[0] is None:
                return fault
            left[0] -= 1
            return fault if left[0] >= 0 else None

        server.fault = next_fault

    return prepare


def everywhere(value: Any, change: Callable[[str, str], Any], key: str = "") -> Any:
    """The same answer with each text in it changed."""
    if isinstance(value, dict):
        return {k: everywhere(v, change, k) for k, v in value.items()}
    if isinstance(value, list):
        return [everywhere(item, change, key) for item in value]
    return change(key, value) if isinstance(value, str) else value


def invented_ids(_task: str, sane: Answer) -> Answer:
    return dict(
        everywhere(sane, lambda k, v: "E999" if k == "evidence_id" or v in ("R1", "R2") else v)
    )


def invented_words(_task: str, sane: Answer) -> Answer:
    lie = " (PMID 31415926, NCT31415926, https://evil.example, 98.7%)"
    names = ("quote", "searches", "target", "chains", "subject", "object")
    return dict(everywhere(sane, lambda k, v: v + lie if k in names else v))


def thinking(_task: str, sane: Answer) -> str:
    return f"<think>The user wants JSON.</think>\n```json\n{json.dumps(sane)}\n```"


def never_done(task: str, sane: Answer) -> Answer:
    return {**sane, "answers_question": False} if task == "assess_evidence" else sane


def ledger(said: Any) -> Prepare:
    """A manager's ledger that always says this; text is sent as prose, a dict changes fields."""

    def change(task: str, sane: Answer) -> Any:
        if task != "team_ledger":
            return sane
        return {**sane, **said} if isinstance(said, dict) else said

    return answering(change)


HALF = {
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "\ud800 {}"}}],
    "type": "message",
    "content": [{"type": "text", "text": "\ud800 {}"}],
    "usage": {"input_tokens": 1, "output_tokens": 1},
}
"""An answer of either API with half a character in it, as JSON can write one."""

ROWS: dict[str, Row] = {
    "none": Row(lambda _: None, "model"),
    "prose instead of JSON": Row(answering(lambda *_: "I think it works very well."), "rules"),
    "truncated JSON": Row(failing(Fault(cut=True)), "rules"),
    "wrong types": Row(answering(lambda _, s: dict.fromkeys(s, 17.5)), "rules"),
    "empty object": Row(answering(lambda *_: {}), "rules"),
    "empty text": Row(answering(lambda *_: ""), "rules"),
    "refusal": Row(failing(Fault(refusal="I cannot help with that.")), "rules"),
    "<think> and fences": Row(answering(thinking), "model"),
    "invented ids": Row(answering(invented_ids), "part"),
    "invented PMIDs, URLs and numbers": Row(answering(invented_words), "model"),
    "unknown tool": Row(failing(Fault(tool="delete_everything")), "rules"),
    "unknown tool once": Row(failing(Fault(tool="delete_everything"), 1), "model"),
    "wrong key: 401": Row(failing(Fault(status=401)), "error"),
    "no such model: 404": Row(failing(Fault(status=404)), "error"),
    "429 twice": Row(failing(Fault(status=429), 2), "model"),
    "429 with Retry-After, once": Row(
        failing(Fault(status=429, headers=(("Retry-After", "1"),)), 1), "model"
    ),
    "429 with Retry-After of an hour": Row(
        failing(Fault(status=429, headers=(("Retry-After", "3600"),))), "rules"
    ),
    "429 always": Row(failing(Fault(status=429)), "rules"),
    "500 once": Row(failing(Fault(status=500), 1), "model"),
    "500 always": Row(failing(Fault(status=500)), "rules"),
    "503 always": Row(failing(Fault(status=503)), "rules"),
    "400": Row(failing(Fault(status=400)), "rules"),
    "a page instead of JSON": Row(failing(Fault(body="<html>Bad gateway</html>")), "rules"),
    "a body that is a list": Row(failing(Fault(body="[]")), "rules"),
    "a body without an answer": Row(
        failing(Fault(body='{"choices": [], "content": null, "usage": null}')), "rules"
    ),
    "a body nested without end": Row(failing(Fault(body="[" * 200_000)), "rules"),
    "a number without end": Row(failing(Fault(body=f'{{"created": {"9" * 6_000}}}')), "rules"),
    "half characters": Row(failing(Fault(body=json.dumps(HALF))), "rules"),
    "a list of answers": Row(answering(lambda _, s: [s]), "rules"),
    "an answer that asks to go on": Row(failing(Fault(refusal=".", finish="pause_turn")), "rules"),
    "an empty body": Row(failing(Fault(body="")), "rules"),
    "no answer in time": Row(failing(Fault(wait_s=3)), "rules", 0.3),
    "slow stream": Row(failing(Fault(drip_s=0.05)), "rules", 0.5),
    "connection reset": Row(failing(Fault(reset=True)), "rules"),
    "connection reset once": Row(failing(Fault(reset=True), 1), "model"),
    "never says done": Row(answering(never_done), "model"),
    "a manager without a fault": Row(lambda _: None, "model", manages=True),
    "ledger never says done": Row(ledger({"next_agent": "SearchAgent"}), "part", manages=True),
    "ledger says done at once": Row(ledger({"request_satisfied": True}), "part", manages=True),
    "ledger is never JSON": Row(ledger("SearchAgent should go on."), "part", manages=True),
    "ledger names an unknown agent": Row(ledger({"next_agent": "Wizard"}), "part", manages=True),
    "a manager behind 500 always": Row(failing(Fault(status=500)), "rules", manages=True),
    "a manager that takes too long": Row(failing(Fault(wait_s=3)), "rules", 0.3, manages=True),
}

ENDLESS: dict[str, Callable[[str, Any], Any]] = {
    "outcomes": lambda key, value: f"{value} zz " * 20_000 if key == "outcome" else value,
    "names": lambda key, value: value * 60_000 if key in ("subject", "object") else value,
}

SEEN: list[tuple[str, str, str, str, int]] = []


@pytest.fixture(scope="module", autouse=True)
def table(request: pytest.FixtureRequest) -> Iterator[None]:
    """Print what was seen, also when pytest keeps what tests print to itself."""
    yield
    writer = request.config.get_terminal_writer()
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled() if capture else nullcontext():
        writer.line()
        for api, fault, judged, ended, calls in SEEN:
            writer.line(f"{api:12} {fault:34} {ended:44} {judged:6} {calls:3} calls")


def how(run: Modelled) -> str:
    made = {by for who in run.made_by.values() for by in who}
    if run.report is None:
        return "error"
    return "model" if made == {"model"} else "rules" if made == {"rules"} else "part"


@pytest.mark.slow
@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("fault", ROWS)
async def test_a_fault_of_the_server_ends_in_a_sound_report_or_a_clear_error(
    tmp_path: Path, fault: str, api: str
) -> None:
    row, path = ROWS[fault], records(tmp_path)
    limits = LIMITS.model_dump()
    asked: dict[str, Any] = {"api": api, "timeout_s": row.timeout_s, "manages": row.manages}
    run = await modelled(path, row.prepare, **asked, **limits)
    ending = run.events[-1].event
    told = getattr(ending, "verdict", "") or getattr(ending, "message", "")
    SEEN.append((api, fault, how(run), f"{ending.type}: {told}"[:44], len(run.server.asked)))
    stored = {str(n): record for n, record in enumerate(parse(path.read_bytes(), "made").records)}
    assert_sound(run, LIMITS, stored)
    assert how(run) == row.ends
    if run.report is None:
        assert isinstance(run.error, ConfigurationError)
        assert "DEEPCRITICAL_MODEL" in run.error.advice
        return
    assert run.report.references
    whole = run.report.model_dump_json()
    assert not [word for word in INVENTED if word in whole]
    fallbacks = [notice for notice in run.report.notices if "without the model" in notice]
    assert bool(fallbacks) is (how(run) != "model")
    if how(run) == "rules":
        assert run.report.written_by.startswith("extractive (no model)")


@pytest.mark.parametrize("endless", ENDLESS)
async def test_an_answer_far_longer_than_allowed_is_not_read(tmp_path: Path, endless: str) -> None:
    """A server that writes more than it was asked for has to be paid, but is not worked on."""

    def prepare(server: ModelServer) -> None:
        server.change = lambda _task, sane: everywhere(sane, ENDLESS[endless])

    run = await modelled(records(tmp_path), prepare, **LIMITS.model_dump())
    assert run.report
    assert run.report.references
    assert any("far longer than allowed" in notice for notice in run.report.notices)


async def test_a_server_that_tells_negative_usage_does_not_fill_the_purse(tmp_path: Path) -> None:
    def refund(server: ModelServer) -> None:
        server.told = lambda tokens: -1_000 * tokens

    limits = LIMITS.model_copy(update={"max_tokens": 60_000})
    run = await modelled(records(tmp_path), refund, **limits.model_dump())
    assert run.server.tokens <= limits.max_tokens
    totals = [e.spent for e in of_type(run.events, "judgement_made")]
    assert all(0 <= a.tokens <= b.tokens for a, b in itertools.pairwise(totals))
