"""Columns have room for their words, and long texts get what is left."""

from __future__ import annotations

import pytest

from deepcritical.export.prose import LONGEST_WORD, column_widths, longest_word, natural_width

LINE = 100
SHORT, LONG = ["No.", "1", "2"], ["Claim", "a long text of words " * 8, "of more words " * 9]


def test_a_line_is_filled_and_the_long_text_has_most_of_it() -> None:
    first, second = column_widths([SHORT, LONG], LINE)
    assert first + second == pytest.approx(LINE)
    assert second > 6 * first


def test_no_column_is_narrower_than_its_longest_word() -> None:
    columns = [["observational"], ["a " * 400], ["3,307,483"]]
    for cells, width in zip(columns, column_widths(columns, LINE), strict=True):
        assert width > longest_word(cells)


def test_a_word_without_end_takes_no_more_than_its_share() -> None:
    width, *_ = column_widths([["x" * 500], ["y" * 500]], LINE)
    assert width == pytest.approx(LINE / 2)


@pytest.mark.parametrize("columns", [[], [[""]], [["a"], [""]]])
def test_empty_tables_have_widths(columns: list[list[str]]) -> None:
    assert len(column_widths(columns, LINE)) == len(columns)
    assert natural_width(columns) >= 0


def test_a_table_of_short_cells_needs_little_room() -> None:
    assert natural_width([SHORT, SHORT]) < 20
    assert natural_width([SHORT, LONG]) < 60
    assert longest_word(["a" * (LONGEST_WORD + 5)]) == LONGEST_WORD + 5


def test_a_number_with_hyphens_is_one_word() -> None:
    assert longest_word(["EUCTR2999-001321-31"]) == 19
    assert longest_word(["case-control or cross-sectional"]) == len("sectional")
