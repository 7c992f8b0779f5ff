"""An invented brief and its report, for tests of what renders them."""

from __future__ import annotations

from typing import Any

from deepcritical.domain.appraisal.verdict import Verdict, VerdictLabel
from deepcritical.domain.appraisal.votes import OutcomeRow, PooledEffect, RowEffect, Way
from deepcritical.domain.evidence.certainty import Certainty
from deepcritical.domain.report.brief import Brief, DecidingStudy, TrialUnderWay
from deepcritical.domain.report.parts import Reference
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.report.sentences import Sentence
from deepcritical.domain.study.reading import Effect
from tests.unit.export.reports import full_report

REFERENCES = (
    Reference(evidence_id="E1", title="T", authors=("Koenig A",), date="2999", ids=("pmid:1",)),
    Reference(evidence_id="E2", title="U", authors=("Luchsinger J",), date="2998", ids=("pmid:2",)),
    Reference(
        evidence_id="E3",
        title="V",
        authors=("Van der Made-Up B",),
        date="2997",
        ids=("doi:10.1/v",),
        retracted=True,
    ),
    Reference(evidence_id="E4", title="W", authors=("Uncited D",), date="2996", ids=("pmid:4",)),
    Reference(
        evidence_id="E5", title="X", source="clinicaltrials", date="2999", ids=("nct:NCT00000005",)
    ),
    Reference(evidence_id="E6", title="Y", source="clinicaltrials", ids=("nct:NCT00000006",)),
)


def _effect(measure: Any, value: float, low: float, high: float) -> Effect:
    return Effect(measure=measure, value=value, ci_low=low, ci_high=high)


EXECUTIVE = OutcomeRow(
    outcome="executive function",
    importance="critical",
    tier="randomised",
    way=Way.BENEFIT,
    studies=2,
    people=1234,
    effects=(
        RowEffect(
            evidence_ids=("E1",),
            way=Way.BENEFIT,
            level="primary",
            effect=_effect("MD", 2.4, 0.3, 4.5),
            unit="points",
            people=1214,
        ),
    ),
    certainty=Certainty.MODERATE,
    evidence_ids=("E1", "E2"),
)
ONSET = OutcomeRow(
    outcome="onset of testitis",
    importance="critical",
    comparator="comparatol",
    tier="controlled",
    way=Way.NO_DIFFERENCE,
    studies=10,
    people=229_110,
    pooled=PooledEffect(
        measure="OR", studies=1, value=1.17, ci_low=0.88, ci_high=1.56, fixed=(1, 1, 1), i2=0
    ),
    effects=(RowEffect(evidence_ids=("E3",), way=Way.NO_DIFFERENCE, level="primary"),),
    certainty=Certainty.VERY_LOW,
    directness="broader",
    evidence_ids=("E3",),
)
DIARRHOEA = OutcomeRow(
    outcome="diarrhoea",
    importance="harm",
    tier="randomised",
    way=Way.HARM,
    studies=1,
    effects=(
        RowEffect(
            evidence_ids=("E2",),
            way=Way.HARM,
            level="secondary",
            effect=_effect("RR", 1.13636, 1.06383, 1.20482),
        ),
    ),
    certainty=Certainty.LOW,
    directness="related",
    evidence_ids=("E2",),
)
BRIEF = Brief(
    answer=(
        Sentence(
            text="In two small randomised trials, examplol improved executive function in people "
            "with mild testitis by 2.4 points (95 % CI 0.3 to 4.5).",
            evidence_ids=("E1", "E2"),
        ),
        Sentence(
            text="A larger cohort found no lower risk of testitis than with comparatol.",
            evidence_ids=("E3",),
        ),
        Sentence(text="The certainty is moderate, because the trials were small."),
    ),
    harms=(
        Sentence(text="Diarrhoea was more common with examplol.", evidence_ids=("E2",)),
        Sentence(text="No deaths were reported.", evidence_ids=("E1",)),
    ),
    findings=(EXECUTIVE, ONSET, DIARRHOEA),
    studies=(
        DecidingStudy(
            name="Koenig 2999",
            design="randomised trial",
            people=1214,
            comparator="placebo",
            result=Sentence(
                text="Executive function improved by 2.4 points (0.3 to 4.5); memory did not.",
                evidence_ids=("E1",),
            ),
            evidence_ids=("E1",),
        ),
        DecidingStudy(
            name="Van der Made-Up 2997",
            design="cohort",
            result=Sentence(text="The risk of testitis was the same.", evidence_ids=("E3",)),
            evidence_ids=("E3",),
        ),
    ),
    missing=("No trial lasted longer than a year.", "No trial studied severe testitis."),
    trials=(
        TrialUnderWay(
            registry_id="NCT00000005",
            title="Examplol in the Prevention of Testitis in Older Adults With Many Other Things",
            status="recruiting",
            participants=326,
            completion="2999-03",
            evidence_id="E5",
        ),
        TrialUnderWay(
            registry_id="NCT00000006", title="Examplol", status="planned", evidence_id="E6"
        ),
    ),
)
VERDICT = Verdict(
    label=VerdictLabel.PROMISING, certainty=Certainty.MODERATE, rule="A rule.", rows=BRIEF.findings
)


def brief_report(brief: Brief | None = BRIEF, **fields: Any) -> ResearchReport:
    """A report with a brief, in which invented records are cited."""
    whole = {"verdict": VERDICT, "references": REFERENCES, "notices": (), "evidence_table": ()}
    return full_report(brief=brief, **(whole | fields))


def crowded(brief: Brief = BRIEF) -> Brief:
    """A brief with as much as one should hold."""
    study, trial = brief.studies[0], brief.trials[0]
    return brief.model_copy(
        update={
            "answer": (*brief.answer, brief.answer[1]),
            "findings": brief.findings * 2,
            "studies": (study,) * 5,
            "missing": brief.missing * 3,
            "trials": (trial,) * 6,
        }
    )
