"""Share links: what is signed, for how long, and what is refused."""

from __future__ import annotations

import pytest
from pydantic import SecretStr
from starlette.requests import HTTPConnection

from deepcritical.domain.errors import AuthenticationError, OwnershipError
from deepcritical.interfaces.access import Access, Mode
from deepcritical.interfaces.sharing import ShareLinks

SECRET = SecretStr("a secret of one test alone")
TOKENS = {"ada": SecretStr("made-up-token-of-ada"), "ben": SecretStr("made-up-token-of-ben")}


class Clock:
    """Seconds that a test sets."""

    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def asked(query: str = "", **headers: str) -> HTTPConnection:
    sent = [(name.encode(), value.encode()) for name, value in headers.items()]
    return HTTPConnection({"type": "http", "headers": sent, "query_string": query.encode()})


def test_a_link_lasts_as_long_as_it_says() -> None:
    clock = Clock()
    links = ShareLinks(SECRET, clock)
    link = links.make("one", 2)
    assert link.expires_at.timestamp() == clock.now + 7200
    clock.now += 7199
    assert links.covers(asked(link.query), "one")
    assert links.opened(asked(link.query)) == ("one", link.value, 1)
    clock.now += 1
    assert not links.covers(asked(link.query), "one")
    assert links.opened(asked(link.query)) is None


def test_a_link_is_of_one_run_and_of_one_secret() -> None:
    link = ShareLinks(SECRET).make("one")
    assert ShareLinks(SECRET).covers(asked(link.query), "one")
    assert not ShareLinks(SECRET).covers(asked(link.query), "two")
    assert not ShareLinks(SecretStr("another secret of it")).covers(asked(link.query), "one")
    assert not ShareLinks().covers(asked(link.query), "one")
    assert "secret of one test" not in link.query


def changed(value: str) -> list[str]:
    expires, _, signature = value.partition(".")
    return [
        f"{int(expires, 16) + 1:x}.{signature}",
        f"{expires}.{signature[::-1]}",
        f"-{expires}.{signature}",
        f"{expires}.{signature}A",
        f"zzz.{signature}",
        f"²{expires}.{signature}",
        expires,
        "",
        f"{expires}.{'é' * 43}",
    ]


def test_a_link_that_was_changed_opens_nothing() -> None:
    links = ShareLinks(SECRET)
    for value in changed(links.make("one").value):
        assert links._lasts_s("one", value) == 0, value
    assert links._lasts_s("1" * 65, links.make("1" * 65).value) == 0


def test_a_browser_remembers_the_links_that_it_opened() -> None:
    links = ShareLinks(SECRET)
    one, two = links.make("one"), links.make("two")
    both = asked(cookie=f"deepcritical_share_one={one.value}; deepcritical_share_two={two.value}")
    assert links.remembers(both)
    assert all(links.covers(both, run_id) for run_id in ("one", "two"))
    crossed = asked(cookie=f"deepcritical_share_one={two.value}")
    assert not links.remembers(crossed)
    assert not links.covers(crossed, "one")


class TestReaders:
    access = Access(Mode.TOKENS, TOKENS, shares=ShareLinks(SECRET))

    def test_the_owner_reads_and_nobody_else(self) -> None:
        self.access.check_reader(asked(authorization="Bearer made-up-token-of-ada"), "one", "ada")
        other = asked(authorization="Bearer made-up-token-of-ben")
        with pytest.raises(OwnershipError, match="share link"):
            self.access.check_reader(other, "one", "ada")
        with pytest.raises(AuthenticationError, match="needs a token"):
            self.access.check_reader(asked(), "one", "ada")

    def test_a_link_that_has_ended_is_told_as_one(self) -> None:
        ended = ShareLinks(SECRET, lambda: 0.0).make("one")
        with pytest.raises(AuthenticationError, match="share link has expired"):
            self.access.check_reader(asked(ended.query), "one", "ada")

    @pytest.mark.parametrize("access", [Access(), Access(Mode.PUBLIC)], ids=["local", "public"])
    def test_elsewhere_the_id_is_enough(self, access: Access) -> None:
        access.check_reader(asked(), "one", "ada")
        assert not access.keeps_private
