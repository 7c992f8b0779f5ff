"""The choices of the form: a plan first, other sources and limits, an answer, light or dark."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.conftest import QUESTION
from tests.e2e.pages import (
    address,
    ask,
    assert_fits,
    browser,
    folder,
    gate,
    open_options,
    page,
    picture,
    tab,
)
from tests.servers.commands import forked_command
from tests.servers.serving import serving
from tests.servers.world import world_beside

__all__ = ["address", "browser", "folder", "gate", "page"]

COMMAND = forked_command()
PLAN_BUTTON = "Approve and run"


def planned(page: Page, question: str = QUESTION) -> None:
    page.goto("/")
    open_options(page)
    page.get_by_label("Show me the plan first").check()
    ask(page, question, goto=False)
    expect(page.get_by_role("button", name=PLAN_BUTTON)).to_be_visible()


def test_a_plan_is_edited_and_what_was_approved_is_run(page: Page) -> None:
    planned(page)
    expect(page.locator(".plan")).to_contain_text("Understood as: examplol for testitis")
    expect(page.locator(".live")).to_be_hidden()
    searches = page.get_by_label("Searches of the first round")
    first = searches.input_value().splitlines()[0]
    assert first == "examplol testitis"
    picture(page, "plan-1440")
    assert_fits(page)
    page.get_by_label("Other names of examplol").fill("wizardol\n\n  wizardol ")
    searches.fill(f"{first}\nexamplol testitis made-up outcome")
    page.get_by_role("button", name=PLAN_BUTTON).click()
    expect(page.locator(".live .pill")).to_have_text("completed")
    expect(page.locator(".plan")).to_be_hidden()
    log = page.locator(".live .log")
    expect(log).to_contain_text("examplol testitis made-up outcome")
    first_round = page.locator(".live .agent_called").first.locator(".source_searched")
    expect(first_round).to_have_count(2)
    expect(page).to_have_url(re.compile("run="))
    expect(page.locator(".dc-report")).to_contain_text("reviewed")


def test_a_plan_under_review_outlives_a_reload_with_what_was_edited(page: Page) -> None:
    planned(page)
    page.get_by_label("Other names of examplol").fill("wizardol")
    page.get_by_label("Searches of the first round").fill("examplol testitis made-up outcome")
    page.wait_for_function("sessionStorage.deepcritical_plan?.includes('made-up outcome')")
    page.reload()
    approve = page.get_by_role("button", name=PLAN_BUTTON)
    expect(approve).to_be_visible()
    expect(page.locator(".plan")).to_contain_text("Understood as: examplol for testitis")
    expect(page.get_by_label("Your question")).to_have_value(QUESTION)
    expect(page.get_by_label("Other names of examplol")).to_have_value("wizardol")
    approve.click()
    expect(page.locator(".live .pill")).to_have_text("completed")
    log = page.locator(".live .log")
    expect(log).to_contain_text("examplol testitis made-up outcome")
    page.wait_for_function("!sessionStorage.deepcritical_plan")
    page.reload()
    expect(page.locator(".live .pill")).to_have_text("completed")
    expect(page.locator(".plan")).to_be_hidden()


def test_a_plan_that_cannot_be_run_says_what_to_change(page: Page) -> None:
    planned(page)
    searches = page.get_by_label("Searches of the first round")
    alert = page.locator(".plan").get_by_role("alert")
    for written, said in (
        (" \n ", "no search"),
        ("123", "it has no letters"),
        ("long " * 100, "at most 300 characters"),
        ("\n".join(f"examplol {n}" for n in range(41)), "at most 40"),
    ):
        searches.fill(written)
        page.get_by_role("button", name=PLAN_BUTTON).click()
        expect(alert).to_contain_text(said)
        expect(searches).to_have_value(written)
    picture(page, "plan-refused-1440")
    page.locator("#leave").click()
    expect(page.locator(".plan")).to_be_hidden()
    expect(page.locator(".live")).to_be_hidden()


def test_a_phone_shows_the_plan_that_was_asked_for(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    planned(page)
    expect(page.get_by_role("heading", name="The plan")).to_be_in_viewport()
    expect(page.get_by_text("Ask if a drug could treat")).to_be_hidden()
    assert_fits(page)
    picture(page, "plan-390")


def test_a_free_question_is_answered_without_a_plan(page: Page) -> None:
    page.goto("/")
    open_options(page)
    page.get_by_label("Answer", exact=True).check()
    page.get_by_label("Quick").check()
    ask(page, "Does examplol help in testitis?", goto=False)
    expect(page.locator(".live .pill")).to_have_text("completed")
    log = page.locator(".live .log")
    expect(log).to_contain_text("Checklist:")
    expect(log).to_contain_text("Round 1")
    expect(log).to_contain_text("Answer written")


def test_a_limit_beyond_the_servers_is_refused_in_words(page: Page) -> None:
    page.goto("/")
    open_options(page)
    page.get_by_role("button", name="Sources and limits").click()
    expect(page.get_by_text("none to choose")).to_be_visible()
    rounds = page.get_by_label("Rounds, up to")
    for given, said in (
        ("4", "at most 3 is allowed"),
        ("-1", "cannot be -1"),
        ("many", "valid integer"),
    ):
        rounds.fill(given)
        ask(page, goto=False)
        expect(page.get_by_role("alert").filter(has_text=said)).to_be_visible()
    rounds.fill("1")
    ask(page, goto=False)
    expect(page.locator(".live .pill")).to_have_text("completed")
    expect(page.locator(".live .log")).not_to_contain_text("Round 2")


def test_only_the_sources_that_were_chosen_are_searched(browser: Browser, tmp_path: Path) -> None:
    options = ("serve", "--port", "0", "--sources", "pubmed,europepmc")
    with (
        world_beside(tmp_path) as site,
        serving([COMMAND, *options], site.environment) as served,
        tab(browser, served.address) as page,
    ):
        page.goto("/")
        open_options(page)
        expect(page.get_by_label("Quick ≤ 1 min")).to_be_visible()
        expect(page.get_by_label("Standard ≤ 3 min")).to_be_checked()
        page.get_by_role("button", name="Sources and limits").click()
        picture(page, "sources-1440")
        for name in ("PubMed", "Europe PMC"):
            page.get_by_label(name, exact=True).uncheck()
        ask(page, goto=False)
        expect(page.get_by_role("alert").filter(has_text="No source is chosen")).to_be_visible()
        page.get_by_label("Europe PMC", exact=True).check()
        page.get_by_label("Quick").check()
        ask(page, goto=False)
        expect(page.locator(".live .pill")).to_have_text("completed", timeout=60_000)
        log = page.locator(".live .log")
        expect(log).to_contain_text("Europe PMC · ")
        expect(log).not_to_contain_text("PubMed · ")
        first = page.locator(".live .source_searched .took").first
        expect(first).to_have_text(re.compile(r"^\d+\.\d s$"))


def test_the_colours_are_chosen_once_and_the_addresses_are_told(page: Page, address: str) -> None:
    page.goto("/")
    page.get_by_role("button", name="Dark colours").click()
    expect(page.locator("body")).to_have_class(re.compile("dark"))
    page.reload()
    expect(page.get_by_role("button", name="Dark colours")).to_have_attribute(
        "aria-pressed", "true"
    )
    expect(page.locator("body")).to_have_class(re.compile("dark"))
    opener = page.get_by_role("button", name="MCP & API")
    opener.click()
    told = page.get_by_role("dialog", name="MCP and API")
    expect(told).to_contain_text(f"{address}/api/runs")
    expect(told).to_contain_text(f"{address}/mcp")
    picture(page, "addresses-dark-1440")
    page.keyboard.press("Escape")
    expect(told).to_be_hidden()
    expect(opener).to_be_focused()
