"""The claim ledger: each cited sentence of a report, what it rests on, and whether that holds."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from deepcritical.domain.base import Model


class EntryKind(StrEnum):
    """What an entry is about."""

    REFERENCE = "reference"
    CLAIM = "claim"
    SENTENCE = "sentence"
    RATING = "rating"
    VERDICT = "verdict"
    """Words or fields that tell another verdict than the report's own; told only if they do."""
    UNCITED = "uncited"
    """A sentence about the evidence without a citation."""


_COUNTED = (EntryKind.CLAIM, EntryKind.SENTENCE)


class SupportRate(Model):
    """How many of the sentences that cite a record are borne out by it."""

    cited: int = Field(ge=0)
    """Sentences with a citation; those that the project's own rules give are left out."""
    borne_out: int = Field(ge=0)

    def __str__(self) -> str:
        """In the words of the report."""
        if not self.cited:
            return "No sentence cites a source"
        return f"{self.borne_out} of {self.cited} cited sentences match their source"


class LedgerEntry(Model):
    """One claim, cited sentence or reference, and what came of checking it."""

    kind: EntryKind
    text: str
    """The sentence without its markers, or the title of a reference."""
    numbers: tuple[int, ...] = ()
    """The references that it cites."""
    quote: str = ""
    """The words of the source that it rests on."""
    start: int | None = None
    """Offset of the quote in the source's text."""
    source: str = ""
    """What the source is called, with its ids."""
    holds: bool
    reason: str = ""
    """Why it does not hold; or, where it does, what must be known all the same."""


class Ledger(Model):
    """All entries of a report; those that do not hold come first."""

    entries: tuple[LedgerEntry, ...]

    @property
    def failed(self) -> tuple[LedgerEntry, ...]:
        """The entries that do not hold."""
        return tuple(entry for entry in self.entries if not entry.holds)

    @property
    def support(self) -> SupportRate:
        """The support rate: cited sentences alone, each counted once."""
        counted = [e for e in self.entries if e.kind in _COUNTED]
        return SupportRate(cited=len(counted), borne_out=sum(e.holds for e in counted))
