"""Names in a question, and the conditions among them that it asks about."""

from __future__ import annotations

import pytest

from deepcritical.appraisal.pico.people import names_condition
from deepcritical.domain.question.frame import QuestionKind
from deepcritical.questions.classifying import CONDITION_ROLES, DRUG_ROLES
from deepcritical.questions.forms import research_question
from deepcritical.questions.naming import as_condition, find_names
from deepcritical.questions.reading import read_frame
from deepcritical.questions.roles import roles_of
from deepcritical.questions.searching import search_sides
from deepcritical.tools.base import SourceQuery
from deepcritical.tools.pubmed.source import pubmed_term
from deepcritical.vocabulary.conditions import find_conditions


@pytest.mark.parametrize(
    ("text", "condition", "population"),
    [
        (
            "Does aspirin prevent colorectal cancer in people with Lynch syndrome?",
            "colorectal cancer",
            ("Hereditary Nonpolyposis Colorectal Neoplasms",),
        ),
        ("citalopram for agitation in dementia", "agitation", ("Dementia",)),
        ("donepezil for vascular dementia", "vascular dementia", ()),
        ("fenofibrate for retinopathy in diabetics", "retinopathy", ("Diabetes Mellitus",)),
        ("sertraline for depression in patients with asthma", "depression", ("Asthma",)),
        ("modafinil for MS fatigue", "fatigue", ("Multiple Sclerosis",)),
        (
            "Does mirtazapine relieve pruritus and insomnia in people with lymphoma?",
            "pruritus and insomnia",
            ("Lymphoma",),
        ),
        (
            "ketamine for anxiety, insomnia and other depressive symptoms of dementia",
            "anxiety, insomnia and depressive symptoms",
            ("Dementia",),
        ),
        ("Does colchicine help in gout or pericarditis?", "gout and pericarditis", ()),
        ("Does aspirin help people with stroke or migraine?", "stroke and migraine", ()),
        ("zinc for gout in Japanese people", "gout", ("Asian people",)),
        ("zinc for gout in people admitted to hospital", "gout", ("inpatients",)),
        ("zinc in gout outpts", "gout", ("outpatients",)),
        (
            "My baby has a hemangioma. Does zinc help in infantile hemangioma?",
            "infantile hemangioma",
            ("children",),
        ),
        ("HCQ + MMF + AZA in AS", "Ankylosing Spondylitis", ()),
        ("DOES COLCHICINE PREVENT STROKE IN AF", "Stroke", ("Atrial Fibrillation",)),
        ("DOES ASPIRIN HELP WITH IT IN ALL ADULTS WITH GOUT", "Gout", ()),
    ],
)
def test_what_is_asked_and_who_is_studied(
    text: str, condition: str, population: tuple[str, ...]
) -> None:
    roles = roles_of(find_names(text))
    assert roles.condition
    assert (roles.condition.name, roles.population) == (condition, population)


@pytest.mark.parametrize(
    ("text", "drugs"),
    [
        ("Do vitamin D supplements help in vitamin D deficiency?", ["vitamin d"]),
        ("infliximab in steroid-refractory colitis", ["infliximab"]),
        ("hpv vaccination for warts", ["hpv vaccine"]),
        ("Do vaccinations help?", ["vaccines"]),
        ("Does VX-548 relieve pain?", ["suzetrigine"]),
        ("Does ABC-1234 relieve pain?", ["ABC-1234"]),
        ("paracetamol overdose", []),
        ("Does adding zinc to methotrexate and sulfasalazine help in gout?", ["zinc"]),
        ("Does vitamin K help in osteoporosis?", ["vitamin k"]),
        ("Do vitamins help in fatigue?", ["vitamins"]),
        ("ifn-gamma for tuberculosis", ["interferon gamma"]),
        ("Does interferon help in melanoma?", ["interferons"]),
        ("insulin-sensitising agents in infertility", ["insulin sensitizers"]),
        ("dpp4 inhibitors in psoriasis", ["DPP-4 inhibitors"]),
        ("What causes antibiotic resistance?", []),
        ("SSRI antidepressants for premature ejaculation", ["SSRIs"]),
        ("AZA + MTX + HCQ in uveitis", ["azathioprine", "methotrexate", "hydroxychloroquine"]),
        (
            "LABA + LAMA in asthma",
            ["long-acting beta agonists", "long-acting muscarinic antagonists"],
        ),
    ],
)
def test_the_drugs_of_a_question(text: str, drugs: list[str]) -> None:
    assert [d.drug.name for d in find_names(text).drugs] == drugs


def test_an_ordinary_word_is_not_unknown() -> None:
    text = "Didn't perioperative physiotherapy reduce women's hospitalisation online?"
    assert find_names(text).unknown == ()


def test_a_slip_is_told_as_it_is_written() -> None:
    names = find_names("metformin for diabtes")
    assert names.notices == ('"diabtes" was read as diabetes.',)
    assert names.conditions[0].condition.name == "Diabetes Mellitus"


def test_a_persons_name_is_no_slip() -> None:
    assert find_names("what did Nicola and Hanson say").conditions == ()


@pytest.mark.parametrize(
    ("text", "condition", "harm"),
    [
        ("Does isotretinoin cause Crohn's disease?", None, "Crohn's disease"),
        ("isotretinoin Crohn's disease risk", None, "Crohn's disease"),
        (
            "Does tofacitinib for ulcerative colitis raise the risk of shingles?",
            "ulcerative colitis",
            "shingles",
        ),
        ("Is tofacitinib safe in ulcerative colitis?", "ulcerative colitis", None),
        ("tofacitinib ulcerative colitis side effects", "ulcerative colitis", None),
        ("How common is gout in people who take lithium?", None, "gout"),
        ("Does lithium raise the risk of death in gout?", "gout", None),
        ("What is the prevalence of gout in lithium users?", None, "gout"),
        ("Do people taking PPIs get more gout?", None, "gout"),
        ("Do women on tamoxifen have more gout?", None, "gout"),
        ("incidence of gout in PPI-treated patients", None, "gout"),
    ],
)
def test_a_harm_is_no_condition_that_is_treated(
    text: str, condition: str | None, harm: str | None
) -> None:
    frame = read_frame(text)
    assert frame.kind is QuestionKind.SAFETY
    told = (frame.condition and frame.condition.name, frame.harm and frame.harm.name)
    assert told == (condition, harm)


def test_harms_side_by_side_are_one_question() -> None:
    frame = read_frame("Does liraglutide cause nausea and vomiting?")
    assert (frame.condition, frame.harm and frame.harm.name) == (None, "nausea and vomiting")


def test_each_of_several_conditions_counts_and_is_searched() -> None:
    question = research_question(read_frame("Does colchicine help in gout or pericarditis?"))
    assert question.condition
    assert names_condition(["acute pericarditis"], question.condition)
    assert names_condition(["gouty arthritis"], question.condition)
    term = pubmed_term(SourceQuery(**dict(search_sides(question, ())[0])))
    assert '"Gout"[Mesh]' in term
    assert 'OR "Pericarditis"[Mesh]' in term


def test_less_of_a_disease_in_those_who_take_a_drug_is_no_harm() -> None:
    frame = read_frame("Is the risk of gout lower in people taking lithium?")
    assert (frame.kind, frame.condition and frame.condition.name) == (QuestionKind.EFFICACY, "gout")


def test_a_disease_that_is_named_again_in_general_is_the_disease() -> None:
    frame = read_frame("Mum has ovarian cancer and takes olaparib. How does it kill her cancer?")
    assert frame.condition
    assert frame.condition.name == "ovarian cancer"


def test_a_condition_in_plain_words_is_searched() -> None:
    frame = read_frame("Does curcumin help in sore knee disorder?")
    assert frame.condition
    assert (frame.condition.name, frame.condition.known) == ("sore knee disorder", False)


def test_drugs_of_a_class_may_be_asked_for() -> None:
    assert read_frame("which antivirals help in influenza").kind is QuestionKind.CANDIDATES


@pytest.mark.parametrize(
    ("text", "drugs", "condition", "population"),
    [
        (
            "Do probiotics prevent antibiotic-associated diarrhoea?",
            ["probiotics"],
            "antibiotic-associated diarrhoea",
            (),
        ),
        (
            "amantadine for levodopa induced dyskinesia",
            ["amantadine"],
            "levodopa induced dyskinesia",
            (),
        ),
        (
            "Does rituximab help in ANCA-associated vasculitis?",
            ["rituximab"],
            "ANCA-associated vasculitis",
            (),
        ),
    ],
)
def test_what_brought_a_condition_is_part_of_its_name(
    text: str, drugs: list[str], condition: str, population: tuple[str, ...]
) -> None:
    frame = read_frame(text)
    assert frame.condition
    assert [drug.name for drug in frame.drugs] == drugs
    assert (frame.condition.name, frame.population) == (condition, population)


def test_the_only_drug_that_is_named_is_asked_about() -> None:
    frame = read_frame("How common is clozapine-induced myocarditis?")
    assert [drug.name for drug in frame.drugs] == ["clozapine"]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Does vitamin D prevent falls in the elderly?", True),
        ("Do mobile seniors have fewer falls with tai chi?", True),
        ("Does metformin help if blood pressure falls?", False),
    ],
)
def test_a_verb_is_told_from_a_condition_by_the_words_beside_it(text: str, named: bool) -> None:
    assert bool(find_names(text).conditions) is named


def test_a_word_within_the_name_of_a_drug_says_nobody_is_studied() -> None:
    assert read_frame("Do aspirin and baby aspirin prevent stroke?").population == ()


def test_roles_that_are_as_probable_have_a_fixed_order() -> None:
    assert isinstance(DRUG_ROLES, tuple)
    assert isinstance(CONDITION_ROLES, tuple)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("lose weight", "obesity"),
        ("losing weight", "obesity"),
        ("quitting smoking", "tobacco use disorder"),
        ("my type 2 diabetes with kidney damage", "type 2 diabetes with kidney damage"),
        ("protecting the ovaries in breast cancer", "protecting the ovaries in breast cancer"),
        ("pcos", "pcos"),
    ],
)
def test_a_condition_is_called_as_it_is_written_but_for_what_somebody_wants(
    written: str, name: str
) -> None:
    found = find_conditions(written, any_case=True)
    named = as_condition(found[0].condition, written)
    assert named.name == name
    assert found[0].condition.name in named.names
