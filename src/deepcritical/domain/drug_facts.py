"""What curated sources know of a drug: looked up where it is curated, never mined from papers.

Each fact names who curates it, its licence, its address and the day it was asked for.
"""

from typing import Literal, get_args

from pydantic import Field

from deepcritical.domain.base import Model, UnitInterval

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
    """Who curates a fact, and on what terms."""

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
    """What a drug is called and where it is found."""

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
    """What a drug acts on, and how."""

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
    """How often an event was reported with a drug; see `EVENTS_CAVEAT`."""

    event: str
    """MedDRA preferred term."""
    reports: int = Field(ge=0)


class Association(CuratedFact):
    """How strongly Open Targets ties a target of the drug to a disease."""

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
        """Who must be named beside what is shown of them, each once."""
        lists = (value for _, value in self if isinstance(value, tuple))
        facts = (self.identity, *(one for value in lists for one in value))
        found: dict[tuple[str, str, str], Origin] = {}
        for fact in facts:
            if isinstance(fact, CuratedFact):
                origin = fact.origin
                found.setdefault((origin.source, origin.via, origin.licence), origin)
        return tuple(found.values())
