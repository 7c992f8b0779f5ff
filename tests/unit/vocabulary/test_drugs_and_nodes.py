from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from deepcritical.vocabulary.drugs import DrugKind, find_drugs, lookup_drug
from deepcritical.vocabulary.nodes import vocabulary


def names_of(text: str) -> list[str]:
    return [mention.drug.name for mention in find_drugs(text)]


_TARGETS = ("Protein", "GeneFamily", "Pathway")


def nodes_of(text: str, *labels: str) -> list[str]:
    return [mention.node.id for mention in vocabulary().find(text, labels or _TARGETS)]


class TestLookup:
    @pytest.mark.parametrize("name", ["metformin", "Metformin", " METFORMIN ", "Glucophage"])
    def test_a_name_a_spelling_and_a_brand_give_the_canonical_name(self, name: str) -> None:
        drug = lookup_drug(name)
        assert (drug.name, drug.kind, drug.drugbank_id) == ("metformin", DrugKind.DRUG, "DB00331")

    @pytest.mark.parametrize(
        ("one", "other"), [("aspirin", "paracetamol"), ("metformin", "insulin")]
    )
    def test_drugs_of_one_pharmacological_action_stay_apart(self, one: str, other: str) -> None:
        assert lookup_drug(one).name != lookup_drug(other).name

    @pytest.mark.parametrize("name", ["statins", "DPP-4 inhibitors", "thiazolidinediones"])
    def test_a_class_is_no_drug(self, name: str) -> None:
        assert lookup_drug(name).kind is DrugKind.DRUG_CLASS

    @pytest.mark.parametrize(
        "name",
        ["glucagon-like peptide 1", "IL-6", "caspase 3", "insulin receptor", "dopamine", "leptin"],
    )
    def test_a_biological_substance_is_a_target(self, name: str) -> None:
        assert lookup_drug(name).kind is DrugKind.TARGET

    @pytest.mark.parametrize(
        "name",
        ["insulin", "vitamin C", "bortezomib", "goserelin", "trovafloxacin", "artemisinin"],
    )
    def test_a_medicine_of_biological_nature_is_a_drug(self, name: str) -> None:
        assert lookup_drug(name).kind is DrugKind.DRUG

    @pytest.mark.parametrize(
        ("form", "drug"),
        [
            ("raloxifene hydrochloride", "raloxifene"),
            ("nicotine patch", "nicotine"),
            ("taxol", "paclitaxel"),
            ("candesartan cilexetil", "candesartan"),
            ("haloperidol decanoate", "haloperidol"),
        ],
    )
    def test_a_salt_or_form_is_its_drug(self, form: str, drug: str) -> None:
        assert lookup_drug(form) == lookup_drug(drug)

    @pytest.mark.parametrize("name", ["estradiol", "oxytocin", "nicotine", "caffeine", "zinc"])
    def test_a_name_that_the_index_of_the_package_lacks_is_known(self, name: str) -> None:
        drug = lookup_drug(name)
        assert (drug.name, drug.kind) == (name, DrugKind.DRUG)

    def test_greek_letters_are_spelled_out(self) -> None:
        assert lookup_drug("interferon-α") == lookup_drug("interferon-alpha")

    def test_an_unknown_name_is_kept_literally(self) -> None:
        drug = lookup_drug(" Compound XYZ-9 ")
        assert (drug.name, drug.kind, drug.synonyms) == ("Compound XYZ-9", DrugKind.UNKNOWN, ())


class TestSynonyms:
    def test_metformin(self) -> None:
        synonyms = lookup_drug("metformin").synonyms
        assert "glucophage" in synonyms
        assert "metformin hydrochloride" in synonyms
        assert "metformin" not in synonyms
        assert synonyms == tuple(sorted(synonyms))

    def test_an_inverted_form_is_dropped(self) -> None:
        assert not [s for s in lookup_drug("metformin").synonyms if "," in s]

    def test_a_combination_brand_is_dropped(self) -> None:
        assert "trijardy" not in lookup_drug("metformin").synonyms
        assert lookup_drug("trijardy").name != "metformin"

    def test_foreign_spellings_are_dropped(self) -> None:
        assert not {"metformina", "metformine", "metforminum"} & set(
            lookup_drug("metformin").synonyms
        )
        assert all(s.isascii() for s in lookup_drug("aspirin").synonyms)

    def test_an_ordinary_word_is_dropped(self) -> None:
        assert "luminal" not in lookup_drug("phenobarbital").synonyms

    @pytest.mark.parametrize("drug", ["aspirin", "fluorouracil", "sildenafil", "dexamethasone"])
    def test_chemical_and_short_names_are_dropped(self, drug: str) -> None:
        synonyms = lookup_drug(drug).synonyms
        assert all(len(s) >= 4 for s in synonyms)
        assert not [s for s in synonyms if s.startswith(("2-acetoxy", "(", "2r-"))]

    def test_a_useful_name_with_a_locant_stays(self) -> None:
        assert "5-fluorouracil" in lookup_drug("fluorouracil").synonyms


class TestFindDrugs:
    @pytest.mark.parametrize(
        "text",
        [
            "metformin,",
            "(metformin)",
            "metformin's",
            "metformin’s",
            "Metformin/placebo",
            "metformin-treated",
            "metformin\u2011treated",
            "pre-metformin.",
        ],
    )
    def test_punctuation_does_not_hide_a_name(self, text: str) -> None:
        (mention,) = find_drugs(text)
        assert mention.drug.name == "metformin"
        assert mention.text.lower() == "metformin"
        assert text[mention.start : mention.end] == mention.text

    def test_mentions_are_in_order_and_do_not_overlap(self) -> None:
        text = "Insulin detemir plus metformin hydrochloride versus lopinavir/ritonavir."
        mentions = find_drugs(text)
        assert [m.text for m in mentions] == [
            "Insulin detemir",
            "metformin hydrochloride",
            "lopinavir/ritonavir",
        ]

    @pytest.mark.parametrize(
        "text", ["placebo", "water", "oxygen", "glucose", "luminal A", "At 10 days", "beta-2"]
    )
    def test_ordinary_words_are_no_drugs(self, text: str) -> None:
        assert names_of(text) == []

    @pytest.mark.parametrize(
        "text", ["Escherichia coli", "NK cells", "amino acids", "Natural Killer Cell"]
    )
    def test_cells_organisms_and_analytes_are_no_drugs(self, text: str) -> None:
        assert names_of(text) == []

    @pytest.mark.parametrize("text", ["estradiol", "oxytocin", "nicotine"])
    def test_a_medicine_with_a_plain_name_is_found(self, text: str) -> None:
        assert names_of(text) == [text]

    @pytest.mark.parametrize("text", ["BCNU", "L-dopa", "5-FU"])
    def test_an_abbreviation_in_capitals_is_found(self, text: str) -> None:
        assert len(names_of(text)) == 1

    @pytest.mark.parametrize("text", ["insulin resistance", "insulin-like peptides"])
    def test_a_hormone_as_part_of_biology_is_skipped(self, text: str) -> None:
        assert "insulin" not in names_of(text)

    def test_resistance_to_a_medicine_still_names_it(self) -> None:
        assert names_of("bortezomib resistance") == ["bortezomib"]

    def test_two_items_of_a_list_are_no_inverted_name(self) -> None:
        texts = [m.text for m in find_drugs("kinase inhibitors, α-glucosidase inhibitors")]
        assert "inhibitors, α-glucosidase" not in texts

    def test_classes_and_targets_are_labelled(self) -> None:
        text = "Baricitinib and other JAK inhibitors lower IL-6."
        assert [(m.text, m.drug.kind) for m in find_drugs(text)] == [
            ("Baricitinib", DrugKind.DRUG),
            ("JAK inhibitors", DrugKind.DRUG_CLASS),
            ("IL-6", DrugKind.TARGET),
        ]

    def test_a_class_in_the_singular_is_the_class(self) -> None:
        (mention,) = find_drugs("a thiazolidinedione")
        assert mention.drug.kind is DrugKind.DRUG_CLASS

    @pytest.mark.parametrize(
        ("question", "drugs"),
        [
            ("Can metformin be repurposed for Alzheimer's disease?", ["metformin"]),
            ("What could be repurposed for long COVID?", []),
            ("Does baricitinib help in COVID-19?", ["baricitinib"]),
        ],
    )
    def test_questions(self, question: str, drugs: list[str]) -> None:
        assert names_of(question) == drugs


class TestAsked:
    """Words that name a drug in a question only."""

    @pytest.mark.parametrize(
        ("text", "name"),
        [
            ("coffee", "coffee"),
            ("intravenous immunoglobulin", "immunoglobulins"),
            ("tPA", "alteplase"),
            ("hcq", "hydroxychloroquine"),
            ("ferrous sulphate", "ferrous sulfate"),
            ("vit D", "vitamin d"),
            ("M\u00c9TFORMIN", "metformin"),
            ("pembro", "pembrolizumab"),
            ("tacro", "tacrolimus"),
            ("flu jabs", "influenza vaccine"),
            ("the shingles vax", "herpes zoster vaccine"),
            ("vaccination against HPV", "hpv vaccine"),
        ],
    )
    def test_what_people_take_is_a_drug(self, text: str, name: str) -> None:
        (mention,) = find_drugs(f"Does {text} help?", asked=True)
        assert (mention.drug.name, mention.drug.kind) == (name, DrugKind.DRUG)

    @pytest.mark.parametrize(
        ("text", "names"),
        [
            ("Does Li prevent mania?", ["lithium"]),
            ("What do Li et al. say of sepsis?", []),
            ("ven/aza in AML", ["venetoclax", "azacitidine"]),
            ("AZA in Crohn's disease", ["azathioprine"]),
            ("Does bup spare newborns NAS in OUD?", ["buprenorphine"]),
            ("bup for smoking cessation", ["bupropion"]),
            ("AI and bone loss in breast cancer", ["aromatase inhibitors"]),
            ("Can AI detect breast cancer on images?", []),
            ("Have you met anyone with diabetes?", []),
        ],
    )
    def test_the_words_beside_an_abbreviation_decide(self, text: str, names: list[str]) -> None:
        assert [m.drug.name for m in find_drugs(text, asked=True)] == names

    @pytest.mark.parametrize("text", ["coffee", "iron", "BCG", "T4", "honey", "pembro", "Li"])
    def test_in_a_record_it_is_none(self, text: str) -> None:
        assert names_of(f"They measured {text} daily.") == []

    @pytest.mark.parametrize(
        "text", ["serum iron", "calcium score", "oxygen saturation", "zinc deficiency"]
    )
    def test_what_is_measured_is_none(self, text: str) -> None:
        assert find_drugs(f"Does {text} matter?", asked=True) == ()

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("erenumab-aooe", "erenumab"),
            ("mesalamine", "mesalazine"),
            ("alendronate", "alendronic acid"),
            ("b12", "cyanocobalamin"),
            ("carbidopa-levodopa", "levodopa and carbidopa"),
        ],
    )
    def test_two_names_of_one_drug_are_one(self, one: str, other: str) -> None:
        assert lookup_drug(one) == lookup_drug(other)

    def test_a_vitamin_is_not_one_of_its_forms(self) -> None:
        assert lookup_drug("vitamin D").name == "vitamin d"
        assert lookup_drug("vitamin D2").name == "ergocalciferol"
        assert "ergocalciferol" in lookup_drug("vitamin D").synonyms


class TestVocabulary:
    @pytest.mark.parametrize("text", ["Tumour necrosis factor", "tumor necrosis factor"])
    def test_british_and_american_spelling(self, text: str) -> None:
        assert nodes_of(text) == nodes_of("Tumor necrosis factor") != []

    def test_an_inverted_name_is_found_in_natural_order(self) -> None:
        (mention,) = vocabulary().find("purinergic P1 receptors", _TARGETS)
        assert mention.node.names == ("Receptors, Purinergic P1",)

    def test_the_longest_name_wins(self) -> None:
        (mention,) = vocabulary().find("DNA gyrase subunit A", _TARGETS)
        assert mention.text == "DNA gyrase subunit A"

    def test_a_part_of_a_word_and_a_negated_name_are_no_mentions(self) -> None:
        assert nodes_of("preinsulin receptor, non-insulin receptor") == []

    def test_labels_restrict_the_search(self) -> None:
        assert nodes_of("insulin receptor", "Protein") != []
        assert nodes_of("insulin receptor", "Pathway") == []

    def test_the_abbreviation_of_a_part_is_no_name_of_the_whole(self) -> None:
        assert nodes_of("PKC") == []
        assert nodes_of("HDAC") == nodes_of("histone deactylase") != []


@pytest.mark.slow
def test_loading_is_lazy_silent_and_writes_nothing_at_home(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "import deepcritical.vocabulary.drugs as entities\n"
        "assert 'drug_named_entity_recognition' not in sys.modules\n"
        "assert entities.find_drugs('metformin')\n"
    )
    environment = {**os.environ, "HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(  # noqa: S603 - our own interpreter on a constant program
        [sys.executable, "-W", "error", "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == []
