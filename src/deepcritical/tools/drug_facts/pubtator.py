"""Looks up relations of a drug that PubTator3 extracts from papers.

Its names of chemicals are MeSH's, and count capitals: a drug is asked for as it is and with a
capital.
"""

from __future__ import annotations

from deepcritical.domain.errors import SearchError
from deepcritical.domain.evidence.drug_facts import DrugFacts, LiteratureRelation
from deepcritical.domain.question.frame import Drug
from deepcritical.tools.deadline import Deadline, together
from deepcritical.tools.drug_facts.base import FactSource, Found, Terms
from deepcritical.tools.json_values import as_dict, as_number, as_text, decoded

TERMS = Terms(
    "PubTator3", "public domain (NCBI)", "https://www.ncbi.nlm.nih.gov/research/pubtator3/"
)
_KINDS = frozenset(
    "treat prevent cause inhibit stimulate positive_correlate negative_correlate".split()
)
_MOST = 100


def _entities(drug: Drug) -> tuple[str, ...]:
    name = drug.name.strip().replace(" ", "_")
    return tuple(dict.fromkeys(f"@CHEMICAL_{n}" for n in (name, name[:1].upper() + name[1:])))


def read_relations(content: bytes, drug: Drug, today: str) -> Found:
    """The relations of an answer."""
    relations, unread = [], 0
    rows = decoded(content, TERMS.source)
    if not isinstance(rows, list):
        raise SearchError("PubTator3's answer is no list of relations.", "Try again later.")
    for fields in map(as_dict, rows):
        kind, ends = as_text(fields.get("type")), (fields.get("source"), fields.get("target"))
        subject, other = (_name(as_text(end)) for end in ends)
        if not (kind and subject and other):
            unread += 1
        elif kind in _KINDS:
            relations.append(
                LiteratureRelation(
                    origin=TERMS.origin(today),
                    kind=kind,
                    subject=subject,
                    object=other,
                    publications=as_number(fields.get("publications")),
                )
            )
    skipped = (f"{unread} relations could not be read",) if unread else ()
    return Found(DrugFacts(drug=drug.name, relations=tuple(relations)), skipped)


def _name(entity: str) -> str:
    """``@DISEASE_Heart_Failure`` as it is written in papers."""
    return entity.partition("_")[2].replace("_", " ") if entity.startswith("@") else entity


class PubTator(FactSource):
    """Asks PubTator3 for the relations that most papers have."""

    _read = staticmethod(read_relations)
    terms = TERMS
    _path = "relations"
    _lacks_by_404 = True

    def _asked(self, drug: Drug) -> dict[str, str]:
        return {"e1": " and ".join(_entities(drug))}

    async def ask(self, drug: Drug, today: str, by: Deadline) -> Found:
        """Return the source's facts on the drug under either name; raises SearchError."""
        asked = (self._found({"e1": name}, drug, today, by) for name in _entities(drug))
        parts = await together(asked)
        rows = {(r.kind, r.subject, r.object): r for part in parts for r in part.facts.relations}
        best = sorted(rows.values(), key=lambda r: -(r.publications or 0))[:_MOST]
        facts = DrugFacts(drug=drug.name, relations=tuple(best))
        skipped = tuple(dict.fromkeys(text for part in parts for text in part.skipped))
        return Found(facts, skipped, all(part.cached for part in parts))
