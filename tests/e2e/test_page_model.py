"""The page with a user's own model and key, in a real browser; what is looked for is the key."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest
from playwright.sync_api import Browser, Page, Response, expect

from tests.e2e.pages import (
    ask,
    assert_fits,
    assert_fits_in_both,
    browser,
    open_options,
    picture,
    tab,
)
from tests.e2e.test_command import COMMAND
from tests.integration.modelled import records
from tests.servers.models import Fault, ModelServer
from tests.servers.running import running
from tests.servers.serving import Served, serving

__all__ = ["browser"]

MODEL, KEY = re.compile(r"^\s*Model\b"), re.compile(r"^\s*Key\b")
OWN = "made-up-key-of-the-user"
SERVERS = "made-up-key-of-the-server"


class Site(NamedTuple):
    """The page's server, and the server of its model."""

    served: Served
    model: ModelServer


@contextmanager
def beside(server: ModelServer) -> Iterator[str]:
    """Serve a model from a thread with a loop of its own; its base URL."""
    ready, done = threading.Event(), threading.Event()
    made: list[str] = []

    async def serve() -> None:
        async with running(server.app) as url:
            made.append(url)
            ready.set()
            await asyncio.to_thread(done.wait)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    try:
        assert ready.wait(timeout=60)
        yield made[0]
    finally:
        done.set()
        thread.join()


@contextmanager
def site(folder: Path, model: str = "openai-chat:gpt-4o") -> Iterator[Site]:
    server = ModelServer()
    with beside(server) as url:
        more = {
            "DEEPCRITICAL_MODEL": model,
            "DEEPCRITICAL_MODEL_BASE_URL": f"{url}v1",
            "DEEPCRITICAL_MODEL_API_KEY": SERVERS,
            "DEEPCRITICAL_EMBEDDING_MODEL": "",
            "PYTHONWARNINGS": "ignore",
        }
        command: list[str | Path] = [
            COMMAND,
            "serve",
            "--port",
            "0",
            "--snapshot",
            str(records(folder)),
        ]
        with serving(command, more) as served:
            yield Site(served, server)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with site(tmp_path_factory.mktemp("modelled")) as made:
        yield made


@pytest.fixture
def page(browser: Browser, place: Site) -> Iterator[Page]:
    place.model.asked.clear()
    place.model.fault = lambda _asked: None
    with tab(browser, place.served.address) as page:
        page.goto("/")
        yield page


def give(page: Page, model: str, key: str) -> None:
    """Open the accordion and type."""
    open_options(page)
    if not page.get_by_label(KEY).is_visible():
        page.get_by_role("button", name="Model and key").click()
    page.get_by_label(MODEL).fill(model)
    page.get_by_label(KEY).fill(key)
    page.get_by_label(KEY).blur()


def watched(page: Page) -> list[str]:
    """Everything that the server answers from now on, with its headers."""
    answers: list[str] = []

    def keep(response: Response) -> None:
        streamed = "text/event-stream" in response.headers.get("content-type", "")
        body = "" if streamed or response.status >= 300 else response.body().decode(errors="ignore")
        answers.append(f"{response.url} {response.headers} {body}")

    page.on("response", keep)
    return answers


def kept_by_the_browser(page: Page) -> str:
    """The page as it is now, with the values of its fields, and what is stored."""
    text: str = page.evaluate(
        """() => JSON.stringify([document.documentElement.outerHTML, {...localStorage},
        {...sessionStorage}, document.cookie, location.href, history.state,
        [...document.querySelectorAll("input, textarea")].map((field) => field.value)])"""
    )
    return text


def told_by(address: str, run_id: str) -> list[str]:
    """Return all that the server tells of itself and of a run."""
    paths = (
        *("/config", "/gradio_api/info", "/gradio_api/runs"),
        *(f"/api/runs/{run_id}{part}" for part in ("", "/events", "/export/json", "/export/html")),
    )
    with httpx.Client(base_url=address, timeout=60) as client:
        told = [client.get(path).text for path in paths]
    assert all(told)
    return told


def test_a_run_with_a_key_of_ones_own_leaves_it_nowhere(page: Page, place: Site) -> None:
    answers = watched(page)
    expect(page.locator(".answering")).to_contain_text("model openai-chat:gpt-4o")
    give(page, "", OWN)
    expect(page.locator(".answering")).to_contain_text("with your key")
    assert_fits(page)
    picture(page, "key-1440")
    ask(page, goto=False)
    expect(page.get_by_label(KEY)).to_have_value("")
    expect(page.get_by_role("heading", name="Examplol for testitis")).to_be_visible(timeout=60_000)
    assert {asked.key for asked in place.model.asked} == {OWN}
    counts = page.locator(".live .counts")
    expect(counts).to_contain_text("model calls")
    expect(counts).to_contain_text(re.compile(r"\$0\.\d+ of \$\d+\.\d+ estimated"))
    expect(page.locator(".answering")).not_to_contain_text("with your key")
    expect(page.locator(".dc-report")).to_contain_text("model openai-chat:gpt-4o")
    picture(page, "modelled-1440")
    assert OWN not in kept_by_the_browser(page)
    told = told_by(place.served.address, page.url.partition("run=")[2])
    everything = "\n".join([*answers, *told])
    assert OWN not in everything
    assert SERVERS not in everything
    assert "api_key" not in told[1]
    # The next run is the server's own again.
    place.model.asked.clear()
    ask(page, "Can examplol be repurposed for another testitis?", goto=False)
    expect(page.locator(".live .question")).to_contain_text("another")  # not the first run's end
    expect(page.locator(".live .pill")).to_have_text("completed", timeout=60_000)
    assert {asked.key for asked in place.model.asked} == {SERVERS}


def test_a_plan_with_a_key_of_ones_own_leaves_it_nowhere(page: Page, place: Site) -> None:
    answers = watched(page)
    open_options(page)
    page.get_by_label("Show me the plan first").check()
    approve = page.get_by_role("button", name="Approve and run")
    for pressed in (page.locator("#leave"), approve):
        give(page, "", OWN)
        ask(page, goto=False)
        expect(approve).to_be_visible(timeout=60_000)
        expect(page.get_by_label(KEY)).to_have_value(OWN)
        pressed.click()
        expect(page.get_by_label(KEY)).to_have_value("")
        expect(page.locator(".answering")).not_to_contain_text("with your key")
        expect(page.locator(".plan")).to_be_hidden()
    expect(page.locator(".live .pill")).to_have_text("completed", timeout=60_000)
    assert {asked.key for asked in place.model.asked} == {OWN}
    assert OWN not in kept_by_the_browser(page)
    assert OWN not in "\n".join([*answers, *told_by(place.served.address, page.url[-36:])])


def test_a_wrong_key_ends_the_run_with_words_for_who_gave_it(page: Page, place: Site) -> None:
    place.model.fault = lambda _asked: Fault(status=401)
    give(page, "", OWN)
    ask(page, goto=False)
    expect(page.locator(".live .pill")).to_have_text("failed")
    expect(page.locator(".live .problem")).to_contain_text("refused the key")
    expect(page.locator(".live .problem")).to_contain_text("Check the key that you gave")
    assert OWN not in kept_by_the_browser(page)
    picture(page, "wrong-key-1440")


@pytest.mark.parametrize(
    ("model", "key", "words"),
    [
        ("anthropic:made-up", "", "needs a key of yours"),
        ("vllm:made-up", OWN, "names no model that can be used here"),
        ("http://127.0.0.1:1/v1", OWN, "names no model that can be used here"),
        ("<img src=x>", OWN, "<img src=x>"),
    ],
)
def test_what_cannot_be_chosen_is_told_before_and_after_the_click(
    page: Page, place: Site, model: str, key: str, words: str
) -> None:
    give(page, model, key)
    expect(page.locator(".answering")).to_contain_text(words)
    ask(page, goto=False)
    expect(page.get_by_role("alert").filter(has_text=words)).to_be_visible()
    expect(page.get_by_label(KEY)).to_have_value("")
    expect(page.locator(".live")).to_be_hidden()
    assert place.model.asked == []


def test_another_model_with_a_key_is_named_before_it_is_asked(page: Page, place: Site) -> None:
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.post_data or ""))
    give(page, "anthropic:made-up", OWN)
    expect(page.locator(".answering")).to_contain_text("model anthropic:made-up, with your key")
    assert sent
    assert OWN not in "".join(sent)
    assert place.model.asked == []


def test_a_phone_shows_the_fields(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    give(page, "anthropic:claude-opus-4-6", OWN)
    expect(page.locator(".answering")).to_contain_text("with your key")
    assert_fits_in_both(page, "key-390")


def test_the_key_is_in_no_line_of_the_server(browser: Browser, tmp_path: Path) -> None:
    """A server of its own, so that all that it printed can be read."""
    with site(tmp_path) as own, tab(browser, own.served.address) as page:
        page.goto("/")
        give(page, "", OWN)
        ask(page, goto=False)
        expect(page.locator(".live .pill")).to_have_text("completed", timeout=60_000)
        own.model.fault = lambda _asked: Fault(status=401)
        give(page, "", OWN)
        ask(page, "Can examplol be repurposed for another testitis?", goto=False)
        expect(page.locator(".live .pill")).to_have_text("failed", timeout=60_000)
        own.served.process.terminate()
        assert own.served.process.stdout
        said = own.served.process.stdout.read()
    assert OWN not in said
    assert SERVERS not in said


def test_research_that_the_model_offers_starts_with_a_button(page: Page, place: Site) -> None:
    ask(page, goto=False)
    expect(page.locator(".live .pill")).to_have_text("completed", timeout=60_000)
    first = page.url
    place.model.change = lambda task, sane: (
        {**sane, "tool": "deep_research"} if task == "choose_tool" else sane
    )
    try:
        page.get_by_role("heading", name="Ask about this report").click()
        log = page.get_by_role("log", name="Chat")
        for pressed in ("Not now", "Start research"):
            expect(log.get_by_role("button", name="Start research")).to_have_count(
                int(pressed != "Not now")
            )
            page.get_by_role("textbox", name="Ask about this report").fill("Is examplol tolerated?")
            page.keyboard.press("Enter")
            expect(log.get_by_role("button", name="Start research").last).to_be_focused()
            expect(log.locator(".offer").last).to_contain_text("This needs research")
            picture(page, "chat-offer-1440")
            log.get_by_role("button", name=pressed).last.click()
            if pressed == "Not now":
                expect(log.get_by_text("Not started.")).to_be_visible()
        expect(page.locator(".live .question")).to_have_text("Is examplol tolerated?")
        assert page.url != first
    finally:
        place.model.change = lambda _task, sane: sane
