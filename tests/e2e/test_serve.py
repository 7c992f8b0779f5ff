"""``deepcritical serve`` as a process: how it starts, whom it answers, how it refuses."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import ClassVar

import httpx
import pytest

from deepcritical.interfaces.access import HEAVY_PER_MINUTE
from deepcritical.settings import Settings
from tests.conftest import ROOT
from tests.servers.commands import forked_command, forked_module
from tests.servers.serving import get, here, post, serving

COMMAND = forked_command()
ON_THE_NETWORK = (COMMAND, "serve", "--port", "0", "--host", "0.0.0.0")  # noqa: S104 - as meant


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving([COMMAND, "serve", "--port", "0"]) as served:
        yield served.address


def test_every_answer_carries_the_security_headers(address: str) -> None:
    for path in ("/", "/api/health", "/api/runs/nobody/events"):
        headers = get(f"{address}{path}").headers
        assert "default-src 'self'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"


def test_by_default_only_this_machine_is_answered(address: str) -> None:
    assert address.startswith("http://127.0.0.1:")


def test_on_loopback_only_loopback_names_are_answered(address: str) -> None:
    asked = {
        host: get(f"{address}/api/health", headers={"Host": host})
        for host in ("localhost", "127.0.0.1:1", "rebound.example", "127.0.0.1.rebound.example")
    }
    assert [answer.status_code for answer in asked.values()] == [200, 200, 400, 400]


def test_no_event_of_the_page_is_offered_as_an_interface(address: str) -> None:
    described = get(f"{address}/gradio_api/info").json()
    assert described == {"named_endpoints": {}, "unnamed_endpoints": {}}


@pytest.mark.slow
def test_the_entry_of_spaces_answers_any_name_when_it_is_told_to_listen_everywhere() -> None:
    told = {"DEEPCRITICAL_HOST": "0.0.0.0", "DEEPCRITICAL_PORT": "0"}  # noqa: S104 - as there
    with serving([*forked_module(), "app"], told) as served:
        asked = partial(get, headers={"Host": "team-space.example"})
        at = here(served)
        assert asked(f"{at}/api/health").json() in (
            {"status": "ok", "research": "loading"},
            {"status": "ok", "research": "ready"},
        )
        made = re.search(r"Its token, until it ends: (\S+)", served.said)
        assert made is not None
        for path in ("", "/api/runs", "/gradio_api/info"):
            assert asked(f"{at}{path}").status_code == 401
            assert asked(f"{at}{path}", auth=("anybody", made[1])).status_code == 200


class TestContainer:
    """The image, which is built elsewhere, by its file and by the files in it."""

    FILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")

    def test_its_settings_are_settings(self) -> None:
        named = set(re.findall(r"\b(DEEPCRITICAL_\w+)=", self.FILE))
        assert named
        assert {name.removeprefix("DEEPCRITICAL_").lower() for name in named} <= set(
            Settings.model_fields
        )

    def test_its_port_is_that_of_the_space_and_of_the_settings(self) -> None:
        head = (ROOT / "README.md").read_text(encoding="utf-8").split("---")[1]
        assert "sdk: docker" in head
        ports = re.findall(r"app_port: (\d+)", head) + re.findall(r"EXPOSE (\d+)", self.FILE)
        assert ports == [str(Settings().port)] * 2

    def test_it_runs_as_the_user_of_spaces_who_owns_the_storage(self) -> None:
        assert re.search(
            r"useradd .*--uid 1000 user\b.* install -d -o user \S+ \S+ /data", self.FILE
        )
        # Nothing after it becomes root again.
        assert re.findall(r"^USER (\S+)", self.FILE, re.MULTILINE) == ["user"]

    def test_its_health_is_what_the_server_says(self, address: str) -> None:
        found = re.search(r"^HEALTHCHECK .*CMD (\[.*\])$", self.FILE, re.MULTILINE)
        assert found
        _, *command = json.loads(found[1])
        for port, healthy in ((address.rpartition(":")[2], True), ("1", False)):
            asked = [sys.executable, *(part.replace("7860", port) for part in command)]
            done = subprocess.run(asked, capture_output=True, check=False)  # noqa: S603 - ours
            assert (done.returncode == 0) is healthy


def test_the_tokens_of_the_settings_are_asked_for(tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text("ben:made-up-token-of-ben\n", encoding="utf-8")
    told = {
        "DEEPCRITICAL_TOKENS": "ada:made-up-token-of-ada",
        "DEEPCRITICAL_TOKENS_FILE": str(tmp_path / "tokens"),
    }
    with serving(ON_THE_NETWORK, told) as served:
        assert "made-up-token" not in served.said
        assert "Its token" not in served.said
        for user in ("ada", "ben", "nobody"):
            sent = {"Authorization": f"Bearer made-up-token-of-{user}"}
            answer = get(f"{here(served)}/api/runs", headers=sent)
            assert answer.status_code == (401 if user == "nobody" else 200)


def test_a_public_server_gives_the_page_and_a_cookie_to_everybody() -> None:
    with serving(ON_THE_NETWORK, {"DEEPCRITICAL_PUBLIC": "1"}) as served:
        answer = get(here(served))
    assert answer.status_code == 200
    assert "HttpOnly" in answer.headers["set-cookie"]


def test_visitors_of_a_space_have_a_quota_each_behind_its_proxy() -> None:
    # Refused for its size, so that it takes the server no work; counted all the same.
    claim = {"claim": "1 " * 100, "references": [{"title": "Made up", "text": "Made up."}]}
    told = {"DEEPCRITICAL_PUBLIC": "1", "SPACE_ID": "team/space"}
    with (
        serving(ON_THE_NETWORK, told) as served,
        httpx.Client(base_url=here(served), trust_env=False, timeout=60) as client,
    ):

        def asked(by: str) -> int:
            sent = {"X-Forwarded-For": f"{by}, 10.16.3.80"}
            return client.post("/api/verify", json=claim, headers=sent).status_code

        answers = [asked("203.0.113.7") for _ in range(HEAVY_PER_MINUTE + 1)]
        assert answers == [422] * HEAVY_PER_MINUTE + [429]
        assert asked("203.0.113.8") == 422
        # What a visitor writes of himself stands before what the proxy writes.
        assert asked("203.0.113.9, 203.0.113.7") == 429


def test_nobody_is_believed_who_is_not_named_as_a_proxy() -> None:
    claim = {"claim": "1 " * 100, "references": [{"title": "Made up", "text": "Made up."}]}
    with serving([COMMAND, "serve", "--port", "0"], {"DEEPCRITICAL_PUBLIC": "1"}) as served:
        answers = [
            post(
                f"{served.address}/api/verify",
                json=claim,
                headers={"X-Forwarded-For": f"203.0.113.{number}"},
            ).status_code
            for number in range(HEAVY_PER_MINUTE + 1)
        ]
    assert answers[-1] == 429


@pytest.fixture(scope="module")
def behind() -> Iterator[str]:
    with serving([COMMAND, "serve", "--port", "0"], TestBehindAProxy.TOLD) as served:
        yield served.address


class TestBehindAProxy:
    """With TLS, as those of docs/deployment.md send requests on."""

    TOLD: ClassVar = {
        "DEEPCRITICAL_PUBLIC_URL": "https://answers.example",
        "DEEPCRITICAL_PROXIES": "127.0.0.1",
        "DEEPCRITICAL_TOKENS": "ada:a-token-of-one-test-alone",
    }
    OWN: ClassVar = {
        "Origin": "https://answers.example",
        "Authorization": "Bearer a-token-of-one-test-alone",
        "X-Forwarded-Proto": "https",
        "X-Forwarded-For": "203.0.113.7",
    }

    @pytest.mark.parametrize("host", ["answers.example", ""], ids=["host kept", "its own host"])
    def test_the_page_and_its_requests_are_answered(self, behind: str, host: str) -> None:
        sent = self.OWN | ({"Host": host} if host else {})
        page = get(behind, headers=sent)
        joined = post(f"{behind}/gradio_api/queue/join", json={}, headers=sent)
        other = post(
            f"{behind}/gradio_api/queue/join",
            json={},
            headers=sent | {"Origin": "https://other.example"},
        )
        assert page.status_code == 200
        assert joined.status_code not in (400, 403)
        assert other.status_code == 403

    def test_pages_of_another_origin_read_no_answer(self, behind: str) -> None:
        sent = self.OWN | {"Host": "answers.example"}
        for origin in ("https://other.example", "http://answers.example", "null"):
            for path in ("/", "/config", "/gradio_api/info"):
                answer = get(f"{behind}{path}", headers=sent | {"Origin": origin})
                assert answer.status_code == 200
                assert not [name for name in answer.headers if name.startswith("access-con")]
        own = get(f"{behind}/config", headers=sent)
        assert own.headers["access-control-allow-origin"] == self.OWN["Origin"]

    def test_nobody_is_local_there(self) -> None:
        told = self.TOLD | {"DEEPCRITICAL_TOKENS": ""}
        with serving([COMMAND, "serve", "--port", "0"], told) as served:
            assert get(f"{served.address}/api/runs").status_code == 401


@pytest.mark.parametrize(
    "told",
    [
        {"DEEPCRITICAL_TOKENS": "ada:short"},
        {"DEEPCRITICAL_TOKENS_FILE": "nowhere"},
        {"DEEPCRITICAL_PUBLIC": "perhaps"},
    ],
    ids=str,
)
def test_tokens_that_cannot_be_used_are_a_wrong_setting(
    told: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    done = refused("--snapshot", "demo", "--port", "0")
    assert done.returncode == 9
    assert "token" in done.stderr or "DEEPCRITICAL_PUBLIC" in done.stderr
    assert "short" not in done.stderr


def test_what_the_page_does_not_use_is_not_served(address: str) -> None:
    for path in ("gradio_api/upload", "gradio_api/upload?upload_id=1", "openapi.json"):
        answer = post(f"{address}/{path}", files={"files": b"made up"})
        assert answer.status_code in (404, 405), path
    linked = get(f"{address}/gradio_api/deep_link", params={"session_hash": "made-up"})
    assert linked.status_code == 404


def test_another_site_can_send_nothing(address: str) -> None:
    path = f"{address}/gradio_api/queue/join"
    for origin in ("https://other.example", address.replace("http://", "ftp://")):
        assert post(path, json={}, headers={"Origin": origin}).status_code == 403
    own = {"Origin": address}
    assert post(path, json={}, headers=own).status_code not in (403, 413)


def test_a_body_that_no_question_needs_is_refused(address: str) -> None:
    path = f"{address}/gradio_api/queue/join"
    large = post(path, content=b"x" * 70_000)
    unsaid = post(path, content=iter([b"x"]))
    assert (large.status_code, unsaid.status_code) == (413, 411)


def refused(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - our own command
        [COMMAND, "serve", *options], capture_output=True, encoding="utf-8", check=False
    )


def test_a_port_in_use_is_a_wrong_setting() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = refused("--port", str(taken.getsockname()[1]))
    assert done.returncode == 9
    assert "Address already in use" in done.stderr
    assert "--port" in done.stderr


def test_an_address_of_another_machine_is_a_wrong_setting() -> None:
    done = refused("--host", "host.invalid", "--port", "0")
    assert done.returncode == 9
    assert "host.invalid" in done.stderr


def test_a_snapshot_that_cannot_be_read_ends_the_server_before_it_listens(tmp_path: Path) -> None:
    (tmp_path / "corrupt.jsonl").write_text("{", encoding="utf-8")
    assert refused("--snapshot", str(tmp_path / "corrupt.jsonl")).returncode == 8
    assert refused("--snapshot", str(tmp_path / "nowhere.jsonl")).returncode == 7


@pytest.mark.slow
def test_a_server_that_is_stopped_while_a_page_is_open_says_nothing() -> None:
    with (
        serving([COMMAND, "serve", "--port", "0"]) as served,
        httpx.stream(
            "GET", f"{served.address}/gradio_api/heartbeat/made-up", trust_env=False, timeout=60
        ),
    ):
        served.process.terminate()
        said, _ = served.process.communicate(timeout=60)
        assert said == ""
