"""Tests whether those studied are surely those asked about."""

from __future__ import annotations

import pytest

from deepcritical.vocabulary.qualifiers import fits, qualifiers_in


@pytest.mark.parametrize(
    ("asked", "people", "fit"),
    [
        (
            "women whose tumour is hormone receptor negative",
            "hormone receptor-negative cancer",
            True,
        ),
        (
            "women whose tumour is hormone receptor negative",
            "hormone receptor-positive cancer",
            False,
        ),
        ("women whose tumour is hormone receptor negative", "women with cancer", False),
        ("HER2+ metastatic disease", "HER2-positive metastatic breast cancer", True),
        ("HER2+ metastatic disease", "HER2-positive early breast cancer", False),
        ("postmenopausal women", "premenopausal women", False),
        ("children with asthma", "adults with asthma", False),
        ("children with asthma", "paediatric patients", True),
        ("children with asthma", "people with asthma", False),
        ("adults with asthma", "people with asthma", True),
        ("pregnant women", "women", False),
        ("relapsed myeloma", "newly diagnosed myeloma", False),
        ("women with stroke", "people with stroke", True),
        ("women with stroke", "men with stroke", False),
        ("women with stroke", "men and women with stroke", True),
        ("Japanese people", "people with stroke", False),
        ("Japanese people", "Chinese and Korean patients", True),
        ("Black patients", "white patients", False),
        ("asthma", "children with asthma", True),
    ],
)
def test_what_parts_people_off(asked: str, people: str, fit: bool) -> None:
    assert fits(qualifiers_in(asked), people) is fit
