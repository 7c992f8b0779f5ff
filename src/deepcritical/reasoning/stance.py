"""Which way a clause points for one drug: benefit, no effect or harm, or nowhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple

from deepcritical.domain.text import Span
from deepcritical.reasoning import lexicon
from deepcritical.reasoning.names import ConditionNames, DrugNames, other_drug_places
from deepcritical.services.vocabulary import CONDITION_LABELS, vocabulary

__all__ = [
    "Cue",
    "Finding",
    "RecordNames",
    "Way",
    "clause_cue",
    "clauses",
    "is_only_comparator",
    "span_findings",
]

_BUT_NOT = re.compile(r"\bbut not (?:\w+ ){0,5}$", re.IGNORECASE)
_NUMBER = r"[-−–]?\d+(?:[.·]\d+)?"
_INTERVAL = re.compile(
    r"(?:\bCI\b|confidence interval|credible interval|\bCrI\b|\b[RHO]R\b)[^;\d\[−–-]{0,12}"
    rf"(?:{_NUMBER}\s*[\[(]\s*)?[\[(]?\s*"
    rf"(?P<low>(?<![\d.]){_NUMBER})%?\s*(?:to|,|;|–|-|−)\s*(?P<high>{_NUMBER})"
    r"(?![\d.·]*\d)(?!%\s*(?:CI|conf|cred))",
    re.IGNORECASE,
)
_RATIO = re.compile(r"\bratio\b|\b[a-z]?(?:OR|HR|RR)\b|relative risk|hazard|odds", re.IGNORECASE)
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")


class Way(IntEnum):
    """What a clause reports for the drug."""

    HARM = -2
    NO_EFFECT = -1
    BENEFIT = 1

    @property
    def against(self) -> bool:
        """Whether it speaks against the drug."""
        return self < 0


class Cue(NamedTuple):
    """The way of a clause and the offset of the word that says so."""

    way: Way
    at: int


class RecordNames(NamedTuple):
    """How one record names the drug and the condition."""

    drug: DrugNames
    condition: ConditionNames
    about_drug: bool
    """Whether the title names this drug alone: then a sentence without a drug is about it."""


class Finding(NamedTuple):
    """A clause with a direction, and the sentence it stands in."""

    span: Span
    way: Way
    names_condition: bool
    names_other: bool
    """Whether the clause names another condition instead, such as dementia in general."""
    other_population: bool


def clause_cue(clause: str, names: RecordNames) -> Cue | None:
    """The way of a clause by its cue words; None when it points nowhere.

    No effect outranks harm, and harm outranks benefit. An interval across the null is no effect,
    whatever the words say. A null on a variable that is no outcome of patients points nowhere.
    """
    if lexicon.NO_DIRECTION.search(clause):
        return None
    for place in names.condition.find(clause):
        if _BUT_NOT.search(clause[: place.start()]):
            return Cue(Way.NO_EFFECT, place.start())
    cue = _undone(clause) or _worded(clause)
    if (cue is None or cue.way is Way.BENEFIT) and _crosses_null(clause):
        cue = Cue(Way.NO_EFFECT, cue.at if cue else len(clause))
    if cue and cue.way is Way.NO_EFFECT and not _names_outcome(clause, names):
        return None
    return cue


def _worded(clause: str) -> Cue | None:
    ways = (
        (Way.NO_EFFECT, lexicon.NO_EFFECT),
        (Way.HARM, lexicon.HARM),
        (Way.BENEFIT, lexicon.BENEFIT),
    )
    found = ((way, pattern.search(clause)) for way, pattern in ways)
    return next((Cue(way, match.start()) for way, match in found if match), None)


def _undone(clause: str) -> Cue | None:
    """The turned way of what "offset" and its like govern: to offset a higher risk is a benefit."""
    if spared := lexicon.SPARED.search(clause):
        return Cue(Way.BENEFIT, spared.start())
    undo = lexicon.UNDO.search(clause)
    governed = _worded(clause[undo.start() :].split(",")[0]) if undo else None
    if undo is None or governed is None:
        return None
    return Cue(Way.BENEFIT if governed.way.against else Way.HARM, undo.start())


def _crosses_null(clause: str) -> bool:
    """Whether every interval of the clause holds the value of no effect: 1 for ratios, else 0."""
    pairs = [(_value(m["low"]), _value(m["high"])) for m in _INTERVAL.finditer(clause)]
    null = 1.0 if _RATIO.search(clause) and not any(low < 0 for low, _ in pairs) else 0.0
    return bool(pairs) and all(low < null < high for low, high in pairs)


def _value(text: str) -> float:
    return float(re.sub(r"^[−–]", "-", text).replace("·", "."))


def _names_outcome(clause: str, names: RecordNames) -> bool:
    if lexicon.OUTCOME.search(clause) or names.condition.named(clause):
        return True
    return bool(vocabulary().find(clause, CONDITION_LABELS))


def is_only_comparator(clause: str, names: RecordNames) -> bool:
    """Whether the clause has the drug as what others are compared with, alone or in both arms."""
    before = (clause[: place.start()] for place in names.drug.find(clause))
    return any(
        lexicon.COMPARATOR.search(b)
        and not lexicon.OPENING.match(b)
        and not lexicon.ABSENCE.search(b)
        for b in before
    )


def clauses(sentence: str) -> Iterator[str]:
    """The clauses of a sentence; a bracket is kept whole, for it holds its clause's figures."""
    inside = [m.span() for m in _BRACKETS.finditer(sentence)]
    start = 0
    for match in lexicon.CLAUSE_BREAK.finditer(sentence):
        if not any(a < match.start() < b for a, b in inside):
            yield sentence[start : match.start()]
            start = match.end()
    yield sentence[start:]


def _is_subject(clause: str, cue: Cue, names: RecordNames, drug: str) -> bool:
    """Whether the cue is about the drug and not about another one named before it.

    "Lenalidomide holds promise as a derivative of thalidomide": the first drug is the subject. A
    list ("A, B and metformin were associated") has the drug before the cue. A drug that stands only
    in brackets, or is given together with another one, is not what the clause is about.
    """
    places = names.drug.find(clause)
    bracketed = [m.span() for m in _BRACKETS.finditer(clause)]
    open_places = [p for p in places if not any(a <= p.start() < b for a, b in bracketed)]
    others = other_drug_places(clause, drug)
    if not open_places and others:
        return False
    joined = (
        lexicon.COMBINED.match(clause[p.end() :])
        or lexicon.COMBINED_WITH.search(clause[: p.start()])
        for p in places
    )
    if any(joined) and others:
        return bool(lexicon.ALONE.search(clause))
    first = min(p.start() for p in places)
    return first < cue.at or not any(start < cue.at for start in others)


def _speaks_of_drug(clause: str, sentence: str, cue: Cue, names: RecordNames, drug: str) -> bool:
    if names.drug.named(clause):
        denied = all(
            clause[: p.start()].rstrip().lower().endswith(" not") for p in names.drug.find(clause)
        )
        return (
            not denied
            and not is_only_comparator(clause, names)
            and _is_subject(clause, cue, names, drug)
        )
    if (
        cue.way.against
        and lexicon.CLASS_WIDE.search(clause)
        and not other_drug_places(clause, drug, classes=False)
    ):
        return True
    if names.drug.named(sentence):
        # "Metformin lowered X but did not change Y": the second clause inherits its subject.
        return not is_only_comparator(sentence, names) and not other_drug_places(clause, drug)
    unnamed = names.about_drug and not other_drug_places(sentence, drug)
    return unnamed and bool(lexicon.OF_TREATMENT.search(clause))


def span_findings(span: Span, names: RecordNames, drug: str) -> Iterator[Finding]:
    """The clauses of a sentence that point somewhere for the drug; aims and safety left out."""
    for clause in clauses(span.text):
        cue = None if lexicon.AIM.search(clause) else clause_cue(clause, names)
        if cue is None or _only_safety(clause, cue):
            continue
        if _speaks_of_drug(clause, span.text, cue, names, drug):
            yield Finding(
                span,
                cue.way,
                names_condition=names.condition.named(clause),
                names_other=_names_other(clause, names),
                other_population=bool(lexicon.OTHER_POPULATION.search(clause)),
            )


def _only_safety(clause: str, cue: Cue) -> bool:
    """Whether the clause is about harms and tolerability, and not also about efficacy."""
    if not lexicon.SAFETY.search(clause):
        return False
    return cue.way is not Way.BENEFIT or not lexicon.EFFICACY.search(clause)


def _names_other(clause: str, names: RecordNames) -> bool:
    """Whether the clause names an outcome or condition other than the one in question."""
    if lexicon.OTHER_OUTCOME.search(clause):
        return True
    mentions = vocabulary().find(clause, CONDITION_LABELS)
    return any(not names.condition.named(m.text) for m in mentions)
