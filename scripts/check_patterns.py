"""Fail when a pattern or the reading of a record is slower than linear in the length of its text.

`PYTHONPATH=src python -m scripts.check_patterns`. Each pattern of the package meets texts that are
made from its own parts; then hostile records and questions are read whole, at doubled lengths.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import pkgutil
import re
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import deepcritical
from scripts.hostile_texts import Seed, hostile_seeds

__all__ = ["Found", "Offence", "check_pattern", "count_slow", "growth"]

MAX_RATIO = 2.5
"""How many times as long a text of double the length may take."""
MAX_S_PER_CHAR = 10e-6
"""A repeat that ends, but late, is linear and too slow nevertheless."""
_FLOOR_S = 0.002
"""Below this a ratio is noise."""
_SCREENED = (1024, 4096)
"""Lengths at which it shows whether a text is worth timing when it is long."""
_SUSPICIOUS = 5.5
"""Growth from the one to the other: 4 is linear, 16 the square."""
_HURRIED_S = 0.0003
_LENGTHS = (1600, 3200, 6400, 12_800, 25_600, 51_200, 102_400)
_GLANCED, _LINEAR = (12_800, 25_600), 2.3
"""Two long texts, whose times often show that a growth ends."""
_MOST_S = 0.1
"""A text that takes as long is not doubled again."""
_KILL_S = 0.5
_CHECK_LENGTHS = (3_125, 6_250, 12_500)
_FULL_LENGTHS = (6_250, 12_500, 25_000, 50_000)
_SHORT_TEXTS = (
    "deepcritical.settings",  # what the operator of the server wrote
    "deepcritical.interfaces.access",  # the same
)
"""Modules whose patterns see no long text of others."""
_SUSPECTS = 3
"""Texts that a pattern is timed on at all lengths: those that took longest when short."""


_Search = Callable[[str], object]


class Offence(NamedTuple):
    """A pattern with a text that it is slow on."""

    seed: Seed
    ratio: float
    length: int
    seconds: float


class _TooLongError(Exception):
    """Ends a match from within."""


def _give_up(_signal: int, _frame: FrameType | None) -> None:
    raise _TooLongError


def _seconds(work: Callable[[], object], repeats: int = 1) -> float:
    """Return the CPU seconds that work takes, the least of several times."""
    best = float("inf")
    for _ in range(repeats):
        begun = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, _KILL_S)
        try:
            work()
        except _TooLongError:
            return float("inf")
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        best = min(best, time.process_time() - begun)
    return best


def growth(times: Iterable[float]) -> float:
    """Return the ratio on doubling: the mean of the last two ratios between times above noise."""
    last = [seconds for seconds in times if seconds > _FLOOR_S][-3:]
    return (last[-1] / last[0]) ** (1 / (len(last) - 1)) if len(last) > 1 else 1.0


def check_pattern(pattern: re.Pattern[str], used_by: str = "search") -> Offence | None:
    """Return the worst offence of a pattern on texts that are made from it.

    Args:
        pattern: Any pattern over text.
        used_by: The only method that is called on it, if that is `match` or `fullmatch`.
    """
    signal.signal(signal.SIGPROF, _give_up)
    search = getattr(pattern, used_by)
    suspects = []
    for seed in hostile_seeds(pattern):
        if (seconds := _screened(search, seed)) == float("inf"):
            return Offence(seed, seconds, _SCREENED[-1], seconds)
        suspects.append((seconds, seed))
    worst = [seed for seconds, seed in sorted(suspects, reverse=True)[:_SUSPECTS] if seconds]
    # Twice, as the machine may have something else to do.
    found = [o for seed in worst if _confirmed(search, seed) and (o := _confirmed(search, seed))]
    return max(found, key=lambda offence: offence.ratio, default=None)


def _screened(search: _Search, seed: Seed) -> float:
    """Return the seconds on a short text; 0.0 where they do not grow faster than the length."""
    short, longer = (seed.text(length) for length in _SCREENED)
    for repeats in (1, 3):
        long_s = _seconds(lambda: search(longer), repeats)
        if long_s < _HURRIED_S:
            return 0.0
        grows = long_s > _SUSPICIOUS * _seconds(lambda: search(short), repeats)
        if not grows and long_s < len(longer) * MAX_S_PER_CHAR / 2:
            return 0.0
    return long_s


def _confirmed(search: _Search, seed: Seed) -> Offence | None:
    """Time a text at doubled lengths, as long as that is quick, unless a glance shows it linear."""
    half, whole = (seed.text(length) for length in _GLANCED)
    half_s, whole_s = _seconds(lambda: search(half)), _seconds(lambda: search(whole))
    if whole_s < min(_LINEAR * half_s, _GLANCED[1] * MAX_S_PER_CHAR):
        return None
    times: list[float] = []
    for length in _LENGTHS:
        text = seed.text(length)
        times.append(_seconds(lambda text=text: search(text), 2))  # type: ignore[misc]
        if times[-1] > _MOST_S:
            break
    ratio = growth(times)
    if ratio > MAX_RATIO or times[-1] > length * MAX_S_PER_CHAR:
        return Offence(seed, ratio, length, times[-1])
    return None


class Found(NamedTuple):
    """A pattern with its place in the source."""

    where: str
    pattern: re.Pattern[str]
    used_by: str = "search"


def _recorded(found: dict[tuple[str, int], Found]) -> None:
    """Note each pattern that the package compiles from now on."""
    compiled = re._compile  # type: ignore[attr-defined]

    def record(pattern: Any, flags: int) -> Any:
        result = compiled(pattern, flags)
        if (where := _caller(sys._getframe(1))) and isinstance(result.pattern, str):
            found.setdefault((result.pattern, result.flags), Found(where, result))
        return result

    re._compile = record  # type: ignore[attr-defined]


def _caller(frame: FrameType | None) -> str:
    """Return the place in the package that had a pattern compiled; '' for another's pattern."""
    while frame and frame.f_globals["__name__"] in ("re", "deepcritical.domain.text.patterns"):
        frame = frame.f_back
    name = frame.f_globals["__name__"] if frame else ""
    is_of_package = name.startswith("deepcritical") and name not in _SHORT_TEXTS
    return f"{name}:{frame.f_lineno}" if frame and is_of_package else ""


def _literals() -> Iterator[Found]:
    """Yield the patterns that functions hand to `re` as a text, as in `re.sub("x+", "", text)`."""
    root = Path(deepcritical.__file__).parent
    for path in sorted(root.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="re"), attr=method),
                    args=[ast.Constant(value=str(text)), *_],
                ) if method != "compile":
                    flags = re.IGNORECASE if "IGNORECASE" in ast.dump(node) else 0
                    used_by = method if method in ("match", "fullmatch") else "search"
                    where = f"{path.relative_to(root)}:{node.lineno}"
                    yield Found(where, re.compile(text, flags), used_by)


def _import_package() -> None:
    for module in pkgutil.walk_packages(deepcritical.__path__, "deepcritical."):
        if ".migrations" not in module.name:  # these run where they are imported
            importlib.import_module(module.name)


def _check_readings(lengths: Sequence[int], linear: float) -> int:
    """Print a table of the readings, and return how many are slow."""
    # Not above: it imports modules of the package, whose patterns would not be recorded.
    from scripts.hostile_records import hostile_readings

    print("reading of", *(f"{length:,}" for length in lengths), "characters: seconds, and ratios")
    slow = 0
    for reading in hostile_readings(lengths, linear):
        slow += (is_slow := growth(reading.times) > MAX_RATIO)
        print(f"{'SLOW' if is_slow else 'ok':4} {reading}", flush=True)
    return slow


def count_slow(found: Iterable[Found]) -> int:
    """Print the patterns that are slow, and return how many."""
    slow = 0
    for where, pattern, used_by in sorted(found, key=lambda one: one.where):
        if offence := check_pattern(pattern, used_by):
            slow += 1
            print(f"SLOW {where} {pattern.pattern[:60]!r}: {offence}", flush=True)
    return slow


def main() -> int:
    """Check every pattern and every reading, print what is too slow, and return the exit code."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument(
        "--full",
        action="store_true",
        help="read records of up to 50,000 characters",
    )
    whole = options.parse_args().full
    found: dict[tuple[str, int], Found] = {}
    _recorded(found)
    _import_package()
    slow_readings = (
        _check_readings(_FULL_LENGTHS, 0.0) if whole else _check_readings(_CHECK_LENGTHS, _LINEAR)
    )
    read_s = time.process_time()
    for literal in _literals():
        found[(literal.pattern.pattern, literal.pattern.flags)] = literal
    slow_patterns = count_slow(found.values())
    print(
        f"patterns: {slow_readings} slow readings in {read_s:.0f} s, {slow_patterns} slow of "
        f"{len(found)} patterns in {time.process_time() - read_s:.0f} s"
    )
    return 1 if slow_readings or slow_patterns else 0


if __name__ == "__main__":
    sys.exit(main())
