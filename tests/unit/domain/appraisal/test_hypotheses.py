from __future__ import annotations

import pytest

from deepcritical.domain.appraisal.hypotheses import (
    Edge,
    MechanismHypothesis,
    Sign,
    chain_confidence,
)
from tests.unit.domain.records import fact

UP = Edge(subject="examplol", object="targetase", increases=(fact(),))
DOWN = Edge(subject="targetase", object="testitis", decreases=(fact(),))
STILL = Edge(subject="targetase", object="testitis", no_effect=(fact(),))
WORSE = Edge(subject="targetase", object="testitis", increases=(fact(),))
TIED = Edge(subject="targetase", object="testitis", associated=(fact(),))
OPEN = Edge(subject="targetase", object="testitis")
DISPUTED = Edge(
    subject="targetase",
    object="testitis",
    increases=(fact(), fact(evidence_id="E2")),
    decreases=(fact(evidence_id="E3"),),
)
UNCHANGED_OR_NOT = Edge(
    subject="a", object="b", increases=(fact(),), no_effect=(fact(evidence_id="E2"),)
)


def chain(*edges: Edge) -> MechanismHypothesis:
    return MechanismHypothesis(
        drug="examplol",
        target="targetase",
        effect="testose",
        condition="testitis",
        confidence=chain_confidence(edges),
        edges=edges,
    )


@pytest.mark.parametrize(
    ("sign", "factor"), [(Sign.INCREASES, 1), (Sign.DECREASES, -1), (Sign.NO_EFFECT, 0)]
)
def test_a_sign_has_a_factor(sign: Sign, factor: int) -> None:
    assert sign.factor == factor


@pytest.mark.parametrize(
    ("edge", "sign", "contradicted", "evidenced"),
    [
        pytest.param(UP, Sign.INCREASES, False, True, id="increases"),
        pytest.param(DOWN, Sign.DECREASES, False, True, id="decreases"),
        pytest.param(STILL, Sign.NO_EFFECT, False, True, id="no effect"),
        pytest.param(OPEN, None, False, False, id="no evidence"),
        pytest.param(DISPUTED, None, True, True, id="disputed, whatever the majority"),
        pytest.param(UNCHANGED_OR_NOT, None, True, True, id="an effect or none"),
    ],
)
def test_an_edge_has_the_sign_that_all_its_records_give(
    edge: Edge, sign: Sign | None, contradicted: bool, evidenced: bool
) -> None:
    assert (edge.sign, edge.contradicted, edge.evidenced) == (sign, contradicted, evidenced)


def test_the_facts_of_an_edge_are_those_of_all_signs() -> None:
    assert {f.evidence_id for f in DISPUTED.facts} == {"E1", "E2", "E3"}


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        pytest.param((UP, DOWN), Sign.DECREASES, id="up, down"),
        pytest.param((DOWN, DOWN), Sign.INCREASES, id="down, down"),
        pytest.param((UP, WORSE), Sign.INCREASES, id="up, up"),
        pytest.param((UP, TIED), None, id="tied without a direction"),
        pytest.param((UP,), None, id="not up to the condition"),
        pytest.param((DOWN, DOWN, DOWN), Sign.DECREASES, id="down three times"),
        pytest.param((UP, STILL), None, id="no effect on the way"),
        pytest.param((UP, OPEN), None, id="gap"),
        pytest.param((UP, DISPUTED), None, id="disputed"),
    ],
)
def test_signs_multiply_along_a_chain(edges: tuple[Edge, ...], expected: Sign | None) -> None:
    assert chain(*edges).expected_effect is expected


@pytest.mark.parametrize(
    ("edges", "confidence"),
    [
        pytest.param((UP, DOWN), 0.5, id="every edge"),
        pytest.param((UP, OPEN), 0.25, id="half of the edges"),
        pytest.param((UP, DISPUTED), 0.25, id="one disputed"),
        pytest.param((DISPUTED, DISPUTED), 0.12, id="two disputed"),
        pytest.param((OPEN,), 0.0, id="none"),
    ],
)
def test_confidence_falls_with_gaps_and_disputes(
    edges: tuple[Edge, ...], confidence: float
) -> None:
    assert chain_confidence(edges) == confidence


def test_a_chain_with_a_gap_is_incomplete() -> None:
    assert chain(UP, DOWN).complete
    assert not chain(UP, OPEN).complete


def test_the_nodes_of_a_chain_run_from_drug_to_condition() -> None:
    assert chain(UP, DOWN).nodes == ("examplol", "targetase", "testitis")


def test_a_chain_without_edges_is_named_and_predicts_nothing() -> None:
    chain = MechanismHypothesis(
        drug="examplol", target="AMPK", pathway="mTOR", effect="less pain", confidence=0.1
    )
    assert chain.nodes == ("examplol", "AMPK", "mTOR", "less pain")
    assert (chain.complete, chain.expected_effect) == (False, None)


LINKED = Edge(subject="targetase", object="testitis", increases=(fact(), fact(evidence_id="E2")))
AGONIST = Edge(subject="examplol", object="targetase", increases=(fact(),))
ANTAGONIST = Edge(subject="examplol", object="targetase", decreases=(fact(),))


@pytest.mark.parametrize(
    ("edges", "weakest"),
    [
        pytest.param((UP, OPEN), OPEN, id="without evidence"),
        pytest.param((UP, DISPUTED), DISPUTED, id="disputed, though of more records"),
        pytest.param((AGONIST, LINKED), AGONIST, id="of fewest records"),
        pytest.param((UP, DOWN), UP, id="the first of equals"),
        pytest.param((), None, id="not looked up"),
    ],
)
def test_the_weakest_edge_is_named(edges: tuple[Edge, ...], weakest: Edge | None) -> None:
    looked_up = chain(*edges) if edges else chain(UP).model_copy(update={"edges": ()})
    assert looked_up.weakest_edge == weakest


@pytest.mark.parametrize(
    ("edges", "needed", "wrong"),
    [
        pytest.param(
            (AGONIST, LINKED),
            Sign.DECREASES,
            "an agonist of targetase is proposed where an antagonist is needed",
            id="agonist of what drives the condition",
        ),
        pytest.param(
            (ANTAGONIST, DOWN),
            Sign.INCREASES,
            "an antagonist of targetase is proposed where an agonist is needed",
            id="antagonist of what guards against it",
        ),
        pytest.param((ANTAGONIST, LINKED), Sign.DECREASES, "", id="antagonist, as needed"),
        pytest.param((AGONIST, DOWN), Sign.INCREASES, "", id="agonist, as needed"),
        pytest.param((AGONIST, OPEN), None, "", id="a gap behind the target"),
        pytest.param((AGONIST, DISPUTED), None, "", id="a dispute behind the target"),
        pytest.param((AGONIST, STILL), None, "", id="no effect behind the target"),
        pytest.param((AGONIST,), None, "", id="nothing behind the target"),
    ],
)
def test_an_agonist_where_an_antagonist_is_needed_is_flagged(
    edges: tuple[Edge, ...], needed: Sign | None, wrong: str
) -> None:
    looked_up = chain(*edges)
    assert (looked_up.needed_action, looked_up.wrong_action) == (needed, wrong)
