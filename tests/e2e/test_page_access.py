"""The page of a server on the network: the browser signs in, and its runs are its user's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, HttpCredentials, expect

from tests.conftest import QUESTION, paper, snapshot
from tests.databases import fresh_database
from tests.e2e.pages import ask, browser, open_options
from tests.servers.commands import forked_command
from tests.servers.serving import Served, serving

__all__ = ["browser"]

COMMAND = (forked_command(), "serve", "--port", "0")
TOKEN = "made-up-token-of-ada"  # noqa: S105 - made up


def asked(context: BrowserContext) -> list[str]:
    """The questions of this browser's runs, once it has asked one by the page."""
    page = context.new_page()
    page.set_default_timeout(60_000)
    ask(page, QUESTION)
    expect(page.locator(".live .pill")).to_have_text("completed", timeout=60_000)
    listed = context.request.get("/api/runs").json()["runs"]
    return [run["question"] for run in listed]


@pytest.fixture
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Served]:
    records = str(snapshot(tmp_path / "records.jsonl", paper(1), paper(2)))
    with (
        fresh_database("any", tmp_path) as url,
        serving(
            COMMAND, {"DATABASE_URL": url, "DEEPCRITICAL_SNAPSHOT": records, **request.param}
        ) as served,
    ):
        yield served


@pytest.mark.parametrize("site", [{"DEEPCRITICAL_TOKENS": f"ada:{TOKEN}"}], indirect=True)
def test_with_the_token_as_password_the_page_works(browser: Browser, site: Served) -> None:
    login: HttpCredentials = {"username": "anybody", "password": TOKEN, "send": "always"}
    context = browser.new_context(base_url=site.address, http_credentials=login)
    assert asked(context) == [QUESTION]
    context.close()
    stranger = browser.new_context(base_url=site.address)
    assert stranger.request.get("/").status == 401
    stranger.close()


@pytest.mark.parametrize("site", [{"DEEPCRITICAL_TOKENS": f"ada:{TOKEN}"}], indirect=True)
def test_a_stranger_reads_a_private_run_by_its_link_and_asks_nothing(
    browser: Browser, site: Served
) -> None:
    login: HttpCredentials = {"username": "anybody", "password": TOKEN, "send": "always"}
    context = browser.new_context(base_url=site.address, http_credentials=login)
    assert asked(context) == [QUESTION]
    (page,) = context.pages
    page.get_by_role("button", name="Share").click()
    field = page.get_by_label("Whoever has this link can read the run")
    expect(field).to_have_value(re.compile(rf"{re.escape(site.address)}/\?run=.+&share=.+"))
    link = field.input_value()
    context.close()
    context = browser.new_context(base_url=site.address)
    reader = context.new_page()
    reader.goto(link)
    expect(reader.locator(".live .pill")).to_have_text("completed", timeout=60_000)
    expect(reader.locator(".results")).to_contain_text("What the evidence shows", ignore_case=True)
    expect(reader.get_by_role("button", name="Share")).to_be_hidden()
    run_id = parse_qs(urlsplit(link).query)["run"][0]
    assert context.request.get(f"/api/runs/{run_id}/export/md").status == 200
    ask(reader, QUESTION, goto=False)
    expect(reader.get_by_role("alert").filter(has_text="needs a token").first).to_be_visible()
    context.close()


@pytest.mark.parametrize("site", [{"DEEPCRITICAL_PUBLIC": "1"}], indirect=True)
def test_in_public_each_browser_has_its_own_runs(browser: Browser, site: Served) -> None:
    context, other = (browser.new_context(base_url=site.address) for _ in range(2))
    assert asked(context) == [QUESTION]
    other.new_page().goto("/")
    assert other.request.get("/api/runs").json()["runs"] == []
    (cookie,) = context.cookies()
    assert cookie["httpOnly"] is True
    assert re.fullmatch(r"anonymous-[\w-]{43}", cookie["value"])
    context.close()
    other.close()


@pytest.mark.parametrize(
    "site", [{"DEEPCRITICAL_PUBLIC": "1", "DEEPCRITICAL_PUBLIC_RUNS_PER_HOUR": "1"}], indirect=True
)
def test_a_plan_counts_as_a_run_each_time_it_is_approved(browser: Browser, site: Served) -> None:
    context = browser.new_context(base_url=site.address)
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto("/")
    open_options(page)
    page.get_by_label("Show me the plan first").check()
    approve = page.get_by_role("button", name="Approve and run")
    for _ in range(2):
        ask(page, QUESTION, goto=False)
        expect(approve).to_be_visible(timeout=60_000)
        approve.click()
        expect(page.locator(".live .pill")).to_have_text("completed", timeout=60_000)
    expect(page.locator(".plan").get_by_role("alert")).to_contain_text("runs")
    assert len(context.request.get("/api/runs").json()["runs"]) == 1
    context.close()


@pytest.mark.parametrize("site", [{"DEEPCRITICAL_PUBLIC": "1"}], indirect=True)
def test_a_browser_that_keeps_no_cookie_has_its_chat(browser: Browser, site: Served) -> None:
    context = browser.new_context(base_url=site.address)
    # As within a page of another site, where some browsers keep none.
    context.add_init_script(
        "const own = window.fetch;"
        "window.fetch = (at, how) => own(at, { ...how, credentials: 'omit' });"
    )
    page = context.new_page()
    page.goto("/")
    for number in (1, 2):
        field = page.get_by_label("Your question")
        field.fill("PMID 26858121")
        field.press("Enter")
        expect(page.get_by_role("log", name="Thread").locator(".answer")).to_have_count(number)
    context.close()
