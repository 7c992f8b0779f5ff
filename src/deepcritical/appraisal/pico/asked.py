"""Says what a question asks to be tested, in the names that readings of studies use."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from types import MappingProxyType
from typing import Literal, NamedTuple

from deepcritical.domain.question.frame import (
    SERIOUS_HARM,
    Condition,
    Drug,
    QuestionFrame,
    QuestionKind,
)
from deepcritical.domain.text.patterns import bounded
from deepcritical.questions.claims import is_on_being_as_good
from deepcritical.questions.dosing import (
    dose_asked,
    is_between_doses,
    is_between_durations,
    tells_only_dose,
)
from deepcritical.vocabulary.classes import class_names, drug_class
from deepcritical.vocabulary.drugs import DrugKind, find_drugs, lookup_drug
from deepcritical.vocabulary.folding import key_of
from deepcritical.vocabulary.qualifiers import Qualifiers, qualifiers_in
from deepcritical.vocabulary.words import is_english

_SUPERIOR = bounded(
    r"\b(?:better|superior|(?:more|greater|higher) (?:\w+ )?(?:effective|efficac\w+|benefit)|"
    r"beats?|outperforms?|improves? on)\b",
    re.IGNORECASE,
)
_OR = bounded(r"(?:,? or|/)(?: an?| the)? ?", re.IGNORECASE)
_SEVERITY = bounded(
    r"\b(?:mild|moderate|severe|critical)(?:ly)?\b(?P<behind>(?:[ -][\w-]+){0,5})", re.IGNORECASE
)
_CASES = ("patients", "people", "cases", "ill")
_WIDEST = 100
"""Drugs of a class that tells of one of them: of all drugs for a disease none stands for all."""


class Asked(NamedTuple):
    """The question to be tested: who, against what, in whom, on which outcome."""

    drug: str
    """As a reader is told: the drug, or the class."""
    names: frozenset[str]
    """Canonical names that are the drug itself; of a class, its name and its members."""
    classes: frozenset[str]
    """Names of classes that the drug belongs to: what is found for them is indirect."""
    kin: frozenset[str]
    """Other drugs of these classes."""
    condition: Condition
    partners: tuple[frozenset[str], ...] = ()
    """Of a combination, the drugs that are given with it, of a class its names and members."""
    either: bool = False
    """True where any of the partners will do: "with letrozole or fulvestrant"."""
    comparators: Mapping[str, str] = MappingProxyType({})
    """Of a comparison, the active drugs, of a class its names and members; each with what was
    asked about."""
    compared_together: bool = False
    """True where it is compared with all of these given together."""
    population: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ()
    """Outcomes that the question names; of a harm all of its names, the one of the row first."""
    feared: tuple[str, ...] = ()
    """Of a harm the names that the question itself uses."""
    on_harm: bool = False
    """True where the question asks if the drug brings more of these outcomes."""
    prevention: bool = False
    """True where the question asks if people without the condition are kept from getting it."""
    in_anyone: bool = False
    """True where the harm, or the outcome, is asked about in whoever takes the drug."""
    dose: Literal["", "high", "low"] = ""
    """The dose of the drug that the question is on, "high" or "low"; '' for neither."""
    between_doses: bool = False
    """True where it sets two doses against each other, so that nothing else answers it."""
    in_length: bool = False
    """True where these doses are durations: "6 months against 12"."""
    any_grave: bool = False
    """True where any harm that kills or disables is asked about."""
    superior: bool = False
    """True where a comparison asks if the drug is better, so that one as good is none that is."""
    as_good: bool = False
    """True where it asks if the drug is no worse than what it may replace."""
    qualifiers: Qualifiers = MappingProxyType({})
    """Qualifiers that part off the people asked about from others with the condition."""
    stopping: bool = False
    """True where the question is on stopping the drug: who went on with it is the other side."""
    in_words: bool = False
    """True where what is asked about is no drug, but told in plain words, such as an exercise."""
    is_class: bool = False
    """True where a class is asked about, of which a wider one tells as wider people do."""

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


def _put(frame: QuestionFrame | None) -> dict[str, bool]:
    """The way a comparison is put: asking for what is better, or for what is as good."""
    as_good = bool(frame and is_on_being_as_good(frame))
    return {
        "superior": bool(frame and _SUPERIOR.search(frame.text) and not as_good),
        "as_good": as_good,
    }


def asked_of(drug: Drug, condition: Condition, frame: QuestionFrame | None = None) -> Asked:
    """Return what is asked of one drug, for a question or, without a frame, the condition alone."""
    frame = _as_on(frame, drug)
    own = {canonical(drug.name), *(name.casefold() for name in drug.names)}
    if group := drug_class(drug.name):
        own |= {name.casefold() for name in (group.name, *group.names)}
    members = frozenset(name.casefold() for name in _members(drug, frame))
    groups = _wider(members) if members else _classes_of(canonical(drug.name))
    partners = frozenset(_given_with(frame, drug)) if frame else frozenset()
    comparators = frozenset[str]()
    if frame and frame.kind is QuestionKind.COMPARISON:
        comparators = frozenset(map(canonical, _other_drugs(frame, own)))
    others = frozenset().union(*map(_same, (*partners, *comparators))) - own
    is_alone = not comparators and "placebo" not in (frame.comparators if frame else ())
    return Asked(
        drug=drug.name,
        names=(frozenset(own) | members | _narrower(members)) - others,
        classes=frozenset(groups) - others,
        kin=frozenset(name for kin in groups.values() for name in kin),
        condition=condition,
        partners=tuple(map(_same, sorted(partners))),
        either=bool(frame and len(partners) > 1 and _is_choice(frame.text, partners)),
        comparators={name: one for one in sorted(comparators) for name in _same(one)},
        compared_together=bool(frame and frame.compared_together),
        population=frame.population if frame else (),
        outcomes=_outcomes(frame) if frame else (),
        feared=_feared(frame) if frame else (),
        on_harm=bool(frame and frame.brings_harm),
        prevention=bool(frame and frame.prevents),
        in_anyone=bool(frame and not frame.condition and (frame.feared or frame.outcomes)),
        stopping=bool(frame and frame.stopping),
        is_class=bool(members),
        in_words=not drug.known and all(map(is_english, drug.name.casefold().split())),
        any_grave=bool(frame and frame.feared and frame.feared.name == SERIOUS_HARM.name),
        **_put(frame),
        qualifiers=_qualifiers(frame) if frame else MappingProxyType({}),
        dose=dose_asked(frame.text, own) if frame and is_alone else "",
        between_doses=bool(frame and is_alone and is_between_doses(frame.text)),
        in_length=bool(frame and is_between_durations(frame.text)),
    )


def _given_with(frame: QuestionFrame, drug: Drug) -> Iterator[str]:
    """Yield what a drug is asked about together with, but for classes of which nobody lists all."""
    if frame.together:
        others = (canonical(one.name) for one in frame.drugs if one.name != drug.name)
        yield from (name for name in others if not _is_open(name))


def _other_drugs(frame: QuestionFrame, names: set[str]) -> Iterator[str]:
    """Yield what is compared with, but for placebo and the drug itself in another dose."""
    for name in frame.comparators:
        if name != "placebo" and not tells_only_dose(name, names):
            yield name


def _as_on(frame: QuestionFrame | None, drug: Drug) -> QuestionFrame | None:
    """The frame if it names the drug, or asks which drugs help, and so is on every candidate."""
    is_on_all = frame is not None and frame.kind is QuestionKind.CANDIDATES
    return frame if frame and (is_on_all or drug.name in {d.name for d in frame.drugs}) else None


def _qualifiers(frame: QuestionFrame) -> Qualifiers:
    """Return what the question says of people; not "severe" before a harm or an outcome."""
    found = qualifiers_in(frame.text)
    names = (*frame.condition.names, frame.condition.name) if frame.condition else ()
    had = [f" {key_of(told['behind'])} " for told in _SEVERITY.finditer(frame.text)]
    is_theirs = any(f" {key_of(name)} " in behind for behind in had for name in (*names, *_CASES))
    if is_theirs or not had:
        return found
    return {kind: values for kind, values in found.items() if kind != "severity"}


def _is_choice(text: str, partners: frozenset[str]) -> bool:
    """Return whether "or" stands between the partners, and nothing else."""
    told = [d for d in find_drugs(text) if canonical(d.drug.name) in partners]
    return any(_OR.fullmatch(text, a.end, b.start) for a, b in pairwise(told))


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
def _classes() -> Mapping[str, frozenset[str]]:
    """The members of each class, by each of its names."""
    found: dict[str, frozenset[str]] = {}
    for group in filter(None, map(drug_class, class_names())):
        names = (group.name, *group.names, canonical(group.name))
        members = frozenset(member.casefold() for member in group.members)
        found |= dict.fromkeys((name.casefold() for name in names), members)
    return found


@cache
def _classes_of(drug: str) -> Mapping[str, frozenset[str]]:
    """The classes that a drug belongs to, with their members."""
    held = _classes().items()
    return {name: members for name, members in held if drug in members and len(members) <= _WIDEST}


def _is_open(name: str) -> bool:
    """Return whether a name is of a class whose members nobody lists: "chemotherapy"."""
    group = drug_class(name)
    return group is not None and not group.members


@cache
def _same(name: str) -> frozenset[str]:
    """All names of a drug or class that is on the other side, and the drugs of the class."""
    group = drug_class(name)
    if group is None:
        return frozenset({name})
    names = (name, group.name, canonical(group.name), *group.names, *group.members)
    return frozenset(one.casefold() for one in names)


@cache
def _wider(members: frozenset[str]) -> Mapping[str, frozenset[str]]:
    """The classes that hold all drugs of a class, and others."""
    return {name: held for name, held in _classes().items() if members < held}


@cache
def _narrower(members: frozenset[str]) -> frozenset[str]:
    """The names of the classes within a class."""
    return frozenset(name for name, held in _classes().items() if held and held < members)
