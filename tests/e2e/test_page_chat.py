"""The chat on the page, in a real browser: a run's evidence asked, quick questions, offers."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.conftest import QUESTION, paper, snapshot
from tests.e2e.pages import (
    ATTACK,
    ask,
    assert_fits,
    assert_fits_in_both,
    browser,
    fail,
    open_options,
    page_server,
    picture,
    tab,
)
from tests.e2e.test_page_model import KEY as KEY_FIELD
from tests.e2e.test_page_model import MODEL as MODEL_FIELD
from tests.servers.serving import serving

__all__ = ["browser"]

KEY = "made-up-key-of-the-chat"
HARD = "Does examplol help in testitis?"
OWN_RUN = re.compile(r"\?run=[0-9a-f-]{36}$")
FOLLOW_UPS = (
    "Why this verdict?",
    "What if study [1] were left out?",
    "Summarise in two sentences",
    "Explain GRADE here",
    "Show the quotes",
    "What is missing?",
    "Which studies decide the verdict?",
    "What are the harms?",
    "What would change it?",
    "How sure is this?",
)
RECORDS = (
    paper(1),
    paper(2, title=f"Examplol in testitis {ATTACK}", journal=ATTACK, note=ATTACK),
    paper(
        3,
        text_kind="abstract",
        text="Results: 🧪 Examplol did not improve testitis. Harms: Examplol was well tolerated by "
        f"all {ATTACK}.",
    ),
)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("chats")
    snapshot(folder / "records.jsonl", *RECORDS)
    (folder / "open").touch()
    with serving(page_server(folder)) as served:
        yield served.address


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with tab(browser, address) as page:
        yield page


def finished(page: Page, *, goto: bool = True) -> None:
    """A run whose report is shown."""
    ask(page, goto=goto)
    expect(page.locator(".live .pill")).to_have_text("completed")
    expect(page.get_by_role("heading", name="Ask about this report")).to_be_visible()
    expect(field(page, "Ask about this report")).to_be_hidden()
    page.get_by_role("heading", name="Ask about this report").click()
    expect(field(page, "Ask about this report")).to_be_focused()


def field(page: Page, name: str = "Your question") -> Locator:
    return page.get_by_role("textbox", name=name)


def said(page: Page, message: str, name: str = "Your question", log: str = "Thread") -> Locator:
    """Send a message, and return the thread that it is shown in."""
    field(page, name).fill(message)
    field(page, name).press("Enter")
    return page.get_by_role("log", name=log)


def of_run(page: Page, message: str) -> Locator:
    return said(page, message, "Ask about this report", "Chat")


def test_a_follow_up_is_answered_from_the_run_and_every_sentence_opens_its_quote(
    page: Page,
) -> None:
    finished(page)
    log = of_run(page, "Is examplol well tolerated?")
    expect(log.locator(".answer .head")).to_contain_text("the evidence of run")
    sentences = log.locator(".answer li")
    assert sentences.count() >= 2
    assert sentences.count() == log.locator(".answer li .cite").count()
    log.get_by_role("button", name=re.compile("^Citation 1:")).first.click()
    source = page.get_by_role("dialog", name="Source 1 of the answer")
    expect(source.locator("mark").first).to_contain_text("well tolerated")
    expect(source.get_by_role("link", name="Open the record")).to_have_attribute(
        "href", re.compile(r"^https://pubmed\.ncbi\.nlm\.nih\.gov/99")
    )
    picture(page, "chat-citation-1440")
    page.keyboard.press("Escape")
    expect(source).to_be_hidden()
    assert_fits(page)


def test_the_report_itself_answers_what_is_asked_about_it(page: Page) -> None:
    finished(page)
    told = page.get_by_role("log", name="Chat").locator(".answer")
    for number, message in enumerate(FOLLOW_UPS, 1):
        of_run(page, message)
        expect(told).to_have_count(number)
        expect(told.last.locator("li")).not_to_have_count(0)
    of_run(page, "What if study [3] were left out?")
    told.last.get_by_role("button", name=re.compile("^Citation 3:")).click()
    expect(page.get_by_role("dialog", name="Source 3 of the answer")).to_be_visible()


def test_a_follow_up_in_the_one_field_goes_to_the_open_report(page: Page) -> None:
    finished(page)
    address = page.url
    said(page, "Why this verdict?")
    log = page.get_by_role("log", name="Chat")
    expect(log.locator(".answer li")).not_to_have_count(0)
    expect(field(page)).to_have_value(QUESTION)
    page.get_by_role("group", name="Things to ask").get_by_role("button").last.click()
    expect(log.locator(".answer")).to_have_count(2)
    assert page.url == address


def test_a_quote_is_marked_where_it_stands_beyond_the_basic_plane(page: Page) -> None:
    page.goto("/")
    log = said(page, "PMID 99000003")
    expect(log.locator(".answer li")).not_to_have_count(0)
    quotes = [text.strip("“”") for text in log.locator(".answer li").all_text_contents()]
    marks = log.locator(".source mark").all_text_contents()
    assert marks
    assert all(any(quote.startswith(mark) for quote in quotes) for mark in marks)


def test_what_the_records_do_not_say_is_not_answered(page: Page) -> None:
    finished(page)
    log = of_run(page, "Does examplol cause hair loss?")
    expect(log.locator(".answer .head")).to_contain_text("I couldn't find that in")
    expect(log.locator(".answer li")).to_have_count(0)


def test_a_look_up_is_answered_at_once_and_the_page_stays(page: Page) -> None:
    page.goto("/")
    picture(page, "chat-landing-1440")
    log = said(page, "find papers on examplol")
    expect(log.locator(".answer .head")).to_contain_text("3 found")
    expect(log.locator(".answer ol li")).to_have_count(3)
    picture(page, "chat-quick-1440")
    assert "run=" not in page.url


def test_what_is_typed_is_a_run_a_look_up_or_small_talk(page: Page) -> None:
    page.goto("/")
    log = said(page, "thanks")
    expect(log.locator(".answer")).to_contain_text("I answer questions")
    said(page, "PMID 99000003")
    expect(log.locator(".answer")).to_have_count(2)
    said(page, "thanks")
    expect(log.locator(".answer")).to_have_count(3)
    assert "run=" not in page.url
    said(page, "What dose of examplol was given in testitis?")
    expect(page).to_have_url(OWN_RUN)
    expect(page.get_by_role("tab", name="Answer")).to_be_visible()
    expect(log).to_be_hidden()
    said(page, HARD)
    expect(page.locator(".live .question")).to_have_text(HARD)
    expect(page.get_by_role("tab", name="Report")).to_be_visible()


@pytest.fixture
def troubled(browser: Browser, address: str) -> Iterator[Page]:
    with tab(browser, address, "404 (Not Found)", "ERR_FAILED", "422 (Unprocessable") as page:
        yield page


def test_a_chat_that_the_server_forgot_is_opened_again(troubled: Page) -> None:
    page = troubled
    page.goto("/")
    with page.expect_response("**/api/chats") as opened:
        log = said(page, "PMID 99000001")
    expect(log.locator(".answer")).to_have_count(1)
    forgotten = page.request.delete(opened.value.json()["links"]["self"])
    assert forgotten.status == 204
    said(page, "PMID 99000002")
    expect(log.locator(".answer")).to_have_count(2)


def test_a_new_run_clears_the_thread_and_the_chat(page: Page) -> None:
    page.goto("/")
    thread = said(page, "PMID 99000001")
    expect(thread.locator(".answer")).to_have_count(1)
    finished(page, goto=False)
    expect(thread).to_be_hidden()
    log = of_run(page, "Is examplol well tolerated?")
    expect(log.locator(".answer")).to_have_count(1)
    said(page, "PMID 99000001")
    expect(thread.locator(".answer")).to_have_count(1)
    expect(log.locator(".answer")).to_have_count(1)
    said(page, QUESTION)
    expect(thread).to_be_hidden()
    expect(page.get_by_role("heading", name="Ask about this report")).to_be_visible()
    expect(log).to_be_hidden()
    expect(page.locator(".chat .answer")).to_have_count(0)


def test_a_run_that_failed_has_no_chat(page: Page) -> None:
    fail(page)
    expect(page.locator(".live .pill")).to_have_text("failed")
    expect(page.locator(".chat:visible")).to_have_count(0)


def test_an_error_says_what_to_do_and_the_chat_goes_on(troubled: Page) -> None:
    page = troubled
    page.goto("/")
    page.route("**/api/chats/**", lambda route: route.abort())
    log = said(page, "PMID 99000001")
    expect(log.get_by_text("The server cannot be reached.")).to_be_visible()
    page.unroute("**/api/chats/**")
    keys(page)
    page.get_by_label(KEY_FIELD).fill("…")
    said(page, "PMID 99000001")
    expect(page.get_by_role("alert").filter(has_text="Copy it once more.")).to_be_visible()
    page.get_by_label(KEY_FIELD).fill("")
    said(page, "PMID 99000001")
    expect(log.locator(".answer")).to_have_count(1)


def keys(page: Page) -> None:
    open_options(page)
    page.get_by_role("button", name="Model and key").click()


def test_markup_in_records_and_in_a_message_is_inert(page: Page) -> None:
    finished(page)
    log = of_run(page, f"Is examplol well tolerated {ATTACK}?")
    expect(log.locator(".mine")).to_contain_text("<script>document.title")
    expect(log.locator(".answer li")).not_to_have_count(0)
    expect(log).to_contain_text("<img src=x")
    for source in log.locator(".source").all():
        source.evaluate("node => node.showPopover()")
    assert log.locator("img, script").count() == 0
    assert page.title() == "DeepCritical"


def test_a_key_is_sent_with_the_message_alone_and_is_in_no_answer(troubled: Page) -> None:
    page = troubled
    texts: list[str] = []
    sent: list[tuple[str, str]] = []
    page.on("request", lambda r: sent.append((r.url, r.headers.get("x-model-key", ""))))
    page.on("response", lambda r: texts.append(r.text()) if "/api/chats" in r.url else None)
    page.goto("/")
    keys(page)
    page.get_by_label(KEY_FIELD).fill(KEY)
    log = said(page, "PMID 99000001")
    expect(log.locator(".answer")).to_have_count(1)
    expect(page.get_by_label(KEY_FIELD)).to_have_value(KEY)
    page.get_by_label(KEY_FIELD).fill("")
    finished(page, goto=False)
    expect(page.get_by_label(KEY_FIELD)).to_be_hidden()
    open_options(page)
    page.get_by_label(MODEL_FIELD).fill("anthropic:made-up")
    page.get_by_label(KEY_FIELD).fill(KEY)
    chat = of_run(page, "Is examplol well tolerated?")
    expect(chat.get_by_role("alert")).to_contain_text("No other model can be chosen here.")
    assert [url for url, key in sent if key == KEY]
    assert all("/api/chats" in url for url, key in sent if key)
    assert not any(KEY in url for url, _ in sent)
    assert texts
    assert not any(KEY in text for text in texts)
    kept = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
    assert KEY not in kept
    assert KEY not in page.content()


def test_all_of_it_works_by_the_keyboard(page: Page) -> None:
    page.goto("/")
    # Each key goes to the field, wherever a page that is still loading has put the focus.
    field(page).press_sequentially("PMID 99000003")
    expect(field(page)).to_have_value("PMID 99000003")
    field(page).press("Tab")
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    log = page.get_by_role("log", name="Thread")
    chip = log.get_by_role("button", name=re.compile("^Citation 1:")).first
    expect(chip).to_be_visible()
    log.focus()
    page.keyboard.press("Tab")
    expect(chip).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Source 1 of the answer")).to_be_visible()
    page.keyboard.press("Escape")
    expect(chip).to_be_focused()
    finished(page, goto=False)
    page.keyboard.type("one")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("two")
    expect(field(page, "Ask about this report")).to_have_value("one\ntwo")


def test_a_phone_shows_the_chat_without_sideways_scrolling(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/")
    expect(said(page, "find papers on examplol").locator(".answer")).to_be_visible()
    assert_fits_in_both(page, "chat-quick-390")
    finished(page)
    log = of_run(page, "Is examplol well tolerated?")
    expect(log.locator(".answer li")).not_to_have_count(0)
    log.scroll_into_view_if_needed()
    assert_fits_in_both(page, "chat-answer-390")


def test_a_wide_screen_shows_the_chat_in_the_dark(page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    finished(page)
    log = of_run(page, "Is examplol well tolerated?")
    expect(log.locator(".answer li")).not_to_have_count(0)
    picture(page, "chat-answer-1440-dark")
