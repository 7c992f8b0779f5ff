"""The fields that are read of a study from ClinicalTrials.gov (API v2)."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    field_validator,
    model_validator,
)
from pydantic.alias_generators import to_camel

_MARKDOWN_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+\-.!<>~|^&])")


def _plain(text: str) -> str:
    """Text of a Markdown field as it is shown, without its escapes."""
    # Half of a surrogate pair is valid JSON, but no text that can be written anywhere.
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _MARKDOWN_ESCAPE.sub(r"\1", whole).strip()


def _one_line(text: str) -> str:
    return " ".join(_plain(text).split())


_Text = Annotated[str, AfterValidator(_plain)]
_Line = Annotated[str, AfterValidator(_one_line)]


class Part(BaseModel):
    """A piece of a study; what is missing, null or of a wrong type has its default.

    What cannot be read is named in the context of the validation, a list, so that it can be told.
    Only what a study cannot do without is an error.
    """

    model_config = ConfigDict(
        alias_generator=to_camel, extra="ignore", validate_by_name=True, coerce_numbers_to_str=True
    )

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        known = ((name, item) for name, item in value.items() if item is not None)
        return {
            name: [i for i in item if i is not None] if isinstance(item, list) else item
            for name, item in known
        }

    @field_validator("*", mode="wrap")
    @classmethod
    def _or_default(
        cls, value: Any, read: ValidatorFunctionWrapHandler, info: ValidationInfo
    ) -> Any:
        name = info.field_name or ""
        field = cls.model_fields[name]
        try:
            return read(value)
        except ValidationError:
            if field.is_required():
                raise
        default = field.get_default()
        items = value if isinstance(value, list) else [value]
        kept = _readable(items, read) if default == () else default
        if isinstance(info.context, list) and (default != () or len(kept) < len(items)):
            info.context.append(to_camel(name))
        return kept


def _readable(items: list[Any], read: ValidatorFunctionWrapHandler) -> tuple[Any, ...]:
    """The items of a list that can be read, also one that stands without its list."""
    kept: tuple[Any, ...] = ()
    for item in items:
        with suppress(ValidationError):
            kept += tuple(read([item]))
    return kept


class _SecondaryId(Part):
    id: _Line = ""


class _Identification(Part):
    nct_id: str = Field(pattern=r"^NCT[0-9]{8}$")
    brief_title: _Line = ""
    official_title: _Line = ""
    secondary_id_infos: tuple[_SecondaryId, ...] = ()


class _Date(Part):
    date: _Line | None = None


class _Status(Part):
    overall_status: _Line | None = None
    why_stopped: _Line | None = None
    start_date_struct: _Date = _Date()
    primary_completion_date_struct: _Date = _Date()
    completion_date_struct: _Date = _Date()


class _Sponsor(Part):
    name: _Line | None = None


class _Sponsors(Part):
    lead_sponsor: _Sponsor = _Sponsor()


class _Description(Part):
    brief_summary: _Text = ""
    detailed_description: _Text = ""


class _Conditions(Part):
    conditions: tuple[_Line, ...] = ()


class _Masking(Part):
    masking: _Line | None = None


class _DesignInfo(Part):
    allocation: _Line | None = None
    intervention_model: _Line | None = None
    primary_purpose: _Line | None = None
    masking_info: _Masking = _Masking()


class _Enrollment(Part):
    count: int | None = Field(default=None, ge=0)
    type: _Line | None = None


class _Design(Part):
    study_type: _Line | None = None
    phases: tuple[_Line, ...] = ()
    design_info: _DesignInfo = _DesignInfo()
    enrollment_info: _Enrollment = _Enrollment()


class ArmGroup(Part):
    """An arm as the registry plans it, with the names of what it gets, as in ``Drug: Examplol``."""

    label: _Line = ""
    type: _Line | None = None
    intervention_names: tuple[_Line, ...] = ()


class _Intervention(Part):
    name: _Line = ""
    type: _Line | None = None
    other_names: tuple[_Line, ...] = ()


class _Arms(Part):
    arm_groups: tuple[ArmGroup, ...] = ()
    interventions: tuple[_Intervention, ...] = ()


class _Outcome(Part):
    measure: _Line = ""
    time_frame: _Line = ""


class _Outcomes(Part):
    primary_outcomes: tuple[_Outcome, ...] = ()


class _Reference(Part):
    pmid: _Line | None = None
    type: _Line | None = None
    citation: _Line = ""


class _References(Part):
    references: tuple[_Reference, ...] = ()


class Protocol(Part):
    """The sponsor's registration; only its identification is always there."""

    identification_module: _Identification
    status_module: _Status = _Status()
    sponsor_collaborators_module: _Sponsors = _Sponsors()
    description_module: _Description = _Description()
    conditions_module: _Conditions = _Conditions()
    design_module: _Design = _Design()
    arms_interventions_module: _Arms = _Arms()
    outcomes_module: _Outcomes = _Outcomes()
    references_module: _References = _References()


class PostedGroup(Part):
    """A group of the posted results; each module has groups, and ids, of its own."""

    id: _Line = ""
    title: _Line = ""
    description: _Line = ""


class Measurement(Part):
    """One value of one group."""

    group_id: _Line = ""
    value: _Line = ""
    spread: _Line | None = None
    lower_limit: _Line | None = None
    upper_limit: _Line | None = None


class _Category(Part):
    title: _Line = ""
    measurements: tuple[Measurement, ...] = ()


class _Class(Part):
    title: _Line = ""
    categories: tuple[_Category, ...] = ()


class _Count(Part):
    group_id: _Line = ""
    value: _Line = ""


class _Denominator(Part):
    """The number of units in each group."""

    units: _Line = ""
    counts: tuple[_Count, ...] = ()


class Analysis(Part):
    """A statistical comparison of groups; numbers are text, such as ``<0.001``."""

    group_ids: tuple[_Line, ...] = ()
    non_inferiority_type: _Line | None = None
    p_value: _Line | None = None
    statistical_method: _Line | None = None
    param_type: _Line | None = None
    param_value: _Line | None = None
    ci_pct_value: _Line | None = None
    ci_num_sides: _Line | None = None
    ci_lower_limit: _Line | None = None
    ci_upper_limit: _Line | None = None


class Measure(Part):
    """An outcome measure of the posted results."""

    type: _Line | None = None
    title: _Line = ""
    time_frame: _Line = ""
    param_type: _Line | None = None
    dispersion_type: _Line | None = None
    unit_of_measure: _Line = ""
    groups: tuple[PostedGroup, ...] = ()
    denoms: tuple[_Denominator, ...] = ()
    classes: tuple[_Class, ...] = ()
    analyses: tuple[Analysis, ...] = ()


class _Measures(Part):
    outcome_measures: tuple[Measure, ...] = ()


class _Achievement(Part):
    group_id: _Line = ""
    num_subjects: _Line = ""


class _Milestone(Part):
    type: _Line = ""
    achievements: tuple[_Achievement, ...] = ()


class _Period(Part):
    title: _Line = ""
    milestones: tuple[_Milestone, ...] = ()


class _Flow(Part):
    """The flow of participants; those who started the first period are those assigned."""

    groups: tuple[PostedGroup, ...] = ()
    periods: tuple[_Period, ...] = ()


class HarmGroup(PostedGroup):
    """A group with the people who died or had a serious adverse event."""

    deaths_num_affected: int | None = None
    deaths_num_at_risk: int | None = None
    serious_num_affected: int | None = None
    serious_num_at_risk: int | None = None


class _Harms(Part):
    event_groups: tuple[HarmGroup, ...] = ()


class _Results(Part):
    participant_flow_module: _Flow = _Flow()
    outcome_measures_module: _Measures = _Measures()
    adverse_events_module: _Harms = _Harms()


class _Mesh(Part):
    term: _Line = ""


class _Browse(Part):
    meshes: tuple[_Mesh, ...] = ()


class _Derived(Part):
    condition_browse_module: _Browse = _Browse()
    intervention_browse_module: _Browse = _Browse()


class Study(Part):
    """One study; every section but the first may be missing."""

    protocol_section: Protocol
    results_section: _Results = _Results()
    derived_section: _Derived = _Derived()
    has_results: bool | None = None
