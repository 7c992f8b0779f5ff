"""Bodies of evidence with the labels that a guideline panel would accept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deepcritical.domain.appraisal.verdict import Verdict
from deepcritical.domain.study.reading import Effect, StudyReading
from tests.unit.appraisal.builders import DEATHS, OUTCOME, arm, asked, null, people, result
from tests.unit.appraisal.cases import (
    among,
    cohort,
    combination,
    comparison,
    eff,
    judged,
    review,
    trial,
)

DEMENTIA = "Alzheimer's disease"
LESS: dict[str, Any] = {"higher_is_better": False}
MORE: dict[str, Any] = {"higher_is_better": True}


def died(value: float, low: float, high: float, **own: Any) -> Any:
    """A result on deaths; no difference where the interval holds 1."""
    better = "no_difference" if low < 1 < high else "a" if value < 1 else "b"
    return result(DEATHS, better=better, effect=eff("HR", value, low, high), **LESS, **own)


def cognition(n: int = 600, level: str = "unstated") -> StudyReading:
    """A trial in dementia with better cognition; no difference in function and deaths."""
    scale = eff("SMD", -0.4, -0.6, -0.2)
    told = (
        result("ADAS-Cog", concept="cognition", level=level, effect=scale, **LESS),
        null("activities of daily living", level=level, effect=Effect(p=0.3)),
        null(DEATHS, level=level, effect=Effect(p=0.8)),
    )
    return trial(*told, **among(DEMENTIA, n))


def stay(n: int = 1000) -> StudyReading:
    return trial(result("length of hospital stay"), **among("pneumonia", n))


def anticoagulant() -> StudyReading:
    told = (
        result("stroke", effect=eff("HR", 0.4, 0.3, 0.5), **LESS),
        result(
            "major bleeding", kind="safety", better="b", effect=eff("HR", 1.5, 1.2, 1.9), **LESS
        ),
    )
    return trial(*told, **among("atrial fibrillation", 5000))


PNEUMONIA: dict[str, Any] = {"population": people("pneumonia", n_randomised=2000)}


def infected() -> Any:
    worse = {"kind": "safety", "level": "secondary", "better": "b", **LESS}
    return result("serious infections", effect=eff("RR", 3, 2, 4.5), **worse)


def narrow(**own: Any) -> Any:
    return result(OUTCOME, **{"effect": eff("RR", 0.6, 0.5, 0.72), **LESS, **own})


def wide(value: float, low: float, high: float, **own: Any) -> Any:
    return null(OUTCOME, effect=eff("RR", value, low, high), **LESS, **own)


CASES: dict[str, tuple[Callable[[], Verdict], str]] = {
    # 1: the pooled row decides, and its precision
    "four trials that only together show fewer deaths": (
        lambda: judged(*[trial(died(0.8, 0.63, 1.02)) for _ in range(4)]),
        "supported",
    ),
    "three trials that only together show a benefit": (
        lambda: judged(*[trial(wide(0.75, 0.55, 1.03), n=800) for _ in range(3)]),
        "supported",
    ),
    "two small trials with a wide interval": (
        lambda: judged(*[trial(wide(0.6, 0.3, 1.2), n=210) for _ in range(2)]),
        "promising|unsupported|insufficient evidence",
    ),
    "a wide interval of a difference": (
        lambda: judged(
            *[trial(null(effect=eff("MD", 4, -8, 16), unit="points", **MORE), n=210)] * 2
        ),
        "unsupported",
    ),
    "two tight nulls": (
        lambda: judged(*[trial(wide(1, 0.93, 1.08), n=3000) for _ in range(2)]),
        "refuted",
    ),
    "two tight nulls of a standardised scale": (
        lambda: judged(*[trial(null(effect=eff("SMD", 0.02, -0.1, 0.14))) for _ in range(2)]),
        "refuted",
    ),
    "two loose nulls of a standardised scale": (
        lambda: judged(*[trial(null(effect=eff("SMD", 0.1, -0.35, 0.55)), n=80)] * 2),
        "unsupported",
    ),
    # 3: rows, not outcomes against each other
    "cognition better, function and deaths without a difference": (
        lambda: judged(cognition(), cognition(), question=asked(DEMENTIA)),
        "supported",
    ),
    "the same of secondary results": (
        lambda: judged(
            cognition(level="secondary"), cognition(level="secondary"), question=asked(DEMENTIA)
        ),
        "supported|promising",
    ),
    "a primary benefit and no difference in deaths": (
        lambda: judged(*[trial(narrow(), null(DEATHS, level="secondary")) for _ in range(2)]),
        "supported",
    ),
    "three trials with a benefit that matters and forty people without deaths": (
        lambda: judged(
            stay(),
            stay(),
            stay(),
            trial(null(DEATHS, level="secondary"), **among("pneumonia", 40)),
            question=asked("pneumonia"),
        ),
        "promising",
    ),
    "one small benefit and four large nulls of one outcome": (
        lambda: judged(
            trial(result(), n=150), *[trial(null(level="secondary"), n=500) for _ in range(4)]
        ),
        "unsupported|refuted|mixed",
    ),
    "more deaths and a better scale": (
        lambda: judged(*[trial(narrow(), died(1.4, 1.2, 1.6, level="secondary"))] * 2),
        "mixed|harmful",
    ),
    # 4: what is pooled
    "two small benefits and a null of ten thousand without figures": (
        lambda: judged(
            *[trial(died(0.5, 0.3, 0.83), n=120) for _ in range(2)],
            trial(null(DEATHS, effect=Effect(p=0.8)), n=10_000),
        ),
        "refuted|unsupported|mixed",
    ),
    # 5: harm needs more than a sign
    "worse than at the start, without a control": (
        lambda: judged(
            trial(
                result(contrast="within", b="", better="b", effect=Effect(p=0.001)),
                n=60,
                design=("single_arm", "open_label"),
            )
        ),
        "insufficient evidence",
    ),
    "a blood value worse in one small trial": (
        lambda: judged(
            trial(result("LDL cholesterol", kind="surrogate", better="b", level="secondary"), n=40)
        ),
        "insufficient evidence|unsupported|mixed",
    ),
    "deaths in one cohort": (
        lambda: judged(cohort(died(1.4, 1.1, 1.8, level="unstated"))),
        "insufficient evidence|unsupported|mixed",
    ),
    "two trials with more deaths": (
        lambda: judged(*[trial(died(1.4, 1.2, 1.6), n=3000) for _ in range(2)]),
        "harmful",
    ),
    # 7: comparison with an active drug
    "asked against a drug and not worse": (
        lambda: judged(
            *[
                trial(
                    null(non_inferiority="shown", effect=eff("HR", 0.98, 0.9, 1.07), **LESS),
                    n=4000,
                    b=("testamine",),
                )
            ]
            * 2,
            question=comparison(),
        ),
        "supported|promising|unsupported",
    ),
    "asked against a drug and no different": (
        lambda: judged(
            *[trial(wide(1, 0.93, 1.08), n=4000, b=("testamine",)) for _ in range(2)],
            question=comparison(),
        ),
        "unsupported",
    ),
    "asked against a drug with more deaths": (
        lambda: judged(
            *[trial(result(), died(1.5, 1.2, 1.9, level="secondary"), n=4000, b=("testamine",))]
            * 2,
            question=comparison(),
        ),
        "mixed",
    ),
    "better than an active drug, though none was asked about": (
        lambda: judged(*[trial(result(), n=18_000, b=("testamine",)) for _ in range(2)]),
        "promising",
    ),
    # 8: combinations
    "both against one of them": (
        lambda: judged(
            *[trial(narrow(), a=("examplol", "testamine"), b=("testamine",)) for _ in range(2)],
            question=combination(),
        ),
        "supported",
    ),
    "both against the other": (
        lambda: judged(
            *[trial(narrow(), a=("examplol", "testamine"), b=("examplol",)) for _ in range(2)],
            question=combination(),
        ),
        "supported",
    ),
    # 9: small, near or weak evidence
    "a review without a count and one small trial": (
        lambda: judged(review(narrow()), trial(null(), n=40)),
        "promising|supported|mixed",
    ),
    "a direct trial of twenty and two broader ones": (
        lambda: judged(
            trial(null(DEATHS, **LESS), **among("vascular dementia", 20)),
            *[trial(died(0.8, 0.7, 0.9), **among("dementia", 8000)) for _ in range(2)],
            question=asked("vascular dementia"),
        ),
        "supported|promising",
    ),
    "a direct cohort and two broader trials": (
        lambda: judged(
            cohort(died(1.3, 1.1, 1.6), population=people("vascular dementia", n_randomised=400)),
            *[trial(died(0.8, 0.7, 0.9), **among("dementia", 8000)) for _ in range(2)],
            question=asked("vascular dementia"),
        ),
        "supported|promising|mixed",
    ),
    # 11: harms beside the benefit
    "fewer strokes, more bleeding": (
        lambda: judged(anticoagulant(), anticoagulant(), question=asked("atrial fibrillation")),
        "supported",
    ),
    "serious infections in a small trial that shows no benefit": (
        lambda: judged(trial(null(), infected(), n=120)),
        "unsupported",
    ),
    "a lesser outcome and serious infections": (
        lambda: judged(
            *[trial(result("length of stay"), infected(), n=2000, **PNEUMONIA)] * 2,
            question=asked("pneumonia"),
        ),
        "mixed",
    ),
    # 12: who was studied
    "prevention alone": (
        lambda: judged(
            *[
                trial(
                    result("incidence of testitis", effect=eff("RR", 0.5, 0.4, 0.63), **LESS),
                    **among("healthy adults", 3000),
                )
            ]
            * 2
        ),
        "promising|insufficient evidence",
    ),
}


@pytest.mark.parametrize(("found", "labels"), CASES.values(), ids=CASES)
def test_a_body_has_the_label_that_a_panel_would_give(
    found: Callable[[], Verdict], labels: str
) -> None:
    verdict = found()
    assert verdict.label in labels.split("|"), (verdict.rule, verdict.rows)


def test_a_wide_interval_is_never_of_high_certainty() -> None:
    loose = null(effect=eff("MD", 4, -8, 16), unit="points", **MORE)
    assert judged(*[trial(loose, n=210)] * 2).certainty != "high"


def test_a_review_alone_is_not_of_high_certainty() -> None:
    assert judged(review(narrow(), n=4000)).certainty != "high"


@pytest.mark.parametrize(
    "harm",
    ["acute liver failure", "agranulocytosis", "anaphylaxis", "serious infections", "amputation"],
)
def test_a_serious_harm_is_told_beside_the_benefit(harm: str) -> None:
    worse = result(harm, kind="safety", level="secondary", better="b", effect=eff("RR", 3, 2, 4.5))
    found = judged(*[trial(narrow(), worse, n=2000)] * 2)
    assert found.label == "supported"
    told = harm.split()[-1].removesuffix("s")
    assert any(told in cap.casefold() for cap in found.caps), found.caps


def test_opposite_scales_and_times_are_not_pooled() -> None:
    adas = result("ADAS-Cog", concept="cognition", effect=eff("MD", -2.5, -3.4, -1.6), **LESS)
    mmse = result("MMSE", concept="cognition", effect=eff("MD", 1.2, 0.7, 1.7), **MORE)
    told = [
        trial(r.model_copy(update={"unit": "points"}), **among(DEMENTIA, 400)) for r in (adas, mmse)
    ]
    (row,) = judged(*told, question=asked(DEMENTIA)).rows
    assert (row.pooled, row.way) == (None, "benefit")
    early, late = (
        trial(died(0.6, 0.48, 0.75, timepoint="28 days")),
        trial(died(1.0, 0.8, 1.25, timepoint="5 years")),
    )
    assert all(row.pooled is None for row in judged(early, late).rows)


@pytest.mark.parametrize(
    "name", ["normal saline", "sham acupuncture", "placebo cream", "sugar pill", "vehicle gel"]
)
def test_a_placebo_of_any_name_is_no_active_drug(name: str) -> None:
    arms = (arm("A", "examplol", n=500), arm("B", name, n=500, control="placebo"))
    (row,) = judged(*[trial(narrow(), arms=arms) for _ in range(0)], *[_with(arms)] * 2).rows
    assert row.comparator == ""


def _with(arms: Any) -> StudyReading:
    return trial(narrow()).model_copy(update={"arms": arms})
