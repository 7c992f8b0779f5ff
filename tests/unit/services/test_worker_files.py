from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from uuid import UUID

from deepcritical.services.storage.job_board import LOCAL_WORKER, WorkerName

HOLD = (
    "import sys, time; from pathlib import Path;"
    "from deepcritical.services.storage.job_board import WorkerName;"
    "print(WorkerName(Path(sys.argv[1])).name, flush=True); time.sleep(60)"
)


def test_the_first_process_on_a_file_has_its_name(tmp_path: Path) -> None:
    first = WorkerName(tmp_path / "new" / "runs.sqlite")
    second = WorkerName(tmp_path / "new" / "runs.sqlite")
    assert first.name == LOCAL_WORKER
    assert UUID(second.name).version == 4
    first.close()
    third = WorkerName(tmp_path / "new" / "runs.sqlite")
    assert third.name == LOCAL_WORKER
    third.close()
    third.close()


def test_every_process_of_a_server_has_a_name_of_its_own() -> None:
    assert len({WorkerName(None).name for _ in range(3)}) == 3


def test_a_killed_process_gives_its_name_back(tmp_path: Path) -> None:
    file = tmp_path / "runs.sqlite"
    process = subprocess.Popen(  # noqa: S603 - our own code
        [sys.executable, "-c", HOLD, str(file)], stdout=subprocess.PIPE, encoding="utf-8"
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() == LOCAL_WORKER
    assert WorkerName(file).name != LOCAL_WORKER
    process.send_signal(signal.SIGKILL)
    process.communicate()
    name = WorkerName(file)
    assert name.name == LOCAL_WORKER
    name.close()
