from __future__ import annotations

import pytest

from deepcritical.domain.evidence.kinds import classify_stop

CASES = {
    "efficacy": (
        "Futility",
        "Lack of efficacy",
        "lack of clinical benefit at interim analysis",
        "Lack of clear efficacy",
        "Insufficient efficacy",
        "No benefit was seen",
        "no clear benefit",
        "No difference between groups",
        "did not show clear benefit over placebo",
        "Study did not meet its primary endpoint",
        "Primary endpoint was not met",
        "The trial failed to demonstrate superiority over placebo.",
        "The drug was not effective",
        "Terminated based on negative results of a parallel study",
        "Low conditional power",
        "DSMB recommended stopping for futility",
        "Slow accrual and lack of efficacy",
        "Stopped for efficacy concerns",
        "Insufficient recruitment and no evidence of benefit",
        "Stopped for lack of efficacy; no safety concerns were identified",
        "Sponsor decision due to lack of efficacy, not safety",
        "The decision was due to efficacy reasons and not due to safety concerns.",
    ),
    "safety": (
        "Safety concerns",
        "Toxicity",
        "hepatotoxicity",
        "Unexpected serious adverse events in the treatment arm",
        "Unfavourable risk-benefit",
        "Higher mortality in the active arm",
        "Poor tolerability",
        "not only for business but also for safety reasons",
    ),
    "enrolment": (
        "Slow accrual",
        "Low enrolment",
        "Poor recruitment",
        "Unable to recruit",
        "Lack of eligible patients",
        "No participants were enrolled",
        "Did not meet enrollment targets",
        "Failed to reach recruitment goal",
        "Ineffective recruitment",
        "Sponsor's decision because of slow enrolment",
        "no safety concerns; slow accrual",
        "Slow enrollment, not for safety reasons",
        "Data Safety Monitoring Board recommended termination due to slow accrual",
    ),
    "business": (
        "Sponsor decision",
        "Business reasons",
        "Lack of funding",
        "Company decision; not related to safety or efficacy",
        "Strategic decision, unrelated to any safety issue",
        "The decision was not based on efficacy or safety concerns but on business strategy",
        "Study was terminated for business reasons, not due to safety or lack of efficacy",
        "Portfolio prioritisation; no new safety signals were observed",
        "Sponsor terminated for non-safety reasons",
        "Business decision. Safety was not a concern.",
        "Business decision rather than any safety or efficacy reasons",
        "The sponsor discontinued development. There were no efficacy or safety concerns.",
    ),
    "other": (
        "",
        ".",
        "Investigator left the institution",
        "Study drug expired",
        "COVID-19",
        "Halted for the safety of participants during the COVID-19 pandemic",
        "Stopped early for overwhelming efficacy",
        "Terminated early for benefit",
        "Primary endpoint met early",
    ),
}


@pytest.mark.parametrize(
    ("why", "expected"), [(why, name) for name, reasons in CASES.items() for why in reasons]
)
def test_the_class_of_a_reason(why: str, expected: str) -> None:
    assert classify_stop(why) == expected
    assert classify_stop(why.upper()) == expected
