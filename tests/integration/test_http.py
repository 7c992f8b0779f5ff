"""The client of every source, over real HTTP on loopback, with each of its two networks."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import tracemalloc
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import httpx
import pytest
from hishel import AsyncSqliteStorage

from deepcritical.domain.errors import ConfigurationError, RateLimitError, SearchError
from deepcritical.tools.http import ATTEMPTS, LONGEST_GET, SourceClient, _retry_after_s
from deepcritical.tools.network import MAX_BODY_BYTES
from deepcritical.tools.rate_limiter import limiter_for, new_limiter
from tests.limiters import Noted
from tests.servers.scripted import NETWORKS, Make, OverHTTP, Server, refuse


class TestAnswer(OverHTTP):
    async def test_the_body_and_the_parameters(self, make: Make, server: Server) -> None:
        payload = await make().get("data", {"q": 'a "b" & c|d[e]', "n": 3})
        assert payload == (b'{"answer": 1}', False)
        assert dict(server.asked[0].query_params) == {"q": 'a "b" & c|d[e]', "n": "3"}
        assert "DeepCritical" in server.asked[0].headers["user-agent"]

    async def test_a_form_is_posted(self, make: Make, server: Server) -> None:
        await make().get("data", {"id": "1," * LONGEST_GET, "n": 3}, form_path="data")
        assert server.asked[0].method == "POST"
        assert server.bodies == [b"id=" + b"1%2C" * LONGEST_GET + b"&n=3"]

    async def test_a_packed_body_is_unpacked(self, make: Make, server: Server) -> None:
        whole = json.dumps({"text": "made up " * 50_000}).encode()
        server.body = gzip.compress(whole)
        server.headers["content-encoding"] = "gzip"
        assert (await make().get("data", {})).content == whole

    @pytest.mark.parametrize("text", ["x" * 100_000, "\ud800"], ids=["long", "surrogate"])
    async def test_what_cannot_be_an_address_is_a_search_error(
        self, make: Make, server: Server, text: str
    ) -> None:
        with pytest.raises(SearchError, match="cannot be sent to Made Up"):
            await make().get("data", {"q": text})
        assert server.asked == []


@pytest.mark.parametrize(
    ("asked", "least", "most"),
    [("7", 7, 7), ("0.5", 0.5, 0.5), ("3600", 3600, 3600), ("Wed, 21 Oct 2015 07:28:00 GMT", 0, 0)],
)
def test_the_wait_asked_for_is_a_number_or_a_date(asked: str, least: float, most: float) -> None:
    wait_s = _retry_after_s(httpx.Response(429, headers={"retry-after": asked}))
    assert wait_s is not None
    assert least <= wait_s <= most


def test_the_wait_until_a_date_is_counted_from_now() -> None:
    # Not a parameter: those are made when tests are collected, minutes before this one runs.
    tomorrow = format_datetime(datetime.now(UTC) + timedelta(days=1), usegmt=True)
    wait_s = _retry_after_s(httpx.Response(429, headers={"retry-after": tomorrow}))
    assert wait_s is not None
    assert 86_390 <= wait_s <= 86_400


@pytest.mark.parametrize("asked", ["", "soon", "Wed, 21 Oct 2015 07:28:00"])
def test_no_wait_is_made_up(asked: str) -> None:
    assert _retry_after_s(httpx.Response(429, headers={"retry-after": asked})) is None


class TestRetry(OverHTTP):
    @pytest.mark.parametrize("fault", ["429", "429 after", "500", "reset", "truncated"])
    async def test_what_passes_is_asked_for_again(
        self, make: Make, server: Server, fault: Any
    ) -> None:
        server.faults.on(fault, times=ATTEMPTS - 1)
        assert (await make().get("data", {})).content == b'{"answer": 1}'
        assert server.faults.requests == ATTEMPTS

    @pytest.mark.parametrize("fault", ["429", "500", "reset"])
    async def test_a_form_is_sent_again_whole(self, make: Make, server: Server, fault: Any) -> None:
        server.faults.on(fault, times=2)
        await make().get("data", {"id": "1" * 2_000}, form_path="data")
        assert server.bodies == [b"id=" + b"1" * 2_000]

    @pytest.mark.parametrize("fault", ["429", "500", "reset", "truncated"])
    async def test_attempts_have_an_end(self, make: Make, server: Server, fault: Any) -> None:
        server.faults.on(fault)
        with pytest.raises(SearchError) as caught:
            await make().get("data", {})
        assert server.faults.requests == ATTEMPTS
        assert caught.value.advice
        assert isinstance(caught.value, RateLimitError) is (fault == "429")

    async def test_nobody_there(self, make: Make) -> None:
        client = make()
        client._client.base_url = httpx.URL("http://127.0.0.1:1/")
        with pytest.raises(SearchError, match="cannot be reached"):
            await client.get("data", {})

    async def test_the_time_that_the_source_asks_for_is_waited(
        self, make: Make, server: Server
    ) -> None:
        server.faults.on("429 after", times=1)
        server.faults.retry_after = "1"
        loop = asyncio.get_running_loop()
        start = loop.time()
        await make(wait_s=0.0).get("data", {})
        assert loop.time() - start >= 1

    @pytest.mark.parametrize(
        ("asked", "seconds"), [("0", 0), ("0.0", 0), ("soon", None), ("-1", None), ("inf", None)]
    )
    async def test_the_error_says_how_long_to_wait(
        self, make: Make, server: Server, asked: str, seconds: float | None
    ) -> None:
        server.faults.on("429 after")
        server.faults.retry_after = asked
        with pytest.raises(RateLimitError) as caught:
            await make().get("data", {})
        assert caught.value.retry_after_s == seconds

    @pytest.mark.parametrize("asked", ["3600", "Wed, 21 Oct 2099 07:28:00 GMT"])
    async def test_who_asks_for_an_hour_is_not_asked_again(
        self, make: Make, server: Server, asked: str
    ) -> None:
        server.faults.on("429 after")
        server.faults.retry_after = asked
        with pytest.raises(RateLimitError) as caught:
            await make().get("data", {})
        assert server.faults.requests == 1
        assert caught.value.retry_after_s is not None
        assert caught.value.retry_after_s >= 3600

    @pytest.mark.parametrize("status", [204, 302, 400, 401, 403, 404, 414, 501])
    async def test_what_will_not_pass_is_not_asked_for_again(
        self, make: Make, server: Server, status: int
    ) -> None:
        server.status = status
        server.body = b""
        with pytest.raises(SearchError, match=f"status {status}") as caught:
            await make().get("data", {})
        assert len(server.asked) == 1
        assert caught.value.advice
        assert not isinstance(caught.value, RateLimitError)

    async def test_another_address_is_not_followed(self, make: Make, server: Server) -> None:
        with pytest.raises(SearchError, match="status 307"):
            await make().get("moved", {})
        assert server.asked == []

    async def test_a_refused_body_is_not_asked_for_again(self, make: Make, server: Server) -> None:
        with pytest.raises(SearchError, match="made-up refusal"):
            await make().get("data", {}, check=refuse)
        assert len(server.asked) == 1


class TestLimits(OverHTTP):
    async def test_a_body_above_the_limit_is_refused(self, make: Make, server: Server) -> None:
        server.faults.on("huge")
        with pytest.raises(SearchError, match="more than 20 MB"):
            await make().get("data", {})
        assert server.faults.requests == 1

    async def test_a_body_that_unpacks_above_the_limit_is_refused(
        self, make: Make, server: Server
    ) -> None:
        server.body = gzip.compress(b" " * (MAX_BODY_BYTES + 1))
        server.headers["content-encoding"] = "gzip"
        with pytest.raises(SearchError, match="more than 20 MB"):
            await make().get("data", {})

    @pytest.mark.parametrize("packing", ["gzip, gzip", "br", "zstd", "made-up"])
    async def test_a_body_packed_in_an_odd_way_is_not_unpacked(
        self, make: Make, server: Server, packing: str
    ) -> None:
        server.body = gzip.compress(gzip.compress(b" " * 1_000_000))
        server.headers["content-encoding"] = packing
        with pytest.raises(SearchError):
            await make().get("data", {})

    @pytest.mark.slow
    async def test_what_is_unpacked_at_once_is_bounded(self, make: Make, server: Server) -> None:
        server.body = gzip.compress(b" " * 300_000_000)
        server.headers["content-encoding"] = "gzip"
        tracemalloc.start()
        try:
            with pytest.raises(SearchError, match="more than 20 MB"):
                await make().get("data", {})
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak < 200_000_000

    async def test_a_body_that_cannot_be_unpacked_is_a_search_error(
        self, make: Make, server: Server
    ) -> None:
        server.headers["content-encoding"] = "gzip"
        with pytest.raises(SearchError, match="cannot be reached"):
            await make().get("data", {})

    @pytest.mark.slow
    async def test_a_drip_has_an_end(self, make: Make, server: Server) -> None:
        # Each byte comes well within the time that is allowed without one.
        server.faults.on("slow")
        loop = asyncio.get_running_loop()
        start = loop.time()
        with pytest.raises(SearchError, match="ReadTimeout"):
            await make(attempt_s=1.5).get("data", {})
        assert loop.time() - start < 18  # one alone drips for 20 s
        assert server.faults.requests == ATTEMPTS

    @pytest.mark.parametrize("network", NETWORKS)
    async def test_headers_that_drip_have_an_end(self, network: str) -> None:
        ending = asyncio.Event()
        dripping: list[asyncio.Task[None] | None] = []

        async def drip(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            dripping.append(asyncio.current_task())
            writer.write(b"HTTP/1.1 200 OK\r\nX-Made-Up: ")
            with contextlib.suppress(ConnectionError):
                while not ending.is_set():
                    writer.write(b"x")
                    await writer.drain()
                    await asyncio.sleep(0.02)
            writer.close()

        listening = await asyncio.start_server(drip, "127.0.0.1", 0)
        address = listening.sockets[0].getsockname()
        client = SourceClient(
            "Made Up",
            f"http://127.0.0.1:{address[1]}",
            limiter=new_limiter(1000),
            network=NETWORKS[network](),
            attempt_s=0.2,
            wait_s=0.01,
        )
        with pytest.raises(SearchError, match="ReadTimeout"):
            await client.get("data", {})
        ending.set()
        await asyncio.gather(*filter(None, dripping))
        await client.aclose()
        listening.close()

    @pytest.mark.slow
    async def test_waiting_for_a_permit_is_not_part_of_an_attempt(
        self, make: Make, server: Server
    ) -> None:
        noted = Noted(new_limiter(1))
        client = make(limiter=noted, attempt_s=0.5)
        await asyncio.gather(*(client.get("data", {"n": n}) for n in range(2)))
        assert noted.asked == len(server.asked) == 2

    @pytest.mark.parametrize(
        ("body", "kind"),
        [
            (b"<!DOCTYPE html><html></html>", "application/json"),
            (b"\xef\xbb\xbf \n<HTML><body>", "text/plain"),
            (b'<?xml version="1.0"?><!DOCTYPE html PUBLIC "x"><html>', "text/xml"),
            (b"made up", "Text/HTML; charset=utf-8"),
            (b"", "application/json"),
            (b" \n", "application/json"),
        ],
    )
    async def test_an_outage_page_is_refused_and_not_kept(
        self, make: Make, server: Server, storage: AsyncSqliteStorage, body: bytes, kind: str
    ) -> None:
        server.body, server.headers = body, {"content-type": kind}
        client = make(storage=storage)
        for _ in range(2):
            with pytest.raises(SearchError, match="a web page or with nothing"):
                await client.get("data", {})
        server.body, server.headers = b'{"a": "<html>"}', {"content-type": "application/json"}
        assert (await client.get("data", {})).cached is False
        assert len(server.asked) == 3

    async def test_a_cancelled_request_ends_at_once(self, make: Make, server: Server) -> None:
        server.faults.on("slow")
        server.faults.drip_s = 0.3
        asking = asyncio.create_task(make().get("data", {}))
        await server.faults.arrived.wait()
        loop = asyncio.get_running_loop()
        start = loop.time()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert loop.time() - start < 5  # it drips for 30 s


class TestPace(OverHTTP):
    @pytest.mark.slow
    async def test_every_attempt_of_concurrent_searches_is_paced(
        self, make: Make, server: Server
    ) -> None:
        per_second = 5
        noted = Noted(new_limiter(per_second))
        client = make(limiter=noted)
        server.faults.on("500", times=3)
        answered: list[float] = []
        inner = server.faults._app

        async def timed(scope: Any, receive: Any, send: Any) -> None:
            answered.append(asyncio.get_running_loop().time())
            await inner(scope, receive, send)

        server.faults._app = timed
        await asyncio.gather(*(client.get("data", {"n": n}) for n in range(12)))
        assert len(answered) == 12
        assert len(noted.times) == server.faults.requests == 15
        assert all(came >= given for came, given in zip(answered, noted.times, strict=False))
        spans = [b - a for a, b in zip(noted.times, noted.times[per_second:], strict=False)]
        assert min(spans) > 0.5
        assert noted.times[-1] - noted.times[0] > 0.8 * (15 / per_second - 1)

    def test_a_host_has_one_limiter(self) -> None:
        first = limiter_for("a.made-up.example", 3)
        assert limiter_for("a.made-up.example", 3) is first
        assert limiter_for("b.made-up.example", 3) is not first


class TestAddress:
    """Of a source that is not there."""

    @pytest.mark.parametrize("network", NETWORKS)
    async def test_a_host_that_refuses_is_soon_left_alone(
        self, network: str, unused_tcp_port: int
    ) -> None:
        noted = Noted(new_limiter(1000))
        client = SourceClient(
            "Made Up",
            f"http://127.0.0.1:{unused_tcp_port}/",
            limiter=noted,
            network=NETWORKS[network](),
            wait_s=0.01,
        )
        asked = (client.get("data", {"n": n}) for n in range(9))
        for failed in await asyncio.gather(*asked, return_exceptions=True):
            assert isinstance(failed, SearchError)
            assert "cannot be reached" in str(failed)
        assert noted.asked <= 9 + 2  # those that had begun; none is tried again
        before = noted.asked
        with pytest.raises(SearchError, match="cannot be reached"):
            await client.get("data", {})
        assert noted.asked == before
        await client.aclose()

    @pytest.mark.parametrize("network", NETWORKS)
    @pytest.mark.parametrize("setting", ["", "MADE_UP_URL"])
    async def test_a_name_that_nobody_has_is_wrong_where_it_was_set(
        self, network: str, setting: str
    ) -> None:
        client = SourceClient(
            "Made Up",
            "http://nowhere.invalid/",
            limiter=new_limiter(1000),
            network=NETWORKS[network](),
            wait_s=0.01,
            setting=setting,
        )
        kind, told = (
            (ConfigurationError, setting) if setting else (SearchError, "cannot be reached")
        )
        with pytest.raises(kind, match=told):
            await client.get("data", {})
        await client.aclose()


class TestWrongAddress(OverHTTP):
    async def test_an_address_without_the_api_is_wrong_where_it_was_set(self, make: Make) -> None:
        with pytest.raises(ConfigurationError, match="in MADE_UP_URL is wrong"):
            await make(setting="MADE_UP_URL").get("nothing-here", {})
        with pytest.raises(SearchError, match="status 404"):
            await make().get("nothing-here", {})
