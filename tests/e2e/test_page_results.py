"""The results of a run, tab by tab, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from deepcritical.export.formats import ANSWER_FORMATS, FORMATS
from deepcritical.export.html import render_document
from tests.conftest import DEMO_QUESTION, QUESTION, paper, snapshot, trial
from tests.e2e import pages
from tests.e2e.pages import ask, assert_fits, browser, page_server, picture, tab, unfold
from tests.servers.commands import forked_command
from tests.servers.serving import get, serving
from tests.unit.export.briefs import brief_report

__all__ = ["browser"]

COMMAND = (forked_command(), "serve", "--port", "0")
REPORT_TABS = tuple("report studies evidence mechanism trials timeline trace downloads".split())
PARTS = ["report", "studies", "evidence", "mechanism", "trials", "timeline"]
ATTACKS = (
    "<img src=x onerror=\"document.title='owned'\">",
    "<script>document.title='owned'</script>",
    "<svg onload=\"document.title='owned'\"></svg>",
    "<iframe srcdoc=\"<script>parent.document.title='owned'</script>\"></iframe>",
    "<style>body{display:none}</style>",
    '<form action="https://evil.example"><input name=key></form>',
    "![x](https://evil.example/x.png)",
    "[here](javascript:document.title='owned')",
    "${document.title='owned'}",
    "{{ 7*7 }} {{{7*7}}}",
)
BAD = " ".join(ATTACKS)


class Site(NamedTuple):
    """A server of the bundled snapshot with two runs that have ended."""

    address: str
    report: str
    answer: str


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving(COMMAND) as served:
        tools = ("research", "deep_research")
        ids = [pages.ended_run(served.address, tool, DEMO_QUESTION) for tool in tools]
        yield Site(served.address, *ids)


@pytest.fixture
def page(browser: Browser, site: Site) -> Iterator[Page]:
    """The report of the bundled snapshot; nothing may go wrong in this tab."""
    with tab(browser, site.address) as page:
        page.goto(f"/?run={site.report}")
        expect(page.locator("#panel-report .verdict")).to_be_visible(timeout=60_000)
        yield page


@pytest.fixture(scope="module")
def one_page(browser: Browser, site: Site) -> Iterator[Page]:
    with tab(browser, site.address) as page:
        page.goto(f"/?run={site.report}")
        expect(page.locator("#panel-report .verdict")).to_be_visible(timeout=60_000)
        yield page


@pytest.fixture
def read(one_page: Page) -> Iterator[Page]:
    """The same report in one tab, for tests that look at it: what one opens is shut after it."""
    yield one_page
    pages.shut(one_page)
    one_page.locator("#tab-report").click()


def opened(page: Page, name: str) -> Locator:
    """The panel of a tab, filled."""
    page.locator(f"#tab-{name}").click()
    panel = page.locator(f"#panel-{name}")
    expect(panel.locator("h1, h2").first).to_be_visible()
    return panel


def test_tabs_follow_arrow_keys_and_the_address(page: Page) -> None:
    tabs = page.get_by_role("tab")
    assert [one.get_attribute("id") for one in tabs.all()] == [f"tab-{n}" for n in REPORT_TABS]
    tabs.first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#tab-studies")).to_be_focused()
    expect(page.locator("#tab-studies")).to_have_attribute("aria-selected", "true")
    report, beside = page.get_by_role("tabpanel").all()
    expect(report).to_have_attribute("aria-labelledby", "tab-report")
    expect(beside).to_have_attribute("aria-labelledby", "tab-studies")
    page.keyboard.press("End")
    expect(page).to_have_url(re.compile("#downloads$"))
    page.reload()
    expect(page.get_by_role("group", name="Downloads")).to_be_visible()
    page.locator("#tab-downloads").press("ArrowRight")
    expect(page.locator("#panel-report .verdict")).to_be_visible()
    expect(page).not_to_have_url(re.compile("#"))


def test_a_part_is_fetched_when_its_tab_is_first_opened(page: Page, site: Site) -> None:
    fetched: list[str] = []
    page.on("request", lambda request: fetched.extend(re.findall(r"/views/(\w+)", request.url)))
    for name in ("trials", "report", "trials"):
        opened(page, name)
    assert [name for name in fetched if name] == ["trials"]
    run = f"{site.address}/api/runs/{site.report}"
    parts = ("views/report", "views/sources", "events", "export/html")
    *shown, whole = (len(get(f"{run}/{part}").content) for part in parts)
    assert sum(shown) < 3 * whole


@pytest.mark.parametrize("name", PARTS)
def test_a_citation_opens_its_source_in_each_tab(read: Page, name: str) -> None:
    panel = opened(read, name)
    for folded in panel.locator(":is(.log, .fold) > summary").all():
        folded.click()
    chip = panel.get_by_role("button", name=re.compile("^Citation ")).first
    number = chip.inner_text()
    chip.click()
    source = read.get_by_role("dialog", name=f"Source {number}", exact=True)
    expect(source.locator(".text")).to_be_visible()
    expect(source.get_by_role("link", name="Open the record")).to_have_attribute(
        "href", re.compile("^https://")
    )
    read.keyboard.press("Escape")
    expect(source).to_be_hidden()
    expect(chip).to_be_focused()


def test_a_source_shows_the_passages_used_then_the_whole_text(read: Page) -> None:
    read.locator(".first").get_by_role("button", name="Citation 1: Koenig 2017").first.click()
    source = read.get_by_role("dialog", name="Source 1", exact=True)
    for said in ("Level 2", "low", "refutes", "Demo summary, not the abstract itself", "20 people"):
        expect(source).to_contain_text(said)
    expect(source.locator("mark").first).to_contain_text("Gains in learning/memory")
    expect(source.locator(".cut span").first).to_be_hidden()
    source.get_by_text("The whole text that was read").click()
    expect(source.locator(".cut span").first).to_be_visible()
    picture(read, "results-source-1440")


def test_steps_of_a_chain_open_their_evidence(read: Page) -> None:
    unfold(read)
    step = read.locator(".hypothesis").get_by_role(
        "button", name=re.compile("amyloid-β: increases .* but also")
    )
    step.first.click()
    dialog = read.get_by_role("dialog", name="Evidence on metformin → amyloid-β")
    expect(dialog.locator(".side-of")).to_have_text(["Increases", "Decreases"])
    expect(dialog.locator(".quote").first).to_contain_text("amyloid-β")


def test_contents_lead_to_a_part_and_open_it(page: Page) -> None:
    part = page.locator(".fold", has=page.locator("#part-limitations"))
    expect(part).not_to_have_attribute("open", "")
    contents = page.get_by_role("navigation", name="Contents")
    contents.get_by_role("link", name="Limitations").click()
    expect(part).to_have_attribute("open", "")
    expect(part.locator("summary")).to_be_focused()
    expect(part.locator("summary")).to_be_in_viewport()
    expect(page).not_to_have_url(re.compile("#"))


def test_evidence_is_filtered_and_sorted(read: Page) -> None:
    panel = opened(read, "evidence")
    shown, table = panel.get_by_role("status"), panel.locator("table.sortable")
    rows = table.locator("tbody tr:visible")
    total = rows.count()
    expect(shown).to_have_text(f"{total} of {total} shown")
    panel.get_by_label("Direction").select_option("refutes")
    expect(rows.locator(".badge.refutes")).to_have_count(rows.count())
    assert 0 < rows.count() < total
    expect(shown).to_have_text(f"{rows.count()} of {total} shown")
    panel.get_by_label("Filter", exact=True).fill("luo association")
    expect(rows).to_have_count(1)
    panel.get_by_role("button", name="Clear").click()
    expect(rows).to_have_count(total)
    panel.get_by_label("Since").fill("2024")
    years = [int(cell.inner_text()) for cell in rows.locator('[data-label="Year"]').all()]
    assert min(years) == 2024
    panel.get_by_role("button", name="Clear").click()
    people = table.get_by_role("button", name="People", exact=True)
    for ordered, first in (("ascending", 20), ("descending", 10_000)):
        people.click()
        expect(table.locator("[aria-sort]:not([aria-sort=none])")).to_have_attribute(
            "aria-sort", ordered
        )
        numbers = [
            int(text.replace(",", "")) for text in rows.locator(".number").all_inner_texts() if text
        ]
        assert numbers == sorted(numbers, reverse=ordered == "descending")
        assert numbers[0] >= first
        assert not rows.last.locator(".number").inner_text()
    rows.first.locator(".open").click()
    expect(read.get_by_role("dialog")).to_be_visible()
    picture(read, "results-evidence-1440")


def test_the_table_of_studies_is_sorted(page: Page) -> None:
    shown = render_document(brief_report())
    page.route("**/views/report", lambda route: route.fulfill(body=shown))
    page.reload()
    unfold(page)
    table = page.get_by_role("table", name="Studies", exact=True)
    names = table.locator("tbody tr td:first-child")
    for ordered, first in (("ascending", "Invented 2021"), ("descending", "Pomilius 2022")):
        table.get_by_role("button", name="Certainty").click()
        expect(table.locator("[aria-sort]:not([aria-sort=none])")).to_have_attribute(
            "aria-sort", ordered
        )
        expect(names.first).to_contain_text(first)
    assert_fits(page)
    picture(page, "results-studies-1440")


def test_what_was_not_used_is_told_with_its_reasons(read: Page) -> None:
    panel = opened(read, "evidence")
    expect(panel).to_contain_text("does not name metformin")
    panel.get_by_role("link", name="How this was assessed").click()
    expect(read.locator("#panel-report .fold[open] h2")).to_have_text("How this was assessed")
    expect(read.locator("#panel-report .fold[open] h2")).to_be_in_viewport()


def test_an_edge_of_the_graph_opens_its_evidence(read: Page) -> None:
    panel = opened(read, "mechanism")
    edge = panel.get_by_role("button", name=re.compile(r"^metformin → AMPK: increases \["))
    edge.focus()
    read.keyboard.press("Enter")
    dialog = read.get_by_role("dialog", name="Evidence on metformin → AMPK")
    expect(dialog).to_be_focused()
    picture(read, "results-mechanism-1440")
    citation = dialog.get_by_role("button", name=re.compile(r"^Citation \d+")).first
    number = re.search(r"\d+", citation.inner_text() or citation.get_attribute("aria-label") or "")
    assert number
    citation.click()
    source = read.get_by_role("dialog", name=f"Source {number.group()}", exact=True)
    expect(source).to_be_visible()
    read.keyboard.press("Escape")
    read.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(edge).to_be_focused()


def test_a_mark_of_the_timeline_opens_its_source(read: Page) -> None:
    panel = opened(read, "timeline")
    panel.get_by_role("button", name=re.compile(r"^\[1\] Koenig 2017: level 2")).click()
    expect(read.get_by_role("dialog", name="Source 1", exact=True)).to_be_visible()
    picture(read, "results-timeline-1440")


def test_the_trace_tells_rounds_queries_and_outcomes(read: Page) -> None:
    panel = opened(read, "trace")
    expect(panel.get_by_role("heading", name="Round 1")).to_be_visible()
    first = panel.locator("table.queries tbody tr").first.locator("td")
    expect(first.nth(1)).to_have_text("metformin Alzheimer's disease")
    expect(first.nth(2)).to_have_text("data")
    assert int(first.nth(3).inner_text()) >= int(first.nth(4).inner_text()) > 0
    expect(panel).to_contain_text("No model was asked")


def test_an_answer_has_its_own_tabs_and_its_checklist(browser: Browser, site: Site) -> None:
    with tab(browser, site.address) as page:
        page.goto(f"/?run={site.answer}")
        names = ["report", "evidence", "trace", "downloads"]
        expect(page.get_by_role("tab")).to_have_count(len(names), timeout=60_000)
        assert [t.get_attribute("id") for t in page.get_by_role("tab").all()] == [
            f"tab-{n}" for n in names
        ]
        expect(page.locator("#panel-report")).to_contain_text("Checklist")
        headings = opened(page, "evidence").locator(".sortable th").all_inner_texts()
        assert "Design" in " ".join(headings)
        assert "Direction" not in " ".join(headings)
        expect(opened(page, "trace").locator(".badge.satisfied").first).to_be_visible()
        picture(page, "results-answer-trace-1440")
        links = opened(page, "downloads").get_by_role("link")
        assert [link.inner_text() for link in links.all()] == [
            f.name for f in ANSWER_FORMATS.values()
        ]


def test_each_download_answers_with_what_it_names(read: Page, site: Site) -> None:
    links = opened(read, "downloads").get_by_role("link").all()
    assert [link.inner_text() for link in links] == [form.name for form in FORMATS.values()]
    for link, form in zip(links, FORMATS.values(), strict=True):
        path = link.get_attribute("href")
        assert path == f"/api/runs/{site.report}/export/{form.suffix}"
        answer = read.request.get(path)
        assert answer.status == 200
        assert answer.headers["content-type"].startswith(form.media_type)
        assert len(answer.body()) > 100


def test_an_unknown_part_is_refused(site: Site) -> None:
    for name, run, status in (
        ("nothing", site.report, 404),
        ("mechanism", site.answer, 404),
        ("report", "nobody", 404),
    ):
        found = get(f"{site.address}/api/runs/{run}/views/{name}")
        assert found.status_code == status


def test_a_part_that_does_not_arrive_can_be_asked_for_again(page: Page) -> None:
    page.route("**/views/trials", lambda route: route.fulfill(status=502))
    page.locator("#tab-trials").click()
    alert = page.locator("#panel-trials").get_by_role("alert")
    expect(alert).to_contain_text("could not be loaded")
    page.unroute("**/views/trials")
    alert.get_by_role("button", name="Try again").click()
    expect(page.locator("#panel-trials")).to_contain_text("NCT04098666")


def test_every_tab_fits_a_wide_screen_and_a_phone(page: Page) -> None:
    unfold(page)
    for width, height in ((1440, 900), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        for name in REPORT_TABS:
            opened(page, name)
            assert_fits(page)
            picture(page, f"results-{name}-{width}")
            if name != "report":
                page.get_by_role("button", name="Close the panel").click()
    page.get_by_label("Your question").scroll_into_view_if_needed()
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_in_viewport()


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server whose records try to be markup in every field that is shown."""
    folder = tmp_path_factory.mktemp("hostile")
    words = {"title": f"Examplol in testitis {BAD}", "journal": BAD, "note": BAD}
    said = f"Results: Examplol significantly improved testitis {BAD}. Examplol {BAD}."
    stopped = {"status": "Terminated", "why_stopped": f"Slow recruitment {BAD}", **words}
    records = (
        paper(1, text=said, authors=[BAD], url="javascript:document.title='owned'", **words),
        paper(2),
        trial(3),
        trial(4, **stopped, phase=BAD),
    )
    snapshot(folder / "records.jsonl", *records)
    (folder / "open").touch()
    with serving(page_server(folder)) as served:
        yield served.address


def test_stopped_trials_come_first_with_their_reason(browser: Browser, hostile: str) -> None:
    with tab(browser, hostile) as page:
        ask(page)
        rows = opened(page, "trials").locator("tbody tr")
        expect(rows).to_have_count(2)
        expect(rows.first).to_contain_text("terminated")
        expect(rows.first).to_contain_text("Slow recruitment")
        expect(rows.first).to_contain_text("classed as enrolment")
        expect(rows.last).to_contain_text("completed")
        expect(rows.last.get_by_role("link", name="NCT99000003")).to_be_visible()


@pytest.mark.parametrize(
    ("question", "telling"),
    [(QUESTION, ("report", "evidence", "trials")), (f"{QUESTION} {BAD}", ("report", "trace"))],
    ids=["records", "question"],
)
def test_markup_is_inert_in_every_tab(
    browser: Browser, hostile: str, question: str, telling: tuple[str, ...]
) -> None:
    with tab(browser, hostile) as page:
        ask(page, question)
        for name in REPORT_TABS:
            opened(page, name)
        for source in page.locator(".source").all():
            source.evaluate("source => source.showPopover()")
            source.evaluate("source => source.hidePopover()")
        for name in telling:
            for said in ("<iframe srcdoc", "${document.title", "{{ 7*7 }} {{{7*7}}}"):
                expect(page.locator(f"#panel-{name}")).to_contain_text(said)
        assert_inert(page.locator(".results"))
        assert page.title() == "DeepCritical"


def assert_inert(place: Locator) -> None:
    assert place.locator("img, script, iframe, style, form:not(.filters)").count() == 0
    handlers = "all => all.flatMap(e => [...e.attributes]).filter(a => /^on/.test(a.name)).length"
    assert place.locator("*").evaluate_all(handlers) == 0
    links = {link.get_attribute("href") or "" for link in place.locator("[href]").all()}
    assert all(re.match("https?://|/api/runs/|#", link) for link in links)
    assert not any("evil" in link for link in links)
