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
from tests.servers.serving import serving

__all__ = ["browser", "page"]


class Look(NamedTuple):
    """How the page is shown."""

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
    Look("light", 1280, 800),
    Look("dark", 1280, 800),
)


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
    expect(page.locator(".live .pill")).to_have_text("completed")
    expect(page.get_by_role("heading", name="Examplol for testitis")).to_be_visible()


def landing(page: Page) -> None:
    page.goto("/")
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_visible()
    expect(page.locator(".answering")).to_contain_text("No AI model in use")


def unfolded(page: Page) -> None:
    landing(page)
    open_options(page)
    for name in ("Sources and limits", "Model and key"):
        page.get_by_role("button", name=name).click()


def running(page: Page) -> None:
    ask(page)
    expect(page.get_by_role("log", name="Steps of the run")).to_contain_text("Round 1")


def tabs(page: Page) -> None:
    """Each tab but the report's, which other states show; what the last one shows stays.

    Of the page around it nothing changes: what stands beside the report is looked at alone.
    """
    completed(page)
    _, *others, last = (one for one in page.get_by_role("tab").all() if one.is_visible())
    assert len(others) > 3
    for one in others:
        one.click()
        expect(page.locator(".side h2").filter(visible=True).first).to_be_visible()
        check(page, within=".side")
    last.click()


def left_out(page: Page) -> None:
    """The Studies tab with a study that does not count."""
    completed(page)
    page.locator("#tab-studies").click()
    page.get_by_role("checkbox", name=re.compile("^Include")).first.uncheck()
    expect(page.locator("#panel-studies").get_by_role("status")).to_contain_text("With all studies")


def compared(page: Page) -> None:
    """Two runs side by side."""
    ids = []
    for _ in range(2):
        completed(page)
        ids.append(page.url.partition("run=")[2])
    page.goto("/compare?a={}&b={}".format(*ids))
    expect(page.get_by_role("heading", level=1)).to_have_text("Two runs side by side")


def citation(page: Page) -> None:
    completed(page)
    page.locator(".first").get_by_role("button", name=re.compile("^Citation 1:")).first.click()


def parts(page: Page) -> None:
    completed(page)
    unfold(page)


def steps(page: Page) -> None:
    completed(page)
    page.locator(".live summary").first.click()


def failed(page: Page) -> None:
    fail(page)
    expect(page.locator(".live .pill")).to_have_text("failed")


def refused(page: Page) -> None:
    ask(page, " ")
    expect(page.get_by_role("alert").filter(has_text="question")).to_be_visible()


def meanings(page: Page) -> None:
    ask(page, "Does metformin help in MS?")
    expect(page.get_by_role("group", name="Ask instead")).to_be_visible()


def declined(page: Page) -> None:
    ask(page, "What is the weather in Paris?")
    expect(page.locator(".asks")).to_contain_text("not a question of biomedicine")


def unreachable(page: Page) -> None:
    landing(page)
    page.route("**/api/health", lambda route: route.abort("connectionrefused"))
    page.route("**/gradio_api/**", lambda route: route.abort("connectionrefused"))
    ask(page, goto=False)
    expect(page.locator(".results > .problem")).to_contain_text("cannot be reached")


def looked_up(page: Page) -> None:
    landing(page)
    expect(said(page, "find papers on examplol").locator(".answer")).to_be_visible()


def answer(page: Page) -> None:
    completed(page)
    page.get_by_role("heading", name="Ask about this report").click()
    log = of_run(page, "Is examplol well tolerated?")
    log.get_by_role("button", name=re.compile("^Citation 1:")).first.click()
    page.keyboard.press("Escape")
    of_run(page, "Why this verdict?")
    expect(log.locator(".answer")).to_have_count(2)
    of_run(page, "?!")
    expect(log.get_by_role("alert")).to_be_visible()
    log.get_by_role("button", name=re.compile("^Citation 1:")).first.click()


STATES: dict[Callable[[Page], None], str] = {
    landing: "",
    unfolded: "#options",
    running: ".live",
    tabs: ".side",
    left_out: ".side",
    compared: "",
    citation: "",
    parts: "",
    steps: ".live",
    failed: ".main-column",
    refused: ".asks",
    meanings: ".asks",
    declined: ".asks",
    unreachable: ".main-column",
    looked_up: ".main-column",
    answer: ".about-report",
}
"""Each state, with the part of the page that no other one shows so; the whole where there is none.
"""


def check(page: Page, name: str = "", within: str = "") -> None:
    """Fail with every serious barrier that axe-core finds in what is shown, in each look of it.

    Colours depend on the look, and are looked at in each: within a part of the page, or in all of
    it. All else depends on the width at most, and is looked at once at each: in all of the page,
    of which a picture is left in each look, or, without a name, within the part.
    """
    told: list[str] = []
    widths: set[int] = set()
    for look in LOOKS:
        page.emulate_media(color_scheme=look.scheme)
        page.set_viewport_size({"width": look.width, "height": look.height})
        if page.locator(".gradio-container").count():  # pages without script follow the browser
            expect(page.locator("body.dark")).to_have_count(int(look.scheme == "dark"))
        assert page.evaluate(SETTLED) == 0
        if name:
            picture(page, f"state-{name}-{look.width}-{look.scheme}")
        found = barriers(page, within, runOnly=[*COLOURS])
        if look.width not in widths:
            others = {rule: {"enabled": False} for rule in COLOURS}
            found += barriers(page, "" if name else within, rules=others)
        widths.add(look.width)
        told += [f"{look.scheme} {look.width}: {barrier}" for barrier in found]
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


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_no_state_has_a_serious_barrier(
    page: Page, state: Callable[[Page], None], folder: Path
) -> None:
    if state is running:
        (folder / "open").unlink()
    try:
        state(page)
        if part := STATES[state]:
            expect(page.locator(part).filter(visible=True).first).to_be_visible()
        check(page, state.__name__, part)
    finally:
        (folder / "open").touch()


def test_who_has_used_up_his_runs_meets_no_barrier(browser: Browser, folder: Path) -> None:
    with (
        serving(page_server(folder, "1", "1")) as served,
        tab(browser, served.address) as page,
    ):
        completed(page)
        ask(page, goto=False)
        expect(page.get_by_role("alert").filter(has_text="runs")).to_be_visible()
        check(page, "over_quota", ".problem")


def test_a_barrier_is_found(page: Page) -> None:
    landing(page)
    page.add_style_tag(content=".answering { color: #ccc !important; }")
    assert {barrier.split(":")[0] for barrier in barriers(page)} >= {"serious color-contrast"}
