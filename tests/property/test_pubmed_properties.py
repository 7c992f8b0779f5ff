"""Whatever becomes of one record, it costs no other one, and nothing but SearchError is raised."""

from __future__ import annotations

import copy
import string
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from xml.etree import ElementTree as ET

from hypothesis import given, settings
from hypothesis import strategies as st

from deepcritical.domain.errors import SearchError
from deepcritical.domain.evidence.record import Evidence
from deepcritical.tools.pubmed.records import parse
from deepcritical.tools.pubmed.search import read_esearch
from tests.servers.pubmed import made_up_records

JUNK = st.one_of(
    st.sampled_from(
        ["", " ", "\n", "0", "-1", "null", "[]", "x" * 10_000, "NCT", "10.", "²", "١٩٩٩"]
    ),
    st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=30),
)
TAGS = st.sampled_from(
    "i sup sub PMID Year Month Author LastName AbstractText ArticleTitle Label math msup x".split()
)


@cache
def records() -> tuple[Evidence, ...]:
    return parse(made_up_records()).records


@cache
def tree() -> ET.Element:
    return ET.fromstring(made_up_records())  # noqa: S314 - the test's own data


def mutate(data: st.DataObject, record: ET.Element) -> None:
    """Change one element somewhere in a record; the record itself stays one."""
    parents = {child: parent for parent in record.iter() for child in parent}
    if not parents:
        return
    element = data.draw(st.sampled_from(list(parents)))
    parent = parents[element]
    junk, tag = data.draw(JUNK), data.draw(TAGS)
    wrapped = ET.Element(tag)
    wrapped.append(copy.deepcopy(element))
    ways: dict[str, Callable[[], object]] = {
        "delete": lambda: parent.remove(element),
        "empty": element.clear,
        "double": lambda: parent.append(copy.deepcopy(element)),
        "text": lambda: setattr(element, "text", junk),
        "tail": lambda: setattr(element, "tail", junk),
        "label": lambda: element.set("Label", junk),
        "kind": lambda: element.set("RefType", junk),
        "invalid": lambda: element.set("ValidYN", junk),
        "no attributes": element.attrib.clear,
        "rename": lambda: setattr(element, "tag", tag),
        "wrap": lambda: parent.append(wrapped),
        "nest": lambda: element.append(copy.deepcopy(element)),
        "reverse": lambda: element.__setitem__(slice(None), element[::-1]),
    }
    ways[data.draw(st.sampled_from(sorted(ways)))]()


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_a_damaged_record_costs_no_other(data: st.DataObject) -> None:
    root = copy.deepcopy(tree())
    index = data.draw(st.integers(0, len(records()) - 1))
    for _ in range(data.draw(st.integers(1, 4))):
        mutate(data, root[index])
    parsed = parse(ET.tostring(root))
    others = [record for at, record in enumerate(records()) if at != index]
    kept = list(parsed.records)
    assert [record for record in others if record not in kept] == []
    mine = len(parsed.records) - len(others)
    assert mine + len(parsed.skipped) >= 1
    for record in kept:
        assert record.citation.title.strip()
        assert record.citation.url.startswith("https://")
        assert Evidence.model_validate_json(record.model_dump_json()) == record


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_bytes_that_are_changed_raise_nothing_else(data: st.DataObject) -> None:
    payload = bytearray(made_up_records())
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(payload) - 1))
        end = at + data.draw(st.integers(0, 40))
        payload[at:end] = data.draw(st.binary(max_size=20))
    try:
        parsed = parse(bytes(payload))
    except SearchError:
        return
    whole = {record.metadata.pmid: record for record in records()}
    untouched = [r for r in parsed.records if whole.get(r.metadata.pmid) == r]
    # Five changes damage five records, and at most as many run into the one before them.
    assert len(untouched) >= len(records()) - 10


@given(st.binary(max_size=200))
def test_no_bytes_raise_anything_else(payload: bytes) -> None:
    for read in (parse, read_esearch):
        with suppress(SearchError):
            read(payload)


PLAIN = st.text(string.ascii_letters + "0123456789 .,()=<>&+-αβ×·", min_size=1, max_size=8)


@st.composite
def inline(draw: st.DrawFn, depth: int = 3) -> ET.Element:
    element = ET.Element(draw(st.sampled_from(["i", "b", "u", "sup", "sub", "unknown"])))
    element.text = draw(PLAIN)
    for _ in range(draw(st.integers(0, 2)) if depth else 0):
        child = draw(inline(depth=depth - 1))
        child.tail = draw(PLAIN)
        element.append(child)
    return element


@given(inline())
def test_no_character_of_an_inline_text_is_lost(element: ET.Element) -> None:
    element.tag = "ArticleTitle"
    article = ET.Element("Article")
    article.append(element)
    citation = ET.Element("MedlineCitation")
    ET.SubElement(citation, "PMID").text = "99000001"
    citation.append(article)
    record = ET.Element("PubmedArticle")
    record.append(citation)
    told = "".join("".join(element.itertext()).split())
    parsed = parse(ET.tostring(record))
    assert [r.citation.title.replace("^", "").replace(" ", "") for r in parsed.records] == (
        [told] if told else []
    )
