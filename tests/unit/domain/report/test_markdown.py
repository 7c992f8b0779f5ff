from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from deepcritical.domain.report.markdown import edge_evidence, search_log
from deepcritical.domain.report.parts import SearchRun
from deepcritical.domain.text.markdown import escape_markdown, unescape_markdown
from tests.unit.export.reports import CHAIN, REFERENCES, ROWS

THEN = datetime(2999, 1, 1, 12, 30, 5, tzinfo=UTC)


def run(**fields: Any) -> SearchRun:
    known = {"source": "PubMed", "query": "examplol", "outcome": "data", "identified": 3, "new": 1}
    return SearchRun.model_validate({**known, **fields})


def live(**fields: Any) -> SearchRun:
    known = {"searched_at": THEN, "query_as_run": "(examplol[tiab])", "total": 1_200}
    return run(**(known | fields))


def test_queries_to_a_snapshot_are_a_table_and_escaped() -> None:
    log = search_log([run(source="made-up", query="examplol | testitis")])
    assert "| made-up | examplol \\| testitis | data | 3 | 1 |" in log


def test_a_live_query_has_time_hits_and_its_exact_words() -> None:
    log = search_log([live(filters=("sorted by relevance", "first 10"))])
    assert "PubMed, exactly as run (sorted by relevance; first 10):" in log
    assert "- 12:30:05 UTC, 1,200 hits, 3 retrieved, 1 new: (examplol\\[tiab\\])." in log


def test_what_was_kept_or_not_read_is_told() -> None:
    log = search_log([live(cached=True, notes=("PMID 99000001: no title",))])
    assert "1 new, kept from an earlier search: " in log
    assert "Notes: PMID 99000001: no title." in log


def test_a_source_that_was_down_has_its_reason_and_no_counts() -> None:
    log = search_log([live(outcome="unavailable", identified=0, new=0, notes=("Down.",))])
    assert "- 12:30:05 UTC, unavailable: (examplol\\[tiab\\]). Notes: Down." in log


def test_a_query_without_an_answer_is_not_said_to_be_exact() -> None:
    log = search_log([live(outcome="unavailable", query_as_run="", identified=0, new=0)])
    assert "unavailable: (in plain words) examplol." in log


def test_sources_are_told_one_after_the_other() -> None:
    log = search_log([live(), live(source="Europe PMC"), live(total=1)])
    assert log.count("Queries to ") == 2
    assert log.index("1 hit,") < log.index("Queries to Europe PMC")


def test_what_was_not_run_is_not_listed() -> None:
    assert search_log([run(outcome="not_applicable")]) == ""


def test_characters_that_steer_a_terminal_are_left_out() -> None:
    assert escape_markdown("A\x1b[31m study\u202e of\x07 examplol") == r"A\[31m study of examplol"


@pytest.mark.parametrize("text", ["plain", r"12 \[1\] e.g.", "<b>a</b> | *x*", "[un]", "\\"])
def test_text_comes_back_as_it_was_before_it_was_escaped(text: str) -> None:
    assert unescape_markdown(escape_markdown(text)) == text


def rows(*chains: object) -> list[str]:
    found = edge_evidence(chains or (CHAIN,), ROWS, REFERENCES)  # type: ignore[arg-type]
    return found.splitlines()[2:]


def test_an_edge_names_the_records_of_each_finding() -> None:
    assert rows()[0] == (
        "| examplol → targetase | H1 | decreases | "
        "Invented 2021 (randomised controlled trial, level 2, 1,240 people) [1] |"
    )
    assert "does not change | Pomilius 2022 (animal or cell study, level 5) [2]" in rows()[2]


def test_an_edge_without_a_record_says_so() -> None:
    assert rows()[-1] == "| TNF-α → testitis | H1 | no evidence in the records found | – |"


def test_an_edge_of_two_chains_stands_once() -> None:
    found = rows(CHAIN, CHAIN.model_copy(update={"chain": ("examplol", "targetase", "TNF-α")}))
    assert len(found) == len(rows())
    assert "| H1, H2 |" in found[0]
