"""A user's runs on the page: stopped, resumed, waiting, listed, found again, offered again."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from deepcritical.services.storage.database import Database
from deepcritical.services.storage.database_url import normalised_url
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from tests.conftest import QUESTION, paper, snapshot
from tests.e2e.pages import (
    ATTACK,
    RECORDS,
    ask,
    assert_fits,
    assert_fits_in_both,
    browser,
    folder,
    gate,
    open_options,
    page,
    page_server,
    picture,
    tab,
)
from tests.servers.serving import serving

__all__ = ["browser", "folder", "gate", "page"]

OTHER = "What could be repurposed for testitis?"
FOLLOWED = """() => performance.getEntriesByType("resource")
    .filter((one) => one.name.includes("/events")).length"""


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    """A server that keeps its runs, and conducts one at once."""
    with serving(page_server(folder, "1")) as served:
        yield served.address


def pill(page: Page) -> Locator:
    return page.locator(".live .pill")


def under_way(page: Page, question: str = QUESTION) -> None:
    ask(page, question)
    expect(page.get_by_role("log")).to_contain_text("Understood as")


def done(page: Page) -> None:
    expect(pill(page)).to_have_text("completed")


def listed(page: Page) -> Locator:
    return page.locator(".runs li a")


def act(page: Page, name: str) -> Locator:
    return page.get_by_role("group", name="This run").get_by_role("button", name=name, exact=True)


def test_a_run_is_stopped_and_resumed_by_its_owner(page: Page, gate: Path) -> None:
    gate.unlink()
    under_way(page)
    expect(page.get_by_role("log")).to_contain_text("Round 1")
    act(page, "Stop").click()
    expect(pill(page)).to_have_text("cancelled")
    expect(act(page, "Stop")).to_be_hidden()
    expect(page.locator(".runs li").first).to_contain_text("cancelled")
    picture(page, "cancelled-1440")
    gate.touch()
    act(page, "Resume").click()
    done(page)
    expect(page.get_by_role("heading", name="Examplol for testitis")).to_be_visible()
    expect(page.locator(".live .log")).not_to_contain_text("Cancelled")


def test_a_run_that_is_told_to_write_now_ends_with_a_report(page: Page, gate: Path) -> None:
    gate.unlink()
    under_way(page)
    act(page, "Stop and write now").click()
    expect(page.locator(".live .waiting")).to_contain_text("then writing the report")
    gate.touch()
    done(page)
    expect(page.locator(".live .log")).to_contain_text("user stop")
    expect(page.locator(".live .waiting")).to_be_hidden()
    expect(page.get_by_role("heading", name="Examplol for testitis")).to_be_visible()


def test_a_run_that_waits_says_for_how_many(page: Page, gate: Path) -> None:
    gate.unlink()
    under_way(page)
    second = page.context.new_page()
    ask(second, OTHER)
    expect(pill(second)).to_have_text("waiting")
    expect(second.locator(".live .waiting")).to_contain_text("number 1 in the queue")
    picture(second, "waiting-1440")
    act(second, "Stop and write now").click()
    for _ in range(2):
        # By the second time the page has drawn what it was told the first time.
        with second.expect_response(re.compile(r"/api/runs/[0-9a-f-]{36}$")):
            pass
    expect(second.locator(".live .waiting")).to_contain_text("then writing the report")
    gate.touch()
    done(page)
    done(second)
    expect(second.locator(".live .waiting")).to_be_hidden()


def test_two_tabs_follow_one_run_and_tell_the_same(page: Page, gate: Path) -> None:
    gate.unlink()
    under_way(page)
    expect(page).to_have_url(re.compile("run="))
    second = page.context.new_page()
    second.goto(page.url)
    expect(second.get_by_role("log")).to_contain_text("Round 1")
    expect(act(second, "Stop")).to_be_visible()
    gate.touch()
    for one in (page, second):
        done(one)
        expect(one.get_by_role("heading", name="Examplol for testitis")).to_be_visible()
    logs = [one.locator(".live .log").text_content() for one in (page, second)]
    assert logs[0] == logs[1]


def test_a_hidden_tab_holds_no_connection_and_catches_up(page: Page, gate: Path) -> None:
    def shown(hidden: str) -> None:
        page.evaluate(
            f"""() => {{ Object.defineProperty(document, "hidden", {{ value: {hidden},
            configurable: true }}); document.dispatchEvent(new Event("visibilitychange")); }}"""
        )

    gate.unlink()
    under_way(page)
    run = page.url.partition("run=")[2]
    shown("true")
    gate.touch()
    answer = page.context.request.get(f"/api/runs/{run}/events")
    assert "run_completed" in answer.text()
    expect(pill(page)).to_have_text("running")
    before = page.evaluate(FOLLOWED)
    shown("false")
    done(page)
    assert page.evaluate(FOLLOWED) == before + 1
    expect(page.get_by_role("heading", name="Examplol for testitis")).to_be_visible()


def test_each_query_is_a_step_with_its_source_and_outcome(page: Page) -> None:
    ask(page)
    done(page)
    page.get_by_text("Show steps").click()
    search = page.locator(".live .agent_called").first
    expect(search.locator("summary").first).to_contain_text(re.compile(r"\d+ queries · 3 new"))
    titles = search.locator(".studies_read .read .text")
    expect(titles).not_to_have_count(0)
    expect(titles.first).to_contain_text("Examplol")
    search.locator("summary").first.click()
    query = search.locator(".source_searched").first
    expect(query).to_contain_text("snapshot records · examplol testitis")
    expect(query).to_contain_text("3 records, 3 new")
    expect(query.get_by_role("img", name="found", exact=True)).to_be_visible()
    query.locator("summary").click()
    expect(query.locator("code")).to_contain_text("examplol")
    picture(page, "steps-1440")
    assert_fits(page)


def test_own_runs_are_searched_opened_and_deleted(page: Page) -> None:
    ask(page, OTHER)
    done(page)
    ask(page)
    done(page)
    expect(listed(page).first).to_have_text(QUESTION)
    expect(listed(page).first).to_have_attribute("aria-current", "page")
    page.get_by_label("Search your runs").fill("WHAT testitis")
    expect(listed(page).first).to_have_text(OTHER)
    expect(listed(page).filter(has_text=QUESTION)).to_have_count(0)
    page.evaluate("window.same = true")
    listed(page).first.click()
    expect(page.locator(".live .question")).to_have_text(OTHER)
    expect(page.get_by_label("Your question")).to_have_value(OTHER)
    done(page)
    page.go_back()
    expect(page.locator(".live .question")).to_have_text(QUESTION)
    expect(page.get_by_role("heading", name="Examplol for testitis")).to_be_visible()
    page.go_forward()
    expect(page.locator(".live .question")).to_have_text(OTHER)
    assert page.evaluate("window.same"), "the page was loaded anew"
    left = listed(page).count()
    page.get_by_role("button", name=f"Delete: {OTHER}").first.click()
    sure = page.get_by_role("group", name="Delete this run?")
    picture(page, "delete-1440")
    sure.get_by_role("button", name="Keep").click()
    expect(listed(page)).to_have_count(left)
    run = page.url.partition("run=")[2]
    page.get_by_role("button", name=f"Delete: {OTHER}").first.click()
    sure.get_by_role("button", name="Delete").click()
    expect(page).not_to_have_url(re.compile("run="))
    assert page.context.request.get(f"/api/runs/{run}").status == 404


def test_a_run_that_is_opened_takes_the_place_of_a_plan(page: Page) -> None:
    ask(page, OTHER)
    done(page)
    page.goto("/")
    open_options(page)
    page.get_by_label("Show me the plan first").check()
    ask(page, goto=False)
    expect(page.get_by_role("heading", name="The plan")).to_be_visible()
    listed(page).first.click()
    expect(page.locator(".live .question")).to_have_text(OTHER)
    expect(page.locator(".plan")).to_be_hidden()


async def keep(file: Path, count: int) -> None:
    traces = ToolTraceService(Database(normalised_url(f"sqlite:///{file}")))
    for number in range(count):
        trace = await traces.create_trace("research", {"question": f"{QUESTION} {number}"})
        await traces.cancel_trace(trace.id)
    await traces.close()


def test_every_run_is_listed_however_many_there_are(browser: Browser, tmp_path: Path) -> None:
    snapshot(tmp_path / "records.jsonl", *RECORDS)
    with ThreadPoolExecutor() as apart:  # the browser has the loop of this thread
        apart.submit(asyncio.run, keep(tmp_path / "runs.sqlite", 105)).result()
    with serving(page_server(tmp_path, "1")) as served, tab(browser, served.address) as page:
        page.goto("/")
        older = page.get_by_role("button", name="Older runs")
        for count in (10, 40, 70, 100):
            expect(listed(page)).to_have_count(count)
            older.click()
        expect(listed(page)).to_have_count(105)
        expect(listed(page).last).to_have_text(f"{QUESTION} 0")
        expect(older).to_be_hidden()
        page.get_by_label("Search your runs").fill("104")
        expect(listed(page)).to_have_text([f"{QUESTION} 104"])


def test_a_former_run_of_the_same_question_is_offered_and_not_put_in_its_place(page: Page) -> None:
    ask(page)
    done(page)
    first = page.url
    page.goto("/")
    page.get_by_label("Your question").fill("Could examplol be repurposed for testitis?")
    page.get_by_label("Your question").blur()
    offer = page.get_by_role("status", name="Former runs")
    expect(offer).to_contain_text("less than a minute ago")
    expect(offer).to_contain_text("No new records")
    expect(offer).to_contain_text("or run again")
    picture(page, "similar-1440")
    page.get_by_role("button", name="Ask", exact=True).click()
    done(page)
    assert page.url != first
    # The run that is shown is no offer.
    page.get_by_label("Your question").focus()
    page.get_by_label("Your question").blur()
    expect(offer).to_have_count(0)
    page.get_by_label("Your question").fill(QUESTION)
    page.get_by_label("Your question").blur()
    offer.get_by_role("link", name=QUESTION).first.click()
    expect(page.locator(".live .question")).to_have_text(QUESTION)
    done(page)


def test_a_question_with_markup_is_inert_wherever_it_is_listed(page: Page) -> None:
    asked = f"{QUESTION} {ATTACK}"
    ask(page, asked)
    done(page)
    expect(listed(page).first).to_contain_text("<img src=x")
    page.get_by_role("button", name="Delete: ").first.click()
    page.goto("/")
    page.get_by_label("Your question").fill(asked)
    page.get_by_label("Your question").blur()
    expect(page.get_by_role("status", name="Former runs")).to_contain_text("<img src=x")
    assert page.locator(".runs img, .runs script, .similar img, .similar script").count() == 0
    assert page.title() == "DeepCritical"


def test_runs_outlive_the_server_and_are_listed_by_the_next_one(
    browser: Browser, tmp_path: Path
) -> None:
    snapshot(tmp_path / "records.jsonl", *RECORDS)
    gate = tmp_path / "open"
    gate.touch()
    with serving(page_server(tmp_path, "1")) as served, tab(browser, served.address) as page:
        ask(page)
        done(page)
        gate.unlink()
        under_way(page, OTHER)
    gate.touch()
    with serving(page_server(tmp_path, "1")) as served, tab(browser, served.address) as page:
        page.goto("/")
        expect(listed(page)).to_have_text([OTHER, QUESTION])
        listed(page).nth(0).click()
        done(page)
        expect(page.locator(".runs .note.completed")).to_have_count(2)


def test_a_phone_shows_a_run_with_its_steps(page: Page, gate: Path) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    gate.unlink()
    under_way(page)
    expect(act(page, "Stop")).to_be_visible()
    assert_fits_in_both(page, "running-390")
    gate.touch()
    done(page)
    page.get_by_text("Show steps").click()
    assert_fits_in_both(page, "steps-390")


def test_a_server_without_a_database_says_that_it_lists_nothing(
    browser: Browser, tmp_path: Path
) -> None:
    snapshot(tmp_path / "records.jsonl", paper(1))
    with serving(page_server(tmp_path)) as served, tab(browser, served.address) as page:
        page.goto("/")
        expect(page.get_by_text("This server keeps no runs")).to_be_visible()
