"""Two reports side by side as HTML, and what is new."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from deepcritical.domain.report.brief import StudyRow
from deepcritical.export.html import Side, render_comparison, render_news
from tests.unit.domain.report.test_comparison import report, row, study

ATTACK = '<img src=x onerror="alert(1)">'
AT = datetime(2999, 1, 2, 3, 4, tzinfo=UTC)


def side(*studies: StudyRow, question: str = "Does examplol help in testitis?") -> Side:
    ids: dict[StudyRow, tuple[str, ...]] = {
        one: (f"pmid:{one.evidence_ids[0][1:]}",) for one in studies
    }
    return Side("made-up", question, AT, report(ids, (row("Pain"),)))


def test_what_is_the_same_is_told_in_a_line() -> None:
    one = side(study("E1"))
    told = render_news(one, one)
    assert "What is new since 2 Jan 2999, 03:04 UTC" in told
    assert "The verdict is the same: promising, low certainty. The studies are the same" in told
    assert "<details" not in told


@pytest.mark.parametrize(("count", "is_open"), [(3, True), (4, False)])
def test_a_long_list_is_folded_so_that_the_brief_stays_in_sight(count: int, is_open: bool) -> None:
    told = render_news(side(), side(*(study(f"E{n}") for n in range(1, count + 1))))
    assert f"New studies: {count}" in told
    assert ("<details open>" in told) is is_open


def test_studies_without_a_result_stand_in_one_line() -> None:
    told = render_news(side(study("E1"), study("E2", result="")), side())
    assert "Studies that are gone: 2" in told
    assert "Without a result that counts: E2." in told
    told = render_news(side(), side(study("E2", result="")))
    assert "None has a result that counts: E2 " in told


def test_a_former_run_that_was_deleted_is_told() -> None:
    assert "That run was deleted" in render_news(None, side())


def test_what_records_and_users_write_stays_text() -> None:
    fields = {"name": ATTACK, "outcome": ATTACK, "design": ATTACK, "counts": ATTACK}
    first = side(study("E1", **fields), study("E2", **fields), question=ATTACK)
    second = side(study("E2", "worse", **fields), study("E3", "", **fields), question=ATTACK)
    for shown in (render_comparison(first, second), render_news(first, second)):
        assert "&lt;img" in shown
        assert "<img" not in shown
    assert "Only in run A: 1" in render_comparison(first, second)
