"""What checking a sentence against its source says: each check, its outcome and its reason."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from pydantic import Field, computed_field

from deepcritical.domain.base import Model, UnitInterval
from deepcritical.domain.errors import QuestionError
from deepcritical.domain.patterns import bounded

MAX_CLAIM_NUMBERS = 30
MAX_TEXT_NUMBERS = 5000
"""Every number of a claim is sought among all of the records: this many take two seconds."""
_NUMBER = bounded(r"\d+")


class ClaimVerdict(StrEnum):
    """Whether a record bears a sentence out."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    CANNOT_TELL = "cannot tell"


class CheckKind(StrEnum):
    """What is checked, in this order."""

    IDS = "ids"
    RETRACTION = "retraction"
    QUOTE = "quote"
    WORDS = "words"
    NUMBERS = "numbers"
    NAMES = "names"


class Outcome(StrEnum):
    """How a check ended.

    One that failed contradicts the sentence; one that is open leaves it without support.
    """

    PASSED = "passed"
    OPEN = "cannot tell"
    FAILED = "failed"
    NOT_APPLICABLE = "not applicable"


class Failure(StrEnum):
    """Why a check did not pass."""

    NO_SUCH_RECORD = "no such record"
    WRONG_ID = "wrong id"
    RETRACTED = "retracted source"
    QUOTE_NOT_FOUND = "quote not in the text"
    QUOTE_IN_TITLE = "quote only in the title"
    QUOTE_IN_REFERENCES = "quote only in a reference list"
    NOT_VERBATIM = "not in the record's own words"
    NUMBER_MISSING = "number not in the text"
    NAME_MISSING = "name not in the text"
    TURNED = "turned round"
    SWAPPED = "swapped"


class Check(Model):
    """One check of a sentence."""

    kind: CheckKind
    outcome: Outcome
    failure: Failure | None = None
    """Set where the outcome is `failed` or `cannot tell`."""
    reason: str = ""
    """What was compared, in words; empty where there is nothing to say."""


class LocatedQuote(Model):
    """Words of a record: ``content[start:end] == text``."""

    text: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)


class ClaimCheck(Model):
    """Whether the record that a sentence cites bears it out, and why."""

    sentence: str
    evidence_id: str = ""
    """Key of the record it was checked against; '' when the record came without a key."""
    verdict: ClaimVerdict
    reasons: tuple[str, ...] = ()
    """Why it is not supported; () when it is."""
    score: UnitInterval
    """Share of the sentence's words that the quotes hold in the same order; 1 when supported."""
    quotes: tuple[LocatedQuote, ...] = ()
    """The words that it was compared with: the given quote, or the one or two nearest sentences."""
    checks: tuple[Check, ...]

    @computed_field(json_schema_extra={"deprecated": True})  # type: ignore[prop-decorator]
    @property
    def supported(self) -> bool:
        """Whether the verdict is "supported". Deprecated: read `verdict`."""
        return self.verdict is ClaimVerdict.SUPPORTED

    @property
    def quote(self) -> LocatedQuote | None:
        """The first of the quotes."""
        return self.quotes[0] if self.quotes else None

    @property
    def reason(self) -> str:
        """All reasons in one text; '' when it is supported."""
        return "; ".join(self.reasons)


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
