"""The E-utilities ESearch, EFetch, ELink and ESummary over given records, as an ASGI application.

It speaks as NCBI does where a client can trip: counts are text, phrases in no record are left out
of the term and listed, EFetch answers in an order of its own, leaves out ids that it does not know,
and takes no more than about 200 ids in an address.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl
from xml.etree import ElementTree as ET

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

DATA = Path(__file__).parent.parent / "data" / "pubmed"
MOST_IDS_BY_GET = 200
_TOKEN = re.compile(r'"([^"]*)"(?:\[[^\]]*\])?|([()])|([^\s()"\[\]]+)(?:\[[^\]]*\])?|\[[^\]]*\]')
_HEAD = (
    b'<?xml version="1.0" ?>\n<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD" "https://x.dtd">\n'
)


MESH: dict[str, dict[str, Any]] = {
    "900000001": {
        "ds_meshui": "D900000001",
        "ds_meshterms": ["Testitis", "Inflammation of the Test"],
        "ds_idxlinks": [{"parent": 0, "treenum": "C99.100", "children": []}],
    },
    "900000002": {
        "ds_meshui": "C900000002",
        "ds_meshterms": ["examplol", "examplol hydrochloride"],
        "ds_idxlinks": [],
    },
}
"""Made-up records of MeSH: a heading of the diseases, and a supplementary concept."""


class Asked(NamedTuple):
    """One request as it came."""

    utility: str
    method: str
    params: dict[str, str]


def made_up_records() -> bytes:
    """The set of tests/data/pubmed/records.xml, with every trap."""
    return (DATA / "records.xml").read_bytes()


class PubMedServer:
    """The two utilities over the records of one set.

    Args:
        payload: A `PubmedArticleSet`; the records keep their order as their relevance.
    """

    def __init__(self, payload: bytes | None = None) -> None:
        payload = made_up_records() if payload is None else payload
        self.asked: list[Asked] = []
        """Every request."""
        self.withdrawn: set[str] = set()
        """Ids that ESearch finds and EFetch leaves out."""
        self.unreadable: set[str] = set()
        """Ids for which EFetch answers the whole batch with status 400."""
        self.links: dict[str, dict[str, list[str]]] = {}
        """By PMID the links that ELink tells, by their names."""
        self._records: dict[str, bytes] = {}
        self._words: dict[str, str] = {}
        for record in ET.fromstring(payload):  # noqa: S314 - the test's own data
            pmid = record.findtext("*/PMID")
            if pmid:
                self._records[pmid] = ET.tostring(record)
                self._words[pmid] = " ".join(" ".join(record.itertext()).lower().split())
        self.app = Starlette(
            routes=[
                Route(f"/{name}.fcgi", handler, methods=["GET", "POST"])
                for name, handler in (
                    ("esearch", self._esearch),
                    ("efetch", self._efetch),
                    ("elink", self._elink),
                    ("esummary", self._esummary),
                )
            ]
        )

    @property
    def pmids(self) -> tuple[str, ...]:
        return tuple(self._records)

    def params(self, utility: str) -> list[dict[str, str]]:
        """Return the parameters of each call of one utility, in order."""
        return [asked.params for asked in self.asked if asked.utility == utility]

    async def _noted(self, request: Request, utility: str) -> dict[str, str]:
        form = parse_qsl((await request.body()).decode(), keep_blank_values=True)
        params = {**request.query_params, **dict(form)}
        self.asked.append(Asked(utility, request.method, params))
        return params

    async def _esearch(self, request: Request) -> Response:
        params = await self._noted(request, "esearch")
        term = params.get("term", "").strip()
        if params.get("db") == "mesh":
            return _esearch_answer(_in_mesh(term.strip('"').casefold()))
        if not term:
            return _esearch_answer({"ERROR": "Empty term and query_key - nothing todo"})
        unknown: list[str] = []
        found = _Term(term, self._words, unknown).matches()
        start, most = int(params.get("retstart", 0)), int(params.get("retmax", 20))
        result: dict[str, Any] = {
            "count": str(len(found)),
            "retmax": str(most),
            "retstart": str(start),
            "idlist": found[start : start + most],
            "translationset": [],
            "querytranslation": term,
        }
        if unknown:
            result["errorlist"] = {"phrasesnotfound": unknown, "fieldsnotfound": []}
        if not found:
            result["warninglist"] = {"phrasesignored": [], "outputmessages": ["No items found."]}
        return _esearch_answer(result)

    async def _esummary(self, request: Request) -> Response:
        params = await self._noted(request, "esummary")
        ids = [uid for uid in params.get("id", "").split(",") if uid in MESH]
        told = {uid: {"uid": uid, **MESH[uid]} for uid in ids}
        return JSONResponse({"header": {"type": "esummary"}, "result": {"uids": ids, **told}})

    async def _elink(self, request: Request) -> Response:
        params = await self._noted(request, "elink")
        ids = params.get("id", "").split(",")
        found: dict[str, list[str]] = {}
        for pmid in ids:
            for name, linked in self.links.get(pmid, {}).items():
                found.setdefault(name, []).extend(linked)
        links = [{"dbto": "pubmed", "linkname": n, "links": ids} for n, ids in found.items()]
        one = {"dbfrom": "pubmed", "ids": ids, **({"linksetdbs": links} if links else {})}
        return JSONResponse({"header": {"type": "elink"}, "linksets": [one]})

    async def _efetch(self, request: Request) -> Response:
        params = await self._noted(request, "efetch")
        ids = [pmid for pmid in params.get("id", "").split(",") if pmid]
        if not ids:
            return Response("Supplied id parameter is empty.", 400, media_type="text/plain")
        if request.method == "GET" and len(ids) > MOST_IDS_BY_GET:
            return Response("Request-URI Too Large", 414, media_type="text/plain")
        if self.unreadable & set(ids):
            return Response("Bad Request", 400, media_type="text/plain")
        known = sorted((set(ids) & set(self._records)) - self.withdrawn)
        records = b"\n".join(self._records[pmid] for pmid in known)
        body = _HEAD + b"<PubmedArticleSet>\n" + records + b"\n</PubmedArticleSet>"
        return Response(body, media_type="text/xml; charset=UTF-8")


def _in_mesh(name: str) -> dict[str, Any]:
    found = [
        uid for uid, r in MESH.items() if any(name in term.casefold() for term in r["ds_meshterms"])
    ]
    return {"count": str(len(found)), "retmax": "5", "retstart": "0", "idlist": found}


def _esearch_answer(result: dict[str, Any]) -> Response:
    return JSONResponse({"header": {"type": "esearch", "version": "0.3"}, "esearchresult": result})


class _Term:
    """A term with words, phrases, AND, OR, NOT and parentheses, read from left to right."""

    def __init__(self, term: str, words: dict[str, str], unknown: list[str]) -> None:
        self._tokens: Iterator[re.Match[str]] = _TOKEN.finditer(term)
        self._words = words
        self._unknown = unknown

    def matches(self) -> list[str]:
        """The ids that match, in the order of the records."""
        found = self._group()
        return [pmid for pmid in self._words if found and pmid in found]

    def _group(self) -> set[str] | None:
        """Up to the closing parenthesis; None when nothing in it is known."""
        found: set[str] | None = None
        operator = "AND"
        for token in self._tokens:
            if token.group(2) == ")":
                break
            if token.group(3) in ("AND", "OR", "NOT"):
                operator = token.group(3)
                continue
            more = self._group() if token.group(2) else self._phrase(token)
            if more is not None:
                found = more if found is None else _joined(found, operator, more)
            operator = "AND"
        return found

    def _phrase(self, token: re.Match[str]) -> set[str] | None:
        phrase = (token.group(1) or token.group(3) or "").strip(".,;:?!")
        if not phrase:
            return None
        whole = re.compile(rf"(?<!\w){re.escape(phrase.lower())}(?!\w)")
        found = {pmid for pmid, words in self._words.items() if whole.search(words)}
        if not found:
            self._unknown.append(phrase)
        return found or None


def _joined(found: set[str], operator: str, more: set[str]) -> set[str]:
    if operator == "OR":
        return found | more
    return found - more if operator == "NOT" else found & more
