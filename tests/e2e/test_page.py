"""The page, from a question to its report, and what comes between."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.conftest import QUESTION, paper, snapshot
from tests.e2e.pages import (
    ATTACK,
    address,
    ask,
    assert_fits,
    assert_fits_in_both,
    browser,
    fail,
    folder,
    gate,
    open_options,
    page,
    page_server,
    picture,
    tab,
)
from tests.servers.commands import forked_command
from tests.servers.serving import serving
from tests.servers.world import world_beside

__all__ = ["address", "browser", "folder", "gate", "page"]


def test_a_question_is_followed_to_its_report(page: Page, gate: Path) -> None:
    gate.unlink()
    ask(page)
    expect(page.get_by_role("log")).to_contain_text("Round 1")
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
    chip = page.locator(".first").get_by_role("button", name=re.compile("^Citation 1:")).first
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
    expect(page.get_by_role("log")).to_contain_text("Round 1")
    expect(page.locator(".live .pill")).to_have_text("running")
    expect(page.locator(".stages [aria-current]")).to_have_text("Search and grade")
    picture(page, "running-1440")
    page.reload()
    expect(page.locator(".live .pill")).to_have_text("running")
    expect(page.get_by_role("log")).to_contain_text("Round 1")
    expect(page.get_by_label("Your question")).to_have_value(QUESTION)
    gate.touch()
    expect(page.get_by_role("heading", name="Examplol for testitis")).to_be_visible()
    expect(page.locator(".live .log .run_started")).to_have_count(1)


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
    page.get_by_label("Your question").fill("?!")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(alert).to_be_visible()
    expect(page.get_by_role("heading", name="Examplol for testitis")).to_be_visible()


def test_what_is_declined_starts_no_run_and_says_why(page: Page) -> None:
    for text, told in (
        ("Should I take examplol for my asthma?", "ask a doctor"),
        ("Does metformin help in MS?", '"MS" can mean'),
        ("xyzzy", "No question could be read in this."),
    ):
        ask(page, text)
        expect(page.get_by_role("alert").filter(has_text=told)).to_be_visible()
        expect(page.locator(".live")).to_be_hidden()
    picture(page, "declined-1440")


def test_a_run_that_cannot_be_done_fails_with_advice(page: Page) -> None:
    fail(page)
    expect(page.locator(".live .pill")).to_have_text("failed")
    why = page.locator(".live .problem")
    expect(why).to_be_visible()
    expect(page.locator(".stages [aria-current]")).to_have_text("Question")
    expect(page.locator(".stages .reached")).to_have_count(0)
    expect(page.get_by_role("tab")).to_have_text(["Trace"])
    expect(page.locator("#panel-trace .figures")).to_contain_text("failed")
    assert (page.locator("body").text_content() or "").count(why.inner_text()) == 1
    expect(page.get_by_role("button", name="Resume")).to_be_hidden()
    picture(page, "failed-1440")


def test_a_further_question_takes_the_place_of_the_report(page: Page, gate: Path) -> None:
    ask(page)
    expect(page.get_by_role("heading", name="Examplol for testitis")).to_be_visible()
    first = page.url
    gate.unlink()
    page.get_by_label("Your question").fill("What could be repurposed for testitis?")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator(".live .question")).to_have_text("What could be repurposed for testitis?")
    expect(page.locator(".dc-report")).to_have_count(0)
    gate.touch()
    expect(page.locator(".live .pill")).to_have_text("completed")
    expect(page.locator(".dc-report")).to_be_visible()
    assert page.url != first
    page.evaluate("window.same = true")
    page.go_back()
    expect(page.locator(".live .question")).to_have_text(QUESTION)
    expect(page.get_by_role("heading", name="Examplol for testitis")).to_be_visible()
    page.go_back()
    expect(page.locator(".live")).to_be_hidden()
    expect(page.get_by_text("Ask if a drug could treat another disease")).to_be_visible()
    page.go_forward()
    expect(page.get_by_role("heading", name="Examplol for testitis")).to_be_visible()
    assert page.evaluate("window.same")


def test_the_invitation_and_the_chat_are_there_when_they_are_wanted(page: Page, gate: Path) -> None:
    page.goto("/")
    invitation = page.get_by_text("Ask if a drug could treat another disease")
    expect(invitation).to_be_visible()
    expect(page.locator(".chat")).to_have_count(2)
    expect(page.locator(".chat:visible")).to_have_count(0)
    assert_fits(page)
    gate.unlink()
    ask(page, goto=False)
    expect(page.get_by_role("log", name="Steps of the run")).to_contain_text("Round 1")
    # By now the page has asked what the run has brought, which is nothing yet.
    page.wait_for_timeout(1000)
    expect(invitation).to_be_hidden()
    expect(page.locator(".chat:visible")).to_have_count(0)
    gate.touch()
    expect(page.get_by_role("heading", name="Ask about this report")).to_be_visible()
    expect(page.get_by_role("tab", name="Report")).to_be_in_viewport()


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


def test_a_server_that_cannot_be_reached_leaves_the_question_to_be_asked_again(
    browser: Browser, address: str, gate: Path
) -> None:
    assert gate.exists()
    with tab(browser, address, "ERR_INTERNET_DISCONNECTED", "Failed to fetch") as page:
        page.goto("/")
        expect(page.locator(".sample .answer")).to_be_visible()
        page.context.set_offline(True)
        page.get_by_label("Your question").fill(QUESTION)
        page.get_by_label("Your question").press("Enter")
        expect(page.locator("body[data-starting]")).to_have_count(0)
        expect(page.get_by_label("Your question")).to_have_value(QUESTION)
        expect(page.get_by_text("The server cannot be reached")).to_be_visible()


def test_a_server_that_is_stopped_ends_its_runs_and_says_so(
    browser: Browser, tmp_path: Path
) -> None:
    snapshot(tmp_path / "records.jsonl", paper(1))
    with serving(page_server(tmp_path)) as served, tab(browser, served.address) as page:
        ask(page)
        expect(page.get_by_role("log")).to_contain_text("Round 1")
        served.process.terminate()
        expect(page.locator(".live .pill")).to_have_text("cancelled")


def test_an_unknown_run_is_explained(page: Page) -> None:
    page.goto("/?run=nobody")
    expect(page.get_by_role("alert").filter(has_text="not known here")).to_be_visible()


def test_an_example_is_asked_by_its_button(page: Page) -> None:
    page.goto("/")
    example = page.get_by_role("toolbar", name="Things to try").get_by_role("button").first
    question = example.inner_text()
    example.click()
    expect(page.locator(".live .question")).to_have_text(question)


def test_what_is_meant_is_chosen_by_a_button(page: Page) -> None:
    ask(page, "Does metformin help in MS?")
    meanings = page.get_by_role("group", name="Ask instead").get_by_role("button")
    expect(meanings).not_to_have_count(0)
    chosen = meanings.first.inner_text()
    meanings.first.click()
    expect(page.locator(".live .question")).to_have_text(chosen)
    expect(page.get_by_role("group", name="Ask instead")).to_have_count(0)


def test_a_phone_shows_everything_without_sideways_scrolling(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/")
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_visible()
    assert_fits_in_both(page, "start-390")
    ask(page)
    expect(page.get_by_role("heading", name="Examplol for testitis")).to_be_visible()
    assert_fits_in_both(page, "report-390")
    ask(page, "What could be repurposed for testitis?", goto=False)
    expect(page.locator(".live .pill")).to_be_in_viewport()


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


def test_the_page_answers_from_live_sources(browser: Browser, tmp_path: Path) -> None:
    command = forked_command()
    options = ("serve", "--port", "0", "--sources", "pubmed,clinicaltrials,europepmc")
    faster = {"NCBI_API_KEY": "made-up-key"}  # which raises the limit of requests to PubMed
    with (
        world_beside(tmp_path) as site,
        serving([command, *options], site.environment | faster) as served,
        tab(browser, served.address) as page,
    ):
        page.goto("/")
        expect(page.locator(".answering")).to_contain_text("PubMed: searched live")
        open_options(page)
        page.get_by_label("Quick").check()
        ask(page, goto=False)
        expect(page.get_by_role("heading", name="Examplol for testitis")).to_be_visible(
            timeout=60_000
        )
        for name in ("PubMed", "ClinicalTrials.gov", "Europe PMC"):
            # The steps are folded away once there is a report.
            expect(page.locator(".live .log")).to_contain_text(f"{name} · ")
        page.get_by_role("tab", name="Trace").click()
        expect(page.get_by_text("exactly as run").first).to_be_visible()
        picture(page, "live-1440")
        assert_fits(page)
        for faults in site.faults.values():
            assert faults.requests
            faults.on("html")  # which is not asked for again, as an error of the server is
        ask(page, "Can examplol be repurposed for otheritis?", goto=False)
        expect(page.locator(".live .pill")).to_have_text("failed", timeout=60_000)
        expect(page.locator(".live")).to_contain_text("--snapshot demo")
