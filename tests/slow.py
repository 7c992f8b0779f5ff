"""Tests that take longer than they may: a plugin of pytest."""

from __future__ import annotations

import os
import re
import time

import pytest

from tests.databases import ON_SERVERS

SLOW_S = 2.0
"""A test that takes longer is marked `slow`."""
REFERENCE_S = 0.012
"""CPU time of `work_s` on the machine that `SLOW_S` is for."""
BUSY = 1.5
"""Runnable processes for each of the tests' own, from which on others are why a test takes long."""


_WORDS = re.compile(r"\b(\w+)(?:ing|ed)\b")
_TEXT = "Examplol lowered the risk of testing and was compared with what had been tested. " * 40


def work_s() -> float:
    """Return how long a fixed piece of work takes of a core now."""
    begun = time.process_time()
    for _ in range(100):
        dict.fromkeys(_TEXT.split(), len(_WORDS.findall(_TEXT)))
    return time.process_time() - begun


class SlowTests:
    """Fails the fast suite when a test takes longer than it may without the mark `slow`.

    On a machine that is slower at the same work it may take longer. Only listed is what is slow
    while the machine is busy with other work, or beside the servers and browsers of the whole
    suite: there a time says nothing about the test.
    """

    def __init__(self, processes: int, is_fast_suite: bool) -> None:
        self._is_fast_suite = is_fast_suite
        self._slow: list[str] = []
        self._excused: list[str] = []
        self._own = max(processes, os.cpu_count() or 1)
        # Beside others a test gets half of a core at worst.
        self._most_s = SLOW_S if processes == 1 else 2 * SLOW_S

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what took too long: a test itself, without fixtures that others share."""
        left_out = {"slow", "servers"} & report.keywords.keys()
        if report.when != "call" or report.duration <= self._most_s or left_out or ON_SERVERS:
            return
        slower = max(1.0, min(work_s() for _ in range(3)) / REFERENCE_S)
        if report.duration <= self._most_s * slower:
            return
        is_busy = os.getloadavg()[0] > BUSY * self._own
        found = self._slow if self._is_fast_suite and not is_busy else self._excused
        found.append(f"{report.duration:.1f} s {report.nodeid}")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """List them."""
        for title, found in (("failures", self._slow), ("on a busy machine", self._excused)):
            if found:
                limit = f"{self._most_s:g} s"
                terminalreporter.section(f"longer than {limit} without the mark slow: {title}")
                terminalreporter.write_line("\n".join(sorted(found, reverse=True)))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._slow and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
