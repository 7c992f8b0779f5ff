"""Labels and other curated facts in a brief, over made-up ones."""

from __future__ import annotations

import pytest

from deepcritical.domain.evidence.drug_facts import (
    DrugFacts,
    DrugLabel,
    Indication,
    LabelSection,
    Origin,
    PharmacologicalClass,
    SectionKey,
    fact_records,
)
from deepcritical.domain.question.frame import Condition, Drug
from deepcritical.domain.text.spans import locate_quote
from deepcritical.vocabulary.conditions import condition_named
from deepcritical.writing.sections.label_facts import Asked, FactsTold, facts_told


def condition(name: str) -> Condition:
    """One of the vocabulary."""
    known = condition_named(name)
    assert known
    return Condition(name=known.name, names=(name, *known.names), mesh_id=known.mesh_id)


DEMENTIA, ASTHMA, DIABETES = map(condition, ("dementia", "asthma", "diabetes mellitus"))
BOXED = (
    "WARNING: INCREASED MORTALITY. Elderly patients with dementia-related psychosis treated with "
    "drugazole are at an increased risk of death. Fever was seen in children."
)


def origin(source: str, url: str = "https://example.org/") -> Origin:
    return Origin(source=source, licence="made up", url=url, retrieved="2999-01-02")


def label(drug: str = "drugazole", others: tuple[str, ...] = (), **sections: str) -> DrugLabel:
    keyed: dict[SectionKey, str] = sections  # type: ignore[assignment]
    return DrugLabel(
        origin=origin("openFDA labels", f"https://example.org/{drug}"),
        set_id=drug,
        products=(drug.upper(),),
        generics=(drug, *others),
        others=others,
        sections=tuple(LabelSection(key=key, text=text) for key, text in keyed.items()),
    )


def facts(*labels: DrugLabel, **more: tuple[object, ...]) -> DrugFacts:
    return DrugFacts(drug="drugazole", labels=labels).model_copy(update=more)


def told(one: DrugFacts, *others: DrugFacts, asked: Asked) -> FactsTold:
    """The sentences; every quote behind them stands in the record that they cite."""
    found = facts_told([one, *others], asked)
    records = fact_records([one, *others])
    for finding in found.findings:
        (key,) = finding.evidence_ids
        (quote,) = finding.quotes
        assert locate_quote(quote, records[key].content)
        assert quote.rstrip(".") in finding.sentence
    return found


def texts(found: FactsTold) -> list[str]:
    return [sentence.text for sentence in (*found.licensed, *found.label)]


def test_a_boxed_warning_names_the_people_asked_about() -> None:
    found = told(facts(label(boxed_warning=BOXED)), asked=Asked(DEMENTIA, ("older adults",), ()))
    assert texts(found) == [
        "Boxed warning in the label of DRUGAZOLE, in part: “Elderly patients with "
        "dementia-related psychosis treated with drugazole are at an increased risk of death”."
    ]
    others = told(facts(label(boxed_warning=BOXED)), asked=Asked(ASTHMA, ("children",), ()))
    assert texts(others) == [
        "Boxed warning in the label of DRUGAZOLE, in part: “Fever was seen in children”."
    ]


def test_a_boxed_warning_that_names_neither_is_told_by_its_first_sentence() -> None:
    found = told(facts(label(boxed_warning=BOXED)), asked=Asked(ASTHMA))
    assert texts(found) == [
        "Boxed warning in the label of DRUGAZOLE, in part: “WARNING: INCREASED MORTALITY”."
    ]


@pytest.mark.parametrize(
    ("uses", "licensed"),
    [
        ("Drugazole is indicated for the treatment of asthma.", "this condition"),
        ("Drugazole is indicated for the maintenance treatment of bronchial asthma.", "this"),
        ("Drugazole is not indicated for the treatment of asthma.", ""),
        ("Drugazole is indicated for gout. It has been tried in asthma.", ""),
        ("Drugazole is indicated for cough caused by asthma.", ""),
        ("Drugazole is indicated for hypertension.", ""),
        ("", ""),
    ],
)
def test_licensed_is_what_the_label_says_and_no_more(uses: str, licensed: str) -> None:
    sections = {"indications_and_usage": uses} if uses else {"warnings": "Made up."}
    found = told(facts(label("drugazole", (), **sections)), asked=Asked(ASTHMA))
    assert bool(found.licensed) is bool(licensed)
    assert all(f"Licensed for {licensed}" in one.text for one in found.licensed)


def test_a_narrower_condition_is_a_form_of_the_one_asked() -> None:
    uses = "Drugazole is indicated for the treatment of adults with type 2 diabetes."
    found = told(facts(label(indications_and_usage=uses)), asked=Asked(DIABETES))
    assert found.licensed[0].text.startswith(
        "Licensed for a form or complication of this condition: the label of"
    )


def test_a_broader_condition_is_no_licence() -> None:
    narrow = Condition(name="Diabetes Mellitus, Type 2", names=("type 2 diabetes",))
    uses = "Drugazole is indicated for the treatment of diabetes mellitus."
    assert not told(facts(label(indications_and_usage=uses)), asked=Asked(narrow)).licensed


def test_a_source_that_lists_it_is_cited_where_no_label_says_so() -> None:
    listed = Indication(origin=origin("DrugCentral"), condition="Asthma", approved=True)
    tried = Indication(origin=origin("Open Targets"), condition="Asthma", stage="PHASE_2")
    found = told(facts(indications=(tried, listed)), asked=Asked(ASTHMA))
    assert texts(found) == [
        "Approved for this condition, now or once: DrugCentral lists for drugazole: “Approved "
        "indication: Asthma”."
    ]
    assert not told(facts(indications=(tried,)), asked=Asked(ASTHMA)).licensed


@pytest.mark.parametrize("name", [f"MESH:{ASTHMA.mesh_id}", f"MESH_{ASTHMA.mesh_id}"])
def test_an_indication_is_matched_by_its_mesh_id(name: str) -> None:
    listed = Indication(
        origin=origin("Made source"), condition="wheezing disorder", ids=(name,), approved=True
    )
    assert told(facts(indications=(listed,)), asked=Asked(ASTHMA)).licensed


def test_an_unapproved_product_licenses_nothing() -> None:
    own = label(indications_and_usage="Drugazole 30C is indicated for asthma.", warnings="Made.")
    assert told(facts(own), asked=Asked(ASTHMA)).licensed
    assert not told(facts(own.model_copy(update={"approved": False})), asked=Asked(ASTHMA)).licensed


def test_a_warning_of_any_product_is_told_and_whole_only_where_it_is() -> None:
    mild, strict = label(warnings="Made up."), label(contraindications="Asthma.")
    strict = strict.model_copy(update={"origin": origin("openFDA labels", "https://example.org/2")})
    assert texts(told(facts(mild, strict), asked=Asked(ASTHMA))) == [
        "Contraindications in the label of DRUGAZOLE: “Asthma”."
    ]


def test_two_drugs_of_a_question_interact_as_either_label_tells() -> None:
    one = label(drug_interactions="Otherol doubles drugazole. Grapefruit juice does not.")
    two = label("otherol", contraindications="Do not give with Drugazole. None else.")
    asked = Asked(None, (), (Drug(name="drugazole"), Drug(name="otherol")))
    other = DrugFacts(drug="otherol", labels=(two,))
    assert texts(told(facts(one), other, asked=asked)) == [
        "Interactions in the label of DRUGAZOLE: “Otherol doubles drugazole”.",
        "Interactions in the label of OTHEROL: “Do not give with Drugazole”.",
    ]


def test_what_a_product_of_several_substances_warns_of_is_not_the_drugs() -> None:
    both = label(others=("otherol",), boxed_warning=BOXED)
    assert not told(facts(both), asked=Asked(DEMENTIA)).findings


def test_the_class_is_that_of_the_fda() -> None:
    made = origin("FDA (NDC, UNII)")
    classes = (
        PharmacologicalClass(origin=made, name="Made Interactions", kind="MoA"),
        PharmacologicalClass(origin=made, name="Made Inhibitor", kind="EPC"),
    )
    assert texts(told(facts(classes=classes), asked=Asked(None))) == [
        "Class of drugazole in FDA (NDC, UNII): “Established pharmacologic class: Made Inhibitor”."
    ]


def test_nothing_known_says_nothing() -> None:
    assert told(facts(), asked=Asked(ASTHMA)) == FactsTold()
