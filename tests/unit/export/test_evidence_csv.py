from __future__ import annotations

import csv
import io

import pytest

from deepcritical.domain.report.report import ResearchReport
from deepcritical.export.writers import EVIDENCE_COLUMNS, as_evidence_csv
from tests.unit.export.reports import ARTICLE, REFERENCES, full_report, report_of


def rows(report: ResearchReport) -> list[dict[str, str]]:
    text = as_evidence_csv(report).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_one_row_a_reference_in_order() -> None:
    read = rows(full_report())
    assert [row["number"] for row in read] == ["1", "2", "3", "4", "5"]
    assert [row["title"] for row in read] == [r.title for r in REFERENCES]


def test_a_row_says_what_is_known() -> None:
    first = rows(full_report())[0]
    assert {name: value for name, value in first.items() if value} == {
        "number": "1",
        "id": "E1",
        "title": ARTICLE.title,
        "authors": "; ".join(ARTICLE.authors),
        "year": "2021",
        "journal": "J Made-Up Rec",
        "design": "randomised controlled trial",
        "level": "2",
        "certainty": "moderate",
        "certainty_reasons": "risk of bias: most people knew what they were given",
        "quality": "0.71",
        "participants": "1240",
        "direction": "supports",
        "about_condition": "yes",
        "verdict_role": "decides",
        "integrity": "clean",
        "ids": "doi:10.99999/made_up.1 pmcid:PMC99000001 pmid:99000001",
        "url": ARTICLE.url,
    }


def test_a_trial_says_how_it_ended() -> None:
    trial = rows(full_report())[2]
    assert (trial["status"], trial["phase"]) == ("TERMINATED", "PHASE2")
    assert (trial["why_stopped"], trial["stop_class"]) == ("Slow recruitment", "enrolment")


def test_of_several_drugs_each_is_named() -> None:
    assert rows(full_report())[1]["direction"] == "examplol: mixed; otherol: refutes"


def test_a_retracted_record_says_so() -> None:
    assert rows(full_report())[3]["integrity"] == "retracted"
    assert rows(full_report())[3]["verdict_role"] == "retracted"


def test_a_reference_without_a_row_keeps_its_line() -> None:
    read = rows(full_report(evidence_table=()))
    assert len(read) == len(REFERENCES)
    assert read[0]["design"] == ""


@pytest.mark.parametrize(
    "attack",
    [
        "=1+1",
        "+1",
        "-1+1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\uff1d1",
        " =1",
        "\u200b=1",
        '=HYPERLINK("x")',
    ],
)
def test_no_cell_is_a_formula(attack: str) -> None:
    for row in rows(report_of(attack)):
        for name in EVIDENCE_COLUMNS:
            assert not row[name].startswith(("=", "+", "-", "@", "\t", "\r", "\uff1d")), name


def test_greek_letters_are_read_by_a_spreadsheet() -> None:
    assert as_evidence_csv(full_report()).startswith(b"\xef\xbb\xbf")
    assert "TNF-α" in rows(full_report())[0]["title"]
