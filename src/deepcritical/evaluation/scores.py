"""Scores with their confidence intervals, as a Markdown table."""

import csv
import gzip
import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from math import sqrt
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any, Literal, NamedTuple, get_args

from deepcritical.domain.base import Model, UnitInterval
from deepcritical.domain.run.budget import Spent

Half = Literal["development", "kept aside"]
"""Rules may be written on the first; the second is only counted."""

_Z = 1.959964
"""Of the normal distribution, for an interval of 95 %."""


class Outcome(NamedTuple):
    """One label, and what became of it."""

    measure: str
    half: Half
    told: bool
    """True if anything was said at all."""
    right: bool
    shown: str = ""
    """The details that show why, for the half that may be looked at."""


class Measured(NamedTuple):
    """The outcomes of one set, and the cost of the model."""

    outcomes: list[Outcome]
    spent: Spent = Spent()


class Share(Model):
    """A share of n with its interval of 95 % (Wilson's score interval)."""

    hits: int
    n: int
    low: UnitInterval
    high: UnitInterval

    @property
    def value(self) -> float:
        """The share itself, 0-1; 0 of nothing is 0."""
        return self.hits / self.n if self.n else 0.0


def wilson(hits: int, n: int) -> Share:
    """The share of hits among n.

    The interval is Wilson's score interval (J Am Stat Assoc 1927;22:209-212), which holds for few
    labels and near 0 and 1; of nothing it is 0 to 1.
    """
    if n == 0:
        return Share(hits=0, n=0, low=0.0, high=1.0)
    p, square = hits / n, _Z * _Z
    middle = (p + square / (2 * n)) / (1 + square / n)
    reach = _Z / (1 + square / n) * sqrt(p * (1 - p) / n + square / (4 * n * n))
    low = max(0.0, middle - reach) if hits else 0.0
    return Share(hits=hits, n=n, low=low, high=min(1.0, middle + reach) if hits < n else 1.0)


def bootstrapped(values: Sequence[float]) -> tuple[float, float, float]:
    """The mean of some values with its interval of 95 %: percentiles of 2,000 resamples.

    The resamples are the same for the same values (Efron, Ann Stat 1979;7:1-26).
    """
    chance = Random(0)  # noqa: S311
    drawn = sorted(fmean(chance.choices(values, k=len(values))) for _ in range(2_000))
    return fmean(values), drawn[49], drawn[1949]


class Figure(Model):
    """One measure on one half of one set."""

    set: str
    measure: str
    half: Half
    right: Share
    """Right ones among all labels: what was not told counts as not right."""
    precise: Share
    """Right ones among those told."""


class Cost(Model):
    """The cost of one set."""

    seconds: float
    calls: int = 0
    """Answers of a model."""
    tokens: int = 0
    usd: float | None = None
    """None where the price of the model is not known."""


class Evaluation(Model):
    """All figures of one measurement, with what they were measured with."""

    schema_version: Literal[1] = 1
    version: str
    commit: str
    """Of the checkout that was measured; '' where it is none."""
    measured_on: str
    """The day, as YYYY-MM-DD."""
    model: str
    """As provider:name; '' for none."""
    python: str
    """The interpreter, as "Python 3.12.1"."""
    figures: tuple[Figure, ...]
    costs: dict[str, Cost]
    """By set."""


def figures_of(name: str, outcomes: Iterable[Outcome]) -> tuple[Figure, ...]:
    """The figures of a set by measure, in the order in which these first come, and by half."""
    grouped: dict[tuple[str, Half], list[Outcome]] = {}
    for outcome in outcomes:
        for half in get_args(Half):
            grouped.setdefault((outcome.measure, half), [])
        grouped[outcome.measure, outcome.half].append(outcome)
    return tuple(
        Figure(
            set=name,
            measure=measure,
            half=half,
            right=wilson(sum(o.right for o in found), len(found)),
            precise=wilson(sum(o.right and o.told for o in found), sum(o.told for o in found)),
        )
        for (measure, half), found in grouped.items()
        if found
    )


_HEAD = (
    "| Set | Measure | Half | Right of all [95 % CI] | Right of those told [95 % CI] |\n"
    "|---|---|---|---|---|"
)


def markdown(told: Evaluation) -> str:
    """The figures as one table, and below it what they were measured with and what they took."""
    rows = "\n".join(_rows(told.figures))
    return f"{_HEAD}\n{rows}\n\n{_costs(told)}\n\n{_how(told)}\n"


def _rows(figures: Sequence[Figure]) -> Iterator[str]:
    for name, found in groupby(figures, key=lambda one: one.set):
        for n, figure in enumerate(found):
            shares = share_words(figure.right), share_words(figure.precise)
            cells = (name if n == 0 else "", figure.measure, figure.half, *shares)
            yield f"| {' | '.join(cells)} |"


def share_words(share: Share) -> str:
    """A share with its interval: "8 of 10: 80.0 % [49–94]"."""
    if not share.n:
        return "none"
    interval = f"[{100 * share.low:.0f}–{100 * share.high:.0f}]"
    return f"{share.hits} of {share.n}: {100 * share.value:.1f} % {interval}"


def _costs(told: Evaluation) -> str:
    lines = [
        "| Set | Seconds | Answers of a model | Tokens | US dollars |",
        "|---|---|---|---|---|",
    ]
    for name, cost in told.costs.items():
        usd = "" if cost.usd is None else f"{cost.usd:.2f}"
        counted = f"{cost.calls:,} | {cost.tokens:,} | {usd}" if cost.calls else "0 | 0 | "
        lines.append(f"| {name} | {cost.seconds:.1f} | {counted} |")
    return "\n".join(lines)


def _how(told: Evaluation) -> str:
    commit = f", commit {told.commit}" if told.commit else ""
    model = told.model or "no model"
    return f"DeepCritical {told.version}{commit}, {model}, {told.python}, {told.measured_on}."


def half_of(key: str) -> Half:
    """The half of a row of a published set, by a hash of its id."""
    digest = hashlib.sha1(key.encode(), usedforsecurity=False).hexdigest()
    return "kept aside" if int(digest, 16) % 2 else "development"


def text_of(path: Path) -> str:
    """The text of a file, unpacked if its name ends in .gz."""
    if path.suffix == ".gz":
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            return lines.read()
    return path.read_text(encoding="utf-8")


def json_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file of JSON lines, or of one JSON array."""
    text = text_of(path)
    yield from json.loads(text) if text.startswith("[") else map(json.loads, text.splitlines())


def rows_on(path: Path, snapshot: str) -> Iterator[dict[str, Any]]:
    """The questions of a file that are asked of a snapshot, by its name or path.

    A row that is on certain records names them in `records`: it means nothing over others.
    """
    stem = Path(snapshot).name.partition(".")[0]
    return (row for row in json_lines(path) if row.get("records", stem) == stem)


def table(path: Path) -> Iterator[dict[str, str]]:
    """The rows of a .csv or .tsv file by the names of its columns."""
    delimiter = "\t" if path.suffix == ".tsv" else ","
    with path.open(encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines, delimiter=delimiter)
