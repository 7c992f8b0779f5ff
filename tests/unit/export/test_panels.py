"""Panels beside a report on the page, and the trace of a run, as HTML fragments."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import html5lib
import pytest

from deepcritical.domain.report.grids import trials_of
from deepcritical.domain.run.budget import Judgement, Spent
from deepcritical.domain.run.events import (
    AgentCalled,
    Event,
    JudgementMade,
    LoggedEvent,
    Notice,
    RunStarted,
    SourceSearched,
    Stage,
)
from deepcritical.export.html import (
    render_document,
    render_evidence,
    render_mechanism,
    render_sources,
    render_timeline,
    render_trials,
)
from deepcritical.interfaces.page.views import render_trace
from tests.unit.export.reports import ROWS, TRIAL, full_report, report_of
from tests.unit.export.test_hostile_text import CORPUS, local

PANELS = (
    render_document,
    render_sources,
    render_evidence,
    render_mechanism,
    render_trials,
    render_timeline,
)
OWN = set(
    "html head body article header section nav small h1 h2 h3 p b i strong em ul ol li div span "
    "figure figcaption table colgroup col thead tbody tr th td details summary button form label "
    "select option input output mark code a br svg g title desc rect path text tspan".split()
)


@pytest.mark.parametrize("attack", CORPUS)
@pytest.mark.parametrize("render", PANELS)
def test_no_text_becomes_an_element(render: Callable[[Any], str], attack: str) -> None:
    page = html5lib.parse(render(report_of(attack)))
    assert {local(element) for element in page.iter()} <= OWN
    for element in page.iter():
        for name, value in element.attrib.items():
            assert not name.startswith("on")
            assert name != "href" or re.match("https://|#", value)


@pytest.mark.parametrize("render", PANELS)
def test_a_report_without_anything_says_so(render: Callable[[Any], str]) -> None:
    empty = full_report(
        references=(), evidence_table=(), claims=(), hypotheses_tested=(), prisma=None
    )
    shown = render(empty)
    assert "undefined" not in shown
    said = {
        render_evidence: "No record is cited",
        render_mechanism: "No mechanism was recognised",
        render_trials: "No registered trial",
        render_timeline: "No reference has been graded",
    }
    assert said.get(render, "") in shown


def test_every_reference_is_a_row_with_badges_in_words() -> None:
    shown = render_evidence(full_report())
    assert shown.count('<tr role="row" data-level') == 5
    for said in ("⊕⊕⊕◯</span> moderate", "▲</span> supports", "○</span> no direction", "otherol:"):
        assert said in shown
    assert "does not name examplol" in shown


def test_trials_are_ordered_by_what_became_of_them() -> None:
    rows = [
        ROWS[2].model_copy(update={"evidence_id": f"T{n}", "status": status, "why_stopped": why})
        for n, (status, why) in enumerate(
            [("COMPLETED", ""), ("RECRUITING", ""), ("WITHDRAWN", ""), ("COMPLETED", "Futility")]
        )
    ]
    references = [TRIAL.model_copy(update={"evidence_id": f"T{n}"}) for n in range(4)]
    report = full_report(references=tuple(references), evidence_table=tuple(rows))
    assert [trial.number for trial in trials_of(report.references, report.evidence_table)] == [
        3,
        4,
        2,
        1,
    ]
    shown = render_trials(report)
    assert "the registry gives no reason" in shown
    assert 'href="https://clinicaltrials.gov/study/NCT99000001"' in shown


def test_records_of_the_same_study_stand_beside_a_trial() -> None:
    rows = (*ROWS[:2], ROWS[2].model_copy(update={"same_study": ("E1",), "has_results": False}))
    (trial,) = trials_of(full_report().references, rows)
    assert [other.number for other in trial.others] == [1]
    assert "none posted" in render_trials(full_report(evidence_table=rows))


def test_a_paper_with_a_status_stands_for_its_trial_only_without_the_entry() -> None:
    entry = ROWS[2].model_copy(update={"same_study": ("E1",)})
    paper = ROWS[0].model_copy(update={"status": "COMPLETED", "same_study": ("E3",)})
    report = full_report(evidence_table=(paper, ROWS[1], entry))
    assert [trial.number for trial in trials_of(report.references, report.evidence_table)] == [3]
    assert "completed by [1]" in render_trials(report)
    alone = paper.model_copy(update={"same_study": ()})
    report = full_report(evidence_table=(alone, ROWS[1], ROWS[2]))
    assert [trial.number for trial in trials_of(report.references, report.evidence_table)] == [3, 1]


def test_a_passage_stands_at_an_edge_if_it_names_both_ends() -> None:
    shown = render_sources(full_report())
    edge = shown.partition('id="edge-1"')[2].partition('<div popover id="edge-2"')[0]
    assert "Decreases" in edge
    assert 'popovertarget="src-1"' in edge
    assert "No record that was found speaks of this step" in shown.partition('id="edge-3"')[2]


def logged(*events: tuple[Stage, Event]) -> list[LoggedEvent]:
    start = datetime(2999, 1, 1, tzinfo=UTC)
    return [
        LoggedEvent(
            run_id="r", seq=n, at=start + timedelta(seconds=n), stage=stage, progress=0, event=event
        )
        for n, (stage, event) in enumerate(events, 1)
    ]


def called(agent: str, iteration: int) -> AgentCalled:
    return AgentCalled(agent=agent, instruction=f"Go {iteration}.", iteration=iteration)


def judged(judgement: Judgement, calls: int, read: int) -> JudgementMade:
    spent = Spent(calls=calls, input_tokens=read, output_tokens=10 * calls)
    return JudgementMade(judgement=judgement, made_by="model", spent=spent)


QUERY = SourceSearched(
    source="pubmed",
    query="a b",
    query_as_run="a AND b",
    outcome="data",
    total=9,
    identified=3,
    new=2,
)


def test_a_trace_is_told_by_rounds_with_what_each_judgement_took() -> None:
    shown = render_trace(
        logged(
            (Stage.QUESTION, RunStarted(question="<b>Why?", reasoner="a model")),
            (Stage.SEARCH, called("SearchAgent", 1)),
            (Stage.SEARCH, QUERY),
            (Stage.SEARCH, judged("reading", 2, 1500)),
            (Stage.JUDGEMENT, called("JudgeAgent", 1)),
            (Stage.JUDGEMENT, judged("assessment", 3, 2700)),
            (Stage.SEARCH, called("SearchAgent", 2)),
            (Stage.SEARCH, Notice(message="PubMed did <i>not</i> answer.")),
            (Stage.REPORT, called("ReportAgent", 2)),
        )
    )
    assert re.findall("<h3>(.*?)</h3>", shown) == [
        "Notices",
        "Judgements of the model",
        "Question",
        "Round 1",
        "Round 2",
        "Writing",
    ]
    assert "<td>1,500</td><td>20</td>" in shown
    assert "<td>1,200</td><td>10</td>" in shown
    assert "a AND b" in shown
    assert "<dd>8.0 s</dd>" in shown
    assert "did &lt;i&gt;not&lt;/i&gt; answer" in shown


def test_a_trace_without_a_model_has_no_prompts() -> None:
    shown = render_trace(logged((Stage.SEARCH, QUERY)))
    assert "No model was asked" in shown
    assert "<td>9</td><td>3</td><td>2</td>" in shown
