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
