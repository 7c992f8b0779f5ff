"""Reads how many people were given to each arm, beside those of the study as a whole."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from deepcritical.domain.patterns import bounded
from deepcritical.domain.quantities import quantities
from deepcritical.domain.text import Span
from deepcritical.reading.rules.arms import KnownArms
from deepcritical.reading.rules.clauses import plain
from deepcritical.reading.rules.marking import BOTH, marked
from deepcritical.reading.rules.words import PEOPLE

_PLAN = bounded(
    r"\b(?:will (?:be|randomi[sz]e|enrol\w*|recruit|include)|(?:is|are) being|"
    r"to be (?:enrolled|recruited|randomi[sz]ed)|planned (?:to|enrol\w*|sample|total|number)|aims?|"
    r"sample size|^to (?:compare|evaluate|determine|assess|conduct)|objectives?|"
    r"purpose|"
    r"power(?:ed)?|target(?:ed)?|intend\w*)\b",
    re.IGNORECASE,
)
_ARM_ASIDE = bounded(
    r"^\s?(?:[^;]{0,60}[,;]\s)?(?:[Nn]\s?=\s?)?(?P<n>\d{1,3}(?:,\d{3})+|\d{1,6})"
    rf"(?:\s(?:\w+\s)?{PEOPLE})?\s?(?:$|[;,])",
    re.IGNORECASE,
)
_TO_ARM = bounded(
    rf"(?<![\d.,=/])(?<!per )(?P<n>\d{{1,3}}(?:,\d{{3}})+|\d{{1,6}})(?:\s(?:\w+\s)?{PEOPLE})?"
    r"(?:\s(?:were|was|being))?(?:\s(?:randomly\s)?(?:randomi[sz]ed|assigned|allocated|received|"
    r"given|had|underwent|treated))?(?:\s(?:to|in|with|on|into|receiving))?"
    r"(?:\s(?:receive|treatment with))?\s⟦(?P<mark>\d{1,2})⟧",
    re.IGNORECASE,
)
_ALLOCATED = bounded(
    r"\b(?:random\w*|assigned|allocated|divided|enrolled|received?|treated|groups?|arms?)\b", re.I
)
_LEAST = 6
_MORE, _LEAST_SHARE = 1.02, 0.5
"""Shares of all people beyond which the sum of the arms is of something else."""


class Sizes(NamedTuple):
    """People of a study."""

    randomised: int | None
    by_arm: dict[str, int]
    sentences: tuple[int, ...]


def read_sizes(told: Sequence[Span], arms: KnownArms, whole: int | None) -> Sizes:
    """Read how many people each arm got.

    Args:
        told: The record's sentences, the title first.
        arms: Its arms.
        whole: The people that the record as a whole is on; the sum of all arms where it says none.
    """
    known = {arm.id: arm.n for arm in arms.arms if arm.n is not None}
    by_arm, place = (known, ()) if len(known) > 1 else _by_arm(told, arms)
    total = sum(by_arm.values())
    if whole is None or total > _MORE * whole:
        # What the record counts as a whole may be a part of those who were allocated.
        return Sizes(total if len(by_arm) == len(arms.arms) > 1 else None, by_arm, place)
    places = {n for n, span in enumerate(told[1:], 1) if _has(span.text, whole)}
    if total < _LEAST_SHARE * whole:
        return Sizes(whole, {}, tuple(sorted(places)[:1]))
    return Sizes(whole, by_arm, tuple(sorted({*sorted(places)[:1], *place})))


def _has(text: str, number: int) -> bool:
    return any(q.value == number for q in quantities(text))


def _number(text: str) -> int:
    return int(re.sub(r"\D", "", text))


def _by_arm(told: Sequence[Span], arms: KnownArms) -> tuple[dict[str, int], tuple[int, ...]]:
    """The people of each arm, from the first sentence that gives those of two arms."""
    for number, span in enumerate(told[1:], 1):
        if not _ALLOCATED.search(span.text) or _PLAN.search(span.text):
            continue
        sizes = _sizes_in(span.text, arms)
        if len(sizes) > 1:
            return sizes, (number,)
    return {}, ()


def _in_digits(text: str) -> str:
    """Return the text with its worded numbers, such as "forty-one", in digits."""
    for q in reversed(quantities(text)):
        if q.spelled and not q.unit.dimension:
            text = f"{text[: q.start]}{q.value:.0f}{text[q.end :]}"
    return text


def _sizes_in(text: str, arms: KnownArms) -> dict[str, int]:
    line, asides = plain(_in_digits(text))
    found = marked(line, arms)
    sizes: dict[str, int] = {}
    for at, mention in enumerate(found.mentions):
        until = found.mentions[at + 1].start if at + 1 < len(found.mentions) else len(line) + 1
        for aside in asides:
            size = None if "%" in aside.text else _ARM_ASIDE.match(aside.text)
            if (
                size
                and _number(size["n"]) >= _LEAST
                and mention.arm != BOTH
                and mention.end <= aside.at < until
            ):
                sizes.setdefault(mention.arm, _number(size["n"]))
    # "Of 50 people given A, 12 received B" counts no arm.
    for match in () if line.startswith("Of ") else _TO_ARM.finditer(found.text):
        arm = found.arm(match["mark"])
        if arm != BOTH:
            sizes.setdefault(arm, _number(match["n"]))
    return sizes
