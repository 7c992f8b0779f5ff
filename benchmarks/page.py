"""Waiting times of a person at the page, and the page's weight on the network.

Prints six tables: what a visit weighs; the first answer of the server beside an empty page of the
framework, with its processor time and memory; the time from the click to the first progress on the
screen; the bytes that are sent for a whole run beside the size of its report; how late events reach
20 users who follow 20 runs at once; and how soon health and events answer while 4 runs calculate.

Usage: `python -m benchmarks.page [--runs N] [--users N] [--load] [--visit]`; `--visit` prints the
first table alone, and `--load` the last; all but `--load` need a Chromium, as the tests do.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import median, quantiles
from typing import NamedTuple
from urllib.request import ProxyHandler, build_opener

import httpx
import uvicorn
from playwright.sync_api import Browser, Page, sync_playwright
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from benchmarks.visits import print_visits
from deepcritical.bootstrap import Lookups, build_runs, build_similar, open_chats, place_of
from deepcritical.interfaces.access import Access
from deepcritical.interfaces.render import describe
from deepcritical.interfaces.server import Served, create_app
from deepcritical.settings import Settings
from tests.conftest import DEMO_QUESTION
from tests.e2e.pages import ARGUMENTS, BROWSERS
from tests.servers.serving import serving

SERVE = (str(Path(sys.executable).with_name("deepcritical")), "serve", "--port", "0")
EMPTY_PAGE = """
import gradio as gr
with gr.Blocks(analytics_enabled=False) as page:
    pass
page.launch(server_name="127.0.0.1", ssr_mode=False)
"""
PAGES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("an empty page of the framework", (sys.executable, "-u", "-c", EMPTY_PAGE)),
    ("our page (target: 1.3)", SERVE),
)
_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")
FIRST_S, TIMES_REPORT, LATE_S = 0.5, 3, 1.0
"""Targets: seconds to the first progress, bytes of a run in reports, seconds of lateness."""
CALCULATING, LOAD_S, EVERY_S = 4, 30.0, 0.05
"""Runs that calculate, for so many seconds, and how often health is asked."""
P95_MS, MOST_MS = 100, 500
"""Targets for what answers while they do."""
CPU_S, MEMORY_MB = 4, 230
"""Targets for a server that has answered once."""
WATCH = """
document.getElementById("ask").addEventListener("click", () => {
  const clicked = performance.now();
  const log = document.querySelector(".live [role=log]");
  new MutationObserver((_, watcher) => requestAnimationFrame(() => {
    if (!log.querySelector("li")) return;
    window.firstShown ??= performance.now() - clicked;
    watcher.disconnect();
  })).observe(log, { childList: true, subtree: true });
}, { capture: true });
"""


class Start(NamedTuple):
    """The time and memory of a server until its first page."""

    seconds: float
    cpu_s: float
    memory_mb: float


def used_by(process: int) -> tuple[float, float]:
    """Seconds of a processor that a process took, and what it holds of the memory in MB."""
    told = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    ticks = int(told[11]) + int(told[12])
    return ticks / os.sysconf("SC_CLK_TCK"), int(told[21]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def first_answer(command: tuple[str, ...]) -> Start:
    """Measure the time and memory of a server from its start to its first page."""
    start = time.perf_counter()
    quiet = {**os.environ, "GRADIO_ANALYTICS_ENABLED": "False"}
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=quiet)
    try:
        lines = iter(server.stdout or ())
        address = next(found for line in lines if (found := _ADDRESS.search(line)))
        with build_opener(ProxyHandler({})).open(address.group()) as answer:
            answer.read()
        return Start(time.perf_counter() - start, *used_by(server.pid))
    finally:
        server.terminate()
        server.communicate()


def print_pages(runs: int) -> None:
    """One line for each page; they take turns, and a run of each comes before those that count."""
    rounds = [[first_answer(command) for _, command in PAGES] for _ in range(runs + 1)]
    head = f"{'fastest s':>9} {'median s':>9} {'x empty page':>14} {'CPU s':>6} {'MB':>5}"
    print(f"\n{'first answer of':42} {head}")
    base = min(starts[0].seconds for starts in rounds[1:])
    for (name, _), starts in zip(PAGES, zip(*rounds[1:], strict=True), strict=True):
        times = [start.seconds for start in starts]
        cpu_s, memory = (median(start[field] for start in starts) for field in (1, 2))
        ratio = f"{min(times) / base:14.2f} {cpu_s:6.2f} {memory:5.0f}"
        print(f"{name:42} {min(times):9.2f} {median(times):9.2f} {ratio}")
    print(f"{'targets of our page':67} {'':9} {CPU_S:6} {MEMORY_MB:5}")


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless browser."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield browser
        browser.close()


def started(page: Page) -> None:
    """A run of the demo's question, begun by a click."""
    page.goto("/")
    page.get_by_label("Your question").fill(DEMO_QUESTION)
    page.evaluate(WATCH)
    page.get_by_role("button", name="Ask", exact=True).click()


def finished(page: Page) -> None:
    """Wait until the report is shown."""
    page.locator(".dc-report").first.wait_for(timeout=120_000)
    page.wait_for_timeout(1000)  # what follows the report; a stream of the framework stays open


def seconds_to_progress(browser: Browser, address: str) -> float:
    """Seconds from the click to the frame that shows the first line of the log."""
    page = browser.new_page(base_url=address)
    started(page)
    shown = page.wait_for_function("window.firstShown").json_value()
    finished(page)
    page.close()
    return float(shown) / 1000


def print_progress(runs: int, folder: Path) -> None:
    """One line of the first run of a server, and one of those that follow."""
    with kept(folder) as environment, serving(SERVE, environment) as served, chromium() as browser:
        first, *others = (seconds_to_progress(browser, served.address) for _ in range(runs + 1))
    print(f"\n{'first progress after the click':42} {'median s':>9} {'slowest s':>9}")
    print(f"{'the first run of a server':42} {first:9.2f} {first:9.2f}")
    told = f"the next {runs} (target: {FIRST_S} s)"
    print(f"{told:42} {median(others):9.2f} {max(others):9.2f}")


class Counted:
    """Counts what an application sends, header and body, by the first parts of the path."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.sent: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""

        async def counted(message: Message) -> None:
            headers = sum(len(name) + len(value) for name, value in message.get("headers", ()))
            self.sent[_group(scope["path"])] += headers + len(message.get("body", b""))
            await send(message)

        await self._app(scope, receive, counted if scope["type"] == "http" else send)


def _group(path: str) -> str:
    parts = path.split("/")
    if path.startswith("/api/runs/"):
        return "/".join(["/api/runs/ID", *parts[4:5]])
    return "/".join(parts[:3])


@contextmanager
def counted_server(folder: Path) -> Iterator[tuple[str, Counted]]:
    """The whole application in a thread of this process, and what it has sent so far."""
    url = f"sqlite:///{folder / 'counted.sqlite'}"
    made = {"snapshot": "demo", "embedding_model": "", "database_url": url}
    settings = Settings.model_validate(made)
    runs = build_runs(settings, serves=True)
    chats = open_chats(settings, runs, place_of(settings), describe)
    similar = build_similar(settings, runs, runs.place)
    served = Served(runs, Access(), Lookups(settings, "demo"), similar, chats)
    app = Counted(create_app(served, "127.0.0.1"))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(app, lifespan="on", log_level="warning"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", app
        server.should_exit = True
        thread.join()


def print_bytes(folder: Path) -> None:
    """Print the bytes sent from the click to the report, by path; the page itself apart."""
    with counted_server(folder) as (address, counted), chromium() as browser:
        page = browser.new_page(base_url=address)
        page.goto("/")
        page.wait_for_timeout(1000)  # what follows the report; a stream of the framework stays open
        assets = counted.sent.total()
        counted.sent.clear()
        page.get_by_label("Your question").fill(DEMO_QUESTION)
        page.get_by_role("button", name="Ask", exact=True).click()
        finished(page)
        sent = dict(counted.sent)
        run_id = page.url.partition("run=")[2]
        report = len(page.request.get(f"/api/runs/{run_id}/export/html").body())
    of_run = sum(s for path, s in sent.items() if path.startswith(("/api/", "/gradio_api/")))
    rows = {"the page, before the click": assets, "the report as an HTML file": report, **sent}
    rows[f"the run (target: under {TIMES_REPORT})"] = of_run
    print(f"\n{'bytes sent':42} {'KB':>9} {'x report':>9}")
    for name, size in rows.items():
        print(f"{name:42} {size / 1000:9.1f} {size / report:9.2f}")


async def lateness(client: httpx.AsyncClient) -> list[float]:
    """Seconds by which each event of one run reached its follower after it happened."""
    asked = {"tool": "research", "question": DEMO_QUESTION, "depth": "quick"}
    answer = (await client.post("/api/runs", json=asked)).raise_for_status()
    late = []
    async with client.stream("GET", answer.json()["links"]["events"]) as stream:
        async for line in stream.aiter_lines():
            if line.startswith("data: "):
                at = datetime.fromisoformat(json.loads(line[6:])["at"])
                late.append((datetime.now(UTC) - at).total_seconds())
    return late


async def all_late(address: str, users: int) -> list[float]:
    """The lateness of every event of all runs, which begin together."""
    async with httpx.AsyncClient(base_url=address, trust_env=False, timeout=300) as client:
        await lateness(client)  # loads what every run shares
        followed = await asyncio.gather(*(lateness(client) for _ in range(users)))
    return [late for events in followed for late in events]


def print_lateness(users: int, folder: Path) -> None:
    """One line for all events."""
    with kept(folder) as environment, serving(SERVE, environment) as served:
        late = asyncio.run(all_late(served.address, users))
    print(f"\n{'lateness of events':34} {'events':>7} {'median s':>9} {'p95 s':>9} {'latest s':>9}")
    told = f"{users} runs (target: {LATE_S:g} s)"
    numbers = f"{median(late):9.2f} {quantiles(late, n=20)[-1]:9.2f} {max(late):9.2f}"
    print(f"{told:34} {len(late):7} {numbers}")


async def health_s(client: httpx.AsyncClient, until: float) -> list[float]:
    """Seconds that each look at the server's health took, up to a time."""
    took = []
    while time.monotonic() < until:
        begun = time.perf_counter()
        (await client.get("/api/health")).raise_for_status()
        took.append(time.perf_counter() - begun)
        await asyncio.sleep(EVERY_S)
    return took


async def under_load(address: str) -> tuple[list[float], list[float]]:
    """Seconds of each look at the health, and lateness of each event, while runs calculate."""
    async with httpx.AsyncClient(base_url=address, trust_env=False, timeout=300) as client:
        await lateness(client)  # loads what every run shares
        until, late = time.monotonic() + LOAD_S, list[float]()

        async def calculating() -> None:
            while time.monotonic() < until:
                late.extend(await lateness(client))

        async with asyncio.TaskGroup() as tasks:
            health = tasks.create_task(health_s(client, until))
            for _ in range(CALCULATING):
                tasks.create_task(calculating())
    return health.result(), late


def print_load(folder: Path) -> None:
    """One line for the health, and one for the events."""
    with kept(folder) as environment, serving(SERVE, environment) as served:
        health, late = asyncio.run(under_load(served.address))
    print(
        f"\n{f'while {CALCULATING} runs calculate':42} {'answers':>8} {'p95 ms':>7} {'most ms':>8}"
    )
    for name, seconds in (("/api/health", health), ("events of the runs", late)):
        p95, most = quantiles(seconds, n=20)[-1] * 1000, max(seconds) * 1000
        print(f"{name:42} {len(seconds):8} {p95:7.0f} {most:8.0f}")
    print(f"{'targets':42} {'':8} {P95_MS:7} {MOST_MS:8}")


@contextmanager
def kept(folder: Path) -> Iterator[dict[str, str]]:
    """Settings of a server with a database of its own."""
    with tempfile.TemporaryDirectory(dir=folder) as own:
        yield {"DATABASE_URL": f"sqlite:///{own}/runs.sqlite"}


def print_visited(folder: Path) -> None:
    """The lines of visits to a server of its own."""
    with kept(folder) as environment, serving(SERVE, environment) as served, chromium() as browser:
        print_visits(browser, served.address)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5, help="runs of what is timed")
    parser.add_argument("--users", type=int, default=20, help="users who follow a run each")
    parser.add_argument("--load", action="store_true", help="the last table alone")
    parser.add_argument("--visit", action="store_true", help="the first table alone")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.load:
            print_load(Path(folder))
            return
        print_visited(Path(folder))
        if options.visit:
            return
        print_pages(options.runs)
        print_progress(options.runs, Path(folder))
        print_bytes(Path(folder))
        print_lateness(options.users, Path(folder))
        print_load(Path(folder))


if __name__ == "__main__":
    main()
