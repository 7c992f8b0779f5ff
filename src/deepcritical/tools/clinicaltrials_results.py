"""Posted results of a trial: as lines of text for people, and whole for who reads them by code."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic.alias_generators import to_camel

from deepcritical.tools.clinicaltrials_schema import Analysis, Measure, Measurement, Study

_MOST_MEASURES = 20
_MOST_ENTRY_MEASURES = 60
_MOST_VALUES = 24
_MOST_ANALYSES = 8
"""Some measures are tables of hundreds of values; what is left out is said."""
_SHORT = {
    "standard deviation": "SD",
    "standard error": "SE",
    "standard error of the mean": "SE",
    "full range": "range",
    "inter-quartile range": "IQR",
}


def posted_results(measures: Sequence[Measure]) -> tuple[str, ...]:
    """One line for each primary measure that has a value, in the registry's own terms."""
    primary = [measure for measure in measures if measure.type == "PRIMARY" and measure.title]
    return tuple(line for line in map(_line, primary[:_MOST_MEASURES]) if line)


def registry_entry(study: Study) -> str | None:
    """What is read of a trial by code, in the registry's own fields, as JSON.

    Design, arms, flow, outcome measures and harms; None for an entry without arms and results.
    """
    protocol, results = study.protocol_section, study.results_section
    arms, measures = protocol.arms_interventions_module, results.outcome_measures_module
    if not (arms.arm_groups or measures.outcome_measures):
        return None
    kept = measures.model_copy(
        update={"outcome_measures": measures.outcome_measures[:_MOST_ENTRY_MEASURES]}
    )
    entry = {
        "protocolSection": {
            name: getattr(protocol, name)
            for name in ("identification_module", "design_module", "arms_interventions_module")
        },
        "resultsSection": results.model_copy(update={"outcome_measures_module": kept}),
    }
    return json.dumps(_dumped(entry), ensure_ascii=False, separators=(",", ":"))


def _dumped(part: Any) -> Any:
    if isinstance(part, dict):
        return {to_camel(name): _dumped(value) for name, value in part.items()}
    return part.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def _line(measure: Measure) -> str:
    names = {group.id: group.title or group.id for group in measure.groups}
    values, analyses = (
        list(_values(measure, names)),
        [told for told in (_analysis(a, names) for a in measure.analyses) if told],
    )
    if not (values or analyses):
        return ""
    kind = (measure.param_type or "").replace("_", " ").lower()
    about = ", ".join(part for part in (measure.time_frame, kind, measure.unit_of_measure) if part)
    told = (*_cut(values, _MOST_VALUES, "values"), *_cut(analyses, _MOST_ANALYSES, "comparisons"))
    # The one colon stands behind a bracket: "Participants:" would be read as a section label.
    return f"{measure.title.rstrip('.')} ({about or 'as posted'}): {'; '.join(told)}"


def _cut(told: list[str], most: int, what: str) -> list[str]:
    more = len(told) - most
    return [*told[:most], f"and {more} more {what} in the registry"] if more > 0 else told


def _values(measure: Measure, names: Mapping[str, str]) -> Iterator[str]:
    sizes = {
        count.group_id: count.value
        for denom in measure.denoms[:1]
        if denom.units == "Participants"
        for count in denom.counts
    }
    for row in measure.classes:
        for category in row.categories:
            heading = " - ".join(part for part in (row.title, category.title) if part)
            for number in category.measurements:
                if number.value:
                    size = sizes.get(number.group_id)
                    about = ", ".join(filter(None, (f"n = {size}" if size else "", heading)))
                    group = names.get(number.group_id, number.group_id)
                    yield f"{group}{f' ({about})' if about else ''} {_value(number, measure)}"


def _value(number: Measurement, measure: Measure) -> str:
    kind = measure.dispersion_type or ""
    kind = _SHORT.get(kind.lower(), kind)
    kind = kind.replace("Confidence Interval", "CI")
    if number.lower_limit or number.upper_limit:
        return f"{number.value} ({kind} {_range(number.lower_limit, number.upper_limit)})"
    return f"{number.value} ({kind} {number.spread})" if number.spread else number.value


def _range(low: str | None, high: str | None) -> str:
    return f"{low or 'not given'} to {high or 'not given'}"


def _analysis(analysis: Analysis, names: Mapping[str, str]) -> str:
    """``Examplol vs Placebo, mean difference 0.3 (95% CI 0.1 to 0.5), p = 0.01 (ANCOVA)``."""
    told = ", ".join(part for part in (_estimate(analysis), _p_value(analysis)) if part)
    if not told:
        return ""
    groups = " vs ".join(names.get(group, group) for group in analysis.group_ids)
    tested = (analysis.non_inferiority_type or "").startswith(("NON_INFERIORITY", "EQUIVALENCE"))
    margin = ", tested for non-inferiority or equivalence" if tested else ""
    return f"{groups or 'comparison'}, {told}{margin}"


def _estimate(analysis: Analysis) -> str:
    if not analysis.param_value:
        return ""
    interval = ""
    if analysis.ci_lower_limit or analysis.ci_upper_limit:
        level = f"{analysis.ci_pct_value}% " if analysis.ci_pct_value else ""
        sided = "one-sided " if analysis.ci_num_sides == "ONE_SIDED" else ""
        limits = _range(analysis.ci_lower_limit, analysis.ci_upper_limit)
        interval = f" ({sided}{level}CI {limits})"
    return f"{analysis.param_type or 'estimate'} {analysis.param_value}{interval}"


def _p_value(analysis: Analysis) -> str:
    if not analysis.p_value:
        return ""
    value = analysis.p_value.lstrip("pP ")
    sign = "" if value[:1] in "<>=≤≥" else "= "
    method = f" ({analysis.statistical_method})" if analysis.statistical_method else ""
    return f"p {sign}{value}{method}"
