"""Made-up reports with a brief and a table of studies, for the tests of the formats."""

from __future__ import annotations

from typing import Any

from deepcritical.domain.appraisal.votes import OutcomeRow, PooledEffect, RowEffect, Way
from deepcritical.domain.evidence.certainty import Certainty
from deepcritical.domain.report.brief import Brief, DecidingStudy, StudyRow, TrialUnderWay
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.report.sentences import Sentence, SentenceCheck
from deepcritical.domain.study.reading import Effect, EffectMeasure
from tests.unit.export.reports import VERDICT, full_report, report_of

POOLED = PooledEffect(
    measure="RR", studies=2, value=0.82, ci_low=0.7, ci_high=0.95, fixed=(0.82, 0.7, 0.95), i2=12.0
)


def found(
    evidence_id: str,
    value: float,
    low: float | None,
    high: float | None,
    measure: EffectMeasure = "RR",
    **fields: Any,
) -> RowEffect:
    whole: dict[str, Any] = {
        "evidence_ids": (evidence_id,),
        "way": Way.NO_DIFFERENCE,
        "level": "primary",
        "effect": Effect(measure=measure, value=value, ci_low=low, ci_high=high),
        "people": 620,
    }
    return RowEffect(**(whole | fields))


def outcome_row(**fields: Any) -> OutcomeRow:
    """A row of a summary of findings."""
    whole: dict[str, Any] = {
        "outcome": "testitis flares",
        "importance": "critical",
        "tier": "randomised",
        "way": Way.BENEFIT,
        "studies": 2,
        "people": 1240,
        "effects": (found("E1", 0.8, 0.66, 0.97, way=Way.BENEFIT), found("E2", 0.9, 0.6, 1.3)),
        "pooled": POOLED,
        "certainty": Certainty.LOW,
        "finding": "testitis flares: fewer with the drug (risk ratio 0.82)",
        "evidence_ids": ("E1", "E2"),
    }
    return OutcomeRow(**(whole | fields))


BRIEF = Brief(
    answer=(
        Sentence(
            text="Examplol lowered testitis flares (risk ratio 0.82, 95% CI 0.70 to 0.95).",
            evidence_ids=("E1", "E2"),
            finding_ids=("F1",),
            origin="model",
            written_by="made-up:writer",
            checks=(
                SentenceCheck(name="figures", passed=True),
                SentenceCheck(name="entailment", passed=True, by="made-up:verifier"),
            ),
        ),
        Sentence(text="The certainty is low"),
    ),
    harms=(Sentence(text="Nausea was more frequent.", evidence_ids=("E1",)),),
    findings=(outcome_row(),),
    studies=(
        DecidingStudy(
            name="Invented 2021",
            design="randomised trial",
            people=1240,
            comparator="placebo",
            result=Sentence(text="Fewer flares with examplol.", evidence_ids=("E1",)),
            evidence_ids=("E1",),
        ),
    ),
    missing=("No trial lasted longer than a year.",),
    trials=(
        TrialUnderWay(
            registry_id="NCT99000001",
            title="Examplol for testitis",
            status="recruiting",
            participants=300,
            completion="2999-06",
            evidence_id="E3",
        ),
    ),
)
STUDIES = (
    StudyRow(
        name="Invented 2021",
        design="randomised trial",
        population="adults with testitis",
        arms=("examplol 10 mg (n = 620)", "placebo (n = 620)"),
        comparator="placebo",
        outcome="flares in a year",
        result="risk ratio 0.80 (95% CI 0.66 to 0.97)",
        people=1240,
        certainty="moderate",
        counts="decides",
        evidence_ids=("E1",),
    ),
    StudyRow(name="Pomilius 2022", design="cohort", certainty="low", evidence_ids=("E2",)),
)


def brief_report(**fields: Any) -> ResearchReport:
    """A report with a brief, and with something in every other part."""
    verdict = VERDICT.model_copy(update={"rows": (outcome_row(),)})
    whole: dict[str, Any] = {"brief": BRIEF, "study_table": STUDIES, "verdict": verdict}
    return full_report(**(whole | fields))


def brief_of(text: str) -> ResearchReport:
    """A report with a brief in which every text that comes from outside is `text`."""
    words = text or "-"
    sentence = Sentence(text=words, evidence_ids=("E1",), origin="model", written_by=text)
    row = outcome_row(outcome=words, comparator=text, finding=text)
    trial = BRIEF.trials[0].model_copy(
        update={"title": text, "registry_id": text, "status": text, "completion": text}
    )
    study = BRIEF.studies[0].model_copy(
        update={"name": text, "design": text, "comparator": text, "result": sentence}
    )
    brief = Brief(
        answer=(sentence,),
        harms=(sentence,),
        findings=(row,),
        studies=(study,),
        missing=(text,),
        trials=(trial,),
    )
    table = StudyRow(
        name=text,
        design=text,
        population=text,
        arms=(text,),
        comparator=text,
        outcome=text,
        result=text,
        certainty=text,
        counts=text,
        evidence_ids=("E1",),
    )
    verdict = VERDICT.model_copy(update={"rows": (row,)})
    changes = {"brief": brief, "study_table": (table,), "verdict": verdict}
    return report_of(text).model_copy(update=changes)
