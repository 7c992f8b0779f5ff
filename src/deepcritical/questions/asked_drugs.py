"""Joins the drugs that a question names: examples to their class, other names to their drug.

A class with examples is the class, alternatives are one class of their own, and a code in brackets
is another name of the drug before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from deepcritical.domain.question.frame import Drug
from deepcritical.domain.text.patterns import bounded
from deepcritical.vocabulary.classes import DrugClass, listed_class


class DrugNamed(NamedTuple):
    """A drug or class named in a question: `source[start:end] == text`."""

    drug: Drug
    group: DrugClass | None
    start: int
    end: int
    text: str


_WHICH_IS = bounded(r", (?:which is )?an? (?:\w+ )?", re.IGNORECASE)
_OPENS = bounded(r" ?[(\[] ?")
_SUCH_AS = r"(?:such as|like|including|e\.?g\.?,?|for example,?|for instance,?|namely|i\.?e\.?,?)"
_EXAMPLES = bounded(rf",? (?P<open>{_SUCH_AS}) |,? ?\((?P<told>{_SUCH_AS} )?", re.IGNORECASE)
_HOW = bounded(
    r"(?:(?!(?:vs|versus|compared|than|not|except|without|plus|or|and) )[\w-]+ ){0,5}",
    re.IGNORECASE,
)
"""The way that drugs of a class are given, before their list: "analgesics (at night with ...)"."""
_NEXT = bounded(r" ?(?:, ?(?:or |and )?|; ?|/| (?:or|and) )", re.IGNORECASE)
_OTHERS = bounded(r",? (?:and|or) (?:any |all )?other (?:[\w-]+ )?", re.IGNORECASE)
_MOST_LISTED = 20
_LISTED = bounded(r" ?, ?(?:or )?| or ", re.IGNORECASE)
_ASKS_EFFECT = bounded(
    r"\b(?:help\w*|reduc\w*|prevent\w*|improv\w*|work(?:s|ed)?|efficacy|effects?|effective\w*|"
    r"benefi\w+|treat\w*|reliev\w*|slow\w*|delay\w*|protect\w*|prolong\w*|eas(?:e|es|ed)|"
    r"increas\w*|rais(?:e|es|ed)|caus\w*|safe|lead(?:s)? to|useful|control(?:s|led)?)\b",
    re.IGNORECASE,
)
CHOOSES = bounded(
    r"\b(?:which|what|better|best|worse|more|less|fewer|longer|shorter|faster|slower|sooner|safer|"
    r"stronger|prefer\w*|choos\w+|choice|versus|vs|than|compar\w+|differ\w*|wins?|superior|"
    r"inferior|instead|rather|switch\w*|between)\b",
    re.IGNORECASE,
)
"""Words by which "A or B" surely asks which one is better."""


def alternatives(text: str, drugs: Sequence[DrugNamed]) -> list[DrugNamed]:
    """The drugs with each list of examples as one class, and so each list of alternatives.

    Those are such where an effect is asked about, and not which one is better.
    """
    kept: list[DrugNamed] = []
    at = 0
    asks = bool(_ASKS_EFFECT.search(text) and not CHOOSES.search(text))
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
    is_example = match["open"] or match["told"]
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
    """Drugs with "or" between."""
    run = _run(text, drugs, _LISTED)
    if len(run) < 2 or " or " not in text[run[0].start : run[-1].end]:
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
    for named in drugs:
        last = kept[-1] if kept else None
        if last and last.group and not named.group and _in_brackets(text, last, named):
            kept[-1] = named  # "a beta blocker (propranolol)": the class only says what it is
            continue
        if last and _is_what(text, last, named):
            continue  # "propranolol, a beta blocker"
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


def _is_what(text: str, last: DrugNamed, named: DrugNamed) -> bool:
    """Return whether a class only says what the drug before it is."""
    is_of_it = named.group and last.drug.name in named.group.members
    return bool(is_of_it and _WHICH_IS.fullmatch(text, last.end, named.start))


def _is_other_name(text: str, last: DrugNamed, named: DrugNamed) -> bool:
    is_same = last.drug.name == named.drug.name or last.group or named.group
    return not is_same and _in_brackets(text, last, named)


def _in_brackets(text: str, last: DrugNamed, named: DrugNamed) -> bool:
    opened = _OPENS.fullmatch(text, last.end, named.start)
    return bool(opened) and text[named.end :][:1] in {")", "]"}


def specific(drugs: list[DrugNamed]) -> list[DrugNamed]:
    """Without a class that is told with one of its own drugs: "an antibiotic, doxycycline"."""
    told = {d.drug.name for d in drugs if d.group is None}
    return [d for d in drugs if d.group is None or not told.intersection(d.group.members)]
