"""Studies as a model is shown them: arms and numbered results, as they were read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from deepcritical.domain.evidence import Evidence
from deepcritical.domain.grading import grade
from deepcritical.domain.matches import MOST_SHOWN
from deepcritical.domain.study import ArmFigure, Effect, Result, StudyReading
from deepcritical.domain.text import addresses_a_model
from deepcritical.prompts.evidence import ShownRecords, record_head, record_text

_LONGEST = 300
_LEFT_OUT = "(left out)"
_BETTER = {"no_difference": "no difference shown", "unclear": "better: not told"}


def shown_studies(
    ids: Sequence[str],
    records: Mapping[str, Evidence],
    readings: Mapping[str, StudyReading],
    limit_chars: int,
) -> ShownRecords:
    """The studies as text, in the given order, within a number of characters."""
    blocks: dict[str, str] = {}
    used = 0
    for key in ids:
        block = study_block(key, records[key], readings[key])
        if used + len(block) + 1 <= limit_chars:
            blocks[key] = block
            used += len(block) + 1
    return ShownRecords("\n".join(blocks.values()), tuple(blocks), len(ids) - len(blocks))


def study_block(key: str, record: Evidence, study: StudyReading) -> str:
    """One study: who was studied, what the arms got, and its results by number, from 1."""
    people = study.population
    said = people.description or ", ".join(people.conditions) or "not told"
    number = people.n_randomised or people.n_analysed
    read_as = ", ".join((*study.kinds, *study.design)).replace("_", " ")
    lines = [
        record_head(key, record, grade(record)),
        f"read as: {read_as or 'not told'}",
        f"people: {_cut(said)}{f'; n = {number}' if number else ''}",
        *(_arm(study, i) for i in range(len(study.arms))),
        *_results(study),
    ]
    if study.unread:
        lines.append(f"not read: {', '.join(study.unread)}")
    body = record_text("\n".join(lines))
    return f'<record id="{key}">\n{body}\n</record>'


def _arm(study: StudyReading, place: int) -> str:
    arm = study.arms[place]
    got = arm.label or ", ".join(i.name for i in arm.interventions)
    told = (_cut(got), arm.control and f"[{arm.control}]", arm.n and f"n = {arm.n}")
    return f"arm {arm.id}: {' '.join(part for part in told if part)}"


def _results(study: StudyReading) -> Iterator[str]:
    """What compares arms; before and after only where nothing else is told."""
    between = any(result.contrast == "between" for result in study.results)
    for number, result in enumerate(study.results[:MOST_SHOWN], 1):
        if not (between and result.contrast in ("within", "single")):
            yield f"{number}. {_result(result)}"


def _result(result: Result) -> str:
    about = (
        result.level.replace("unstated", ""),
        result.kind.replace("clinical", ""),
        result.contrast.replace("between", ""),
        result.timepoint,
        result.people and f"in {result.people}",
        result.condition and f"of {result.condition}",
        "told before" if result.restated else "",
        result.non_inferiority and f"non-inferiority {result.non_inferiority}".replace("_", " "),
    )
    arms = {"a": result.a or "after", "b": result.b or "before"}
    found = (
        f"a = {result.a or '-'}, b = {result.b or '-'}",
        _BETTER.get(result.better) or f"better: {arms[result.better]}",
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
    """What one arm had: people, of how many, or else a value in its unit."""
    if figure.events is not None:
        return f"{figure.arm}: {figure.events}{f' of {figure.n}' if figure.n else ''}"
    return f"{figure.arm}: {figure.value:g} {unit}" if figure.value is not None else ""


def _cut(text: str) -> str:
    """Words of a reading, which are a record's; of those that give orders to a machine none."""
    said = " ".join(text.split())
    return _LEFT_OUT if addresses_a_model(said) else said[:_LONGEST]
