"""The posted results of a registered trial as results of its arms, exactly and by code.

The registry names no direction: an estimate of two groups is turned so that it agrees with the
groups' own values, and where there are none it has no side.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.study.effects import favoured, no_effect_value, significant
from deepcritical.domain.study.reading import ArmFigure, Effect, EffectMeasure, Result, ResultLevel
from deepcritical.domain.text.spans import fold
from deepcritical.reading.building import effect_p
from deepcritical.reading.sentences import numbered
from deepcritical.tools.clinicaltrials.schema import Analysis, HarmGroup, Measure, Study

_LEVELS: dict[str, ResultLevel] = {
    "PRIMARY": "primary",
    "SECONDARY": "secondary",
    "OTHER_PRE_SPECIFIED": "secondary",
    "POST_HOC": "post_hoc",
}
_MEASURES: tuple[tuple[str, EffectMeasure | None], ...] = (
    ("ratio, log", None),
    ("log ", None),
    ("ratio of", "ratio"),
    ("hazard ratio", "HR"),
    ("odds ratio", "OR"),
    ("risk ratio", "RR"),
    ("relative risk", "RR"),
    ("rate ratio", "IRR"),
    ("risk difference", "RD"),
    ("percentage difference", "RD"),
    ("difference in percentage", "RD"),
    ("mean difference", "MD"),
    ("ls mean", "MD"),
    ("median difference", "MD"),
    ("ratio", "ratio"),
    ("difference", "difference"),
)
_BOTH = 2
_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d{1,2}$)")
_PEOPLE = frozenset({"participants", "subjects", "patients"})


def posted_measures(
    study: Study, by_title: Mapping[str, str], evidence: Evidence
) -> Iterator[Result]:
    """The outcome measures, by the ids of the arms that groups of these titles are."""
    told = numbered(evidence)
    for measure in study.results_section.outcome_measures_module.outcome_measures:
        places = tuple(
            n for n, span in enumerate(told) if n and measure.title.rstrip(".") in span.text
        )
        yield from _measured(measure, by_title, places)


def _measured(
    measure: Measure, by_title: Mapping[str, str], places: tuple[int, ...]
) -> Iterator[Result]:
    ids = {g.id: by_title[fold(g.title)] for g in measure.groups}
    single = len(measure.classes) == 1 and len(measure.classes[0].categories) == 1
    figures = _figures(measure, ids) if single else ()
    base = Result(
        outcome=measure.title[:300] or "not named",
        level=_LEVELS.get(measure.type or "", "unstated"),
        contrast="omnibus",
        figures=figures,
        unit=measure.unit_of_measure,
        timepoint=measure.time_frame[:200],
        sentences=places,
    )
    compared = [a for a in measure.analyses if a.p_value or a.param_value]
    if not compared and len({figure.arm for figure in figures}) == _BOTH == len(figures):
        a, b = (figure.arm for figure in figures)
        yield base.model_copy(update={"contrast": "between", "a": a, "b": b})
    elif not compared and len(figures) == 1:
        yield base.model_copy(update={"contrast": "single", "a": figures[0].arm})
    elif not compared and figures:
        yield base
    for analysis in compared:
        yield _compared(base, analysis, ids)


def _figures(measure: Measure, ids: Mapping[str, str]) -> tuple[ArmFigure, ...]:
    sizes = {
        count.group_id: _whole(count.value)
        for denom in measure.denoms[:1]
        if fold(denom.units) in _PEOPLE
        for count in denom.counts
    }
    counted = (measure.param_type or "") == "COUNT_OF_PARTICIPANTS"
    found = []
    for number in measure.classes[0].categories[0].measurements:
        value = _number(number.value)
        if value is None or number.group_id not in ids:
            continue
        deviation = fold(measure.dispersion_type or "") == "standard deviation"
        found.append(
            ArmFigure(
                arm=ids[number.group_id],
                n=sizes.get(number.group_id),
                events=int(value) if counted and value == int(value) >= 0 else None,
                value=None if counted else value,
                spread=_positive(number.spread) if deviation else None,
            )
        )
    return tuple(found)


def _compared(base: Result, analysis: Analysis, ids: Mapping[str, str]) -> Result:
    arms = [ids[group] for group in analysis.group_ids if group in ids]
    effect = _effect(analysis)
    tested = (analysis.non_inferiority_type or "").startswith(("NON_INFERIORITY", "EQUIVALENCE"))
    if tested and effect:
        # Its p is that of the margin.
        effect = effect.model_copy(update={"p": None, "p_operator": "="})
    if len(set(arms)) != _BOTH:
        return base.model_copy(update={"effect": effect})
    a, b = arms
    result = base.model_copy(
        update={
            "contrast": "between",
            "a": a,
            "b": b,
            "effect": effect,
            "figures": tuple(f for f in base.figures if f.arm in arms),
        }
    )
    turned = _turned(result)
    by_figures = favoured(turned)
    if by_figures is None and significant(effect) is False:
        by_figures = "no_difference"
    better = "unclear" if by_figures is None or tested else by_figures
    return turned.model_copy(update={"better": better})


def _turned(result: Result) -> Result:
    """The result with `a` as the arm whose estimate it is, as the arms' values show.

    Where they do not, the estimate has no side, and only its significance is kept.
    """
    effect = result.effect
    if effect is None or effect.value is None or effect.measure is None:
        return result
    if effect.measure == "HR":  # groups with longer times have the smaller hazard
        return result.model_copy(update={"effect": _sideless(effect)})
    values = {f.arm: _size(f) for f in result.figures}
    a, b = values.get(result.a), values.get(result.b)
    if a is None or b is None or a == b:
        return result.model_copy(update={"effect": _sideless(effect)})
    none = no_effect_value(effect)
    if effect.value == none or (effect.value > none) == (a > b):
        return result
    return result.model_copy(update={"a": result.b, "b": result.a})


def _sideless(effect: Effect) -> Effect:
    """The effect without its estimate; whether it is significant stays."""
    if effect.p is not None or effect.p_operator == "ns":
        return Effect(p=effect.p, p_operator=effect.p_operator)
    tells = significant(effect)
    if tells is None:
        return Effect()
    return Effect(p=0.05, p_operator="<") if tells else Effect(p_operator="ns")


def _size(figure: ArmFigure) -> float | None:
    if figure.events is not None:
        return figure.events / figure.n if figure.n else None
    return figure.value


def _effect(analysis: Analysis) -> Effect | None:
    p = effect_p(analysis.p_value or "")
    value = _number(analysis.param_value)
    if p is None and value is None:
        return None
    two_sided = analysis.ci_num_sides != "ONE_SIDED"
    low, high = _number(analysis.ci_lower_limit), _number(analysis.ci_upper_limit)
    level = _number(analysis.ci_pct_value) or 95.0
    number, operator = p or (None, "=")
    name = fold(analysis.param_type or "")
    return Effect.model_validate(
        {
            "measure": next((m for words, m in _MEASURES if words in name), None),
            "value": value,
            "ci_low": low if two_sided else None,
            "ci_high": high if two_sided else None,
            "ci_level": level if 0 < level < 100 else 95.0,
            "p": None if operator == "ns" else number,
            "p_operator": operator,
        }
    )


def _number(text: str | None) -> float | None:
    try:
        value = float(_DECIMAL_COMMA.sub(".", text or "").replace(",", "").lstrip("<>=≤≥ "))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _positive(text: str | None) -> float | None:
    value = _number(text)
    return value if value is not None and value >= 0 else None


def _whole(text: str) -> int | None:
    value = _number(text)
    return int(value) if value is not None and value >= 0 and value == int(value) else None


def posted_harms(study: Study, by_title: Mapping[str, str]) -> Iterator[Result]:
    """Deaths and serious adverse events, as the module of harms counts them in each arm."""
    groups = study.results_section.adverse_events_module.event_groups
    known = [(by_title.get(fold(g.title)), g) for g in groups]
    placed = [(arm, group) for arm, group in known if arm]
    for outcome, concept, number, at_risk in (
        ("Deaths", "all-cause mortality", "deaths_num_affected", "deaths_num_at_risk"),
        (
            "Serious adverse events",
            "serious adverse events",
            "serious_num_affected",
            "serious_num_at_risk",
        ),
    ):
        figures = tuple(
            ArmFigure(arm=arm, events=getattr(group, number), n=getattr(group, at_risk))
            for arm, group in placed
            if _is_counted(group, number) and _is_counted(group, at_risk)
        )
        if figures:
            both = len(figures) == _BOTH
            yield Result(
                outcome=outcome,
                concept=concept,
                kind="safety",
                contrast="between" if both else "omnibus",
                a=figures[0].arm if both else "",
                b=figures[1].arm if both else "",
                higher_is_better=False,
                figures=figures,
            )


def _is_counted(group: HarmGroup, name: str) -> bool:
    number = getattr(group, name)
    return isinstance(number, int) and number >= 0
