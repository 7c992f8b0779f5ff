"""No serious barrier in any state of the page, by axe-core: light and dark, desktop and phone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.conftest import paper, snapshot, trial
from tests.e2e.pages import ask, browser, fail, open_options, page_server, picture, tab, unfold
from tests.e2e.test_page_chat import of_run, page, said
from tests.e2e.test_page_sign_in import SIGN_IN, signed_in, signing_in
from tests.servers.serving import serving

__all__ = ["browser", "page"]

State = tuple[str, str]
"""A name, and the part of the page that no other state shows so; the whole where there is none.

Of a state with a name a picture is left in each look.
"""


class Look(NamedTuple):
    """The colour scheme and size that the page is shown in."""

    scheme: Literal["light", "dark"]
    width: int
    height: int


SETTLED = """() => {
    const transitions = () => document.getAnimations().filter((a) => a instanceof CSSTransition);
    for (let round = 0; round < 10 && transitions().length; round += 1)
        transitions().forEach((a) => a.finish());
    return transitions().length;
}"""
"""Colours that are on their way from one look to the next have the contrast of neither.

They are put at their end, one begun by another too: a page without frames never ends them.
"""
COLOURS = ("color-contrast", "link-in-text-block")
"""The rules of axe-core that look at colours; the first takes most of the time of all."""
LOOKS = (
    Look("light", 1440, 900),
    Look("dark", 1440, 900),
    Look("dark", 390, 844),
    Look("light", 390, 844),
)
BETWEEN = Look("light", 1280, 800)
"""Beside a report tables are cards there, in the colours that they have on the phone.

All but colours is looked at.
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("seen")
    snapshot(folder / "records.jsonl", paper(1), paper(2, note="Retracted in 2999."), trial(3))
    (folder / "open").touch()
    return folder


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with serving(page_server(folder)) as served:
        yield served.address


def completed(page: Page) -> None:
    ask(page)
    reported(page)


def reported(page: Page) -> None:
    expect(page.locator(".live .pill")).to_have_text("completed")
    expect(page.get_by_role("heading", name="Examplol for testitis")).to_be_visible()


def form(page: Page, _folder: Path) -> Iterator[State]:
    """The form, and each way in which it does not lead to a report."""
    landing(page)
    yield "landing", ""
    open_options(page)
    for name in ("Sources and limits", "Model and key"):
        page.get_by_role("button", name=name).click()
    yield "unfolded", "#options"
    expect(said(page, "find papers on examplol").locator(".answer")).to_be_visible()
    yield "looked_up", ".main-column"
    ask(page, " ", goto=False)
    expect(page.get_by_role("alert").filter(has_text="question")).to_be_visible()
    yield "refused", ".main-column"
    ask(page, "Does metformin help in MS?", goto=False)
    expect(page.get_by_role("group", name="Ask instead")).to_be_visible()
    yield "meanings", ".main-column"
    ask(page, "What is the weather in Paris?", goto=False)
    expect(page.locator(".asks")).to_contain_text("not a question of biomedicine")
    yield "declined", ".main-column"
    fail(page)
    expect(page.locator(".live .pill")).to_have_text("failed")
    yield "failed", ".main-column"
    page.route("**/api/health", lambda route: route.abort("connectionrefused"))
    page.route("**/gradio_api/**", lambda route: route.abort("connectionrefused"))
    ask(page, goto=False)
    expect(page.locator(".results > .problem")).to_contain_text("cannot be reached")
    yield "unreachable", ".main-column"


def finished(page: Page, folder: Path) -> Iterator[State]:
    """A run under way; its report with a citation's card, with all parts open, beside another."""
    (folder / "open").unlink()
    ask(page)
    expect(page.get_by_role("log", name="Steps of the run")).to_contain_text("Round 1")
    yield "running", ".live"
    (folder / "open").touch()
    reported(page)
    first = page.url.partition("run=")[2]
    page.locator(".first").get_by_role("button", name=re.compile("^Citation 1:")).first.click()
    yield "citation", ""
    page.keyboard.press("Escape")
    unfold(page)
    page.locator(".live summary").first.click()
    yield "parts", ""
    completed(page)
    page.goto("/compare?a={}&b={}".format(first, page.url.partition("run=")[2]))
    expect(page.get_by_role("heading", level=1)).to_have_text("Two runs side by side")
    yield "compared", ""


def beside(page: Page, _folder: Path) -> Iterator[State]:
    """Each tab but the report's, which stands beside them, and the chat about the report."""
    completed(page)
    _, *others = (one for one in page.get_by_role("tab").all() if one.is_visible())
    assert len(others) > 4
    for one in others:
        one.click()
        expect(page.locator(".side h2").filter(visible=True).first).to_be_visible()
        yield "tabs" if one is others[-1] else "", ".side"
    page.locator("#tab-studies").click()
    page.get_by_role("checkbox", name=re.compile("^Include")).first.uncheck()
    expect(page.locator("#panel-studies").get_by_role("status")).to_contain_text("With all studies")
    yield "left_out", ".side"
    page.locator("#tab-report").click()
    page.get_by_role("heading", name="Ask about this report").click()
    log = of_run(page, "Is examplol well tolerated?")
    log.get_by_role("button", name=re.compile("^Citation 1:")).first.click()
    page.keyboard.press("Escape")
    of_run(page, "Why this verdict?")
    expect(log.locator(".answer")).to_have_count(2)
    of_run(page, "?!")
    expect(log.get_by_role("alert")).to_be_visible()
    log.get_by_role("button", name=re.compile("^Citation 1:")).first.click()
    yield "answer", ".about-report"


def landing(page: Page) -> None:
    page.goto("/")
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_visible()
    expect(page.locator(".answering")).to_contain_text("No AI model in use")


def check(page: Page, name: str = "", within: str = "") -> None:
    """Fail with every serious barrier that axe-core finds in a part of the page, in each look.

    Colours depend on the look, and are looked at in each of `LOOKS`. All else depends on the width
    at most, and is looked at once at each.
    """
    told: list[str] = []
    widths: set[int] = set()
    expect(page.locator(within or "body").filter(visible=True).first).to_be_visible()
    for look in (*LOOKS, BETWEEN):
        page.emulate_media(color_scheme=look.scheme)
        page.set_viewport_size({"width": look.width, "height": look.height})
        if page.locator(".gradio-container").count():  # pages without script follow the browser
            expect(page.locator("body.dark")).to_have_count(int(look.scheme == "dark"))
        assert page.evaluate(SETTLED) == 0
        if name:
            picture(page, f"state-{name}-{look.width}-{look.scheme}")
        known: dict[str, Any] = {"runOnly": [*COLOURS]} if look.width in widths else {}
        if look is BETWEEN:
            known = {"rules": {name: {"enabled": False} for name in COLOURS}}
        widths.add(look.width)
        found = barriers(page, within, **known)
        told += [f"{name} {look.scheme} {look.width}: {barrier}" for barrier in found]
    assert not told, "\n".join(told)


def barriers(page: Page, within: str = "", **options: Any) -> list[str]:
    # Half a megabyte of script, which a page keeps.
    axe = Axe("0") if page.evaluate("Boolean(window.axe)") else Axe()
    options["resultTypes"] = ["violations"]
    found = axe.run(page, within, options).response["violations"]
    return [
        f"{one['impact']} {one['id']}: {node['target']} {node['failureSummary']}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


@pytest.mark.parametrize("states", [form, finished, beside], ids=lambda states: states.__name__)
def test_no_state_has_a_serious_barrier(
    page: Page, states: Callable[[Page, Path], Iterator[State]], folder: Path
) -> None:
    try:
        for state in states(page, folder):
            check(page, *state)
    finally:
        (folder / "open").touch()


def test_who_signs_in_and_uses_up_his_runs_meets_no_barrier(
    browser: Browser, tmp_path: Path
) -> None:
    with (
        signing_in(tmp_path, DEEPCRITICAL_PUBLIC_RUNS_PER_HOUR="1") as site,
        tab(browser, site.address, site.provider) as page,
    ):
        page.goto("/")
        expect(page.get_by_role("link", name=SIGN_IN)).to_be_visible()
        check(page, "sign_in_offered")
        signed_in(page, site, "ada")
        open_options(page)
        page.get_by_role("button", name="Model and key").click()
        page.get_by_label("Use my Hugging Face account").check()
        check(page, "signed_in", ".account, #options")
        page.get_by_label("Use my Hugging Face account").uncheck()
        for _ in range(2):
            ask(page, goto=False)
            expect(page.locator(".live .pill")).to_have_text("completed")
        expect(page.get_by_role("alert").filter(has_text="runs")).to_be_visible()
        check(page, "over_quota", ".problem, .runs")


def test_a_barrier_is_found(page: Page) -> None:
    landing(page)
    page.add_style_tag(content=".answering { color: #ccc !important; }")
    assert {barrier.split(":")[0] for barrier in barriers(page)} >= {"serious color-contrast"}
