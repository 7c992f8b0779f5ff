"""Curated facts as records that sentences can cite: labels, and what other sources list."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from deepcritical.domain.drug_facts import (
    Association,
    CuratedFact,
    DrugFacts,
    DrugLabel,
    DrugTarget,
    LiteratureRelation,
    Origin,
)
from deepcritical.domain.evidence import Citation, Evidence, EvidenceMetadata
from deepcritical.domain.text import Span

LISTED_AS = {"class": "Established pharmacologic class", "licensed": "Approved indication"}
"""How the lines of a source's record begin."""
_LEFT_OUT = ("adverse_reactions", "warnings", "use_in_specific_populations")
"""Long sections that no sentence of a report quotes; they stand in the facts."""


def fact_records(facts: Sequence[DrugFacts]) -> Mapping[str, Evidence]:
    """The records by id (``L1``, ``L2`` ...), the same for the same facts."""
    records = [record for one in facts for record in _records(one)]
    # Last, so that a stored report finds the others under the numbers that it cites.
    records += [record for one in facts for record in _on_mechanism(one)]
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
    approved = [(i.origin, "licensed", i.condition) for i in facts.indications if i.approved]
    classes = [(c.origin, "class", c.name) for c in facts.classes if c.kind == "EPC"]
    yield from _by_page(
        (f"{facts.drug} in {origin.source}", facts.drug, origin, f"{LISTED_AS[kind]}: {text}.")
        for origin, kind, text in (*approved, *classes)
    )


def _by_page(told: Iterable[tuple[str, str, Origin, str]]) -> Iterator[Evidence]:
    """One record for each title and page; its address ends in a part of its own.

    A source may have one address for all drugs.
    """
    pages: dict[tuple[str, str], tuple[str, Origin, dict[str, None]]] = {}
    for title, part, origin, line in told:
        pages.setdefault((title, origin.url), (part, origin, {}))[2][line] = None
    for (title, url), (part, origin, lines) in pages.items():
        yield _of_lines(title, f"{url}#{'-'.join(part.split())}", origin, lines)


def _of_lines(title: str, url: str, origin: Origin, lines: Iterable[str]) -> Evidence:
    via = f", asked for at {origin.via}" if origin.via else ""
    return Evidence(
        content="\n".join(lines),
        citation=Citation(source="curated", title=title, url=url, date=origin.retrieved),
        metadata=EvidenceMetadata(
            journal=f"{origin.source}{via}, {origin.licence}",
            text_kind="label",
            licence=origin.licence,
        ),
    )


def _on_mechanism(facts: DrugFacts) -> Iterator[Evidence]:
    """One record for each page of a source on targets, relations or associations."""
    known = (*facts.targets, *facts.relations, *facts.associations)
    told = ((fact.origin, *_told(fact, facts.drug)) for fact in known)
    yield from _by_page((title, title, origin, line) for origin, title, line in told)


def _told(fact: CuratedFact, drug: str) -> tuple[str, str]:
    """The title of the record of a fact on mechanism, and the fact's line in it."""
    source = fact.origin.source
    if isinstance(fact, DrugTarget):
        symbol = f" ({fact.symbol})" if fact.symbol and fact.symbol != fact.target else ""
        action = fact.action_type.lower() or "not stated"
        return f"Targets of {drug} in {source}", f"{fact.target}{symbol}; action: {action}."
    if isinstance(fact, LiteratureRelation):
        seen = f", in {fact.publications} publications" if fact.publications else ""
        line = f"{fact.subject}: {fact.kind.replace('_', ' ')}: {fact.object}{seen}."
        return f"Relations of {drug} that {source} reads by machine", line
    if isinstance(fact, Association):
        by = ", ".join(f"{kind.replace('_', ' ')} {score:.2f}" for kind, score in fact.datatypes)
        line = f"{fact.symbol} and {fact.disease}: association score {fact.score:.2f} of 1"
        title = f"Diseases associated with {fact.symbol} in {source}"
        return title, f"{line} ({by})." if by else f"{line}."
    return "", ""


def fact_span(
    fact: CuratedFact, drug: str, records: Mapping[str, Evidence]
) -> tuple[str, Span] | None:
    """Where the records of `fact_records` tell a fact on mechanism; None where none does.

    Returns:
        The id of the record and the place of the line in its text.
    """
    title, line = _told(fact, drug)
    for key, record in records.items() if line else ():
        if record.citation.title == title and record.citation.url.startswith(fact.origin.url):
            start = f"\n{record.content}\n".find(f"\n{line}\n")
            if start >= 0:
                return key, Span(line, start, start + len(line))
    return None
