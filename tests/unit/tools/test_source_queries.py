"""Names of a question become blocks of a query, with the filters that go with them."""

from __future__ import annotations

import pytest

from deepcritical.domain.question.frame import Condition, Drug
from deepcritical.domain.question.question import SearchBlock
from deepcritical.domain.text.spans import fold
from deepcritical.questions.forms import research_question
from deepcritical.questions.naming import as_condition
from deepcritical.questions.reading import read_frame
from deepcritical.questions.searching import search_sides
from deepcritical.tools.base import SourceQuery
from deepcritical.tools.concepts import (
    BROADLY,
    MAX_MEMBERS,
    condition_concept,
    drug_concept,
    truncated,
)
from deepcritical.tools.europepmc.source import europepmc_query
from deepcritical.tools.pubmed.source import pubmed_term
from deepcritical.tools.query_utils import trial_params
from deepcritical.vocabulary.classes import class_names, drug_class, known_members
from deepcritical.vocabulary.conditions import broader_conditions, condition_named
from deepcritical.vocabulary.drugs import generic_names, lookup_drug

DRUG = Drug(name="drugazole", synonyms=("brandopam", "drugazole sodium", "zolagen", "aabrand"))


def asked(**fields: object) -> SourceQuery:
    return SourceQuery.model_validate({"text": "anything", "drug": DRUG, **fields})


def known(name: str) -> Condition:
    found = condition_named(name)
    assert found
    return as_condition(found, name)


def test_brands_of_a_known_drug_are_not_searched() -> None:
    found = lookup_drug("acetaminophen")
    names = drug_concept(Drug(name=found.name, synonyms=found.synonyms)).names
    assert names[:2] == ("acetaminophen", "paracetamol")
    assert not {"acamol", "panadol", "tylenol"} & set(names)


def test_an_unknown_name_has_no_generic_names() -> None:
    assert generic_names("drugazole") == ()


def test_few_names_of_an_unknown_drug_are_searched_in_their_order() -> None:
    assert drug_concept(DRUG).names == ("drugazole", "brandopam", "zolagen", "aabrand")


@pytest.mark.parametrize("name", sorted(class_names())[:60])
def test_a_class_is_searched_by_its_members(name: str) -> None:
    group = drug_class(name)
    assert group
    names = drug_concept(Drug(name=name)).names
    assert names[0] == name
    # A name that has another one in it adds nothing.
    searched = [f" {fold(one)} " for one in names]
    members = [f" {fold(member)} " for member in known_members(group)[:MAX_MEMBERS]]
    assert all(any(one in member for one in searched) for member in members)


def test_reviews_and_trials_are_sought_on_the_classes_of_a_drug_too() -> None:
    names = {"drug": Drug(name="risperidone"), "condition": known("delirium")}
    for block in SearchBlock:
        of_class = "antipsychotic*[tiab]" in pubmed_term(asked(**names, block=block))
        assert of_class == (block in BROADLY)


def test_reviews_and_trials_are_sought_on_the_condition_above_too() -> None:
    of = {"condition": known("Alzheimer's disease")}
    for block in SearchBlock:
        above = "dementia*[tiab]" in pubmed_term(asked(**of, block=block))
        assert above == (block in BROADLY)
    heart_failure = condition_named("heart failure")
    assert heart_failure
    assert broader_conditions(heart_failure) == ()


def test_a_drug_is_searched_under_the_name_in_the_question_too() -> None:
    drug = read_frame("Does rapamycin slow ageing?").drugs[0]
    assert drug_concept(drug).names == ("sirolimus", "rapamycin")


def test_everyday_names_are_searched_beside_shorthand() -> None:
    term = pubmed_term(asked(condition=known("early breast cancer")))
    assert '"breast cancer*"[tiab]' in term
    assert "+" not in term


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("breast tumors", "breast tumor*"),
        ("colorectal malignancy", "colorectal malignanc*"),
        ("cardiomyopathies", "cardiomyopath*"),
        ("viral myocarditis", "viral myocardit*"),
        ("hair loss", "hair loss*"),
        ("cholinesterase inhibitors", "cholinesterase inhibit*"),
        ("scabies", "scabies"),
        ("long QT", "long QT"),
        ("agitation", "agitation"),
    ],
)
def test_a_phrase_is_truncated_so_that_it_finds_singular_and_plural(name: str, found: str) -> None:
    assert truncated(name) == found


def test_a_harm_that_is_an_outcome_is_sought_in_whoever_takes_the_drug() -> None:
    question = research_question(read_frame("Do antipsychotics increase mortality in dementia?"))
    harms = [
        q for q in search_sides(question, ()) if q.condition and q.condition.name == "mortality"
    ]
    assert [(q.drug, q.within) for q in harms] == [(question.drug, None)]


def test_a_registry_is_asked_for_the_disease_of_those_studied_too() -> None:
    question = research_question(read_frame("Does apixaban prevent stroke in atrial fibrillation?"))
    (query, *_) = search_sides(question, ())
    conditions = trial_params(SourceQuery(**dict(query)))["query.cond"]
    assert {'"stroke"', '"Atrial Fibrillation"'} <= set(conditions.split(" OR "))


def test_a_heading_is_searched_as_one_only_where_its_id_is_known() -> None:
    assert '"Heart Failure"[Mesh]' in pubmed_term(asked(condition=known("heart failure")))
    assert "[Mesh]" not in pubmed_term(asked(condition=Condition(name="testitis", known=False)))


def test_a_name_without_a_heading_is_left_to_pubmed_to_map() -> None:
    term = pubmed_term(asked(condition=Condition(name="long testitis", known=False)))
    assert '((long testitis) OR "long testit*"[tiab])' in term


def test_a_name_with_an_operator_is_not_left_to_pubmed() -> None:
    term = pubmed_term(asked(condition=Condition(name="pain and testitis", known=False)))
    assert '("pain and testit*"[tiab])' in term


def test_a_disease_called_after_a_person_is_found_with_and_without_the_s() -> None:
    concept = condition_concept(known("Parkinson's disease"))
    assert "parkinson" in concept.stems
    assert "parkinson*[tiab]" in pubmed_term(asked(condition=known("Parkinson's disease")))


@pytest.mark.parametrize(
    ("block", "pubmed", "europepmc"),
    [
        (SearchBlock.TRIALS, "NOT (animals[mh] NOT humans[mh])", 'PUB_TYPE:"Randomized'),
        (SearchBlock.REVIEWS, "systematic[sb]", 'PUB_TYPE:"systematic-review"'),
        (SearchBlock.OBSERVATIONAL, '"observational study"[pt]', "PUB_TYPE"),
        (SearchBlock.HARMS, '"adverse effects"[sh]', 'TITLE_ABS:"adverse events"'),
        (SearchBlock.MECHANISM, "pathway*[tiab]", 'TITLE_ABS:"pathway"'),
        (SearchBlock.RECENT, "NOT medline[sb]", 'SRC:"PPR"'),
    ],
)
def test_each_kind_of_evidence_has_its_filter(
    block: SearchBlock, pubmed: str, europepmc: str
) -> None:
    query = asked(block=block)
    assert pubmed in pubmed_term(query)
    assert europepmc in europepmc_query(query)
    assert pubmed not in pubmed_term(asked())


def test_europe_pmc_is_asked_for_citations_in_both_directions() -> None:
    query = europepmc_query(asked(linked_to=("11", "12"), block=SearchBlock.CITATIONS))
    links = "(CITES:11_med OR REFFED_BY:11_med OR CITES:12_med OR REFFED_BY:12_med)"
    assert query.startswith(f"{links} AND (")
    assert 'TITLE_ABS:"drugazole"' in query


@pytest.mark.parametrize(
    ("text", "found", "left_out"),
    [
        ("Does allopurinol or febuxostat prevent kidney stones?", "febuxostat", " or "),
        ("Do SSRIs (sertraline, citalopram) help in panic?", "sertraline", "paroxetine"),
        ("Do SSRIs help in panic?", "paroxetine", "bupropion"),
        ("Does suvorexant (MK-4305) help in insomnia?", "MK-4305", "belsomra"),
    ],
)
def test_the_drugs_that_a_question_lists_are_searched(text: str, found: str, left_out: str) -> None:
    names = drug_concept(read_frame(text).drugs[0]).names
    assert found in names
    assert not any(left_out in name for name in names)


@pytest.mark.parametrize(
    ("text", "searched"),
    [
        ("Do benzodiazepines shorten delirium in patients with pneumonia?", ["Pneumonia"]),
        ("Do benzodiazepines worsen delirium in patients with pneumonia?", []),
        (
            "Does melatonin help insomnia in people with asthma or psoriasis?",
            ["Asthma", "Psoriasis"],
        ),
        ("Does insulin prevent diabetic retinopathy in diabetics?", []),
        ("Does aspirin prevent stroke?", []),
    ],
)
def test_the_disease_of_those_studied_is_searched_beside_what_is_treated(
    text: str, searched: list[str]
) -> None:
    query = search_sides(research_question(read_frame(text)), ())[0]
    within = query.within.each if query.within else ()
    assert [one.name for one in within] == searched
    term = pubmed_term(SourceQuery(**dict(query)))
    assert all(f'OR "{name}"[Mesh]' in term for name in searched)


def test_an_adjective_and_names_joined_in_one_are_found_too() -> None:
    assert "cognit*[tiab]" in pubmed_term(asked(condition=Condition(name="cognition", names=())))
    joined = pubmed_term(asked(condition=known("Parkinson disease dementia")))
    assert '("Parkinson Disease"[Mesh]' in joined
    assert ') AND ("Dementia"[Mesh]' in joined


def test_members_of_a_class_have_their_names_of_other_countries() -> None:
    names = drug_concept(Drug(name="opioids")).names
    assert {"meperidine", "pethidine"} <= set(names)


@pytest.mark.parametrize(
    ("name", "generic", "left_out"),
    [
        ("epinephrine", "adrenaline", "epinephrin"),
        ("norethindrone", "norethisterone", "micronor"),
        ("clozapine", "", "clozapin"),
    ],
)
def test_a_name_that_has_a_salt_is_generic_and_the_german_one_is_left_out(
    name: str, generic: str, left_out: str
) -> None:
    assert generic in ("", *generic_names(name))
    assert left_out not in generic_names(name)


def test_a_named_harm_must_occur() -> None:
    text = "Does levetiracetam cause irritability in people with epilepsy?"
    queries = search_sides(research_question(read_frame(text)), ())
    assert [query.within for query in queries if query.within] == []


def test_two_drugs_are_enough_where_no_harm_is_named() -> None:
    text = "Is warfarin safe with cranberry juice?"
    queries = search_sides(research_question(read_frame(text)), ())
    (both,) = [query for query in queries if query.terms == ('"cranberry"',)]
    assert both.condition is None
    assert pubmed_term(SourceQuery(**dict(both))).endswith(' AND ("cranberry")')


def test_another_class_is_searched_by_its_members() -> None:
    text = "Are beta-lactams or macrolides better for diphtheria?"
    queries = search_sides(research_question(read_frame(text)), ())
    (beside,) = [query.terms for query in queries if "macrolide*" in query.terms]
    assert '"erythromycin"' in beside


def test_headings_turned_round_are_searched_in_the_order_of_speech() -> None:
    query = asked(condition=known("constipation"), block=SearchBlock.REVIEWS)
    assert '"Digestive Signs and Symptom*"[tiab]' in pubmed_term(query)
    assert ", Digestive" not in pubmed_term(query)


@pytest.mark.parametrize("name", ["psoriasis", "breast cancer", "cirrhosis", "type 2 diabetes"])
def test_plurals_keep_their_s(name: str) -> None:
    words = " ".join(condition_concept(known(name)).names).split()
    assert not {"psoriase", "malignancie", "cirrhose", "diabete"} & set(words)
