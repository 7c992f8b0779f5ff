"""Looks up identity, targets, indications, approvals and classes of a drug in MyChem.info.

MyChem.info joins what ChEMBL, DrugCentral, the Guide to Pharmacology and the FDA curate. A query
brings several hits: products, salts, and the substance itself. ChEMBL hangs the mechanisms of some
drugs on their salts alone, so those of a drug's salts are joined to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, ClassVar, NamedTuple, TypeVar, cast, get_args

from deepcritical.domain.evidence.drug_facts import (
    Approval,
    ClassKind,
    CuratedFact,
    DrugFacts,
    DrugIdentity,
    DrugTarget,
    Indication,
    PharmacologicalClass,
)
from deepcritical.domain.question.frame import Drug
from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.spans import fold
from deepcritical.tools.drug_facts.base import (
    FactSource,
    Found,
    Terms,
    is_form_of,
    list_in,
    quoted,
    substances_in,
)
from deepcritical.tools.json_values import as_dict, as_list, as_text, dicts, dicts_at, unique

TERMS = Terms("MyChem.info", "that of each source", "https://mychem.info/")
CHEMBL = Terms("ChEMBL", "CC BY-SA 3.0", "https://www.ebi.ac.uk/chembl/", TERMS.source)
DRUGCENTRAL = Terms("DrugCentral", "CC BY-SA 4.0", "https://drugcentral.org/", TERMS.source)
GTOPDB = Terms(
    "Guide to Pharmacology",
    "ODbL; contents CC BY-SA 4.0",
    "https://www.guidetopharmacology.org/",
    TERMS.source,
)
FDA = Terms("FDA (NDC, UNII)", "CC0 1.0", "https://open.fda.gov/", TERMS.source)

_FIELDS = (
    "chembl.molecule_chembl_id,chembl.pref_name,chembl.molecule_hierarchy,"
    "chembl.drug_mechanisms.action_type,chembl.drug_mechanisms.target_name,"
    "chembl.drug_mechanisms.mechanism_of_action,gtopdb.name,gtopdb.interaction_targets.symbol,"
    "drugcentral.drug_use.indication.concept_name,drugcentral.drug_use.indication.umls_cui,"
    "drugcentral.approval.agency,drugcentral.approval.date,drugcentral.bioactivity,"
    "ndc.nonproprietaryname,ndc.pharm_classes,unii.unii,unii.display_name,unii.rxcui,"
    "openfda.generic_name,openfda.brand_name"
)
"""Only what is read: DrugBank's fields are not free for every use."""
_MOST_HITS = 50
_CLASS = bounded(r"^(.{1,200}?) ?\[(\w{1,5})\]$")
_INCHIKEY = re.compile(r"[A-Z]{14}-[A-Z]{10}-[A-Z]")
_ON = frozenset({"1", "true", "True"})

Any_ = dict[str, Any]
Kind = TypeVar("Kind", bound=CuratedFact)


class _Hit(NamedTuple):
    """A hit that is the drug, a salt of it or a product of it alone."""

    fields: Any_
    form: str
    """'' for the drug itself."""
    name: str


def read_mychem(content: bytes, drug: Drug, today: str) -> Found:
    """Read the facts on a drug from an answer."""
    listed = list_in(content, TERMS.source, "hits")
    objects = dicts(listed)
    hits = list(_meant(objects, drug))
    own = [hit for hit in hits if not hit.form]
    parts = chain.from_iterable(_targets(hit, today) for hit in (*own, *hits))
    facts = DrugFacts(
        drug=drug.name,
        identity=_identity(hits, today),
        targets=_joined(parts, lambda t: (t.origin.source, fold(t.target), t.action_type)),
        indications=_each(hits, _indications, today, lambda i: fold(i.condition)),
        approvals=_each(hits, _approvals, today, lambda a: (a.agency, a.date)),
        classes=_each(hits, _classes, today, lambda c: (fold(c.name), c.kind)),
    )
    skipped = ["hits that are no objects"] if len(listed) > len(objects) else []
    known = (facts.targets, facts.indications, facts.approvals, facts.classes)
    if hits and not any(known) and any(_holds_more(hit.fields) for hit in hits):
        skipped.append("its records hold none of the fields that are known")
    return Found(facts, tuple(skipped))


def _holds_more(fields: Any_) -> bool:
    """Return whether a record has facts under unknown names, which may be renamed fields."""
    known = {"molecule_chembl_id", "pref_name", "molecule_hierarchy", "_license", "molecule_type"}
    parts = [part for name in ("chembl", "drugcentral") for part in dicts(fields.get(name))]
    return any(set(part) - known for part in parts)


def _meant(hits: list[Any_], drug: Drug) -> Iterator[_Hit]:
    """The drug's own hits, then its salts: by name, or by the parent that ChEMBL gives."""
    for names in ((drug.name,), drug.synonyms):
        found = [hit for fields in hits if (hit := _as_hit(fields, names))]
        if any(not hit.form for hit in found):
            break
    parents = {_chembl(hit.fields).get("molecule_chembl_id") for hit in found if not hit.form}
    known = {id(hit.fields) for hit in found}
    for fields in hits:
        hierarchy = as_dict(_chembl(fields).get("molecule_hierarchy"))
        if id(fields) not in known and hierarchy.get("parent_chembl_id") in parents - {None}:
            name = as_text(_chembl(fields).get("pref_name"))
            found.append(_Hit(fields, name or "salt", name))
    yield from sorted(found, key=lambda hit: bool(hit.form))


def _as_hit(fields: Any_, names: tuple[str, ...]) -> _Hit | None:
    written = [text for text in _names(fields) if text]
    forms = [(is_form_of(text, names), text) for text in written]
    meant = [(form, text) for form, text in forms if form is not None]
    if not meant or len(meant) < len(written):
        # A record of several names is the drug by one of them; a product must name it alone.
        meant = [] if set(fields) <= {"_id", "_score", "ndc"} else meant
    if not meant:
        return None
    form, name = min(meant, key=lambda one: len(one[0] or ""))
    return _Hit(fields, name if form else "", name)


def _names(fields: Any_) -> Iterator[str]:
    for part, name in (
        ("chembl", "pref_name"),
        ("unii", "display_name"),
        ("gtopdb", "name"),
        ("openfda", "generic_name"),
        ("ndc", "nonproprietaryname"),
    ):
        for one in dicts(fields.get(part)):
            yield from map(as_text, as_list(one.get(name)))


def _chembl(fields: Any_) -> Any_:
    return next(iter(dicts(fields.get("chembl"))), {})


def _identity(hits: list[_Hit], today: str) -> DrugIdentity | None:
    own = [hit for hit in hits if not hit.form]
    if not own:
        return None
    chembl_id = _first(as_text(_chembl(hit.fields).get("molecule_chembl_id")) for hit in own)
    unii = [one for hit in own for one in dicts(hit.fields.get("unii"))]
    brands = (
        as_text(name)
        for hit in hits
        for one in dicts(hit.fields.get("openfda"))
        for name in as_list(one.get("brand_name"))
    )
    ids = [as_text(hit.fields.get("_id")) for hit in own]
    url = f"{CHEMBL.url}explore/compound/{chembl_id}" if chembl_id else ""
    return DrugIdentity(
        origin=(CHEMBL if chembl_id else FDA).origin(today, url),
        preferred_name=own[0].name,
        names=unique(chain((hit.name for hit in own), brands)),
        chembl_id=chembl_id,
        inchikey=_first(i for i in ids if _INCHIKEY.fullmatch(i)),
        unii=_first(as_text(one.get("unii")) for one in unii),
        rxnorm=_first(as_text(one.get("rxcui")) for one in unii),
        forms=tuple({fold(hit.form): hit.form for hit in reversed(hits) if hit.form}.values())[
            ::-1
        ],
    )


def _targets(hit: _Hit, today: str) -> Iterator[DrugTarget]:
    for row in dicts_at({"chembl": _chembl(hit.fields)}, "chembl", "drug_mechanisms"):
        mechanism, target = as_text(row.get("mechanism_of_action")), as_text(row.get("target_name"))
        if target or mechanism:
            yield DrugTarget(
                origin=CHEMBL.origin(today),
                target=target or mechanism,
                action_type=as_text(row.get("action_type")).upper(),
                mechanism=mechanism,
                form=hit.form,
            )
    for part in dicts(hit.fields.get("drugcentral")):
        yield from _of_drugcentral(part, hit.form, today)
    for part in dicts(hit.fields.get("gtopdb")):
        for row in dicts(part.get("interaction_targets")):
            if symbol := as_text(row.get("symbol")):
                origin = GTOPDB.origin(today)
                yield DrugTarget(origin=origin, target=symbol, symbol=symbol, form=hit.form)


def _of_drugcentral(part: Any_, form: str, today: str) -> Iterator[DrugTarget]:
    """Only the targets by which the drug acts: it lists every measured activity."""
    for row in dicts(part.get("bioactivity")):
        target, genes = as_text(row.get("target_name")), dicts(row.get("uniprot"))
        if str(row.get("moa")) in _ON and target:
            yield DrugTarget(
                origin=DRUGCENTRAL.origin(today),
                target=target,
                symbol=as_text(genes[0].get("gene_symbol")) if len(genes) == 1 else "",
                ids=_protein_ids(genes),
                action_type=as_text(row.get("action_type")).upper(),
                form=form,
            )


def _protein_ids(genes: list[Any_]) -> tuple[str, ...]:
    """The id of a single protein; one of a complex would stand for all of it."""
    found = as_text(genes[0].get("uniprot_id")) if len(genes) == 1 else ""
    return (f"UniProt:{found}",) if found else ()


def _indications(hit: _Hit, today: str) -> Iterator[Indication]:
    """DrugCentral lists what a drug is used for, by labels; of a salt too."""
    for part in dicts(hit.fields.get("drugcentral")):
        for row in dicts_at(part, "drug_use", "indication"):
            if name := as_text(row.get("concept_name")):
                cui = as_text(row.get("umls_cui"))
                yield Indication(
                    origin=DRUGCENTRAL.origin(today),
                    condition=name,
                    ids=(f"UMLS:{cui}",) if cui else (),
                    stage="APPROVAL",
                    approved=True,
                )


def _approvals(hit: _Hit, today: str) -> Iterator[Approval]:
    for part in dicts(hit.fields.get("drugcentral")):
        for row in dicts(part.get("approval")):
            if agency := as_text(row.get("agency")):
                date, origin = as_text(row.get("date")), DRUGCENTRAL.origin(today)
                yield Approval(origin=origin, agency=agency, date=date)


def _classes(hit: _Hit, today: str) -> Iterator[PharmacologicalClass]:
    """Of products of the drug alone: a record lists those with others too, and their classes."""
    for part in dicts(hit.fields.get("ndc")):
        if len(substances_in(as_text(part.get("nonproprietaryname")))) > 1:
            continue
        for text in map(as_text, as_list(part.get("pharm_classes"))):
            if match := _CLASS.search(text):
                name, kind = match.groups()
                known = cast("ClassKind", kind if kind in get_args(ClassKind) else "")
                yield PharmacologicalClass(origin=FDA.origin(today), name=name, kind=known)


def _each(hits: list[_Hit], read: Any, today: str, key: Any) -> Any:
    return _joined(chain.from_iterable(read(hit, today) for hit in hits), key)


def _joined(facts: Iterable[Kind], key: Any) -> tuple[Kind, ...]:
    """Each fact once, the first of those that say the same."""
    kept: dict[Any, Kind] = {}
    for fact in facts:
        kept.setdefault(key(fact), fact)
    return tuple(kept.values())


def _first(texts: Iterable[str]) -> str:
    return next((text for text in texts if text), "")


class MyChem(FactSource):
    """Asks MyChem.info."""

    _read = staticmethod(read_mychem)
    terms = TERMS
    _path = "query"
    _beside: ClassVar = {"size": _MOST_HITS, "fields": _FIELDS}

    def _asked(self, drug: Drug) -> dict[str, str]:
        return {"q": quoted(drug)}
