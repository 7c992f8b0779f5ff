"""Relations of a drug that PubTator3 reads from papers.

Its names of chemicals are MeSH's, and count capitals: a drug is asked for as it is and with a
capital.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from deepcritical.domain.drug_facts import DrugFacts, LiteratureRelation
from deepcritical.domain.errors import SearchError
from deepcritical.domain.named import Drug
from deepcritical.tools.deadline import Deadline
from deepcritical.tools.drug_facts.base import Found, Terms
from deepcritical.tools.http import NoMatchError, SourceClient
from deepcritical.tools.json_values import as_number, as_text

__all__ = ["PubTator", "read_relations"]

TERMS = Terms(
    "PubTator3", "public domain (NCBI)", "https://www.ncbi.nlm.nih.gov/research/pubtator3/"
)
_KINDS = frozenset(
    "treat prevent cause inhibit stimulate positive_correlate negative_correlate".split()
)
_MOST = 100


class PubTator:
    """Asks PubTator3; see `FactSource`."""

    terms = TERMS

    def __init__(self, client: SourceClient) -> None:
        self._client = client

    def request(self, drug: Drug) -> str:
        """What is asked."""
        return f"relations?e1={' and '.join(_entities(drug))}"

    async def ask(self, drug: Drug, today: str, by: Deadline) -> Found:
        """The relations that most papers have.

        Raises:
            SearchError: PubTator3 could not be read.
        """
        parts = await asyncio.gather(*(self._one(e, drug, today, by) for e in _entities(drug)))
        rows = {(r.kind, r.subject, r.object): r for part in parts for r in part.facts.relations}
        best = sorted(rows.values(), key=lambda r: -(r.publications or 0))[:_MOST]
        facts = DrugFacts(drug=drug.name, relations=tuple(best))
        skipped = tuple(dict.fromkeys(text for part in parts for text in part.skipped))
        return Found(facts, skipped, all(part.cached for part in parts))

    async def _one(self, entity: str, drug: Drug, today: str, by: Deadline) -> Found:
        try:
            payload = await self._client.get("relations", {"e1": entity}, _rows, by)
        except NoMatchError:
            return Found(DrugFacts(drug=drug.name))
        found = read_relations(payload.content, drug, today)
        return found._replace(cached=payload.cached)


def _entities(drug: Drug) -> tuple[str, ...]:
    name = drug.name.strip().replace(" ", "_")
    return tuple(dict.fromkeys(f"@CHEMICAL_{n}" for n in (name, name[:1].upper() + name[1:])))


def _rows(content: bytes) -> list[Any]:
    try:
        rows = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise SearchError("PubTator3's answer is not JSON.", "Try again later.") from error
    if not isinstance(rows, list):
        raise SearchError("PubTator3's answer is no list of relations.", "Try again later.")
    return rows


def read_relations(content: bytes, drug: Drug, today: str) -> Found:
    """The relations of an answer.

    Raises:
        SearchError: It is no answer.
    """
    relations, unread = [], 0
    for row in _rows(content):
        fields = row if isinstance(row, dict) else {}
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
