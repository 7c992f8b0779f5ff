"""The form of a model's answers on records, and of curated readings.

Names are short because each is written for every result. What a field means is said in a file of
its version, so that recorded answers outlive changes of language elsewhere.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from deepcritical.domain.study.reading import (
    Better,
    Contrast,
    ControlKind,
    DesignFeature,
    EffectMeasure,
    ResultKind,
    ResultLevel,
    StudyKind,
    Unreadable,
)

VERSION = 1


@cache
def wording() -> dict[str, Any]:
    """Return what a reader is told: ``rules``, ``ask`` and the meaning of each field."""
    text = files("deepcritical.prompts").joinpath(f"reading_v{VERSION}.toml").read_text("utf-8")
    return tomllib.loads(text)


def _means(name: str) -> str:
    found: Any = wording()["fields"]
    for part in name.split("."):
        found = found[part]
    return str(found)


def _without_docstring(schema: dict[str, Any]) -> None:
    """The schema says what the file of wordings says, and nothing of what the code does."""
    schema.pop("description", None)


class _Answer(BaseModel):
    """Lenient about more than was asked for: a field too many loses no study."""

    model_config = ConfigDict(frozen=True, extra="ignore", json_schema_extra=_without_docstring)


class ReadArm(_Answer):
    """An arm; see `domain.study.reading.Arm`."""

    id: str = Field(description=_means("arm.id"))
    label: str = Field("", description=_means("arm.label"))
    gets: list[str] = Field([], description=_means("arm.gets"))
    alternatives: bool = Field(False, description=_means("arm.alternatives"))
    control: ControlKind | None = Field(None, description=_means("arm.control"))
    n: int | None = Field(None, description=_means("arm.n"))


class ReadFigure(_Answer):
    """The figure that was measured in one arm."""

    arm: str = Field(description=_means("figure.arm"))
    n: int | None = Field(None, description=_means("figure.n"))
    events: int | None = Field(None, description=_means("figure.events"))
    value: float | None = Field(None, description=_means("figure.value"))
    spread: float | None = Field(None, description=_means("figure.spread"))
    low: float | None = Field(None, description=_means("figure.low"))
    high: float | None = Field(None, description=_means("figure.high"))


class ReadResult(_Answer):
    """One outcome of one comparison, with its effect."""

    outcome: str = Field(description=_means("result.outcome"))
    concept: str = Field("", description=_means("result.concept"))
    kind: ResultKind = Field("clinical", description=_means("result.kind"))
    level: ResultLevel = Field("unstated", description=_means("result.level"))
    contrast: Contrast = Field("between", description=_means("result.contrast"))
    a: str = Field("", description=_means("result.a"))
    b: str = Field("", description=_means("result.b"))
    indirect: bool = Field(False, description=_means("result.indirect"))
    better: Better = Field("unclear", description=_means("result.better"))
    up: Literal["good", "bad"] | None = Field(None, description=_means("result.up"))
    measure: EffectMeasure | None = Field(None, description=_means("result.measure"))
    value: float | None = Field(None, description=_means("result.value"))
    low: float | None = Field(None, description=_means("result.low"))
    high: float | None = Field(None, description=_means("result.high"))
    ci: float | None = Field(None, description=_means("result.ci"))
    p: str = Field("", description=_means("result.p"))
    of: Literal["a", "b"] = Field("a", description=_means("result.of"))
    figures: list[ReadFigure] = Field([], description=_means("result.figures"))
    unit: str = Field("", description=_means("result.unit"))
    timepoint: str = Field("", description=_means("result.timepoint"))
    who: str = Field("", description=_means("result.who"))
    n: int | None = Field(None, description=_means("result.n"))
    condition: str = Field("", description=_means("result.condition"))
    components: list[str] = Field([], description=_means("result.components"))
    non_inferiority: Literal["shown", "not_shown"] | None = Field(
        None, description=_means("result.non_inferiority")
    )
    s: list[int] = Field([], description=_means("result.s"))


class ReadStep(_Answer):
    """One step of a mechanism."""

    subject: str = Field(description=_means("step.subject"))
    relation: Literal["increases", "decreases", "no_effect", "binds", "associated"] = Field(
        description=_means("step.relation")
    )
    object: str = Field(description=_means("step.object"))
    system: Literal["human", "animal", "cell"] = Field(description=_means("step.system"))
    s: list[int] = Field([], description=_means("step.s"))


class ReadStudy(_Answer):
    """One record's study."""

    id: str = Field(description=_means("id"))
    kinds: list[StudyKind] = Field([], description=_means("kinds"))
    design: list[DesignFeature] = Field([], description=_means("design"))
    people: str = Field("", description=_means("people"))
    conditions: list[str] = Field([], description=_means("conditions"))
    species: str = Field("human", description=_means("species"))
    randomised: int | None = Field(None, description=_means("randomised"))
    analysed: int | None = Field(None, description=_means("analysed"))
    planned: int | None = Field(None, description=_means("planned"))
    studies: int | None = Field(None, description=_means("studies"))
    part_of_trial: bool = Field(False, description=_means("part_of_trial"))
    n_s: list[int] = Field([], description=_means("n_s"))
    arms: list[ReadArm] = Field([], description=_means("arms"))
    groups: list[str] = Field([], description=_means("groups"))
    results: list[ReadResult] = Field([], description=_means("results"))
    efficacy: Literal["works", "does_not", "mixed", "unclear", "not_addressed"] = Field(
        "not_addressed", description=_means("efficacy")
    )
    safety: Literal["safe", "harmful", "mixed", "unclear", "not_addressed"] = Field(
        "not_addressed", description=_means("safety")
    )
    s: list[int] = Field([], description=_means("s_conclusion"))
    mechanism: list[ReadStep] = Field([], description=_means("mechanism"))
    unread: list[Unreadable] = Field([], description=_means("unread"))


class ReadStudies(_Answer):
    """One study for each record that was shown."""

    studies: list[ReadStudy]
