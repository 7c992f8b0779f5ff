"""Chains that a model proposes, joined with those that the rules find."""

from __future__ import annotations

from typing import Any

from deepcritical.domain.hypotheses import MechanismHypothesis, Sign
from deepcritical.models.answers import Chain
from deepcritical.questions.searching import drug_named
from deepcritical.reasoning.chains import joined_chains
from deepcritical.reasoning.mechanisms import build_hypotheses
from tests.unit.domain.records import paper
from tests.unit.reasoning.examples import EXAMPLOL, TESTITIS

UP = "Examplol increased testase in mice."
DOWN = "Testase reduced testitis in mice."
RECORDS = {"E1": paper("Examplol in mice", f"{UP} {DOWN}")}
Joined = tuple[tuple[MechanismHypothesis, ...], int]


def shown(quote: str, sign: str = "increases", evidence_id: str = "E1") -> dict[str, Any]:
    return {"evidence_id": evidence_id, "quote": quote, "sign": sign}


def step(subject: str, object_: str, *by: dict[str, Any]) -> dict[str, Any]:
    return {"subject": subject, "object": object_, "shown_by": list(by)}


def chain(*steps: dict[str, Any], target: str = "testase") -> Chain:
    return Chain.model_validate({"target": target, "steps": list(steps)})


def joined(*chains: Chain, records: dict[str, Any] | None = None) -> Joined:
    known = records or RECORDS
    by_rule = build_hypotheses(EXAMPLOL, TESTITIS, known)
    return joined_chains(EXAMPLOL, TESTITIS, known, by_rule, chains)


WHOLE = chain(
    step("examplol", "testase", shown(UP)),
    step("testase", "testitis", shown(DOWN, "decreases")),
)


def test_a_chain_shown_by_the_records_is_whole_and_predicts() -> None:
    chains, dropped = joined(WHOLE)
    assert dropped == 0
    (found,) = [c for c in chains if "testase" in c.nodes]
    assert found.nodes == ("examplol", "testase", "testitis")
    assert found.complete
    assert found.expected_effect is Sign.DECREASES
    assert found.search_suggestions == ()
    for edge in found.edges:
        for fact in edge.facts:
            assert RECORDS["E1"].content[fact.start : fact.end] == fact.quote


def test_a_step_without_evidence_is_asked_for() -> None:
    chains, _ = joined(chain(step("examplol", "testase", shown(UP))))
    (found,) = [c for c in chains if "testase" in c.nodes]
    assert not found.complete
    assert [query.text for query in found.search_suggestions] == ["testase testitis"]


def test_a_name_that_nobody_knows_is_no_node() -> None:
    for name in ("invented-kinase-77", "see https://x.y", "PMID 99000001"):
        chains, dropped = joined(chain(step("examplol", name), target=name))
        assert not [c for c in chains if name in c.nodes]
        assert dropped == 1


def test_a_sentence_must_be_there_and_name_both_ends() -> None:
    for bad in (
        shown("Examplol increased testase in people."),
        shown(DOWN),
        shown(UP, evidence_id="E99"),
    ):
        chains, dropped = joined(chain(step("examplol", "testase", bad)))
        (found,) = [c for c in chains if "testase" in c.nodes]
        assert not found.edges[0].evidenced
        assert dropped == 1


def test_records_that_contradict_the_model_stay_on_the_edge() -> None:
    both = RECORDS | {"E2": paper("Examplol in rats", "Examplol reduced testase in rats at last.")}
    against = shown("Examplol reduced testase in rats at last.", "decreases", "E2")
    told = chain(step("examplol", "testase", shown(UP), against))
    (found,) = [c for c in joined(told, records=both)[0] if "testase" in c.nodes]
    assert found.edges[0].contradicted
    assert found.expected_effect is None


def test_the_rules_chains_stay() -> None:
    text = "Metformin activated AMPK. AMPK activation reduced testitis."
    records = {"E1": paper("Metformin in mice", text)}
    metformin = drug_named("metformin")
    by_rule = build_hypotheses(metformin, TESTITIS, records)
    chains, _ = joined_chains(metformin, TESTITIS, records, by_rule, [])
    assert by_rule
    assert [c.nodes for c in chains] == [c.nodes for c in by_rule]
    assert [c.edges for c in chains] == [c.edges for c in by_rule]
