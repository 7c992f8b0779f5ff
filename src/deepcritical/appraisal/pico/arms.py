"""Finds what a comparison tests: the drug against nothing, against another drug, or neither."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from typing import Literal, NamedTuple

from deepcritical.appraisal.pico.asked import Asked
from deepcritical.appraisal.pico.controls import NOTHING, as_named, got_by
from deepcritical.domain.appraisal.findings import Given
from deepcritical.domain.study.reading import Arm, Result, StudyReading
from deepcritical.domain.text.patterns import bounded
from deepcritical.questions.dosing import differ_in_length, with_higher_dose
from deepcritical.vocabulary.classes import drug_class, find_classes
from deepcritical.vocabulary.drugs import find_drugs

ANOTHER_WAY = "another dose, time or order"
IN_NEITHER_ARM = "the drug is in neither arm of the comparison"
NOT_TOLD = "what its arms got could not be read"
IN_POOL = "a drug of one arm is pooled with others in the other one"
IN_BOTH = "the drug is in both arms"
AND = " + "
LESS_OF_IT = ("a lower dose", "a shorter treatment")
MORE_OF_IT = ("a higher dose", "a longer treatment")
"""The other arm of the same drug, by amount or interval, and by how long it was given."""

_LEFT_OVER = bounded(r"\b(?:others?|remaining|the rest|any|non?(?!-)|without)\b", re.IGNORECASE)
"""Words for a class without the drugs that a record names by themselves, or for none of it."""


class Tested(NamedTuple):
    """The test of the drug that a comparison makes."""

    side: Literal["a", "b"] = "a"
    """The arm with the drug."""
    comparator: str = ""
    """The active drug on the other side; '' for nothing, or the same background."""
    asked: bool = False
    """True where the question asks for just this comparison."""
    of_class: bool = False
    """True where the arm is of a class of drugs, among them the one asked about."""
    tested_as: str = ""
    """Of a class, what was tested as one."""
    added_to: str = ""
    """The treatment that both sides got, so that the drug was tested as added to it."""
    given_with: str = ""
    """Of a combination, what was given with the drug and not on the other side."""
    stopped: bool = False
    """True where the arm stopped the drug, and the other one went on with it."""
    members: str = ""
    """Of a class that is asked about, those of its drugs that were given."""
    is_less: bool = False
    """True where it is less of the drug: that more of it is no worse is nothing a trial asks."""
    why_not: str = ""
    """Reason why the comparison does not test the drug; '' where it does."""


def tested_by(reading: StudyReading, result: Result, asked: Asked) -> Tested:
    """Return what a result tests of the drug that is asked about.

    The arms must differ by exactly this drug, or by this drug on one side and an active one on the
    other; labels of arms change nothing.
    """
    a, b = reading.arm(result.a), reading.arm(result.b)
    if a is None and b is None:
        return _of_all_arms(reading, result, asked)
    got_a, got_b = got_by(a, b), got_by(b, a)
    if _is_of_pool(a, b):
        return Tested(why_not=IN_POOL)
    asked = _with_kinds(asked, got_a | got_b)
    if asked.partners:
        return _of_combination(got_a, got_b, asked)
    only = {"a": got_a - got_b, "b": got_b - got_a}
    arms = {"a": a, "b": b}
    sides = [side for side in ("a", "b") if _has(only[side], asked)]
    if len(sides) == 2:
        return Tested(why_not="one regimen or drug that was asked about is compared with another")
    if not sides and got_a == got_b and _has(got_a, asked):
        return _of_doses(a, b, asked)
    if not sides:
        found = _untested(got_a, got_b, asked)
        unread = found.why_not == IN_NEITHER_ARM and any(map(_is_unread, (a, b)))
        return Tested(why_not=NOT_TOLD) if unread and reading.reader.kind == "rules" else found
    side: Literal["a", "b"] = "a" if sides[0] == "a" else "b"
    other = only["b" if side == "a" else "a"]
    found = _isolated(side, only[side], other, arms[side], asked)
    return found if found.why_not else found._replace(added_to=_named(got_a & got_b))


def _with_kinds(asked: Asked, got: frozenset[str]) -> Asked:
    """Return what is asked of a class, with what arms got of it by a name that no table has.

    "Conventional testines" are testines.
    """
    if not asked.is_class:
        return asked
    kinds = {
        name
        for name in got - asked.names
        if not _LEFT_OVER.search(name)
        for told in find_classes(name)
        if told.end == len(name) and told.group.name.casefold() in asked.names
    }
    return asked._replace(names=asked.names | kinds)


def _of_all_arms(reading: StudyReading, result: Result, asked: Asked) -> Tested:
    """A test of all arms at once tells of the drug where it found no difference among them."""
    null = result.contrast == "omnibus" and result.better == "no_difference"
    told = Tested(why_not="the arms that it compares are not told")
    if not null:
        return told
    pairs = ((x, y) for x in reading.arms for y in reading.arms if x is not y)
    tests = (
        tested_by(reading, result.model_copy(update={"a": x.id, "b": y.id}), asked)
        for x, y in pairs
    )
    return next((t for t in tests if not t.why_not and not t.comparator), told)


def _of_doses(a: Arm | None, b: Arm | None, asked: Asked) -> Tested:
    """Return what a result tests of more or less of a drug, if the arms differ by nothing else.

    More of it stands for the drug, unless the question is on less.
    """
    higher = with_higher_dose(a.label, b.label) if a and b else None
    if a is None or b is None or higher is None:
        untold = ", and which dose is higher is not told" if asked.dose else ""
        return Tested(why_not=f"{IN_BOTH}{untold}")
    is_low, in_length = asked.dose == "low", differ_in_length(a.label, b.label)
    is_a = (higher == "a") is not is_low
    if asked.dose and in_length is not asked.in_length:
        return Tested(why_not=IN_BOTH)
    other = (MORE_OF_IT if is_low else LESS_OF_IT)[in_length]
    return Tested("a" if is_a else "b", other, asked=bool(asked.dose), is_less=is_low)


def _of_combination(a: frozenset[str], b: frozenset[str], asked: Asked) -> Tested:
    """Return what a result tests of a combination: all of it against a part of it, or none."""
    together = any if asked.either else all
    enough = [together(partner & got for partner in asked.partners) for got in (a, b)]
    whole = [bool(e and got & asked.names) for e, got in zip(enough, (a, b), strict=True)]
    if all(whole):
        return Tested(why_not="the combination is in both arms")
    if not any(whole):
        if _has(a | b, asked):
            return Tested(why_not="it is given without the drug that was asked about with it")
        return _untested(a, b, asked)
    got, other = (a, b) if whole[0] else (b, a)
    named = asked.names.union(*asked.partners)
    rest = got - other - named
    if rest:
        return Tested(why_not=f"it is given in one combination with {_named(rest)}")
    part = other & named
    comparator = _named(part | (other - got))
    return Tested(
        "a" if whole[0] else "b",
        comparator,
        asked=bool(part) and other <= got,
        added_to=_named(got & other - asked.names),
        given_with=_named(got - other - asked.names),
    )


def given_by(reading: StudyReading, asked: Asked) -> Given:
    """Return how a study gives the drug: what is seen in people on other treatment too is not its.

    Of a combination that is asked about, the drugs given with it are part of it. Where no arm has
    it, arms with names that no table has may be misread: they say nothing.
    """
    with_it = [arm for arm in reading.arms if _has(got_by(arm, None), asked)]
    own = asked.names.union(asked.classes, *asked.partners)
    alone = [arm for arm in with_it if got_by(arm, None) <= own]
    if not with_it:  # where the arms say what they got, everybody or nobody got it
        names = {name for arm in reading.arms for name in got_by(arm, None)}
        return "mixed" if names and all(map(_is_known, names)) else ""
    if len(with_it) == len(alone):
        return "alone"
    if any(not tested.why_not for tested in tests_in(reading, asked)):
        return "alone" if alone else "added"
    return "mixed"


def tests_in(reading: StudyReading, asked: Asked) -> Iterator[Tested]:
    """Yield what each two arms of a study test of the drug, whether or not a result is read."""
    for a, b in combinations(reading.arms, 2):
        yield tested_by(reading, Result(outcome="-", a=a.id, b=b.id), asked)


def _is_of_pool(a: Arm | None, b: Arm | None) -> bool:
    """Return whether each of an arm got one of several drugs, and the other arm one of these."""
    pooled = any(arm and arm.alternatives for arm in (a, b))
    return pooled and not got_by(a, b).isdisjoint(got_by(b, a))


def _has(names: frozenset[str], asked: Asked) -> bool:
    return bool(names & (asked.names | asked.classes))


def _untested(a: frozenset[str], b: frozenset[str], asked: Asked) -> Tested:
    if _has(a & b, asked):
        return Tested(why_not=IN_BOTH)
    return Tested(why_not=IN_NEITHER_ARM)


def _isolated(
    side: Literal["a", "b"],
    drugs: frozenset[str],
    other: frozenset[str],
    arm: Arm | None,
    asked: Asked,
) -> Tested:
    """The drug's side of a comparison: alone, as one of a pooled class, or in a combination."""
    pooled = arm is not None and arm.alternatives and len(drugs) > 1
    of_class = not drugs & asked.names or (pooled and not drugs <= asked.names)
    rest = drugs - asked.names - asked.classes
    if of_class and arm and _LEFT_OVER.search(arm.label):
        return Tested(why_not="whether it is among the other drugs of the comparison is not told")
    if pooled and rest - asked.kin:
        return Tested(why_not="it is pooled with drugs of other classes")
    if rest and not pooled:
        return Tested(why_not=f"it is given in one combination with {_named(rest)}")
    comparator = _named(other)
    tested_as = _tested_as(drugs, arm) if of_class else ""
    against = frozenset(asked.comparators[name] for name in other if name in asked.comparators)
    is_asked = bool(other) and other <= asked.comparators.keys()
    if asked.compared_together and against != {*asked.comparators.values()}:
        is_asked = False
    if is_asked:
        comparator = _named(against)
    given = drugs & asked.names if asked.is_class and not of_class else frozenset()
    members = _members(given, asked).replace(AND, " or " if pooled else " with ")
    return Tested(side, comparator, is_asked, of_class, tested_as, members=members)


def _tested_as(drugs: frozenset[str], arm: Arm | None) -> str:
    """The class that an arm is of, else the drugs that were pooled in it."""
    if arm and drug_class(arm.label):
        return arm.label
    held = {m.casefold() for name in drugs if (group := drug_class(name)) for m in group.members}
    return written(_named(drugs - held)).replace(AND, " or ")


def tested_on(
    side: Literal["a", "b"], reading: StudyReading, result: Result, asked: Asked
) -> Tested:
    """Return what one side got that the other did not, where names do not isolate what is asked.

    Another drug than the one asked about is never taken for it, whoever says so; a name that no
    table has may be one of its own, where no arm of the study names it; of a class whose members no
    table lists, whoever read the study knows them. Where neither side got more, they differ by
    dose, time or order, which tells of the drug indirectly at most.
    """
    drug, other = (result.a, result.b) if side == "a" else (result.b, result.a)
    arm, rest = reading.arm(drug), reading.arm(other)
    if _is_of_pool(arm, rest):
        return Tested(why_not=IN_POOL)
    got, left = got_by(arm, rest) - got_by(rest, arm), got_by(rest, arm) - got_by(arm, rest)
    against = "" if rest is None or rest.control else _named(left - asked.names)
    is_asked = is_compared_with(left, asked)
    if got & asked.names:
        if arm and arm.alternatives and not got <= asked.names:  # each got one of them
            return Tested(side, against, is_asked, True, _tested_as(got, arm))
        given_with = _named(got - asked.names - asked.classes)
        return Tested(side, against, is_asked, given_with=given_with)
    if not got:
        if not _has(got_by(arm, rest), asked) or (left and not is_asked):
            return Tested(why_not=IN_NEITHER_ARM)
        other_way = bool(asked.dose) or asked.between_doses or is_compared_with(frozenset(), asked)
        return Tested(side, _named(left) or ANOTHER_WAY, is_asked if left else other_way)
    group = drug_class(asked.drug)
    if group and not group.members:
        return Tested(side, against, is_asked)
    is_other = not got & (asked.classes | asked.kin) and any(map(_is_known, got))
    if is_other and not asked.in_words:  # of several parts one may be a drug
        return Tested(why_not=IN_NEITHER_ARM)
    named = any(asked.names & {as_named(i) for i in one.interventions} for one in reading.arms)
    if named or any(map(_is_known, asked.names)):
        return Tested(side, against, is_asked, True, _tested_as(got, arm))
    return Tested(side, against, is_asked)


def is_compared_with(names: frozenset[str], asked: Asked) -> bool:
    """Return whether the question may name what the other side got more as what it compares with.

    A drug that a table has is another one than any other name; of names that no table has a model's
    word is taken.
    """
    if names and names <= asked.comparators.keys():
        return True
    return bool(asked.comparators) and not any(map(_is_known, (*names, *asked.comparators)))


def _is_unread(arm: Arm | None) -> bool:
    """Return whether an arm is named by its role alone, or by what no table has."""
    if arm is None or arm.control or NOTHING.match(arm.label):
        return False
    return not arm.interventions or not all(map(_is_known, got_by(arm, None)))


def _is_known(name: str) -> bool:
    return bool(find_drugs(name) or find_classes(name)) or drug_class(name) is not None


def _members(given: frozenset[str], asked: Asked) -> str:
    """The drugs of a class that were given, or the narrower class; '' for the class itself."""
    whole = drug_class(asked.drug)
    own = {name.casefold() for name in (whole.name, *whole.names)} if whole else set()
    return "" if own & given else written(_named(given))


def _named(drugs: frozenset[str]) -> str:
    return AND.join(sorted(drugs))


def written(comparator: str) -> str:
    """Return the name of a comparator, of a class as pharmacologists write it."""
    groups = ((name, drug_class(name)) for name in comparator.split(AND))
    return AND.join(group.name if group else name for name, group in groups)
