"""Validates references: by canonical id or exact normalised title only.

They are always rebuilt from the store. What is printed takes their numbers from their order.
"""

from collections.abc import Mapping, Sequence
from typing import Generic, TypeVar

from deepcritical.domain.base import Model
from deepcritical.domain.evidence.kinds import is_preprint, is_retracted
from deepcritical.domain.evidence.record import Citation, Evidence
from deepcritical.domain.report.answer import DeepAnswer
from deepcritical.domain.report.parts import Reference
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.study.identity import canonical_ids, normalised_title

AnyDocument = TypeVar("AnyDocument", ResearchReport, DeepAnswer)


class ValidatedReport(Model, Generic[AnyDocument]):
    """A report or an answer whose references all exist, and what was taken out to get there."""

    report: AnyDocument
    removed: tuple[Reference, ...] = ()
    """References that no stored record answers to."""


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

    Entries are rebuilt and duplicates joined.

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
    order = tuple(dict.fromkeys(key for key in keys if key is not None))
    fields = {
        "references": tuple(build_reference_from_evidence(records[key], key) for key in order),
        "claims": tuple(claim for claim in report.claims if claim.evidence_id in records),
        "evidence_table": tuple(
            sorted(
                (row for row in report.evidence_table if row.evidence_id in order),
                key=lambda row: order.index(row.evidence_id),
            )
        ),
    }
    return ValidatedReport(
        report=report.model_copy(update=fields),
        removed=tuple(r for r, key in zip(report.references, keys, strict=True) if key is None),
    )
