"""Sections of labels are taken whole: none is lost, none is invented."""

from __future__ import annotations

import json
from typing import Any

import pytest

from deepcritical.domain.evidence.drug_facts import LABEL_SECTIONS, DrugFacts, SectionKey
from deepcritical.domain.question.frame import Drug
from deepcritical.tools.drug_facts.openfda import read_labels

NAMES = (
    "drugazole examplol fabulamab inventoxin madeupril mockstatin nonexistane notadrugine "
    "phantomol pretendine quasivir shamazepam simulast specimab spurigliptin testamycin unrealol "
    "veritumab wouldbexin zerotide"
).split()
SAFETY: tuple[SectionKey, ...] = ("boxed_warning", "contraindications", "drug_interactions")


def sentence(drug: str, number: int) -> str:
    return (
        f"{number}.1 {drug.upper()} must not be given in made-up state {number} [see (5.{number})]."
    )


def document(place: int, drug: str) -> dict[str, Any]:
    """A label in the shape of openFDA; each has other sections, lengths and products."""
    label: dict[str, Any] = {
        "set_id": f"made-up-set-{place:02}",
        "effective_time": f"2999{place % 12 + 1:02}{place + 1:02}",
        "spl_product_data_elements": [f"{drug} tablets"],
        "openfda": {
            "generic_name": [f"{drug.upper()} HYDROCHLORIDE" if place % 3 else drug.upper()],
            "brand_name": [f"{drug.upper()}-A", f"{drug.upper()}-B"][: place % 2 + 1],
        },
    }
    for n, key in enumerate(LABEL_SECTIONS):
        if (place + n) % 4 == 0:
            continue  # no label has all
        long = 4000 if (place + n) % 5 == 0 else 3
        texts = [" ".join(sentence(drug, i) for i in range(1, long)), f"• last point of {key} µ≥"]
        label[key] = texts if n % 2 else texts[:1]
    if place % 7 == 0:
        label["contraindications"] = "None."  # not in a list
    return label


@pytest.mark.parametrize(("place", "drug"), list(enumerate(NAMES)))
def test_sections_are_taken_whole(place: int, drug: str) -> None:
    made = document(place, drug)
    answer = json.dumps({"results": [made, document(place + 40, drug)]}).encode()
    facts, skipped, _ = read_labels(answer, Drug(name=drug), "2999-01-01")
    label = next(one for one in facts.labels if one.set_id == made["set_id"])
    assert len(facts.labels) == 2
    assert skipped == ()
    given = {k: v for k, v in made.items() if k in LABEL_SECTIONS}
    whole = {k: v if isinstance(v, str) else "\n\n".join(v) for k, v in given.items()}
    assert {one.key: one.text for one in label.sections} == whole
    for key in SAFETY:
        assert label.section(key) == whole.get(key, "")
    assert label.effective == f"2999-{place % 12 + 1:02}-{place + 1:02}"
    assert label.origin.url.endswith(made["set_id"])


def test_twenty_labels_are_made() -> None:
    assert len(set(NAMES)) == 20


def test_a_label_of_another_drug_is_not_taken() -> None:
    answer = json.dumps({"results": [document(1, "otherol")]}).encode()
    assert read_labels(answer, Drug(name="drugazole"), "").facts == DrugFacts(drug="drugazole")


def test_the_label_of_the_drug_alone_comes_first() -> None:
    both = document(1, "drugazole")
    both["openfda"]["generic_name"] = ["OTHEROL AND DRUGAZOLE"]
    answer = json.dumps({"results": [both, document(2, "drugazole")]}).encode()
    labels = read_labels(answer, Drug(name="drugazole"), "").facts.labels
    assert [label.set_id for label in labels] == ["made-up-set-02", "made-up-set-01"]


def made_of(**named: list[str]) -> Any:
    made = document(1, "drugazole") | {"openfda": {"brand_name": ["MADE"]} | named}
    labels = read_labels(json.dumps({"results": [made]}).encode(), Drug(name="drugazole"), "")
    return labels.facts.labels


@pytest.mark.parametrize(
    ("generics", "substances", "others"),
    [
        (["DRUGAZOLE HYDROCHLORIDE"], ["DRUGAZOLE HYDROCHLORIDE"], ()),
        (["DRUGAZOLE UNHEARDATE"], [], ()),
        (["DRUGAZOLE"], ["DRUGAZOLE", "OTHEROL"], ("OTHEROL",)),
        (["DRUGAZOLE", "OTHEROL"], [], ("OTHEROL",)),
        (["DRUGAZOLE/OTHEROL"], [], ("OTHEROL",)),
        (["OTHEROL WITH DRUGAZOLE SODIUM"], [], ("OTHEROL",)),
        (["DRUGAZOLE, OTHEROL AND THIRDOL"], [], ("OTHEROL", "THIRDOL")),
    ],
)
def test_the_other_substances_of_a_product_are_told(
    generics: list[str], substances: list[str], others: tuple[str, ...]
) -> None:
    (label,) = made_of(generic_name=generics, substance_name=substances)
    assert label.others == others


@pytest.mark.parametrize("name", ["METHYLDRUGAZOLE", "OTHEROL DRUGAZOLE", "ESDRUGAZOLE SODIUM"])
def test_a_name_within_another_is_another_drug(name: str) -> None:
    assert made_of(generic_name=[name]) == ()


@pytest.mark.parametrize(
    ("named", "approved"),
    [
        ({"application_number": ["NDA000001"]}, True),
        ({"application_number": ["ANDA000001"], "product_type": ["MADE"]}, True),
        ({"application_number": ["M013"], "product_type": ["HUMAN OTC DRUG"]}, False),
        ({"product_type": ["HUMAN OTC DRUG"]}, False),
        ({}, None),
    ],
)
def test_a_product_without_an_application_is_not_approved(
    named: dict[str, list[str]], approved: bool | None
) -> None:
    (label,) = made_of(generic_name=["DRUGAZOLE"], **named)
    assert label.approved is approved


def test_that_no_label_of_the_drug_alone_came_is_told() -> None:
    both = document(1, "drugazole")
    both["openfda"]["generic_name"] = ["OTHEROL AND DRUGAZOLE"]
    answer = json.dumps({"results": [both]}).encode()
    (told,) = read_labels(answer, Drug(name="drugazole"), "").skipped
    assert "products with other substances" in told
    alone = json.dumps({"results": [both, document(2, "drugazole")]}).encode()
    assert read_labels(alone, Drug(name="drugazole"), "").skipped == ()
