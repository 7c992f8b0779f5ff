"""Claims of a report and their checks against the cited records.

A claim that is its quote, at its place in a record that is not retracted, needs no other check.
What is told in other words is for the claim ledger.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum

from pydantic import Field, computed_field

from deepcritical.domain.base import Model, UnitInterval
from deepcritical.domain.errors import QuestionError
from deepcritical.domain.evidence.kinds import is_retracted
from deepcritical.domain.evidence.record import Evidence, Fact
from deepcritical.domain.report.parts import Claim
from deepcritical.domain.text.markdown import unescape_markdown, visible
from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.spans import fold, locate_quote

MAX_CLAIM_NUMBERS = 30
MAX_TEXT_NUMBERS = 5000
"""Every number of a claim is sought among all of the records: this many take two seconds."""
_NUMBER = bounded(r"\d+")


class ClaimVerdict(StrEnum):
    """The verdict of a record on a sentence."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    CANNOT_TELL = "cannot tell"


class CheckKind(StrEnum):
    """The checks of a claim, in the order in which they are made."""

    IDS = "ids"
    RETRACTION = "retraction"
    QUOTE = "quote"
    WORDS = "words"
    NUMBERS = "numbers"
    NAMES = "names"


class Outcome(StrEnum):
    """The result of a check.

    One that failed contradicts the sentence; one that is open leaves it without support.
    """

    PASSED = "passed"
    OPEN = "cannot tell"
    FAILED = "failed"
    NOT_APPLICABLE = "not applicable"


class Failure(StrEnum):
    """Reasons for which a check fails."""

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
    """The check of a sentence against the record that it cites, with the reason."""

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
        """Return whether the verdict is "supported". Deprecated: read `verdict`."""
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


def located(fact: Fact, evidence: Mapping[str, Evidence]) -> Fact | None:
    """The fact with its offsets set to where its quote really stands; None if it stands nowhere."""
    record = evidence.get(fact.evidence_id)
    place = locate_quote(fact.quote, record.content) if record else None
    if record is None or place is None:
        return None
    if record.content[fact.start : fact.end] == fact.quote:
        return fact
    start, end = place
    return fact.model_copy(update={"quote": record.content[start:end], "start": start, "end": end})


def claim_holds(claim: Claim, evidence: Mapping[str, Evidence]) -> bool:
    """Return whether the quote stands at its offsets, the sentence is it, and its record counts."""
    record = evidence.get(claim.evidence_id)
    if record is None or is_retracted(record):
        return False
    if fold(record.content[claim.start : claim.end]) != fold(claim.quote):
        return False
    return is_quote(claim)


def is_quote(claim: Claim) -> bool:
    """Return whether a claim's sentence is its quote, markup and control characters aside."""
    quote = fold(visible(claim.quote))
    return quote in (fold(unescape_markdown(claim.sentence)), fold(claim.sentence))
