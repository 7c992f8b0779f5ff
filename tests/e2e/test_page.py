"""The page, driven in a real browser. Pictures of it are left in ``out/screenshots``."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Request, expect, sync_playwright

from tests.conftest import QUESTION, ROOT, paper, snapshot
from tests.servers.serving import serving
from tests.servers.world import world_beside

PICTURES = ROOT / "out" / "screenshots"
expect.set_options(timeout=15_000)
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
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
        browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
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


def page_server(folder: Path) -> list[str | Path]:
    return [sys.executable, "-m", "tests.servers.page", folder]


@pytest.fixture
def gate(folder: Path) -> Iterator[Path]:
    """The file that lets queries be answered; it is there unless a test takes it away."""
    gate = folder / "open"
    gate.touch()
    yield gate
    gate.touch()


@pytest.fixture
def page(browser: Browser, address: str, gate: Path) -> Iterator[Page]:
    """A tab that may speak to the server only, and in which nothing may go wrong."""
    assert gate.exists()
    with tab(browser, address) as page:
        yield page


@contextmanager
def tab(browser: Browser, address: str) -> Iterator[Page]:
    wrong: list[str] = []
    context = browser.new_context(
        base_url=address, viewport={"width": 1440, "height": 900}, reduced_motion="reduce"
    )

    def watch(request: Request) -> None:
        if not request.url.startswith((address, "data:", "blob:")):
            wrong.append(request.url)

    context.on("request", watch)
    context.on("dialog", lambda dialog: wrong.append(dialog.message))
    context.on("weberror", lambda error: wrong.append(str(error.error)))
    context.on(
        "console", lambda said: wrong.append(said.text) if _is_error(said.text, said.type) else None
    )
    yield context.new_page()
    context.close()
    assert wrong == []


def _is_error(text: str, kind: str) -> bool:
    # The framework's own words when a page is left while its stream is open.
    usual = ("AbortError", "Connection errored out", "502 (Bad Gateway)", "CONNECTION_REFUSED")
    return kind == "error" and not any(part in text for part in usual)


def ask(page: Page, question: str = QUESTION, *, goto: bool = True) -> None:
    if goto:
        page.goto("/")
    page.get_by_label("Research question").fill(question)
    page.get_by_role("button", name="Run research").click()


def picture(page: Page, name: str) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=PICTURES / f"{name}.png")


def assert_fits(page: Page) -> None:
    """No sideways scrolling."""
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_a_question_is_followed_to_its_report(page: Page, gate: Path) -> None:
    gate.unlink()
    ask(page)
    expect(page.get_by_role("log")).to_contain_text("SearchAgent (round 1)")
    gate.touch()
    expect(page).to_have_url(re.compile(r"\?run=[0-9a-f-]{36}$"))
    expect(page.get_by_role("heading", name="Examplol for testitis")).to_be_visible()
    expect(page.locator(".live .pill")).to_have_text("completed")
    expect(page.locator(".live .counts")).to_contain_text("3 records")
    expect(page.locator(".stages .reached")).to_have_count(5)
    picture(page, "report-1440")
    assert_fits(page)


def test_a_citation_opens_title_source_and_text(page: Page) -> None:
    ask(page)
    chip = page.locator(".verdict").get_by_role("button", name=re.compile("^Citation 1:"))
    chip.click()
    source = page.get_by_role("dialog", name="Source 1", exact=True)
    expect(source).to_contain_text("Examplol in testitis: made-up trial")
    expect(source.locator("mark").first).to_contain_text("Examplol significantly improved")
    link = source.get_by_role("link", name="Open the record")
    expect(link).to_have_attribute("href", re.compile(r"^https://pubmed\.ncbi\.nlm\.nih\.gov/99"))
    picture(page, "citation-1440")
    page.keyboard.press("Escape")
    expect(source).to_be_hidden()
    expect(chip).to_be_focused()


def test_a_reload_in_the_middle_takes_the_run_up_again(page: Page, gate: Path) -> None:
    gate.unlink()
    ask(page)
    expect(page.get_by_role("log")).to_contain_text("SearchAgent")
    expect(page.locator(".live .pill")).to_have_text("running")
    expect(page.locator(".stages .now")).to_have_text("Search and grade")
    picture(page, "running-1440")
    page.reload()
    expect(page.locator(".live .pill")).to_have_text("running")
    expect(page.get_by_role("log")).to_contain_text("SearchAgent")
    expect(page.get_by_label("Research question")).to_have_value(QUESTION)
    gate.touch()
    expect(page.get_by_role("heading", name="Examplol for testitis")).to_be_visible()
    expect(page.locator(".live .log .run_started")).to_have_count(1)


def test_a_run_goes_on_without_its_tab_and_is_found_by_its_address(page: Page, gate: Path) -> None:
    gate.unlink()
    ask(page)
    expect(page).to_have_url(re.compile("run="))
    left, context = page.url, page.context
    page.close()
    gate.touch()
    first, second = context.new_page(), context.new_page()
    for tab in (first, second):
        tab.goto(left)
        expect(tab.get_by_role("heading", name="Examplol for testitis")).to_be_visible()
    logs = [tab.locator(".live .log").text_content() for tab in (first, second)]
    assert logs[0] == logs[1]


def test_markup_in_a_record_and_in_the_question_is_inert(page: Page) -> None:
    ask(page, f"{QUESTION} {ATTACK}")
    expect(page.locator(".dc-report")).to_contain_text("<script>document.title")
    expect(page.locator(".live .question")).to_contain_text("<img src=x")
    page.reload()
    expect(page.locator(".dc-report")).to_contain_text("<script>document.title")
    for number in range(page.locator(".source").count()):
        page.evaluate(f"document.getElementById('src-{number + 1}').showPopover()")
    assert page.locator(".dc-report img, .dc-report script, .live img, .live script").count() == 0
    assert page.title() == "DeepCritical"


def test_a_refused_question_is_explained_and_nothing_is_lost(page: Page) -> None:
    ask(page, " ")
    alert = page.get_by_role("alert").filter(has_text="question")
    expect(alert).to_be_visible()
    ask(page)
    expect(page.get_by_role("heading", name="Examplol for testitis")).to_be_visible()
    page.get_by_label("Research question").fill("?!")
    page.get_by_role("button", name="Run research").click()
    expect(alert).to_be_visible()
    expect(page.get_by_role("heading", name="Examplol for testitis")).to_be_visible()


def test_a_question_that_is_not_understood_fails_with_advice(page: Page) -> None:
    ask(page, "xyzzy")
    expect(page.locator(".live .pill")).to_have_text("failed")
    expect(page.locator(".live .problem")).to_be_visible()
    expect(page.locator(".stages .now")).to_have_text("Question")
    expect(page.locator(".stages .reached")).to_have_count(0)
    expect(page.locator(".dc-report")).to_have_count(0)


def test_a_further_question_takes_the_place_of_the_report(page: Page, gate: Path) -> None:
    ask(page)
    expect(page.get_by_role("heading", name="Examplol for testitis")).to_be_visible()
    first = page.url
    gate.unlink()
    page.get_by_label("Research question").fill("What could be repurposed for testitis?")
    page.get_by_role("button", name="Run research").click()
    expect(page.locator(".live .question")).to_have_text("What could be repurposed for testitis?")
    expect(page.locator(".dc-report")).to_have_count(0)
    gate.touch()
    expect(page.locator(".live .pill")).to_have_text("completed")
    expect(page.locator(".dc-report")).to_be_visible()
    assert page.url != first
    page.go_back()
    expect(page.get_by_role("heading", name="Examplol for testitis")).to_be_visible()


def test_an_outage_of_a_moment_does_not_lose_the_run(page: Page, gate: Path) -> None:
    gate.unlink()
    ask(page)
    expect(page.locator(".live .pill")).to_have_text("running")
    page.route("**/api/runs/**", lambda route: route.fulfill(status=502))
    page.reload()
    expect(page.locator(".live .pill")).to_have_text("reconnecting")
    page.unroute("**/api/runs/**")
    expect(page.locator(".live .pill")).to_have_text("running")
    gate.touch()
    expect(page.get_by_role("heading", name="Examplol for testitis")).to_be_visible()


def test_a_server_that_is_stopped_ends_its_runs_and_says_so(
    browser: Browser, tmp_path: Path
) -> None:
    snapshot(tmp_path / "records.jsonl", paper(1))
    with serving(page_server(tmp_path)) as served, tab(browser, served.address) as page:
        ask(page)
        expect(page.get_by_role("log")).to_contain_text("SearchAgent")
        served.process.terminate()
        expect(page.locator(".live .pill")).to_have_text("cancelled")


def test_an_unknown_run_is_explained(page: Page) -> None:
    page.goto("/?run=nobody")
    expect(page.get_by_role("alert").filter(has_text="not known here")).to_be_visible()


def test_an_example_fills_the_question(page: Page) -> None:
    page.goto("/")
    page.get_by_text("Can ivermectin be repurposed for COVID-19?").click()
    expect(page.get_by_label("Research question")).to_have_value(re.compile("ivermectin"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_everything_without_sideways_scrolling(page: Page, scheme: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.goto("/")
    expect(page.get_by_role("button", name="Run research")).to_be_visible()
    picture(page, f"start-390-{scheme}")
    ask(page)
    expect(page.get_by_role("heading", name="Examplol for testitis")).to_be_visible()
    assert_fits(page)
    picture(page, f"report-390-{scheme}")
    live, form = page.locator(".live").bounding_box(), page.locator("textarea").bounding_box()
    assert live
    assert form
    assert live["y"] < form["y"]


def test_each_download_is_the_report(page: Page) -> None:
    ask(page)
    for name, begins in (("HTML", "<!doctype html>"), ("Markdown", "# "), ("JSON", "{")):
        text = downloaded(page, name).read_text(encoding="utf-8")
        assert text.startswith(begins)
        assert "Examplol" in text


def test_what_people_cite_and_print_can_be_downloaded(page: Page) -> None:
    ask(page)
    for name, begins in (
        ("PDF", b"%PDF-"),
        ("BibTeX", b"@article{"),
        ("RIS", b"TY  - JOUR"),
        ("CSL", b"[\n"),
        ("CSV", "\ufeffnumber,id,title,".encode()),
        ("PRISMA", b"<svg "),
        ("Timeline", b"<svg "),
        ("Figure data", b"{\n"),
    ):
        assert downloaded(page, name).read_bytes().startswith(begins), name


def downloaded(page: Page, name: str) -> Path:
    page.get_by_role("tab", name="Downloads").click()
    with page.expect_download() as waiting:
        links = page.get_by_role("group", name="Downloads")
        links.get_by_role("link", name=name, exact=True).click()
    return waiting.value.path()


def test_the_file_works_alone(page: Page, tmp_path: Path) -> None:
    ask(page)
    page.get_by_role("tab", name="Downloads").click()
    with page.expect_download() as waiting:
        page.get_by_role("link", name="HTML").click()
    waiting.value.save_as(tmp_path / "report.html")
    requested: list[str] = []
    assert page.context.browser
    alone = page.context.browser.new_context(offline=True).new_page()
    alone.on("request", lambda request: requested.append(request.url))
    alone.goto((tmp_path / "report.html").as_uri())
    alone.get_by_role("button", name=re.compile("^Citation 1:")).first.click()
    expect(alone.get_by_role("dialog", name="Source 1", exact=True)).to_be_visible()
    assert requested == [(tmp_path / "report.html").as_uri()]
    assert alone.title() == "Examplol for testitis: what the evidence shows"
    alone.context.close()


@pytest.mark.timeout(180)
def test_the_page_answers_from_live_sources(browser: Browser, tmp_path: Path) -> None:
    command = Path(sys.executable).with_name("deepcritical")
    options = ("serve", "--port", "0", "--sources", "pubmed,clinicaltrials,europepmc")
    with (
        world_beside(tmp_path) as site,
        serving([command, *options], site.environment) as served,
        tab(browser, served.address) as page,
    ):
        page.goto("/")
        expect(page.locator(".answering")).to_contain_text("PubMed: searched live")
        page.get_by_label("Quick").check()
        ask(page, goto=False)
        expect(page.get_by_role("heading", name="Examplol for testitis")).to_be_visible(
            timeout=60_000
        )
        for name in ("PubMed", "ClinicalTrials.gov", "Europe PMC"):
            # The steps are folded away once there is a report.
            expect(page.locator(".live .log")).to_contain_text(f"{name} · examplol testitis")
        page.get_by_role("tab", name="Trace").click()
        expect(page.get_by_text("exactly as run").first).to_be_visible()
        picture(page, "live-1440")
        assert_fits(page)
        for faults in site.faults.values():
            assert faults.requests
            faults.on("500")
        ask(page, "Can examplol be repurposed for another testitis?", goto=False)
        expect(page.locator(".live .pill")).to_have_text("failed", timeout=60_000)
        expect(page.locator(".live")).to_contain_text("--snapshot demo")
