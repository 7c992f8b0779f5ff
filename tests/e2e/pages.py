"""Drives the page in a real browser; pictures of it are left in ``out/screenshots``."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, Request, expect, sync_playwright

from tests.conftest import QUESTION, ROOT, paper, snapshot
from tests.servers.commands import forked_module
from tests.servers.serving import get, post, serving

PICTURES = ROOT / "out" / "screenshots"
PATIENCE_MS = 60_000
"""On a busy machine; no test waits for as long to see that something does not come."""
expect.set_options(timeout=PATIENCE_MS)
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
OFF = (
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup"),
    # What Playwright switches off: the last list of a command line is the one that holds.
    *("AvoidCorsURLLoaderRestartOnRedirect", "AvoidUnnecessaryBeforeUnloadCheckSync"),
    *("DestroyProfileOnBrowserClose", "HttpsFirstBalancedModeAutoEnable", "HttpsUpgrades"),
    *("LensOverlay", "MediaRouter", "NetworkTimeServiceQuerying", "OptimizationHints"),
    *("PaintHolding", "PreconnectToSearch", "ThirdPartyStoragePartitioning"),
)
"""Features that the browser is without.

The first are pages of its own below its address bar, which nobody sees here. It would load them for
each tab of a test, which takes as long as the page that is tested.
"""
ARGUMENTS = (
    f"--disable-features={','.join(OFF)}",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
ATTACK = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
RECORDS = (
    paper(1),
    paper(2, title=f"Examplol in testitis {ATTACK}", journal=ATTACK, note=ATTACK),
    paper(3, text=f"Results: Examplol did not improve testitis {ATTACK}. Examplol {ATTACK}."),
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        message = "no Chromium: install one, or name it in CHROMIUM"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    # Within the module: while it runs, no other event loop can run in this thread.
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS, timeout=120_000)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("served")
    snapshot(folder / "records.jsonl", *RECORDS)
    return folder


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with serving(page_server(folder)) as served:
        yield served.address


def page_server(folder: Path, *slots_and_runs: str) -> list[str | Path]:
    """The command; see the usage of the module."""
    return [*forked_module(), "tests.servers.page", folder, *slots_and_runs]


@pytest.fixture
def gate(folder: Path) -> Iterator[Path]:
    """The file that lets queries be answered; it is there unless a test takes it away."""
    gate = folder / "open"
    gate.touch()
    yield gate
    gate.touch()
    # A run that a failed test left is to see that it is open, or the next ones would wait for it.
    time.sleep(0.2)


@pytest.fixture
def page(browser: Browser, address: str, gate: Path) -> Iterator[Page]:
    """A tab that may speak to the server only, and in which nothing may go wrong."""
    assert gate.exists()
    with tab(browser, address) as page:
        yield page


@contextmanager
def tab(browser: Browser, address: str, *expected: str) -> Iterator[Page]:
    """A tab in which nothing goes wrong but what is expected."""
    wrong: list[str] = []
    context = browser.new_context(
        base_url=address, viewport={"width": 1440, "height": 900}, reduced_motion="reduce"
    )

    context.set_default_timeout(PATIENCE_MS)

    def watch(request: Request) -> None:
        if not request.url.startswith((address, "data:", "blob:")):
            wrong.append(request.url)

    context.on("request", watch)
    context.on("dialog", lambda dialog: wrong.append(dialog.message))
    context.on("weberror", lambda error: wrong.append(str(error.error)))
    context.on(
        "console", lambda said: wrong.append(said.text) if _is_error(said.text, said.type) else None
    )
    try:
        yield context.new_page()
    finally:
        context.close()
    assert [text for text in wrong if not any(part in text for part in expected)] == []


def _is_error(text: str, kind: str) -> bool:
    # The framework's own words when a page is left while its stream is open.
    usual = ("AbortError", "Connection errored out", "502 (Bad Gateway)", "CONNECTION_REFUSED")
    return kind == "error" and not any(part in text for part in usual)


def ask(page: Page, question: str = QUESTION, *, goto: bool = True) -> None:
    if goto:
        page.goto("/")
    page.get_by_label("Your question").fill(question)
    page.get_by_role("button", name="Ask", exact=True).click()


def open_options(page: Page) -> None:
    fold = page.get_by_role("button", name="Sources, model, files")
    expect(fold).to_be_visible()
    if "open" not in (fold.get_attribute("class") or "").split():
        fold.click()


def unfold(page: Page) -> None:
    """Open every part of the report."""
    parts = page.locator("#panel-report .fold > summary")
    expect(parts.first).to_be_visible()
    for part in parts.all():
        part.click()


def shut(page: Page) -> None:
    """Shut every source, and every part of the report."""
    page.evaluate("document.querySelectorAll(':popover-open').forEach((one) => one.hidePopover())")
    parts = "document.querySelectorAll('.fold[open], .log[open]')"
    page.evaluate(f"{parts}.forEach((one) => {{ one.open = false; }})")


def ended_run(address: str, tool: str, question: str) -> str:
    """The id of a run, once it has ended."""
    body = {"tool": tool, "question": question}
    run_id = post(f"{address}/api/runs", json=body).raise_for_status().json()["id"]
    get(f"{address}/api/runs/{run_id}/events")
    return str(run_id)


def fail(page: Page) -> None:
    """Ask what a run finds out to be no question: it names nothing to look for."""
    page.goto("/")
    open_options(page)
    page.get_by_label("Answer", exact=True).check()
    ask(page, "What evidence is there?", goto=False)


def picture(page: Page, name: str) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=PICTURES / f"{name}.png")


def assert_fits(page: Page) -> None:
    """No sideways scrolling, neither of the page nor of a column."""
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    columns = "[...document.querySelectorAll('.columns > .column')]"
    assert page.evaluate(f"{columns}.every((one) => one.scrollWidth <= one.clientWidth)")


def assert_fits_in_both(page: Page, name: str) -> None:
    """It fits in light and in dark; pictures of both are left."""
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        assert_fits(page)
        picture(page, f"{name}-{scheme}")
