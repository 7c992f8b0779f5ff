"""The first screen of a report with a brief, and what stands behind it."""

from __future__ import annotations

import csv
import io
import re

import pytest

from deepcritical.domain.appraisal.verdict import VerdictLabel
from deepcritical.domain.appraisal.votes import Way
from deepcritical.domain.evidence.certainty import Certainty
from deepcritical.domain.report.brief import Contested, ToldRow
from deepcritical.domain.report.grids import findings_grid
from deepcritical.domain.report.parts import ReportSection
from deepcritical.domain.report.report import ResearchReport, report_markdown
from deepcritical.domain.report.sentences import Sentence, SentenceCheck, how_checked
from deepcritical.export.formats import FORMATS
from deepcritical.export.html import render_document, render_page
from deepcritical.export.prose import cited_html, study_name
from tests.unit.appraisal.builders import finding
from tests.unit.export.briefs import BRIEF, STUDIES, brief_report, outcome_row
from tests.unit.export.reports import IMPRINT, REFERENCES, VERDICT, full_report

ORDER = (
    "Studies",
    "Clinical findings",
    "Forest plots",
    "Harms",
    "Mechanism",
    "Registered trials",
    "Contradictory evidence",
    "What would change this verdict",
    "Limitations",
    "How this was assessed",
    "Search log",
    "References",
    "What each sentence rests on",
)


def whole() -> ResearchReport:
    return brief_report(
        safety=ReportSection(title="Safety", content="Nausea [1]."),
        contradictions=ReportSection(title="Contradictory evidence", content="One trial [1]."),
    )


def words(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def first_screen(report: ResearchReport) -> str:
    return words(render_page(report).partition("<header")[2].partition("</header>")[0])


def test_the_first_screen_answers_without_votes_rules_and_scores() -> None:
    shown = first_screen(whole())
    for part in (
        "Promising low certainty",
        "Examplol lowered testitis flares (risk ratio 0.82, 95% CI 0.70 to 0.95) 1 2 .",
        "The certainty is low",
        "Harms. Nausea was more frequent 1 .",
        "Testitis flares placebo or no treatment 2 (1,240) Better with the drug",
        "Invented 2021 randomised trial, 1,240 people, against placebo Fewer flares",
        "No trial lasted longer than a year.",
        "NCT99000001, recruiting, 300 people, until 2999-06",
    ):
        assert part in shown, part
    for part in ("Rule:", "Caps:", "Confidence", "/10", "Executive summary"):
        assert part not in shown


def test_parts_are_folded_in_the_order_of_reading_and_listed() -> None:
    html = render_page(whole())
    assert tuple(re.findall(r"<summary><h2>([^<]+)</h2>", html)) == ORDER
    contents = html.partition('<nav class="contents"')[2].partition("</nav>")[0]
    assert tuple(re.findall(r">([^<]+)</a>", contents)) == ORDER
    assert "<details open" not in html


def test_the_rule_stands_under_how_this_was_assessed() -> None:
    part = render_page(whole()).partition('id="part-assessed"')[2].partition("</details>")[0]
    assert "Rule: One randomised trial favours the drug." in part
    assert "/10" not in part


def test_the_ledger_says_how_each_sentence_was_checked() -> None:
    ledger = words(render_page(whole()).partition('id="part-ledger"')[2])
    assert "written by made-up:writer; checked: figures, entailment (made-up:verifier)" in ledger
    assert "written by rules from typed results" in ledger


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        (Sentence(text="It.", origin="quote"), "a record's own words"),
        (Sentence(text="It.", origin="model"), "written by a model"),
        (
            Sentence(text="It.", checks=(SentenceCheck(name="ids", passed=False),)),
            "written by rules from typed results",
        ),
    ],
)
def test_a_failed_check_is_not_named_as_passed(sentence: Sentence, said: str) -> None:
    assert how_checked(sentence) == said


def test_a_citation_stands_before_the_stop() -> None:
    told = cited_html([Sentence(text="Is <b> so?", evidence_ids=("E1", "no"))], REFERENCES)
    assert told.startswith("Is &lt;b&gt; so <button")
    assert told.endswith(">1</button>?")


def test_the_table_of_studies_is_sorted_on_the_page_only() -> None:
    assert 'class="cards sortable dense"' in render_document(whole())
    assert "<button>" not in render_page(whole())
    assert "aria-sort" not in render_page(whole())
    shown = words(render_page(whole()).partition('id="part-studies"')[2].partition("</table>")[0])
    assert "examplol 10 mg (n = 620); placebo (n = 620) against placebo" in shown


def test_studies_are_written_as_csv() -> None:
    told = FORMATS["studies.csv"].render(whole(), IMPRINT).decode("utf-8-sig")
    one, other = csv.DictReader(io.StringIO(told, newline=""))
    assert one["study"] == STUDIES[0].name
    assert one["arms"] == "examplol 10 mg (n = 620); placebo (n = 620)"
    assert (one["people"], one["references"], one["in_verdict"]) == ("1240", "1", "decides")
    assert one["ids"].split()[-1] == "pmid:99000001"
    assert other["people"] == ""


def test_a_report_of_an_earlier_version_has_its_summary_and_its_evidence_table() -> None:
    old = full_report(verdict=VERDICT.model_copy(update={"rows": (outcome_row(),)}))
    shown = first_screen(old)
    assert "Promising low certainty" in shown
    assert "Testitis flares placebo or no treatment" in shown
    html = render_page(old)
    assert "<h2>Evidence table</h2>" in html
    assert "<h2>Conclusion</h2>" in html
    assert "<h2>Studies</h2>" not in html


def test_a_study_is_called_by_its_short_name() -> None:
    assert study_name(("E2",), whole()) == "Pomilius 2022"
    assert study_name(("E1",), full_report()) == "Invented 2021"
    assert study_name(("E99",), whole()) == ""


def test_a_brief_without_studies_and_trials_is_shown() -> None:
    bare = BRIEF.model_copy(update={"studies": (), "trials": (), "missing": (), "harms": ()})
    shown = first_screen(brief_report(brief=bare))
    assert "Main studies" not in shown
    assert "Trials under way" not in shown
    assert "Harms." not in shown


def test_another_population_is_named_beside_the_outcome() -> None:
    row = outcome_row(directness="related", people=None)
    grid = findings_grid(brief_report(brief=BRIEF.model_copy(update={"findings": (row,)})))
    assert grid.rows[0][0].text.endswith(" (other patients)")
    assert grid.rows[0][2].text == "2"


@pytest.mark.parametrize(
    ("way", "result"),
    [
        pytest.param(Way.NO_DIFFERENCE, "No difference shown with examplol 2 mg", id="none"),
        pytest.param(Way.HARM, "Worse with examplol 2 mg", id="harm"),
        pytest.param(Way.CONFLICT, "Studies differ", id="conflict"),
    ],
)
def test_a_row_of_one_arm_names_what_it_got_and_what_the_other_one_did(
    way: Way, result: str
) -> None:
    row = outcome_row(way=way, one_arm="examplol 2 mg", other_arm="examplol 1 mg")
    row = row.model_copy(update={"effects": (), "pooled": None})
    cells = findings_grid(brief_report(brief=BRIEF.model_copy(update={"findings": (row,)}))).rows[0]
    assert (cells[1].text, cells[3].text) == ("examplol 1 mg", result)


def test_a_row_by_a_model_stands_before_those_of_the_verdict() -> None:
    said = Sentence(
        text="Relapse (compared with placebo) – 3 of 9 against 7 of 9; from 1 trial (18 people)",
        cells=("Relapse", "placebo", "1 trial (18 people)"),
        evidence_ids=("E1",),
        origin="model",
    )
    own = ToldRow(said=said, certainty=Certainty.LOW, rated_as=("a", ""))
    bare = said.model_copy(update={"text": "Relapse – it fell", "cells": ("Relapse", "", "")})
    other = ToldRow(said=bare)
    row = outcome_row()
    brief = BRIEF.model_copy(update={"told": (own, other), "findings": (row,)})
    first, second, third = findings_grid(brief_report(brief=brief)).rows
    assert [cell.text for cell in first] == [
        *("Relapse", "placebo", "1 trial (18 people)", "3 of 9 against 7 of 9", "low"),
    ]
    assert [cell.text for cell in second] == ["Relapse", "not told", "1", "It fell", "not rated"]
    assert not second[4].is_grade
    assert third == findings_grid(brief_report(brief=BRIEF)).rows[0]
    forged = said.model_copy(update={"text": "Relapse – it rose"})
    for wrong in ({"text": "x"}, forged.model_dump()):
        with pytest.raises(ValueError, match="not made of its cells"):
            ToldRow.model_validate({"said": wrong})


def test_a_row_that_a_check_contradicted_says_so() -> None:
    row = outcome_row()
    one = Contested(outcome=row.outcome, comparator=row.comparator, told="It fell.", by="model")
    changed = BRIEF.model_copy(update={"findings": (row,), "contested": (one,)})
    assert findings_grid(brief_report(brief=changed)).rows[0][3].note.startswith("disputed")
    assert "disputed" in report_markdown(brief_report(brief=changed))


WRITTEN = Sentence(text="It fell.", evidence_ids=("E1",), origin="model", written_by="m")


@pytest.mark.parametrize(
    ("proposed", "denied", "is_told"),
    [
        pytest.param("promising", False, False, id="the model came to the same side"),
        pytest.param("promising", True, True, id="but the question denies it"),
        pytest.param("unsupported", False, True, id="it came to the other side"),
        pytest.param(None, False, True, id="it was not asked"),
    ],
)
def test_what_a_verdict_is_on_is_plain_where_who_answers_judged_alike(
    proposed: str | None, denied: bool, is_told: bool
) -> None:
    changed = BRIEF.model_copy(update={"synthesis": (WRITTEN,), "claim": "it helps"})
    report = brief_report(
        brief=changed.model_copy(update={"denied": denied}),
        studies=(finding(proposed=proposed),),
        verdict=VERDICT.model_copy(update={"label": VerdictLabel.SUPPORTED}),
    )
    assert (report.verdict_on == "on whether it helps") is is_told


def test_main_studies_that_a_text_tells_are_not_listed_again() -> None:
    first = BRIEF.studies[0]
    result = Sentence(text="Wobbles: none.", evidence_ids=("E2",))
    other = first.model_copy(update={"evidence_ids": ("E2",), "result": result})
    changed = BRIEF.model_copy(update={"synthesis": (WRITTEN,), "studies": (first, other)})
    shown = first_screen(brief_report(brief=changed))
    assert first.result.text not in shown
    assert "Wobbles: none" in shown


def test_an_outcome_that_the_brief_leaves_out_stands_in_every_file() -> None:
    rows = (*BRIEF.findings, outcome_row(outcome="liver failure", is_grave=True, way=Way.HARM))
    report = brief_report(verdict=VERDICT.model_copy(update={"rows": rows}))
    assert "iver failure" in render_page(report)
    assert "iver failure" in report_markdown(report)
