"""Curated facts as records that sentences can cite: labels, and what other sources list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from deepcritical.domain.drug_facts import DrugFacts, DrugLabel, Origin
from deepcritical.domain.evidence import Citation, Evidence, EvidenceMetadata

__all__ = ["LISTED_AS", "fact_records", "label_name", "label_text"]

LISTED_AS = {"class": "Established pharmacologic class", "licensed": "Approved indication"}
"""How the lines of a source's record begin."""
_LEFT_OUT = ("adverse_reactions", "warnings", "use_in_specific_populations")
"""Long sections that no sentence of a report quotes; they stand in the facts."""


def fact_records(facts: Sequence[DrugFacts]) -> Mapping[str, Evidence]:
    """The records by id (``L1``, ``L2`` ...), the same for the same facts."""
    records = [record for one in facts for record in _records(one)]
    return {f"L{n}": record for n, record in enumerate(records, 1)}


def label_name(label: DrugLabel, drug: str) -> str:
    """How a sentence calls a label."""
    return f"the label of {label.products[0] if label.products else drug}"


def label_text(label: DrugLabel) -> str:
    """What of a label is quoted: its sections under their headings."""
    parts = [s for s in label.sections if s.key not in _LEFT_OUT]
    return "\n\n".join(f"{s.key.replace('_', ' ').capitalize()}\n\n{s.text}" for s in parts)


def _records(facts: DrugFacts) -> Iterator[Evidence]:
    for label in facts.labels:
        if text := label_text(label):
            yield _of_label(label, facts.drug, text)
    yield from _listed(facts)


def _of_label(label: DrugLabel, drug: str, text: str) -> Evidence:
    product = ", ".join(label.products[:3]) or drug
    generic = ", ".join(label.generics[:3]).casefold()
    return Evidence(
        content=text,
        citation=Citation(
            source="curated",
            title=f"Label of {product}: {generic}" if generic else f"Label of {product}",
            url=label.origin.url,
            date=label.effective,
        ),
        metadata=EvidenceMetadata(
            journal=f"openFDA label, set id {label.set_id}",
            text_kind="label",
            licence=label.origin.licence,
        ),
    )


def _listed(facts: DrugFacts) -> Iterator[Evidence]:
    """One record for each source that lists approved indications or classes."""
    lines: dict[tuple[str, str], tuple[Origin, dict[str, None]]] = {}
    approved = ((i.origin, "licensed", i.condition) for i in facts.indications if i.approved)
    classes = ((c.origin, "class", c.name) for c in facts.classes if c.kind == "EPC")
    told: Iterable[tuple[Origin, str, str]] = (*approved, *classes)
    for origin, kind, text in told:
        own = lines.setdefault((origin.source, origin.url), (origin, {}))[1]
        own[f"{LISTED_AS[kind]}: {text}."] = None
    for origin, listed in lines.values():
        via = f", asked for at {origin.via}" if origin.via else ""
        yield Evidence(
            content="\n".join(listed),
            citation=Citation(
                source="curated",
                title=f"{facts.drug} in {origin.source}",
                # Of each drug its own, though the source has one address for all.
                url=f"{origin.url}#{'-'.join(facts.drug.split())}",
                date=origin.retrieved,
            ),
            metadata=EvidenceMetadata(
                journal=f"{origin.source}{via}, {origin.licence}",
                text_kind="label",
                licence=origin.licence,
            ),
        )
