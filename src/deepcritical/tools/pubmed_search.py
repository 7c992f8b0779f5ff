"""Answers of ESearch, with what PubMed says of the term, and of ELink."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from deepcritical.domain.errors import RateLimitError, SearchError
from deepcritical.tools.json_values import as_dict, as_list, as_number, dicts, one_line
from deepcritical.tools.pubmed_fields import is_pmid
from deepcritical.tools.pubmed_records import refusal

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
    """What ESearch found."""

    pmids: tuple[str, ...]
    """In PubMed's order."""
    total: int
    """Records that match; more than are named here."""
    notes: tuple[str, ...] = ()
    """What the reader must know of how the term was understood."""
    understood_as: tuple[str, ...] = ()
    """The term after PubMed's mapping, then each mapping that it made: "from → to"."""


def read_esearch(payload: bytes) -> Found:
    """An answer of ESearch (`retmode=json`).

    Args:
        payload: The body as it came.

    Returns:
        The ids and the total. A term without a word finds nothing, which is no error.

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

    Raises:
        RateLimitError: The body refuses more requests.
        SearchError: The body is no answer of ELink.
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
            for phrase in _texts(lists.get(key)):
                yield f"PubMed knows no {kind} “{phrase}” and searched without it"
        for message in _texts(lists.get("outputmessages")):
            if not _NOTHING_FOUND.search(message):
                yield f"PubMed says: {message}"


def _texts(value: object) -> list[str]:
    return [text for text in map(one_line, as_list(value)) if text]
