"""Checks a reading against its record: figures, names, numbers of people, and directions.

A part that fails is taken out and named, and the rest counts. Readings of models, of curators and
of rules pass here; the registry's are made of its own fields.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deepcritical.domain.effects import contradicts_figures, favoured, is_consistent, significant
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.study import (
    Arm,
    Effect,
    Fault,
    MechanismStatement,
    Population,
    Result,
    StudyReading,
)
from deepcritical.domain.text import Span
from deepcritical.reading.standing import Standing

_ROUNDING = 1.02
"""Arms may come to a little more than those randomised: who is counted twice, or a misprint."""


class _Check:
    """One reading under check; collects what was wrong."""

    def __init__(self, reading: StudyReading, standing: Standing) -> None:
        self.reading = reading
        self.standing = standing
        self.faults: list[Fault] = []

    def fault(self, part: str, reason: str) -> None:
        self.faults.append(Fault(part=part, reason=reason))


def checked(reading: StudyReading, told: Sequence[Span], evidence: Evidence) -> StudyReading:
    """The reading with nothing in it that its record does not bear out.

    Args:
        reading: As it was written down.
        told: The record's numbered sentences.
        evidence: The record.

    Returns:
        The parts that stand; what was taken out is in `faults`, with the reason.
    """
    check = _Check(reading, Standing(told, evidence))
    arms = tuple(_arms(check))
    known = {arm.id for arm in arms}
    population = _population(check, arms)
    results = tuple(_results(check, known))
    mechanism = tuple(_mechanism(check))
    conclusion = reading.conclusion
    return reading.model_copy(
        update={
            "arms": arms,
            "population": population,
            "results": results,
            "mechanism": mechanism,
            "conclusion": conclusion.model_copy(
                update={"sentences": check.standing.known(conclusion.sentences)}
            ),
            "faults": (*reading.faults, *check.faults),
        }
    )


def _arms(check: _Check) -> Iterator[Arm]:
    """Arms with names that stand; one with a name that does not would compare something else."""
    seen: set[str] = set()
    for number, arm in enumerate(check.reading.arms):
        part = f"arms[{number}]"
        if arm.id in seen:
            check.fault(part, f"a second arm {arm.id}")
            continue
        seen.add(arm.id)
        strange = [i.name for i in arm.interventions if not check.standing.names(i.name)]
        if strange:
            check.fault(part, f"not in the record: {', '.join(strange)}")
            continue
        if arm.n is not None and not check.standing.counts_people(arm.n):
            check.fault(f"{part}.n", f"{arm.n} people are not in the record")
            yield arm.model_copy(update={"n": None})
            continue
        yield arm


def _population(check: _Check, arms: Sequence[Arm]) -> Population:
    given = check.reading.population
    changes: dict[str, object] = {"sentences": check.standing.known(given.sentences)}
    sizes = [arm.n for arm in arms]
    in_arms = sum(n for n in sizes if n is not None)
    for name in ("n_randomised", "n_analysed", "n_planned"):
        number = getattr(given, name)
        if number is None:
            continue
        added = None not in sizes and number == in_arms
        if name == "n_planned":
            stands = check.standing.counts_people(number) or check.standing.is_planned(number)
        else:
            stands = added or check.standing.counts_people(number)
        if not stands:
            planned = check.standing.is_planned(number)
            why = "only a plan" if planned else "not a number of people in the record"
            check.fault(f"population.{name}", f"{number} is {why}")
            changes[name] = None
            if planned and given.n_planned is None:
                changes["n_planned"] = number
    randomised = changes.get("n_randomised", given.n_randomised)
    over = isinstance(randomised, int) and in_arms > randomised * _ROUNDING
    if over and "crossover" not in check.reading.design:
        check.fault("arms", f"{in_arms} people in arms are more than {randomised} randomised")
    missing = [c for c in given.conditions if not check.standing.tells_of(c)]
    for condition in missing:
        check.fault("population.conditions", f"not in the record: {condition}")
    changes["conditions"] = tuple(c for c in given.conditions if c not in missing)
    return given.model_copy(update=changes)


def _results(check: _Check, arms: set[str]) -> Iterator[Result]:
    for number, result in enumerate(check.reading.results):
        part = f"results[{number}]"
        placed = _placed(check, part, result)
        if placed is None:
            continue
        strange = [i for i in (placed.a, placed.b) if i and i not in arms]
        if strange:
            check.fault(part, f"no arm {', '.join(strange)}")
            continue
        if placed.contrast == "between" and (not placed.a or placed.a == placed.b):
            check.fault(part, "a difference between arms needs an arm and another one")
            continue
        for figure in placed.figures:
            if figure.arm not in arms:
                check.fault(f"{part}.figures", f"no arm {figure.arm}")
        figures = tuple(f for f in placed.figures if f.arm in arms)
        if contradicts_figures(placed):
            check.fault(f"{part}.effect", "the estimate contradicts the figures of the arms")
            placed = placed.model_copy(update={"effect": None, "better": "unclear"})
        yield _directed(check, part, placed.model_copy(update={"figures": figures}))


def _placed(check: _Check, part: str, result: Result) -> Result | None:
    """The result with sentences that hold its figures, or without the figures that none holds."""
    numbers = check.standing.known(result.sentences)
    if not numbers:
        check.fault(part, "cites no sentence of the record")
        return None
    effect, figures = result.effect, result.figures
    if effect:
        wanted = _effect_figures(effect)
        numbers, missing = _with_sentence(check, wanted, numbers)
        if missing:
            check.fault(f"{part}.effect", f"{_told(missing)} not in the sentences cited")
            effect = None
    kept = []
    for figure in figures:
        given = [figure.n, figure.events, figure.value, figure.spread, figure.low, figure.high]
        numbers, missing = _with_sentence(check, given, numbers)
        if missing:
            check.fault(f"{part}.figures", f"{_told(missing)} not in the sentences cited")
            continue
        kept.append(figure)
    n = result.n
    if n is not None and not check.standing.counts_people(n):
        check.fault(f"{part}.n", f"{n} people are not in the record")
        n = None
    if effect and not is_consistent(effect):
        check.fault(f"{part}.effect", "estimate, interval and p do not agree with each other")
        effect = None
    changes = {"sentences": numbers, "effect": effect, "figures": tuple(kept), "n": n}
    return result.model_copy(update=changes)


def _effect_figures(effect: Effect) -> list[float | None]:
    p = effect.p if effect.p_operator != "ns" else None
    return [effect.value, effect.ci_low, effect.ci_high, p]


def _with_sentence(
    check: _Check, figures: Sequence[float | None], numbers: tuple[int, ...]
) -> tuple[tuple[int, ...], list[float]]:
    """The sentences, with the one that holds what they lack, and what none holds."""
    missing = check.standing.lacking(figures, numbers)
    found = check.standing.sentence_with(missing)
    return ((*numbers, found), []) if found is not None else (numbers, missing)


def _told(figures: Sequence[float]) -> str:
    return ", ".join(f"{figure:g}" for figure in figures)


def _directed(check: _Check, part: str, result: Result) -> Result:
    """The result without a direction that its own figures contradict."""
    by_figures = favoured(result) if result.contrast == "between" else None
    # What did not reach significance may still be told as a trend, which is no difference.
    contradicted = by_figures is not None and result.better not in (by_figures, "unclear")
    none_told = result.contrast == "between" and result.better == "no_difference"
    contradicted |= none_told and significant(result.effect) is True
    if not contradicted or (result.non_inferiority and none_told):
        return result
    figures = by_figures or "a difference"
    check.fault(f"{part}.better", f"told as {result.better}, but its figures say {figures}")
    # Where reader and figures name different arms, neither is believed.
    apart = {result.better, by_figures} == {"a", "b"}
    return result.model_copy(update={"better": "unclear", **({"effect": None} if apart else {})})


def _mechanism(check: _Check) -> Iterator[MechanismStatement]:
    for number, step in enumerate(check.reading.mechanism):
        numbers = check.standing.known(step.sentences)
        strange = [n for n in (step.subject, step.object) if not check.standing.names(n)]
        if strange or not numbers:
            why = f"not in the record: {', '.join(strange)}" if strange else "cites no sentence"
            check.fault(f"mechanism[{number}]", why)
            continue
        yield step.model_copy(update={"sentences": numbers})
