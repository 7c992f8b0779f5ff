"""The first view: where the answer stands, how it is reached, and its weight on the network."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.e2e.pages import ask, assert_fits, browser, picture, tab, unfold
from tests.servers.commands import forked_command
from tests.servers.serving import get, post, serving

__all__ = ["browser"]

QUESTION = "Can metformin be repurposed for Alzheimer's disease?"
WIDE, PHONE = ViewportSize(width=1280, height=800), ViewportSize(width=390, height=844)
SAMPLE, REPORT = ".sample .first .answer", "#panel-report .first .answer"
MOST_STOPS = 8
MOST_REQUESTS = 40
WITHIN = "(inside) => Boolean(document.activeElement.closest(inside))"
CUT = """() => [...document.querySelectorAll(".results .scroll")]
    .filter((one) => one.offsetParent && one.scrollWidth > one.clientWidth)
    .map((one) => one.getAttribute("aria-label"))"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    command = (forked_command(), "serve", "--port", "0", "--snapshot", "demo")
    with serving(command) as served:
        yield served.address


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with tab(browser, address) as page:
        yield page


@pytest.fixture(scope="module")
def report(address: str) -> str:
    """The path of a report that is there."""
    body = {"tool": "research", "question": QUESTION}
    made = post(f"{address}/api/runs", json=body).raise_for_status().json()["id"]
    get(f"{address}/api/runs/{made}/events")
    return f"/?run={made}"


def top_of(page: Page, selector: str) -> float:
    """Pixels between the top of the window and where the element begins."""
    expect(page.locator(selector)).to_be_visible()
    box = page.locator(selector).bounding_box()
    assert box
    return box["y"]


@pytest.mark.parametrize(("size", "most"), [(WIDE, 400), (PHONE, 700)], ids=["wide", "phone"])
def test_the_first_sentence_of_an_answer_is_in_sight(
    page: Page, size: ViewportSize, most: int
) -> None:
    page.set_viewport_size(size)
    page.goto("/")
    assert top_of(page, SAMPLE) < most
    assert_fits(page)
    picture(page, f"first-{size['width']}")
    ask(page, QUESTION, goto=False)
    expect(page.locator(".live .pill")).to_have_text("completed")
    assert top_of(page, REPORT) < most
    assert_fits(page)
    picture(page, f"finished-{size['width']}")


def test_the_first_view_takes_few_requests(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/")
    expect(page.locator(SAMPLE)).to_be_visible()
    expect(page.locator(".answering")).to_be_visible()
    assert len(asked) <= MOST_REQUESTS


def test_a_part_stands_beside_the_report_and_over_the_page_on_a_phone(
    page: Page, report: str
) -> None:
    page.set_viewport_size(WIDE)
    page.goto(report)
    page.get_by_role("tab", name="Studies").click()
    whole, part = page.locator("#panel-report"), page.locator("#panel-studies")
    expect(part.get_by_role("table").first).to_be_visible()
    left, right = whole.bounding_box(), part.bounding_box()
    assert left
    assert right
    assert left["x"] + left["width"] <= right["x"]
    assert_fits(page)
    sheet = page.get_by_role("dialog", name="Studies")
    expect(sheet).to_have_count(0)
    page.get_by_label("Your question").focus()
    assert page.evaluate(WITHIN, "#question")
    page.set_viewport_size(PHONE)
    expect(sheet).to_have_attribute("aria-modal", "true")
    expect(part).to_be_visible()
    assert_fits(page)
    page.set_viewport_size(WIDE)
    expect(sheet).to_have_count(0)
    page.get_by_role("button", name="Close the panel").click()
    expect(part).to_be_hidden()
    expect(page.get_by_role("tab", name="Report")).to_be_focused()


def test_nothing_but_a_sheet_is_in_reach_until_it_is_shut(page: Page, report: str) -> None:
    page.set_viewport_size(PHONE)
    page.goto(report)
    studies, sheet = page.locator("#tab-studies"), page.get_by_role("dialog", name="Studies")
    studies.click()
    expect(page.get_by_role("button", name="Close the panel")).to_be_focused()
    page.locator("#question textarea").evaluate("(field) => field.focus()")
    assert page.evaluate(WITHIN, ".sheet")
    page.mouse.move(100, 20)
    page.mouse.wheel(0, 500)
    page.wait_for_timeout(200)
    assert page.evaluate("window.scrollY") == 0
    sheet.get_by_role("button", name=re.compile("^Citation")).first.click()
    card = page.locator(".source:popover-open")
    card.get_by_role("button", name="Close").click()
    expect(card).to_have_count(0)
    page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)
    expect(studies).to_be_focused()
    studies.click()
    page.get_by_role("button", name="Close the panel").click()
    expect(studies).to_be_focused()
    studies.click()
    page.mouse.click(100, 20)
    expect(sheet).to_have_count(0)
    expect(page.get_by_role("tab", name="Report")).to_have_attribute("aria-selected", "true")
    page.reload()
    expect(page.locator(REPORT)).to_be_visible()
    expect(page).not_to_have_url(re.compile("#"))


def test_no_column_of_a_table_is_cut(page: Page, report: str) -> None:
    page.set_viewport_size(WIDE)
    page.goto(report)
    unfold(page)
    assert page.evaluate(CUT) == []
    for name in ("Studies", "Evidence", "Mechanism", "Trials"):
        page.get_by_role("tab", name=name).click()
        expect(page.locator(f"#panel-{name.lower()} table").first).to_be_visible()
        assert page.evaluate(CUT) == []
    # In the narrow panel rows are cards, with room for the name of each cell beside it.
    page.get_by_role("tab", name="Evidence").click()
    cell = page.locator("#panel-evidence [data-label=Level]").first
    expect(cell).to_be_visible()
    assert cell.evaluate("(one) => parseFloat(getComputedStyle(one).paddingLeft)") > 90


def test_the_answer_is_few_stops_of_the_keyboard_away(page: Page, report: str) -> None:
    page.goto("/")
    expect(page.locator(SAMPLE)).to_be_visible()
    assert stops_to(page, ".sample") <= MOST_STOPS
    page.goto(report)
    expect(page.locator(REPORT)).to_be_visible()
    assert stops_to(page, "#panel-report") <= MOST_STOPS
    page.reload()
    expect(page.locator(REPORT)).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the answer")).to_be_focused()
    page.keyboard.press("Enter")
    assert page.evaluate(WITHIN, "#answer")
    page.keyboard.press("Tab")
    expect(page.get_by_role("tab", name="Report")).to_be_focused()


def stops_to(page: Page, inside: str) -> int:
    """Count the presses of Tab from the top of the page until the focus is inside."""
    for pressed in range(1, 50):
        page.keyboard.press("Tab")
        if page.evaluate(WITHIN, inside):
            return pressed
    raise AssertionError(f"{inside} is not reached")


@pytest.mark.slow
def test_answers_are_compressed_and_files_with_a_hash_are_kept(address: str) -> None:
    with httpx.Client(base_url=address, headers={"Accept-Encoding": "gzip"}, timeout=60) as client:
        first = client.get("/")
        assert first.headers["content-encoding"] == "gzip"
        assert "immutable" not in first.headers.get("cache-control", "")
        script = re.search(r"/?assets/[\w.-]+\.js", first.text)
        assert script
        kept = client.get("/" + script[0].removeprefix("/"))
        assert kept.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert "immutable" not in client.get("/assets/none-12345678.js").headers.get(
            "cache-control", ""
        )
        run = client.post("/api/runs", json={"tool": "research", "question": QUESTION}).json()
        with client.stream("GET", run["links"]["events"]) as events:
            assert "content-encoding" not in events.headers
            assert events.read()
