"""References are accepted by canonical id or exact normalised title only.

They are always rebuilt from the store.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

from deepcritical.domain.answer import DeepAnswer
from deepcritical.domain.base import Model, map_texts
from deepcritical.domain.documents import Document
from deepcritical.domain.evidence import Citation, Evidence
from deepcritical.domain.evidence_table import EvidenceRow
from deepcritical.domain.grading import is_retracted
from deepcritical.domain.identity import canonical_ids, normalised_title
from deepcritical.domain.patterns import bounded
from deepcritical.domain.record_kinds import is_preprint
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.report_parts import Reference

__all__ = [
    "NOT_PROSE",
    "UNSUPPORTED",
    "AnyDocument",
    "ValidatedReport",
    "build_reference_from_evidence",
    "validate_references",
]

UNSUPPORTED = "[unsupported]"
"""Put where a sentence has lost its last citation, so that no claim stands unmarked."""

_NUMBERS = r"\d{1,4}(?:\s*[,;–-]\s*\d{1,4})*"
_MARKER = bounded(rf"(?<!\\)\[({_NUMBERS})\](?!\()")
_MARKER_RUN = bounded(rf"\s?(?<!\\)\[{_NUMBERS}\](?!\()(?:[ ,]?\[{_NUMBERS}\](?!\())*")
NOT_PROSE = frozenset(
    {
        "research_question",
        "searches",
        "sources_searched",
        "references",
        "claims",
        "assessment",
        "support",
        "written_by",
        "notices",
        "prisma",
        "evidence_table",
        "brief",
        "drug_facts",
        "findings",
        "study_table",
        "question",
        "context",
        "scope_in",
        "scope_out",
        "key_terms",
        "checklist",
    }
)
"""Fields of a report or an answer in which ``[1]`` is not a citation."""

AnyDocument = TypeVar("AnyDocument", ResearchReport, DeepAnswer)


class ValidatedReport(Model, Generic[AnyDocument]):
    """A report or an answer whose references all exist, and what was taken out to get there."""

    report: AnyDocument
    removed: tuple[Reference, ...] = ()
    """References that no stored record answers to."""
    dangling: tuple[int, ...] = ()
    """Inline numbers that pointed at no reference."""
    unsupported: int = 0
    """Places where a sentence lost its last citation and is now marked."""


def build_reference_from_evidence(evidence: Evidence, evidence_id: str = "") -> Reference:
    """The reference entry of a stored record."""
    meta, citation = evidence.metadata, evidence.citation
    return Reference(
        evidence_id=evidence_id,
        title=citation.title,
        authors=citation.authors,
        source=citation.source,
        date=citation.date,
        journal=meta.journal or "",
        volume_pages=meta.volume_pages or "",
        url=citation.url,
        ids=tuple(sorted(canonical_ids(evidence))),
        text_kind=meta.text_kind,
        text=evidence.content,
        note=meta.note or "",
        retracted=is_retracted(evidence),
        preprint=is_preprint(evidence),
    )


class _Library:
    """Stored records by canonical id and exact title; a title two records share names neither."""

    def __init__(self, evidence: Mapping[str, Evidence]) -> None:
        self._by_id = {
            identifier: key
            for key, record in evidence.items()
            for identifier in canonical_ids(record)
        }
        self._ids = {key: canonical_ids(record) for key, record in evidence.items()}
        titles: dict[str, set[str]] = {}
        for key, record in evidence.items():
            titles.setdefault(normalised_title(record.citation.title), set()).add(key)
        self._by_title = {
            title: min(keys) for title, keys in titles.items() if len(keys) == 1 and title
        }

    def find(self, reference: Reference) -> str | None:
        """The key of the record that a reference names; None when it names none, or two at once."""
        claimed = _claimed_ids(reference)
        # Two stored records can turn out to be one work; a reference to either of them is whole.
        whole = [key for key, ids in self._ids.items() if claimed and claimed <= ids]
        if whole:
            # A notice bears its article's DOI: of several, the one that is meant, or no other id.
            named = reference.evidence_id in whole
            return reference.evidence_id if named else min(whole, key=lambda k: len(self._ids[k]))
        found = {self._by_id[identifier] for identifier in claimed if identifier in self._by_id}
        if found:
            return found.pop() if len(found) == 1 else None
        if any(not identifier.startswith(("url:", "title:")) for identifier in claimed):
            return None
        return self._by_title.get(normalised_title(reference.title))


def _claimed_ids(reference: Reference) -> frozenset[str]:
    """The ids that a reference gives, in its list of ids or in its address."""
    if not reference.url:
        return frozenset(reference.ids)
    citation = Citation(source=reference.source, title=reference.title or "-", url=reference.url)
    return frozenset(reference.ids) | canonical_ids(Evidence(content="", citation=citation))


def validate_references(
    report: AnyDocument, evidence: Mapping[str, Evidence] | Sequence[Evidence]
) -> ValidatedReport[AnyDocument]:
    """A new report with only references that exist.

    Entries are rebuilt, duplicates joined and inline numbers renewed.

    Args:
        report: The report as written; it is not changed.
        evidence: The run's records, by evidence id or as a sequence.
    """
    records = (
        evidence
        if isinstance(evidence, Mapping)
        else {f"E{i}": e for i, e in enumerate(evidence, 1)}
    )
    library = _Library(records)
    keys = [library.find(reference) for reference in report.references]
    order = {
        key: number for number, key in enumerate(dict.fromkeys(k for k in keys if k is not None), 1)
    }
    writer = _Renumbering(
        {number: order[key] for number, key in enumerate(keys, 1) if key is not None}, len(keys)
    )
    fields = {name: value if name in NOT_PROSE else writer.rewrite(value) for name, value in report}
    fields["references"] = tuple(build_reference_from_evidence(records[key], key) for key in order)
    fields["claims"] = tuple(claim for claim in report.claims if claim.evidence_id in records)
    fields["evidence_table"] = _rows_in_order(report, order)
    return ValidatedReport(
        report=type(report)(**fields),
        removed=tuple(r for r, key in zip(report.references, keys, strict=True) if key is None),
        dangling=tuple(sorted(writer.dangling)),
        unsupported=writer.unsupported,
    )


def _rows_in_order(report: Document, order: Mapping[str, int]) -> tuple[EvidenceRow, ...]:
    kept = (row for row in report.evidence_table if row.evidence_id in order)
    return tuple(sorted(kept, key=lambda row: order[row.evidence_id]))


class _Renumbering:
    """Rewrites inline markers in every text of a report and counts what it takes out."""

    def __init__(self, new_number: Mapping[int, int], known: int) -> None:
        self._new = new_number
        self._known = known
        self.dangling: set[int] = set()
        self.unsupported = 0

    def rewrite(self, value: Any) -> Any:
        """The same value with the markers renewed in each text it holds."""
        return map_texts(value, lambda text: _MARKER_RUN.sub(self._renew, text))

    def _renew(self, run: re.Match[str]) -> str:
        numbers = [n for group in _MARKER.findall(run.group()) for n in _expand(group)]
        self.dangling.update(n for n in numbers if not 1 <= n <= self._known)
        kept = sorted({self._new[n] for n in numbers if n in self._new})
        lead = run.group()[0] if run.group()[0].isspace() else ""
        if kept:
            return lead + "".join(f"[{n}]" for n in kept)
        self.unsupported += 1
        return f"{lead}{UNSUPPORTED}"


def _expand(group: str) -> Iterator[int]:
    """The numbers of ``1, 3-5``: 1, 3, 4, 5."""
    for part in re.split(r"\s{0,20}[,;]\s{0,20}", group):
        first, *rest = (int(n) for n in re.split(r"\s{0,20}[–-]\s{0,20}", part))
        yield from range(first, max([first, *rest]) + 1)
