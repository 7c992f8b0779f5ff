"""Documents of the user's own on the page: chosen, refused, removed, and read by the next run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FilePayload, Locator, Page, expect

from tests.conftest import QUESTION, paper, snapshot
from tests.databases import fresh_database
from tests.documents import encrypted_pdf, pdf_of
from tests.e2e.pages import ask, assert_fits, browser, open_options, picture, tab
from tests.servers.commands import forked_command
from tests.servers.serving import serving

__all__ = ["browser"]

COMMAND = (forked_command(), "serve", "--port", "0")
NAME = "<img src=x onerror=\"document.title='owned'\">.txt"

PARTS = {
    "methods": "In all, 300 adults with testitis were randomised to examplol or placebo. " * 3,
    "results": "Examplol significantly improved testitis compared with placebo (p = 0.01).",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("own")


@pytest.fixture(scope="module")
def settings(folder: Path) -> Iterator[dict[str, str]]:
    source = snapshot(folder / "records.jsonl", paper(1))
    with fresh_database("any", folder) as url:
        yield {"DATABASE_URL": url, "DEEPCRITICAL_SNAPSHOT": str(source)}


def attached(page: Page) -> Locator:
    return page.get_by_role("group", name="Documents of your own")


def choose(page: Page, *files: Path) -> None:
    attached(page).locator("input.files").set_input_files(files)


@pytest.mark.slow
def test_a_run_reads_what_is_attached(
    browser: Browser, settings: dict[str, str], folder: Path
) -> None:
    paper_of_own = pdf_of(folder, "A made-up trial of our own that stands in no journal", **PARTS)
    note = folder / "note.txt"
    note.write_text("A made-up note\nNothing else.", encoding="utf-8")
    hostile = FilePayload(name=NAME, mimeType="text/plain", buffer=b"A note\nNothing.")
    with serving(COMMAND, settings) as served, tab(browser, served.address, "422") as page:
        page.goto("/")
        open_options(page)
        own = attached(page)
        expect(own.get_by_role("button", name="Attach files")).to_be_visible()
        choose(page, encrypted_pdf(folder))
        expect(own.get_by_role("alert")).to_contain_text("encrypted.pdf is encrypted. Save a copy")
        choose(page, paper_of_own, note)
        expect(own).not_to_contain_text("is read …")
        expect(own.get_by_role("listitem")).to_have_count(2)
        expect(own.get_by_role("alert")).to_be_hidden()
        own.locator("input.files").set_input_files([hostile])
        expect(own.get_by_role("listitem").nth(2)).to_contain_text("<img src=x")
        field = own.get_by_label("PMID, PMCID, DOI or NCT number of a document")
        field.fill("nothing known")
        field.press("Enter")
        expect(own.get_by_role("alert")).to_contain_text("is no PMID")
        field.fill("PMID 99000001")
        own.get_by_role("button", name="Add").click()
        expect(own.get_by_role("listitem")).to_have_count(4)
        own.get_by_role("button", name="Remove note.txt").click()
        expect(own.get_by_role("listitem")).to_have_count(3)
        expect(own).not_to_contain_text("is read …")
        picture(page, "documents-1440")
        assert_fits(page)
        ask(page, QUESTION, goto=False)
        expect(page.locator(".live .pill")).to_have_text("completed")
        open_options(page)
        expect(own).to_be_visible()
        expect(own.get_by_role("listitem")).to_have_count(0)
        expect(page.locator(".dc-report")).to_contain_text("stands in no journal")
        expect(page.locator(".dc-report")).to_contain_text("your documents")
        assert page.title() != "owned"


@pytest.mark.slow
def test_a_public_page_offers_no_files(browser: Browser, settings: dict[str, str]) -> None:
    public = {**settings, "DEEPCRITICAL_PUBLIC": "1"}
    for more, are_taken in (({}, False), ({"DEEPCRITICAL_PUBLIC_DOCUMENTS": "1"}, True)):
        with serving(COMMAND, {**public, **more}) as served, tab(browser, served.address) as page:
            page.goto("/")
            open_options(page)
            files = attached(page).get_by_role("button", name="Attach files")
            expect(attached(page).get_by_role("button", name="Add")).to_be_visible()
            expect(files).to_be_visible() if are_taken else expect(files).to_be_hidden()
