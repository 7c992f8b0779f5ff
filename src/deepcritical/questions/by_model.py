"""A question as a model reads it: its names must be known, or stand in the question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from deepcritical.domain.question.frame import (
    SERIOUS_HARM,
    Condition,
    DeclineReason,
    Drug,
    QuestionFrame,
    QuestionKind,
)
from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.spans import locate_quote
from deepcritical.questions.asked_drugs import DrugNamed
from deepcritical.questions.cues import LOWERS, measures_in
from deepcritical.questions.declining import REFUSALS, refused_by_model
from deepcritical.questions.model_reading import ModelReading, with_meanings, with_note
from deepcritical.questions.naming import Names, as_condition, find_names, joined
from deepcritical.questions.roles import groups_in, raises, side_by_side
from deepcritical.questions.sides import are_together, is_over_part
from deepcritical.questions.withdrawing import with_stopping
from deepcritical.vocabulary.conditions import ConditionMention, is_kind_of
from deepcritical.vocabulary.folding import key_of
from deepcritical.vocabulary.words import is_english

_NEEDS_NO_DRUG = frozenset({"candidates", "open", "look_up", "not_biomedical"})
_NAMES = {"drugs", "compared_with", "condition", "harm", "population", "outcomes"}
"""The fields of a reading that hold names of the question."""
_OF_SEVERAL = (QuestionKind.COMPARISON, QuestionKind.COMBINATION)
_MOST_WORDS, _LONGEST = 8, 200  # words of a meaning, characters of a name
_ANY_HARM = bounded(
    r"(?:(?:any|the|an?|more|most|serious|severe|bad|to be|be|is|it|too|of|do|does|doing|get|than|"
    r"good|more|not|for|and) )*(?:(?:un)?safe\w*|danger\w*|harm\w*|risk\w*|side[- ]effects?|"
    r"adverse (?:events?|effects?|reactions?)|toxic\w*|worse|bad|problems?|tolerab\w+)"
    r"(?: (?:than|good|of|or|and|side[- ]effects?|any|the|harms?|risks?))*",
    re.IGNORECASE,
)
"""Words for what is feared where no harm is named."""
_DENIED = bounded(r"\b(?:without|non|not|never|no|free of)\b", re.IGNORECASE)
_ALONE = bounded(r" (?:alone|only|by itself|on its own|monotherapy)$", re.IGNORECASE)
_PLACEBO = bounded(
    r"\b(?:placebo|pbo|dummy|sham|no (?:treatment|use)|non-?users?)\b", re.IGNORECASE
)
_ANY = bounded(
    r"(?:(?:the|an?|any|all|this|these|those|it|them|they|new|newer|other|best|some|more|early|"
    r"drug|medicine|medication|medical|treatment|treating|therap(?:y|ies)|intervention|management|"
    r"care|supplement|pill|remed(?:y|ies)|agent|option|something|anything)s?\b ?)+",
    re.IGNORECASE,
)
"""Words for a treatment that name none."""
_SEARCHED = {"declined": None, "doubtful": False, "offers": (), "missing": ()}
"""Fields of a question that is searched, whatever the rules made of it."""


def read_by_model(by_rule: QuestionFrame, said: ModelReading) -> QuestionFrame:
    """The frame as a model reads the question, as far as its words bear it out.

    A name counts that stands there or is found there; a field left out is as by rule.
    """
    if by_rule.is_final or by_rule.declined is DeclineReason.OTHER_LANGUAGE:
        return by_rule
    if refused := refused_by_model(by_rule, said.kind):
        return refused
    text, said = _spelled_out(by_rule, said)
    names = find_names(text)
    drugs, members = _asked(said, by_rule, text, names)
    condition = with_meanings(_condition(said.condition, text, names), said)
    if said.kind in REFUSALS or not _is_searchable(by_rule, drugs, condition):
        return by_rule
    if condition and by_rule.condition and not condition.known and _is_plain(condition.name):
        condition = by_rule.condition  # words of the question, and no name of its own
    kind = _kind(said, drugs, by_rule)
    kind, drugs, comparators = _sides(said, kind, by_rule, drugs, _compared(said, text, names))
    spared = kind is QuestionKind.COMPARISON and LOWERS.search(text)
    on_harm = kind is QuestionKind.SAFETY or (kind in _OF_SEVERAL and bool(said.harm))
    harm, worse = _feared(said, by_rule, text) if on_harm else (None, ())
    if spared and harm and not condition:
        condition, harm, worse = harm, None, ()  # fewer are hoped for
    condition = condition or _left(by_rule, said, harm)
    named = {
        "kind": kind,
        "mixed": kind is QuestionKind.SAFETY and len(drugs) > 1 and are_together(names),
        "harm": harm,
        "drugs": drugs,
        "members": members,
        "comparators": comparators,
        "condition": condition,
        "notices": by_rule.notices if by_rule.answerable else (),
        **_about(by_rule, said, text, worse, feared=bool(harm or worse)),
    }
    read = with_stopping(by_rule.model_copy(update=_SEARCHED | named))
    is_same = read.model_copy(update={"notices": by_rule.notices}) == by_rule
    return read if is_same else with_note(read)


def _about(
    by_rule: QuestionFrame, said: ModelReading, text: str, worse: tuple[str, ...], *, feared: bool
) -> dict[str, object]:
    """Return who is studied, what is measured and how it is put; omitted fields are as by rule."""
    told = said.model_fields_set
    measured = _measured(said.outcomes, text) if "outcomes" in told else by_rule.outcomes
    outcomes = tuple(dict.fromkeys((*worse, *measured)))
    prevents = said.prevention if "prevention" in told else by_rule.prevents
    who = _people(said.population, text) if "population" in told else by_rule.population
    return {
        "population": who,
        "outcomes": outcomes,
        "prevents": prevents and not feared,
        "negative": said.negative if "negative" in told else by_rule.negative,
        "raises": bool(worse) or raises(text, outcomes),
        "through": _words(said.through, text) or by_rule.through,
    }


def _spelled_out(by_rule: QuestionFrame, said: ModelReading) -> tuple[str, ModelReading]:
    """The question and what a model read in it, with names that only the model knows in full.

    Not of what the rules found to be no question of medicine: a name would make it one.
    """
    text = by_rule.text
    if by_rule.declined not in (None, DeclineReason.UNKNOWN_NAME) and not by_rule.doubtful:
        return text, said
    swaps = [
        (re.compile(rf"(?<!\w){re.escape(one.said)}(?!\w)", re.IGNORECASE), one.name)
        for one in said.meanings
        if (there := _in_words(one.said, text))
        and _is_of_names(one.name)
        and not (_is_known(one.said) or _is_word(there))
    ]

    def spelled(name: str) -> str:
        for pattern, means in swaps:
            name = pattern.sub(means.replace("\\", r"\\"), name)
        return name

    told = said.model_dump(include=_NAMES, exclude_unset=True)
    full = {
        field: spelled(value) if isinstance(value, str) else [spelled(one) for one in value]
        for field, value in told.items()
    }
    return spelled(text), said.model_copy(update=full)


def _is_of_names(text: str) -> bool:
    """Return whether a text is a name of a vocabulary, with some words around it at most."""
    found = find_names(text)
    return bool(found.drugs or found.conditions) and len(text.split()) <= _MOST_WORDS


def _is_word(written: str) -> bool:
    """Return whether a text is one word of ordinary English, and no abbreviation."""
    return not written.isupper() and " " not in written and is_english(written)


def _is_plain(name: str) -> bool:
    """Return whether words are all of ordinary English, so that no table is needed to know them."""
    return all(map(is_english, name.casefold().split()))


def _is_known(name: str) -> bool:
    found = find_names(name)
    return name in [*(one.text for one in found.drugs), *(one.text for one in found.conditions)]


def _is_searchable(
    by_rule: QuestionFrame, drugs: tuple[Drug, ...], condition: Condition | None
) -> bool:
    """Return whether a name is known; an unknown one suffices where the rules found a question."""
    if any(drug.known for drug in drugs) or (condition and condition.known) or by_rule.answerable:
        return True
    is_name = by_rule.declined is DeclineReason.UNKNOWN_NAME
    return is_name and bool(drugs or condition)


def _kind(said: ModelReading, drugs: tuple[Drug, ...], by_rule: QuestionFrame) -> QuestionKind:
    """The model's kind, unless the names do not fit it."""
    kind = QuestionKind(said.kind)
    drugless = {QuestionKind.OPEN, QuestionKind.LOOK_UP, QuestionKind.STATUS}
    fits = not drugs if kind is QuestionKind.CANDIDATES else bool(drugs) or kind in drugless
    return kind if fits else by_rule.kind if by_rule.answerable else QuestionKind.OPEN


def _feared(
    said: ModelReading, by_rule: QuestionFrame, text: str
) -> tuple[Condition | None, tuple[str, ...]]:
    """The condition that is feared, and what else is: deaths, or that a disease comes back."""
    had = find_names("; ".join((said.condition, *said.population))).conditions
    if not said.harm:
        names = by_rule.harm.names if by_rule.harm else ()
        return None if any(one.condition.name in names for one in had) else by_rule.harm, ()
    harm = _harm(said, text, had)
    return harm, measures_in(said.harm, harm.name.casefold() if harm else "")


def _harm(said: ModelReading, text: str, had: Sequence[ConditionMention]) -> Condition | None:
    """The condition that is feared, without what else the question names for those who fear it.

    One that no table knows is in the question's own words, unless they are only on safety.
    """
    feared = [
        found
        for found in find_names(said.harm).conditions
        if not any(is_kind_of(other.condition, found.condition) for other in had)
    ]
    if feared:
        first, last = feared[0], feared[-1]
        return _condition(said.harm[first.start : last.end], text, find_names(text))
    named = _in_words(said.harm[:_LONGEST], text)
    if not named or measures_in(named):
        return None
    if _ANY_HARM.fullmatch(named):
        return SERIOUS_HARM if said.compared_with else None
    meant = [one.name for one in said.meanings if key_of(one.said) in key_of(named)]
    name = meant[0][:_LONGEST] if meant else named
    return Condition(name=name, names=tuple({name: 0, named: 0}), known=False)


def _left(by_rule: QuestionFrame, said: ModelReading, harm: Condition | None) -> Condition | None:
    """The condition where a model names none: of those who fear an unknown harm, else the rules'.

    Not the rules' where the model names it as something else, or names none beside a harm.
    """
    if harm and harm.known:
        own = None if "condition" in said.model_fields_set else by_rule.condition
    else:
        who = find_names("; ".join(said.population)).conditions
        own = as_condition(who[0].condition) if who and said.kind == "safety" else None
        own = own or by_rule.condition or (None if harm else by_rule.harm)
    if own is None:
        return None
    elsewhere = find_names("; ".join((said.harm, *said.outcomes))).conditions
    if said.kind != "safety":
        elsewhere += find_names("; ".join(said.population)).conditions
    taken = {found.condition.name for found in elsewhere} | ({harm.name} if harm else set())
    return None if taken.intersection((own.name, *own.names)) else own


def _measured(said: Iterable[str], text: str) -> tuple[str, ...]:
    """Return what is measured, under the rules' names; else in the question's own words."""
    found: dict[str, None] = {}
    for outcome in _words(said, text):
        found |= dict.fromkeys(measures_in(outcome) or (outcome.casefold(),))
    return tuple(found)


def _people(said: Iterable[str], text: str) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for group in _words(said, text):
        conditions = [c.condition.name for c in find_names(group).conditions]
        known = () if _DENIED.search(group) else (*conditions, *groups_in(group))
        found |= dict.fromkeys(known or (group,))
    return tuple(found)


def _words(said: Iterable[str], text: str) -> tuple[str, ...]:
    """Of what a model says that which stands in the question, as it stands there."""
    return tuple(filter(None, (_in_words(one, text) for one in said)))


def _together(listed: Sequence[DrugNamed], names: Names) -> tuple[DrugNamed, ...]:
    """The drugs each once, as the question sets them beside one another.

    Of a class with examples, or of alternatives, the whole is asked about; and a name that the
    question only sets in brackets behind another one is that other.
    """
    told = {named.drug.name: named for named in listed}
    known = {name for name, named in told.items() if named.drug.known}
    for whole in (*names.drugs, *listed):
        parts = known.intersection(whole.group.members) if whole.group else set()
        if len(parts) > 1 or (parts and whole.drug.name in known and whole in names.drugs):
            told[whole.drug.name] = whole
            told = {name: named for name, named in told.items() if name not in parts}
            known = known - parts | {whole.drug.name}
    there = {named.drug.name for named in (*names.drugs, *names.beside)}
    if there & known:
        told = {n: named for n, named in told.items() if n in there or not named.drug.known}
    return tuple(told.values())


def _asked(
    said: ModelReading, by_rule: QuestionFrame, text: str, names: Names
) -> tuple[tuple[Drug, ...], tuple[str, ...]]:
    """The drugs asked about, and of a class its members.

    A treatment that no vocabulary has, such as an exercise, is one in the question's own words.
    """
    if said.compares_forms and (form := _in_words(said.drugs[0], text)):
        own = find_names(form).drugs[0].drug
        return (own.model_copy(update={"name": form, "synonyms": (own.name, *own.synonyms)}),), ()
    named = _together(tuple(_drugs(said.drugs, text, names)), names)
    if said.kind == "candidates" and all(one.group for one in named):
        return (), ()  # of a class the drugs are asked for
    if named:
        first = named[0].group
        return tuple(one.drug for one in named), first.members if first else ()
    if "drugs" in said.model_fields_set and said.kind in _NEEDS_NO_DRUG:
        return (), ()
    in_words = [name for name in _words(said.drugs, text) if not _ANY.fullmatch(name)]
    beside = "; ".join((said.condition, *said.population, *said.compared_with, *said.outcomes))
    elsewhere = {one.drug.name for one in find_names(beside).drugs}
    is_ill = by_rule.drugs and any(find_names(name).conditions for name in in_words)
    if in_words and not is_ill and all(drug.name in elsewhere for drug in by_rule.drugs):
        return tuple(
            Drug(name=name, synonyms=said.meant_by(name), known=False) for name in in_words
        ), ()
    return by_rule.drugs, by_rule.members


def _drugs(written: Iterable[str], text: str, names: Names) -> Iterator[DrugNamed]:
    """Each drug that the question names, however the model writes it."""
    every = (*names.drugs, *names.beside)
    for name in written:
        found = find_names(name).drugs
        meant = {one.drug.name for one in found}
        there = {n.drug.name: n for n in every if n.drug.name in meant}
        if there:
            yield from there.values()
        elif (in_text := _in_words(name, text)) and (found or not _is_plain(in_text)):
            known = found[0] if found else None
            drug = known.drug if known else Drug(name=in_text, known=False)
            yield DrugNamed(drug, known.group if known else None, 0, 0, in_text)


def _compared(said: ModelReading, text: str, names: Names) -> dict[str, Drug | None]:
    """The other side: drugs, or in the question's own words what is none, such as surgery."""
    found: dict[str, Drug | None] = {}
    for written in said.compared_with:
        name = _ALONE.sub("", written)
        if _PLACEBO.search(name) and not find_names(name).drugs:
            found["placebo"] = None
            continue
        named = [] if said.compares_forms else [one.drug for one in _drugs([name], text, names)]
        found |= {drug.name: drug for drug in named}
        if not named and (in_text := _in_words(name, text)):
            found[in_text] = None
    return found


def _sides(
    said: ModelReading,
    kind: QuestionKind,
    by_rule: QuestionFrame,
    drugs: tuple[Drug, ...],
    compared: Mapping[str, Drug | None],
) -> tuple[QuestionKind, tuple[Drug, ...], tuple[str, ...]]:
    """The kind, the drugs and what they are compared with.

    A drug with another one against that one alone is a combination; a harm that one drug may bring
    more than another is a comparison.
    """
    asked = {drug.name for drug in drugs}
    others = [name for name in compared if name not in asked]
    parts = [name for name in others if is_over_part(by_rule.text, name)]
    if kind in _OF_SEVERAL and compared and (parts or not others):
        drugs = (*drugs, *(drug for name in parts if (drug := compared[name])))
        others = [name for name in others if name not in parts]
        several = len(drugs) > 1
        kind = QuestionKind.COMBINATION if several else QuestionKind.EFFICACY
    elif kind is QuestionKind.SAFETY and any(compared[name] for name in others):
        kind = QuestionKind.COMPARISON
    told = "compared_with" in said.model_fields_set and kind is not QuestionKind.COMPARISON
    return kind, drugs, tuple(others) or (() if compared or told else by_rule.comparators)


def _condition(written: str, text: str, names: Names) -> Condition | None:
    """The condition that a model names, by the table; several of them as one."""
    here = {m.name for found in names.conditions for m in (found.condition, *found.others)}
    written = written[:_LONGEST]
    mentions = side_by_side(written)
    inside = [found.condition for found in mentions]
    in_text = _in_words(written, text)
    if inside and all(one.name in here for one in inside) and (len(inside) > 1 or not in_text):
        found = joined([as_condition(one) for one in inside])
        told = {"name": in_text, "names": tuple(dict.fromkeys((in_text, *found.names)))}
        return found.model_copy(update=told) if in_text else found
    if inside and in_text:
        return as_condition(inside[0], in_text)
    return Condition(name=in_text, names=(in_text,), known=False) if in_text else None


def _in_words(name: str, text: str) -> str:
    """A name as the question writes it; '' when the question does not."""
    place = locate_quote(name, text)
    return text[place[0] : place[1]] if place and any(map(str.isalpha, name)) else ""
