"""Permission to start, stop and list: every way in which a caller can say who he is."""

from __future__ import annotations

import base64

import httpx
import pytest
from pydantic import SecretStr
from starlette.requests import HTTPConnection
from starlette.responses import Response

from deepcritical.domain.errors import (
    AuthenticationError,
    ConfigurationError,
    OwnershipError,
    QuotaExceededError,
)
from deepcritical.domain.tool.traces import LOCAL_USER
from deepcritical.interfaces.access import (
    HEAVY_PER_MINUTE,
    OWNER_COOKIE,
    USERS_PER_ADDRESS,
    Access,
    Caller,
    Mode,
    access_for,
    check_owner,
    parse_tokens,
)
from deepcritical.interfaces.guard import Guard

ADA, BEN = "made-up-token-of-ada", "made-up-token-of-ben"
TOKENS = {"ada": SecretStr(ADA), "ben": SecretStr(BEN)}
EVERYWHERE = "0.0.0.0"  # noqa: S104 - an address to judge, not to bind


def asked(address: str = "192.0.2.1", **headers: str) -> HTTPConnection:
    sent = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    return HTTPConnection({"type": "http", "headers": sent, "client": (address, 1)})


def bearer(token: str) -> HTTPConnection:
    return asked(authorization=f"Bearer {token}")


def basic(password: str) -> HTTPConnection:
    sent = base64.b64encode(f"whoever:{password}".encode()).decode()
    return asked(authorization=f"Basic {sent}")


class TestMode:
    @pytest.mark.parametrize("host", ["127.0.0.1", "127.8.0.1", "::1"])
    def test_on_loopback_everybody_is_the_local_user(self, host: str) -> None:
        access, made = access_for(host, {})
        assert (access.mode, made) == (Mode.LOCAL, None)
        assert access.identify(asked()).user_id == LOCAL_USER
        assert access.identify(bearer("whatever")).user_id == LOCAL_USER

    @pytest.mark.parametrize("host", [EVERYWHERE, "::", "192.0.2.7", "fe80::1%eth0"])
    def test_elsewhere_a_token_is_made_for_the_local_user(self, host: str) -> None:
        access, made = access_for(host, {})
        assert access.mode is Mode.TOKENS
        assert made is not None
        assert access.identify(bearer(made.get_secret_value())).user_id == LOCAL_USER
        with pytest.raises(AuthenticationError):
            access.identify(asked())

    def test_no_two_servers_make_the_same_token(self) -> None:
        one, other = (access_for(EVERYWHERE, {})[1] for _ in range(2))
        assert one != other

    @pytest.mark.parametrize("host", ["127.0.0.1", EVERYWHERE])
    def test_what_is_set_holds_behind_a_proxy_on_loopback_too(self, host: str) -> None:
        assert access_for(host, TOKENS)[0].mode is Mode.TOKENS
        assert access_for(host, {}, public=True)[0].mode is Mode.PUBLIC


class TestTokens:
    access = Access(Mode.TOKENS, TOKENS)

    @pytest.mark.parametrize(
        "sent", [bearer(ADA), basic(ADA), asked(authorization=f"bearer {ADA}")]
    )
    def test_a_token_names_its_user(self, sent: HTTPConnection) -> None:
        assert self.access.identify(sent) == Caller("ada", "192.0.2.1")

    @pytest.mark.parametrize(
        "sent",
        [
            asked(),
            bearer(""),
            bearer(ADA[:-1]),
            bearer(f"{ADA}x"),
            bearer("ada"),
            bearer("tökén-of-somebody"),
            basic(""),
            asked(authorization="Basic !!!"),
            asked(authorization="Basic /w=="),
            asked(authorization=f"Digest {ADA}"),
            asked(cookie=f"{OWNER_COOKIE}=anonymous-{'x' * 43}"),
        ],
    )
    def test_anything_else_is_refused_without_being_repeated(self, sent: HTTPConnection) -> None:
        with pytest.raises(AuthenticationError) as caught:
            self.access.identify(sent)
        assert ADA[:-1] not in str(caught.value)

    def test_users_with_tokens_have_no_quota(self) -> None:
        access = Access(Mode.PUBLIC, TOKENS, runs_per_hour=1)
        for _ in range(10):
            access.admit_run(access.identify(bearer(ADA)))


class TestPublic:
    def test_a_new_user_gets_a_token_and_is_known_by_it(self) -> None:
        access = Access(Mode.PUBLIC)
        new = access.identify(asked())
        assert new.new_token is not None
        token = new.new_token.get_secret_value()
        for sent in (asked(cookie=f"{OWNER_COOKIE}={token}"), bearer(token), basic(token)):
            again = access.identify(sent)
            assert (again.user_id, again.anonymous, again.new_token) == (new.user_id, True, None)
        assert token not in new.user_id
        assert access.identify(asked()).user_id != new.user_id

    def test_a_token_that_is_none_of_ours_is_refused_and_such_a_cookie_is_replaced(self) -> None:
        access = Access(Mode.PUBLIC, TOKENS)
        with pytest.raises(AuthenticationError):
            access.identify(bearer("guess"))
        assert access.identify(asked(cookie=f"{OWNER_COOKIE}=ada")).new_token
        assert access.identify(bearer(BEN)).user_id == "ben"

    def test_a_user_starts_so_many_runs_and_is_told_when_to_try_again(self) -> None:
        access = Access(Mode.PUBLIC, runs_per_hour=2)
        user = access.identify(asked())
        access.admit_run(user)
        access.admit_run(user)
        with pytest.raises(QuotaExceededError) as caught:
            access.admit_run(user)
        assert 3590 < caught.value.retry_after_s <= 3601

    @pytest.mark.parametrize(
        "addresses",
        [["192.0.2.1"], ["::ffff:192.0.2.1", "192.0.2.1"], ["2001:db8::1", "2001:db8::2"]],
        ids=str,
    )
    def test_an_address_does_not_get_more_by_new_users(self, addresses: list[str]) -> None:
        access = Access(Mode.PUBLIC, runs_per_hour=1)
        for number in range(USERS_PER_ADDRESS):
            access.admit_run(access.identify(asked(addresses[number % len(addresses)])))
        for address in addresses:
            with pytest.raises(QuotaExceededError):
                access.admit_run(access.identify(asked(address)))
        access.admit_run(access.identify(asked("198.51.100.1")))

    def test_heavy_requests_are_counted_on_a_public_server_alone(self) -> None:
        public, local = Access(Mode.PUBLIC), Access()
        for _ in range(HEAVY_PER_MINUTE):
            public.admit_heavy(asked())
            local.admit_heavy(asked())
        local.admit_heavy(asked())
        public.admit_heavy(asked("198.51.100.1"))
        with pytest.raises(QuotaExceededError):
            public.admit_heavy(asked())


def test_only_the_owner_may_touch_a_run() -> None:
    check_owner(Caller("ada", ""), "ada")
    with pytest.raises(OwnershipError):
        check_owner(Caller("ada", ""), "ben")


class TestParsing:
    def test_commas_and_lines_both_part(self) -> None:
        assert parse_tokens(f"ada:{ADA}, ben:{BEN}\n") == TOKENS
        assert parse_tokens(f"\nada:{ADA}\nben:{BEN}\n\n") == TOKENS
        assert parse_tokens("") == {}

    @pytest.mark.parametrize(
        "text",
        [
            ADA,
            f":{ADA}",
            "ada:short",
            "ada:",
            f"a da:{ADA}",
            f"anonymous-1:{ADA}",
            f"ada:{ADA} {ADA}",
            f"ada:{ADA},ada:{BEN}",
            f"ada:{ADA},ben:{ADA}",
        ],
    )
    def test_what_is_no_entry_is_refused_and_not_repeated(self, text: str) -> None:
        with pytest.raises(ConfigurationError, match=r"Entry [12]") as caught:
            parse_tokens(text)
        assert ADA not in str(caught.value)
        assert BEN not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "passing"),
    [("http://answers.example", {"http", "https"}), ("https://answers.example", {"https"})],
)
async def test_a_proxy_may_add_https_to_an_address_and_takes_it_from_none(
    address: str, passing: set[str]
) -> None:
    app = httpx.ASGITransport(Guard(Response(), frozenset({address})))
    origins = {s: f"{s}://answers.example" for s in ("http", "https", "ftp")} | {"null": "null"}
    async with httpx.AsyncClient(transport=app, base_url="http://answers.example") as client:
        answers = {s: await client.post("/", headers={"Origin": o}) for s, o in origins.items()}
    assert {s for s, answer in answers.items() if answer.status_code == 200} == passing
