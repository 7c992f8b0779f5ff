"""Numbers citations and prints located sentences with markers, keeping the claim behind each."""

from __future__ import annotations

from collections.abc import Iterable

from deepcritical.domain.citation_validator import build_reference_from_evidence
from deepcritical.domain.evidence import Fact
from deepcritical.domain.markdown import escape_markdown
from deepcritical.domain.report_parts import Claim, Reference
from deepcritical.services.evidence_store import EvidenceStore

__all__ = ["FOLLOWS", "NOTE", "QUOTED", "SUMMARY", "Citer"]

QUOTED, SUMMARY = "quoted from", "summary of"
"""How the sentences of a record are introduced."""
NOTE = "Note kept with the record: "
FOLLOWS = {"first": "", "also": "Also: ", "however": "However: "}
"""How a sentence follows on the one before."""


class Citer:
    """Gives each record a number when it is first cited.

    Args:
        store: The run's store.
    """

    def __init__(self, store: EvidenceStore) -> None:
        self._store = store
        self._numbers: dict[str, int] = {}
        self._claims: dict[Claim, None] = {}

    def cite(self, ids: Iterable[str]) -> str:
        """Markers such as ``[1][3]``, in the order of their numbers."""
        numbers = sorted(
            self._numbers.setdefault(i, len(self._numbers) + 1) for i in dict.fromkeys(ids)
        )
        return "".join(f"[{number}]" for number in numbers)

    def sentence(self, fact: Fact) -> str:
        """A located sentence with its marker.

        It stands in quotation marks only where the words are the source's own.
        """
        record = self._store.citable[fact.evidence_id]
        place = record.place_of(fact.start)
        printed = escape_markdown(fact.quote)
        marker = self.cite([fact.evidence_id])
        self._claims[
            Claim(
                sentence=printed,
                evidence_id=fact.evidence_id,
                quote=fact.quote,
                start=fact.start,
                end=fact.end,
                place=place,
            )
        ] = None
        words = printed.rstrip(".")
        told = f" ({place})" if place else ""
        return f"“{words}”{told} {marker}." if record.quotable else f"{words}{told} {marker}."

    def source(self, evidence_id: str) -> str:
        """How the sentences of a record are introduced: as its own words, or as a summary of it."""
        marker = self.cite([evidence_id])
        return (
            f"{QUOTED} {marker}"
            if self._store.citable[evidence_id].quotable
            else f"{SUMMARY} {marker}"
        )

    def name(self, evidence_id: str) -> str:
        """A record's short name, escaped."""
        return escape_markdown(
            build_reference_from_evidence(self._store.citable[evidence_id]).short_name
        )

    @property
    def references(self) -> tuple[Reference, ...]:
        """The cited records in the order of their numbers."""
        citable = self._store.citable
        return tuple(build_reference_from_evidence(citable[i], i) for i in self._numbers)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Every printed sentence with its place in the evidence."""
        return tuple(self._claims)
