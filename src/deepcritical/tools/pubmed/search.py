"""Reads answers of ESearch and ELink, and looks names up in MeSH.

Of a name that no table here has, ESearch in `db=mesh` gives the records whose terms hold it,
ESummary their terms (`ds_meshterms`, the heading first) and tree numbers (`ds_idxlinks`). A
supplementary concept has no tree number: it is a substance, a rare disease or a protocol.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from deepcritical.domain.errors import RateLimitError, SearchError
from deepcritical.domain.question.frame import Condition, Drug, OutsideName
from deepcritical.domain.text.spans import fold
from deepcritical.tools.deadline import Deadline, together
from deepcritical.tools.json_values import as_dict, as_list, as_number, dicts, one_line
from deepcritical.tools.pubmed.fields import is_pmid
from deepcritical.tools.pubmed.records import refusal

if TYPE_CHECKING:
    from deepcritical.tools.http import SourceClient

_LINKS = ("pubmed_pubmed_citedin", "pubmed_pubmed_refs", "pubmed_pubmed")
"""Links between records of PubMed that are followed: is cited in, cites, is like."""

_UNKNOWN = {
    "phrasesnotfound": "phrase",
    "quotedphrasesnotfound": "quoted phrase",
    "fieldsnotfound": "search field",
}
"""Lists of `errorlist` and `warninglist` that name what PubMed left out of the term.

Words of `phrasesignored` ("of", "the") are left out of every search and change nothing.
"""
_NOTHING_FOUND = re.compile(r"no items found|no documents match", re.IGNORECASE)
_NOTHING_ASKED = re.compile(r"empty term", re.IGNORECASE)


class Found(NamedTuple):
    """The results of ESearch."""

    pmids: tuple[str, ...]
    """In PubMed's order."""
    total: int
    """Records that match; more than are named here."""
    notes: tuple[str, ...] = ()
    """Remarks for the reader on how the term was understood."""
    understood_as: tuple[str, ...] = ()
    """The term after PubMed's mapping, then each mapping that it made: "from → to"."""


def read_esearch(payload: bytes) -> Found:
    """An answer of ESearch (`retmode=json`).

    Raises:
        RateLimitError: The body refuses more requests.
        SearchError: The search failed (`ERROR`), or the body is no answer of ESearch.
    """
    result = _result(payload)
    if told := one_line(result.get("ERROR")):
        if _NOTHING_ASKED.search(told):
            return Found((), 0)
        raise SearchError(f"PubMed could not search: {told}", "Try again in a minute.")
    listed = result.get("idlist")
    if not isinstance(listed, list):
        raise refusal(payload)
    pmids = tuple(dict.fromkeys(pmid for pmid in map(one_line, listed) if is_pmid(pmid)))
    total = max(as_number(result.get("count")) or 0, len(pmids))
    return Found(pmids, total, tuple(_notes(result)), tuple(_understood(result)))


def read_elink(payload: bytes) -> tuple[str, ...]:
    """The PMIDs that an answer of ELink (`retmode=json`, all links to PubMed) names.

    Works that cite those asked about come first, then those that they cite, then similar ones.

    Raises as `read_esearch` does.
    """
    try:
        answer = json.loads(payload, strict=False)
    except (ValueError, RecursionError):
        raise refusal(payload) from None
    if not isinstance(answer, dict) or not isinstance(answer.get("linksets"), list):
        raise refusal(payload)
    links = [link for one in dicts(answer["linksets"]) for link in dicts(one.get("linksetdbs"))]
    found = (
        one_line(pmid.get("id") if isinstance(pmid, dict) else pmid)
        for name in _LINKS
        for link in links
        if link.get("linkname") == name
        for pmid in as_list(link.get("links"))
    )
    return tuple(dict.fromkeys(pmid for pmid in found if is_pmid(pmid)))


def _understood(result: dict[str, Any]) -> Iterator[str]:
    if translated := one_line(result.get("querytranslation")):
        yield translated
    for mapping in dicts(result.get("translationset")):
        if to := one_line(mapping.get("to")):
            yield f"{one_line(mapping.get('from'))} → {to}"


def _result(payload: bytes) -> dict[str, Any]:
    try:
        # Not strict: terms with control characters come back as they are.
        answer = json.loads(payload, strict=False)
    except (ValueError, RecursionError):
        raise refusal(payload) from None
    answer = as_dict(answer)
    result = answer.get("esearchresult")
    if not isinstance(result, dict):
        refused, error = refusal(payload), one_line(answer.get("error"))
        if error and not isinstance(refused, RateLimitError):
            raise SearchError(f"PubMed could not search: {error}", "Try again in a minute.")
        raise refused
    return result


def _notes(result: dict[str, Any]) -> Iterator[str]:
    for where in ("errorlist", "warninglist"):
        lists = as_dict(result.get(where))
        for key, kind in _UNKNOWN.items():
            unknown = [f"“{one}”" for one in filter(None, map(one_line, as_list(lists.get(key))))]
            if unknown:
                yield f"PubMed knows no {kind} {', '.join(unknown)} and searched without it"
        for message in filter(None, map(one_line, as_list(lists.get("outputmessages")))):
            if not _NOTHING_FOUND.search(message):
                yield f"PubMed says: {message}"


_MOST_RECORDS = 5
_MOST_SYNONYMS = 12
_WITHIN_S = 10.0
_CONDITIONS = ("C", "F03")
"""Trees of diseases and of mental disorders."""
_SUBSTANCES = ("D",)


class MeshNames:
    """Looks names up in MeSH."""

    def __init__(self, client: SourceClient, *, email: str = "") -> None:
        self._client = client
        named = {"db": "mesh", "tool": "deepcritical", "email": email}
        self._always = {name: value for name, value in named.items() if value}

    async def look_up(self, names: Sequence[OutsideName]) -> tuple[OutsideName, ...]:
        """Those of the names that MeSH has, as it has them.

        Raises SearchError where it cannot be asked.
        """
        found = await together(self._one(name) for name in names)
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
    """The records of an ESummary; raises SearchError."""
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
