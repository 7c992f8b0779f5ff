"""Tests that take longer than they may: a plugin of pytest."""

from __future__ import annotations

import os

import pytest

from tests.databases import ON_SERVERS

SLOW_S = 2.0
"""A test that takes longer is marked `slow`."""
BUSY = 1.5
"""Runnable processes for each of the tests' own, from which on others are why a test takes long."""


class SlowTests:
    """Fails the fast suite when a test takes longer than it may without the mark `slow`.

    Only listed is what is slow while the machine is busy with other work, or beside the servers and
    browsers of the whole suite: there a time says nothing about the test.
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
