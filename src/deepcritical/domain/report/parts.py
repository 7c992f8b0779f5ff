"""Parts of a report: references, claims, sections, chains, candidates, searches, counts."""

import re
from datetime import datetime
from enum import StrEnum

from pydantic import Field

from deepcritical.domain.appraisal.verdict import Verdict, VerdictLabel
from deepcritical.domain.base import Model, UnitInterval
from deepcritical.domain.evidence.authors import author_name
from deepcritical.domain.evidence.certainty import Certainty
from deepcritical.domain.evidence.record import SourceName
from deepcritical.domain.run.events import Searched
from deepcritical.domain.text.patterns import bounded

_ACRONYM = bounded(
    r"\b(?!(?:[IVX]+|RCT)\b)[A-Z][A-Z0-9]{2,}(?:-[A-Z0-9]+)*(?=\)|\s(?:trial|study)\b)"
)
"""Of a trial: "(ACTT-2)", "RECOVERY trial"."""


class Reference(Model):
    """One entry of the reference list, always built from a stored record."""

    evidence_id: str = ""
    """Id of the record in the run's store; not what a reference is accepted by."""
    title: str
    authors: tuple[str, ...] = ()
    source: SourceName = "web"
    date: str = ""
    journal: str = ""
    volume_pages: str = ""
    url: str = ""
    ids: tuple[str, ...] = ()
    """Canonical ids, such as ``pmid:26890736``."""
    text_kind: str = "abstract"
    text: str = ""
    """The record's text as it was read; the offsets of claims count in it."""
    note: str = ""
    """A caution kept with the record."""
    retracted: bool = False
    preprint: bool = False
    """Whether it was published without peer review."""

    @property
    def byline(self) -> str:
        """The first six authors."""
        return ", ".join(self.authors[:6]) + (", et al" if len(self.authors) > 6 else "")

    @property
    def place(self) -> str:
        """Journal, date, volume and pages, as far as they are known."""
        published = (self.journal, self.date, self.volume_pages)
        return " ".join(part for part in published if part)

    @property
    def public_ids(self) -> tuple[str, ...]:
        """The ids under which anybody finds it: no address, no title."""
        return tuple(i for i in self.ids if not i.startswith(("url:", "title:")))

    @property
    def link(self) -> str:
        """The address, if it is one that is safe to print and to follow; else ''."""
        return self.url if re.fullmatch(r"https://[!#-&(-;=?-_a-z{-~]+", self.url) else ""

    @property
    def short_name(self) -> str:
        """The name in running text.

        "Koenig 2017", a trial by its registry id, else by its acronym or its PMID.
        """
        if self.source in ("clinicaltrials", "registry"):
            numbers = (i.partition(":")[2] for i in self.ids if i.startswith(("nct:", "registry:")))
            return next(numbers, self.title)
        year = self.date[:4]
        if self.authors and self.authors[0].strip():
            return f"{author_name(self.authors[0]).family} {year}".strip()
        if acronym := _ACRONYM.search(self.title):
            return f"{acronym.group()} {year}".strip()
        named = (i.split(":", 1) for i in self.ids if i.startswith(("pmid:", "pmcid:", "doi:")))
        words = self.title.split()
        title = f"“{' '.join(words[:6])}{' …' if len(words) > 6 else ''}” {self.date[:4]}".strip()
        return next((f"{kind.upper()} {number}" for kind, number in named), title)


class Claim(Model):
    """One sentence of a record that the report prints or rests on, and where it stands."""

    sentence: str = Field(min_length=1)
    """As printed, without the citation marker."""
    evidence_id: str
    quote: str
    start: int
    end: int
    place: str = ""
    """Where in an article the quote stands, such as ``full text, Results``; '' in its abstract."""


class Quoted(Model):
    """One record's own sentences on a matter."""

    group: str = ""
    """The heading that it stands under, such as one side of a contradiction; plain text."""
    claims: tuple[Claim, ...] = Field(min_length=1)
    """All of one record."""

    @property
    def evidence_id(self) -> str:
        """The record."""
        return self.claims[0].evidence_id


class ReportSection(Model):
    """One part of the report."""

    title: str
    content: str = ""
    """Markdown; the inline `[n]` of former versions point at `references[n - 1]`."""
    quoted: tuple[Quoted, ...] = ()
    """The sentences of records that stand in it."""


class VerdictChange(Model):
    """The verdict that the same rules would give over other evidence."""

    change: str
    """How the records would be other: "also held ...", "lacked"."""
    without: tuple[str, ...] = ()
    """Evidence ids of the one study that they would lack."""
    label: VerdictLabel
    certainty: Certainty


class EdgeTested(Model):
    """One edge of a tested chain, as printed."""

    subject: str
    object: str
    finding: str
    """Sign and contradiction in words, or ``no evidence in the records found``."""
    evidence_ids: tuple[str, ...] = ()
    increases: tuple[str, ...] = ()
    """Evidence ids of the records in which the subject raises the object."""
    decreases: tuple[str, ...] = ()
    no_effect: tuple[str, ...] = ()
    associated: tuple[str, ...] = ()
    """Evidence ids of the records that tie the two together without a direction."""


class HypothesisTested(Model):
    """One mechanism chain with the evidence on each edge."""

    chain: tuple[str, ...]
    prediction: str
    """What the chain predicts for the condition, in words."""
    confidence: UnitInterval
    complete: bool
    reaches: bool = True
    """Whether the chain ends at the condition, and not at an effect of the drug."""
    edges: tuple[EdgeTested, ...]


class DrugCandidate(Model):
    """A drug with its own verdict for the condition."""

    name: str
    verdict: Verdict
    studies: int = Field(ge=0)
    """Studies that bear on the question, not records."""


class SearchRun(Searched):
    """One query as it was run against one source: a line of the search log (PRISMA-S)."""

    filters: tuple[str, ...] = ()
    """Filters, order and limits of the query."""
    understood_as: tuple[str, ...] = ()
    """The query as the source says that it understood it, then the mappings that it made."""
    searched_at: datetime | None = None
    """UTC; None for a snapshot, which does not change."""
    notes: tuple[str, ...] = ()
    """What could not be read, and how the source understood the query."""


class RecordCount(Model):
    """The number of records that have something in common."""

    name: str
    """A source, or a reason for exclusion."""
    records: int = Field(ge=0)


class PrismaFlow(Model):
    """Records at each stage; one is counted as often as it was found until duplicates are removed.

    ``identified - duplicates == screened`` and ``screened - excluded == included``.
    """

    by_source: tuple[RecordCount, ...] = ()
    """Records identified in each source, in the order of the search."""
    duplicates: int = Field(ge=0)
    """Removed before screening."""
    exclusions: tuple[RecordCount, ...] = ()
    """Records excluded for each reason."""
    included: int = Field(ge=0)
    """Records."""
    studies: int = Field(ge=0)
    """Studies that the included records are of."""

    @property
    def identified(self) -> int:
        """Records in all answers of all sources."""
        return sum(count.records for count in self.by_source)

    @property
    def screened(self) -> int:
        """Records left when duplicates are removed."""
        return self.identified - self.duplicates

    @property
    def excluded(self) -> int:
        """Records excluded for any reason."""
        return sum(count.records for count in self.exclusions)


class EntryKind(StrEnum):
    """The subject of an entry."""

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
    """The number of cited sentences that their records support."""

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
