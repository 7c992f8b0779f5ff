"""Commands name a disk that is full or read-only, and nothing there is lost."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.environment import without_settings
from tests.servers.commands import forked_command

COMMAND = Path(sys.executable).parent / "deepcritical"
"""As a process of its own, which has the disks that it is started beside; it takes 3 s to start."""
QUESTION = "Can baricitinib be repurposed for COVID-19?"
MOUNT = 'mount -t tmpfs -o "size=$SIZE" none "$DISK" || exit 77\n'
LIST = """import sqlite3, sys
runs = sqlite3.connect(sys.argv[1])
for run in runs.execute("SELECT id, status FROM tool_traces"): print(*run)"""
"""The runs of a database, without the command."""
SETTINGS = {
    "DEEPCRITICAL_EMBEDDING_MODEL": "",
    "DEEPCRITICAL_HTTP_CACHE": "",
    "DEEPCRITICAL_VECTOR_CACHE": "",
    "DEEPCRITICAL_SNAPSHOT": "demo",
}


def said(script: str, disk: Path, size: str, **more: str) -> str:
    """Run a script beside a disk of its own of this size, and return its output."""
    disk.mkdir(exist_ok=True)
    places = {
        "DISK": str(disk),
        "SIZE": size,
        "QUESTION": QUESTION,
        "DATABASE_URL": f"sqlite:///{disk / 'runs.sqlite'}",
        "RUN": str(COMMAND),
        "LIST": f"{sys.executable} -IS -c '{LIST}' {disk / 'runs.sqlite'}",
    }
    if shutil.which("unshare") is None:
        pytest.skip("unshare is not installed")
    done = subprocess.run(  # noqa: S603 - our own script
        ["unshare", "--map-root-user", "--mount", "sh", "-c", MOUNT + script],  # noqa: S607
        cwd=ROOT,
        env={**without_settings(), **SETTINGS, **places, **more},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    if done.returncode == 77 or "unshare" in done.stdout:
        pytest.skip(f"no disk can be mounted here: {done.stdout.strip()}")
    return done.stdout


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with one run that is completed."""
    file = tmp_path_factory.mktemp("kept") / "runs.sqlite"
    subprocess.run(  # noqa: S603 - our own command
        [forked_command(), "research", QUESTION, "--depth", "quick", "-q"],
        env={**without_settings(), **SETTINGS, "DATABASE_URL": f"sqlite:///{file}"},
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    return file


FULL = """
cp "$KEPT" "$DISK/runs.sqlite"
dd if=/dev/zero of="$DISK/room" bs=1k count="$ROOM" 2>/dev/null
dd if=/dev/zero of="$DISK/rest" bs=1k 2>/dev/null
rm "$DISK/room"
"$RUN" research "$QUESTION" --depth quick -q; echo "exit $?"
rm "$DISK/rest"
unfinished=$(eval "$LIST" | grep -v completed | head -1 | cut -d' ' -f1)
if [ -n "$unfinished" ]; then "$RUN" traces resume "$unfinished" -q; echo "resumed $?"; fi
echo "at last"
eval "$LIST"
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("room", "reports"),
    [(0, False), (150, True)],
    ids=["start", "during a run"],
)
def test_a_full_disk_is_named_and_what_was_kept_stays(
    kept: Path, tmp_path: Path, room: int, reports: bool
) -> None:
    """A run that has begun is reported from memory, and can be taken up when there is room."""
    shown = said(FULL, tmp_path / "disk", "9m", KEPT=str(kept), ROOM=str(room))
    assert f"exit {0 if reports else 20}" in shown
    assert ("not kept in the database" in shown) is reports
    assert "disk is full" in shown
    assert "room on" in shown
    assert ("resumed 0" in shown) is reports, shown
    listed = shown.rpartition("at last")[2].strip().splitlines()
    assert [line.split()[1] for line in listed] == ["completed"] * (1 + reports), shown


READ_ONLY = """
cp "$KEPT" "$DISK/runs.sqlite"
mount -o remount,ro "$DISK"
"$RUN" research "$QUESTION" --depth quick -q; echo "exit $?"
"$RUN" doctor; echo "doctor $?"
mount -o remount,rw "$DISK"
eval "$LIST"
"""


@pytest.mark.slow
def test_a_disk_that_can_only_be_read_is_named(kept: Path, tmp_path: Path) -> None:
    shown = said(READ_ONLY, tmp_path / "disk", "9m", KEPT=str(kept))
    assert "exit 19" in shown
    assert "can only be read" in shown
    assert "Mount its disk for writing" in shown
    assert "doctor 15" in shown
    assert re.findall(r"^\S{36} (\w+)$", shown, re.MULTILINE) == ["completed"]


@pytest.mark.slow
def test_a_file_whose_pages_are_damaged_is_refused_and_left_alone(
    kept: Path, tmp_path: Path
) -> None:
    file = tmp_path / "runs.sqlite"
    content = bytearray(kept.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 8192] = os.urandom(8192)
    file.write_bytes(content)
    for options, code in ((("research", QUESTION, "-q"), 18), (("doctor",), 15)):
        done = subprocess.run(  # noqa: S603 - our own command
            [forked_command(), *options],
            env={**without_settings(), **SETTINGS, "DATABASE_URL": f"sqlite:///{file}"},
            cwd=ROOT,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == code
        assert "is damaged" in done.stdout + done.stderr
        assert ".recover" in done.stdout + done.stderr
    assert file.read_bytes() == content
