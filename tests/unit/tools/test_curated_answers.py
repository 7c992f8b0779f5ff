"""Answers of curated sources as they were recorded, and as they may change."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deepcritical.domain.errors import SearchError
from deepcritical.domain.evidence.drug_facts import DrugFacts
from deepcritical.domain.question.frame import Drug
from deepcritical.tools.drug_facts.base import is_form_of
from deepcritical.tools.drug_facts.mychem import read_mychem
from deepcritical.tools.drug_facts.openfda import read_events, read_labels
from deepcritical.tools.drug_facts.opentargets import read_open_targets
from deepcritical.tools.drug_facts.pubtator import read_relations
from tests.conftest import ROOT

DATA = ROOT / "tests" / "data" / "curated"
DAY = "2026-08-11"
READERS = (read_mychem, read_open_targets, read_labels, read_events, read_relations)


def recorded(name: str) -> bytes:
    return Path(DATA / f"{name}.json").read_bytes()


def mychem(drug: str, content: bytes | None = None) -> DrugFacts:
    return read_mychem(content or recorded(f"mychem_{drug}"), Drug(name=drug), DAY).facts


def as_bytes(value: Any) -> bytes:
    return json.dumps(value).encode()


def test_the_mechanism_of_a_salt_is_that_of_its_parent() -> None:
    facts = mychem("warfarin")
    assert facts.identity
    assert facts.identity.chembl_id == "CHEMBL1464"
    assert facts.identity.inchikey == "PJVWKTKQMONHTI-UHFFFAOYSA-N"
    (by_chembl,) = [t for t in facts.targets if t.origin.source == "ChEMBL"]
    assert by_chembl.target == "Vitamin K epoxide reductase complex subunit 1"
    assert (by_chembl.action_type, by_chembl.form) == ("INHIBITOR", "WARFARIN POTASSIUM")
    (by_guide,) = [t for t in facts.targets if t.origin.source == "Guide to Pharmacology"]
    assert by_guide.symbol == "VKORC1"


def test_what_several_hits_repeat_is_told_once() -> None:
    facts = mychem("pembrolizumab")
    assert len(facts.indications) == 12
    assert {(a.agency, a.date) for a in facts.approvals} == {
        ("PMDA", "2016-09-28"),
        ("EMA", "2015-07-17"),
        ("FDA", "2014-09-04"),
    }
    assert [t.action_type for t in facts.targets if t.action_type] == ["INHIBITOR"]


def test_the_class_of_a_product_of_two_substances_is_not_the_drugs() -> None:
    classes = {c.name for c in mychem("pembrolizumab").classes}
    assert "Endoglycosidase" not in classes
    assert "Programmed Death Receptor-1 Blocking Antibody" in classes


def test_every_fact_names_source_licence_address_and_day() -> None:
    for name in ("warfarin", "dabigatran", "pembrolizumab"):
        for origin in mychem(name).origins:
            assert origin.source
            assert origin.licence
            assert origin.url.startswith("https://")
            assert origin.retrieved == DAY
    shared = {o.source: o.licence for o in mychem("warfarin").origins}
    assert shared["ChEMBL"].startswith("CC BY-SA")
    assert shared["DrugCentral"].startswith("CC BY-SA")


def test_open_targets_as_recorded() -> None:
    drug = Drug(name="pembrolizumab")
    facts, skipped, _ = read_open_targets(recorded("opentargets_pembrolizumab"), drug, DAY)
    assert [t.symbol for t in facts.targets] == ["PDCD1"]
    stages = {i.stage for i in facts.indications}
    assert {"APPROVAL", "PHASE_1_2", "UNKNOWN"} <= stages
    assert all(i.approved == (i.stage == "APPROVAL") for i in facts.indications)
    assert skipped == ()


def test_what_is_known_of_a_target_is_read_below_the_drug() -> None:
    target = json.loads(recorded("opentargets_safety_egfr"))["data"]["target"]
    other = json.loads(recorded("opentargets_associations_braf"))["data"]["target"]
    target |= {"id": "ENSG0", "approvedSymbol": "MADE1", "approvedName": "made-up target"}
    target["associatedDiseases"] = other["associatedDiseases"]
    drug = {
        "id": "CHEMBL0",
        "name": "DRUGAZOLE HYDROCHLORIDE",
        "mechanismsOfAction": {"rows": [{"actionType": "INHIBITOR", "targets": [target]}]},
    }
    answer = {"data": {"search": {"hits": [{"object": drug}]}}}
    facts, _, _ = read_open_targets(as_bytes(answer), Drug(name="Drugazole"), DAY)
    assert facts.targets[0].form == "DRUGAZOLE HYDROCHLORIDE"
    assert len(facts.target_safety) == len(target["safetyLiabilities"])
    assert facts.associations[0].disease == "cardiofaciocutaneous syndrome"


def test_labels_and_counts_as_recorded() -> None:
    drug = Drug(name="pembrolizumab")
    facts, skipped, _ = read_labels(recorded("openfda_label_pembrolizumab"), drug, DAY)
    assert [label.products for label in facts.labels] == [("KEYTRUDA",), ("KEYTRUDA QLEX",)]
    assert skipped == ("no label has a section that is known",)  # the recording is cut
    counted = read_events(recorded("openfda_events_pembrolizumab"), drug, DAY).facts.events
    assert [(e.event, e.reports) for e in counted] == [("MALIGNANT NEOPLASM PROGRESSION", 12016)]


def test_errors_of_open_targets_come_with_status_200() -> None:
    drug, told = Drug(name="drugazole"), {"errors": [{"message": "made-up failure"}]}
    with pytest.raises(SearchError, match="made-up failure"):
        read_open_targets(as_bytes(told | {"data": None}), drug, DAY)
    found = read_open_targets(as_bytes(told | {"data": {"search": {"hits": []}}}), drug, DAY)
    assert found.skipped == ("made-up failure",)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("body", [b"", b"no JSON", b"null", b'"text"', b"3", b"{}", b"[[[["])
def test_what_is_no_answer_is_refused(reader: Any, body: bytes) -> None:
    with pytest.raises(SearchError):
        reader(body, Drug(name="drugazole"), DAY)


@pytest.mark.parametrize("junk", [None, 3, "text", [], [None], {"name": None}, {"rows": {}}, True])
def test_fields_of_another_type_cost_nothing_else(junk: Any) -> None:
    drug = Drug(name="drugazole")
    hit = {"chembl": {"pref_name": "DRUGAZOLE", "drug_mechanisms": junk}, "drugcentral": junk}
    more = {"unii": {"display_name": "Drugazole", "unii": "U0"}, "ndc": junk}
    facts = read_mychem(as_bytes({"hits": [hit | more, junk]}), drug, DAY).facts
    assert facts.identity
    entry = {"name": "Drugazole", "indications": junk, "mechanismsOfAction": {"rows": junk}}
    read_open_targets(as_bytes({"data": {"search": {"hits": [{"object": entry}]}}}), drug, DAY)
    label = {"set_id": "s0", "openfda": {"generic_name": ["drugazole"]}, "boxed_warning": junk}
    read_labels(as_bytes({"results": [junk, label]}), drug, DAY)
    read_relations(as_bytes([junk]), drug, DAY)


def test_renamed_fields_are_told() -> None:
    drug = Drug(name="drugazole")
    hit = {"chembl": {"pref_name": "DRUGAZOLE", "mechanisms_renamed": [{"target": "X"}]}}
    assert "none of the fields" in read_mychem(as_bytes({"hits": [hit]}), drug, DAY).skipped[0]
    entry = {"name": "DRUGAZOLE", "moa": {"rows": []}}
    found = read_open_targets(
        as_bytes({"data": {"search": {"hits": [{"object": entry}]}}}), drug, DAY
    )
    assert "none of the fields" in found.skipped[0]
    rows = as_bytes([{"kind": "treat", "a": "@CHEMICAL_Drugazole", "b": "@DISEASE_Testitis"}])
    assert read_relations(rows, drug, DAY).skipped == ("1 relations could not be read",)


def test_salts_by_the_hierarchy_of_chembl() -> None:
    own = {"chembl": {"pref_name": "DRUGAZOLE", "molecule_chembl_id": "CHEMBL01"}}
    salt = {
        "chembl": {
            "pref_name": "ZOLUMIDE",
            "molecule_chembl_id": "CHEMBL02",
            "molecule_hierarchy": {"parent_chembl_id": "CHEMBL01"},
            "drug_mechanisms": {"action_type": "antagonist", "target_name": "Made receptor"},
        }
    }
    facts = mychem("drugazole", as_bytes({"hits": [salt, own]}))
    assert [(t.target, t.action_type, t.form) for t in facts.targets] == [
        ("Made receptor", "ANTAGONIST", "ZOLUMIDE")
    ]


@pytest.mark.parametrize(
    ("written", "form"),
    [
        ("DRUGAZOLE", ""),
        ("Drugazole Hydrochloride", "hydrochloride"),
        ("drugazole sodium anhydrous", "sodium anhydrous"),
        ("drugazole and otherol", None),
        ("drugazole, otherol", None),
        ("drugazole alcohol", None),
        ("metadrugazole", None),
    ],
)
def test_a_salt_is_told_from_another_substance(written: str, form: str | None) -> None:
    assert is_form_of(written, ["Drugazole"]) == form
