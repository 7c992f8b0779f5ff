"""Rates the GRADE certainty of one record: its design's starting level, and up- or downgrades.

GRADE rates bodies of evidence; of a single record it can only say what its own data show. A verdict
rates the body anew (`verdict`). Starts and domains follow the GRADE guidelines (J Clin Epidemiol
2011): randomised trials start high, observational studies low.
"""

import re
from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

from deepcritical.domain.evidence.designs import LEVEL, Design
from deepcritical.domain.evidence.kinds import is_retracted
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.text.patterns import bounded

VERY_FEW = 100
"""Participants below which imprecision is very serious and counts twice (GRADE guidelines 6)."""
OPTIMAL_INFORMATION_SIZE = 400
"""Participants below which randomised evidence on a continuous outcome is imprecise.

The rule of thumb of GRADE guidelines 6.
"""
LARGE = 4_000
"""Participants from which even rare events make no evidence imprecise (GRADE guidelines 6)."""


class Certainty(StrEnum):
    """GRADE certainty, of a body of evidence or of one record."""

    HIGH = "high"
    MODERATE = "moderate"
    LOW = "low"
    VERY_LOW = "very low"


_LADDER = (Certainty.VERY_LOW, Certainty.LOW, Certainty.MODERATE, Certainty.HIGH)
_LEVELS = r"very[- ]low|low|moderate|high"
_STATED = bounded(
    rf"\b(?P<one>{_LEVELS})[- ](?:certainty(?: of)?|quality(?: of)?)(?: the)? evidence\b"
    r"(?! (?:is|are) (?:needed|required|lacking))|"
    rf"\b(?P<four>{_LEVELS})[- ]certainty\b(?! (?:evidence|of))|"
    r"\b(?:certainty|quality) of (?:the |this )?(?:body of )?evidence (?:is|was|as|to be)"
    rf"(?: (?!not\b)\w+){{0,2}}? (?P<two>{_LEVELS})\b|"
    rf"\bGRADE[:,]? (?P<three>{_LEVELS})\b|\bevidence of (?P<five>{_LEVELS}) quality\b",
    re.IGNORECASE,
)
_OF_REVIEW = "the review itself rates its evidence no higher"
_START: dict[int | None, Certainty | None] = {
    1: Certainty.HIGH,
    2: Certainty.HIGH,
    3: Certainty.LOW,
    4: Certainty.LOW,
    5: Certainty.VERY_LOW,
    None: None,
}
"""Where designs of each OCEBM level start (GRADE guidelines 3), but a case series very low.

None where there is no result to rate.
"""


def certainties_stated(text: str) -> tuple[Certainty, ...]:
    """Return the levels of certainty that a text states of evidence, the lowest first.

    They only ever lower what is calculated, so that "no high-certainty evidence" lifts nothing.
    """
    groups = ("one", "two", "three", "four", "five")
    said = (next(filter(None, m.group(*groups))) for m in _STATED.finditer(text))
    found = {Certainty(level.lower().replace("-", " ")) for level in said}
    return tuple(level for level in _LADDER if level in found)


def capped(step: int, stated: tuple[Certainty, ...]) -> int:
    """Return a step of the ladder, or the highest one that is stated where that is lower."""
    return min(step, max(map(_LADDER.index, stated))) if stated else step


class Rated(NamedTuple):
    """A certainty with its reasons."""

    certainty: Certainty | None
    reasons: tuple[str, ...] = ()


class _Facts(NamedTuple):
    record: Evidence
    design: Design
    people: int | None

    def says(self, pattern: re.Pattern[str]) -> bool:
        return bool(pattern.search(f"{self.record.citation.title} {self.record.abstract}"))

    @property
    def is_review(self) -> bool:
        return self.design.value.startswith("systematic review")


_OPEN_LABEL = bounded(r"\bopen[- ]label\b|\bun-?blinded\b|\b(?:not|non-?) ?blinded\b", re.I)
_HIGH_RISK = bounded(
    r"\b(?:high|serious|unclear) risk of bias\b|\blow[- ]quality (?:trials|studies|evidence)\b",
    re.I,
)
_HETEROGENEOUS = bounded(
    r"\b(?:substantial|considerable|high|significant|marked) heterogeneity\b|"
    r"\bI\s?(?:2|²|<sup>2</sup>)\s*[=>:]\s*(?:[5-9]\d|100)(?:\.\d+)?\s?%",
    re.IGNORECASE,
)
"""I² of 50 % and more may be substantial (Cochrane Handbook, 10.10.2)."""
_UNPUBLISHED = bounded(
    r"\bpublication bias (?:was |is )?(?:likely|detected|suspected|present|possible|evident)\b|"
    r"\bfunnel plots? (?:\w+ ){0,3}asymmetr",
    re.IGNORECASE,
)
_SURROGATE = bounded(r"\bsurrogate (?:outcomes?|end ?points?|markers?)\b", re.IGNORECASE)
_DOSE_RESPONSE = bounded(
    r"\bdose[- ]response\b(?! (?:study|trial))|\bdose-?dependent\w*\b", re.IGNORECASE
)
_LARGE = bounded(
    r"\b(?:HR|OR|RR|hazard ratio|odds ratio|relative risk|risk ratio)\b[^\d;]{0,12}"
    r"(?:0?\.[0-4]\d*\b|[2-9]\.\d+|[1-9]\d\.\d)",
    re.IGNORECASE,
)
"""A ratio of at least 2 or at most 0.5 is large (GRADE guidelines 9)."""


class _Row(NamedTuple):
    applies: Callable[[_Facts], object]
    steps: int
    reason: str


_DOWN = (
    _Row(
        lambda f: f.design is Design.RCT and f.says(_OPEN_LABEL),
        1,
        "risk of bias: most people knew what they were given (GRADE guidelines 4)",
    ),
    _Row(
        lambda f: f.is_review and f.says(_HIGH_RISK),
        1,
        "risk of bias: the review names studies at risk (GRADE guidelines 4)",
    ),
    _Row(
        lambda f: f.record.metadata.integrity == "concern",
        1,
        "risk of bias: an expression of concern stands against the record",
    ),
    _Row(
        lambda f: f.is_review and f.says(_HETEROGENEOUS),
        1,
        "inconsistency: the review finds its studies to disagree (GRADE guidelines 7)",
    ),
    _Row(
        lambda f: f.design in (Design.PRECLINICAL, Design.REVIEW_WITH_ANIMALS),
        1,
        "indirectness: animals or cells, not patients (GRADE guidelines 8)",
    ),
    _Row(
        lambda f: f.says(_SURROGATE),
        1,
        "indirectness: the outcome is a surrogate (GRADE guidelines 8)",
    ),
    _Row(
        lambda f: f.people is not None and f.people < VERY_FEW,
        2,
        f"very serious imprecision: fewer than {VERY_FEW} participants (GRADE guidelines 6)",
    ),
    _Row(
        lambda f: f.people is not None and VERY_FEW <= f.people < OPTIMAL_INFORMATION_SIZE,
        1,
        f"imprecision: fewer than {OPTIMAL_INFORMATION_SIZE} participants (GRADE guidelines 6)",
    ),
    _Row(
        lambda f: f.is_review and f.says(_UNPUBLISHED),
        1,
        "publication bias: the review suspects it (GRADE guidelines 5)",
    ),
)
_UP = (
    _Row(lambda f: f.says(_LARGE), 1, "large effect (GRADE guidelines 9)"),
    _Row(lambda f: f.says(_DOSE_RESPONSE), 1, "dose response (GRADE guidelines 9)"),
)
"""Only for observational studies that nothing lowered (GRADE guidelines 9)."""
_RAISABLE = (Design.COHORT, Design.REVIEW_OF_COHORTS, Design.CASE_CONTROL)


def rate_certainty(record: Evidence, design: Design, people: int | None) -> Rated:
    """The GRADE certainty of one record with what lowered or raised it.

    It is no higher than the one that a review itself states, which saw the studies.
    """
    start = Certainty.VERY_LOW if design is Design.CASE_SERIES else _START[LEVEL[design]]
    if start is None or is_retracted(record):
        return Rated(None, ("retracted: no certainty at all",) if is_retracted(record) else ())
    facts = _Facts(record, design, people)
    down = [row for row in _DOWN if row.applies(facts)]
    up = [] if down or design not in _RAISABLE else [row for row in _UP if row.applies(facts)]
    step = _LADDER.index(start) - sum(r.steps for r in down) + sum(r.steps for r in up)
    own = min(max(step, 0), len(_LADDER) - 1)
    told = capped(own, certainties_stated(record.abstract) if facts.is_review else ())
    reasons = tuple(row.reason for row in (*down, *up))
    return Rated(_LADDER[told], reasons if told == own else (*reasons, _OF_REVIEW))
