"""Studies as a model is shown them: arms and numbered results, as they were read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from deepcritical.domain.evidence import Evidence
from deepcritical.domain.grading import grade
from deepcritical.domain.study import Arm, ArmFigure, Effect, Result, StudyReading
from deepcritical.domain.text import addresses_a_model
from deepcritical.prompts.evidence import ShownRecords, record_text, record_title, registered

_LONGEST = 300
_LEFT_OUT = "(left out)"
_BETTER = {"no_difference": "no difference shown", "unclear": "better: not told"}


def shown_studies(
    ids: Sequence[str],
    records: Mapping[str, Evidence],
    readings: Mapping[str, StudyReading],
    limit_chars: int,
    wanted: Mapping[str, Collection[int]],
) -> ShownRecords:
    """The studies as text, in the given order, within a number of characters.

    Args:
        ids: Records that may be shown.
        records: All records.
        readings: What they say of their studies.
        limit_chars: Characters of all.
        wanted: Places of the results to show, from 0. Of studies with results that are not wanted,
            and no other, nothing is shown.
    """
    of_use = [key for key in ids if wanted.get(key) or not readings[key].results]
    blocks: dict[str, str] = {}
    used = 0
    for key in of_use:
        block = study_block(key, records[key], readings[key], wanted.get(key, ()))
        if used + len(block) + 1 <= limit_chars:
            blocks[key] = block
            used += len(block) + 1
    return ShownRecords("\n".join(blocks.values()), tuple(blocks), len(of_use) - len(blocks))


def study_block(key: str, record: Evidence, study: StudyReading, wanted: Collection[int]) -> str:
    """One study: who was studied, what the arms got, and the wanted results by number, from 1."""
    graded = grade(record)
    people = study.population
    said = people.description or ", ".join(people.conditions) or "not told"
    number = people.n_randomised or people.n_analysed
    read_as = ", ".join((*study.kinds, *study.design)).replace("_", " ")
    shown = {i + 1: study.results[i] for i in wanted}
    pairs = Counter((result.a, result.b) for result in shown.values())
    usual = pairs.most_common(1)[0][0] if pairs else None
    lines = [
        record_title(record),
        f"read as: {read_as or graded.design.value}{'; RETRACTED' if graded.retracted else ''}",
        registered(record),
        f"people: {_cut(said)}{f'; n = {number:,}' if number else ''}",
        *(_arm(arm) for arm in study.arms if any(arm.id in pair for pair in pairs)),
        f"results, {_arms(*usual)} unless told:" if usual else "",
        *(f"{number}. {_result(result, usual)}" for number, result in shown.items()),
    ]
    if study.unread:
        lines.append(f"not read: {', '.join(study.unread)}")
    body = record_text("\n".join(line for line in lines if line))
    return f'<record id="{key}">\n{body}\n</record>'


def _arm(arm: Arm) -> str:
    got = arm.label or ", ".join(i.name for i in arm.interventions)
    told = (_cut(got), arm.control and f"[{arm.control}]", arm.n and f"n = {arm.n}")
    return f"arm {arm.id}: {' '.join(part for part in told if part)}"


def _arms(a: str | None, b: str | None) -> str:
    return f"a = {a or '-'}, b = {b or '-'}"


def _result(result: Result, usual: tuple[str | None, str | None] | None) -> str:
    condition = result.condition or ""
    about = (
        result.level.replace("unstated", ""),
        result.kind.replace("clinical", ""),
        result.contrast.replace("between", ""),
        result.timepoint,
        result.people and f"in {result.people}",
        condition if condition.casefold() not in result.outcome.casefold() else "",
        result.non_inferiority and f"non-inferiority {result.non_inferiority}".replace("_", " "),
    )
    pair = (result.a, result.b)
    better = {"a": result.a or "after", "b": result.b or "before"}
    found = (
        "" if pair == usual else _arms(*pair),
        _BETTER.get(result.better) or f"better: {better[result.better]}",
        _effect(result.effect),
        " ".join(", ".join(_figure(figure, result.unit) for figure in result.figures).split()),
    )
    told = "; ".join(part for part in about if part)
    return (
        f"{_cut(result.outcome)}{f' ({told})' if told else ''}: "
        f"{'; '.join(part for part in found if part)}"
    )


def _effect(effect: Effect | None) -> str:
    if effect is None:
        return ""
    value = f"{effect.measure or ''} {effect.value:g}" if effect.value is not None else ""
    limits = None if None in (effect.ci_low, effect.ci_high) else (effect.ci_low, effect.ci_high)
    interval = f"({limits[0]:g} to {limits[1]:g})" if limits else ""
    p = f"p {effect.p_operator} {effect.p:g}" if effect.p is not None else ""
    if effect.p_operator == "ns":
        p = "not significant"
    return " ".join(part.strip() for part in (value, interval, p) if part)


def _figure(figure: ArmFigure, unit: str) -> str:
    """Return the figure of one arm: people, of how many, or else a value in its unit."""
    if figure.events is not None:
        return f"{figure.arm}: {figure.events}{f' of {figure.n}' if figure.n else ''}"
    return f"{figure.arm}: {figure.value:g} {unit}" if figure.value is not None else ""


def _cut(text: str) -> str:
    """Words of a reading, which are a record's; of those that give orders to a machine none."""
    said = " ".join(text.split())
    return _LEFT_OUT if addresses_a_model(said) else said[:_LONGEST]
