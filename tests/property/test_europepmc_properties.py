from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from deepcritical.domain.evidence.record import Evidence
from deepcritical.tools.europepmc.records import PREPRINT_MARK, parse
from deepcritical.tools.markup import clean_markup
from tests.servers.europepmc import made_up_records

RECORDS = made_up_records()
JUNK: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=10)
    | st.sampled_from(["<h4>", "&lt;", "\ud800", "NCT99000001", "PPR1", "10.1/x", "Y", "-1"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to each field of a record, inner ones included."""
    inner: list[tuple[Any, Any]] = []
    if isinstance(value, dict | list):
        inner = list(value.items() if isinstance(value, dict) else enumerate(value))
    return [at, *(way for key, item in inner for way in places(item, (*at, key)))]


def changed(record: dict[str, Any], way: tuple[Any, ...], value: Any) -> Any:
    copy = json.loads(json.dumps(record))
    if not way:
        return value
    holder = copy
    for key in way[:-1]:
        holder = holder[key]
    if isinstance(value, type(...)):
        del holder[way[-1]]
    else:
        holder[way[-1]] = value
    return copy


@st.composite
def one_spoilt(draw: st.DrawFn) -> tuple[list[Any], int]:
    """The made-up records with one field of one of them missing, or junk; and which one."""
    index = draw(st.integers(0, len(RECORDS) - 1))
    way = draw(st.sampled_from(places(RECORDS[index])))
    value = draw(st.just(...) | JUNK) if way else draw(JUNK)
    spoilt = changed(RECORDS[index], way, value)
    return [*RECORDS[:index], spoilt, *RECORDS[index + 1 :]], index


def answer(records: list[Any]) -> bytes:
    return json.dumps({"hitCount": len(records), "resultList": {"result": records}}).encode()


WHOLE = parse(answer(RECORDS)).records


def unranked(records: tuple[Evidence, ...]) -> list[Evidence]:
    return [record.model_copy(update={"relevance_score": 0.0}) for record in records]


@given(one_spoilt())
def test_one_spoilt_record_never_costs_another(case: tuple[list[Any], int]) -> None:
    records, index = case
    page = parse(answer(records))
    assert len(page.records) + len(page.skipped) == len(records)
    read, whole = unranked(page.records), unranked(WHOLE)
    assert read[:index] == whole[:index]
    assert read[len(read) - len(RECORDS) + index + 1 :] == whole[index + 1 :]


@given(one_spoilt())
def test_what_is_read_can_be_kept_and_cited(case: tuple[list[Any], int]) -> None:
    for record in parse(answer(case[0])).records:
        assert Evidence.model_validate_json(record.model_dump_json()) == record
        assert record.citation.title.strip()
        assert record.citation.url.startswith("https://")
        assert record.content.count(PREPRINT_MARK) <= 1


@given(
    st.text()
    | st.lists(
        st.sampled_from(
            [
                "<",
                ">",
                "<h4>",
                "</h4>",
                "<sup>",
                "</sup>",
                "10",
                "2",
                "&lt;",
                "&amp;",
                "<p>",
                "</b>",
                "<b>",
                "\n",
                "\x00",
                "Text",
                ": ",
            ]
        )
    ).map("".join)
)
def test_markup_of_any_kind_becomes_text(text: str) -> None:
    cleaned = clean_markup(text)
    assert cleaned == cleaned.strip()
    assert "\x00" not in cleaned


@given(st.from_regex(r"[A-Za-z0-9 ,.()%=-]*", fullmatch=True))
def test_plain_text_stays(text: str) -> None:
    assert clean_markup(text) == " ".join(text.split())
