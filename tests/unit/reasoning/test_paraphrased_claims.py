"""What a summary says in other words or by simple arithmetic, beside the lies nearest to it."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from deepcritical import verify_claim
from tests.unit.domain.records import paper


class Said(NamedTuple):
    """A made-up result, what follows from it, and what does not."""

    result: str
    true: tuple[str, ...]
    false: tuple[str, ...]


SAID = (
    Said(
        "Mortality was lower with examplol than with placebo (29.7% vs 41.2%; relative risk 0.72, "
        "95% CI 0.58 to 0.89; P = 0.003).",
        (
            "Examplol reduced mortality.",
            "About 30% of patients on examplol died, compared with about 41% on placebo.",
            "Mortality was 0.297 with examplol and 0.412 with placebo.",
            "Examplol cut the risk of death by 28%.",
            "The relative risk was 0.72 (95% CI, 0.58–0.89).",
            "The difference in mortality was significant (p<0.01).",
        ),
        (
            "About 41% of patients on examplol died, compared with about 30% on placebo.",
            "Mortality was higher with examplol than with placebo.",
            "Examplol cut the risk of death by 45%.",
            "Examplol cut mortality by 72%.",
            "The relative risk of death was 0.58 (0.72-0.89).",
            "The difference was not significant (P = 0.3).",
        ),
    ),
    Said(
        "Of 1,240 participants, 496 (40%) received examplol 5 mg/kg for 12 weeks.",
        (
            "The study included 1240 participants.",
            "496 of 1 240 participants received examplol.",
            "Participants were given examplol at 5 mg per kg for twelve weeks.",
            "Participants were given examplol at 5 mg/kg for three months.",
            "Examplol was given for 84 days.",
        ),
        (
            "The study included 12,400 participants.",
            "469 of 1240 participants received examplol.",
            "Participants were given examplol at 5 µg/kg.",
            "Examplol was given for 12 days.",
            "Examplol was given for three weeks.",
        ),
    ),
    Said(
        "Pain scores fell by a mean of 2.3 points (95% CI 1.1 to 3.5) over 6 months.",
        (
            "Pain scores decreased by 2.3 points.",
            "Pain scores fell over 26 weeks by 2.3 points.",
        ),
        (
            "Pain scores fell by 2.3% over 6 months.",
            "Pain scores rose by 2.3 points.",
            "Pain scores fell by 2.3 points (95% CI 1.1 to 5.3).",
        ),
    ),
    Said(
        "There was no significant difference in relapse between examplol and placebo (hazard "
        "ratio 0.95, 95% CI 0.80-1.13, p = 0.56).",
        (
            "Relapse did not differ significantly between the groups (P = 0.56).",
            "Examplol was no better than placebo at preventing relapse.",
        ),
        ("Examplol reduced relapse.", "Relapse was significantly reduced (P < 0.05)."),
    ),
    Said(
        "Examplol improved survival in mice lacking TP53, by inhibiting mTOR signalling.",
        (
            "In mice without TP53, examplol prolonged survival.",
            "Examplol inhibited mTOR signaling in mice.",
            "mTOR signalling was suppressed by examplol.",
        ),
        ("Examplol activated mTOR signalling.", "Examplol did not improve survival."),
    ),
    Said(
        "The pooled odds ratio for dementia with examplol was 0.66 (95% CI 0.50-0.88).",
        ("Examplol was associated with a 34% lower odds of dementia.",),
        (
            "Examplol was associated with a 66% lower odds of dementia.",
            "Examplol was associated with a 34% higher odds of dementia.",
        ),
    ),
    Said(
        "Adverse events were more common with examplol (15 of 60 patients, 25%) than with placebo "
        "(6 of 60, 10%).",
        (
            "Placebo was associated with fewer adverse events than examplol.",
            "25% of patients treated with examplol had adverse events versus 10% on placebo.",
        ),
        (
            "Adverse events were more common with placebo than with examplol.",
            "10% of patients treated with examplol had adverse events versus 25% on placebo.",
        ),
    ),
    Said(
        "Examplol doubled the rate of remission (40% vs 20%). Median time to recovery was 10 days "
        "with examplol and 14 days with placebo.",
        (
            "The rate of remission was twice as high with examplol.",
            "Remission was 40% with examplol and 20% with placebo.",
            "Patients on examplol recovered four days earlier than those on placebo.",
            "The median time to recovery was two weeks with placebo.",
        ),
        (
            "The rate of remission tripled with examplol.",
            "Examplol halved the rate of remission.",
            "Remission was 20% with examplol and 40% with placebo.",
            "Patients on examplol recovered five days earlier than those on placebo.",
        ),
    ),
    Said(
        "We aimed to compare whether the scale predicts relapse in chronic adult testitis. "
        "In relapse, scores rose by 7 points (P = 0.01). "
        "The scale had been rated by two nurses.",
        ("In chronic adult testitis the scale predicts relapse.",),
        ("In chronic adult testitis the scale lowered relapse.",),
    ),
)


def held(sentence: str, result: str) -> tuple[bool, str]:
    content = f"Background on testitis stands here. {result} Words on methods follow."
    check = verify_claim(sentence, paper("Examplol in testitis", content))
    return check.supported, check.reason


@pytest.mark.parametrize(
    ("sentence", "result"), [(true, said.result) for said in SAID for true in said.true]
)
def test_what_follows_is_supported(sentence: str, result: str) -> None:
    assert held(sentence, result) == (True, "")


@pytest.mark.parametrize(
    ("sentence", "result"), [(false, said.result) for said in SAID for false in said.false]
)
def test_what_does_not_follow_is_refused(sentence: str, result: str) -> None:
    supported, reason = held(sentence, result)
    assert not supported
    assert reason
