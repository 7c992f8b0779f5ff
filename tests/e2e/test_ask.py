"""``deepcritical ask`` as a process: streams, exit codes, and what it says of real records.

First what it says of records at hand, then what it finds by searching.
"""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from deepcritical.tools.snapshot import parse
from tests.conftest import DEMO, paper, snapshot, trial
from tests.environment import without_settings
from tests.servers.commands import forked_command

COMMAND = forked_command()
TAU = "Does metformin lower tau phosphorylation?"
SIDED = "Does ivermectin reduce mortality in COVID-19?"
DENSE = importlib.util.find_spec("chromadb") is not None
Outcome = subprocess.CompletedProcess[str]


def run(*args: str, cwd: Path, **more: str) -> Outcome:
    kept = without_settings()
    lexical = {"DEEPCRITICAL_EMBEDDING_MODEL": "", "DEEPCRITICAL_VECTOR_CACHE": ""}
    return subprocess.run(  # noqa: S603 - our own command
        [COMMAND, *args],
        cwd=cwd,
        env=kept | lexical | more,
        capture_output=True,
        encoding="utf-8",
        timeout=110,
        check=False,
    )


def ask(evidence: str, *args: str, cwd: Path, **more: str) -> Outcome:
    return run("ask", *args, "--evidence", evidence, cwd=cwd, **more)


@pytest.fixture
def made(tmp_path: Path) -> Path:
    failed = "Results: Examplol did not improve testitis symptoms compared with placebo."
    retracted = paper(4, pub_types=["Retracted Publication"])
    return snapshot(
        tmp_path / "made.jsonl",
        paper(1),
        paper(2),
        paper(3, abstract=failed, text=None, text_kind=None),
        retracted,
        trial(1),
        "this line is no record",
    )


def texts() -> dict[str, str]:
    return {r.citation.title: r.content for r in parse(DEMO.read_bytes(), "demo").records}


@pytest.mark.slow
def test_it_answers_from_the_bundled_records_and_from_nothing_else(tmp_path: Path) -> None:
    ended = ask("demo", TAU, "--json", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    held = texts()
    assert found["searched"] >= 250 > found["bearing"] >= 1
    for passage in found["passages"]:
        content = held[passage["reference"]["title"]]
        assert "metformin" in content.lower()
        for quote in passage["quotes"]:
            assert content[quote["start"] : quote["end"]] == quote["text"]
            assert "tau" in quote["text"].lower()
    assert found["retrieval"].startswith("lexical (BM25): no embedding model")
    assert found["retrieval"] in ended.stderr


@pytest.mark.slow
def test_the_text_says_the_same_as_the_data(tmp_path: Path) -> None:
    data = json.loads(ask("demo", SIDED, "--json", cwd=tmp_path).stdout)
    text = ask("demo", SIDED, cwd=tmp_path).stdout
    head = text.splitlines()[0]
    assert head.startswith(f"{data['bearing']} of {data['searched']} records bear")
    assert f"{data['counts']['supporting']} for" in head
    assert f"{data['counts']['refuting']} against" in head
    for passage in data["passages"]:
        assert passage["design"] in text
        for quote in passage["quotes"]:
            assert f"Summary: {quote['text']}" in text  # its own words are not the source's
            assert f"“{quote['text']}”" not in text


@pytest.mark.slow
@pytest.mark.parametrize("as_json", [False, True])
def test_what_is_not_in_the_evidence_is_not_answered(tmp_path: Path, as_json: bool) -> None:
    options = ("--json",) if as_json else ()
    ended = ask("demo", "Does metformin cause hair loss?", *options, cwd=tmp_path)
    assert ended.returncode == 3
    if as_json:
        assert json.loads(ended.stdout)["passages"] == []
    else:
        first, second = ended.stdout.splitlines()
        assert first == "Not in the evidence."
        assert "hair loss" in second


def test_own_records_are_asked_with_the_negative_and_the_retracted_one(made: Path) -> None:
    question = "Is examplol effective in testitis?"
    ended = ask(str(made), question, "--json", cwd=made.parent)
    assert ended.returncode == 0, ended.stderr
    assert "Not read: line 6" in ended.stderr
    found = json.loads(ended.stdout)
    stances = {p["reference"]["ids"][0]: p["stance"] for p in found["passages"]}
    assert stances["pmid:99000001"] == stances["pmid:99000002"] == "supports"
    assert stances["pmid:99000003"] == "refutes"
    assert stances["pmid:99000004"] == "neutral"
    assert (found["counts"]["supporting"], found["counts"]["refuting"]) == (2, 1)
    assert found["counts"]["not_counted"] == 1
    text = ask(str(made), question, "--max", "1", cwd=made.parent).stdout
    assert "refutes" in text
    assert "supports" not in text.partition("\n\n")[2]
    assert "--max shows more" in text
    assert "[RETRACTED]" in ask(str(made), question, cwd=made.parent).stdout


def test_words_of_the_source_stand_in_quotation_marks(made: Path) -> None:
    text = ask(str(made), "Is examplol effective in testitis?", cwd=made.parent).stdout
    assert "“Examplol did not improve testitis symptoms compared with placebo.”" in text


@pytest.mark.slow
def test_the_folder_of_a_run_can_be_asked(made: Path) -> None:
    ran = run(
        *("research", "Can examplol be repurposed for testitis?"),
        *("--snapshot", str(made), "--out", "out", "-q", "--depth", "quick"),
        cwd=made.parent,
    )
    assert ran.returncode == 0, ran.stderr
    ended = ask("out", "Was examplol well tolerated?", cwd=made.parent)
    assert ended.returncode == 0, ended.stderr
    assert "Examplol was well tolerated." in ended.stdout
    (made.parent / "out" / "evidence.jsonl").unlink()
    assert ask("out", "Was examplol well tolerated?", cwd=made.parent).returncode == 7


def test_nothing_of_a_record_steers_the_terminal(tmp_path: Path) -> None:
    evil = paper(
        text="Results: Examplol reduced\u202e \x1b[31m pain in testitis.", text_kind="abstract"
    )
    path = snapshot(tmp_path / "evil.jsonl", evil)
    text = ask(str(path), "Does examplol reduce pain?", cwd=tmp_path).stdout
    assert "reduced" in text
    assert "\x1b" not in text
    assert "\u202e" not in text


@pytest.mark.parametrize(
    ("args", "more", "code"),
    [
        (("demo", ""), {}, 4),
        (("demo", "?!"), {}, 4),
        (("demo", "x" * 2001), {}, 5),
        (("nowhere", TAU), {}, 7),
        (("", TAU), {}, 7),
        ((".", TAU), {}, 7),
        (("corrupt.jsonl", TAU), {}, 8),
        (("demo", TAU), {"DEEPCRITICAL_DEADLINE_S": "soon"}, 9),
        (("demo", TAU, "--max", "0"), {}, 2),
        (("demo", "What happened?"), {}, 3),
    ],
    ids=str,
)
def test_each_failure_has_its_exit_code(
    tmp_path: Path, args: tuple[str, ...], more: dict[str, str], code: int
) -> None:
    snapshot(tmp_path / "corrupt.jsonl", "this is no snapshot")
    ended = ask(*args, cwd=tmp_path, **more)
    assert ended.returncode == code, ended.stderr
    assert "Traceback" not in ended.stderr
    if code != 3:
        assert ended.stdout == ""
        assert ended.stderr.strip()


class _Asked(HTTPServer):
    """A proxy that answers nothing and counts who asked."""

    asked = 0


class _Refusing(BaseHTTPRequestHandler):
    def handle_one_request(self) -> None:
        assert isinstance(self.server, _Asked)
        self.server.asked += 1
        self.close_connection = True


@pytest.fixture
def proxy() -> Iterator[_Asked]:
    server = _Asked(("127.0.0.1", 0), _Refusing)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.slow
@pytest.mark.skipif(not DENSE, reason="needs the extra embeddings")
def test_hybrid_retrieval_asks_no_network_and_keeps_its_vectors(
    made: Path, tmp_path: Path, proxy: _Asked
) -> None:
    address = f"http://127.0.0.1:{proxy.server_port}"
    more: dict[str, Any] = {
        "DEEPCRITICAL_VECTOR_CACHE": str(tmp_path / "kept" / "vectors.sqlite"),
        "DEEPCRITICAL_EMBEDDING_MODEL": "sentence-transformers/all-MiniLM-L6-v2",
        **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "https_proxy"), address),
    }
    question = "Was examplol well tolerated?"
    first = ask(str(made), question, cwd=made.parent, **more)
    assert first.returncode == 0, first.stderr
    if "hybrid" not in first.stderr:
        pytest.skip("needs the extra offline")
    assert (tmp_path / "kept" / "vectors.sqlite").stat().st_size > 0
    second = ask(str(made), question, cwd=made.parent, **more)
    assert second.stdout == first.stdout
    assert "Retrieval: hybrid (BM25 + all-MiniLM-L6-v2)" in second.stderr
    assert proxy.asked == 0


@pytest.mark.slow
@pytest.mark.skipif(not DENSE, reason="needs the extra embeddings")
def test_vectors_that_cannot_be_kept_are_told_and_cost_no_answer(made: Path) -> None:
    more = {
        "DEEPCRITICAL_EMBEDDING_MODEL": "sentence-transformers/all-MiniLM-L6-v2",
        "DEEPCRITICAL_VECTOR_CACHE": str(made / "below-a-file" / "vectors.sqlite"),
    }
    ended = ask(str(made), "Was examplol well tolerated?", cwd=made.parent, **more)
    assert ended.returncode == 0, ended.stderr
    if "hybrid" in ended.stderr:
        assert "Vectors are not kept" in ended.stderr


@pytest.mark.slow
def test_an_index_out_of_reach_makes_retrieval_lexical_and_says_so(made: Path) -> None:
    more = {
        "DEEPCRITICAL_EMBEDDING_MODEL": "sentence-transformers/all-MiniLM-L6-v2",
        "CHROMA_URL": "http://127.0.0.1:9",
    }
    ended = ask(str(made), "Was examplol well tolerated?", cwd=made.parent, **more)
    assert ended.returncode == 0, ended.stderr
    assert "Retrieval: lexical (BM25): " in ended.stderr


def research(*args: str, cwd: Path, **more: str) -> Outcome:
    return run("ask", *args, cwd=cwd, **more)


@pytest.mark.slow
def test_a_free_question_is_researched_and_its_answer_can_be_verified(made: Path) -> None:
    ended = research(
        "Does examplol improve testitis?",
        *("--snapshot", str(made), "--out", "out", "--context", "Is it safe?"),
        cwd=made.parent,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("# Does examplol improve testitis?")
    assert "Checklist: Which effects of examplol do studies report in testitis" in ended.stderr
    assert "Completed (" in ended.stderr
    out = made.parent / "out"
    assert {path.name for path in out.iterdir()} == {
        *("answer.html", "answer.md", "answer.json", "answer.bib", "answer.ris"),
        *(
            "answer.csl.json",
            "answer.evidence.csv",
            "evidence.jsonl",
            "readings.jsonl",
            "events.jsonl",
        ),
    }
    assert (out / "answer.md").read_text(encoding="utf-8") == ended.stdout
    assert "<title>Does examplol improve testitis?</title>" in (out / "answer.html").read_text()
    verified = run("verify", "out/answer.json", cwd=made.parent)
    assert verified.returncode == 0, verified.stdout
    further = ask("out", "Was examplol well tolerated?", cwd=made.parent)
    assert further.returncode == 0, further.stderr


@pytest.mark.slow
def test_a_forged_answer_is_found_out(made: Path) -> None:
    question = "Does examplol improve testitis?"
    done = research(question, "--snapshot", str(made), "--out", "out", "-q", cwd=made.parent)
    assert done.returncode == 0, done.stderr
    path = made.parent / "out" / "answer.json"
    text = path.read_text(encoding="utf-8")
    assert "significantly improved" in text
    forged = text.replace("significantly improved", "did not improve")
    told, texts = json.loads(forged), json.loads(text)["references"]
    told["references"] = texts  # the sources say what they said
    told["claims"] = []
    path.write_text(json.dumps(told), encoding="utf-8")
    assert run("verify", "out/answer.json", cwd=made.parent).returncode == 13


@pytest.mark.slow
def test_the_json_is_what_the_tool_hands_out(made: Path) -> None:
    ended = research(
        *("Does examplol improve testitis?", "--snapshot", str(made), "--json", "--quiet"),
        *("--max-iterations", "1"),
        cwd=made.parent,
    )
    assert ended.returncode == 0, ended.stderr
    assert all(line.startswith("Note: ") for line in ended.stderr.splitlines())
    told = json.loads(ended.stdout)
    assert set(told) == {
        *("trace_id", "answer", "sources", "checklist_coverage", "iterations_used", "status")
    }
    assert told["iterations_used"] == 1
    assert told["status"] == "max_iterations_reached"
    numbers = {int(source["id"].removeprefix("src_")) for source in told["sources"]}
    assert numbers == set(range(1, len(numbers) + 1))
    assert {f"[{n}]" for n in numbers} <= set(re.findall(r"\[\d+\]", told["answer"]))


def test_what_was_not_found_is_an_answer_with_its_own_exit_code(made: Path) -> None:
    question = "Does metformin cause baldness?"
    ended = research(question, "--snapshot", str(made), "-q", cwd=made.parent)
    assert ended.returncode == 3
    assert "No sentence in the records found was recognised as an answer" in ended.stdout


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("", "--snapshot", "demo"), 4),
        (("x" * 2001, "--snapshot", "demo"), 5),
        (("Why?", "--snapshot", "demo"), 17),
        ((TAU, "--snapshot", "nowhere"), 7),
        ((TAU, "--snapshot", "corrupt.jsonl"), 8),
        ((TAU, "--snapshot", "demo", "--out", "corrupt.jsonl"), 11),
        ((), 2),
        ((TAU, "--snapshot", "demo", "--sources", "web"), 2),
        ((TAU, "--max-iterations", "0"), 2),
        ((TAU, "--max-iterations", "11"), 2),
        ((TAU, "--max", "3"), 2),
        ((TAU, "--out", " "), 2),
        ((TAU, "--evidence", "demo", "--snapshot", "demo"), 2),
        ((TAU, "--evidence", "demo", "--context", "x"), 2),
        ((TAU, "--evidence", "demo", "--out", "out"), 2),
    ],
    ids=str,
)
def test_each_failure_of_a_search_has_its_exit_code(
    tmp_path: Path, args: tuple[str, ...], code: int
) -> None:
    snapshot(tmp_path / "corrupt.jsonl", "this is no snapshot")
    ended = research(*args, cwd=tmp_path)
    assert ended.returncode == code, ended.stderr
    assert "Traceback" not in ended.stderr
    assert ended.stdout == ""
    assert ended.stderr.strip()


@pytest.mark.slow
def test_a_failure_is_told_to_programs_in_the_same_shape(made: Path) -> None:
    ended = research(
        *("Does examplol improve testitis?", "--sources", "pubmed", "--json", "--quiet"),
        cwd=made.parent,
        DEEPCRITICAL_PUBMED_URL="http://127.0.0.1:9/",
        DEEPCRITICAL_DRUG_FACTS="off",
    )
    assert ended.returncode == 10, ended.stderr
    told = json.loads(ended.stdout)
    assert (told["status"], told["sources"]) == ("error", [])
    assert told["answer"] in ended.stderr
