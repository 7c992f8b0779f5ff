from __future__ import annotations

import pytest

from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.report.claims import claim_holds, located
from deepcritical.domain.report.parts import Claim
from deepcritical.domain.text.spans import body_sentences
from tests.unit.domain.records import CONTENT, QUOTE, claim, fact, paper

STORE = {"E1": paper(), "E2": paper("Another", "Mood was never asked about.", pmid="2")}


def test_a_fact_in_its_place_stays_as_it_is() -> None:
    assert located(fact(QUOTE), STORE) == fact(QUOTE)


@pytest.mark.parametrize(
    ("quote", "start"),
    [
        pytest.param(QUOTE, 0, id="wrong offsets"),
        pytest.param("pain FELL by 12.5% (p\u00a0= 0.02).", 0, id="other dress"),
        pytest.param(f"  {QUOTE} ", 7, id="blanks around"),
    ],
)
def test_a_fact_out_of_place_is_put_where_its_quote_stands(quote: str, start: int) -> None:
    moved = fact().model_copy(update={"quote": quote, "start": start, "end": start + len(quote)})
    found = located(moved, STORE)
    assert found is not None
    assert (found.quote, CONTENT[found.start : found.end]) == (QUOTE, QUOTE)


@pytest.mark.parametrize(
    ("quote", "evidence_id"),
    [
        pytest.param("Pain rose.", "E1", id="not in the record"),
        pytest.param(QUOTE, "E2", id="in another record"),
        pytest.param(QUOTE, "E9", id="no such record"),
        pytest.param(" ", "E1", id="blank"),
    ],
)
def test_a_fact_whose_quote_stands_nowhere_is_dropped(quote: str, evidence_id: str) -> None:
    assert located(fact(quote, evidence_id), STORE) is None


@pytest.mark.parametrize(
    "said",
    [
        pytest.param(claim(), id="the quote itself"),
        pytest.param(claim("Pain fell by 12.5% \\(p = 0.02\\)."), id="escaped for Markdown"),
        pytest.param(claim("Pain fell by 12.5% (p\u00a0= 0.02)."), id="another blank"),
    ],
)
def test_a_claim_that_is_its_quote_holds(said: Claim) -> None:
    assert claim_holds(said, STORE)


@pytest.mark.parametrize(
    "said",
    [
        pytest.param(claim("Pain fell by 15.2% (p = 0.02)."), id="a number swapped"),
        pytest.param(claim("Pain fell by 12.5% (p = 0.2)."), id="a p value swapped"),
        pytest.param(claim("Pain fell by 125% (p = 0.02)."), id="a point lost"),
        pytest.param(claim("Pain fell by 12.5% in 120 adults."), id="a number from elsewhere"),
        pytest.param(claim("Pain fell by 12.5% in 9 weeks."), id="a number added"),
        pytest.param(claim("Pain did not fall by 12.5% (p = 0.02)."), id="negated"),
        pytest.param(claim("Pain rose by 12.5% (p = 0.02)."), id="direction swapped"),
        pytest.param(claim("Pain fell by 12.5 mg (p = 0.02)."), id="unit swapped"),
        pytest.param(claim("Pain fell by -12.5% (p = 0.02)."), id="sign swapped"),
        pytest.param(claim("Pain fell."), id="cut short"),
        pytest.param(claim("Cats fly."), id="absurd"),
        pytest.param(claim(evidence_id="E2"), id="wrong record"),
        pytest.param(claim(evidence_id="E9"), id="no such record"),
        pytest.param(claim(quote="Pain rose by 12.5% (p = 0.02)."), id="quote not in the record"),
        pytest.param(claim().model_copy(update={"start": 0}), id="wrong offsets"),
    ],
)
def test_a_claim_that_its_quote_does_not_bear_fails(said: Claim) -> None:
    assert not claim_holds(said, STORE)


def test_a_summary_record_holds_claims_as_an_abstract_does() -> None:
    store: dict[str, Evidence] = {"E1": paper(text_kind="summary")}
    assert claim_holds(claim(), store)


_FIRST = "Pain fell by 12 points with naproxen."


@pytest.mark.parametrize("title", ["Pain", "Pain fell", "Pain fell by 12 points"])
def test_a_sentence_that_begins_as_a_short_title_is_of_the_body(title: str) -> None:
    told = body_sentences(f"{_FIRST} No patient died.", title)
    assert [span.text for span in told] == [_FIRST, "No patient died."]


@pytest.mark.parametrize("end", [".", "\n", ". ", ""])
def test_a_title_in_front_of_the_text_is_not_of_its_body(end: str) -> None:
    title = "Naproxen in gout"
    told = body_sentences(f"{title}{end}\nRESULTS: {_FIRST}", title)
    assert all(title not in span.text for span in told)
    assert any(_FIRST in span.text for span in told)
