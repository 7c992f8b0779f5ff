"""Differences between two reports."""

from __future__ import annotations

from typing import Any

import pytest

from deepcritical.domain.appraisal.verdict import Verdict, VerdictLabel
from deepcritical.domain.appraisal.votes import OutcomeRow, Way
from deepcritical.domain.evidence.certainty import Certainty
from deepcritical.domain.report.brief import Brief, StudyRow
from deepcritical.domain.report.comparison import compare, outcome_words
from deepcritical.domain.report.parts import Reference, ReportSection
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.report.sentences import Sentence


def row(outcome: str, **fields: Any) -> OutcomeRow:
    given = {"tier": "randomised", "way": Way.BENEFIT, "studies": 1, "certainty": Certainty.LOW}
    return OutcomeRow(outcome=outcome, **{"importance": "critical", **given, **fields})


def study(evidence_id: str, result: str = "better with the drug", **fields: Any) -> StudyRow:
    counts = {"counts": "counts" if result else "does not count: a plan without a result"}
    told = {"name": evidence_id, "result": result, "evidence_ids": (evidence_id,)}
    return StudyRow(**{**counts, **told, **fields})


def report(
    studies: dict[StudyRow, tuple[str, ...]],
    rows: tuple[OutcomeRow, ...] = (),
    label: VerdictLabel = VerdictLabel.PROMISING,
    *,
    raises: bool = False,
) -> ResearchReport:
    section = ReportSection(title="Made up")
    return ResearchReport(
        title="Examplol in testitis",
        research_question="Does examplol help in testitis?",
        executive_summary="",
        verdict=Verdict(label=label, certainty=Certainty.LOW, rule="Made up.", rows=rows),
        methodology=section,
        mechanistic_findings=section,
        clinical_findings=section,
        conclusion="",
        confidence_score=0.4,
        brief=Brief(raises=True, answer=(Sentence(text="Made up."),)) if raises else None,
        study_table=tuple(studies),
        references=tuple(
            Reference(evidence_id=i, title=i, ids=ids)
            for one, ids in studies.items()
            for i in one.evidence_ids
        ),
    )


def test_a_study_is_known_by_any_id_of_its_records() -> None:
    first = report({study("E1"): ("pmid:1",), study("E2"): ("pmid:2", "doi:10.1000/x")})
    second = report({study("E7"): ("doi:10.1000/x",), study("E8"): ("pmid:8",)})
    compared = compare(first, second)
    assert [one.name for one in compared.only_first] == ["E1"]
    assert [one.name for one in compared.only_second] == ["E8"]
    assert (compared.in_both, compared.changed) == (1, ())
    assert not compared.is_same
    assert compare(first, first).is_same


def test_a_study_without_an_id_is_known_by_its_name() -> None:
    first = report({study("E1", name="Koenig 2017"): ()})
    second = report({study("E5", name="Koenig 2017"): ()})
    assert compare(first, second).is_same


def test_a_study_that_was_retracted_since_is_told() -> None:
    before, now = study("E1"), study("E3", counts="does not count: retracted")
    compared = compare(report({before: ("pmid:1",)}), report({now: ("pmid:1",)}))
    assert compared.changed == ((before, now),)
    assert not compared.is_same


def test_outcomes_are_matched_by_name_and_comparator() -> None:
    first = report({}, (row("Pain"), row("Death"), row("Sleep", comparator="wizardol")))
    second = report({}, (row("pain", way=Way.HARM), row("Death"), row("Sleep")))
    told = {
        ((pair.first or pair.second).outcome, pair.difference)  # type: ignore[union-attr]
        for pair in compare(first, second).outcomes
    }
    expected = {("Pain", "changed"), ("Death", "same"), ("Sleep", "only in A")}
    assert told == {*expected, ("Sleep", "only in B")}


@pytest.mark.parametrize(
    ("label", "raises", "words"),
    [
        (VerdictLabel.MIXED, False, "mixed, low certainty"),
        (VerdictLabel.REFUTED, False, "refuted, low certainty"),
        (VerdictLabel.REFUTED, True, "no excess found, low certainty"),
        (VerdictLabel.NOT_ASSESSED, False, "not assessed"),
    ],
)
def test_the_outcome_is_told_as_the_brief_tells_it_with_its_certainty(
    label: VerdictLabel, raises: bool, words: str
) -> None:
    other = report({}, label=label, raises=raises)
    assert outcome_words(other) == words
    assert not compare(report({}), other).same_outcome
