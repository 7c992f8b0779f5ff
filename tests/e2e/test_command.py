"""The installed command, as a process: exit codes, streams and files."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from deepcritical.domain.run.events import LoggedEvent
from deepcritical.domain.study.identity import canonical_ids
from deepcritical.interfaces.cli.output import EXIT_CODES
from deepcritical.tools.snapshot import parse
from tests.conftest import DEMO, DEMO_QUESTION, QUESTION, paper, snapshot
from tests.environment import without_settings
from tests.servers.commands import INSTALLED, forked_command
from tests.servers.models import silent_model

COMMAND = forked_command()
CONDITION_QUESTION = "What could be repurposed for Alzheimer's disease?"
HYPOTHESIS_QUESTION = "Does metformin slow Alzheimer's through AMPK and tau?"


class Case(NamedTuple):
    """A call of the command, and how it must end."""

    args: tuple[str, ...]
    exit_code: int
    env: Mapping[str, str] = {}


UNSTUDIED = "Can minoxidil be repurposed for asthma?"
"""Names that are known, and that no record of the demo holds together."""


def asked(question: str, *options: str) -> tuple[str, ...]:
    return ("research", question, *options)


CASES: dict[str, Case] = {
    "demo": Case(asked(DEMO_QUESTION, "--out", "first", "--full"), 0),
    "demo again": Case(asked(DEMO_QUESTION, "--out", "second", "--json", "-q"), 0),
    "condition": Case(asked(CONDITION_QUESTION, "--json", "--depth", "quick"), 0),
    "hypothesis": Case(asked(HYPOTHESIS_QUESTION, "--json", "--depth", "quick"), 0),
    "no evidence": Case(asked(UNSTUDIED, "--full"), 3),
    "no evidence as JSON": Case(asked(UNSTUDIED, "--json", "--depth", "quick"), 3),
    "unknown drug": Case(asked("Can examplol be repurposed for Alzheimer's disease?"), 17),
    "empty": Case(asked(""), 4),
    "blank": Case(asked(" \n "), 4),
    "long": Case(asked("Can examplol " + "x" * 9_987), 5),
    "not understood": Case(asked("xyzzy"), 17),
    "no condition": Case(asked("Does metformin help?", "--json"), 6),
    "no drug": Case(asked("Does exercise relieve osteoarthritis?"), 3),
    "missing snapshot": Case(asked(QUESTION, "--snapshot", "nowhere.jsonl"), 7),
    "no snapshot by setting": Case(asked(QUESTION), 7, {"DEEPCRITICAL_SNAPSHOT": "nowhere"}),
    "corrupt snapshot": Case(asked(QUESTION, "--snapshot", "corrupt.jsonl"), 8),
    "empty snapshot": Case(asked(QUESTION, "--snapshot", "empty.jsonl"), 8),
    "binary snapshot": Case(asked(QUESTION, "--snapshot", "binary.jsonl"), 8),
    "wrong setting": Case(asked(QUESTION), 9, {"DEEPCRITICAL_DEADLINE_S": "soon"}),
    "out is a file": Case(asked(QUESTION, "--out", "made.jsonl"), 11),
    "time limit": Case(asked(DEMO_QUESTION), 12, {"DEEPCRITICAL_DEADLINE_S": "0.001"}),
    "wrong depth": Case(asked(QUESTION, "--depth", "bottomless"), 2),
    "no question": Case(("research",), 2),
    "two forms": Case(asked(QUESTION, "--full", "--json"), 2),
    "wrong option": Case(asked(QUESTION, "--colour"), 2),
    "help": Case(("--help",), 0),
    "help on research": Case(("research", "--help"), 0),
}
WHOLE = ("demo", "demo again", "condition", "hypothesis")
"""Those that are a whole run over the bundled snapshot."""
WITHOUT_EVIDENCE = ("no evidence", "no evidence as JSON")
SLOW = (*WHOLE, *WITHOUT_EVIDENCE, "no drug")
NAMES = [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in CASES]
Outcome = subprocess.CompletedProcess[str]


def environment(more: Mapping[str, str]) -> dict[str, str]:
    kept = without_settings()
    return {**kept, "COLUMNS": "100", "DEEPCRITICAL_SNAPSHOT": "demo", **more}


def called(case: Case, folder: Path, command: Path) -> Outcome:
    return subprocess.run(  # noqa: S603 - our own command
        [command, *case.args],
        cwd=folder,
        env=environment(case.env),
        capture_output=True,
        encoding="utf-8",
        timeout=150,
        check=False,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the command runs in; its output files end up here."""
    path = tmp_path_factory.mktemp("e2e")
    snapshot(path / "made.jsonl", paper())
    snapshot(path / "corrupt.jsonl", "this is no snapshot")
    snapshot(path / "empty.jsonl")
    (path / "binary.jsonl").write_bytes(bytes(range(256)))
    return path


@pytest.fixture(scope="module")
def ran(folder: Path) -> Mapping[str, Outcome]:
    """The calls by name, each made when it is first asked for."""

    class Made(dict[str, Outcome]):
        def __missing__(self, name: str) -> Outcome:
            # Forks of one process have one order of hashes; the second run has another.
            command = INSTALLED if name == "demo again" else COMMAND
            self[name] = called(CASES[name], folder, command)
            return self[name]

    return Made()


@pytest.mark.parametrize("name", NAMES)
class TestEveryCall:
    @pytest.mark.slow
    def test_it_ends_with_its_own_exit_code(self, ran: Mapping[str, Outcome], name: str) -> None:
        assert ran[name].returncode == CASES[name].exit_code, ran[name].stderr

    def test_it_never_shows_a_stack_trace(self, ran: Mapping[str, Outcome], name: str) -> None:
        assert "Traceback" not in ran[name].stderr + ran[name].stdout
        assert "Internal error" not in ran[name].stderr

    def test_stdout_holds_a_result_or_nothing(self, ran: Mapping[str, Outcome], name: str) -> None:
        outcome = ran[name]
        if outcome.returncode not in (0, 3):
            assert outcome.stdout == ""
            assert outcome.stderr.strip()
        elif "--json" in outcome.args:
            assert json.loads(outcome.stdout)["title"]
        elif "--full" in outcome.args:
            assert outcome.stdout.startswith("# ")
            assert outcome.stdout.endswith("\n")

    def test_a_failure_says_what_happened_and_what_to_do(
        self, ran: Mapping[str, Outcome], name: str
    ) -> None:
        if CASES[name].exit_code >= 4:
            last = ran[name].stderr.strip().splitlines()[-1]
            assert re.fullmatch(r"Error: .+[.?] .+[.?\"]", last)


class TestHelp:
    def test_the_root_help_names_the_command(self, ran: Mapping[str, Outcome]) -> None:
        assert "research" in ran["help"].stdout

    def test_every_exit_code_is_listed(self, ran: Mapping[str, Outcome]) -> None:
        text = " ".join(ran["help on research"].stdout.split())
        assert "Exit codes:" in text
        for code in {code for _, code in EXIT_CODES} | {0, 2, 3, 130}:
            assert re.search(rf"\b{code} [a-z]", text)


@pytest.mark.slow
class TestStreams:
    def test_progress_is_on_stderr_and_rises(self, ran: Mapping[str, Outcome]) -> None:
        shown = [int(n) for n in re.findall(r"^ *(\d+)% ", ran["demo"].stderr, re.MULTILINE)]
        assert len(shown) > 10
        assert shown == sorted(shown)
        assert shown[-1] == 100

    def test_quiet_shows_no_progress(self, ran: Mapping[str, Outcome]) -> None:
        assert "%" not in ran["demo again"].stderr

    def test_the_file_and_stdout_are_the_same_report(
        self, ran: Mapping[str, Outcome], folder: Path
    ) -> None:
        assert ran["demo"].stdout.strip() == text_of(folder, "demo", ran, "report.md").strip()
        assert ran["demo again"].stdout.strip() == (
            text_of(folder, "demo again", ran, "report.json").strip()
        )

    def test_the_log_parses_back_and_ends_once(
        self, ran: Mapping[str, Outcome], folder: Path
    ) -> None:
        lines = text_of(folder, "demo", ran, "events.jsonl").split("\n")[:-1]
        events = [LoggedEvent.model_validate_json(line) for line in lines]
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        kinds = [event.event.type for event in events]
        assert kinds[0] == "run_started"
        assert [n for n, kind in enumerate(kinds, 1) if kind == "run_completed"] == [len(kinds)]


def text_of(folder: Path, name: str, ran: Mapping[str, Outcome], file: str) -> str:
    """A file that a call wrote, once the call is over."""
    args: list[str] = ran[name].args
    return (folder / args[args.index("--out") + 1] / file).read_text(encoding="utf-8")


def without_run(text: str) -> str:
    return re.sub(r'^  "(run_id|generated_at)": ".*",$', r'  "\1"', text, flags=re.MULTILINE)


@pytest.mark.slow
class TestReport:
    def test_two_runs_give_the_same_bytes(self, ran: Mapping[str, Outcome], folder: Path) -> None:
        first = text_of(folder, "demo", ran, "report.json")
        second = text_of(folder, "demo again", ran, "report.json")
        assert first != second
        assert without_run(first) == without_run(second)
        assert text_of(folder, "demo", ran, "report.md") == text_of(
            folder, "demo again", ran, "report.md"
        )

    @pytest.mark.parametrize("name", WHOLE[1:])
    def test_every_reference_exists_in_the_snapshot(
        self, ran: Mapping[str, Outcome], name: str
    ) -> None:
        report = json.loads(ran[name].stdout)
        known = {i for r in parse(DEMO.read_bytes(), "demo").records for i in canonical_ids(r)}
        assert report["references"]
        for reference in report["references"]:
            assert set(reference["ids"]) <= known

    @pytest.mark.parametrize("name", WHOLE[1:])
    def test_every_sentence_from_a_record_has_its_claim_and_its_reference(
        self, ran: Mapping[str, Outcome], name: str
    ) -> None:
        report: dict[str, Any] = json.loads(ran[name].stdout)
        cited = {reference["evidence_id"] for reference in report["references"]}
        printed = [one for section in sections(report) for one in section["quoted"]]
        assert printed
        for claim in (claim for one in printed for claim in one["claims"]):
            assert claim in report["claims"]
            assert claim["evidence_id"] in cited

    def test_the_verdict_names_the_records_that_decided_it(
        self, ran: Mapping[str, Outcome]
    ) -> None:
        head = ran["demo"].stdout.partition("*For research use")[0]
        assert "certainty: " in head
        assert re.search(r"\[\d+\]", head)

    def test_an_edge_without_a_record_says_so(self, ran: Mapping[str, Outcome]) -> None:
        report = json.loads(ran["hypothesis"].stdout)
        edges = [edge for chain in report["hypotheses_tested"] for edge in chain["edges"]]
        assert edges
        for edge in edges:
            bare = "no evidence in the records found" in edge["finding"]
            assert bare is (edge["evidence_ids"] == [])

    def test_a_question_on_a_condition_ranks_candidates(self, ran: Mapping[str, Outcome]) -> None:
        candidates = json.loads(ran["condition"].stdout)["drug_candidates"]
        assert 1 < len(candidates) <= 5
        assert all(candidate["verdict"]["rule"] for candidate in candidates)

    @pytest.mark.slow
    def test_what_asks_for_no_drug_is_answered_without_a_verdict(
        self, ran: Mapping[str, Outcome]
    ) -> None:
        assert "answered without a verdict" in ran["no drug"].stderr
        assert "No record found names osteoarthritis" in ran["no drug"].stdout
        assert "deepcritical ask" in ran["no condition"].stderr

    @pytest.mark.parametrize("name", WITHOUT_EVIDENCE)
    def test_no_evidence_is_a_report_without_references(
        self, ran: Mapping[str, Outcome], name: str
    ) -> None:
        text = ran[name].stdout
        assert "insufficient evidence" in text.casefold()
        assert "minoxidil" in text.casefold()
        assert not re.search(r"(?<!\\)\[\d+\]", text.replace("[]", ""))


def sections(report: dict[str, Any]) -> list[dict[str, Any]]:
    names = ("clinical_findings", "mechanistic_findings", "contradictions", "safety")
    return [report[name] for name in names]


def test_ctrl_c_ends_the_run_and_its_log(folder: Path) -> None:
    with silent_model() as settings:
        process = subprocess.Popen(  # noqa: S603 - our own command
            [COMMAND, *asked(DEMO_QUESTION, "--no-similar", "--out", "stopped")],
            cwd=folder,
            env=environment(settings),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        assert process.stderr
        first = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert "Question" in first
    assert process.returncode == 130
    assert out == ""
    assert err.strip().endswith("Interrupted.")
    assert re.search(r"Go on with it: deepcritical traces resume \S{36}$", err, re.MULTILINE)
    lines = (folder / "stopped" / "events.jsonl").read_text(encoding="utf-8").splitlines()
    assert '"run_cancelled"' in lines[-1]
    assert not (folder / "stopped" / "report.md").exists()
