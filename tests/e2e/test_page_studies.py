"""The studies of a report on the page: what counts, and the verdict on what is left."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.conftest import DEMO_QUESTION
from tests.e2e.pages import assert_fits, browser, picture, tab
from tests.servers.commands import forked_command
from tests.servers.serving import get, post, serving

__all__ = ["browser"]

FIELDS = """(card) => [...card.cells].map((cell) => getComputedStyle(cell, "::before").content)
    .filter((told) => told !== "none").map((told) => told.slice(1, -1))"""
"""The names that a browser prints before the fields of a card."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving((forked_command(), "serve", "--port", "0")) as served:
        yield served.address


@pytest.fixture(scope="module")
def run_id(address: str) -> str:
    body = {"tool": "research", "question": DEMO_QUESTION}
    made = post(f"{address}/api/runs", json=body).raise_for_status().json()["id"]
    get(f"{address}/api/runs/{made}/events")
    return str(made)


@pytest.fixture
def page(browser: Browser, address: str, run_id: str) -> Iterator[Page]:
    with tab(browser, address) as page:
        page.goto(f"/?run={run_id}#studies")
        expect(page.locator("#panel-studies .verdict")).to_be_visible()
        yield page


def test_a_study_that_is_left_out_changes_the_verdict(page: Page) -> None:
    panel = page.locator("#panel-studies")
    verdict, told = panel.locator(".verdict"), panel.get_by_role("status")
    before, rows = verdict.inner_text(), panel.get_by_role("row", name=re.compile("decides$"))
    # Without either trial that decides, only studies without randomisation are left.
    names = [one.get_attribute("aria-label") or "" for one in rows.get_by_role("checkbox").all()]
    for name in names:
        box = panel.get_by_role("checkbox", name=name, exact=True)
        box.uncheck()
        expect(box).to_be_focused()
    expect(told).to_contain_text("With all studies it is")
    expect(verdict).not_to_have_text(before)
    after = verdict.inner_text()
    assert_fits(page)
    picture(page, "studies-left-out")
    assert "without=" in page.url
    page.reload()
    expect(verdict).to_have_text(after)
    panel.get_by_role("button", name="Put all back").click()
    expect(verdict).to_have_text(before)
    assert "without=" not in page.url


def test_what_the_verdict_would_be_without_a_study_is_told(page: Page) -> None:
    panel = page.locator("#panel-studies")
    hinge = panel.locator(".hinge").first
    line = " ".join(hinge.inner_text().split())
    told = re.search(r"Without (\D+ \d{4}).* would be ([\w ]+), ([\w ]+) certainty", line)
    assert told, line
    panel.get_by_role("checkbox", name=f"Include {told[1]}", exact=True).uncheck()
    expect(panel.get_by_role("status")).to_contain_text("With all studies it is")
    expect(panel.locator(".verdict")).to_contain_text(told[2].capitalize())
    expect(panel.locator(".verdict")).to_contain_text(f"{told[3]} certainty")
    expect(panel.get_by_text(f"Without {told[1]}")).to_have_count(0)


def test_where_studies_have_little_room_each_field_is_named(page: Page) -> None:
    cards = page.locator("#panel-studies table[aria-label='Studies'] tbody tr")
    named = ["Included", "Design", "People", "Result", "In the verdict"]
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        for card in (cards.first, cards.last):
            assert card.evaluate(FIELDS) == named, width  # the title names itself
        assert_fits(page)


def test_the_verdict_is_drawn_from_trials_alone(page: Page, address: str, run_id: str) -> None:
    panel = page.locator("#panel-studies")
    panel.get_by_role("combobox").select_option("randomised")
    expect(panel.get_by_role("status")).to_contain_text("With all studies it is")
    expect(panel.get_by_role("combobox")).to_be_focused()
    assert "only=randomised" in page.url
    shown = f"{address}/api/runs/{run_id}/views/studies"
    assert httpx.get(f"{shown}?only=guessed", trust_env=False).status_code == 422
    assert "With all studies" not in httpx.get(shown, trust_env=False).text


def test_the_people_asked_about_are_a_choice_that_the_address_keeps(page: Page) -> None:
    panel = page.locator("#panel-studies")
    panel.get_by_role("combobox").select_option("direct")
    expect(panel.get_by_role("status")).to_contain_text("With all studies it is")
    verdict = panel.locator(".verdict").inner_text()
    page.reload()
    expect(panel.get_by_role("combobox")).to_have_value("direct")
    expect(panel.locator(".verdict")).to_have_text(verdict)


def test_what_is_shown_of_a_table_can_be_saved(page: Page) -> None:
    panel = page.locator("#panel-studies")
    panel.get_by_role("checkbox").first.uncheck()
    expect(panel.get_by_role("status")).to_contain_text("With all studies it is")
    assert [row[0] for row in saved(panel)[1:3]] == ["false", "true"]
    page.get_by_role("tab", name="Evidence").click()
    evidence = page.locator("#panel-evidence")
    evidence.get_by_label("Level").select_option("2")
    shown = int(evidence.locator(".shown").inner_text().split()[0])
    assert len(saved(evidence)) == shown + 1


def saved(panel: Locator) -> list[list[str]]:
    """The lines of the file that a table is saved as."""
    with panel.page.expect_download() as download:
        panel.get_by_role("button", name="Save").click()
    assert download.value.suggested_filename.endswith(".csv")
    return list(csv.reader(download.value.path().read_text("utf-8-sig").splitlines()))
