"""What checking a sentence against its source says: each check, its outcome and its reason."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from pydantic import Field

from deepcritical.domain.base import Model, UnitInterval
from deepcritical.domain.errors import QuestionError
from deepcritical.domain.patterns import bounded

__all__ = [
    "MAX_CLAIM_NUMBERS",
    "MAX_TEXT_NUMBERS",
    "Check",
    "CheckKind",
    "ClaimCheck",
    "Failure",
    "LocatedQuote",
    "Outcome",
    "check_size",
]

MAX_CLAIM_NUMBERS = 30
MAX_TEXT_NUMBERS = 5000
"""Every number of a claim is sought among all of the records: this many take two seconds."""
_NUMBER = bounded(r"\d+")


class CheckKind(StrEnum):
    """What is checked, in this order."""

    IDS = "ids"
    RETRACTION = "retraction"
    QUOTE = "quote"
    WORDS = "words"
    NUMBERS = "numbers"
    NAMES = "names"
    NEGATION = "negation"
    DIRECTION = "direction"
    STRENGTH = "strength"


class Outcome(StrEnum):
    """How a check ended; only `failed` takes support away."""

    PASSED = "passed"
    WEAK = "weak"
    FAILED = "failed"
    NOT_APPLICABLE = "not applicable"


class Failure(StrEnum):
    """The ways in which a sentence is not borne out by what it cites."""

    NO_SUCH_RECORD = "no such record"
    WRONG_ID = "wrong id"
    RETRACTED = "retracted source"
    QUOTE_NOT_FOUND = "quote not in the text"
    QUOTE_IN_TITLE = "quote only in the title"
    QUOTE_IN_REFERENCES = "quote only in a reference list"
    QUOTE_UNRELATED = "quote does not bear the sentence"
    NO_SUPPORT = "nothing in the text says so"
    NUMBER_MISSING = "number not in the text"
    NUMBER_MISPLACED = "number belongs to something else"
    UNIT_CHANGED = "unit changed"
    NAME_MISSING = "name not in the text"
    NAME_SWAPPED = "name in the place of another"
    NEGATION_CHANGED = "negation added or dropped"
    DIRECTION_CHANGED = "direction turned round"
    NOT_A_FINDING = "an aim told as a finding"
    OVERSTATED = "said more firmly than the source does"


class Check(Model):
    """One check of a sentence."""

    kind: CheckKind
    outcome: Outcome
    failure: Failure | None = None
    """Set where the outcome is `failed` or `weak`."""
    reason: str = ""
    """What was compared, in words; empty where there is nothing to say."""


class LocatedQuote(Model):
    """Words of a record: ``content[start:end] == text``."""

    text: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)


class ClaimCheck(Model):
    """Whether a sentence is borne out by the record it cites, and why."""

    sentence: str
    evidence_id: str = ""
    """Key of the record it was checked against; '' when the record came without a key."""
    supported: bool
    """Whether no check failed."""
    score: UnitInterval
    """How much of the sentence's wording the quotes cover, 0-1; 0 when it is not supported."""
    quotes: tuple[LocatedQuote, ...] = ()
    """The words it rests on, best first: the given quote, or else up to three sentences."""
    checks: tuple[Check, ...]

    @property
    def failures(self) -> tuple[Check, ...]:
        """The checks that failed."""
        return tuple(check for check in self.checks if check.outcome is Outcome.FAILED)

    def fails_by(self, failure: Failure) -> bool:
        """Whether a check failed in this way."""
        return any(check.failure is failure for check in self.failures)

    @property
    def overstated(self) -> bool:
        """Whether the source says it less firmly, as with a "may" or as an association."""
        return any(check.outcome is Outcome.WEAK for check in self.checks)

    @property
    def quote(self) -> LocatedQuote | None:
        """The words that it rests on first of all."""
        return self.quotes[0] if self.quotes else None

    @property
    def reason(self) -> str:
        """Why it is not supported; '' when it is."""
        return "; ".join(
            f"{check.failure.value if check.failure else check.kind.value}: {check.reason}".rstrip(
                ": "
            )
            for check in self.failures
        )


def check_size(claim: str, texts: Iterable[str]) -> None:
    """Refuse what a user wants checked and what would take longer than he waits.

    Raises:
        QuestionError: The claim, or the texts of its records together, have too many numbers.
    """
    if len(_NUMBER.findall(claim)) > MAX_CLAIM_NUMBERS:
        raise QuestionError(
            f"A claim has at most {MAX_CLAIM_NUMBERS} numbers.", "Check one sentence at a time."
        )
    if sum(len(_NUMBER.findall(text)) for text in texts) > MAX_TEXT_NUMBERS:
        raise QuestionError(
            f"The records have at most {MAX_TEXT_NUMBERS} numbers together.",
            "Check against fewer of them.",
        )
