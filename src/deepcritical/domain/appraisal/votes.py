"""The votes of a study's results, and the rows of outcomes that they count in."""

from enum import StrEnum
from typing import Literal, get_args

from pydantic import Field

from deepcritical.domain.base import Model
from deepcritical.domain.evidence.certainty import Certainty
from deepcritical.domain.study.effects import decimals_of, no_effect_value
from deepcritical.domain.study.reading import Effect, EffectMeasure, ResultLevel

STOPPED_EARLY = "stopped early"
"""The row of what registries say of trials that were stopped for futility or harm."""
NOT_STATED = "not stated"
"""The control of a study that does not tell it."""


CONTINUED = "continued treatment"
"""The control of those who stopped the drug."""
STOPPING = "stopping "
"""The words before the name of a drug where its stopping was tested."""
OTHER_COMPARISON = "which was not asked about"
"""How the reason ends why a study has no say on a comparison: it compares with something else."""


def as_stopped(words: str, control: str) -> str:
    """Return words on those with the drug; where others went on with it, on those who stopped."""
    return words.replace(" with the drug", " after stopping") if control == CONTINUED else words


class Way(StrEnum):
    """The direction of a result, or of a row of results, for the patients who got the drug."""

    BENEFIT = "benefit"
    NO_DIFFERENCE = "no difference shown"
    HARM = "harm"
    CONFLICT = "conflicting"


Importance = Literal["critical", "important", "surrogate", "harm"]
"""The importance of an outcome (GRADE guidelines 2). `critical` decides whether the drug works,
`important` is a further outcome of patients, `surrogate` may stand for one, `harm` is unwanted."""

Directness = Literal["direct", "broader", "related"]
"""The relation of those studied to the people asked about. `direct`: the same people; `broader`:
more people, a part of them, or users of a class of drugs; `related`: another condition."""

Tier = Literal["randomised", "controlled", "uncontrolled", "reported"]
"""How the comparison was made: by chance; between groups that formed otherwise; with before; or in
studies that a review tells of without weighing all that there are."""
Counting = Tier | Literal["direct"]
"""Studies that alone are to count: of one kind of results, or of the people asked about."""
TIERS: tuple[Tier, ...] = get_args(Tier)
"""The strongest design first."""


Polarity = Literal["", "more", "less", "unclear"]
"""The better direction of the outcome that a row is named after: more weight in anorexia. `unclear`
where a reader and the table of outcomes differ. '' for that of the table, if it has one, and in
reports from before it was kept."""


class ArmRates(Model):
    """Values or counts of those with the drug, and of those without."""

    drug: float
    other: float
    of: tuple[int, int] | None = None
    """People of each, where both are counts of them; else both are percentages."""
    is_rest: bool = False
    """Whether the record tells those who did not have it, and these are the others."""


class _OnOutcome(Model):
    """Fields that one result and a row of results share."""

    importance: Importance
    comparator: str = ""
    """The active drug that it was compared with; '' for placebo, nothing or the same background."""
    control: str = ""
    """What those without the drug got, in words, where it was no active drug; '' also in reports
    from before it was kept."""
    tested_as: str = ""
    """The class or the several drugs that were tested as one; '' for the drug by itself."""
    members: str = ""
    """Of a class that is asked about, those of its drugs that were given; '' for the class as one,
    and in reports from before it was kept."""
    added_to: str = ""
    """What both sides got, so that the drug was tested as added to it."""
    given_with: str = ""
    """Of a combination, what was given with the drug and not on the other side."""
    polarity: Polarity = ""
    """Which way is better of what the row is named after; `Vote.higher_is_better` is of its
    wording."""
    way: Way
    directness: Directness = "direct"
    population: str = ""
    """Of a result, who was studied, in a reading's words; of a row, in whom ("in people with …")
    where these are not just those asked about. '' where a few words do not say it, and in reports
    from before it was kept."""
    review: bool = False
    """Whether it is of several studies taken together; of a row, whether all of it is."""
    is_grave: bool = False
    """Whether it is of deaths, or of what kills or disables."""
    wanted: bool = False
    """Whether the question asks for just this outcome."""
    harm_asked: bool = False
    """Whether the question asks if the drug brings more of it."""
    matched: bool = False
    """Whether a model found that it tells of the question; of a row, any result of it."""
    of_other_kind: bool = False
    """Whether the question asks for outcomes of another kind."""
    of_course: bool = False
    """Whether it is the condition that gets worse, where any grave harm is asked about: that it
    does not is no answer."""
    is_fatal: bool = False
    """Whether it is of deaths."""
    of_class: bool = False
    """Whether its class was tested, and not the drug by itself."""
    one_arm: str = ""
    """What the arm got whose result it is, where other arms of the study got the drug too, in
    another dose or at another time, or `other_arm` is told; '' also in reports from before it was
    kept."""
    other_arm: str = ""
    """What the arm got that it was compared with, where that is the drug in another dose or beside
    something else, or a background that both got; '' also in reports from before it was kept."""
    prevention: bool = False
    """Whether it is to get the condition, so that those studied did not have it."""
    non_inferior: bool = False
    """Whether the drug was shown to be not worse than the comparator."""
    as_good_asked: bool = False
    """Whether the question asks just that; False also in reports from before it was kept."""


class Vote(_OnOutcome):
    """One result of a study, as it counts for one outcome."""

    evidence_id: str = ""
    """The record, by its id in the run."""
    row: str = Field(min_length=1)
    """Name of the outcome's row."""
    outcome: str
    """As the record writes it."""
    arm: str = ""
    """Id of the arm with the drug: doses have arms of their own."""
    against_asked: bool = False
    """Whether the question asks for just this comparison."""
    leans: Way | None = None
    """Which way its estimate points, significantly or not; None where that is not told."""
    level: ResultLevel = "unstated"
    tier: Tier = "controlled"
    effect: Effect | None = None
    """Of the people with the drug against those without, whatever the record's order."""
    from_arms: bool = False
    """Whether the effect was calculated from the figures of both arms."""
    turned_from: Effect | None = None
    """The record's own estimate, of those without the drug against those with it, from which the
    effect was calculated; None where the record gives the effect itself."""
    rates: ArmRates | None = None
    higher_is_better: bool | None = None
    unit: str = ""
    timepoint: str = ""
    people: int | None = Field(default=None, ge=0)
    studies: int | None = Field(default=None, ge=0)
    """Studies that a review takes in."""
    stated: tuple[Certainty, ...] = ()
    """Levels of certainty that a review states of the result, else of all its evidence."""
    network: bool = False
    """Whether it is of a network of trials, of which an untold part concerns the drug."""
    year: int | None = None
    """When it was published."""
    feared: bool = False
    """Whether the record reports it as a harm."""
    of_asked: bool = False
    """Whether it is of the subgroup of a study that the question names."""
    of_completers: bool = False
    """Whether only those who kept to the protocol, or stayed to the end, were analysed."""
    open_label: bool = False
    start: int | None = None
    """Where the quote that it rests on begins in the record."""


class PooledEffect(Model):
    """An estimate over several trials, by inverse variance."""

    measure: EffectMeasure
    unit: str = ""
    studies: int
    value: float
    ci_low: float
    ci_high: float
    """By random effects (DerSimonian and Laird)."""
    fixed: tuple[float, float, float]
    """Estimate and limits by a fixed effect."""
    i2: float = Field(ge=0, le=100)
    """Share of the variation that is not by chance, in percent."""

    def as_effect(self) -> Effect:
        """Return the estimate by random effects, to two decimals.

        A figure on one side of no effect has as many decimals as keep it there.
        """
        none = no_effect_value(Effect(measure=self.measure))
        value, low, high = (
            round(x, decimals_of(x, none)) for x in (self.value, self.ci_low, self.ci_high)
        )
        return Effect(measure=self.measure, value=value, ci_low=low, ci_high=high)


class RowEffect(Model):
    """The effect that one study found."""

    evidence_ids: tuple[str, ...]
    way: Way
    level: ResultLevel
    effect: Effect | None = None
    from_arms: bool = False
    """Whether the effect was calculated from the figures of both arms."""
    turned_from: Effect | None = None
    """The record's own estimate, of those without the drug against those with it, from which the
    effect was calculated."""
    rates: ArmRates | None = None
    unit: str = ""
    people: int | None = None
    tested_as: str = ""
    """The class that was tested, where the study did not test the drug by itself."""


class OutcomeRow(_OnOutcome):
    """A row of a summary of findings: one outcome against one kind of comparator (GRADE)."""

    outcome: str
    told_as: str = ""
    """What one record calls the outcome, where the row is of one result; '' of several, and in
    reports from before it was kept."""
    tier: Tier
    studies: int = Field(ge=0)
    """Those of a review are counted as it says."""
    people: int | None = None
    """Participants of the studies that say how many; None where none does."""
    effects: tuple[RowEffect, ...] = ()
    pooled: PooledEffect | None = None
    certainty: Certainty
    reasons: tuple[str, ...] = ()
    """What lowered the certainty, by GRADE's domains."""
    most: Certainty | None = None
    """How certain it can be at most, whatever was not read were known; None in reports from before
    a model rated certainty."""
    primary: bool = False
    """Whether it was the primary outcome of one of the studies."""
    inconclusive: bool = False
    """Whether no difference is shown, and a relevant one is not excluded either."""
    trivial: bool = False
    """Whether its difference is too small to matter, whatever its significance."""
    asked: bool = False
    """Whether the question asks for just this comparison with an active drug."""
    finding: str = ""
    """What was found, in words."""
    sentence: str = ""
    """The row in one plain sentence."""
    evidence_ids: tuple[str, ...] = ()
    """Records that it rests on, in store order."""
    beside: tuple[str, ...] = ()
    """Records with a result that is told and not counted: reviews of the same trials, weaker
    designs."""
    fears: tuple[str, ...] = ()
    """Those of `evidence_ids` that found more of a harm, of a kind that is told beside the studies
    of the row and not among them; () in reports from before they were kept apart."""
