"""Builds bodies of evidence from invented studies and decides on them."""

from __future__ import annotations

from typing import Any

from deepcritical.appraisal.body.verdict import decide
from deepcritical.appraisal.pico.asked import Asked
from deepcritical.appraisal.votes.records import read_for
from deepcritical.domain.appraisal.findings import Appraisal, study_findings
from deepcritical.domain.appraisal.verdict import Verdict
from deepcritical.domain.evidence.grading import grade
from deepcritical.domain.question.frame import Drug, QuestionFrame, QuestionKind
from deepcritical.domain.study.reading import Effect, EffectMeasure, Result, StudyReading
from tests.unit.appraisal.builders import CONDITION, DRUG, arm, asked, people, record, study

__all__ = ["among", "cohort", "combination", "comparison", "eff", "judged", "review", "trial"]


def eff(measure: EffectMeasure, value: float, low: float, high: float) -> Effect:
    """Return an estimate with its interval."""
    return Effect(measure=measure, value=value, ci_low=low, ci_high=high)


def trial(
    *results: Result,
    n: int = 1000,
    a: tuple[str, ...] = (DRUG,),
    b: tuple[str, ...] = (),
    **own: Any,
) -> StudyReading:
    """Return a randomised trial of n people in testitis."""
    arms = (arm("A", *a, n=n // 2), arm("B", *b, n=n // 2))
    return study(*results, arms=arms, **{"population": people(n_randomised=n), **own})


def among(condition: str, n: int = 1000) -> dict[str, Any]:
    """Return what makes a trial one of people with a condition."""
    return {"n": n, "population": people(condition, n_randomised=n)}


def cohort(*results: Result, n: int = 600, **own: Any) -> StudyReading:
    """Return a cohort of users and others."""
    return trial(*results, n=n, **{"kinds": ("observational",), "design": ("cohort",), **own})


def review(*results: Result, n: int | None = None, studies: int = 20, **own: Any) -> StudyReading:
    """Return a meta-analysis of randomised trials."""
    fields = {
        "kinds": ("systematic_review",),
        "design": ("randomised", "meta_analysis"),
        "population": people(n_randomised=n, n_studies=studies),
    }
    return study(*results, arms=(arm("A", DRUG, n=None), arm("B", n=None)), **{**fields, **own})


def comparison(other: str = "testamine") -> Asked:
    """Return the question whether examplol is better than another drug."""
    return asked(frame=_frame(QuestionKind.COMPARISON, comparators=(other,)))


def combination(other: str = "testamine") -> Asked:
    """Return the question whether examplol with another drug helps."""
    drugs = (Drug(name=DRUG, known=False), Drug(name=other, known=False))
    return asked(frame=_frame(QuestionKind.COMBINATION, drugs=drugs))


def _frame(kind: QuestionKind, **fields: Any) -> QuestionFrame:
    drugs = (Drug(name=DRUG, known=False),)
    return QuestionFrame.model_validate({"text": "", "kind": kind, "drugs": drugs, **fields})


def judged(*studies: StudyReading, question: Asked | None = None) -> Verdict:
    question = question or asked()
    names = {name for told in studies for name in told.population.conditions} or {CONDITION}
    told = {}
    for number, reading in enumerate(studies, start=1):
        observed = "observational" in reading.kinds
        types = () if observed else ("Randomized Controlled Trial",)
        paper = record(f"Examplol in {' and '.join(sorted(names))}", publication_types=types)
        graded, key = grade(paper), f"E{number}"
        told[key] = Appraisal.weighed(read_for(question, key, paper, reading, graded), graded)
    return decide(study_findings(told, [[key] for key in told]))
