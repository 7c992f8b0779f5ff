from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from deepcritical.domain.text.abbreviations import expand_abbreviations
from deepcritical.vocabulary.drugs import DrugKind, find_drugs, lookup_drug
from deepcritical.vocabulary.nodes import vocabulary

WORDS = [
    "metformin",
    "Metformin's",
    "insulin resistance",
    "IL-6",
    "Alzheimer’s",
    "Alzheimer disease",
    "amyloid-β",
    "TNF-α",
    "(AD)",
    "İstanbul",
    "ﬁbrosis",
    "oedema",
    "non-",
    "At 10",
    "5-FU",
    ", ",
    "\u2011",
    "\n",
]
TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=5)), max_size=20).map(" ".join),
    st.lists(st.sampled_from(WORDS), max_size=12).map("".join),
)
# The first example loads the dictionary, which takes over a second.
unhurried = settings(deadline=None)


@unhurried
@given(TEXTS)
def test_drug_mentions_slice_back_to_the_text_in_order(text: str) -> None:
    mentions = find_drugs(text)
    assert all(text[m.start : m.end] == m.text != "" for m in mentions)
    assert all(left.end <= right.start for left, right in pairwise(mentions))
    assert all(m.drug.kind is not DrugKind.UNKNOWN for m in mentions)


@unhurried
@given(TEXTS)
def test_node_mentions_slice_back_to_the_text_in_order(text: str) -> None:
    mentions = vocabulary().find(text, ("Protein", "GeneFamily", "Pathway"))
    assert all(text[m.start : m.end] == m.text != "" for m in mentions)
    assert all(left.end <= right.start for left, right in pairwise(mentions))


@unhurried
@given(TEXTS)
def test_looking_up_a_canonical_name_gives_it_back(text: str) -> None:
    for mention in find_drugs(text):
        again = lookup_drug(mention.text)
        assert again.kind is not DrugKind.UNKNOWN
        assert again.name not in again.synonyms


@unhurried
@given(st.text(max_size=60))
def test_lookup_never_raises_and_keeps_unknown_names(name: str) -> None:
    drug = lookup_drug(name)
    assert drug.kind is not DrugKind.UNKNOWN or drug.name == name.strip()


@unhurried
@given(TEXTS)
def test_definitions_are_parts_of_the_text(text: str) -> None:
    for short, long in expand_abbreviations(text).items():
        assert short in text
        assert long in text
        assert len(long) > len(short)
