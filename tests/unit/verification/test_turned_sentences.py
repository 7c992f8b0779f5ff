"""Sentences that turn a finding round by words beside its direction, and true ones like them."""

from __future__ import annotations

import pytest

from deepcritical.domain.appraisal.votes import Way
from deepcritical.domain.report.sentences import Finding
from deepcritical.domain.study.reading import Effect
from deepcritical.verification.binding import checks_of

EFFECT = Effect(measure="HR", value=0.8, ci_low=0.7, ci_high=0.9)


def refused(text: str, *, own: bool, **changes: object) -> bool:
    """Return whether a check of code fails."""
    fields = {
        "id": "F1",
        "evidence_ids": ("E1",),
        "drug": "examplol",
        "comparator": "placebo",
        "outcome": "mortality",
        "way": Way.BENEFIT,
        "population": "adults with testitis",
        "design": "randomised trial",
        "effect": EFFECT,
        "quotes": ("Examplol changed mortality (HR 0.80, 95% CI 0.70-0.90).",),
    }
    finding = Finding.model_validate({**fields, **changes})
    return not all(check.passed for check in checks_of(text, [finding], own=own))


FALL = {
    "effect": Effect(measure="MD", value=-9.0, ci_low=-12.6, ci_high=-5.5),
    "quotes": ("Mortality fell (-9.0 points, 95% CI -12.6 to -5.5).",),
}
USUAL = {"comparator": "usual care"}
AT_RISK = {"population": "adults at increased risk of stroke", "outcome": "stroke"}


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("Examplol lowered mortality but raised mortality.", {}),
        ("A placebo-controlled trial found that examplol raised mortality.", {}),
        ("Relative to placebo examplol raised mortality.", {}),
        ("At the usual dose examplol raised mortality.", USUAL),
        ("In usual practice examplol raised mortality.", USUAL),
        ("Examplol increased risk of stroke.", AT_RISK),
        ("With examplol came increased risk of stroke.", AT_RISK),
        ("Examplol increased mortality with a 95% CI of 0.70 to 0.90.", {}),
    ],
)
def test_a_finding_turned_round_is_refused(
    text: str, changes: dict[str, object], own: bool
) -> None:
    assert refused(text, own=own, **changes)


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("A placebo-controlled trial found that examplol lowered mortality.", {}),
        ("Examplol lowered mortality compared with placebo (HR 0.80, 95 % CI 0.70 to 0.90).", {}),
        ("At the usual dose examplol lowered mortality.", USUAL),
        ("Mortality was lower with examplol than with placebo.", {}),
        ("Examplol lowered mortality by 9 points (95% CI 5.5 to 12.6).", FALL),
    ],
)
def test_the_same_words_around_what_was_found_pass(
    text: str, changes: dict[str, object], own: bool
) -> None:
    assert not refused(text, own=own, **changes)


def test_people_that_no_finding_names_are_refused_to_its_own_judge() -> None:
    assert refused("In women with heart failure, examplol lowered mortality.", own=True)
