"""Numbers of a text, and what they count."""

import pytest

from deepcritical.domain.text.quantities import quantities


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Adverse events of grade 3 were rare.", ["grade"]),
        ("Adverse events of grades 3 and 4 were rare.", ["grade", ""]),
        ("At 12 weeks 24 patients had a response.", ["", ""]),
    ],
)
def test_a_number_behind_a_label_is_of_that_kind(text: str, kinds: list[str]) -> None:
    assert [quantity.kind for quantity in quantities(text)] == kinds


@pytest.mark.parametrize(
    ("text", "noun"),
    [
        ("473 elderly memory-clinic outpatients", "people"),
        ("473 patients in 12 clinics", "people"),
        ("12 patient studies", "studies"),
        ("40 patients, controls among them", "people"),
    ],
)
def test_of_two_nouns_in_a_row_the_last_is_counted(text: str, noun: str) -> None:
    assert quantities(text)[0].noun == noun
