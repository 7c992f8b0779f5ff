"""Decides whether those whom a study is about are the people that a question asks about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from deepcritical.appraisal.pico.asked import Asked
from deepcritical.appraisal.pico.outcomes import symptom_of, without_instruments
from deepcritical.domain.appraisal.votes import Directness
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.question.frame import Condition
from deepcritical.domain.study.reading import Result, StudyReading
from deepcritical.domain.text.patterns import bounded
from deepcritical.vocabulary.classes import drug_class
from deepcritical.vocabulary.conditions import (
    KnownCondition,
    condition_named,
    find_conditions,
    is_kind_of,
)
from deepcritical.vocabulary.folding import key_of
from deepcritical.vocabulary.outcomes import construct_of
from deepcritical.vocabulary.qualifiers import fits, qualifiers_in
from deepcritical.vocabulary.words import in_running_text

_ONSET = bounded(
    r"\b(?:incidence|incident|risk|rate|onset|new|newly|diagnos\w+|development|developing|"
    r"occurrence|time to|cases?|of|the|all-cause|hazard|odds)\b",
    re.IGNORECASE,
)
_COURSE = bounded(
    r"\b(?:recurr|relaps|progress|metasta|death|mortalit|surviv|free|contralateral|second)",
    re.IGNORECASE,
)
"""Words for what happens to those who have or had a condition."""
_OF_THE_ILL = bounded(
    r"\b(?:recover|resol|cure|clearance|sever|hospital|death|mortal|surviv|symptom|duration|progress|"
    r"ventilat|complicat|improv|control|relie|clinical|negativ|conversion|discharge|efficacy)",
    re.IGNORECASE,
)
"""Words for what only those who have a condition can have more or less of."""
_NOT_THEM = bounded(
    r"\b(?:without|no|not having|excluding|free (?:of|from)|risk (?:of|for)|prevention of|"
    r"family history of|(?:care-?givers?|carers?|relatives?|family members|families|parents|"
    r"spouses|siblings|offspring|contacts) (?:of|for))\b[^,;.]*|[^,;.]{0,100}\bexcluded\b",
    re.IGNORECASE,
)
"""Words on conditions that those studied do not have."""
_NARROW = 4
"""Levels of MeSH's tree from which on a heading is one condition, or a few that are alike."""

_BROUGHT = bounded(r"\b(?P<by>[a-z0-9]+) (?:induced|associated|related) (?P<what>[a-z0-9 ]+)$")
"""A condition with the drug or class that brings it, folded."""
_PEOPLE = bounded(
    r"^(?:[\w-]+,? ){0,4}?(?:people|persons?|patients?|participants?|adults?|children|wom[ae]n|"
    r"m[ae]n|individuals?|volunteers?|residents?|veterans?|users)\b",
    re.IGNORECASE,
)
_NO_PEOPLE = bounded(r";|\b(?:trials?|stud(?:y|ies)|reviews?|cohorts?|databases?)\b", re.IGNORECASE)
"""Signs of a list, or of a description of records and not of people."""
_FEW_WORDS = 110
"""Characters of a population's description that a sentence on a result holds."""


def people_in_words(reading: StudyReading, text: str) -> str:
    """Return who was studied, where a few words of the reading say it; else ''.

    Args:
        reading: Of whom.
        text: The record's own, by which names are known.
    """
    told = reading.population.description.strip(" .")
    is_short = len(told) <= _FEW_WORDS and not _NO_PEOPLE.search(told)
    if not is_short or not _PEOPLE.match(told):
        return ""
    return in_running_text(told, text)


def directness(
    reading: StudyReading,
    result: Result,
    evidence: Evidence,
    asked: Asked,
    *,
    matched: bool = False,
) -> Directness | None:
    """Return how the people of a result stand to those asked about; None where they are unrelated.

    Direct are people with the condition or a narrower one, if nothing else parts them from those
    asked about. Where the question names people beside
    what is treated ("agitation in dementia"), they are enough if the result is on what is treated.

    Args:
        reading: The study.
        result: Its result.
        evidence: The record.
        asked: The question.
        matched: Whether a model found the result to be on what is asked: then people who have a
            condition are those in whom the outcomes that a question names are to be prevented.
    """
    near = _directness(reading, result, evidence, asked, matched=matched)
    if near == "direct" and not is_of_those_parted_off(reading, result, evidence, asked):
        return near if fits(asked.qualifiers, _all_told(reading, evidence)) else "broader"
    return near


def _all_told(reading: StudyReading, evidence: Evidence) -> str:
    told = (*_told(reading, evidence), reading.population.description, evidence.citation.title)
    return " ".join(told)


def is_of_those_parted_off(
    reading: StudyReading, result: Result, evidence: Evidence, asked: Asked
) -> bool:
    """Return whether a subgroup is just the people asked about, of whom the whole tells nothing."""
    if result.level != "subgroup" or not asked.qualifiers:
        return False
    own, whole = qualifiers_in(result.people), _all_told(reading, evidence)
    parted = [name for name in asked.qualifiers if name in own]
    rest = {name: of for name, of in asked.qualifiers.items() if name not in own}
    is_own = bool(parted) and all(own[name] <= asked.qualifiers[name] for name in parted)
    return is_own and fits(rest, whole) and not fits(asked.qualifiers, whole)


def _directness(
    reading: StudyReading, result: Result, evidence: Evidence, asked: Asked, *, matched: bool
) -> Directness | None:
    if asked.in_anyone:
        return "direct"
    if asked.prevention and result.kind == "safety" and _is_to_prevent(reading, asked):
        return "direct"
    if is_prevention(reading, result, asked):
        return "direct" if asked.prevention else "broader"
    told = tuple(_told(reading, evidence))
    by_people = _closest(told, asked.condition)
    if by_people != "direct" and _has_population(told, asked):
        by_people = "direct" if _is_on_it(result, asked) else by_people or "broader"
    is_of_ill = by_people not in (None, "related") and not _is_on_it(result, asked)
    if asked.prevention and is_of_ill and not (matched and asked.outcomes):
        by_people = "related" if result.kind != "safety" else "broader"
    if by_people == "direct" and reading.population.part_of_trial:
        return "broader"
    if by_people in (None, "related"):
        near = _is_measured_as_it(reading, result, asked) or _is_onset_of_wider(result, asked)
        return "broader" if near else by_people
    return by_people


def _is_measured_as_it(reading: StudyReading, result: Result, asked: Asked) -> bool:
    """Return whether a result, or another one of its kind in the study, measures the condition.

    All results of one kind are of the same people: what the scale of a condition is named after
    parts none of them off.
    """
    if _is_on_it(result, asked):
        return True
    own = construct_of(result.concept, result.outcome)
    return own is not None and any(
        other.condition == result.condition
        and other.kind != "safety"
        and construct_of(other.concept, other.outcome) == own
        and _is_on_it(other, asked)
        for other in reading.results
    )


def _is_on_it(result: Result, asked: Asked) -> bool:
    """Return whether an outcome is the condition that is asked about, or measures it."""
    symptom = symptom_of(asked.condition.name)
    own = construct_of(asked.condition.name, "") if asked.population else symptom
    if own and own == construct_of(result.concept, result.outcome):
        return True
    texts = (result.outcome, result.concept)
    # Where it is to be prevented, it must be what is counted, and not what those have who recover.
    if asked.prevention:
        near = _closest(map(without_instruments, texts), asked.condition)
        is_it = near == "broader" and names_condition((result.condition,), asked.condition)
        return (near == "direct" or is_it) and not _OF_THE_ILL.search(" ".join(texts))
    return names_condition((result.condition, *texts), asked.condition)


def is_prevention(reading: StudyReading, result: Result, asked: Asked) -> bool:
    """Return whether the outcome is to get the condition, so that those studied did not have it.

    A symptom that is measured, as agitation is, is no such outcome, and neither is a recurrence.
    """
    if symptom_of(asked.condition.name):
        return False
    if _closest(_had(reading.population.conditions), asked.condition):
        return False
    named = (_ONSET.sub(" ", text).strip() for text in (result.concept, result.outcome) if text)
    names = {key_of(name) for name in (asked.condition.name, *asked.condition.names)}
    wanted = [one for c in asked.condition.each if (one := condition_named(c.name))]
    for name in named:
        known = condition_named(name) or _headed(name)
        if key_of(name) in names or (known and any(is_kind_of(known, w) for w in wanted)):
            return True
    return False


def _is_to_prevent(reading: StudyReading, asked: Asked) -> bool:
    """Return whether a study tells who got the condition, so its harms are those of prevention."""
    return any(is_prevention(reading, result, asked) for result in reading.results)


def _is_onset_of_wider(result: Result, asked: Asked) -> bool:
    """Return whether people got a condition of which the one asked about is a kind."""
    if symptom_of(asked.condition.name):
        return False
    each = [one for c in asked.condition.each if (one := condition_named(c.name))]
    named = (_ONSET.sub(" ", text).strip() for text in (result.concept, result.outcome) if text)
    found = filter(None, (condition_named(name) or _headed(name) for name in named))
    return any(_is_narrow(one) and any(is_kind_of(own, one) for own in each) for one in found)


def _is_narrow(condition: KnownCondition) -> bool:
    """Return whether a condition is more than a medical field: "dementia" is, "cancer" is not."""
    return any(tree.count(".") + 1 >= _NARROW for tree in condition.trees)


def _headed(name: str) -> KnownCondition | None:
    """The condition that a name ends on, where nothing else but its kind is told of it."""
    mentions = find_conditions(name, any_case=True)
    last = mentions[-1] if mentions else None
    return last.condition if last and last.end == len(name) and not _COURSE.search(name) else None


def are_asked_about(reading: StudyReading, evidence: Evidence, asked: Asked) -> bool:
    """Return whether those studied have the condition, whatever was found in them."""
    return _closest(_told(reading, evidence), asked.condition) == "direct"


def may_be_asked_about(reading: StudyReading, evidence: Evidence, asked: Asked) -> bool:
    """Return whether those studied may have the condition; not where only others are named.

    That is for studies whose people nobody read: the title tells, and one that names no condition
    excludes none.
    """
    told = tuple(_told(reading, evidence))
    if _closest(told, asked.condition) in ("direct", "broader") or _has_population(told, asked):
        return True
    return not any(find_conditions(text, any_case=True) for text in told)


def names_condition(texts: Iterable[str], condition: Condition) -> bool:
    """Return whether a text names the condition or a narrower one."""
    return any(
        text and _relation(text, one.names, one.name) == "direct"
        for text in texts
        for one in condition.each
    )


def concerns(texts: Iterable[str], asked: Asked) -> bool:
    """Return whether texts name the condition, one above or akin, or the people asked about."""
    told = tuple(texts)
    near = _closest(told, asked.condition)
    return near in ("direct", "broader") or _has_population(told, asked)


def _told(reading: StudyReading, evidence: Evidence) -> Iterator[str]:
    """Yield what tells who was studied: given conditions, else description, title and registry."""
    people = reading.population
    if people.conditions:
        yield from _had((*people.conditions, *people.qualifiers))
        return
    yield from _had((people.description, evidence.citation.title))
    yield from evidence.metadata.conditions


def _had(texts: Iterable[str]) -> Iterator[str]:
    """Yield what texts tell of conditions that people have."""
    return (_NOT_THEM.sub(" ", text) for text in texts)


def _has_population(told: Iterable[str], asked: Asked) -> bool:
    groups = (Condition(name=name, names=(name,)) for name in asked.population)
    texts = tuple(told)
    return any(names_condition(texts, group) for group in groups)


def _closest(told: Iterable[str], condition: Condition) -> Directness | None:
    each = condition.each
    found = {_relation(text, one.names, one.name) for text in told if text for one in each}
    ranks: tuple[Directness, ...] = ("direct", "broader", "related")
    return next((rank for rank in ranks if rank in found), None)


@lru_cache(maxsize=4096)
def _relation(text: str, names: tuple[str, ...], name: str) -> Directness | None:
    """Return how what a text names stands to a condition: same or narrower, broader, or akin."""
    key = f" {key_of(text)} "
    if any(f" {key_of(other)} " in key for other in (name, *names) if other):
        return "direct"
    wanted = condition_named(name) or next(filter(None, map(condition_named, names)), None)
    if wanted is None:
        return None
    if any(_is_brought_alike(text, other) for other in (name, wanted.name)):
        return "direct"
    brought = _BROUGHT.match(key_of(wanted.name))
    if brought and f" {brought['what']} " in key:
        return "broader"
    whole = condition_named(text)
    known = [whole] if whole else [m.condition for m in find_conditions(text, any_case=True)]
    relations = {_of_known(one, wanted) for one in known}
    ranks: tuple[Directness, ...] = ("direct", "broader", "related")
    return next((rank for rank in ranks if rank in relations), None)


def _is_brought_alike(text: str, name: str) -> bool:
    """Return whether a drug of the class that brings a condition brings it in a text.

    "Cisplatin-induced nausea" is chemotherapy-induced nausea.
    """
    wanted, told = _BROUGHT.match(key_of(name)), _BROUGHT.search(key_of(text))
    if wanted is None or told is None or wanted["what"] != told["what"]:
        return False
    group = drug_class(wanted["by"])
    members = {key_of(member) for member in group.members} if group else set()
    return wanted["by"] == told["by"] or bool(group and (not members or told["by"] in members))


def _of_known(one: KnownCondition, wanted: KnownCondition) -> Directness | None:
    if is_kind_of(one, wanted):
        return "direct"
    if is_kind_of(wanted, one):
        return "related" if _comes_after(wanted, one) else "broader"
    return "related" if _is_akin(one, wanted) else None


def _comes_after(one: KnownCondition, other: KnownCondition) -> bool:
    """Return whether a condition stays when another one is over: "post-polio syndrome"."""
    before = {key_of(name) for name in (other.name, *other.names)}
    after = [key_of(name) for name in (one.name, *one.names)]
    rests = [
        name.removeprefix("post ").removeprefix("acute ") for name in after if name[:5] == "post "
    ]
    return any(f"{rest} ".startswith(f"{name} ") for rest in rests for name in before)


def _is_akin(one: KnownCondition, other: KnownCondition) -> bool:
    """Return whether two conditions stand below one heading that is narrow itself."""
    pairs = ((x.split("."), y.split(".")) for x in one.trees for y in other.trees)
    return any(len(x) > 2 and x[:-1] == y[:-1] for x, y in pairs)
