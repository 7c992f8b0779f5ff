"""Look-ups and questions told apart, and what is listed for a look-up."""

from __future__ import annotations

import pytest

from deepcritical.reasoning.chatting import listed, read_look_up, search_queries
from tests.conftest import make_evidence

TRIALS = "latest trials of metformin in Alzheimer's disease"


@pytest.mark.parametrize(
    ("message", "ids", "about", "newest"),
    [
        (TRIALS, (), "metformin in Alzheimer's disease", True),
        ("find papers on ivermectin in COVID-19", (), "ivermectin in COVID-19", False),
        ("Which trials tested metformin for long COVID?", (), "metformin for long COVID", False),
        ("recruiting trials for long COVID", (), "long COVID", True),
        ("What studies are there on metformin?", (), "metformin", False),
        ("PMID 26858121", ("pmid:26858121",), "PMID 26858121", False),
        ("26858121", ("pmid:26858121",), "26858121", False),
        ("status of NCT04098666", ("nct:NCT04098666",), "status of NCT04098666", False),
    ],
    ids=str,
)
def test_a_look_up_is_recognised(
    message: str, ids: tuple[str, ...], about: str, newest: bool
) -> None:
    found = read_look_up(message)
    assert found
    assert (found.ids, found.about, found.newest) == (ids, about, newest)


@pytest.mark.parametrize(
    "message",
    [
        "Can metformin be repurposed for Alzheimer's disease?",
        "Does metformin cause lactic acidosis?",
        "Do trials show that metformin works?",
        "new drugs for amyotrophic lateral sclerosis",
        "How does metformin act on AMPK?",
        "yes",
    ],
)
def test_a_question_that_has_an_answer_is_no_look_up(message: str) -> None:
    assert read_look_up(message) is None


def test_the_query_of_a_look_up_names_what_it_is_about_and_not_that_it_is_one() -> None:
    (query,) = search_queries(TRIALS)
    assert query.text == "metformin Alzheimer disease"
    assert query.drug
    assert query.drug.name == "metformin"
    assert [query.text for query in search_queries("PMID 26858121")] == ["26858121"]


def test_only_the_record_of_an_id_is_listed() -> None:
    records = {
        "E1": make_evidence("One", pmid="99000001"),
        "E2": make_evidence("It names PMID 99000001", "As in PMID 99000001.", pmid="99000002"),
    }
    look_up = read_look_up("PMID 99000001")
    assert look_up
    assert list(listed(look_up, records)) == ["E1"]


def test_the_newest_trials_of_a_status_are_listed_in_order() -> None:
    def entry(number: int, date: str, status: str) -> object:
        record = make_evidence(f"Entry {number}", nct_id=f"NCT9900000{number}", status=status)
        citation = record.citation.model_copy(update={"date": date, "source": "clinicaltrials"})
        return record.model_copy(update={"citation": citation})

    records = {
        "E1": entry(1, "2998-01", "RECRUITING"),
        "E2": entry(2, "2999-01", "RECRUITING"),
        "E3": entry(3, "2999-02", "COMPLETED"),
        "E4": make_evidence("A paper on recruiting"),
    }
    look_up = read_look_up("recruiting trials for testitis")
    assert look_up
    assert list(listed(look_up, records)) == ["E2", "E1"]  # type: ignore[arg-type]
