"""The form of a model's answers on records, and of curated readings.

Names are short because each is written for every result. What a field means is said in a file of
its version, so that recorded answers outlive changes of language elsewhere.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

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


_FIELDS = wording()["fields"]
"""Read with this module, for no file may be read in an event loop."""


def _described(schema: dict[str, Any], model: type[BaseModel]) -> None:
    """The schema says what the file of wordings says, and nothing of what the code does."""
    del schema["description"]
    part = model.__name__.removeprefix("Read").lower()
    study = _FIELDS | {"s": _FIELDS["s_conclusion"]}
    means = {**_FIELDS, "study": study, "studies": {}}[part]
    for name, field in schema["properties"].items():
        if name in means:
            field["description"] = means[name]


class _Answer(BaseModel):
    """Lenient about more than was asked for: a field too many loses no study."""

    model_config = ConfigDict(frozen=True, extra="ignore", json_schema_extra=_described)


class ReadArm(_Answer):
    """An arm; see `domain.study.reading.Arm`."""

    id: str
    label: str = ""
    gets: list[str] = []
    alternatives: bool = False
    control: ControlKind | None = None
    n: int | None = None


class ReadFigure(_Answer):
    """The figure that was measured in one arm."""

    arm: str
    n: int | None = None
    events: int | None = None
    value: float | None = None
    spread: float | None = None
    low: float | None = None
    high: float | None = None


class ReadResult(_Answer):
    """One outcome of one comparison, with its effect."""

    outcome: str
    concept: str = ""
    kind: ResultKind = "clinical"
    level: ResultLevel = "unstated"
    contrast: Contrast = "between"
    a: str = ""
    b: str = ""
    indirect: bool = False
    better: Better = "unclear"
    up: Literal["good", "bad"] | None = None
    measure: EffectMeasure | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    ci: float | None = None
    p: str = ""
    of: Literal["a", "b"] = "a"
    figures: list[ReadFigure] = []
    unit: str = ""
    timepoint: str = ""
    who: str = ""
    n: int | None = None
    condition: str = ""
    components: list[str] = []
    non_inferiority: Literal["shown", "not_shown"] | None = None
    s: list[int] = []


class ReadStep(_Answer):
    """One step of a mechanism."""

    subject: str
    relation: Literal["increases", "decreases", "no_effect", "binds", "associated"]
    object: str
    system: Literal["human", "animal", "cell"]
    s: list[int] = []


class ReadStudy(_Answer):
    """One record's study."""

    id: str
    kinds: list[StudyKind] = []
    design: list[DesignFeature] = []
    people: str = ""
    conditions: list[str] = []
    species: str = "human"
    randomised: int | None = None
    analysed: int | None = None
    planned: int | None = None
    studies: int | None = None
    part_of_trial: bool = False
    n_s: list[int] = []
    arms: list[ReadArm] = []
    groups: list[str] = []
    results: list[ReadResult] = []
    efficacy: Literal["works", "does_not", "mixed", "unclear", "not_addressed"] = "not_addressed"
    safety: Literal["safe", "harmful", "mixed", "unclear", "not_addressed"] = "not_addressed"
    s: list[int] = []
    mechanism: list[ReadStep] = []
    unread: list[Unreadable] = []


class ReadStudies(_Answer):
    """One study for each record that was shown."""

    studies: list[ReadStudy]
