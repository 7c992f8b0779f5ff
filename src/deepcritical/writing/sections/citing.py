"""Numbers the records that a document cites, and keeps the sentences that it takes from them."""

from __future__ import annotations

from collections.abc import Iterable

from deepcritical.domain.evidence.record import Fact
from deepcritical.domain.report.citation_validator import build_reference_from_evidence
from deepcritical.domain.report.parts import Claim, Reference
from deepcritical.domain.text.markdown import escape_markdown
from deepcritical.services.evidence_store import EvidenceStore


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

    def claim(self, fact: Fact) -> Claim:
        """Cite a located sentence, and keep where it stands."""
        self.cite([fact.evidence_id])
        claim = Claim(
            sentence=escape_markdown(fact.quote),
            evidence_id=fact.evidence_id,
            quote=fact.quote,
            start=fact.start,
            end=fact.end,
            place=self._store.citable[fact.evidence_id].place_of(fact.start),
        )
        self._claims[claim] = None
        return claim

    @property
    def references(self) -> tuple[Reference, ...]:
        """The cited records in the order of their numbers."""
        citable = self._store.citable
        return tuple(build_reference_from_evidence(citable[i], i) for i in self._numbers)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Every kept sentence with its place in the evidence."""
        return tuple(self._claims)
