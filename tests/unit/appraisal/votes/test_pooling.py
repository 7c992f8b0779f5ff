"""Pooling agrees with the metafor package of R on published data, and keeps the laws of pooling."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple

import pytest

from deepcritical.appraisal.votes.pooling import (
    Estimate,
    Pooled,
    interval_by_p,
    mean_difference,
    pool,
    risk_ratio,
    variance,
)
from deepcritical.domain.study.reading import Effect

# All reference figures: R 4.2.2, metafor 3.8-1 (Debian's r-cran-metafor).
# Of each data set, with `e <- escalc(...)` as named above it:
#   one estimate a study: `summary(e, transf=exp)` (without transf for differences)
#   fixed:  `rma(yi, vi, data=e, method="EE")`: b, ci.lb, ci.ub (exp() of each for ratios), QE
#   random: `rma(yi, vi, data=e, method="DL")`: b, ci.lb, ci.ub (exp() of each for ratios), tau2, I2


class Reference(NamedTuple):
    fixed: tuple[float, float, float]
    random: tuple[float, float, float]
    q: float
    tau2: float
    i2: float


# escalc("RR", ...) of the counts in dat.bcg: tuberculosis after BCG vaccine.
# events and people, vaccinated; events and people, not vaccinated
BCG = [
    (4, 123, 11, 139),
    (6, 306, 29, 303),
    (3, 231, 11, 220),
    (62, 13598, 248, 12867),
    (33, 5069, 47, 5808),
    (180, 1541, 372, 1451),
    (8, 2545, 10, 629),
    (505, 88391, 499, 88391),
    (29, 7499, 45, 7277),
    (17, 1716, 65, 1665),
    (186, 50634, 141, 27338),
    (5, 2498, 3, 2341),
    (27, 16913, 29, 17854),
]
BCG_RATIOS = [
    (0.410938655, 0.1343015708, 1.257398383),
    (0.204868154, 0.0862974496, 0.486352271),
    (0.259740260, 0.0734425907, 0.918608697),
    (0.236560524, 0.1792808941, 0.312140798),
    (0.804489534, 0.5162931271, 1.253558058),
    (0.455611145, 0.3871323353, 0.536202989),
    (0.197721022, 0.0783565767, 0.498919223),
    (1.012024048, 0.8945719776, 1.144896889),
    (0.625366345, 0.3925762660, 0.996196407),
    (0.253765465, 0.1494209435, 0.430976474),
    (0.712226836, 0.5725136830, 0.886034834),
    (1.561916200, 0.3736891112, 6.528373831),
    (0.982835077, 0.5821374615, 1.659341396),
]
BCG_POOLED = Reference(
    fixed=(0.6503236196, 0.6006990261, 0.7040477708),
    random=(0.4896241505, 0.3449191352, 0.6950377182),
    q=152.2330080824,
    tau2=0.3087602629,
    i2=92.1173468546,
)

# escalc("MD", m1i=m1i, sd1i=sd1i, n1i=n1i, m2i=m2i, sd2i=sd2i, n2i=n2i, data=dat.normand1999):
# days in hospital after a stroke. mean, SD and people, specialist care; the same, routine care
STROKE = [
    (55, 47, 155, 75, 64, 156),
    (27, 7, 31, 29, 4, 32),
    (64, 17, 75, 119, 29, 71),
    (66, 20, 18, 137, 48, 18),
    (14, 8, 8, 18, 11, 13),
    (19, 7, 57, 18, 4, 52),
    (52, 45, 34, 41, 34, 33),
    (21, 16, 110, 31, 27, 183),
    (30, 27, 60, 23, 20, 52),
]
STROKE_DIFFERENCES = [
    (-20, -32.47436984, -7.525630161),
    (-2, -4.82713861, 0.827138608),
    (-55, -62.76561469, -47.234385306),
    (-71, -95.02233296, -46.977667045),
    (-4, -12.15394305, 4.153943051),
    (1, -1.11761518, 3.117615176),
    (11, -8.06201024, 30.062010245),
    (-10, -14.92371637, -5.076283630),
    (7, -1.73060181, 15.730601807),
]
STROKE_POOLED = Reference(
    fixed=(-3.4636126278, -4.9626470236, -1.9645782319),
    random=(-13.9817218170, -24.0298659215, -3.9335777125),
    q=238.9158108620,
    tau2=205.4093754679,
    i2=96.6515401508,
)

# escalc("OR", ai=pre.xti, n1i=pre.nti, ci=pre.xci, n2i=pre.nci, data=dat.collins1985b):
# pre-eclampsia with diuretics. odds ratio and its 95 % interval
DIURETICS = [
    (1.042735043, 0.4765607702, 2.281548204),
    (0.3970588235, 0.2026673323, 0.7779039055),
    (0.3255813953, 0.1424030798, 0.7443887111),
    (0.2291666667, 0.07848087748, 0.6691739797),
    (0.2488202488, 0.128270824, 0.482662497),
    (0.7431261596, 0.5862635896, 0.9419593828),
    (0.7698574338, 0.3896745495, 1.520962735),
    (2.970588235, 0.5856563703, 15.06752921),
    (1.144886364, 0.687062986, 1.907779654),
]
# The same by `summary(e, transf=exp, level=99)`: the 99 % limits
DIURETICS_99 = [
    (0.3726190465, 2.917983876),
    (0.1640621354, 0.9609512213),
    (0.1098169437, 0.9652722195),
    (0.05604391536, 0.9370751628),
    (0.1041616425, 0.5943792237),
    (0.5441736657, 1.014816636),
    (0.3146181482, 1.883808902),
    (0.3516034292, 25.09757793),
    (0.5852112661, 2.239814681),
]
DIURETICS_POOLED = Reference(
    fixed=(0.6716628120, 0.5637719612, 0.8002010814),
    random=(0.5964486125, 0.4001044634, 0.8891451606),
    q=27.2649016075,
    tau2=0.2296990863,
    i2=70.6582473131,
)

# escalc("IRR", x1i=x1i, t1i=t1i, x2i=x2i, t2i=t2i, data=dat.hart1999): strokes with warfarin.
# rate ratio and its 95 % interval. Q is below its degrees of freedom.
WARFARIN = [
    (0.4564801835, 0.2065295038, 1.008931674),
    (0.3922353412, 0.1717102586, 0.895977702),
    (0.2061285737, 0.0587398552, 0.7233417369),
    (0.6779184248, 0.2412986174, 1.904583605),
    (0.3006134969, 0.1289952861, 0.7005564097),
    (0.3195266272, 0.1902393246, 0.5366780277),
]
WARFARIN_POOLED = Reference(
    fixed=(0.3617450074, 0.2625825007, 0.4983555645),
    random=(0.3617450074, 0.2625825007, 0.4983555645),
    q=2.9624555044,
    tau2=0.0,
    i2=0.0,
)

# escalc("RR", ai=ai, n1i=n1, ci=ci, n2i=n2, data=data.frame(
#   ai=c(0,5,3), n1=c(50,60,40), ci=c(4,0,6), n2=c(48,55,41))): arms without events, not published
NO_EVENTS = [(0, 50, 4, 48), (5, 60, 0, 55), (3, 40, 6, 41)]
NO_EVENTS_RATIOS = [
    (0.1067538126, 0.005901516002, 1.931093046),
    (10.09836066, 0.5712821261, 178.5053011),
    (0.5125, 0.1375003451, 1.910222479),
]
NO_EVENTS_POOLED = Reference(
    fixed=(0.6340840111, 0.2099054410, 1.9154459797),
    random=(0.7579739672, 0.0897102583, 6.4042233977),
    q=5.1227374724,
    tau2=2.1679314519,
    i2=60.9583740965,
)


def made(estimates: list[Estimate | None]) -> list[Estimate]:
    found = [estimate for estimate in estimates if estimate is not None]
    assert len(found) == len(estimates)
    return found


def assert_agrees(pooled: Pooled | None, studies: int, reference: Reference) -> None:
    assert pooled is not None
    assert pooled.studies == studies
    # Closer than the two decimals that are ever shown: the inputs have nine or ten digits.
    assert pooled.fixed[:3] == pytest.approx(reference.fixed, rel=1e-5, abs=1e-5)
    assert pooled.random[:3] == pytest.approx(reference.random, rel=1e-5, abs=1e-5)
    assert pooled.fixed.level == pooled.random.level == 95
    assert pooled.q == pytest.approx(reference.q, rel=1e-5)
    assert pooled.tau2 == pytest.approx(reference.tau2, rel=1e-5, abs=1e-9)
    assert pooled.i2 == pytest.approx(reference.i2, abs=0.001)


def test_risk_ratios_from_counts_agree_with_metafor() -> None:
    estimates = made([risk_ratio(*counts) for counts in BCG])
    for estimate, expected in zip(estimates, BCG_RATIOS, strict=True):
        assert estimate[:3] == pytest.approx(expected, rel=1e-7)
    assert_agrees(pool(estimates, ratio=True), 13, BCG_POOLED)


def test_mean_differences_agree_with_metafor() -> None:
    estimates = made([mean_difference(*arms) for arms in STROKE])
    for estimate, expected in zip(estimates, STROKE_DIFFERENCES, strict=True):
        assert estimate[:3] == pytest.approx(expected, rel=1e-7)
    assert_agrees(pool(estimates, ratio=False), 9, STROKE_POOLED)


@pytest.mark.parametrize(
    ("rows", "reference"), [(DIURETICS, DIURETICS_POOLED), (WARFARIN, WARFARIN_POOLED)]
)
def test_ratios_with_intervals_agree_with_metafor(
    rows: list[tuple[float, float, float]], reference: Reference
) -> None:
    assert_agrees(pool([Estimate(*row) for row in rows], ratio=True), len(rows), reference)


def test_the_level_of_each_interval_counts() -> None:
    wide = [
        Estimate(row[0], *limits, level=99)
        for row, limits in zip(DIURETICS, DIURETICS_99, strict=True)
    ]
    assert_agrees(pool(wide, ratio=True), 9, DIURETICS_POOLED)
    mixed = [Estimate(*row) for row in DIURETICS[:4]] + wide[4:]
    assert_agrees(pool(mixed, ratio=True), 9, DIURETICS_POOLED)


def test_arms_without_events_are_corrected_as_metafor_does() -> None:
    estimates = made([risk_ratio(*counts) for counts in NO_EVENTS])
    for estimate, expected in zip(estimates, NO_EVENTS_RATIOS, strict=True):
        assert estimate[:3] == pytest.approx(expected, rel=1e-7)
    assert_agrees(pool(estimates, ratio=True), 3, NO_EVENTS_POOLED)


def test_published_figures_with_two_decimals_come_close() -> None:
    # As a paper prints them: rounding moves the pooled ratio by less than a hundredth.
    rounded = [Estimate(*(round(number, 2) for number in row)) for row in DIURETICS]
    pooled = pool(rounded, ratio=True)
    assert pooled is not None
    assert pooled.fixed.value == pytest.approx(DIURETICS_POOLED.fixed[0], abs=0.01)
    assert pooled.random.value == pytest.approx(DIURETICS_POOLED.random[0], abs=0.01)


def test_variance_of_a_difference_and_of_a_ratio() -> None:
    z = NormalDist().inv_cdf(0.975)
    assert variance(Estimate(1, 1 - 2 * z, 1 + 2 * z), ratio=False) == pytest.approx(4)
    interval = Estimate(2, 2 * math.exp(-z / 2), 2 * math.exp(z / 2))
    assert variance(interval, ratio=True) == pytest.approx(0.25)


@pytest.mark.parametrize(
    "estimate",
    [
        Estimate(1, 1, 1),
        Estimate(1, 2, 0.5),
        Estimate(3, 1, 2),
        Estimate(0.5, 1, 2),
        Estimate(math.nan, 1, 2),
        Estimate(1, -math.inf, 2),
        Estimate(1, 0.5, math.inf),
        Estimate(1, 0.5, 2, level=0),
        Estimate(1, 0.5, 2, level=100),
        Estimate(1, 0.5, 2, level=math.nan),
    ],
)
@pytest.mark.parametrize("ratio", [True, False])
def test_impossible_intervals_have_no_variance(estimate: Estimate, ratio: bool) -> None:
    assert variance(estimate, ratio=ratio) is None


@pytest.mark.parametrize(
    "estimate", [Estimate(1, 0, 2), Estimate(1, -1, 2), Estimate(-1, -2, -0.5)]
)
def test_ratios_have_to_be_positive(estimate: Estimate) -> None:
    assert variance(estimate, ratio=True) is None
    assert variance(estimate, ratio=False) is not None


def test_estimates_without_variance_are_left_out() -> None:
    good = [Estimate(*row) for row in DIURETICS]
    assert pool([Estimate(1, 2, 0.5), *good], ratio=True) == pool(good, ratio=True)


def test_pooling_takes_two_estimates() -> None:
    good, bad = Estimate(1, 0.5, 2), Estimate(1, 2, 0.5)
    assert pool([], ratio=True) is None
    assert pool([good], ratio=True) is None
    assert pool([good, bad, bad], ratio=True) is None
    assert pool([good, good], ratio=True) is not None


@pytest.mark.parametrize(
    "counts",
    [
        (0, 10, 0, 10),
        (10, 10, 12, 12),
        (0, 0, 1, 10),
        (1, 10, 0, 0),
        (11, 10, 1, 10),
        (1, 10, 11, 10),
        (-1, 10, 1, 10),
        (1, 10, -1, 10),
        (-2, -1, 1, 10),
    ],
)
def test_counts_that_make_no_risk_ratio(counts: tuple[int, int, int, int]) -> None:
    assert risk_ratio(*counts) is None


@pytest.mark.parametrize(
    "arms",
    [
        (1, 1, 0, 2, 1, 10),
        (1, 1, 10, 2, 1, 1),
        (1, -1, 10, 2, 1, 10),
        (1, 1, 10, 2, -1, 10),
        (1, 0, 10, 2, 0, 10),
        (math.nan, 1, 10, 2, 1, 10),
        (1, math.nan, 10, 2, 1, 10),
        (1, 1, 10, math.inf, 1, 10),
        (1, 1, 10, 2, math.inf, 10),
    ],
)
def test_numbers_that_make_no_mean_difference(
    arms: tuple[float, float, int, float, float, int],
) -> None:
    assert mean_difference(*arms) is None


@pytest.mark.parametrize(
    ("effect", "interval"),
    [
        pytest.param(Effect(measure="RD", value=17, p=0.032), (1.4, 32.6), id="a difference"),
        pytest.param(Effect(measure="RR", value=0.30, p=0.034), (0.1, 0.9), id="a ratio"),
    ],
)
def test_an_interval_by_p_is_that_of_the_worked_examples(
    effect: Effect, interval: tuple[float, float]
) -> None:
    # Altman and Bland, BMJ 2011;343:d2090; they approximate the normal distribution.
    assert interval_by_p(effect) == pytest.approx(interval, abs=0.1)


@pytest.mark.parametrize(
    "effect",
    [
        Effect(measure="RR", value=1, p=0.03),
        Effect(measure="RR", p=0.03),
        Effect(measure="RR", value=0.5, p_operator="ns"),
        Effect(measure="RR", value=0.5, p=0.2, p_operator=">"),
        Effect(measure="MD", value=3, p=1),
        Effect(value=0.5, p=0.03),
        Effect(measure="OR", value=3.2, p=0.999),
        Effect(measure="HR", value=0.5, p=1e-17),
        Effect(measure="RR", value=0.6, p=0.05, p_operator="<"),
    ],
)
def test_no_interval_without_an_estimate_and_its_p(effect: Effect) -> None:
    assert interval_by_p(effect) is None
