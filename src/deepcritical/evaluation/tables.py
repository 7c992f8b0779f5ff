"""Writes an evaluation as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from deepcritical.evaluation.scores import Evaluation, Figure, Share

__all__ = ["markdown", "share_words"]

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
