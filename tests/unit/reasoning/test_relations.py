from __future__ import annotations

import pytest

from deepcritical.domain.hypotheses import Sign
from tests.unit.reasoning.examples import DOWN, SAME, UP, acts, relations, signed


def say(text: str) -> str:
    return text


class TestWhatTheDrugDoes:
    @pytest.mark.parametrize(
        "verb", ["activated", "increases", "upregulated", "up-regulates", "promotes", "restored"]
    )
    def test_an_active_verb_upwards_increases(self, verb: str) -> None:
        assert acts(f"Examplol {verb} AMPK.") == {(UP, "AMPK")}

    @pytest.mark.parametrize(
        "verb", ["inhibited", "reduces", "downregulated", "suppressed", "blocks", "lowered"]
    )
    def test_an_active_verb_downwards_decreases(self, verb: str) -> None:
        assert acts(f"Examplol {verb} BACE1.") == {(DOWN, "BACE1")}

    @pytest.mark.parametrize(
        "verb", ["did not affect", "does not alter", "had no effect on", "failed to reduce"]
    )
    def test_a_denied_verb_does_not_change(self, verb: str) -> None:
        assert acts(f"Examplol {verb} BACE1.") == {(SAME, "BACE1")}

    def test_to_prevent_the_repair_of_dna_is_no_effect_on_a_molecule(self) -> None:
        assert acts("Examplol prevents DNA repair.") == set()

    @pytest.mark.parametrize(
        ("sentence", "sign"),
        [
            ("Examplol promoted clearance of tau.", DOWN),
            ("Examplol increased the degradation of tau.", DOWN),
            ("Examplol enhanced inhibition of tau.", DOWN),
            ("Examplol suppressed the loss of tau.", UP),
        ],
        ids=["clearance", "degradation", "inhibition", "loss prevented"],
    )
    def test_to_increase_the_removal_is_to_decrease(self, sentence: str, sign: Sign) -> None:
        assert acts(sentence) == {(sign, "tau")}

    @pytest.mark.parametrize(
        ("sentence", "expected"),
        [
            ("Examplol reduced BACE1 and tau.", {(DOWN, "BACE1"), (DOWN, "tau")}),
            ("Examplol reduced BACE1 but increased AMPK.", {(DOWN, "BACE1"), (UP, "AMPK")}),
            ("Examplol reduced BACE1 and increased AMPK.", {(DOWN, "BACE1"), (UP, "AMPK")}),
            ("Aspirin reduced BACE1 whereas examplol increased AMPK.", {(UP, "AMPK")}),
        ],
        ids=["two objects", "but", "and", "other subject"],
    )
    def test_each_verb_has_its_own_objects(
        self, sentence: str, expected: set[tuple[Sign, str]]
    ) -> None:
        assert acts(sentence) == expected

    @pytest.mark.parametrize(
        "sentence",
        [
            "Aspirin reduced BACE1.",
            "BACE1 was measured after examplol.",
            "We assessed whether examplol reduced BACE1.",
            "Examplol was given to mice that lack tau.",
            "Examplol is not AMPK.",
        ],
        ids=["other drug", "no verb", "an aim", "no object", "no relation"],
    )
    def test_without_a_verb_of_the_drug_nothing_is_read(self, sentence: str) -> None:
        assert acts(sentence) == set()


class TestWhatIsAMolecule:
    @pytest.mark.parametrize(
        ("written", "name"),
        [
            ("BACE1", "BACE1"),
            ("mTOR", "mTOR"),
            ("NF-κB", "NF-κB"),
            ("p-AMPK", "AMPK"),
            pytest.param("IL-6", "IL-6", id="two letters"),
            ("tau", "tau"),
            ("Tau", "tau"),
            ("CSF tau", "tau"),
            ("tau phosphorylation", "tau phosphorylation"),
            ("BACE1 expression", "BACE1"),
            ("interleukin-6 (IL-6)", "IL-6"),
            ("AMP-activated protein kinase (AMPK)", "AMPK"),
            ("the made-up kinase protein (MKP)", "MKP"),
        ],
        ids=say,
    )
    def test_it_is_named_as_papers_name_it(self, written: str, name: str) -> None:
        assert acts(f"Examplol increased {written}.") == {(UP, name)}

    def test_a_verb_within_a_name_is_no_verb(self) -> None:
        text = "Examplol inhibited AMP-activated protein kinase (AMPK)."
        assert acts(text) == {(DOWN, "AMPK")}

    def test_a_kind_of_protein_is_no_protein(self) -> None:
        text = "Examplol activated AMP-activated protein kinase."
        assert (UP, "kinase") not in acts(text)

    def test_an_abbreviation_stands_for_its_name_elsewhere_in_the_record(self) -> None:
        text = "Made-up kinase protein (MKP) was measured. Examplol raised MKP."
        assert acts(text) == {(UP, "MKP")}

    @pytest.mark.parametrize(
        "written",
        [
            "GLP-1 receptor agonists",
            "BACE1 inhibitors",
            "BACE1-related pain",
            "BACE1-dependent repair",
        ],
    )
    def test_a_modifier_is_not_what_is_meant(self, written: str) -> None:
        assert acts(f"Examplol increased {written}.") == set()

    @pytest.mark.parametrize(
        "written",
        ["testitis", "ADAS", "MMSE", "MRI volumes", "the brain reserve score (BRS)", "the HR"],
    )
    def test_a_condition_a_scale_or_a_scan_is_no_molecule(self, written: str) -> None:
        assert acts(f"Examplol reduced {written}.") == set()

    def test_an_abbreviated_condition_is_no_molecule(self) -> None:
        text = "Acute testitis (ATS) was studied. Examplol reduced ATS."
        assert acts(text) == set()


class TestThroughWhat:
    @pytest.mark.parametrize(
        ("sentence", "means"),
        [
            ("Examplol reduced BACE1 through AMPK.", {("AMPK", DOWN, "BACE1")}),
            ("Examplol reduced BACE1 by activating AMPK.", {("AMPK", DOWN, "BACE1")}),
            (
                "Examplol reduced BACE1 via AMPK and mTOR.",
                {("AMPK", DOWN, "BACE1"), ("mTOR", DOWN, "BACE1")},
            ),
            pytest.param(
                "Examplol increased BACE1 mediated by AMPK.",
                {("AMPK", UP, "BACE1")},
                id="mediated by",
            ),
        ],
        ids=["through", "by activating", "two of them", None],
    )
    def test_the_means_act_on_the_effect(
        self, sentence: str, means: set[tuple[str, Sign, str]]
    ) -> None:
        assert signed(relations(sentence).means) == means

    def test_the_means_belong_to_the_effect_before_them(self) -> None:
        found = relations(
            "Despite reducing tau phosphorylation via AMPK, examplol increases BACE1."
        )
        assert signed(found.means) == {("AMPK", DOWN, "tau phosphorylation")}

    def test_a_participle_before_the_drug_has_it_as_its_subject(self) -> None:
        text = "Despite reducing tau phosphorylation via AMPK, examplol increases BACE1."
        assert acts(text) == {(DOWN, "tau phosphorylation"), (UP, "BACE1")}

    def test_what_does_not_change_has_no_means(self) -> None:
        assert relations("Examplol did not affect BACE1 through AMPK.").means == ()

    @pytest.mark.parametrize(
        "sentence",
        [
            "AMPK inhibition blocked the effects on BACE1 that examplol had.",
            "AMPK mediates the effects of examplol on BACE1.",
            pytest.param(
                "AMPK mediated the effects of examplol on BACE1.",
                id="past tense",
            ),
            pytest.param(
                "Inhibition of AMPK abolished the effect of examplol on BACE1.",
                id="inhibition of",
            ),
            pytest.param(
                "Inhibition of AMPK abolished examplol's effect on BACE1.",
                id="the drug's effect",
            ),
        ],
        ids=say,
    )
    def test_what_abolishes_the_effect_when_blocked_is_its_means(self, sentence: str) -> None:
        found = relations(f"Examplol increased BACE1. {sentence}")
        assert signed(found.means) == {("AMPK", UP, "BACE1")}


class TestTheLinkToTheCondition:
    @pytest.mark.parametrize(
        "sentence",
        [
            "Tau is a hallmark of testitis.",
            "Tau contributes to testitis.",
            "Testitis is characterised by tau.",
            "Tau drives testitis.",
            "Tau plays a central role in testitis.",
        ],
        ids=say,
    )
    def test_a_hallmark_or_a_cause_leads_to_it(self, sentence: str) -> None:
        assert signed(relations(sentence).condition) == {("tau", UP, "testitis")}

    @pytest.mark.parametrize(
        "sentence",
        [
            "Tau is not a hallmark of testitis.",
            "It is unknown whether tau causes testitis.",
            "Tau was measured in testitis.",
            "Examplol reduces tau, a hallmark of testitis.",
            "Tau is a hallmark of asthma.",
            "Tau pathology is exacerbated by stress in testitis.",
            "Tau pathology was measured in testitis.",
        ],
        ids=[
            "denied",
            "open",
            "no link",
            "with the drug",
            "another condition",
            "what is done to it",
            "its own name",
        ],
    )
    def test_else_nothing_is_linked(self, sentence: str) -> None:
        assert relations(sentence).condition == ()


class TestEveryRelation:
    def test_stands_in_the_sentence_it_was_read_in(self) -> None:
        content = "Mice were used. Examplol reduced BACE1."
        (relation,) = relations(content).drug
        assert content[relation.fact.start : relation.fact.end] == "Examplol reduced BACE1."

    def test_is_listed_once_a_sentence(self) -> None:
        assert len(relations("Examplol reduced tau and reduced tau.").drug) == 1


class TestWhatIsNoStepOfAMechanism:
    @pytest.mark.parametrize(
        "sentence",
        [
            "Examplol inhibits SARS\u2010CoV\u20102.",
            "Examplol increases neurite growth.",
            "No evidence is available that examplol inhibits BACE1.",
        ],
    )
    def test_is_not_read_as_one(self, sentence: str) -> None:
        assert acts(sentence) == set()
