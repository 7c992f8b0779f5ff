from __future__ import annotations

import pytest

from deepcritical.domain.evidence import Evidence
from deepcritical.domain.hypotheses import MechanismHypothesis, Sign
from deepcritical.reasoning.mechanisms import MAX_CHAINS, build_hypotheses
from tests.unit.domain.records import paper
from tests.unit.reasoning.examples import EXAMPLOL, TESTITIS

LINK = "Tau is a hallmark of testitis."


def records(*contents: str) -> dict[str, Evidence]:
    return {f"E{n}": paper(f"A study, {n}", text) for n, text in enumerate(contents, start=1)}


def chains(*contents: str, terms: tuple[str, ...] = ()) -> tuple[MechanismHypothesis, ...]:
    return build_hypotheses(EXAMPLOL, TESTITIS, records(*contents), terms)


def nodes(hypotheses: tuple[MechanismHypothesis, ...]) -> list[tuple[str, ...]]:
    return [h.nodes[1:-1] for h in hypotheses]


class TestChains:
    def test_without_records_there_is_none(self) -> None:
        assert chains() == ()

    def test_a_target_linked_to_the_condition_makes_a_chain_without_a_gap(self) -> None:
        (chain,) = chains("Examplol reduced tau.", LINK)
        assert (chain.nodes, chain.complete) == (("examplol", "tau", "testitis"), True)

    def test_a_chain_without_a_gap_asks_for_nothing(self) -> None:
        (chain,) = chains("Examplol reduced tau.", LINK)
        assert chain.search_suggestions == ()

    def test_a_chain_joins_relations_of_several_records(self) -> None:
        (chain,) = chains("Examplol reduced tau.", LINK)
        assert [{f.evidence_id for f in edge.facts} for edge in chain.edges] == [{"E1"}, {"E2"}]

    def test_a_mediator_stands_between_drug_and_effect(self) -> None:
        found = chains("Examplol activated AMPK. Examplol reduced tau through AMPK.", LINK)
        assert ("AMPK", "tau") in nodes(found)

    def test_a_target_that_leads_nowhere_is_a_gap_with_a_query(self) -> None:
        (chain,) = chains("Examplol activated AMPK.")
        assert (chain.complete, [q.text for q in chain.search_suggestions]) == (
            False,
            ["AMPK testitis"],
        )

    def test_a_chain_without_a_gap_comes_before_one_with(self) -> None:
        found = chains("Examplol activated AMPK.", "Examplol reduced tau.", LINK)
        assert [h.complete for h in found] == [True, False]

    def test_of_two_without_a_gap_the_one_in_more_records_comes_first(self) -> None:
        found = chains(
            "Examplol reduced BACE1.",
            "Examplol reduced tau.",
            "Examplol lowered tau.",
            f"{LINK} BACE1 contributes to testitis.",
        )
        assert nodes(found) == [("tau",), ("BACE1",)]

    def test_no_more_chains_than_the_limit_are_kept(self) -> None:
        found = chains(*(f"Examplol activated XYZ{n}." for n in range(1, MAX_CHAINS + 4)))
        assert len(found) == MAX_CHAINS

    def test_the_same_records_give_the_same_chains(self) -> None:
        texts = ("Examplol activated AMPK and BACE1 and mTOR.", "Examplol reduced tau.", LINK)
        assert chains(*texts) == chains(*texts)

    def test_the_order_of_equals_is_the_alphabet_and_not_the_records(self) -> None:
        one = chains("Examplol activated AMPK.", "Examplol activated BACE1.")
        other = chains("Examplol activated BACE1.", "Examplol activated AMPK.")
        assert nodes(one) == nodes(other) == [("AMPK",), ("BACE1",)]

    def test_a_name_and_its_abbreviation_are_one_node_across_records(self) -> None:
        found = chains(
            "Made-up kinase protein (MKP) was measured. Examplol lowered MKP.",
            "Made-up kinase protein (MKP) contributes to testitis.",
        )
        assert nodes(found) == [("MKP",)]

    def test_a_record_has_the_drug_under_one_name_whatever_its_case(self) -> None:
        (chain,) = chains("EXAMPLOL reduced tau.", LINK)
        assert chain.nodes[0] == "examplol"


class TestPosedByTheQuestion:
    def test_a_pair_of_terms_is_the_first_chain(self) -> None:
        found = chains(
            "Examplol activated AMPK. Examplol reduced tau through AMPK.",
            "Examplol reduced BACE1. BACE1 contributes to testitis.",
            LINK,
            terms=("AMPK", "tau"),
        )
        assert (found[0].nodes[1:-1], found[0].posed_by_question) == (("AMPK", "tau"), True)

    def test_a_term_that_no_record_names_is_a_chain_without_evidence(self) -> None:
        found = chains("Examplol reduced tau.", LINK, terms=("madeupin",))
        assert (found[0].nodes[1:-1], found[0].confidence) == (("madeupin",), 0.0)

    def test_a_term_that_no_record_names_asks_for_both_its_edges(self) -> None:
        found = chains("Examplol reduced tau.", LINK, terms=("madeupin",))
        assert [q.text for q in found[0].search_suggestions] == [
            "examplol madeupin",
            "madeupin testitis",
        ]

    def test_a_posed_chain_is_not_repeated_among_the_found_ones(self) -> None:
        found = chains("Examplol reduced tau.", LINK, terms=("tau",))
        assert nodes(found) == [("tau",)]

    def test_the_terms_come_before_better_supported_chains(self) -> None:
        found = chains("Examplol reduced tau.", LINK, terms=("madeupin",))
        assert [h.posed_by_question for h in found] == [True, False]

    def test_a_term_in_another_case_is_the_same_node(self) -> None:
        found = chains("Examplol reduced tau.", LINK, terms=("TAU",))
        assert nodes(found) == [("tau",)]


class TestWhatAChainPredicts:
    @pytest.mark.parametrize(
        ("verb", "expected"),
        [("reduced", Sign.DECREASES), ("increased", Sign.INCREASES), ("did not affect", None)],
    )
    def test_less_of_a_cause_is_less_of_the_condition(
        self, verb: str, expected: Sign | None
    ) -> None:
        (chain,) = chains(f"Examplol {verb} tau.", LINK)
        assert chain.expected_effect is expected

    @pytest.mark.parametrize(
        ("mediator", "effect", "edge"),
        [
            ("activated", "reduced", Sign.DECREASES),
            ("activated", "increased", Sign.INCREASES),
            ("inhibited", "reduced", Sign.INCREASES),
            ("inhibited", "increased", Sign.DECREASES),
        ],
    )
    def test_a_mediator_that_the_drug_lowers_turns_its_edge_round(
        self, mediator: str, effect: str, edge: Sign
    ) -> None:
        found = chains(f"Examplol {mediator} mTOR. Examplol {effect} tau through mTOR.", LINK)
        (through,) = (h for h in found if h.nodes[1:-1] == ("mTOR", "tau"))
        assert through.edges[1].sign is edge

    @pytest.mark.parametrize("mediator", ["activated", "inhibited"])
    def test_the_way_through_a_mediator_predicts_what_the_drug_does(self, mediator: str) -> None:
        found = chains(f"Examplol {mediator} mTOR. Examplol reduced tau through mTOR.", LINK)
        assert {h.expected_effect for h in found} == {Sign.DECREASES}

    def test_a_mediator_of_unknown_sign_concludes_nothing(self) -> None:
        assert nodes(chains("Examplol reduced tau through mTOR.", LINK)) == [("tau",)]

    def test_records_that_disagree_on_an_edge_predict_nothing(self) -> None:
        (chain,) = chains("Examplol reduced tau.", "Examplol increased tau.", LINK)
        assert (chain.disputed, chain.expected_effect) == (True, None)

    def test_a_disputed_effect_leaves_the_way_there_without_a_prediction(self) -> None:
        found = chains(
            "Examplol activated AMPK. Examplol reduced tau through AMPK.",
            "Examplol increased tau.",
            LINK,
        )
        assert [(h.disputed, h.expected_effect) for h in found] == [(True, None)] * 2

    @pytest.mark.parametrize(
        ("texts", "confidence"),
        [
            (("Examplol reduced tau.", LINK), 0.5),
            (("Examplol reduced tau.",), 0.25),
            (("Examplol reduced tau.", "Examplol increased tau.", LINK), 0.25),
        ],
        ids=["no gap", "a gap", "a dispute"],
    )
    def test_the_confidence_falls_with_gaps_and_disputes(
        self, texts: tuple[str, ...], confidence: float
    ) -> None:
        assert chains(*texts)[0].confidence == confidence
