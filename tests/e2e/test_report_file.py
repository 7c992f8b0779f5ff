"""The report as one HTML file, opened in a real browser that has no network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from deepcritical.export.html import render_page
from tests.e2e.pages import browser
from tests.e2e.test_page_accessibility import LOOKS, Look, barriers
from tests.unit.export.briefs import brief_report

__all__ = ["browser"]


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    """The file, in which nothing may go wrong."""
    written = tmp_path / "report.html"
    written.write_text(render_page(brief_report()), encoding="utf-8")
    wrong: list[str] = []
    context = browser.new_context(offline=True, viewport={"width": 1280, "height": 800})
    context.on("console", lambda said: wrong.append(said.text))
    context.on("request", lambda request: wrong.append(request.url))
    page = context.new_page()
    page.goto(written.as_uri())
    yield page
    context.close()
    assert wrong == [written.as_uri()]


def test_the_answer_and_its_table_are_on_the_first_screen(page: Page) -> None:
    expect(page.locator(".verdict")).to_be_in_viewport()
    expect(page.get_by_role("table", name="Summary of findings")).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollHeight") < 6 * 800


def test_contents_open_a_part_without_a_script(page: Page) -> None:
    part = page.locator("#part-studies")
    expect(part).to_be_hidden()
    page.get_by_role("navigation", name="Contents").get_by_role("link", name="Studies").click()
    expect(part).to_be_visible()
    expect(part).to_be_in_viewport()


def test_a_citation_opens_its_source(page: Page) -> None:
    page.get_by_role("button", name="Citation 1: Invented 2021").first.click()
    expect(page.get_by_role("dialog", name="Source 1", exact=True)).to_be_visible()


def test_every_part_is_printed(page: Page) -> None:
    expect(page.get_by_text("Rule: One randomised trial")).to_be_hidden()
    page.emulate_media(media="print")
    expect(page.get_by_text("Rule: One randomised trial")).to_be_visible()
    expect(page.get_by_role("navigation", name="Contents")).to_be_hidden()


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: f"{look.scheme}-{look.width}")
def test_it_fits_and_has_no_serious_barrier(page: Page, look: Look) -> None:
    page.emulate_media(color_scheme=look.scheme)
    page.set_viewport_size({"width": look.width, "height": look.height})
    for opened in (False, True):
        if opened:
            for part in page.locator(".fold > summary").all():
                part.click()
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert barriers(page) == []
