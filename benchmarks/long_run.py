"""A served app with PostgreSQL and workers, for minutes, while everything round it fails.

One server without a worker of its own and two workers; runs are started by REST with an
idempotency key each, some of them twice. Meanwhile sources and model answer with faults for a few
requests, workers and the server are killed with -9, and the database is restarted. Then the faults
end, and every run that was accepted is looked at: was it lost, was anything paid twice, is anything
wrong? Prints a table; the exit code is 1 when a row is not as it must be.

Usage: `python -m benchmarks.long_run [--seconds 300] [--seed 1]`
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import psycopg

from benchmarks.chaos import model_on_loopback
from deepcritical.export.writers import from_json
from deepcritical.writing.ledger.auditing import audit
from tests.conftest import QUESTION
from tests.own_postgres import OwnServer, own_server, programs
from tests.ports import lasting_port
from tests.servers.faults import Fault as SourceFault
from tests.servers.models import Fault, ModelServer
from tests.servers.world import World, world_beside

WORKERS = 2
EVERY_S = 3.0
"""Between two starts of runs."""
PATIENCE_S = 300.0
"""For what is under way when the faults end."""
SOURCE_FAULTS: tuple[SourceFault, ...] = ("429", "500", "truncated", "half", "html", "reset")
ENDS = frozenset({"run_completed", "run_failed", "run_cancelled"})
PROGRAM = "from deepcritical.interfaces.main import main; main()"


class Site:
    """The processes, and what is done to them.

    Args:
        environment: Of each process.
        port: Of the server.
        chance: Decides what happens.
    """

    def __init__(self, environment: Mapping[str, str], port: int, chance: random.Random) -> None:
        self._environment = dict(environment)
        self._port = port
        self._chance = chance
        self.done: Counter[str] = Counter()
        self.server = self._serve()
        self.workers = [self._start("worker") for _ in range(WORKERS)]

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *arguments],
            env=self._environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def _serve(self) -> subprocess.Popen[bytes]:
        return self._start("serve", "--no-worker", "--port", str(self._port))

    def kill_worker(self) -> None:
        """Kill a worker, and start another one."""
        at = self._chance.randrange(WORKERS)
        self.workers[at].kill()
        self.workers[at].wait()
        self.workers[at] = self._start("worker")
        self.done["workers killed"] += 1

    def kill_server(self) -> None:
        """Kill the server, and start it again."""
        self.server.kill()
        self.server.wait()
        self.server = self._serve()
        self.done["servers killed"] += 1

    def end(self) -> None:
        """End all."""
        for process in (self.server, *self.workers):
            process.kill()
            process.wait()


class Client:
    """Starts runs as a careful client does: again, with the same key, until it is told an id."""

    def __init__(self, address: str) -> None:
        self._http = httpx.Client(base_url=address, trust_env=False, timeout=20)
        self.accepted: dict[str, set[str]] = {}
        """The ids that each key was told."""
        self._open: dict[str, int] = {}

    def start(self, key: str) -> None:
        """Ask for a run; what is not answered is asked again at the next chance."""
        self._open[key] = self._open.get(key, 0)
        for waiting in list(self._open):
            self._ask(waiting)

    def _ask(self, key: str) -> None:
        tool = "research" if int(key.rpartition("-")[2]) % 2 else "deep_research"
        try:
            answer = self._http.post(
                "/api/runs",
                json={"tool": tool, "question": QUESTION},
                headers={"Idempotency-Key": key},
            )
        except httpx.HTTPError:
            return
        if answer.status_code == httpx.codes.ACCEPTED:
            self.accepted.setdefault(key, set()).add(answer.json()["id"])
            del self._open[key]

    def get(self, path: str, **headers: str) -> Any:
        """The JSON at a path; None where it is not there."""
        answer = self._http.get(path, headers={"Accept": "application/json", **headers})
        return answer.json() if answer.is_success else None

    def resume(self, run_id: str) -> None:
        """Resume a run that failed, as its error advises."""
        self._http.post(f"/api/runs/{run_id}/resume")

    @property
    def ids(self) -> list[str]:
        """All runs that were accepted."""
        return [run_id for found in self.accepted.values() for run_id in found]


def disturb(site: Site, sources: World, model: ModelServer, database: OwnServer) -> None:
    """Do one thing that happens."""
    chance = site._chance
    what = chance.choices(("worker", "source", "model", "server", "database"), (4, 4, 4, 1, 1))[0]
    if what == "worker":
        site.kill_worker()
    elif what == "server":
        site.kill_server()
    elif what == "database":
        database.stop()
        time.sleep(chance.uniform(0.5, 4.0))
        database.start()
        site.done["databases restarted"] += 1
    elif what == "source":
        faults = chance.choice(list(sources.faults.values()))
        faults.on(chance.choice(SOURCE_FAULTS), times=chance.randint(1, 4))
        site.done["faults of sources"] += 1
    else:
        left = [chance.randint(1, 3)]
        status = chance.choice((429, 500, 503))

        def fault(_asked: object) -> Fault | None:
            left[0] -= 1
            return Fault(status=status, body="{}") if left[0] >= 0 else None

        model.fault = fault
        site.done["faults of the model"] += 1


@contextmanager
def opened(chance: random.Random) -> Iterator[tuple[Site, World, ModelServer, OwnServer, Client]]:
    """Everything, until the block ends."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        database = stack.enter_context(own_server())
        sources = stack.enter_context(world_beside(folder))
        model = ModelServer()
        model.latency_s = 0.2
        address = stack.enter_context(model_on_loopback(model))
        port = lasting_port()
        environment = sources.environment | {
            "DATABASE_URL": database.url,
            "DEEPCRITICAL_MODEL": "compatible:made-up",
            "DEEPCRITICAL_MODEL_BASE_URL": address,
            "DEEPCRITICAL_USER_ACTIVE": "4",
            "DEEPCRITICAL_USER_RUNS": "200",
        }
        site = Site(environment, port, chance)
        stack.callback(site.end)
        client = Client(f"http://127.0.0.1:{port}")
        until = time.monotonic() + 90
        while _health(client) is None and time.monotonic() < until:
            time.sleep(0.5)
        yield site, sources, model, database, client


def _health(client: Client) -> Any:
    try:
        return client.get("/api/health")
    except httpx.HTTPError:
        return None


def ended(client: Client, run_ids: list[str]) -> dict[str, str]:
    """Wait for runs; how each ended, '' where it did not."""
    found = dict.fromkeys(run_ids, "")
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until and not all(found.values()):
        for run_id in [one for one, status in found.items() if not status]:
            try:
                run = client.get(f"/api/runs/{run_id}")
            except httpx.HTTPError:
                continue
            if run and run["status"] in ("completed", "failed", "cancelled"):
                found[run_id] = run["status"]
        time.sleep(1.0)
    return found


def looked_at(
    client: Client, database: OwnServer, model: ModelServer
) -> dict[str, tuple[int, bool]]:
    """The rows of the table: a number, and whether it is as it must be."""
    ids = client.ids
    first = ended(client, ids)
    failed = [run_id for run_id, status in first.items() if status == "failed"]
    for run_id in failed:
        client.resume(run_id)
    statuses = first | ended(client, failed)
    numbers = sum(not _is_whole(client.get(f"/api/runs/{one}/events")) for one in ids)
    documents = [client.get(f"/api/runs/{one}/export/json") for one in ids]
    unsound = sum(_fails(document) for document in documents if document)
    charged, sent = _requests(database)
    lost = sum(not status for status in statuses.values())
    done = sum(status == "completed" for status in statuses.values())
    double = sum(len(found) > 1 for found in client.accepted.values())
    return {
        "runs accepted": (len(ids), len(ids) > 0),
        "lost: never ended": (lost, lost == 0),
        "failed at first, then resumed": (len(failed), True),
        "completed in the end": (done, done == len(ids)),
        "one key, two runs": (double, double == 0),
        "event logs with a gap or a double": (numbers, numbers == 0),
        "claims that do not hold": (unsound, unsound == 0),
        "requests that the model was sent": (len(model.asked), True),
        "answers on record, charged": (charged, charged <= len(model.asked)),
        "requests on record, sent again after a loss": (sent, True),
    }


def _is_whole(log: dict[str, Any] | None) -> bool:
    """Tell if a log has each number once, and one end."""
    events = log["events"] if log else []
    ends = sum(event["event"]["type"] in ENDS for event in events)
    return [event["seq"] for event in events] == list(range(1, len(events) + 1)) and ends == 1


def _fails(document: dict[str, Any]) -> int:
    """Count the claims of a report or an answer that do not hold."""
    return len(audit(from_json(json.dumps(document))[0]).failed)


def _requests(database: OwnServer) -> tuple[int, int]:
    """Answers on record, and how many requests were sent more than once."""
    asked = (
        "SELECT count(*) FILTER (WHERE answer <> ''), "
        "coalesce(sum(sent - 1) FILTER (WHERE sent > 1), 0) FROM model_answers"
    )
    with psycopg.connect(database.url.replace("+psycopg", "")) as server:
        row = server.execute(asked).fetchone()
    return (int(row[0]), int(row[1])) if row else (0, 0)


def main() -> int:
    """Disturb for so long, then look."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--seconds", type=float, default=300.0)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    if programs() is None:
        sys.exit("PostgreSQL's initdb and pg_ctl are not installed")
    chance = random.Random(given.seed)  # noqa: S311 - no secret
    with opened(chance) as (site, sources, model, database, client):
        until = time.monotonic() + given.seconds
        number = 0
        while time.monotonic() < until:
            number += 1
            # Every third key is asked for a second time.
            client.start(f"run-{number - 1 if number % 3 == 0 else number}")
            time.sleep(EVERY_S * chance.uniform(0.5, 1.5))
            if number % 2:
                disturb(site, sources, model, database)
        for faults in sources.faults.values():
            faults.off()
        model.fault = lambda _asked: None
        rows = looked_at(client, database, model)
    print(json.dumps(dict(site.done)))
    for name, (value, good) in rows.items():
        print(f"{name:46}{value:>8}{'' if good else '  NOT AS IT MUST BE'}")
    return 0 if all(good for _, good in rows.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
