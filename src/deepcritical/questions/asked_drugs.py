"""Joins the drugs that a question names: examples to their class, other names to their drug.

A class with examples is the class, alternatives are one class of their own, and a code in brackets
is another name of the drug before it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from deepcritical.domain.named import Drug
from deepcritical.domain.patterns import bounded
from deepcritical.vocabulary.classes import DrugClass, listed_class
from deepcritical.vocabulary.conditions import ConditionMention
from deepcritical.vocabulary.drugs import DrugKind, lookup_drug


class DrugNamed(NamedTuple):
    """A drug or class named in a question: `source[start:end] == text`."""

    drug: Drug
    group: DrugClass | None
    start: int
    end: int
    text: str


_OPENS = bounded(r" ?[(\[] ?")
_IN_BRACKETS = bounded(r" ?\((?P<name>[^()]{3,40})\)")
_SUCH_AS = r"(?:such as|like|including|e\.?g\.?,?|for example,?|for instance,?|namely|i\.?e\.?,?)"
_EXAMPLES = bounded(rf",? (?P<open>{_SUCH_AS}) |,? ?\((?P<told>{_SUCH_AS} )?", re.IGNORECASE)
_AS_EXAMPLES = bounded(rf"[ (]{_SUCH_AS} $", re.IGNORECASE)
_HOW = bounded(
    r"(?:(?!(?:vs|versus|compared|than|not|except|without|plus|or|and) )[\w-]+ ){0,5}",
    re.IGNORECASE,
)
"""The way that drugs of a class are given, before their list: "analgesics (at night with ...)"."""
_NEXT = bounded(r" ?(?:, ?(?:or |and )?|; ?|/| (?:or|and) )", re.IGNORECASE)
_ALIKE = bounded(
    r"\)?,? (?:and|or) (?:the like|others|so on|similar\b)|,? etc\b|,? \.\.\.", re.IGNORECASE
)
_OTHERS = bounded(r",? (?:and|or) (?:any |all )?other (?:[\w-]+ )?", re.IGNORECASE)
_MOST_LISTED = 20
_LISTED = bounded(r" ?, ?(?:or )?| or ", re.IGNORECASE)
_ASKS_EFFECT = bounded(
    r"\b(?:help\w*|reduc\w*|prevent\w*|improv\w*|work(?:s|ed)?|efficacy|effects?|effective\w*|"
    r"benefi\w+|treat\w*|reliev\w*|slow\w*|delay\w*|protect\w*|prolong\w*|eas(?:e|es|ed)|"
    r"increas\w*|rais(?:e|es|ed)|caus\w*|safe|lead(?:s)? to|useful|control(?:s|led)?)\b",
    re.IGNORECASE,
)
_CHOICE = bounded(
    r"\b(?:which|what|better|best|worse|more|less|fewer|longer|shorter|faster|slower|sooner|safer|"
    r"stronger|prefer\w*|choos\w+|choice|versus|vs|than|compar\w+|differ\w*|wins?|superior|"
    r"inferior|instead|rather|switch\w*|between)\b",
    re.IGNORECASE,
)
_TAKEN = bounded(
    r" (?:[\w-]+ ){0,2}(?:on|from|under|taking|due to|secondary to|"
    r"(?:caused|induced|brought on) by) (?:[\w-]+[ /]){0,2}",
    re.IGNORECASE,
)
"""Between a condition and what people take who have it, or what brought it."""
_DURING = bounded(
    r"\b(?:during|while (?:on|taking)|on top of) (?:the |my |her |his )?$", re.IGNORECASE
)
"""Between what is tried and what people take beside it."""
_FAR = 60
"""Characters before a drug that are looked at."""
_COMPARES = bounded(r"\b(?:than|less|more|better|worse|fewer|versus|vs)\b", re.IGNORECASE)
"""Words that make of a drug behind a condition one that is tried."""


def alternatives(text: str, drugs: Sequence[DrugNamed]) -> list[DrugNamed]:
    """The drugs with each list of examples as one class, and so each list of alternatives.

    Those are such where an effect is asked about, and not which one is better.
    """
    kept: list[DrugNamed] = []
    at = 0
    asks = bool(_ASKS_EFFECT.search(text) and not _CHOICE.search(text))
    while at < len(drugs):
        listed = drugs[at : at + _MOST_LISTED]
        found = _with_examples(text, listed) or _and_others(text, listed)
        found = found or (_either(text, listed) if asks else None)
        named, count = found or (drugs[at], 1)
        kept.append(named)
        at += count
    return kept


def _with_examples(text: str, drugs: Sequence[DrugNamed]) -> tuple[DrugNamed, int] | None:
    """A class and the examples behind it."""
    head, *others = drugs
    if head.group is None or not others:
        return None
    match = _EXAMPLES.match(text, head.end, others[0].start)
    if match is None or not _HOW.fullmatch(text, match.end(), others[0].start):
        return None
    listed = _run(text, others, _NEXT)
    end = listed[-1].end
    whole = head._replace(end=end, text=text[head.start : end])
    if len(listed) > 1:
        return _with_members(whole, listed), 1 + len(listed)
    is_example = match["open"] or match["told"] or _ALIKE.match(text, end)
    return (whole, 2) if is_example else None


def _and_others(text: str, drugs: Sequence[DrugNamed]) -> tuple[DrugNamed, int] | None:
    """A class that is named behind some of its drugs: "X and other statins"."""
    for n, named in enumerate(drugs[1:], 1):
        if named.group is None or not _OTHERS.fullmatch(text, drugs[n - 1].end, named.start):
            continue
        first = _run(text, drugs[:n], _NEXT)
        members = {*named.group.members}
        if len(first) == n and (not members or members.issuperset(d.drug.name for d in first)):
            start = drugs[0].start
            return named._replace(start=start, text=text[start : named.end]), n + 1
    return None


def _run(text: str, drugs: Sequence[DrugNamed], between: re.Pattern[str]) -> list[DrugNamed]:
    """The drugs from the first one on that nothing but such words parts."""
    run = [drugs[0]]
    for named in drugs[1:]:
        if not between.fullmatch(text, run[-1].end, named.start):
            break
        run.append(named)
    return run


def _either(text: str, drugs: Sequence[DrugNamed]) -> tuple[DrugNamed, int] | None:
    """Drugs behind "such as", or with "or" between."""
    are_examples = _AS_EXAMPLES.search(text, max(0, drugs[0].start - _FAR), drugs[0].start)
    run = _run(text, drugs, _NEXT if are_examples else _LISTED)
    if len(run) < 2 or not (are_examples or " or " in text[run[0].start : run[-1].end]):
        return None
    return _class_of(text, run), len(run)


def _with_members(whole: DrugNamed, listed: Sequence[DrugNamed]) -> DrugNamed:
    """A class of which only these drugs are asked about."""
    names = tuple(dict.fromkeys(named.drug.name for named in listed))
    told = tuple(dict.fromkeys((*whole.drug.synonyms, *names)))
    drug = whole.drug.model_copy(update={"synonyms": told})
    group = whole.group and whole.group._replace(members=names)
    return whole._replace(drug=drug, group=group)


def _class_of(text: str, listed: Sequence[DrugNamed]) -> DrugNamed:
    """A class that is made of these drugs; two brands of one drug are that drug."""
    names = tuple(dict.fromkeys(named.drug.name for named in listed))
    start, end = listed[0].start, listed[-1].end
    if len(names) == 1:
        return listed[0]._replace(end=end, text=text[start:end])
    made = listed_class(names)
    drug = Drug(name=made.name, synonyms=names)
    return DrugNamed(drug, made, start, end, text[start:end])


def as_one(text: str, drugs: Sequence[DrugNamed]) -> list[DrugNamed]:
    """The drugs with a code or a name in brackets as another name of the one before it."""
    kept: list[DrugNamed] = []
    for named in (_with_name_behind(text, named) for named in drugs):
        last = kept[-1] if kept else None
        if last and last.group and not named.group and _in_brackets(text, last, named):
            kept[-1] = named  # "a beta blocker (propranolol)": the class only says what it is
            continue
        if last and last.group and named.group and text[last.end : named.start] == " ":
            kept[-1] = last._replace(end=named.end, text=text[last.start : named.end])
            continue  # "fluoroquinolone antibiotics"
        if last is None or not _is_other_name(text, last, named):
            kept.append(named)
            continue
        known, other = (last, named) if last.drug.known else (named, last)
        names = tuple(dict.fromkeys((*known.drug.synonyms, other.drug.name)))
        drug = known.drug.model_copy(update={"synonyms": names})
        end = named.end
        whole = text[last.start : end]
        kept[-1] = DrugNamed(drug, known.group, last.start, end, whole)
    return kept


def _with_name_behind(text: str, named: DrugNamed) -> DrugNamed:
    """A drug with the name in brackets behind it that is one in the dictionary alone."""
    match = _IN_BRACKETS.match(text, named.end)
    kinds = {DrugKind.DRUG, DrugKind.TARGET}  # a hormone is a target, and a drug that people take
    if not match or named.group or lookup_drug(match["name"]).kind not in kinds:
        return named
    names = tuple(dict.fromkeys((*named.drug.synonyms, match["name"].casefold())))
    return named._replace(drug=named.drug.model_copy(update={"synonyms": names}))


def _is_other_name(text: str, last: DrugNamed, named: DrugNamed) -> bool:
    is_same = last.drug.name == named.drug.name or last.group or named.group
    return not is_same and _in_brackets(text, last, named)


def _in_brackets(text: str, last: DrugNamed, named: DrugNamed) -> bool:
    opened = _OPENS.fullmatch(text, last.end, named.start)
    return bool(opened) and text[named.end :][:1] in {")", "]"}


def is_taken_beside(
    text: str,
    named: DrugNamed,
    drugs: Sequence[DrugNamed],
    conditions: Sequence[ConditionMention],
) -> bool:
    """Return whether another drug, named before, is tried in people who take this one.

    "X for pain on" it, and "X for nausea caused by" it.
    """
    places = [
        c.start for c in _near(named, conditions) if _TAKEN.fullmatch(text, c.end, named.start)
    ]
    if _DURING.search(text, max(0, named.start - _FAR), named.start):
        places.append(named.start)
    # Of a long text only what stands so is looked at further.
    return (
        bool(places)
        and not _COMPARES.search(text)
        and any(d.end <= max(places) and d.drug.name != named.drug.name for d in drugs)
    )


def _near(named: DrugNamed, conditions: Sequence[ConditionMention]) -> Sequence[ConditionMention]:
    before = bisect_right(conditions, named.start, key=lambda c: c.end)
    return conditions[max(0, before - _MOST_LISTED) : before]


def specific(drugs: list[DrugNamed]) -> list[DrugNamed]:
    """Without a class that is told with one of its own drugs: "an antibiotic, doxycycline"."""
    told = {d.drug.name for d in drugs if d.group is None}
    return [d for d in drugs if d.group is None or not told.intersection(d.group.members)]
