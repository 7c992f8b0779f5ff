"""A question as a model reads it: its names must be known, or stand in the question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from deepcritical.domain.frame import DeclineReason, QuestionFrame, QuestionKind
from deepcritical.domain.named import Condition, Drug
from deepcritical.domain.text import locate_quote
from deepcritical.questions.naming import Names, as_condition, find_names

__all__ = ["FINAL", "ModelReading", "read_by_model"]

FINAL = frozenset({DeclineReason.HARMFUL, DeclineReason.INSTRUCTION, DeclineReason.PERSONAL_ADVICE})
"""Reasons to decline that a model cannot set aside: a text may have been written to talk it out."""


class ModelReading(BaseModel):
    """What a question asks."""

    model_config = ConfigDict(frozen=True, extra="ignore", use_attribute_docstrings=True)

    kind: Literal[
        "efficacy",
        "candidates",
        "mechanism",
        "comparison",
        "combination",
        "class",
        "safety",
        "dose",
        "population",
        "status",
        "look_up",
        "open",
        "not_biomedical",
    ]
    """efficacy: whether one drug helps; candidates: which drugs could help; class: whether a class
    of drugs helps; population: in whom it helps; status: approval, guidelines, trials; look_up: a
    plain fact; open: any other question that biomedical literature answers."""
    drugs: list[str] = Field(default_factory=list)
    """What is asked about, as the question names it; empty when it names none."""
    compared_with: list[str] = Field(default_factory=list)
    condition: str = ""
    """What is to be treated, as the question names it; empty when it names none."""
    population: list[str] = Field(default_factory=list)
    """Who is studied, as the question says it."""
    through: list[str] = Field(default_factory=list)
    """Targets or processes by which the drug is said to act."""


def read_by_model(by_rule: QuestionFrame, said: ModelReading) -> QuestionFrame:
    """The frame with what a model reads in the question, as far as its words bear it out.

    A name counts that stands in the question, or that a vocabulary finds there. What the model left
    out stays as the rules read it.
    """
    if by_rule.declined in FINAL:
        return by_rule
    text, names = by_rule.text, find_names(by_rule.text)
    drugs = tuple(_drugs(said.drugs, text, names)) or by_rule.drugs
    condition = _condition(said.condition, text, names)
    if said.kind == "not_biomedical" or not (drugs or condition or by_rule.answerable):
        return by_rule
    kind = _kind(said, drugs, by_rule)
    harm = by_rule.harm if kind is QuestionKind.SAFETY else None
    own = by_rule.condition or (None if harm else by_rule.harm)
    told = [one for one in (own, harm) if one and condition and condition.name in one.names]
    if condition is None or told:
        condition = own
    through = tuple(filter(None, (_in_words(term, text) for term in said.through)))
    read = by_rule.model_copy(
        update={
            "kind": kind,
            "harm": harm,
            "declined": None,
            "drugs": drugs,
            "comparators": _comparators(said, text, names, drugs) or by_rule.comparators,
            "condition": condition,
            "population": by_rule.population
            or tuple(filter(None, (_in_words(group, text) for group in said.population))),
            "through": through or by_rule.through,
            "offers": (),
            "missing": (),
            "notices": by_rule.notices if by_rule.answerable else (),
        }
    )
    return read if _same(read, by_rule) else _told(read)


def _kind(said: ModelReading, drugs: tuple[Drug, ...], by_rule: QuestionFrame) -> QuestionKind:
    """The model's kind, unless the names do not fit it."""
    kind = QuestionKind(said.kind)
    needs_drug = kind not in {QuestionKind.CANDIDATES, QuestionKind.OPEN, QuestionKind.LOOK_UP}
    fits = bool(drugs) or not needs_drug or kind is QuestionKind.STATUS
    if kind is QuestionKind.CANDIDATES and drugs:
        fits = False
    if fits:
        return kind
    return by_rule.kind if by_rule.answerable else QuestionKind.OPEN


def _drugs(written: Iterable[str], text: str, names: Names) -> Iterator[Drug]:
    for name in written:
        found = find_names(name).drugs
        meant = found[0].drug if found else None
        if meant and any(named.drug.name == meant.name for named in names.drugs):
            yield meant
        elif in_text := _in_words(name, text):
            yield meant or Drug(name=in_text, known=False)


def _comparators(
    said: ModelReading, text: str, names: Names, drugs: tuple[Drug, ...]
) -> tuple[str, ...]:
    asked = {drug.name for drug in drugs}
    others = (drug.name for drug in _drugs(said.compared_with, text, names))
    return tuple(name for name in others if name not in asked)


def _condition(written: str, text: str, names: Names) -> Condition | None:
    found = find_names(written).conditions
    meant = found[0].condition if found else None
    for mention in names.conditions:
        if meant and meant in (mention.condition, *mention.others):
            return as_condition(meant)
    in_text = _in_words(written, text)
    if not in_text:
        return None
    return as_condition(meant, in_text) if meant else _literal(in_text)


def _literal(name: str) -> Condition:
    return Condition(name=name, names=(name,), known=False)


def _in_words(name: str, text: str) -> str:
    """A name as the question writes it; '' when the question does not."""
    place = locate_quote(name, text)
    return text[place[0] : place[1]] if place and any(map(str.isalpha, name)) else ""


def _same(one: QuestionFrame, other: QuestionFrame) -> bool:
    return one.model_copy(update={"notices": other.notices}) == other


def _told(read: QuestionFrame) -> QuestionFrame:
    """With a line on how the model read the question, and one on each name that is not known."""
    parts = [
        f"kind {read.kind.value.replace('_', ' ')}",
        *(f"drug {drug.name}" for drug in read.drugs),
        *(f"compared with {name}" for name in read.comparators),
        *([f"condition {read.condition.name}"] if read.condition else []),
    ]
    unknown = [
        f'We do not recognise "{drug.name}" as a drug; it is searched as typed.'
        for drug in read.drugs
        if not drug.known
    ]
    if read.condition and not read.condition.known:
        name = read.condition.name
        unknown.append(f'We do not recognise "{name}" as a condition; it is searched as typed.')
    notices = (f"A model read the question as: {'; '.join(parts)}.", *read.notices, *unknown)
    return read.model_copy(update={"notices": tuple(dict.fromkeys(notices))})
