"""Evidence: one record of a source, with its citation, metadata and text.

It carries what its registry or index says of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal

from pydantic import ConfigDict, Field

from deepcritical.domain.base import Model, UnitInterval
from deepcritical.domain.text.spans import Span

SourceName = Literal["pubmed", "clinicaltrials", "registry", "europepmc", "doi", "web", "curated"]
"""Where a record can be looked up.

PubMed, ClinicalTrials.gov, another trial register, Europe PMC, by its DOI only, the open web, or
a label or another curated entry on a drug.
"""
SOURCE_NAMES: Mapping[SourceName, str] = {
    "pubmed": "PubMed",
    "clinicaltrials": "ClinicalTrials.gov",
    "registry": "Trial register",
    "europepmc": "Europe PMC",
    "doi": "DOI",
    "web": "Web",
    "curated": "Curated drug facts",
}
"""As people call them."""
SourceType = Literal["pubmed", "clinicaltrials", "europepmc", "web"]
SOURCE_TYPES: Mapping[SourceName, SourceType] = {
    "pubmed": "pubmed",
    "clinicaltrials": "clinicaltrials",
    "registry": "clinicaltrials",
    "europepmc": "europepmc",
    "doi": "web",
    "web": "web",
    "curated": "web",
}
"""The same, as tools for agents tell them."""

TextKind = Literal["abstract", "full_text", "summary", "registry", "web", "label", "none"]
"""The kind of `Evidence.content`; `full_text` is the abstract, then results of the article.

All but `summary` are the source's own words and may be quoted.
"""


Integrity = Literal["retracted", "concern", "corrected", "clean", "not_checked"]
"""Worst first; `corrected` is an erratum or correction, which is no retraction."""

StopClass = Literal["efficacy", "safety", "business", "enrolment", "other"]
"""Why a trial was terminated, withdrawn or suspended; `efficacy` includes futility."""


class Citation(Model):
    """The bibliographic data of a record, as in a reference list."""

    source: SourceName
    title: str = Field(min_length=1)
    url: str = ""
    """Stable address of the record; empty when only a bibliography is known."""
    date: str = ""
    """ISO date or year as the source shows it; empty when it does not."""
    authors: tuple[str, ...] = ()


class EvidenceMetadata(Model):
    """Identifiers, publication types and registry fields; absent stays absent.

    A source may add fields of its own.
    """

    model_config = ConfigDict(frozen=True, extra="allow", use_attribute_docstrings=True)

    kind: Literal["publication", "trial"] = "publication"
    pmid: str | None = None
    pmcid: str | None = None
    doi: str | None = None
    nct_id: str | None = None
    """The record's own registry id; a paper that merely names a trial has it in `linked_ids`."""
    linked_ids: tuple[str, ...] = ()
    """Canonical ids of other records of the same study, such as ``nct:NCT01965756``."""
    journal: str | None = None
    volume_pages: str | None = None
    publication_types: tuple[str, ...] = ()
    """As the index prints them (MeSH publication types)."""
    conditions: tuple[str, ...] = ()
    interventions: tuple[str, ...] = ()
    status: str | None = None
    """Registry status in capitals, such as COMPLETED or TERMINATED."""
    phase: str | None = None
    enrollment: int | None = Field(default=None, ge=0)
    """Participants actually enrolled."""
    planned_enrollment: int | None = Field(default=None, ge=0)
    why_stopped: str | None = None
    completion_date: str | None = None
    """As the registry shows it, past or planned."""
    has_results: bool | None = None
    language: str | None = None
    """ISO 639 code, as the source prints it."""
    mesh_terms: tuple[str, ...] = ()
    """MeSH headings; a major topic ends in ``*``."""
    chemicals: tuple[str, ...] = ()
    cited_by: int | None = Field(default=None, ge=0)
    integrity: Integrity = "not_checked"
    """What is known of retraction and correction; `not_checked` also when the look-up failed."""
    notices: tuple[str, ...] = ()
    """Canonical ids of retractions, concerns and errata, as in ``retraction pmid:34751680``."""
    stop_class: StopClass | None = None
    """Why a trial was stopped, classified from `why_stopped`."""
    primary_outcomes: tuple[str, ...] = ()
    posted_results: tuple[str, ...] = ()
    """A line for each primary outcome measure with a posted result, with its p-value if given."""
    registry_entry: str | None = None
    """Design, arms and posted results in the registry's own fields, as JSON."""
    text_kind: TextKind = "abstract"
    full_text_from: int | None = Field(default=None, ge=0)
    """Offset in the text at which the article's own results begin, behind the abstract."""
    tables_from: int | None = Field(default=None, ge=0)
    """Offset of the rows of its tables, which are last; None without tables."""
    page_starts: tuple[int, ...] = ()
    """Offsets in the text at which the pages of a document begin; () where there are none."""
    licence: str | None = None
    note: str | None = None
    """A caution about the record itself, shown beside it."""


MAX_TEXT_CHARS = 50_000
"""Characters that are read of a text that a source gives."""
MAX_ABSTRACT_CHARS = 12_000
"""Characters that are read of an abstract; the longest of 932 real ones has 4,760."""


class Evidence(Model):
    """One record found by a source."""

    content: str
    """The text that facts are located in: an abstract, registry text or a labelled summary."""
    citation: Citation
    relevance_score: UnitInterval = 0.0
    """How well it matched the query, 0-1; comparable only within one answer of one source."""
    metadata: EvidenceMetadata = EvidenceMetadata()

    @property
    def quotable(self) -> bool:
        """Return whether the text is the source's own words, which may stand in quotation marks."""
        return self.metadata.text_kind in ("abstract", "full_text", "registry", "web", "label")

    @property
    def abstract(self) -> str:
        """The text without what was read of the full text."""
        return self.content[: self.metadata.full_text_from]

    def place_of(self, start: int) -> str:
        """Return the section or page of a quote, such as ``full text, Results`` or ``p. 3``.

        '' in its abstract.
        """
        meta = self.metadata
        if meta.page_starts:
            return f"p. {max(1, sum(at <= start for at in meta.page_starts))}"
        if meta.full_text_from is None or start < meta.full_text_from:
            return ""
        in_table = meta.tables_from is not None and start >= meta.tables_from
        return "full text, table" if in_table else "full text, Results"


OWN_DOCUMENT = "A document of your own: "
"""How the note of a record begins that the user gave as a file."""


def is_own_document(record: Evidence) -> bool:
    """Return whether the text of a record is that of a file of the user's own."""
    return (record.metadata.note or "").startswith(OWN_DOCUMENT)


def cut(record: Evidence) -> Evidence:
    """Return a record with no more text than is read of its kind; its note says so."""
    is_abstract = record.metadata.text_kind == "abstract" and not is_own_document(record)
    most = MAX_ABSTRACT_CHARS if is_abstract else MAX_TEXT_CHARS
    if len(record.content) <= most:
        return record
    told = f"Only the first {most:,} characters of this record were read."
    note = " ".join(filter(None, (record.metadata.note, told)))
    metadata = record.metadata.model_copy(update={"note": note})
    content = record.content[:most]
    return record.model_copy(update={"content": content, "metadata": metadata})


class FactRole(StrEnum):
    """The kind of information that a fact gives about its study."""

    DESIGN = "design"
    RESULT = "result"
    HARM = "harm"
    CONCLUSION = "conclusion"
    MECHANISM = "mechanism"
    STATUS = "status"


class Fact(Model):
    """A statement with the exact place it rests on: ``content[start:end] == quote``."""

    statement: str = Field(min_length=1)
    evidence_id: str
    quote: str = Field(min_length=1)
    start: int = Field(ge=0)
    """Offset of the first character of the quote in `Evidence.content`."""
    end: int = Field(gt=0)
    role: FactRole

    def moved_to(self, evidence_id: str) -> Fact:
        """The same of a record that has another id by now."""
        return self.model_copy(update={"evidence_id": evidence_id})

    @classmethod
    def of(cls, span: Span, evidence_id: str, role: FactRole) -> Fact:
        """The fact that a whole sentence of a record states."""
        return cls(
            statement=span.text,
            evidence_id=evidence_id,
            quote=span.text,
            start=span.start,
            end=span.end,
            role=role,
        )
