"""Places at a host: never more requests within a second than it allows, however late each is."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepcritical.tools import rate_limiter
from deepcritical.tools.rate_limiter import Quota, Turns, new_limiter


async def test_a_place_is_kept_until_its_request_was_sent() -> None:
    limiter = new_limiter(1)
    held = await limiter.place()
    second = asyncio.create_task(limiter.place())
    await asyncio.sleep(0.05)
    assert not second.done()
    at = time.monotonic()
    await held.sent()
    await held.ended()
    await (await second).ended()
    assert 1 <= time.monotonic() - at < 1.25


async def test_who_gives_up_waiting_lets_the_next_one_go() -> None:
    limiter = new_limiter(1)
    held = await limiter.place()
    first, second = (asyncio.create_task(limiter.place()) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    await held.ended()
    await asyncio.wait([first])
    await (await second).ended()
    assert first.cancelled()


async def test_a_request_that_fails_gives_its_place_back() -> None:
    turns = Turns(new_limiter(1))

    async def fails() -> None:
        async with turns.turn():
            raise ConnectionError

    with pytest.raises(ConnectionError):
        await fails()
    at = time.monotonic()
    async with turns.turn() as sent:
        await sent()
    assert time.monotonic() - at < 1.25


def test_event_loops_share_the_places() -> None:
    limiter, came = new_limiter(2), []

    async def ask() -> None:
        async with Turns(limiter).turn() as sent:
            came.append(time.monotonic())
            await sent()

    async def ask_often() -> None:
        await asyncio.gather(ask(), ask())

    threads = [threading.Thread(target=asyncio.run, args=(ask_often(),)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(came) == 4
    assert sorted(came)[2] - min(came) >= 1


async def test_an_answer_that_comes_late_frees_no_place_of_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rate_limiter, "_WINDOW_S", 0.02)
    monkeypatch.setattr(rate_limiter, "_ON_ITS_WAY_S", 0.01)
    limiter = new_limiter(1)
    slow = await limiter.place()
    await slow.sent()
    # It is free again before the answer is there, and the next request is not sent yet.
    held = await limiter.place()
    await slow.ended()
    third = asyncio.create_task(limiter.place())
    await asyncio.wait([third], timeout=0.1)
    assert not third.done()
    await held.ended()
    await (await third).ended()


async def test_who_waits_in_a_loop_that_is_closed_holds_up_nobody() -> None:
    limiter = new_limiter(1)
    held = await limiter.place()
    loop = asyncio.new_event_loop()
    left = loop.create_task(limiter.place())

    def wait_and_leave() -> None:
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()

    await asyncio.to_thread(wait_and_leave)
    await held.ended()
    async with asyncio.timeout(5):
        await (await limiter.place()).ended()
    left._log_destroy_pending = False  # type: ignore[attr-defined]


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def test_what_is_refused_fits_after_the_wait_that_was_told() -> None:
    clock = Clock()
    quota = Quota(2, 60, clock)
    assert [quota.wait_s("ada"), quota.wait_s("ada")] == [0.0, 0.0]
    clock.now += 20
    wait = quota.wait_s("ada")
    assert 40 <= wait < 40.1
    clock.now += wait
    assert quota.wait_s("ada") == 0.0


def test_keys_are_counted_apart() -> None:
    quota = Quota(1, 60, Clock())
    assert quota.wait_s("ada") == quota.wait_s("ben") == 0.0
    assert quota.wait_s("ada") > 0


def test_memory_is_bounded() -> None:
    quota = Quota(1, 60, Clock())
    for number in range(quota.MAX_KEYS + 5):
        quota.wait_s(str(number))
    assert len(quota._buckets) == quota.MAX_KEYS


@given(st.lists(st.floats(0, 30), max_size=40), st.integers(1, 4))
def test_no_window_holds_more_than_the_quota(pauses: list[float], most: int) -> None:
    clock = Clock()
    quota = Quota(most, 10, clock)
    admitted: list[float] = []
    for pause in pauses:
        clock.now += pause
        if quota.wait_s("ada") == 0.0:
            admitted.append(clock.now)
    for first, later in zip(admitted, admitted[most:], strict=False):
        assert later - first > 10 - 0.002
