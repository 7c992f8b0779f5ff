"""The page with a sign-in, in a real browser: runs follow the account, and its token one run."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.conftest import QUESTION
from tests.e2e.pages import ask, assert_fits, browser, open_options, picture, tab
from tests.integration.modelled import records
from tests.ports import lasting_port
from tests.servers.commands import forked_command
from tests.servers.models import ModelServer
from tests.servers.openid import CLIENT, SCOPES, SECRET, Provider, beside, token_of
from tests.servers.serving import serving

__all__ = ["browser"]

SERVERS = "made-up-key-of-the-server"
SIGN_IN = "Sign in with Hugging Face"


class Site(NamedTuple):
    """The page's server with its database, the provider, and the server of the model."""

    address: str
    provider: str
    model: ModelServer
    database: Path


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with signing_in(tmp_path_factory.mktemp("signed-in")) as site:
        yield site


@contextmanager
def signing_in(folder: Path, **more: str) -> Iterator[Site]:
    """Serve a page whose visitors may sign in; `more` are variables of its environment."""
    model, port, database = ModelServer(), str(lasting_port()), folder / "runs.sqlite"
    with ExitStack() as stack:
        provider, router = (stack.enter_context(beside(app)) for app in (Provider().app, model.app))
        told = {
            "DEEPCRITICAL_PUBLIC": "1",
            "DEEPCRITICAL_PUBLIC_URL": f"http://127.0.0.1:{port}",
            "DEEPCRITICAL_SIGN_IN": "1",
            "DATABASE_URL": f"sqlite:///{database}",
            "OAUTH_CLIENT_ID": CLIENT,
            "OAUTH_CLIENT_SECRET": SECRET,
            "OAUTH_SCOPES": SCOPES,
            "OPENID_PROVIDER_URL": provider,
            "DEEPCRITICAL_MODEL": "huggingface:made-up",
            "DEEPCRITICAL_MODEL_BASE_URL": f"{router}/v1",
            "DEEPCRITICAL_MODEL_API_KEY": SERVERS,
            **more,
        }
        command = (forked_command(), "serve", "--port", port, "--snapshot", str(records(folder)))
        served = stack.enter_context(serving(command, told))
        yield Site(served.address, provider, model, database)


def signed_in(page: Page, site: Site, visitor: str) -> None:
    """Open the page and sign in; the provider knows its visitor by the cookie."""
    page.context.add_cookies([{"name": "visitor", "value": visitor, "url": site.provider}])
    page.goto("/")
    page.get_by_role("link", name=SIGN_IN).click()
    expect(page.locator(".account")).to_contain_text(visitor)


def test_runs_follow_the_account_and_no_other_one(browser: Browser, site: Site) -> None:
    runs = ".runs li a"
    with tab(browser, site.address, site.provider) as page:
        signed_in(page, site, "ada")
        ask(page, QUESTION, goto=False)
        expect(page.locator(".live .pill")).to_have_text("completed")
        expect(page.locator(runs)).to_have_text([QUESTION])
        run_id = page.url.partition("run=")[2]
        assert "deepcritical_session" not in page.evaluate("document.cookie")
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("link", name=SIGN_IN)).to_be_visible()
        expect(page.locator(runs)).to_have_count(0)
    with tab(browser, site.address, site.provider) as page:
        signed_in(page, site, "ben")
        expect(page.locator(".runs .none")).to_be_visible()
        assert page.request.delete(f"/api/runs/{run_id}").status == 403
    with tab(browser, site.address, site.provider) as page:
        signed_in(page, site, "ada")
        expect(page.locator(runs)).to_have_text([QUESTION])
        page.get_by_role("button", name=f"Delete: {QUESTION}").click()
        page.get_by_role("button", name="Delete", exact=True).click()
        expect(page.locator(runs)).to_have_count(0)


def test_his_token_is_the_key_of_a_run_only_if_he_ticks_it(browser: Browser, site: Site) -> None:
    site.model.asked.clear()
    with tab(browser, site.address, site.provider) as page:
        page.goto("/")
        open_options(page)
        page.get_by_role("button", name="Model and key").click()
        tick = page.get_by_label("Use my Hugging Face account")
        expect(page.get_by_label("Key", exact=False).first).to_be_visible()
        expect(tick).to_have_count(0)
        signed_in(page, site, "ada")
        open_options(page)
        page.get_by_role("button", name="Model and key").click()
        expect(tick).not_to_be_checked()
        tick.check()
        ask(page, QUESTION, goto=False)
        expect(page.get_by_role("alert").filter(has_text="huggingface:NAME")).to_be_visible()
        assert site.model.asked == []
        page.locator("#model textarea, #model input").fill("huggingface:made-up")
        page.locator("#model textarea, #model input").blur()
        expect(page.locator(".answering")).to_contain_text("with your Hugging Face account")
        page.get_by_role("button", name="Ask", exact=True).click()
        expect(page.locator(".live .pill")).to_have_text("completed")
        assert {asked.key for asked in site.model.asked} == {token_of("ada")}
        held = page.evaluate(
            "JSON.stringify([document.documentElement.outerHTML, {...localStorage}])"
        )
        assert token_of("ada") not in held + page.url + str(page.context.cookies())
    with sqlite3.connect(site.database) as database:
        assert token_of("ada") not in "".join(database.iterdump())


def test_a_typed_key_is_used_before_the_account(browser: Browser, site: Site) -> None:
    site.model.asked.clear()
    with tab(browser, site.address, site.provider) as page:
        signed_in(page, site, "ada")
        open_options(page)
        page.get_by_role("button", name="Model and key").click()
        page.locator("#model textarea, #model input").fill("huggingface:made-up")
        page.get_by_label("Use my Hugging Face account").check()
        page.locator("#key input").fill("a-made-up-typed-key")
        page.locator("#key input").blur()
        expect(page.locator(".answering")).to_contain_text("with your key")
        ask(page, QUESTION, goto=False)
        expect(page.locator(".live .pill")).to_have_text("completed")
        assert {asked.key for asked in site.model.asked} == {"a-made-up-typed-key"}


def test_the_sign_in_fits_wide_and_narrow(browser: Browser, site: Site) -> None:
    with tab(browser, site.address, site.provider) as page:
        page.goto("/")
        _seen(page, page.get_by_role("link", name=SIGN_IN), "sign-in")
        signed_in(page, site, "ada")
        _seen(page, page.get_by_role("button", name="Sign out"), "signed-in")


def _seen(page: Page, shown: Locator, name: str) -> None:
    for width, height in ((1280, 800), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        shown.scroll_into_view_if_needed()
        expect(shown).to_be_in_viewport(ratio=1)
        assert_fits(page)
        picture(page, f"{name}-{width}")
