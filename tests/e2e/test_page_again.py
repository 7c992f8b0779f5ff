"""A question that is asked again, what is new then, and two runs side by side."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.conftest import QUESTION, paper, snapshot
from tests.e2e.pages import assert_fits, browser, page_server, picture, tab
from tests.e2e.test_page_accessibility import check
from tests.servers.serving import get, post, serving

__all__ = ["browser"]

NULL = paper(
    2,
    text=(
        "Design: Randomised placebo-controlled trial in 40 patients with testitis. "
        "Results: Examplol did not improve testitis symptoms compared with placebo (p = 0.6)."
    ),
)
OTHER = "Can examplol be repurposed for mockitis?"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """A server, and a run of a former one, when there were other records."""
    folder: Path = tmp_path_factory.mktemp("again")
    (folder / "open").touch()
    snapshot(folder / "records.jsonl", paper(1), paper(3))
    with serving(page_server(folder, "1")) as one:
        former = _asked(one.address, QUESTION)
    snapshot(folder / "records.jsonl", paper(1), NULL)
    with serving(page_server(folder, "1")) as one:
        yield one.address, former


def _asked(address: str, question: str) -> str:
    """The id of a run that has ended."""
    body = {"tool": "research", "question": question}
    run_id = post(f"{address}/api/runs", json=body).raise_for_status().json()["id"]
    get(f"{address}/api/runs/{run_id}/events")
    return str(run_id)


@pytest.fixture
def page(browser: Browser, served: tuple[str, str]) -> Iterator[Page]:
    with tab(browser, served[0]) as page:
        yield page


def _again(page: Page, former: str) -> None:
    """Ask a finished run's question again, and wait for the new report."""
    page.goto(f"/?run={former}")
    page.get_by_text("Ask again or compare").click()
    page.get_by_role("button", name="Ask again").click()
    expect(page).not_to_have_url(re.compile(former))
    expect(page.locator(".live .pill")).to_have_text("completed")
    expect(page.get_by_role("heading", name="Examplol for testitis")).to_be_visible()


def test_a_run_that_is_asked_again_tells_what_is_new(page: Page, served: tuple[str, str]) -> None:
    _, former = served
    _again(page, former)
    news = page.get_by_role("region", name="What is new since")
    expect(news).to_contain_text("The verdict changed from promising")
    expect(news).to_contain_text("New studies: 1")
    expect(news).to_contain_text("no difference shown")
    expect(news).to_contain_text("Studies that are gone: 1")
    news.get_by_role("button", name=re.compile("^Citation")).first.click()
    expect(page.locator(":popover-open")).to_contain_text("made-up trial 2")
    page.keyboard.press("Escape")
    assert_fits(page)
    above = news.bounding_box()
    heading = page.get_by_role("heading", name="Examplol for testitis").bounding_box()
    assert above is not None
    assert heading is not None
    assert above["y"] < heading["y"]
    picture(page, "news-1440")
    news.get_by_role("link", name=QUESTION).click()
    expect(page).to_have_url(re.compile(former))
    expect(page.get_by_role("heading", name="Examplol for testitis")).to_be_visible()
    expect(news).to_have_count(0)


def test_what_is_new_has_no_barrier(page: Page, served: tuple[str, str]) -> None:
    _again(page, served[1])
    expect(page.get_by_role("region", name="What is new since")).to_be_visible()
    page.locator(".versus summary").click()
    expect(page.locator(".versus a").first).to_be_visible()
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert_fits(page)
        picture(page, f"versus-{width}")
    check(page)


def test_two_runs_are_read_side_by_side_without_script(
    browser: Browser, served: tuple[str, str]
) -> None:
    address, former = served
    now = _asked(address, QUESTION)
    page = browser.new_page(java_script_enabled=False)
    page.goto(f"{address}/compare?a={former}&b={now}")
    expect(page.get_by_role("heading", level=1)).to_have_text("Two runs side by side")
    for name in ("A", "B"):
        expect(page.get_by_role("region", name=f"{name} {QUESTION}")).to_be_visible()
    row = page.get_by_role("row", name=re.compile("^Symptom burden"))
    expect(row).to_contain_text("changed")
    expect(page.get_by_role("region", name="Only in run A: 1")).to_contain_text("Invented3")
    expect(page.get_by_role("region", name="Only in run B: 1")).to_contain_text("Invented2")
    expect(page.get_by_text("1 study is in both runs.")).to_be_visible()
    for width in (1440, 1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        picture(page, f"compare-{width}")
    page.get_by_role("link", name="Open run A").click()
    assert page.url.endswith(f"/?run={former}")
    page.close()


def test_two_runs_are_compared_from_the_thread(page: Page, served: tuple[str, str]) -> None:
    address, former = served
    _asked(address, OTHER)
    page.goto(f"/?run={former}")
    page.get_by_text("Ask again or compare").click()
    link = page.locator(".versus").get_by_role("link", name=OTHER).first
    expect(link).to_be_visible()
    link.click()
    expect(page.get_by_role("region", name=f"A {OTHER}")).to_be_visible()
    expect(page.get_by_role("region", name=f"B {QUESTION}")).to_be_visible()
    check(page)


def test_a_run_that_is_not_there_is_compared_with_none(served: tuple[str, str]) -> None:
    address, former = served
    missing = get(f"{address}/r/no-such-run")
    for pair in (f"a={former}&b=no-such-run", f"a=no-such-run&b={former}"):
        answer = get(f"{address}/compare?{pair}")
        assert answer.json() == missing.json()
        assert answer.status_code == 404
