"""Waiting times at the command line: the help, a refused question, a report.

Each command is run as a process of its own, several times; the table gives the fastest run and the
median, and how many times the fastest run of the interpreter alone that is. Then the modules whose
import costs most in a full run, as the interpreter measures them.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

COMMAND = str(Path(sys.executable).parent / "deepcritical")
QUESTION = "Can metformin be repurposed for Alzheimer's disease?"
CASES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("the interpreter alone", (sys.executable, "-c", "pass")),
    ("--help (target: under 0.5 s)", (COMMAND, "--help")),
    ("an empty question, refused", (COMMAND, "research", "")),
    ("a report from demo (target: under 10 s)", (COMMAND, "research", QUESTION, "--quiet")),
)
_IMPORT = re.compile(r"import time:\s+(\d+) \|\s+(\d+) \| (\s*)(\S+)")


def seconds(command: tuple[str, ...]) -> float:
    """Wall time of one run of a command."""
    start = time.perf_counter()
    subprocess.run(command, capture_output=True, check=False)
    return time.perf_counter() - start


def print_times(runs: int) -> None:
    """One line for each case."""
    base = 0.0
    print(f"{'command':42} {'fastest s':>9} {'median s':>9} {'x interpreter':>14}")
    for name, command in CASES:
        times = [seconds(command) for _ in range(runs)]
        base = base or min(times)
        ratio = min(times) / base
        print(f"{name:42} {min(times):9.2f} {statistics.median(times):9.2f} {ratio:14.1f}")


def print_imports(most: int) -> None:
    """The top-level packages with the largest cumulative import time in a full run."""
    command = (sys.executable, "-X", "importtime", COMMAND, "research", QUESTION, "--quiet")
    trace = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    costs: dict[str, int] = {}
    for _, cumulative, _, module in _IMPORT.findall(trace):
        package = ".".join(module.split(".")[: 2 if module.startswith("deepcritical") else 1])
        costs[package] = max(costs.get(package, 0), int(cumulative))
    print(f"\n{'package (imports of others included)':42} {'import ms':>9}")
    for package, cost in sorted(costs.items(), key=lambda item: -item[1])[:most]:
        print(f"{package:42} {cost / 1000:9.0f}")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5, help="runs of each command")
    parser.add_argument("--most", type=int, default=15, help="packages to list")
    options = parser.parse_args()
    print_times(options.runs)
    print_imports(options.most)


if __name__ == "__main__":
    main()
