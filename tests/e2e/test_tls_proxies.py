"""Real proxies with TLS, set up as docs/deployment.md says, in front of a server."""

from __future__ import annotations

import re
import shutil
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import httpx
import pytest

from deepcritical.interfaces.access import HEAVY_PER_MINUTE
from tests.conftest import DEMO_QUESTION, ROOT
from tests.ports import lasting_port
from tests.servers.commands import forked_command
from tests.servers.serving import serving

DOCS = (ROOT / "docs" / "deployment.md").read_text(encoding="utf-8")
TOKEN = "a-token-of-one-test-alone"  # noqa: S105 - made up
CLAIM = {"claim": "1 " * 100, "references": [{"title": "Made up", "text": "Made up."}]}
"""Refused for its size, so that it takes the server no work; counted all the same."""
NGINX = """
daemon off; pid {folder}/pid; error_log stderr;
events {{ }}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  server {{
    listen 127.0.0.1:{port} ssl;
    ssl_certificate {folder}/cert; ssl_certificate_key {folder}/key;
    {location}
  }}
}}
"""


def documented(beginning: str) -> str:
    """The block of the page on deployment that begins so."""
    (found,) = [b for b in re.findall(r"```\n(.*?)```", DOCS, re.DOTALL) if b.startswith(beginning)]
    return str(found)


def nginx(folder: Path, port: int, server: str) -> list[str]:
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost"]
    files = ["-keyout", str(folder / "key"), "-out", str(folder / "cert")]
    subprocess.run([*made, *files], check=True, capture_output=True)  # noqa: S603 - our own files
    location = documented("location /").replace("http://127.0.0.1:7860", server)
    config = NGINX.format(folder=folder, port=port, location=location)
    (folder / "nginx.conf").write_text(config, encoding="utf-8")
    return ["nginx", "-c", str(folder / "nginx.conf"), "-p", str(folder)]


def caddy(folder: Path, port: int, server: str) -> list[str]:
    site = documented("answers.example.org").replace("127.0.0.1:7860", server.partition("//")[2])
    own = (
        site.replace("answers.example.org\n", f"https://localhost:{port} {{\ntls internal\n") + "}"
    )
    no_files = f"skip_install_trust\nauto_https disable_redirects\nstorage file_system {folder}\n"
    options = f"{{\nadmin off\n{no_files}}}\n"
    (folder / "Caddyfile").write_text(options + own, encoding="utf-8")
    return ["caddy", "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]


@contextmanager
def proxied(proxy: str, folder: Path, **more: str) -> Iterator[httpx.Client]:
    """A client of a server behind a proxy, which is told of it as the page says."""
    if shutil.which(proxy) is None or shutil.which("openssl") is None:
        pytest.skip(f"{proxy} is not installed")
    port = lasting_port()
    address = f"https://localhost:{port}"
    told = dict(re.findall(r"^(DEEPCRITICAL_\w+)=(.*)$", documented("DEEPCRITICAL_"), re.MULTILINE))
    told |= {"DEEPCRITICAL_PUBLIC_URL": address, "DEEPCRITICAL_TOKENS": f"ada:{TOKEN}"}
    told |= {"DEEPCRITICAL_SHARE_SECRET": "a secret of one test", **more}
    with serving((forked_command(), "serve", "--port", "0"), told) as served:
        command = {"nginx": nginx, "caddy": caddy}[proxy](folder, port, served.address)
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:  # noqa: S603 - ours
            try:
                with httpx.Client(
                    base_url=address,
                    verify=False,  # noqa: S501 - it is the certificate of one test
                    trust_env=False,
                    timeout=60,
                ) as client:
                    wait_for(client)
                    yield client
            finally:
                process.terminate()


def wait_for(client: httpx.Client) -> None:
    until = time.monotonic() + 60
    while True:
        try:
            client.get("/api/health").raise_for_status()
        except (httpx.TransportError, httpx.HTTPStatusError, ssl.SSLError):
            if time.monotonic() > until:
                raise
            time.sleep(0.05)
        else:
            return


@pytest.mark.slow
@pytest.mark.parametrize("proxy", ["nginx", "caddy"])
def test_the_page_the_interface_and_the_tools_work_behind_it(proxy: str, tmp_path: Path) -> None:
    own = {"Authorization": f"Bearer {TOKEN}"}
    with proxied(proxy, tmp_path) as client:
        sent = own | {"Origin": str(client.base_url).rstrip("/")}
        assert client.get("/").status_code == 401
        page = client.get("/", headers=own)
        assert page.status_code == 200
        assert "http://" not in "".join(re.findall(r'(?:src|href)="([^"]*)"', page.text))
        asked = {"tool": "research", "question": DEMO_QUESTION, "depth": "quick"}
        started = client.post("/api/runs", json=asked, headers=sent)
        assert started.status_code == 202
        with client.stream("GET", started.json()["links"]["events"], headers=own) as stream:
            blocks = list(stream.iter_text())
        assert "run_completed" in blocks[-1]
        assert len(blocks) > 3  # they come one by one
        joined = client.post("/gradio_api/queue/join", json={}, headers=sent)
        assert joined.status_code not in (400, 403)
        other = client.post("/api/runs", json=asked, headers=own | {"Origin": "https://o.example"})
        assert other.status_code == 403
        tools = client.get("/mcp", headers=own | {"Accept": "application/json"})
        assert tools.status_code not in (403, 421)
        link = client.post(f"{started.json()['links']['self']}/share", headers=sent).json()
        opened = client.get(link["page"])
        assert opened.status_code == 200
        assert "Secure" in opened.headers["set-cookie"]  # it is known that the browser has TLS


@pytest.mark.slow
@pytest.mark.parametrize("proxy", ["nginx", "caddy"])
def test_a_visitor_is_counted_by_his_address_whatever_he_writes(proxy: str, tmp_path: Path) -> None:
    more = {"DEEPCRITICAL_PUBLIC": "1", "DEEPCRITICAL_TOKENS": ""}
    with proxied(proxy, tmp_path, **more) as client:
        ask = partial(client.post, "/api/verify", json=CLAIM)
        answers = [
            ask(headers={"X-Forwarded-For": f"203.0.113.{number}"}).status_code
            for number in range(HEAVY_PER_MINUTE + 1)
        ]
    assert answers == [422] * HEAVY_PER_MINUTE + [429]
