"""Requests go through the proxy that the environment names, by httpx as by `requests`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from deepcritical.domain.errors import ConfigurationError
from deepcritical.tools.http import SourceClient
from deepcritical.tools.network import RequestsTransport
from deepcritical.tools.rate_limiter import new_limiter
from tests.servers.running import running

NETWORKS: dict[str, Callable[[], httpx.AsyncBaseTransport | None]] = {
    "httpx": lambda: None,
    "requests": RequestsTransport,
}


class Proxy:
    """Answers for every host, and keeps which were asked for."""

    def __init__(self) -> None:
        self.hosts: list[str] = []

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        """Answer one request."""
        self.hosts += [value.decode() for name, value in scope["headers"] if name == b"host"]
        kind = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 200, "headers": kind})
        await send({"type": "http.response.body", "body": b"{}"})


@pytest.fixture
async def proxy() -> AsyncIterator[tuple[Proxy, str]]:
    made = Proxy()
    async with running(made) as url:
        yield made, url


async def ask(network: str, url: str) -> bytes:
    client = SourceClient(
        "Made Up", url, limiter=new_limiter(1000), network=NETWORKS[network](), wait_s=0.01
    )
    try:
        return (await client.get("data", {"q": "a b"})).content
    finally:
        await client.aclose()


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
async def test_the_proxy_is_asked_for_another_host(
    proxy: tuple[Proxy, str], monkeypatch: pytest.MonkeyPatch, network: str, name: str
) -> None:
    made, url = proxy
    monkeypatch.setenv(name, url)
    assert await ask(network, "http://source.example/api") == b"{}"
    assert made.hosts == ["source.example"]


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("exempt", ["127.0.0.1", "*", "127.0.0.0/8"])
async def test_an_exempt_host_is_asked_itself(
    proxy: tuple[Proxy, str], monkeypatch: pytest.MonkeyPatch, network: str, exempt: str
) -> None:
    made, url = proxy
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("NO_PROXY", exempt)
    assert await ask(network, url) == b"{}"
    assert made.hosts == [url.removeprefix("http://").rstrip("/")]


async def test_a_proxy_that_is_none_is_an_error_that_does_not_show_its_password(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "made-up://user:password@proxy.example")
    with pytest.raises(ConfigurationError, match="HTTPS_PROXY") as caught:
        await ask("httpx", "https://source.example/")
    assert "password" not in str(caught.value)


async def test_a_proxy_without_a_scheme_is_one_of_http(
    proxy: tuple[Proxy, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made, url = proxy
    monkeypatch.setenv("HTTP_PROXY", url.removeprefix("http://"))
    assert await ask("httpx", "http://source.example/") == b"{}"
    assert made.hosts == ["source.example"]
