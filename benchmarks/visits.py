"""Counts what a visitor's browser has to do: requests, bytes, shifts, long tasks, what stays."""

from __future__ import annotations

from typing import NamedTuple

from playwright.sync_api import Browser, Page

from tests.conftest import DEMO_QUESTION

SIZES = ((1280, 800), (390, 844))
OPENED = 30
"""Runs that are opened one after the other, to see what stays in memory."""
SEEN = """
window.seen = { shift: 0, task: 0 };
const watch = (type, note) => new PerformanceObserver(
  (list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
watch("layout-shift", (one) => { if (!one.hadRecentInput) window.seen.shift += one.value; });
watch("longtask", (one) => { window.seen.task = Math.max(window.seen.task, one.duration); });
"""


class Visit(NamedTuple):
    """The work of a visitor's browser: up to the sample, or from there to a report."""

    requests: int
    kilobytes: float
    """As they came over the network, so compressed."""
    shift: float
    """Cumulative layout shift."""
    task_ms: float
    """The longest task of the page's thread."""


class Watched:
    """Counts what a page asks for and moves."""

    def __init__(self, page: Page) -> None:
        self._page, self.devtools = page, page.context.new_cdp_session(page)
        self._requests, self._bytes = 0, 0.0
        page.add_init_script(SEEN)
        self.devtools.send("Network.enable")
        self.devtools.send("Performance.enable")
        self.devtools.on("Network.requestWillBeSent", lambda _: self._count(1, 0))
        self.devtools.on("Network.dataReceived", lambda e: self._count(0, e["encodedDataLength"]))

    def _count(self, requests: int, size: float) -> None:
        self._requests += requests
        self._bytes += size

    def since(self) -> Visit:
        """Return the counts since the last call."""
        seen = self._page.evaluate("window.seen")
        told = Visit(self._requests, self._bytes / 1000, seen["shift"], seen["task"])
        self._page.evaluate("window.seen.shift = window.seen.task = 0")
        self._requests, self._bytes = 0, 0.0
        return told

    def held(self) -> tuple[int, int]:
        """Nodes and listeners that are in memory."""
        for _ in range(2):
            self.devtools.send("HeapProfiler.collectGarbage")
        metrics = self.devtools.send("Performance.getMetrics")["metrics"]
        named = {one["name"]: int(one["value"]) for one in metrics}
        return named["Nodes"], named["JSEventListeners"]


def print_visits(browser: Browser, address: str) -> None:
    """Two lines for each size of a window, and two on what thirty runs leave in memory."""
    print(f"\n{'a visit':34} {'requests':>8} {'kB':>7} {'CLS':>6} {'longest task ms':>15}")
    for width, height in SIZES:
        page = browser.new_page(base_url=address, viewport={"width": width, "height": height})
        watched = Watched(page)
        page.goto("/")
        page.locator(".sample .answer").wait_for(timeout=120_000)
        page.wait_for_timeout(1000)
        _print_visit(f"{width} px, to the sample", watched.since())
        page.get_by_label("Your question").press_sequentially(DEMO_QUESTION)
        page.get_by_role("button", name="Ask", exact=True).click()
        page.locator("#panel-report .answer").first.wait_for(timeout=300_000)
        page.wait_for_timeout(1000)
        _print_visit(f"{width} px, from there to a report", watched.since())
    print(f"{'targets':34} {40:8} {'250/120':>7} {0.1:6} {200:15}")
    _print_held(page, watched)


def _print_visit(name: str, visit: Visit) -> None:
    counted = f"{visit.requests:8} {visit.kilobytes:7.0f} {visit.shift:6.3f} {visit.task_ms:15.0f}"
    print(f"{name:34} {counted}")


def _print_held(page: Page, watched: Watched) -> None:
    links = page.locator(".runs li a")
    counted = []
    for n in range(OPENED + 2):
        links.nth(n % 2).click()
        page.locator("#panel-report .answer").first.wait_for(timeout=120_000)
        if n in (1, OPENED + 1):
            page.wait_for_timeout(4000)  # what follows is loaded, and what was left is let go
            counted.append(watched.held())
    for name, first, last in zip(("nodes", "listeners"), *counted, strict=True):
        print(f"{f'{name}, then after {OPENED} runs':34} {first:8} {last:8}")
