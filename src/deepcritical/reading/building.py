"""Builds a typed reading of what a reader wrote down; it is checked afterwards."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.study.identity import canonical_ids
from deepcritical.domain.study.reading import (
    Arm,
    ArmFigure,
    Better,
    Conclusion,
    Effect,
    Group,
    Intervention,
    MechanismStatement,
    Population,
    Reader,
    Result,
    StudyReading,
)
from deepcritical.domain.text.patterns import bounded
from deepcritical.reading.answers import ReadArm, ReadFigure, ReadResult, ReadStudy
from deepcritical.reading.sentences import text_hash, text_read
from deepcritical.vocabulary.classes import drug_class
from deepcritical.vocabulary.drugs import DrugKind, find_drugs, lookup_drug

_P = bounded(r"^\s*[pP]?\s*(?:[- ]?values?)?\s*(<=|>=|[<>=≤≥])?\s*(0?[.·]\d+|0|1(?:\.0+)?)\s*$")
_NOT_SIGNIFICANT = bounded(
    r"^\s*(?:p\s*=?\s*)?(?:n\.?s\.?|not significant|non-?significant)\s*$", re.IGNORECASE
)
_SWAPPED: dict[Better, Better] = {"a": "b", "b": "a"}
_ID_ORDER = ("pmid:", "nct:", "doi:", "pmcid:")


def record_id(evidence: Evidence) -> str:
    """The canonical id by which a record is known best; '' for one without any."""
    ids = canonical_ids(evidence)
    ranked = (i for start in _ID_ORDER for i in sorted(ids) if i.startswith(start))
    return next(ranked, min(ids, default=""))


def canonical_drug(name: str) -> str:
    """The drug's or class's name in the vocabulary, whatever the record calls it; '' if unknown."""
    if not any(char.isalpha() for char in name):
        return ""
    found = lookup_drug(name)
    if found.kind is not DrugKind.UNKNOWN:
        return found.name
    if group := drug_class(name):
        return group.name
    # "oral examplol" and "examplol-ER" hold one name, "examplol plus testamine" two.
    within = {mention.drug.name for mention in find_drugs(name)}
    return within.pop() if len(within) == 1 else ""


def effect_p(told: str) -> tuple[float, str] | None:
    """A p-value and its operator, as records write them; None for what is none."""
    if _NOT_SIGNIFICANT.match(told):
        return 1.0, "ns"
    match = _P.match(told)
    if match is None:
        return None
    operator = {"<=": "<", "≤": "<", ">=": ">", "≥": ">", None: "="}.get(match[1], match[1])
    return float(match[2].replace("·", ".")), operator


def built(study: ReadStudy, evidence: Evidence, reader: Reader, read_at: datetime) -> StudyReading:
    """The reading as it was written down; `checking.checked` says what of it stands."""
    arms = tuple(_arm(arm) for arm in study.arms if arm.id.strip())
    return StudyReading(
        record_id=record_id(evidence),
        text_sha256=text_hash(evidence),
        text=text_read(evidence),
        reader=reader,
        read_at=read_at,
        kinds=tuple(dict.fromkeys(study.kinds)),
        design=tuple(dict.fromkeys(study.design)),
        registry_ids=registry_ids(evidence),
        population=_population(study),
        arms=arms,
        groups=tuple(Group(label=label) for label in _lines(study.groups)),
        results=tuple(_result(r, arms) for r in study.results if r.outcome.strip()),
        conclusion=Conclusion(
            efficacy=study.efficacy, safety=study.safety, sentences=_numbers(study.s)
        ),
        mechanism=tuple(_steps(study)),
        unread=tuple(dict.fromkeys(study.unread)),
    )


def _population(study: ReadStudy) -> Population:
    return Population(
        description=_line(study.people),
        conditions=_lines(study.conditions),
        species=_line(study.species) or "human",
        n_randomised=_count(study.randomised),
        n_analysed=_count(study.analysed),
        n_planned=_count(study.planned),
        n_studies=_count(study.studies),
        part_of_trial=study.part_of_trial,
        sentences=_numbers(study.n_s),
    )


def _steps(study: ReadStudy) -> Iterator[MechanismStatement]:
    for step in study.mechanism:
        if step.subject.strip() and step.object.strip():
            yield MechanismStatement(
                subject=_line(step.subject),
                relation=step.relation,
                object=_line(step.object),
                system=step.system,
                sentences=_numbers(step.s),
            )


def registry_ids(evidence: Evidence) -> tuple[str, ...]:
    """The registered trials that a record is an entry or a report of."""
    meta = evidence.metadata
    own = (f"nct:{meta.nct_id}",) if meta.nct_id else ()
    return tuple(dict.fromkeys((*own, *(i for i in meta.linked_ids if i.startswith("nct:")))))


_LONGEST_ID = 40
_MOST_PEOPLE = 10**10
_LONGEST = 300
"""Characters of a name or a description; more is none."""


def _line(text: str) -> str:
    return " ".join(text.split())[:_LONGEST]


def _lines(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, map(_line, texts))))


def _arm_id(told: str) -> str:
    return told.strip()[:_LONGEST_ID]


def _count(number: int | None) -> int | None:
    return number if number is not None and 0 <= number < _MOST_PEOPLE else None


def _finite(number: float | None) -> float | None:
    """JSON has numbers beyond those of a computer, and a model may write one."""
    return number if number is not None and abs(number) < math.inf else None


def _numbers(given: Iterable[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(given))


def _arm(arm: ReadArm) -> Arm:
    return Arm(
        id=_arm_id(arm.id),
        label=_line(arm.label),
        interventions=tuple(
            Intervention(name=name, drug=canonical_drug(name)) for name in _lines(arm.gets)
        ),
        alternatives=arm.alternatives,
        control=arm.control,
        n=_count(arm.n),
    )


def _figure(figure: ReadFigure) -> ArmFigure:
    spread = _finite(figure.spread)
    return ArmFigure(
        arm=_arm_id(figure.arm),
        n=_count(figure.n),
        events=_count(figure.events),
        value=_finite(figure.value),
        spread=spread if spread is not None and spread >= 0 else None,
        low=_finite(figure.low),
        high=_finite(figure.high),
    )


def _effect(result: ReadResult) -> Effect | None:
    p = effect_p(result.p)
    numbers = [_finite(number) for number in (result.value, result.low, result.high)]
    if p is None and all(number is None for number in numbers):
        return None
    level = result.ci if result.ci is not None and 0 < result.ci < 100 else 95.0
    value, operator = p or (None, "=")
    told_p = None if operator == "ns" else value
    return Effect.model_validate(
        {
            "measure": result.measure,
            "value": numbers[0],
            "ci_low": numbers[1],
            "ci_high": numbers[2],
            "ci_level": level,
            "p": told_p,
            "p_operator": operator,
        }
    )


def _sides(result: ReadResult, arms: Sequence[Arm]) -> tuple[str, str]:
    """The arms of a result; those of at most two need not be written down."""
    a, b = _arm_id(result.a), _arm_id(result.b)
    if result.contrast in ("between", "within", "single") and len(arms) in (1, 2):
        a = a or next((arm.id for arm in arms if arm.id != b), "")
        if result.contrast == "between":
            b = b or next((arm.id for arm in arms if arm.id != a), "")
    return a, b


def _result(result: ReadResult, arms: Sequence[Arm]) -> Result:
    """The result with its effect as one of `a` against `b`, whichever way it was told."""
    a, b = _sides(result, arms)
    better = result.better
    if result.of == "b" and b:
        a, b, better = b, a, _SWAPPED.get(better, better)
    return Result(
        outcome=_line(result.outcome),
        concept=_line(result.concept or result.outcome).casefold(),
        kind=result.kind,
        level=result.level,
        contrast=result.contrast,
        a=a,
        b=b,
        indirect=result.indirect,
        better=better,
        higher_is_better=None if result.up is None else result.up == "good",
        effect=_effect(result),
        figures=tuple(_figure(f) for f in result.figures),
        unit=_line(result.unit),
        timepoint=_line(result.timepoint),
        people=_line(result.who),
        n=_count(result.n),
        condition=_line(result.condition),
        components=_lines(result.components),
        non_inferiority=result.non_inferiority,
        sentences=_numbers(result.s),
    )
