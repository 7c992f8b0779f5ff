"""``deepcritical understand`` as users run it."""

from __future__ import annotations

import json
import subprocess

from tests.servers.commands import forked_command


def understood(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - our own command
        [forked_command(), "understand", *args], capture_output=True, encoding="utf-8", check=False
    )


def test_a_question_is_printed_as_it_is_read() -> None:
    ran = understood("Does metformin slow cognitive decline in people with T2DM?")
    assert (ran.returncode, ran.stderr) == (0, "")
    frame = json.loads(ran.stdout)
    assert (frame["kind"], frame["drugs"][0]["name"]) == ("efficacy", "metformin")


def test_what_is_no_question_says_why() -> None:
    frame = json.loads(understood("What is the capital of France?").stdout)
    assert (frame["kind"], frame["declined"]) == ("declined", "not_biomedical")


def test_an_empty_question_is_exit_code_4() -> None:
    assert understood("").returncode == 4
