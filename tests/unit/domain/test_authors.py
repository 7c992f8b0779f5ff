from __future__ import annotations

import pytest

from deepcritical.domain.report_parts import author_name


@pytest.mark.parametrize(
    ("printed", "inverted"),
    [
        ("Invented AB", "Invented, AB"),
        ("Du Invented R", "Du Invented, R"),
        ("Ada B Invented", "Invented, Ada B"),
        ("Invented, E W", "Invented, E W"),
        ("Mary van der Invented", "van der Invented, Mary"),
        ("van Invented WA", "van Invented, WA"),
        ("Invented J Jr", "Invented, Jr, J"),
        ("Made-Up Collaborative Group", "Made-Up Collaborative Group"),
        ("Invented", "Invented"),
        ("", ""),
        (" , Jr", ", Jr"),
    ],
)
def test_a_name_is_inverted(printed: str, inverted: str) -> None:
    assert author_name(printed).inverted == inverted


def test_a_group_is_no_person() -> None:
    assert author_name("Made-Up Trial Investigators").group
    assert not author_name("Invented AB").group
