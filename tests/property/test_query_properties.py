from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from deepcritical.domain.question.frame import Condition, Drug
from deepcritical.domain.question.question import SearchBlock
from deepcritical.domain.text.spans import fold
from deepcritical.tools.base import SourceQuery
from deepcritical.tools.concepts import MAX_MEMBERS, MAX_SYNONYMS
from deepcritical.tools.europepmc.source import europepmc_query
from deepcritical.tools.pubmed.source import pubmed_term
from deepcritical.tools.query_utils import clean_query, trial_params

PIECES = st.sampled_from(
    [
        *"()\"'?:/\\[]*-“”’İ\n\x00\u2028",
        *(" AND ", " OR ", " NOT ", "AND", "WHO", "A", "CAN", "TITLE:", "[tiab]"),
        *("can", "Is ", "be used for", "examplol", "testitis"),
    ]
)
TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(st.one_of(PIECES, st.text(max_size=4)), max_size=15).map("".join),
    st.lists(PIECES, max_size=15).map(" ".join),
)
SOME_TEXT = TEXTS.filter(bool)
QUERIES = st.builds(
    SourceQuery,
    text=SOME_TEXT,
    drug=st.none() | st.builds(Drug, name=SOME_TEXT, synonyms=st.lists(TEXTS).map(tuple)),
    condition=st.none() | st.builds(Condition, name=SOME_TEXT, names=st.lists(TEXTS).map(tuple)),
    terms=st.lists(TEXTS, max_size=4).map(tuple),
    block=st.sampled_from(SearchBlock),
)


def balanced(query: str) -> bool:
    """Quotes in pairs; parentheses in pairs within each phrase and outside of phrases."""
    pieces = query.split('"')
    depths = []
    for text in ("".join(pieces[::2]), *pieces[1::2]):
        depth = 0
        for char in text:
            depth += (char == "(") - (char == ")")
            if depth < 0:
                return False
        depths.append(depth)
    return len(pieces) % 2 == 1 and not any(depths)


def words(text: str) -> list[str]:
    return re.findall(r"\w+", fold(text))


@given(QUERIES)
def test_quotes_and_parentheses_always_balance(query: SourceQuery) -> None:
    for asked in (pubmed_term(query), europepmc_query(query), *trial_params(query).values()):
        assert balanced(asked), asked


@given(QUERIES)
def test_the_users_own_names_always_survive(query: SourceQuery) -> None:
    for name in (query.drug and query.drug.name, query.condition and query.condition.name):
        for asked in (pubmed_term(query), europepmc_query(query)):
            assert not name or set(words(name)) <= set(words(asked))


@given(QUERIES.filter(lambda query: bool(query.terms)))
def test_the_users_own_terms_always_survive(query: SourceQuery) -> None:
    kept = {word for term in query.terms for word in words(term)} - {"and", "or", "not"}
    assert kept <= set(words(pubmed_term(query)))
    assert kept <= set(words(europepmc_query(query)))
    assert kept <= set(words(trial_params(query).get("query.term", "")))


@given(QUERIES)
def test_synonyms_are_few_and_each_is_asked_for_once(query: SourceQuery) -> None:
    if query.drug:
        group = trial_params(query).get("query.intr", "")
        phrases = [fold(phrase) for phrase in re.findall(r'"([^"]*)"', group)]
        assert len(phrases) == len(set(phrases)) <= MAX_SYNONYMS + 1 + MAX_MEMBERS


@given(TEXTS)
def test_cleaning_only_removes(text: str) -> None:
    cleaned = clean_query(text)
    assert words(cleaned) == [] or set(words(cleaned)) <= set(words(text))
    assert clean_query(cleaned).split() == clean_query(clean_query(cleaned)).split()


@given(
    st.lists(
        st.sampled_from(["AND", "OR", "NOT", "WHO", "A", "IL-6", '"can be used for"']), max_size=8
    )
)
def test_operators_acronyms_and_phrases_are_never_touched(pieces: list[str]) -> None:
    assert clean_query(" ".join(pieces)) == " ".join(pieces)
