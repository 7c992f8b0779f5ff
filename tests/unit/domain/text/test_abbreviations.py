from __future__ import annotations

import pytest

from deepcritical.domain.text.abbreviations import expand_abbreviations


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "It activates AMP-activated protein kinase (AMPK).",
            {"AMPK": "AMP-activated protein kinase"},
        ),
        ("deposits of amyloid-β (Aβ) in brain", {"Aβ": "amyloid-β"}),
        ("deposits of amyloid beta (Aβ) in brain", {"Aβ": "amyloid beta"}),
        ("patients with Alzheimer's disease (AD)", {"AD": "Alzheimer's disease"}),
        ("patients with Alzheimer’s Disease (AD)", {"AD": "Alzheimer’s Disease"}),
        ("AD (Alzheimer's disease) is common", {"AD": "Alzheimer's disease"}),
        ("mild cognitive impairment [MCI]", {"MCI": "mild cognitive impairment"}),
        ("cerebrospinal fluid (CSF; n = 20)", {"CSF": "cerebrospinal fluid"}),
        ("accumulation of β-amyloid (Aβ)", {"Aβ": "β-amyloid"}),
        ("relapsed multiple myeloma (MM)", {"MM": "multiple myeloma"}),
        ("receiving metformin (MET)", {"MET": "metformin"}),
        ("tumor necrosis factor-α (TNF-α)", {"TNF-α": "tumor necrosis factor-α"}),
    ],
)
def test_a_definition_is_found(text: str, expected: dict[str, str]) -> None:
    assert expand_abbreviations(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "()",
        "in both groups (n = 20)",
        "a ratio of 1.2 (95% CI 0.9 to 1.4)",
        "as shown before (Fig. 2)",
        "metformin (Glucophage)",
        "in two trials (the Alzheimer's Disease Assessment Scale)",
        "meta-analysis of the other drugs in a pooled ratio (Odds ratio)",
        "type 2 diabetes (see the supplementary material for details)",
    ],
)
def test_other_parentheses_define_nothing(text: str) -> None:
    assert expand_abbreviations(text) == {}


def test_a_definition_does_not_reach_over_the_end_of_a_sentence() -> None:
    assert expand_abbreviations("We studied adults. Dementia (AD) was rare.") == {}


def test_the_first_definition_holds() -> None:
    text = "Alzheimer's disease (AD) and atopic dermatitis (AD)"
    assert expand_abbreviations(text) == {"AD": "Alzheimer's disease"}


def test_several_definitions_in_one_sentence() -> None:
    text = "Cerebral blood flow (CBF) and magnetic resonance imaging (MRI) were measured."
    assert expand_abbreviations(text) == {
        "CBF": "Cerebral blood flow",
        "MRI": "magnetic resonance imaging",
    }
