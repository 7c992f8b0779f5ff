"""Twelve searches at once through one limiter, against a server that counts as NCBI does.

Each search is two requests. The server rejects a request when more than three came within any
second. The table gives how many it rejected (target: 0), how long all took, and how many times the
floor that is: the time that no limiter of three in a second can beat (target: 1.1).
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections import deque

import httpx
from starlette.types import Receive, Scope, Send

from deepcritical.tools.http import SourceClient
from deepcritical.tools.rate_limiter import new_limiter
from tests.servers.running import running

PER_SECOND = 3


class Strict:
    """Rejects what comes too soon, and counts it."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget all that came."""
        self.rejected = 0
        self.answered = 0
        self._recent: deque[float] = deque()

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        """Answer one request."""
        now = time.monotonic()
        while self._recent and now - self._recent[0] > 1:
            self._recent.popleft()
        self._recent.append(now)
        accepted = len(self._recent) <= PER_SECOND
        self.answered += accepted
        self.rejected += not accepted
        headers = [(b"content-type", b"application/json")]
        status = 200 if accepted else 429
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b"{}"})


async def measure(searches: int) -> tuple[Strict, float]:
    """The server after all searches, and the seconds that they took."""
    server = Strict()
    async with running(server) as url:
        async with httpx.AsyncClient() as warming:  # its first request imports much
            await warming.get(url)
        server.reset()
        client = SourceClient("Made Up", url, limiter=new_limiter(PER_SECOND))

        async def search(number: int) -> None:
            await client.get("esearch", {"n": number})
            await client.get("efetch", {"n": number})

        start = time.perf_counter()
        await asyncio.gather(*(search(number) for number in range(searches)))
        took_s = time.perf_counter() - start
        await client.aclose()
    return server, took_s


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--searches", type=int, default=12)
    parser.add_argument("--runs", type=int, default=1)
    args = parser.parse_args()
    # Three begin at once, then three in each second.
    floor_s = float((2 * args.searches - 1) // PER_SECOND)
    print(f"{'requests':>8} {'rejected':>8} {'seconds':>8} {'floor':>6} {'x floor':>8}")
    for _ in range(args.runs):
        server, took_s = asyncio.run(measure(args.searches))
        print(
            f"{server.answered + server.rejected:8} {server.rejected:8} {took_s:8.2f} "
            f"{floor_s:6.1f} {took_s / floor_s:8.2f}"
        )


if __name__ == "__main__":
    main()
