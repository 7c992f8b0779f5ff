"""Progress on stderr: one live line with finished steps on a terminal, else a line an event."""

from __future__ import annotations

import re
import subprocess

import pytest

from tests.unit.interfaces.terminals import command, seen

pytestmark = pytest.mark.usefixtures("loaded_program")

CODE = r"""
import asyncio
from datetime import UTC, datetime
from deepcritical.domain.run import events
from deepcritical.interfaces.cli.ended import show

EVENTS = (
    events.AgentCalled(agent="Made-up agent", instruction="Search.", iteration=1),
    events.SourcesOpened(sources=("a source\x1b[2J of [bold]records", "x" * 200)),
    events.SourceSearched(
        source="lost", query="q", outcome="unavailable", identified=0, new=0
    ),
    events.Notice(message="Look " + "here " * 40),
    events.AgentCalled(agent="Another one", instruction="Write.", iteration=1),
)

class Told:
    async def tail(self):
        for seq, event in enumerate(EVENTS, 1):
            yield events.LoggedEvent(
                run_id="r", seq=seq, at=datetime.now(UTC), stage="search",
                progress=seq / len(EVENTS), event=event,
            )

asyncio.run(show(Told(), quiet=QUIET))
print("the answer")
"""
SHOWN = CODE.replace("QUIET", "False")
QUIET = CODE.replace("QUIET", "True")


def left(written: str) -> list[str]:
    """The lines that are still there when all is over."""
    rows = (row.rpartition("\x1b[2K")[2] for row in written.split("\n"))
    return [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", row).rstrip() for row in rows]


def test_finished_steps_and_warnings_stay_on_a_terminal() -> None:
    written = seen(SHOWN, columns=80)
    lines = left(written)
    assert lines[0].startswith("✓ Sources: a source[2J of [bold]records; xxx")
    assert lines[0].endswith("…")
    assert lines[1].startswith("! lost · q")
    assert " ".join(lines).count("here") == 40  # a warning is never cut
    assert "Made-up agent" not in "".join(lines)
    assert "the answer" in lines
    assert "\x1b[2J" not in written


def test_the_live_line_shows_what_is_under_way() -> None:
    assert "100%" in seen(SHOWN)
    assert "Another one" in seen(SHOWN)


def test_a_dumb_terminal_gets_a_line_for_each_event() -> None:
    lines = seen(SHOWN, env={"TERM": "dumb"}).splitlines()
    assert lines[0].startswith(" 20% Made-up agent")


def test_a_pipe_gets_a_line_for_each_event() -> None:
    done = subprocess.run(command(SHOWN), capture_output=True, check=True)  # noqa: S603
    lines = done.stderr.decode().splitlines()
    assert [line[:4] for line in lines] == [" 20%", " 40%", " 60%", " 80%", "100%"]
    assert done.stdout == b"the answer\n"
    assert b"\x1b" not in done.stderr


def test_quiet_shows_warnings_alone() -> None:
    warning, answer = seen(QUIET).splitlines()
    assert warning.startswith("Note: Look here")
    assert answer == "the answer"
