"""Permissions over HTTP: on loopback, beyond it, and on a public server."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest
from pydantic import SecretStr
from starlette.types import Receive, Scope, Send

from deepcritical.interfaces.access import (
    COOKIE_S,
    HEAVY_PER_MINUTE,
    OWNER_COOKIE,
    USERS_PER_ADDRESS,
    Access,
    Mode,
)
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from deepcritical.tools.http import SourceClient
from deepcritical.tools.pubmed.source import PubMed
from deepcritical.tools.rate_limiter import new_limiter
from tests.conftest import QUESTION, paper, run_service, snapshot
from tests.databases import fresh_database, raw_text
from tests.integration.test_api import gated, messages, served
from tests.servers.running import running

EVERYWHERE = "0.0.0.0"  # noqa: S104 - what is tested
ASKED = {"tool": "research", "question": QUESTION, "depth": "quick"}
ADA, BEN = "made-up-token-of-ada", "made-up-token-of-ben"
TOKENS = {"ada": SecretStr(ADA), "ben": SecretStr(BEN)}


class Site(NamedTuple):
    """A server that is bound to every address, and a client on loopback."""

    client: httpx.AsyncClient
    database: str


@asynccontextmanager
async def site_with(folder: Path, access: Access) -> AsyncIterator[Site]:
    with fresh_database("any", folder) as url:
        source = snapshot(folder / "records.jsonl", paper(1))
        runs = run_service(source, traces=ToolTraceService(Database(url)))
        async with served(runs, access, host=EVERYWHERE) as site:
            yield Site(site.client, url)
            await runs.close()


def by(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


async def begun(site: Site, headers: dict[str, str] | None = None) -> httpx.Response:
    """The answer to a start; what a browser would remember is forgotten."""
    answer = await site.client.post("/api/runs", json=ASKED, headers=headers)
    site.client.cookies.clear()
    return answer


async def own(site: Site, headers: dict[str, str]) -> list[str]:
    answer = await site.client.get("/api/runs", headers=headers)
    return [run["id"] for run in answer.json()["runs"]]


class TestTokens:
    @pytest.fixture
    async def site(self, tmp_path: Path) -> AsyncIterator[Site]:
        async with site_with(tmp_path, Access(Mode.TOKENS, TOKENS)) as site:
            yield site

    @pytest.mark.slow
    async def test_without_a_token_nothing_is_started_listed_stopped_or_deleted(
        self, site: Site
    ) -> None:
        at = (await begun(site, by(ADA))).headers["location"]
        for headers in ({}, by("made-up-token-of-nobody")):
            asked = (
                site.client.build_request("POST", "/api/runs", json=ASKED, headers=headers),
                site.client.build_request("GET", "/api/runs", headers=headers),
                site.client.build_request("POST", f"{at}/cancel", headers=headers),
                site.client.build_request("POST", f"{at}/write-now", headers=headers),
                site.client.build_request("POST", f"{at}/resume", headers=headers),
                site.client.build_request("DELETE", at, headers=headers),
            )
            for request in asked:
                answer = await site.client.send(request)
                assert answer.status_code == 401, request
                assert answer.headers["www-authenticate"].startswith("Bearer")
                assert "token" in answer.json()["detail"]
                assert answer.json()["advice"]

    @pytest.mark.slow
    async def test_a_run_is_read_by_its_owner_or_with_his_link_alone(self, site: Site) -> None:
        at = (await begun(site, by(ADA))).headers["location"]
        events = messages((await site.client.get(f"{at}/events", headers=by(ADA))).text)
        assert events[-1]["event"]["type"] == "run_completed"
        link = await site.client.post(f"{at}/share", headers=by(ADA))
        assert link.status_code == 201
        read: tuple[tuple[str, str], ...] = (
            ("GET", at),
            ("GET", f"{at}/events"),
            ("GET", f"{at}/export/md"),
            ("GET", f"{at}/views/report"),
            ("POST", f"{at}/verdict"),
        )
        for method, path in read:
            seen = {
                name: (
                    await site.client.request(
                        method,
                        path,
                        headers=headers,
                        params=params,
                        json={} if method == "POST" else None,
                    )
                ).status_code
                for name, headers, params in (
                    ("owner", by(ADA), {}),
                    ("link", {}, {"share": link.json()["share"]}),
                    ("other", by(BEN), {}),
                    ("nobody", {}, {}),
                    ("forged", {}, {"share": "f" * 8 + "." + "A" * 43}),
                )
            }
            wanted = {"owner": 200, "link": 200, "other": 403, "nobody": 401, "forged": 401}
            assert seen == wanted, path

    @pytest.mark.slow
    async def test_a_link_opens_one_run_and_changes_nothing(self, site: Site) -> None:
        at, other = [(await begun(site, by(ADA))).headers["location"] for _ in range(2)]
        asked = {"hours": 1}
        link = (await site.client.post(f"{at}/share", headers=by(ADA), json=asked)).json()
        left = datetime.fromisoformat(link["expires_at"]) - datetime.now(UTC)
        assert timedelta(minutes=55) < left <= timedelta(hours=1)
        params = {"share": link["share"]}
        assert (await site.client.get(other, params=params)).status_code == 401
        for method, path in (
            *(("POST", f"{at}/{what}") for what in ("cancel", "write-now", "resume", "share")),
            ("DELETE", at),
            ("GET", "/api/runs"),
        ):
            refused = await site.client.request(method, path, params=params)
            assert refused.status_code == 401, path
        too_long = await site.client.post(f"{at}/share", headers=by(ADA), json={"hours": 2161})
        assert too_long.status_code == 422
        assert (await site.client.post(f"{at}/share", headers=by(BEN))).status_code == 403

    @pytest.mark.slow
    async def test_a_browser_with_a_link_gets_the_page_and_the_run(self, site: Site) -> None:
        at, other = [(await begun(site, by(ADA))).headers["location"] for _ in range(2)]
        link = (await site.client.post(f"{at}/share", headers=by(ADA))).json()
        assert (await site.client.get("/?run=made-up&share=made-up")).status_code == 401
        # 404, for this site has no page: the request has passed the gate.
        opened = await site.client.get(link["page"])
        assert opened.status_code == 404
        (cookie,) = opened.headers.get_list("set-cookie")
        assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(cookie.split("; "))
        # Then the browser sends the cookie, and the scripts of the page no link.
        assert (await site.client.get("/gradio_api/queue/join")).status_code == 404
        assert (await site.client.get(at)).status_code == 200
        assert (await site.client.get(other)).status_code == 401
        assert (await site.client.get("/api/runs")).status_code == 401

    @pytest.mark.slow
    async def test_what_is_no_run_is_told_to_users_alone(self, site: Site) -> None:
        for path in ("/api/runs/made-up", "/api/runs/made-up/events"):
            assert (await site.client.get(path)).status_code == 401
            assert (await site.client.get(path, headers=by(ADA))).status_code == 404

    async def test_a_claim_is_checked_for_users_alone(self, site: Site) -> None:
        claim = {"claim": "It helps.", "references": [{"title": "Made up", "text": "It helps."}]}
        answers = [
            (await site.client.post("/api/verify", json=claim, headers=headers)).status_code
            for headers in ({}, by("made-up-token-of-nobody"), by(ADA))
        ]
        assert answers == [401, 401, 200]

    @pytest.mark.slow
    async def test_a_run_is_its_owners_alone(self, site: Site) -> None:
        answer = await begun(site, by(ADA))
        at, run_id = answer.headers["location"], answer.json()["id"]
        assert answer.json()["owner_token"] == ""
        await site.client.get(f"{at}/events", headers=by(ADA))
        assert await own(site, by(ADA)) == [run_id]
        assert await own(site, by(BEN)) == []
        for method, path in (
            *(("POST", f"{at}/{what}") for what in ("cancel", "write-now", "resume")),
            ("DELETE", at),
        ):
            refused = await site.client.request(method, path, headers=by(BEN))
            assert refused.status_code == 403, path
        behind = await site.client.get("/api/runs", params={"before": run_id}, headers=by(BEN))
        assert behind.json()["runs"] == []
        assert (await site.client.delete(at, headers=by(ADA))).status_code == 204

    @pytest.mark.slow
    async def test_no_token_is_kept_or_told(
        self, site: Site, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.DEBUG, "deepcritical")
        answer = await begun(site, by(ADA))
        at = answer.headers["location"]
        events = await site.client.get(f"{at}/events", headers=by(ADA))
        assert "run_completed" in events.text
        told = f"{answer.headers}{answer.text}{events.text}"
        kept = await asyncio.to_thread(raw_text, site.database)
        assert ADA not in told + kept + caplog.text

    async def test_a_browser_is_asked_for_the_token_and_gets_the_page_with_it(
        self, site: Site
    ) -> None:
        for path in ("/", "/gradio_api/queue/join"):
            refused = await site.client.get(path)
            assert refused.status_code == 401
            assert refused.headers["www-authenticate"].startswith("Basic")
        # 404, for this site has no page: the request has passed the gate.
        assert (await site.client.get("/", auth=("anybody", ADA))).status_code == 404

    @pytest.mark.parametrize("path", ["/api/health", "/api/sources", "/api/openapi.json"])
    async def test_what_tells_of_nobody_needs_no_token(self, site: Site, path: str) -> None:
        assert (await site.client.get(path)).status_code == 200


class TestPublic:
    @pytest.fixture
    async def site(self, tmp_path: Path) -> AsyncIterator[Site]:
        async with site_with(tmp_path, Access(Mode.PUBLIC, runs_per_hour=2)) as site:
            yield site

    @pytest.mark.slow
    async def test_whoever_sends_no_token_gets_one_and_owns_his_runs_by_it(
        self, site: Site
    ) -> None:
        first, other = await begun(site), await begun(site)
        await site.client.get(f"{first.headers['location']}/events")  # it is kept by its end
        token = first.json()["owner_token"]
        assert token != other.json()["owner_token"]
        assert await own(site, by(token)) == [first.json()["id"]]
        assert await own(site, {"Cookie": f"{OWNER_COOKIE}={token}"}) == [first.json()["id"]]
        assert await own(site, {}) == []
        refused = await site.client.post(f"{other.headers['location']}/cancel", headers=by(token))
        assert refused.status_code == 403
        kept = await asyncio.to_thread(raw_text, site.database)
        assert token not in kept

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("scheme", "framed"),
        [("http", {"SameSite=Lax"}), ("https", {"SameSite=None", "Secure", "Partitioned"})],
    )
    async def test_a_browser_keeps_it_where_no_script_reads_it(
        self, site: Site, scheme: str, framed: set[str]
    ) -> None:
        told = {"X-Forwarded-Proto": scheme}
        page = await site.client.get("/", headers=told)
        site.client.cookies.clear()
        for answer in (page, await begun(site, told)):
            (cookie,) = answer.headers.get_list("set-cookie")
            value, *attributes = cookie.split("; ")
            assert re.fullmatch(rf"{OWNER_COOKIE}=anonymous-[\w-]{{43}}", value)
            assert set(attributes) == {"HttpOnly", "Path=/", f"Max-Age={COOKIE_S}"} | framed

    @pytest.mark.slow
    async def test_another_site_does_nothing_by_it(self, site: Site) -> None:
        first = await begun(site)
        at, token = first.headers["location"], first.json()["owner_token"]
        for origin in ("https://other.example", "null"):
            sent = {"Cookie": f"{OWNER_COOKIE}={token}", "Origin": origin}
            for method, path in (
                ("POST", "/api/runs"),
                *(("POST", f"{at}/{what}") for what in ("cancel", "write-now", "resume")),
                ("DELETE", at),
            ):
                refused = await site.client.request(method, path, headers=sent)
                assert "other sites" in refused.json()["detail"], (origin, path)
                assert refused.status_code == 403

    @pytest.mark.slow
    async def test_a_known_browser_gets_no_second_cookie(self, site: Site) -> None:
        await site.client.get("/")
        assert OWNER_COOKIE in site.client.cookies
        assert "set-cookie" not in (await site.client.get("/")).headers
        answer = await site.client.post("/api/runs", json=ASKED)
        assert answer.json()["owner_token"] == ""

    async def test_a_user_starts_no_more_than_his_quota(self, site: Site) -> None:
        token = (await begun(site)).json()["owner_token"]
        assert (await begun(site, by(token))).status_code == 202
        refused = await begun(site, by(token))
        assert refused.status_code == 429
        assert 3590 < int(refused.headers["retry-after"]) <= 3601
        assert refused.json()["advice"]

    @pytest.mark.slow
    async def test_nor_does_an_address_with_new_users(self, site: Site) -> None:
        answers = [(await begun(site)).status_code for _ in range(2 * USERS_PER_ADDRESS + 1)]
        assert answers == [202] * (2 * USERS_PER_ADDRESS) + [429]

    @pytest.mark.slow
    async def test_nor_does_it_have_claims_checked_without_end(self, site: Site) -> None:
        claim = {"claim": "It helps.", "references": [{"title": "Made up", "text": "It helps."}]}
        answers = [
            (await site.client.post("/api/verify", json=claim)).status_code
            for _ in range(HEAVY_PER_MINUTE + 1)
        ]
        assert answers == [200] * HEAVY_PER_MINUTE + [429]


async def test_on_loopback_nobody_needs_a_token(tmp_path: Path) -> None:
    runs, gate = gated(tmp_path)
    async with served(runs) as site:
        answer = await site.client.post("/api/runs", json=ASKED)
        assert answer.status_code == 202
        assert answer.json()["owner_token"] == ""
        assert "set-cookie" not in answer.headers
        at = answer.headers["location"]
        assert (await site.client.post(f"{at}/cancel")).status_code == 202
        gate.set()


class Hanging:
    """A source's server that never answers, and knows who waits."""

    def __init__(self) -> None:
        self.waiting = 0
        self.asked = asyncio.Event()
        self.left = asyncio.Event()

    async def __call__(self, _scope: Scope, receive: Receive, _send: Send) -> None:
        self.waiting += 1
        self.asked.set()
        while (await receive())["type"] != "http.disconnect":
            pass
        self.waiting -= 1
        if not self.waiting:
            self.left.set()


async def test_a_run_that_is_cancelled_asks_nobody_any_more() -> None:
    hanging = Hanging()
    async with running(hanging) as url:
        client = SourceClient("PubMed", url, limiter=new_limiter(100), timeout_s=60, attempt_s=60)
        runs = run_service([PubMed(client)])
        async with served(runs) as site:
            at = (await site.client.post("/api/runs", json=ASKED)).headers["location"]
            async with asyncio.timeout(60):
                await hanging.asked.wait()
            async with asyncio.timeout(20):  # who goes on asking does so for the source's 30 s
                assert (await site.client.post(f"{at}/cancel")).status_code == 202
                await hanging.left.wait()
                await site.client.get(f"{at}/events")  # up to its end
            assert (await site.client.get(at)).json()["status"] == "cancelled"
        await client.aclose()
