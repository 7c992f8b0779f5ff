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
        ("people on mechanical ventilation with testitis", "people with testitis", False),
        ("people on mechanical ventilation", "intubated adults", True),
        ("people on mechanical ventilation", "inpatients, not on mechanical ventilation", False),
        ("intubated people", "adults in intensive care", False),
        ("inpatients with testitis", "adults in intensive care", True),
        ("hospitalised testitis patients", "outpatients with testitis", False),
        ("hospitalised testitis patients", "people with testitis", False),
        ("outpatients", "non-hospitalised adults", True),
        ("hospitalised people", "outpatients and hospitalised people", False),
        ("to keep people from being hospitalised", "people with testitis", True),
        ("people admitted to hospital with testitis", "hospitalised adults", True),
        ("hospitalised people", "Patients admitted to hospital with testitis", True),
        ("to keep people from being admitted to hospital", "people with testitis", True),
        ("residents of care homes", "people in care facilities", True),
        ("obese women", "women, obese and non-obese", False),
        ("obese women", "women with obesity", True),
        ("severe testitis", "mild testitis", False),
        ("severe testitis", "moderate to severe testitis", True),
        ("maintenance after autologous transplant", "transplant-ineligible patients", False),
        ("maintenance after transplant", "maintenance therapy after stem-cell transplant", True),
        ("people on dialysis", "people with testitis", False),
        ("people with testitis to delay the need for dialysis", "people with testitis", True),
        ("healthcare workers", "household contacts", False),
        ("unvaccinated people", "vaccinated people", False),
    ],
)
def test_what_parts_people_off(asked: str, people: str, fit: bool) -> None:
    assert fits(qualifiers_in(asked), people) is fit
