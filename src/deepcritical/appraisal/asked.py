"""Says what a question asks to be tested, in the names that readings of studies use."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from deepcritical.domain.frame import QuestionFrame, QuestionKind
from deepcritical.domain.named import Condition, Drug
from deepcritical.vocabulary.classes import class_names, drug_class
from deepcritical.vocabulary.drugs import DrugKind, lookup_drug

__all__ = ["Asked", "asked_of"]


class Asked(NamedTuple):
    """Who is to be tested against what, in whom, on which outcome."""

    drug: str
    """As a reader is told: the drug, or the class."""
    names: frozenset[str]
    """Canonical names that are the drug itself; of a class, its name and its members."""
    classes: frozenset[str]
    """Names of classes that the drug belongs to: what is found for them is indirect."""
    kin: frozenset[str]
    """Other drugs of these classes."""
    condition: Condition
    partners: frozenset[str] = frozenset()
    """Of a combination, the drugs that are given with it."""
    comparators: frozenset[str] = frozenset()
    """Of a comparison, the active drugs."""
    population: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ()
    """Outcomes that the question names; of a harm all of its names, the one of the row first."""
    feared: tuple[str, ...] = ()
    """Of a harm the names that the question itself uses."""
    on_harm: bool = False
    """Whether the question asks if the drug brings more of these outcomes."""
    prevention: bool = False
    """Whether the question asks if people without the condition are kept from getting it."""
    in_anyone: bool = False
    """Whether the harm is asked about in whoever takes the drug."""

    @property
    def measured(self) -> tuple[str, ...]:
        """The names that say what is measured.

        A heading has others that are something else, such as "cardiovascular stroke".
        """
        return self.feared or self.outcomes


def canonical(name: str) -> str:
    """The name of a drug or class in the vocabulary; as given, in small letters, if unknown."""
    found = lookup_drug(name)
    if found.kind is not DrugKind.UNKNOWN:
        return found.name.casefold()
    group = drug_class(name)
    return (group.name if group else name).casefold()


def asked_of(drug: Drug, condition: Condition, frame: QuestionFrame | None = None) -> Asked:
    """What is asked of one drug, for a question or, without a frame, for the condition alone."""
    own = {canonical(drug.name), *(name.casefold() for name in drug.names)}
    if group := drug_class(drug.name):
        own |= {name.casefold() for name in (group.name, *group.names)}
    members = frozenset(name.casefold() for name in _members(drug, frame))
    groups = {} if members else _classes_of(canonical(drug.name))
    partners: frozenset[str] = frozenset()
    comparators: frozenset[str] = frozenset()
    if frame and frame.kind is QuestionKind.COMBINATION:
        partners = frozenset(canonical(d.name) for d in frame.drugs if d.name != drug.name)
    if frame and frame.kind is QuestionKind.COMPARISON:
        comparators = frozenset(canonical(c) for c in frame.comparators if c != "placebo")
    return Asked(
        drug=drug.name,
        names=frozenset(own) | members,
        classes=frozenset(groups),
        kin=frozenset(name for kin in groups.values() for name in kin),
        condition=condition,
        partners=partners,
        comparators=comparators,
        population=frame.population if frame else (),
        outcomes=_outcomes(frame) if frame else (),
        feared=_feared(frame) if frame else (),
        on_harm=bool(frame and frame.is_on_harm),
        prevention=bool(frame and frame.prevents),
        in_anyone=bool(frame and frame.feared and not frame.condition),
    )


def _outcomes(frame: QuestionFrame) -> tuple[str, ...]:
    if frame.feared is None:
        return frame.outcomes
    return tuple(dict.fromkeys((frame.feared.name, *frame.feared.names)))


def _feared(frame: QuestionFrame) -> tuple[str, ...]:
    if frame.feared is None:
        return ()
    return tuple(dict.fromkeys((frame.feared.name, *(one.name for one in frame.feared.each))))


def _members(drug: Drug, frame: QuestionFrame | None) -> tuple[str, ...]:
    """The drugs of a class; () for a drug."""
    if frame and frame.members and frame.drugs and frame.drugs[0].name == drug.name:
        return frame.members
    group = drug_class(drug.name)
    return group.members if group else ()


@cache
def _classes_of(drug: str) -> Mapping[str, frozenset[str]]:
    """The classes that a drug belongs to, with their members."""
    found: dict[str, frozenset[str]] = {}
    for group in filter(None, map(drug_class, class_names())):
        members = frozenset(member.casefold() for member in group.members)
        if drug in members:
            names = (group.name, *group.names, canonical(group.name))
            found |= dict.fromkeys((name.casefold() for name in names), members)
    return found
