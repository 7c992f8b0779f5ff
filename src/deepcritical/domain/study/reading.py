"""The reading of a study from one record: arms, outcomes and results, for any question.

What a reading means for a question is decided elsewhere; here stands what the study says. Numbers
of sentences are those of `reading.sentences`: 0 is the title, 1 the first sentence of the text.
"""

from datetime import datetime
from typing import Literal

from pydantic import Field

from deepcritical.domain.base import Model

SCHEMA_VERSION: Literal[1] = 1

ReaderKind = Literal["registry", "curated", "model", "rules"]
"""The kinds of readers, in the order of trust."""

StudyKind = Literal[
    "trial",
    "observational",
    "systematic_review",
    "pooled_analysis",
    "narrative_review",
    "guideline",
    "protocol",
    "pharmacokinetic",
    "economic",
    "case_report",
    "animal",
    "in_vitro",
    "other",
]
"""The kinds of studies that a record reports; one record may report several."""

DesignFeature = Literal[
    "randomised",
    "non_randomised",
    "double_blind",
    "single_blind",
    "open_label",
    "placebo_controlled",
    "single_arm",
    "crossover",
    "factorial",
    "cluster",
    "non_inferiority",
    "dose_ranging",
    "network_meta_analysis",
    "meta_analysis",
    "cohort",
    "case_control",
    "cross_sectional",
]

ControlKind = Literal[
    "placebo", "no_treatment", "usual_care", "sham", "waiting_list", "not_exposed"
]
"""The control that an arm got in place of the tested intervention."""

ResultKind = Literal["clinical", "surrogate", "safety", "pharmacokinetic", "cost", "mechanism"]
ResultLevel = Literal["primary", "secondary", "subgroup", "post_hoc", "unstated"]
"""The rank that the record itself gives an outcome, or that the people of a result have."""

Contrast = Literal["between", "within", "single", "association", "interaction", "omnibus"]
"""One arm against another; before and after in one arm; a figure of one arm alone; a correlation or
a risk for each unit; a difference between effects; several arms tested at once."""

Better = Literal["a", "b", "no_difference", "unclear"]
"""The arm with the better result for patients.

Of a change within one arm, `a` is better than before and `b` worse.
"""

EffectMeasure = Literal["RR", "OR", "HR", "IRR", "RD", "MD", "SMD", "RRR", "ratio", "difference"]
"""Ratios of risks, odds, hazards and rates; differences of risks and means; a relative reduction in
percent; any other ratio or difference."""

Unreadable = Literal["no_text", "title_only", "results_not_given", "text_cut_off", "not_english"]
"""Why a part of a study is not in its reading."""

MAIN_RESULT_NOT_READ: Literal["main_result_not_read"] = "main_result_not_read"
"""Said by rules alone: they read something, and left what may decide."""


class Reader(Model):
    """The reader who made a reading."""

    kind: ReaderKind
    name: str = ""
    """The model, as ``provider:name``; the version of the rules."""


class Intervention(Model):
    """Something that an arm got."""

    name: str = Field(min_length=1)
    """As the record writes it."""
    drug: str = ""
    """The drug's or class's name in the vocabulary; '' for what it does not know."""


class Arm(Model):
    """People who were treated alike, or exposed alike in a study without treatment."""

    id: str = Field(min_length=1, max_length=40)
    """Short and unique within the reading, such as A."""
    label: str = ""
    """As the record names it."""
    interventions: tuple[Intervention, ...] = ()
    """All that it got as part of the study, background treatment of all arms included."""
    alternatives: bool = False
    """Whether each person got one of the interventions, as in a pooled class."""
    control: ControlKind | None = None
    n: int | None = Field(default=None, ge=0)
    """People allocated to it; of a crossover, those of a period."""


class Group(Model):
    """People told apart by something else than treatment, such as a genotype."""

    label: str
    n: int | None = Field(default=None, ge=0)


class Population(Model):
    """The people, animals or cells that were studied."""

    description: str = ""
    conditions: tuple[str, ...] = ()
    """Diseases or states that the people had, normalised; those of prevention are outcomes."""
    species: str = "human"
    qualifiers: tuple[str, ...] = ()
    """Age, sex, stage, setting, background treatment."""
    n_randomised: int | None = Field(default=None, ge=0)
    """Of a study without randomisation, the people who entered it."""
    n_analysed: int | None = Field(default=None, ge=0)
    n_planned: int | None = Field(default=None, ge=0)
    n_studies: int | None = Field(default=None, ge=0)
    """Studies that a review takes in."""
    part_of_trial: bool = False
    """Whether the record is on some of a trial's people only: a subgroup, a substudy."""
    sentences: tuple[int, ...] = ()
    """Where the numbers stand."""


class ArmFigure(Model):
    """A value measured in one arm."""

    arm: str
    n: int | None = Field(default=None, ge=0)
    """People who were measured."""
    events: int | None = Field(default=None, ge=0)
    value: float | None = None
    """A mean, a median, a rate or a percentage, in the result's unit."""
    spread: float | None = Field(default=None, ge=0)
    """Standard deviation."""
    low: float | None = None
    """Lower limit of the value's 95 % interval."""
    high: float | None = None


class Effect(Model):
    """An estimate of arm `a` against arm `b`, and how sure it is."""

    measure: EffectMeasure | None = None
    value: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    ci_level: float = Field(default=95.0, gt=0, lt=100)
    """Percent."""
    p: float | None = Field(default=None, ge=0, le=1)
    p_operator: Literal["=", "<", ">", "ns"] = "="
    """`ns` where the record says no more than "not significant"."""


class Result(Model):
    """One outcome of one comparison."""

    outcome: str = Field(min_length=1)
    """As the record writes it."""
    concept: str = ""
    """The measured construct in a few words, such as "all-cause mortality"."""
    kind: ResultKind = "clinical"
    level: ResultLevel = "unstated"
    contrast: Contrast = "between"
    a: str = ""
    """Id of the arm, or '' where no arm is."""
    b: str = ""
    """Id of the arm it is compared with; '' where the record names none, as reviews do."""
    indirect: bool = False
    """Whether the arms met in no study, as in a network of trials."""
    better: Better = "unclear"
    higher_is_better: bool | None = None
    more: Literal["a", "b"] | None = None
    """The arm with more of the outcome, where words say so and no figure does."""
    effect: Effect | None = None
    figures: tuple[ArmFigure, ...] = ()
    unit: str = ""
    timepoint: str = ""
    people: str = ""
    """Who was analysed, if not everybody; '' means all."""
    n: int | None = Field(default=None, ge=0)
    condition: str = ""
    """Which condition it concerns, if not that of the people studied."""
    components: tuple[str, ...] = ()
    """Of a composite outcome."""
    non_inferiority: Literal["shown", "not_shown"] | None = None
    restated: bool = False
    """Whether the same result was told before, as in a conclusion."""
    sentences: tuple[int, ...] = ()


class Conclusion(Model):
    """The authors' conclusion; it is shown and never weighed."""

    efficacy: Literal["works", "does_not", "mixed", "unclear", "not_addressed"] = "not_addressed"
    safety: Literal["safe", "harmful", "mixed", "unclear", "not_addressed"] = "not_addressed"
    sentences: tuple[int, ...] = ()


class MechanismStatement(Model):
    """One step of a mechanism that the record itself found."""

    subject: str
    relation: Literal["increases", "decreases", "no_effect", "binds", "associated"]
    object: str
    system: Literal["human", "animal", "cell"]
    sentences: tuple[int, ...] = ()


class Fault(Model):
    """A part that a check took out, and why."""

    part: str
    """Such as ``results[2].effect``."""
    reason: str


class StudyReading(Model):
    """One record's account of its study."""

    schema_version: Literal[1] = SCHEMA_VERSION
    record_id: str = ""
    """Canonical id of the record, such as ``pmid:12345``."""
    text_sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    """Hash of the text and fields that were read."""
    text: Literal["abstract", "full_text"] = "abstract"
    """Whether the results of the full text were read beside the abstract or other short text."""
    reader: Reader
    read_at: datetime
    kinds: tuple[StudyKind, ...] = ()
    design: tuple[DesignFeature, ...] = ()
    registry_ids: tuple[str, ...] = ()
    """Trials that the record is a part or a report of."""
    population: Population = Population()
    arms: tuple[Arm, ...] = ()
    groups: tuple[Group, ...] = ()
    results: tuple[Result, ...] = ()
    conclusion: Conclusion = Conclusion()
    mechanism: tuple[MechanismStatement, ...] = ()
    unread: tuple[Unreadable | Literal["main_result_not_read"], ...] = ()
    faults: tuple[Fault, ...] = ()

    def arm(self, arm_id: str) -> Arm | None:
        """The arm of an id."""
        return next((arm for arm in self.arms if arm.id == arm_id), None)

    def tested(self, result: Result) -> tuple[frozenset[str], frozenset[str]]:
        """Return the drugs in which the arms of a result differ; empty where they are the same."""
        sides = [
            frozenset((i.drug or i.name.casefold()) for i in arm.interventions) if arm else None
            for arm in (self.arm(result.a), self.arm(result.b))
        ]
        one, other = (side or frozenset() for side in sides)
        return one - other, other - one
