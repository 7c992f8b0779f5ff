"""Pages without script: a finished sample on the first visit, and runs as they are shared."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, expect

from deepcritical import research
from deepcritical.interfaces.shared_pages import sample_report
from tests.conftest import DEMO_QUESTION
from tests.e2e.pages import assert_fits, browser
from tests.servers.commands import forked_command
from tests.servers.serving import Served, get, serving

__all__ = ["browser"]

ASKED = {"tool": "research", "question": DEMO_QUESTION}
COMMAND = (forked_command(), "serve", "--port", "0")


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with serving(COMMAND) as one:
        yield one


def _preview(text: str) -> dict[str, str]:
    return dict(re.findall(r'<meta property="og:(\w+)" content="([^"]*)">', text))


def _is_card(picture: bytes) -> bool:
    return picture[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", picture[16:24]) == (
        1200,
        630,
    )


@pytest.mark.parametrize("width", [1280, 390])
def test_the_first_visit_shows_a_finished_brief(
    served: Served, browser: Browser, width: int
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.goto(served.address)
    sample = page.get_by_role("region", name="Sample")
    expect(sample.get_by_role("heading", level=1)).to_contain_text("what the evidence shows")
    answer = sample.locator(".answer")
    box = answer.bounding_box()
    assert box is not None
    assert width < 800 or box["y"] < 400
    answer.get_by_role("button").first.click()
    expect(page.locator(":popover-open")).to_be_visible()
    assert_fits(page)
    page.close()


def test_the_sample_goes_when_a_run_is_opened(served: Served, browser: Browser) -> None:
    started = httpx.post(
        f"{served.address}/api/runs", json=ASKED, trust_env=False, timeout=60
    ).json()
    page = browser.new_page()
    page.goto(f"{served.address}/?run={started['id']}")
    expect(page.get_by_role("tab", name="Report")).to_be_visible(timeout=60_000)
    expect(page.get_by_role("region", name="Sample")).to_have_count(0)
    page.close()


def test_a_run_is_read_and_previewed_without_script(served: Served, browser: Browser) -> None:
    started = httpx.post(
        f"{served.address}/api/runs", json=ASKED, trust_env=False, timeout=60
    ).json()
    get(f"{served.address}/api/runs/{started['id']}/events")  # up to its end
    address = f"{served.address}/r/{started['id']}"
    answer = get(address)
    told = _preview(answer.text)
    assert "what the evidence shows" in told["title"]
    assert told["description"]
    assert _is_card(get(told["image"]).content)
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    page = browser.new_page(java_script_enabled=False, viewport={"width": 390, "height": 844})
    page.goto(address)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_text("Summary of findings")).to_be_visible()
    link = page.get_by_role("link", name="Ask about this run")
    expect(link).to_have_attribute("href", f"/?run={started['id']}")
    page.close()


def test_what_is_not_there_and_what_is_under_way_have_no_page(served: Served) -> None:
    assert get(f"{served.address}/r/no-such-run").status_code == 404
    assert get(f"{served.address}/r/no-such-run/card.png").status_code == 404


def test_the_sample_has_a_page_with_a_picture(served: Served) -> None:
    told = _preview(get(f"{served.address}/sample").text)
    assert _is_card(get(told["image"]).content)


@pytest.mark.slow
def test_private_runs_have_no_page_for_strangers() -> None:
    more = {"DEEPCRITICAL_TOKENS": "anna:a-long-token-of-anna,ben:a-long-token-of-ben"}
    with serving(COMMAND, more) as one:
        anna = {"Authorization": "Bearer a-long-token-of-anna"}
        runs = f"{one.address}/api/runs"
        run = httpx.post(runs, json=ASKED, headers=anna, trust_env=False, timeout=60).json()["id"]
        get(f"{runs}/{run}/events", headers=anna)
        ben = {"Authorization": "Bearer a-long-token-of-ben"}
        for path in (f"/r/{run}", f"/r/{run}/card.png"):
            assert get(f"{one.address}{path}", headers=anna).status_code == 200
            assert get(f"{one.address}{path}", headers=ben).status_code in (403, 404)
            assert get(f"{one.address}{path}").status_code == 401


@pytest.mark.slow
def test_the_sample_is_what_the_command_gives_today() -> None:
    """Else write it anew: `deepcritical research ... --snapshot demo --out FOLDER`, report.json."""
    kept = sample_report()
    today = research(kept.research_question, snapshot="demo")
    assert (today.title, today.verdict, today.brief) == (kept.title, kept.verdict, kept.brief)
