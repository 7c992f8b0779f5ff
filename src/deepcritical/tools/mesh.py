"""Names in MeSH, live: what a name that no table here has stands for.

By the E-utilities of NCBI: ESearch in `db=mesh` gives the records whose terms hold a name, ESummary
their terms (`ds_meshterms`, the heading first) and tree numbers (`ds_idxlinks`). A supplementary
concept has no tree number: it is a substance, a rare disease or a protocol.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from deepcritical.domain.errors import SearchError
from deepcritical.domain.frame import OutsideName
from deepcritical.domain.named import Condition, Drug
from deepcritical.domain.text import fold
from deepcritical.tools.deadline import Deadline
from deepcritical.tools.http import SourceClient
from deepcritical.tools.pubmed_search import read_esearch

_MOST_RECORDS = 5
_MOST_SYNONYMS = 12
_WITHIN_S = 10.0
_CONDITIONS = ("C", "F03")
"""Trees of diseases and of mental disorders."""
_SUBSTANCES = ("D",)


class MeshNames:
    """Looks names up in MeSH.

    Args:
        client: Speaks to the E-utilities; it keeps what was answered.
        email: Address of who runs this program, which NCBI asks for.
    """

    def __init__(self, client: SourceClient, *, email: str = "") -> None:
        self._client = client
        named = {"db": "mesh", "tool": "deepcritical", "email": email}
        self._always = {name: value for name, value in named.items() if value}

    async def look_up(self, names: Sequence[OutsideName]) -> tuple[OutsideName, ...]:
        """Those of the names that MeSH has, as it has them.

        Raises:
            SearchError: MeSH cannot be asked.
        """
        found = await asyncio.gather(*(self._one(name) for name in names))
        return tuple(name for name in found if name)

    async def _one(self, name: OutsideName) -> OutsideName | None:
        by = Deadline(_WITHIN_S, _WITHIN_S)
        term = f'"{name.text.replace(chr(34), " ")}"'
        asked: dict[str, str | int] = {
            **self._always,
            "term": term,
            "retmax": _MOST_RECORDS,
            "retmode": "json",
        }
        answer = await self._client.get("esearch.fcgi", asked, read_esearch, by)
        ids = read_esearch(answer.content).pmids
        if not ids:
            return None
        told = {**self._always, "id": ",".join(ids), "retmode": "json"}
        summary = await self._client.get("esummary.fcgi", told, _records, by)
        return next(filter(None, (_as_known(name, r) for r in _records(summary.content))), None)


def _records(payload: bytes) -> list[dict[str, Any]]:
    """The records of an ESummary.

    Raises:
        SearchError: The body is none.
    """
    try:
        result = json.loads(payload)["result"]
        return [result[uid] for uid in result["uids"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise SearchError("MeSH gave no answer that can be read.", "Try again later.") from None


def _as_known(name: OutsideName, record: dict[str, Any]) -> OutsideName | None:
    """A record as what the name stands for; None where none of its terms is the name."""
    terms = [term for term in record.get("ds_meshterms") or () if isinstance(term, str)]
    if _plain(name.text) not in map(_plain, terms):
        return None
    links = record.get("ds_idxlinks") or ()
    trees = [str(link.get("treenum", "")) for link in links if isinstance(link, dict)]
    is_condition = any(tree.startswith(_CONDITIONS) for tree in trees)
    is_drug = any(tree.startswith(_SUBSTANCES) for tree in trees)
    if not any(trees):  # a supplementary concept is what it is asked about as
        is_condition, is_drug = name.condition is not None, name.drug is not None
    others = tuple(dict.fromkeys(terms))[:_MOST_SYNONYMS]
    if is_condition:
        mesh_id = f"MESH:{record['ds_meshui']}" if record.get("ds_meshui") else None
        names = tuple(dict.fromkeys((name.text, *others)))
        condition = Condition(name=name.text, names=names, mesh_id=mesh_id)
        return OutsideName(text=name.text, condition=condition)
    if is_drug:
        own = name.text.casefold()
        synonyms = (term.casefold() for term in others if term.casefold() != own)
        drug = Drug(name=own, synonyms=tuple(dict.fromkeys(synonyms)))
        return OutsideName(text=name.text, drug=drug)
    return OutsideName(text=name.text)


def _plain(term: str) -> str:
    return " ".join(fold(term).replace("-", " ").split())
