"""Conditions as users write them, and what lies above and below them."""

from __future__ import annotations

import pytest

from deepcritical.vocabulary.classes import drug_class, find_classes
from deepcritical.vocabulary.conditions import (
    condition_named,
    condition_names,
    find_conditions,
    is_kind_of,
)
from deepcritical.vocabulary.nearest import near_condition, near_drug, offers


def found(text: str) -> list[tuple[str, str]]:
    mentions = find_conditions(text, any_case=True)
    return [(m.condition.name, m.condition.mesh_id) for m in mentions]


@pytest.mark.parametrize(
    ("text", "name", "mesh_id"),
    [
        ("als", "Amyotrophic Lateral Sclerosis", "D000690"),
        ("Lou Gehrig's disease", "Amyotrophic Lateral Sclerosis", "D000690"),
        ("COPD", "Chronic Obstructive Pulmonary Disease", "D029424"),
        ("type 2 diabetes", "Type 2 Diabetes Mellitus", "D003924"),
        ("heart attack", "Myocardial Infarction", "D009203"),
        ("breast cancer", "Breast Neoplasms", "D001943"),
        ("heart failure", "Heart Failure", "D006333"),
        ("stroke", "Stroke", "D020521"),
        ("Parkinsons", "Parkinson Disease", "D010300"),
        ("anaemia", "Anemia", "D000740"),
        ("vascular dementia", "Vascular Dementia", "D015140"),
        ("asthmatics", "Asthma", "D001249"),
        ("cirrhotic patients", "Liver Cirrhosis", "D008103"),
        ("cancer of the prostate", "Prostatic Neoplasms", "D011471"),
        ("generalised anxiety disorder", "Generalized Anxiety Disorder", "D000098647"),
    ],
)
def test_a_condition_is_known_as_users_write_it(text: str, name: str, mesh_id: str) -> None:
    assert found(f"metformin for {text}") == [(name, mesh_id)]


def test_the_longest_name_wins_and_one_within_another_are_two() -> None:
    assert [name for name, _ in found("agitation in dementia")] == [
        "Psychomotor Agitation",
        "Dementia",
    ]


def test_an_abbreviation_is_decided_by_the_words_beside_it() -> None:
    _, skin = find_conditions("Does dupilumab relieve itch of the skin in AD?")
    assert (skin.condition.name, skin.others) == ("Atopic Dermatitis", ())
    (plain,) = find_conditions("metformin in AD")
    assert plain.condition.name == "Alzheimer Disease"
    assert [other.name for other in plain.others] == ["Atopic Dermatitis"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("IS METFORMIN ANY GOOD FOR ALL OF IT AS WELL AS PCOS", ["Polycystic Ovary Syndrome"]),
        ("blinatumomab in ALL", ["Precursor Cell Lymphoblastic Leukemia-Lymphoma"]),
        ("how many visits to the ED after triage", []),
        ("sildenafil for ED", ["Erectile Dysfunction"]),
        ("settle in a castle with a canvas", []),
        ("ointment for burns", ["Burns"]),
        ("do saunas burn fat", []),
        ("K. pneumoniae and E. coli infections", ["Escherichia coli Infections"]),
        ("psychoses and stenoses", ["Psychotic Disorders", "Pathologic Constriction"]),
    ],
)
def test_capitals_plurals_and_organisms(text: str, names: list[str]) -> None:
    assert [name for name, _ in found(text)] == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("heart failure with a preserved ejection fraction", ["Preserved Ejection Fraction"]),
        ("preserved-EF heart failure", ["Preserved Ejection Fraction"]),
        ("metastases in the brain", ["Brain metastases"]),
        ("cancer in liver disease", ["Neoplasms", "Liver Diseases"]),
        ("a fracture in multiple myeloma", ["Bone Fractures", "Multiple Myeloma"]),
        ("pain in cancer", ["Pain", "Neoplasms"]),
        ("adrenal insuff", ["Adrenal Insufficiency"]),
        ("wt gain and anal ca", ["Weight Gain", "Anus Neoplasms"]),
        ("low Ca", []),
        ("AKs treated by cryotherapy", ["Actinic Keratosis"]),
        ("hypoparathyroid people", ["Hypoparathyroidism"]),
        ("SI in MDD", ["Suicidal Ideation", "Major Depressive Disorder"]),
        ("SI units", []),
        ("high BP", []),
    ],
)
def test_what_users_shorten(text: str, names: list[str]) -> None:
    assert [name.removeprefix("Heart Failure, ") for name, _ in found(text)] == names


def test_an_acronym_in_a_record_is_written_in_capitals() -> None:
    assert not find_conditions("the als of the wing")
    assert not find_conditions("It aids in all of it.", any_case=True)


def test_a_child_lies_below_its_parents_by_tree_and_by_ontology() -> None:
    vascular, dementia = condition_named("vascular dementia"), condition_named("dementia")
    assert vascular
    assert dementia
    assert is_kind_of(vascular, dementia)
    assert not is_kind_of(dementia, vascular)


def test_a_class_knows_its_members() -> None:
    statins = drug_class("statin")
    assert statins
    assert statins.name == "statins"
    assert {"atorvastatin", "simvastatin"} <= set(statins.members)
    assert drug_class("SGLT2i") == drug_class("gliflozins")
    assert drug_class("is") is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("anti-epileptic drugs", "anticonvulsants"),
        ("water pills", "diuretics"),
        ("ACE-I", "ACE inhibitors"),
        ("clot busters", "thrombolytics"),
    ],
)
def test_a_class_is_known_in_other_words(text: str, name: str) -> None:
    assert [m.group.name for m in find_classes(f"Do {text} help?")] == [name]


@pytest.mark.parametrize(
    ("group", "member", "other"),
    [
        ("beta blockers", "timolol", "stanozolol"),
        ("P2Y12 inhibitors", "prasugrel", "ozagrel"),
        ("antibody-drug conjugates", "brentuximab vedotin", "exatecan"),
        ("antiandrogens", "flutamide", "aceglutamide"),
        ("long-acting beta agonists", "salmeterol", "albuterol"),
        ("long-acting muscarinic antagonists", "umeclidinium", "ipratropium"),
        ("prostacyclin analogues", "treprostinil", "latanoprost"),
        ("JAK inhibitors", "ruxolitinib", "imatinib"),
    ],
)
def test_a_stem_alone_makes_no_member(group: str, member: str, other: str) -> None:
    known = drug_class(group)
    assert known is not None
    assert member in known.members
    assert other not in known.members


def test_a_short_class_is_written_in_capitals() -> None:
    assert [m.text for m in find_classes("AIs, or is it art?")] == ["AIs"]
    assert not find_classes("IS ART A HELP", shouted=True)
    assert not find_classes("EDS")


def test_a_slip_is_put_right_and_another_word_is_not() -> None:
    assert near_drug("doxycyline") == ("doxycycline", 1)
    assert near_condition("hidradenitis supurativa") == ("hidradenitis suppurativa", 1)
    assert near_condition("athsma") == ("asthma", 2)
    assert near_drug("examplol") is None
    assert "metformin" in offers("metforminol")


def test_a_word_of_english_is_no_condition() -> None:
    for word in ("slow down", "bring down", "a boil", "corn", "hers"):
        assert not find_conditions(f"Does metformin {word} it?", any_case=True), word


def test_no_condition_lies_above_itself() -> None:
    asthma = condition_named("asthma")
    assert asthma
    for name in condition_names():
        known = condition_named(name)
        assert known
        assert is_kind_of(known, asthma) in {True, False}
