"""Indications in sentences of a label, over made-up ones."""

from __future__ import annotations

import pytest

from deepcritical.domain.question.frame import Condition
from deepcritical.vocabulary.conditions import condition_named
from deepcritical.writing.sections.label_facts import how_indicated


def condition(name: str) -> Condition:
    known = condition_named(name)
    names = known.names if known else ()
    return Condition(name=name, names=(name, *names), mesh_id=known and known.mesh_id)


@pytest.mark.parametrize(
    ("uses", "name", "how"),
    [
        ("is indicated for asthma", "asthma", "same"),
        ("is indicated for the treatment of adult patients with asthma", "asthma", "same"),
        ("is indicated in hospitalized patients with asthma", "asthma", "same"),
        ("is indicated for: • Gout (1.1) • Asthma (1.2)", "asthma", "same"),
        ("is indicated to reduce the risk of stroke", "stroke", "same"),
        ("is indicated for the treatment of type 2 diabetes", "diabetes mellitus", "form"),
        ("is indicated for pain in Made-Up syndrome", "made-up syndrome", "same"),
        ("is indicated for the treatment of depression in patients with gout", "gout", "people"),
        ("is indicated to reduce the risk of stroke in adults who have gout", "gout", "people"),
        ("is no longer indicated for asthma", "asthma", ""),
        ("is indicated for dementia other than Alzheimer's disease", "Alzheimer's disease", ""),
        ("is indicated for migraine in adults without hypertension", "hypertension", ""),
        ("is indicated for chest pain when stroke is ruled out", "stroke", ""),
        ("is indicated for cough that is caused by asthma", "asthma", ""),
        ("is indicated for imaging of the lungs in adults with asthma", "asthma", ""),
        ("is indicated for the diagnosis of asthma", "asthma", ""),
        ("is indicated for the control of asthma in cats", "asthma", ""),
        (", unlike otherol, which is indicated for asthma, treats gout", "asthma", ""),
        ("1.1 Asthma Drugazole is indicated for gout", "asthma", ""),
        ("is indicated for pain without Made-Up syndrome", "made-up syndrome", ""),
        ("is indicated for diabetes mellitus", "type 2 diabetes", ""),
        ("treats asthma", "asthma", ""),
        ("is indicated for gout; it was formerly indicated for asthma", "asthma", ""),
        ("is indicated for gout in adults with risk factors for stroke", "stroke", ""),
        ("is indicated for gout in women receiving therapy for breast cancer", "breast cancer", ""),
    ],
)
def test_only_what_is_treated_is_licensed(uses: str, name: str, how: str) -> None:
    assert how_indicated(f"Drugazole {uses}.", condition(name)) == how


def test_newly_diagnosed_people_are_treated() -> None:
    text = "Drugazole is indicated for the treatment of adults with newly diagnosed asthma."
    assert how_indicated(text, condition("asthma")) == "same"
