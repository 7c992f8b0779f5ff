"""Facts on a drug from curated sources: looked up, never mined from papers.

Each fact names who curates it, its licence, its address and the day it was asked for.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, get_args

from pydantic import Field

from deepcritical.domain.base import Model, UnitInterval
from deepcritical.domain.evidence.record import Citation, Evidence, EvidenceMetadata
from deepcritical.domain.text.spans import Span

FactsOutcome = Literal[
    "data", "empty", "degraded", "unavailable", "not_applicable", "not_requested"
]
"""How a look-up ended; the values of the outcome of a source."""

EVENTS_CAVEAT = (
    "Counts of spontaneous reports that name the drug, be it beside others: a report does not show "
    "that the drug caused the event, and counts are no rates."
)

SectionKey = Literal[
    "indications_and_usage",
    "boxed_warning",
    "contraindications",
    "warnings_and_cautions",
    "warnings",
    "drug_interactions",
    "use_in_specific_populations",
    "adverse_reactions",
]
LABEL_SECTIONS: tuple[SectionKey, ...] = get_args(SectionKey)
"""Sections of a label as openFDA names them, in the order in which they are shown."""

ClassKind = Literal["EPC", "MoA", "PE", "CS", ""]
"""Established class, mechanism of action, physiological effect, chemical structure (FDA)."""


class Origin(Model):
    """The curator of a fact, and the terms of use."""

    source: str
    """Who curates it, such as ChEMBL."""
    via: str = ""
    """Where it was asked for, if elsewhere, such as MyChem.info."""
    licence: str
    """Such as CC BY-SA 3.0."""
    url: str
    """Where a reader finds it."""
    retrieved: str
    """ISO date."""


class CuratedFact(Model):
    """One fact of a curated source."""

    origin: Origin


class DrugIdentity(CuratedFact):
    """The names and identifiers of a drug."""

    preferred_name: str
    names: tuple[str, ...] = ()
    """Brand and generic names."""
    chembl_id: str = ""
    """Of the parent, not of a salt."""
    inchikey: str = ""
    unii: str = ""
    rxnorm: str = ""
    forms: tuple[str, ...] = ()
    """Names of its salts and of other forms whose facts are joined to it."""


class DrugTarget(CuratedFact):
    """A target of a drug, and the drug's action on it."""

    target: str
    """Name of the protein or complex; the gene symbol where nothing else is known."""
    symbol: str = ""
    """HGNC symbol of the gene; '' where the source gives none."""
    ids: tuple[str, ...] = ()
    """What the source calls it elsewhere, such as UniProt:Q15116; by these sources meet."""
    action_type: str = ""
    """In the words of ChEMBL, upper case: INHIBITOR, ANTAGONIST, AGONIST ...; '' if unknown."""
    mechanism: str = ""
    """Such as "Prothrombin inhibitor"."""
    form: str = ""
    """The salt that the source hangs it on; '' for the parent."""


class Indication(CuratedFact):
    """A condition that a drug is used or studied for."""

    condition: str
    ids: tuple[str, ...] = ()
    """Such as MONDO_0005105 or MESH:D008545."""
    stage: str = ""
    """APPROVAL, PHASE_3, PHASE_2 ... in the words of Open Targets; '' where none is given."""
    approved: bool = False


class Approval(CuratedFact):
    """An agency that approved the drug for something."""

    agency: str
    """Such as FDA."""
    date: str = ""
    """ISO date; '' if unknown."""


class PharmacologicalClass(CuratedFact):
    """A class of the drug in the words of the FDA."""

    name: str
    kind: ClassKind = ""


class LabelSection(Model):
    """One section of a label, whole."""

    key: SectionKey
    text: str = Field(min_length=1)


class DrugLabel(CuratedFact):
    """The label of one product."""

    set_id: str
    products: tuple[str, ...] = ()
    """Brand names."""
    generics: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    """Active substances beside the drug: what the label says is not said of the drug alone."""
    approved: bool | None = None
    """Whether the FDA approved the product: no for homeopathic and monograph products; None where
    the source does not say."""
    effective: str = ""
    """ISO date from which this version holds; '' if unknown."""
    sections: tuple[LabelSection, ...] = ()

    def section(self, key: SectionKey) -> str:
        """The whole text of a section; '' where the label has none."""
        return "\n\n".join(one.text for one in self.sections if one.key == key)


class EventCount(CuratedFact):
    """The number of reports of an event with a drug; see `EVENTS_CAVEAT`."""

    event: str
    """MedDRA preferred term."""
    reports: int = Field(ge=0)


class Association(CuratedFact):
    """Open Targets' score for the association of a drug's target with a disease."""

    symbol: str
    disease: str
    disease_id: str = ""
    score: UnitInterval
    datatypes: tuple[tuple[str, float], ...] = ()
    """Kind of evidence, such as genetic_association, with its score from 0 to 1."""


class TargetSafety(CuratedFact):
    """Harm that is known of acting on a target of the drug, by whatever drug."""

    symbol: str
    event: str
    directions: tuple[str, ...] = ()
    """The action with which it came, such as "Inhibition/Decrease/Downregulation"."""
    datasource: str = ""


class LiteratureRelation(CuratedFact):
    """A relation that PubTator3 reads from papers: by a machine, not by curators."""

    kind: str
    """treat, cause, inhibit, stimulate, positive_correlate, negative_correlate ..."""
    subject: str
    object: str
    publications: int | None = Field(default=None, ge=0)
    score: float | None = None


class AskedOf(Model):
    """One look-up at one source: what was asked and how it ended."""

    source: str
    outcome: FactsOutcome
    request: str = ""
    """What was asked, as it was sent."""
    licence: str = ""
    url: str = ""
    retrieved: str = ""
    """ISO date."""
    note: str = ""
    """Why it is not whole, or not there."""
    cached: bool = False


class DrugFacts(Model):
    """Everything that curated sources know of one drug, and who was asked."""

    drug: str
    """As it was asked for."""
    identity: DrugIdentity | None = None
    targets: tuple[DrugTarget, ...] = ()
    indications: tuple[Indication, ...] = ()
    approvals: tuple[Approval, ...] = ()
    classes: tuple[PharmacologicalClass, ...] = ()
    labels: tuple[DrugLabel, ...] = ()
    events: tuple[EventCount, ...] = ()
    associations: tuple[Association, ...] = ()
    target_safety: tuple[TargetSafety, ...] = ()
    relations: tuple[LiteratureRelation, ...] = ()
    asked: tuple[AskedOf, ...] = ()

    @property
    def origins(self) -> tuple[Origin, ...]:
        """The curators that must be credited when the facts are shown, each once."""
        lists = (value for _, value in self if isinstance(value, tuple))
        facts = (self.identity, *(one for value in lists for one in value))
        found: dict[tuple[str, str, str], Origin] = {}
        for fact in facts:
            if isinstance(fact, CuratedFact):
                origin = fact.origin
                found.setdefault((origin.source, origin.via, origin.licence), origin)
        return tuple(found.values())


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
    """Return the name by which a sentence cites a label."""
    return f"the label of {label.products[0] if label.products else drug}"


def label_text(label: DrugLabel) -> str:
    """Return the quotable text of a label: its sections under their headings."""
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
    """Return the record of `fact_records` with a fact on mechanism, and its line there; or None."""
    title, line = _told(fact, drug)
    for key, record in records.items() if line else ():
        if record.citation.title == title and record.citation.url.startswith(fact.origin.url):
            start = f"\n{record.content}\n".find(f"\n{line}\n")
            if start >= 0:
                return key, Span(line, start, start + len(line))
    return None
