"""Edges from curated sources: recorded answers, and answers as they may come."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deepcritical.domain.appraisal.hypotheses import EdgeSide
from deepcritical.domain.evidence.drug_facts import (
    Association,
    DrugFacts,
    DrugTarget,
    LiteratureRelation,
    Origin,
    fact_records,
)
from deepcritical.domain.question.frame import Condition, Drug
from deepcritical.mechanism.curated import CuratedEdge, curated_edges, side_of_action
from deepcritical.tools.drug_facts.mychem import read_mychem
from deepcritical.tools.drug_facts.opentargets import read_open_targets
from tests.conftest import ROOT

DATA = ROOT / "tests" / "data" / "curated"
DAY = "2999-01-02"
TESTITIS = Condition(name="testitis", names=("testitis",), known=False)


def origin(source: str) -> Origin:
    return Origin(source=source, licence="CC0 1.0", url=f"https://{source}.example/", retrieved=DAY)


def facts(**parts: Any) -> DrugFacts:
    return DrugFacts(drug="examplol", **parts)


def target(source: str, name: str, action: str = "", **fields: Any) -> DrugTarget:
    return DrugTarget(origin=origin(source), target=name, action_type=action, **fields)


def edges(*known: DrugFacts, condition: Condition = TESTITIS) -> list[tuple[str, str, EdgeSide]]:
    return [(e.subject, e.object, e.side) for e in found(*known, condition=condition)]


def found(*known: DrugFacts, condition: Condition = TESTITIS) -> list[CuratedEdge]:
    return list(curated_edges(known, known[0].drug, condition))


@pytest.mark.parametrize(
    ("drug", "name", "side", "sources"),
    [
        (
            "warfarin",
            "Vitamin K epoxide reductase complex subunit 1",
            "decreases",
            {"ChEMBL by MyChem.info"},
        ),
        ("dabigatran", "Prothrombin", "decreases", {"ChEMBL by MyChem.info"}),
        (
            "pembrolizumab",
            "Programmed cell death protein 1",
            "decreases",
            {"ChEMBL by MyChem.info"},
        ),
    ],
)
def test_recorded_drugs_have_target_sign_and_provenance(
    drug: str, name: str, side: EdgeSide, sources: set[str]
) -> None:
    content = Path(DATA / f"mychem_{drug}.json").read_bytes()
    parts = [read_mychem(content, Drug(name=drug), DAY).facts]
    other = DATA / f"opentargets_{drug}.json"
    if other.is_file():
        parts.append(read_open_targets(other.read_bytes(), Drug(name=drug), DAY).facts)
    targets = tuple(target for part in parts for target in part.targets)
    known = DrugFacts(drug=drug, targets=targets)
    records = fact_records([known])
    told = [e for e in found(known) if e.object == name and e.side == side]
    assert told, edges(known)
    assert {e.subject for e in told} == {drug}
    assert {records[e.fact.evidence_id].metadata.licence for e in told} <= {
        "CC BY-SA 3.0",
        "CC0 1.0",
    }
    for edge in told:
        content_of = records[edge.fact.evidence_id].content
        assert content_of[edge.fact.start : edge.fact.end] == edge.fact.quote
    named = {(t.origin.source, t.origin.via) for t in known.targets if t.action_type}
    assert {f"{source} by {via}" for source, via in named} == sources


@pytest.mark.parametrize(
    ("action", "side"),
    [
        ("INHIBITOR", "decreases"),
        ("inverse agonist", "decreases"),
        ("PARTIAL AGONIST", "increases"),
        ("POSITIVE  ALLOSTERIC MODULATOR", "increases"),
        ("BINDING AGENT", "associated"),
        ("SUBSTRATE", "associated"),
        ("", "associated"),
        ("MADE-UP ACTION", "associated"),
    ],
)
def test_an_action_that_tells_no_direction_gives_none(action: str, side: EdgeSide) -> None:
    assert side_of_action(action) == side


def test_one_target_under_several_names_is_one_node() -> None:
    known = facts(
        targets=(
            target("a", "Made-up receptor 1", "INHIBITOR"),
            target(
                "b", "mur i", "INHIBITOR", mechanism="Made-up receptor 1 inhibitor", symbol="MUR1"
            ),
            target("c", "MUR1", symbol="MUR1"),
        )
    )
    assert {e.object for e in found(known)} == {"MUR1"}
    assert sorted(e.side for e in found(known)) == ["associated", "decreases", "decreases"]


@pytest.mark.parametrize(
    ("drug", "symbol", "protein"),
    [("warfarin", "VKORC1", "Q9BQB6"), ("pembrolizumab", "PDCD1", "Q15116")],
)
def test_a_recorded_protein_and_its_gene_are_one_node_by_their_id(
    drug: str, symbol: str, protein: str
) -> None:
    recorded = read_mychem(Path(DATA / f"mychem_{drug}.json").read_bytes(), Drug(name=drug), DAY)
    gene = {
        "id": "ENSG0",
        "approvedSymbol": symbol,
        "approvedName": "a made-up name",
        "proteinIds": [
            {"id": "A0A000", "source": "uniprot_trembl"},
            {"id": protein, "source": "uniprot_swissprot"},
        ],
    }
    row = {"mechanismOfAction": "", "actionType": "INHIBITOR", "targets": [gene]}
    entry = {"id": "CHEMBL0", "name": drug.upper(), "mechanismsOfAction": {"rows": [row]}}
    answer = {"data": {"search": {"hits": [{"object": entry}]}}}
    named = read_open_targets(json.dumps(answer).encode(), Drug(name=drug), DAY).facts
    known = DrugFacts(drug=drug, targets=(*recorded.facts.targets, *named.targets))
    assert {e.object for e in found(known)} == {symbol}
    assert {e.side for e in found(known)} == {"decreases", "associated"}


def test_one_protein_without_a_gene_is_one_node_by_its_id() -> None:
    known = facts(
        targets=(
            target("a", "Testase", "AGONIST", ids=("UniProt:X1",)),
            target("b", "The enzyme of tests", "AGONIST", ids=("UniProt:X1",)),
        )
    )
    assert {e.object for e in found(known)} == {"Testase"}


def test_a_family_is_none_of_its_members() -> None:
    family = "Testase inhibitor"
    known = facts(
        targets=(
            target("a", "testase 1", "INHIBITOR", mechanism=family, symbol="TSE1"),
            target("a", "testase 2", "INHIBITOR", mechanism=family, symbol="TSE2"),
            target("b", "Testase", "INHIBITOR"),
        )
    )
    assert [e.object for e in found(known)] == ["TSE1", "TSE2", "Testase"]


def test_sources_that_disagree_stand_on_both_sides() -> None:
    known = facts(
        targets=(
            target("a", "Testase", "AGONIST", symbol="TSE1"),
            target("b", "Testase", "ANTAGONIST", symbol="TSE1"),
        )
    )
    assert edges(known) == [("examplol", "TSE1", "increases"), ("examplol", "TSE1", "decreases")]


def association(disease: str, symbol: str = "TSE1") -> Association:
    kinds = (("literature", 0.2), ("genetic_association", 0.61))
    return Association(
        origin=origin("o"), symbol=symbol, disease=disease, score=0.5, datatypes=kinds
    )


def test_only_diseases_that_are_the_condition_are_tied_to_a_target() -> None:
    known = facts(
        targets=(target("a", "Testase", "AGONIST", symbol="TSE1"),),
        associations=(association("Testitis"), association("asthma")),
    )
    assert ("TSE1", "testitis", "associated") in edges(known)
    assert len(edges(known)) == 2


def test_a_form_of_the_condition_counts_and_a_broader_disease_does_not() -> None:
    lung = Condition(name="lung cancer", names=("lung cancer",))
    known = facts(
        targets=(target("a", "Testase", "AGONIST", symbol="TSE1"),),
        associations=(association("small cell lung carcinoma"), association("cancer")),
    )
    told = [e.fact.quote for e in found(known, condition=lung) if e.object == "lung cancer"]
    assert told == [
        "TSE1 and small cell lung carcinoma: association score 0.50 of 1 "
        "(literature 0.20, genetic association 0.61)."
    ]


@pytest.mark.parametrize(
    ("kind", "side"),
    [("inhibit", "decreases"), ("stimulate", "increases"), ("positive_correlate", "associated")],
)
def test_a_relation_read_by_machine_stands_on_a_known_target_only(
    kind: str, side: EdgeSide
) -> None:
    def relation(name: str) -> LiteratureRelation:
        return LiteratureRelation(
            origin=origin("p"), kind=kind, subject="Examplol", object=name, publications=4
        )

    known = facts(
        targets=(target("a", "Testase", symbol="TSE1"),),
        relations=(relation("TSE1"), relation("asthma")),
    )
    assert edges(known) == [("examplol", "TSE1", "associated"), ("examplol", "TSE1", side)]


def test_facts_on_another_drug_give_nothing() -> None:
    own = facts(targets=(target("a", "Testase", "AGONIST"),))
    other = DrugFacts(drug="otherol", targets=(target("a", "Otherase", "AGONIST"),))
    assert {e.object for e in curated_edges([other, own], "examplol", TESTITIS)} == {"Testase"}


def test_records_of_mechanism_come_last() -> None:
    """So that a stored report finds the records that it cites under their numbers."""
    known = facts(targets=(target("a", "Testase", "AGONIST"),))
    label = DrugFacts.model_validate(
        {
            "drug": "otherol",
            "classes": [{"origin": origin("fda"), "name": "Made-up Blocker", "kind": "EPC"}],
        }
    )
    titles = [r.citation.title for r in fact_records([known, label]).values()]
    assert titles == ["otherol in fda", "Targets of examplol in a"]
