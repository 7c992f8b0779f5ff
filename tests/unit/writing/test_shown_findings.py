"""Findings as a writer is shown them: nothing is said twice."""

from __future__ import annotations

from deepcritical.appraisal.records import read_for
from deepcritical.appraisal.verdict import decide
from deepcritical.domain.appraisal import Appraisal, study_findings
from deepcritical.domain.evidence import Citation, Fact, FactRole
from deepcritical.domain.grading import grade
from deepcritical.domain.votes import Way
from deepcritical.writing.by_model import _shown
from deepcritical.writing.findings import findings_of
from tests.unit.appraisal.builders import (
    LESS,
    PLACEBO_CONTROLLED,
    arm,
    asked,
    null,
    people,
    record,
    result,
    study,
)
from tests.unit.verification.studies import FINDINGS


def test_a_study_a_quote_and_what_stands_above_are_told_once() -> None:
    one = FINDINGS["F1"]
    two = one.model_copy(update={"id": "F2", "sentence": "It lowered the other score."})
    told = _shown("Does it help?", f"Yes. {one.sentence}", {"F1": one, "F2": two}, 9_000)
    assert "Yes. [F1]" in told
    assert told.count(one.sentence) == 1
    assert told.count(one.quotes[0]) == 1
    assert "quote: as in F1" in told
    assert "study: " in told
    assert told.count(f"people: {one.population}") == 1


def test_one_result_in_two_records_of_a_study_is_one_finding_and_says_whose_it_is() -> None:
    """With the number of those randomised, where fewer were analysed."""
    found = result(effect=LESS, n=260)
    other = result("flurb days", effect=LESS, n=260)
    read = study(found, other, population=people(description="Adults", n_randomised=300))
    paper = record()
    graded = grade(paper)
    weighed = {
        key: Appraisal.weighed(read_for(asked(), key, paper, read, graded), graded)
        for key in ("E1", "E2")
    }
    studies = study_findings(weighed, [["E1", "E2"]])
    records, readings = dict.fromkeys(weighed, paper), dict.fromkeys(weighed, read)
    told = findings_of("examplol", decide(studies), studies, weighed, records, readings, {})
    assert len(told) == len({f.sentence for f in told.values()}) == 2
    assert all(f.study for f in told.values())
    shown = _shown("Does it help?", "", told, 9_000)
    assert "people: Adults (300 randomised)" in shown
    assert "people in this result: 260" in shown


def test_two_studies_that_are_called_the_same_have_each_a_finding() -> None:
    named = Citation(source="pubmed", title="Examplol in testitis", authors=("Doe J",), date="2999")
    records = {
        key: record(content=f"{text} got examplol or placebo. Pain fell.").model_copy(
            update={"citation": named}
        )
        for key, text in (("E1", "Adults"), ("E2", "Men"))
    }
    readings = {key: study(result()) for key in records}
    weighed = {
        key: Appraisal.weighed(read_for(asked(), key, one, readings[key], grade(one)), grade(one))
        for key, one in records.items()
    }
    studies = study_findings(weighed, [["E1"], ["E2"]])
    told = findings_of("examplol", decide(studies), studies, weighed, records, readings, {})
    assert {("E1",), ("E2",)} <= {finding.evidence_ids for finding in told.values()}


def test_a_harm_in_the_record_s_words_says_of_whom_it_is_told() -> None:
    read = study(result(), population=people(description="Adults", n_randomised=300))
    said = "Hiccups occurred in 6 of 150 adults with examplol."
    paper = record(content=f"Adults got examplol or placebo. Pain fell. {said}")
    graded = grade(paper)
    at, end = paper.content.index(said), len(paper.content)
    fact = Fact(evidence_id="E1", statement=said, quote=said, start=at, end=end, role=FactRole.HARM)
    told = read_for(asked(), "E1", paper, read, graded).model_copy(update={"context": (fact,)})
    weighed = {"E1": Appraisal.weighed(told, graded)}
    studies = study_findings(weighed, [["E1"]])
    found = findings_of(
        "examplol", decide(studies), studies, weighed, {"E1": paper}, {"E1": read}, {}
    )
    (harm,) = (one for one in found.values() if one.outcome == "harms")
    assert (harm.design, harm.directness) == ("double-blind randomised trial", "direct")
    assert harm.sentence == f"{harm.study} ({harm.population}) reports: “{said.rstrip('.')}”."
    assert harm.population.startswith("adults")


def test_of_results_that_differ_each_is_quoted() -> None:
    said = (
        "Adults got examplol, testamine or placebo. Pain fell by a tenth. The flurb score did not "
        "change. With testamine it fell."
    )
    arms = (*PLACEBO_CONTROLLED, arm("C", "testamine"))
    other = result(a="C", sentences=(4,))  # of another arm
    paper = record(content=said)
    read = study(result(sentences=(2,)), null(sentences=(3,)), other, arms=arms)
    graded = grade(paper)
    weighed = {"E1": Appraisal.weighed(read_for(asked(), "E1", paper, read, graded), graded)}
    studies = study_findings(weighed, [["E1"]])
    told = findings_of(
        "examplol", decide(studies), studies, weighed, {"E1": paper}, {"E1": read}, {}
    )
    assert told["F1"].way is Way.CONFLICT
    assert told["F1"].quotes == ("Pain fell by a tenth.", "The flurb score did not change.")
