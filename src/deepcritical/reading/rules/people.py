"""Reads how many people were randomised, in all and to each arm."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from deepcritical.domain.patterns import bounded
from deepcritical.domain.quantities import Quantity, quantities
from deepcritical.domain.study_size import counts_in
from deepcritical.domain.text import Span
from deepcritical.reading.rules.arms import KnownArms
from deepcritical.reading.rules.clauses import plain
from deepcritical.reading.rules.marking import BOTH, marked
from deepcritical.reading.rules.words import PEOPLE

_RANDOM = r"(?:randomi[sz]ed|randomly|assigned|allocated|randomi[sz]ation of|divided)"
_BEHIND_RANDOM = bounded(
    rf"^[^.;]{{0,160}}?\b(?:were|was|underwent|and|then|who|to be)\s(?:\w+ly\s|then\s|all\s)?"
    rf"(?:be\s)?{_RANDOM}\b|^[^.;\d]{{0,40}}?\s{_RANDOM}\b",
    re.IGNORECASE,
)
_BEFORE_RANDOM = bounded(
    rf"\b{_RANDOM}(?:\s\w+ed)?(?:\sa total of|\sthe|\sall)?\s$|\brandomi[sz]ation of\s$", re.I
)
_BEHIND_ENTERED = bounded(
    r"^[^.;\d]{0,120}?\b(?:were|was|have been)\s(?:\w+ly\s|all\s)?(?:enrolled|included|"
    r"recruited|entered|accrued|studied|registered|accepted)\b|^[^.;\d]{0,100}?\b(?:entered|"
    r"participated|took part|enrolled|underwent|received|completed)\b",
    re.IGNORECASE,
)
_BEFORE_ENTERED = bounded(
    r"\b(?:enrolled|included|recruited|involv(?:ed|ing)|compris(?:ed|ing)|entered|accrued|studied|"
    r"trial (?:in|of|with|among)|study (?:in|of|with|among)|consist(?:ed|ing) of)"
    r"\s(?:a total of\s|the\s)?$",
    re.IGNORECASE,
)
_FIRST_WORDS = bounded(r"^(?:a total of|in (?:all|total),?|overall,?|we)?\s?$", re.IGNORECASE)
_IN_STUDY = bounded(
    r"\b(?:trial|study)\b[^.;\d]{0,150}\b(?:in|of|on|among|with|includes?|included|enrolled)\s$",
    re.I,
)
_NOT_COUNTED = bounded(
    r"(?:\b(?:screened|assessed for|eligible|invited|approached|evaluable|completed|of whom|"
    r"planned|target|power|sample size|will be|to detect|per|each|every|additional|other|"
    r"remaining|first|last|phase|stage|grade|another|dropped|withdrew|lost|excluded|died|"
    r"developed|had|experienced|aged?|years?|only|at least|up to)|\d of(?: the)?)\s"
    r"(?:a total of\s|the\s)?$",
    re.IGNORECASE,
)
_PLAN = bounded(
    r"\b(?:will be|to be (?:enrolled|recruited|randomi[sz]ed)|planned (?:to|enrol\w*|sample|total|"
    r"number)|aims?|sample size|^to (?:compare|evaluate|determine|assess|conduct)|objectives?|"
    r"purpose|"
    r"power(?:ed)?|target(?:ed)?|intend\w*)\b",
    re.IGNORECASE,
)
_SCREENED = bounded(
    r"^[^.;\d]{0,60}\b(?:evaluable|assessable|analy[sz]ed|screened|assessed for|"
    r"eligible for|invited|approached|contacted)\b",
    re.IGNORECASE,
)
_PART = bounded(
    r"^\s?(?:\(\d[\d.]*\s?%\)|%|(?:out )?of (?:the |these )?\d|of (?:the|these|them)\b)"
)
_SHARE = bounded(r"\s?\d[\d.·]*\s?%[^;]{0,20}")
_ONLY_NOUN = bounded(r"[^\d.;,]{0,40}")
_CALENDAR = bounded(
    r"\b(?:in|since|from|to|and|between|until|through|during|January|February|"
    r"March|April|May|June|July|August|September|October|November|December)\s$",
    re.IGNORECASE,
)
_PEOPLE_NEXT = bounded(rf"^[\s-](?:[\w'’/-]+\s){{0,5}}?(?:[\w-]+-)?{PEOPLE}\b", re.IGNORECASE)
_N_EQUALS = bounded(r"\b[Nn]\s?=\s?(\d{1,3}(?:[, \u2009\u202f]\d{3})+|\d{1,6})\b")
_TO_ONE_ARM = bounded(
    rf"^of [^.;,]*{PEOPLE} (?:who were )?(?:randomi[sz]ed|assigned|allocated) to (?:the )?[\w-]+,|"
    r"\b(?:randomi[sz]ed|assigned|allocated) to [^.;,\d]{1,80} and \d{1,6} (?:\w+ )?to\b",
    re.IGNORECASE,
)
"""A count of one arm: "of 60 patients randomised to X, ..." and "40 assigned to X and 41 to Y"."""
_OF_PEOPLE = bounded(rf"^[^.;\d]{{0,80}}\b{PEOPLE}\b[^.;]{{0,80}}$", re.IGNORECASE)
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
_METHODS_OR_RESULTS = ("background", "introduction", "objective", "aim", "purpose", "context")
_LEAST = 6
_MORE, _LEAST_SHARE = 1.02, 0.5
"""Shares of all people beyond which the sum of the arms is of something else."""
_MOST_YEAR, _LEAST_YEAR = 2035, 1950


_LAST = 3
"""Rank of people whom only the rule for the record as a whole finds."""
_OPENS = 2
"""Rank of people who open a sentence or of whom a study is: the only ones of their sentence."""


class Sizes(NamedTuple):
    """People of a study."""

    randomised: int | None
    by_arm: dict[str, int]
    sentences: tuple[int, ...]


class _Count(NamedTuple):
    n: int
    rank: int
    """0 for people said to be randomised, 1 for those who entered, 2 for others studied."""
    sentence: int


def read_sizes(told: Sequence[Span], arms: KnownArms, whole: int | None = None) -> Sizes:
    """Read how many people were randomised, or entered a study without it, and how many to arms.

    The people said to be randomised go before those who entered; the sum of all arms is taken
    where no number of all people is given. Those who entered something are only a part, where the
    record as a whole is on more (`whole`).
    """
    known = {arm.id: arm.n for arm in arms.arms if arm.n is not None}
    by_arm, place = (known, ()) if len(known) > 1 else _by_arm(told, arms)
    counts = [c for number, span in enumerate(told[1:], 1) for c in _counts(number, span)]
    counts = [c for c in counts if c.n not in by_arm.values()]
    counts = [c for c in counts if not (c.rank == 1 and whole and whole > c.n)]
    best = min(counts, key=lambda c: (c.rank, c.sentence), default=None)
    total = sum(by_arm.values())
    if best is None:
        whole = total if len(by_arm) == len(arms.arms) > 1 else None
        return Sizes(whole, by_arm, place)
    if by_arm and best.rank and (total > best.n or any(c.n == total for c in counts)):
        return Sizes(total, by_arm, place)
    if total > _MORE * best.n:
        return Sizes(None, {}, ())
    if total < _LEAST_SHARE * best.n:
        return Sizes(best.n, {}, (best.sentence,))
    return Sizes(best.n, by_arm, tuple(sorted({best.sentence, *place})))


def _counts(number: int, span: Span) -> Iterator[_Count]:
    if _PLAN.search(span.text) or span.label.startswith(_METHODS_OR_RESULTS):
        return
    line, asides = plain(span.text)
    shares = [aside.at for aside in asides if _SHARE.fullmatch(aside.text)]
    found = [q for q in quantities(line) if q.noun == "people" and _is_whole(q, line)]
    found = [q for q in found if not any(_ONLY_NOUN.fullmatch(line[q.end : at]) for at in shares)]
    ranked = [(q, _rank(line[: q.start], line[q.end :])) for q in found]
    ranked = [(q, rank) for q, rank in ranked if rank != _OPENS or len(found) == 1]
    # "1694 women assigned to X, 1693 assigned to Y" counts arms.
    if sum(rank == 0 for _, rank in ranked) < 2 and not _TO_ONE_ARM.search(_in_digits(line)):
        yield from (_Count(int(q.value), r, number) for q, r in ranked if r is not None)
    for aside in asides:
        size = _N_EQUALS.match(aside.text.strip())
        alone = sum(bool(_N_EQUALS.search(other.text)) for other in asides) == 1
        of_people = _OF_PEOPLE.search(line[: aside.at]) and _BEHIND_RANDOM.match(line[aside.at :])
        if size and alone and of_people:
            yield _Count(_number(size[1]), 0, number)
    yield from (_Count(c.n, _LAST, number) for c in counts_in(span.text) if c.at_random)


def _is_whole(q: Quantity, line: str) -> bool:
    """Return whether a quantity is a count of people, and not a year, a share or a bound."""
    before = line[: q.start]
    if q.value < _LEAST or q.value != int(q.value) or q.unit.dimension or q.kind or q.bound:
        return False
    if not _PEOPLE_NEXT.match(line[q.end :]):
        return False
    if _LEAST_YEAR <= q.value <= _MOST_YEAR and not q.spelled and _CALENDAR.search(before):
        return False
    return not (_NOT_COUNTED.search(before) or _PART.match(line[q.end :]))


def _rank(before: str, behind: str) -> int | None:
    if _SCREENED.match(behind):
        return None
    if _BEFORE_RANDOM.search(before) or _BEHIND_RANDOM.match(behind):
        return 0
    if _BEFORE_ENTERED.search(before) or _BEHIND_ENTERED.match(behind):
        return 1
    return _OPENS if _FIRST_WORDS.match(before) or _IN_STUDY.search(before) else None


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
    """The text with its worded numbers, such as "forty-one", in digits."""
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
