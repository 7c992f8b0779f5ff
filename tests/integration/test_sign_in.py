"""Sign-in at a provider on loopback: whose runs they are, and what is refused."""

from __future__ import annotations

import json
import time
from base64 import b64decode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from pydantic import SecretStr

from deepcritical.domain.errors import ConfigurationError
from deepcritical.interfaces.access import Access, Mode
from deepcritical.interfaces.main import _signing_in
from deepcritical.interfaces.sign_in import AWAY, COOKIE, DENIED, OVER, UNCONFIRMED, UNKNOWN, SignIn
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from deepcritical.settings import Settings
from tests.conftest import QUESTION, paper, run_service, snapshot
from tests.databases import fresh_database
from tests.integration.test_api import served
from tests.servers.openid import CLIENT, DESCRIPTION, SCOPES, SECRET, TOKEN, Provider, token_of
from tests.servers.running import running

ASKED = {"tool": "research", "question": QUESTION, "depth": "quick"}
PUBLIC_URL = "http://localhost:7860"


@dataclass
class Site:
    """A public server, its provider, and a client that may forget who it is."""

    client: httpx.AsyncClient
    provider: Provider
    sign_in: SignIn

    async def sent_to(self, visitor: str, path: str = "/login/huggingface") -> str:
        """Begin, and let the provider answer; the address that it sends the visitor back to."""
        begun = await self.client.get(path)
        assert begun.status_code == 302, begun.text
        async with httpx.AsyncClient(cookies={"visitor": visitor} if visitor else {}) as browser:
            answer = await browser.get(begun.headers["location"])
        back = urlsplit(answer.headers["location"])
        assert f"{back.scheme}://{back.netloc}" == self.sign_in.address
        return f"{back.path}?{back.query}"

    async def enter(self, visitor: str, path: str = "/login/huggingface") -> httpx.Response:
        return await self.client.get(await self.sent_to(visitor, path))

    async def listed(self) -> list[str]:
        runs = (await self.client.get("/api/runs")).json()["runs"]
        return [run["id"] for run in runs]

    async def start(self) -> str:
        started = await self.client.post("/api/runs", json=ASKED)
        assert started.status_code == 202, started.text
        return str(started.json()["id"])


@asynccontextmanager
async def site_at(
    folder: Path, address: str = PUBLIC_URL, scopes: str = SCOPES
) -> AsyncIterator[Site]:
    provider = Provider()
    async with running(provider.app) as at:
        access = Access(Mode.PUBLIC)
        access.sign_in = SignIn(address, CLIENT, SecretStr(SECRET), scopes, at)
        with fresh_database("any", folder) as url:
            source = snapshot(folder / "records.jsonl", paper(1))
            runs = run_service(source, traces=ToolTraceService(Database(url)))
            async with served(runs, access) as api:
                api.client.headers["Host"] = urlsplit(address).netloc
                yield Site(api.client, provider, access.sign_in)
                await runs.close()


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    async with site_at(tmp_path) as site:
        yield site


async def test_runs_are_those_of_the_account_in_every_browser(site: Site) -> None:
    before = await site.start()
    as_anonymous = httpx.Cookies(site.client.cookies)
    assert (await site.enter("ada")).status_code == 303
    run_id = await site.start()
    assert await site.listed() == [run_id]
    site.client.cookies.clear()
    await site.enter("ben")
    assert await site.listed() == []
    assert (await site.client.delete(f"/api/runs/{run_id}")).status_code == 403
    site.client.cookies.clear()
    await site.enter("ada")
    assert await site.listed() == [run_id]
    # What was begun before stays the browser's: it is there again after the sign-out.
    site.client.cookies.update(as_anonymous)
    assert await site.listed() == [run_id]
    assert (await site.client.post("/logout")).status_code == 204
    assert await site.listed() == [before]


async def test_a_visitor_comes_back_to_his_run_and_to_no_other_site(site: Site) -> None:
    evil = "_target_url=https://evil.example/&next=//evil.example"
    answer = await site.client.get(await site.sent_to("ada") + f"&{evil}")
    assert answer.headers["location"] == "/"
    for run, at in (("one-run", "/?run=one-run"), ("/evil.example", "/?run=%2Fevil.example")):
        answer = await site.enter("ada", f"/login/huggingface?run={run}&{evil}")
        assert answer.headers["location"] == at


async def test_who_did_not_begin_here_is_not_signed_in(site: Site) -> None:
    back = await site.sent_to("ada")
    begun = httpx.Cookies(site.client.cookies)
    site.client.cookies.clear()  # another browser is sent to the address, as by a link
    assert (await site.client.get(back)).status_code == 400
    assert COOKIE not in site.client.cookies
    site.client.cookies.update(begun)
    assert (await site.client.get(back.replace("state=", "state=x"))).status_code == 400
    assert (await site.client.get(back)).status_code == 303


async def test_an_answer_to_another_request_signs_nobody_in(site: Site) -> None:
    site.provider.nonce = "that of another request"
    answer = await site.enter("ada")
    assert (answer.status_code, UNCONFIRMED in answer.text) == (400, True)
    assert await account_name(site) == ""


async def test_who_says_no_is_told_so_without_words_of_others(site: Site) -> None:
    back = await site.sent_to("")
    others = "error_description=<b>call+us</b>"
    answer = await site.client.get(f"{back}&{others}")
    assert (answer.status_code, DENIED in answer.text) == (400, True)
    assert "call us" not in answer.text
    unknown = await site.client.get(f"{back.replace('access_denied', 'call+us')}&{others}")
    assert (unknown.status_code, UNKNOWN in unknown.text) == (400, True)
    assert "call us" not in unknown.text
    unasked = await site.client.get(f"/login/callback?error=access_denied&{others}")
    assert (unasked.status_code, OVER in unasked.text) == (400, True)
    assert "call us" not in unasked.text


async def test_of_two_tabs_the_first_is_told_to_begin_again(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = await site.sent_to("ada"), await site.sent_to("ada")
    answer = await site.client.get(first)
    assert (answer.status_code, OVER in answer.text) == (400, True)
    assert 'href="http://localhost:7860/login/huggingface"' in answer.text
    assert parse_qs(urlsplit(first).query)["code"][0] not in caplog.text
    assert (await site.client.get(second)).status_code == 303


async def test_who_begins_at_another_name_begins_at_the_address_of_the_server(site: Site) -> None:
    elsewhere = {"Host": "127.0.0.1:7860"}
    asked = "/login/huggingface?run=one-run"
    begun = await site.client.get(asked, headers=elsewhere)
    there = begun.headers["location"]
    assert (begun.status_code, there) == (302, f"{PUBLIC_URL}{asked}&here=1")
    assert COOKIE not in site.client.cookies
    # A proxy may ask with a host of its own: the visitor is sent on once.
    path = there.removeprefix(PUBLIC_URL)
    sent_on = await site.client.get(path, headers=elsewhere)
    assert urlsplit(sent_on.headers["location"]).path == "/oauth/authorize"
    assert (await site.enter("ada", path)).headers["location"] == "/?run=one-run"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        *((DESCRIPTION, body) for body in ("<html>", "{}", "[]")),
        *((TOKEN, body) for body in ("<html>", "{}", "[]")),
        *(
            (TOKEN, f'{{"access_token": "a-secret", "expires_in": {s}}}')
            for s in ('"soon"', "1e999")
        ),
    ],
)
async def test_an_answer_of_the_provider_that_cannot_be_used_is_told(
    site: Site, path: str, body: str, caplog: pytest.LogCaptureFixture
) -> None:
    site.provider.instead[path] = body
    at = "/login/huggingface" if path == DESCRIPTION else await site.sent_to("ada")
    answer = await site.client.get(at)
    assert (answer.status_code, AWAY in answer.text) == (502, True)
    assert ("signs nobody in" in caplog.text, "a-secret" in caplog.text) == (True, False)
    site.provider.instead.clear()
    assert (await site.enter("ada")).status_code == 303


async def test_tokens_that_expired_are_forgotten_at_the_next_sign_in(site: Site) -> None:
    await site.enter("ada")
    ((key, (token, _)),) = site.sign_in._tokens.items()
    site.sign_in._tokens[key] = token, time.time() - 1
    await site.enter("ben")
    tokens = [token for token, _ in site.sign_in._tokens.values()]
    assert [token.get_secret_value() for token in tokens] == [token_of("ben")]


async def test_no_other_site_signs_a_visitor_out(site: Site) -> None:
    await site.enter("ada")
    for origin in ("https://evil.example", "null"):
        answer = await site.client.post("/logout", headers={"Origin": origin})
        assert answer.status_code == 403
    assert (await site.client.get("/logout")).status_code == 405
    assert await account_name(site) == "ada"


async def test_the_cookie_holds_no_token_and_none_is_believed_that_was_changed(site: Site) -> None:
    answer = await site.enter("ada")
    (set_cookie,) = answer.headers.get_list("set-cookie")
    assert {"httponly", "samesite=lax", "path=/"} <= set(set_cookie.lower().split("; "))
    held = b64decode(site.client.cookies[COOKIE].strip('"').partition(".")[0] + "==").decode()
    assert (token_of("ada") in held, "sub-of-ada" in held, "ada" in held) == (False, False, True)
    tokens = [token for token, _ in site.sign_in._tokens.values()]
    assert [token.get_secret_value() for token in tokens] == [token_of("ada")]
    run_id = await site.start()
    head, _, signed = site.client.cookies[COOKIE].partition(".")
    site.client.cookies.clear()
    site.client.cookies.set(COOKIE, f"{head[:-4]}AAAA.{signed}")
    assert run_id not in await site.listed()


async def test_a_token_is_forgotten_at_the_sign_out(site: Site) -> None:
    await site.enter("ada")
    kept = httpx.Cookies(site.client.cookies)
    await site.client.post("/logout")
    assert COOKIE not in site.client.cookies
    assert site.sign_in._tokens == {}
    site.client.cookies.update(kept)  # as who copied the cookie would
    assert site.sign_in._tokens == {}


async def test_over_https_the_cookie_is_secure_and_sent_within_the_frame_of_a_space(
    tmp_path: Path,
) -> None:
    async with site_at(tmp_path, "https://answers.example.org", "openid") as site:
        asked = "/login/huggingface?here=1"
        answer = await site.client.get(asked, headers={"Host": "localhost"})
        sent = parse_qs(urlsplit(answer.headers["location"]).query)
        assert sent["redirect_uri"] == ["https://answers.example.org/login/callback"]
        assert sent["code_challenge_method"] == ["S256"]
        assert {"state", "nonce", "code_challenge"} <= set(sent)
        flags = set(answer.headers["set-cookie"].lower().split("; "))
        assert {"httponly", "secure", "samesite=none", "path=/"} <= flags
        assert answer.headers["set-cookie"].startswith(f"__Host-{COOKIE}=")
        assert not any(flag.startswith("domain") for flag in flags)
        assert "frame-ancestors" in answer.headers["content-security-policy"]


async def test_a_token_that_opens_no_model_is_not_kept(tmp_path: Path) -> None:
    async with site_at(tmp_path, scopes="openid profile") as site:
        assert (await site.enter("ada")).status_code == 303
        assert await account_name(site) == "ada"
        assert site.sign_in._tokens == {}


async def test_a_provider_that_is_away_is_told(tmp_path: Path) -> None:
    async with site_at(tmp_path) as site:
        site.sign_in.client._server_metadata_url = "http://127.0.0.1:1/nothing"
        answer = await site.client.get("/login/huggingface")
        assert (answer.status_code, AWAY in answer.text) == (502, True)


async def test_without_the_option_there_is_no_sign_in(tmp_path: Path) -> None:
    runs = run_service(snapshot(tmp_path / "records.jsonl", paper(1)))
    async with served(runs, Access(Mode.PUBLIC)) as api:
        assert (await api.client.get("/login/huggingface")).status_code == 404
        assert (await api.client.post("/logout")).status_code == 404


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"public": False}, "public server only"),
        ({"public_url": ""}, "does not know this server"),
        ({"oauth_client_id": ""}, "does not know this server"),
        ({"oauth_client_secret": None}, "does not know this server"),
    ],
)
def test_what_is_missing_for_the_sign_in_is_told_at_the_start(
    given: dict[str, Any], told: str
) -> None:
    known = {"public": True, "public_url": PUBLIC_URL, "oauth_client_id": CLIENT}
    settings = Settings(**{**known, "oauth_client_secret": SECRET, "space_host": "", **given})
    with pytest.raises(ConfigurationError, match=told):
        _signing_in(settings.public, *settings.sign_in_client)


def test_in_a_space_visitors_come_back_to_its_own_address() -> None:
    known: dict[str, Any] = {"oauth_client_id": CLIENT, "oauth_client_secret": SECRET}
    settings = Settings(space_host="team-space.hf.space,answers.example.org", **known)
    assert _signing_in(True, *settings.sign_in_client).address == "https://team-space.hf.space"


async def account_name(site: Site) -> str:
    """The name in the session's cookie, '' where nobody is signed in."""
    cookie = (site.client.cookies.get(COOKIE) or "").strip('"').partition(".")[0]
    kept = json.loads(b64decode(cookie)) if cookie else {}
    return str(kept["account"][1]) if "account" in kept else ""
