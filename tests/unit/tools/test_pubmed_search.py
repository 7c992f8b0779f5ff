from __future__ import annotations

import json
from typing import Any

import pytest

from deepcritical.domain.errors import RateLimitError, SearchError
from deepcritical.tools.pubmed.search import Found, read_elink, read_esearch


def answer(**result: Any) -> bytes:
    return json.dumps({"header": {"type": "esearch"}, "esearchresult": result}).encode()


def test_ids_in_their_order_and_the_total() -> None:
    found = read_esearch(answer(count="40362", retmax="3", idlist=["9", "7", "8"]))
    assert found == Found(("9", "7", "8"), 40_362)


@pytest.mark.parametrize(
    ("result", "found"),
    [
        ({"count": "0", "idlist": []}, Found((), 0)),
        ({"idlist": ["9"]}, Found(("9",), 1)),
        ({"count": None, "idlist": ["9"]}, Found(("9",), 1)),
        ({"count": "many", "idlist": ["9"]}, Found(("9",), 1)),
        ({"count": 12, "idlist": [9, "9", None, "x", "0", " 7 ", True, {}]}, Found(("9", "7"), 12)),
        ({"count": "1", "idlist": ["9", "8"]}, Found(("9", "8"), 2)),
        ({"ERROR": "Empty term and query_key - nothing todo"}, Found((), 0)),
    ],
)
def test_odd_fields_cost_nothing(result: dict[str, Any], found: Found) -> None:
    assert read_esearch(answer(**result)) == found


@pytest.mark.parametrize(
    ("lists", "notes"),
    [
        (
            {"errorlist": {"phrasesnotfound": ["p.E1317Q"], "fieldsnotfound": []}},
            ("PubMed knows no phrase “p.E1317Q” and searched without it",),
        ),
        (
            {"errorlist": {"fieldsnotfound": "tiabx"}},
            ("PubMed knows no search field “tiabx” and searched without it",),
        ),
        (
            {"warninglist": {"quotedphrasesnotfound": ['"long testitis"']}},
            ('PubMed knows no quoted phrase “"long testitis"” and searched without it',),
        ),
        ({"warninglist": {"phrasesignored": ["of"], "outputmessages": ["No items found."]}}, ()),
        ({"warninglist": {"outputmessages": ["Truncated."]}}, ("PubMed says: Truncated.",)),
        ({"errorlist": [], "warninglist": None}, ()),
        (
            {"errorlist": {"phrasesnotfound": [None, "", 5, ["x"]]}},
            ("PubMed knows no phrase “5” and searched without it",),
        ),
    ],
)
def test_what_was_left_out_of_the_term_is_told(
    lists: dict[str, Any], notes: tuple[str, ...]
) -> None:
    assert read_esearch(answer(count="1", idlist=["9"], **lists)).notes == notes


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"oops",
        b"[]",
        b"null",
        b"{}",
        b"[" * 100_000,
        b"<eSearchResult><ERROR>x</ERROR></eSearchResult>",
        b'{"esearchresult": []}',
        b'{"esearchresult": {}}',
        b'{"esearchresult": {"count": "3", "idlist": null}}',
        b'{"error": "API is down"}',
        answer(ERROR="Search Backend failed: the address table is empty."),
    ],
)
def test_what_is_no_answer_is_an_error(payload: bytes) -> None:
    with pytest.raises(SearchError) as raised:
        read_esearch(payload)
    assert not isinstance(raised.value, RateLimitError)
    assert str(raised.value).startswith("PubMed ")


def test_the_body_of_a_rate_limit_is_one_and_tells_no_address() -> None:
    body = b'{"error":"API rate limit exceeded","api-key":"192.0.2.1","count":"4","limit":"3"}'
    with pytest.raises(RateLimitError) as raised:
        read_esearch(body)
    assert "192.0.2.1" not in str(raised.value)


def test_control_characters_of_the_term_come_back_and_cost_nothing() -> None:
    assert read_esearch(b'{"esearchresult": {"count": "1", "idlist": ["9"], "t": "a\tb"}}').pmids


def test_links_come_by_their_kind_and_once() -> None:
    links = [
        {"linkname": "pubmed_pubmed", "links": [{"id": "4", "score": "9"}, "1", "x"]},
        {"linkname": "pubmed_pubmed_refs", "links": ["2", "1"]},
        {"linkname": "pubmed_pubmed_citedin", "links": ["1", 3]},
        {"linkname": "pubmed_pubmed_citedin"},
        {"linkname": "pubmed_pmc", "links": ["5"]},
    ]
    assert read_elink(json.dumps({"linksets": [{"linksetdbs": links}, {}]}).encode()) == (
        *("1", "3"),
        *("2", "4"),
    )


@pytest.mark.parametrize("payload", [b"", b"<html>", b"[]", b'{"linksets": 1}', b'{"ERROR": "x"}'])
def test_what_is_no_answer_of_elink_is_an_error(payload: bytes) -> None:
    with pytest.raises(SearchError):
        read_elink(payload)
