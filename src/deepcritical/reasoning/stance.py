"""Which way a clause points for one drug: benefit, no effect or harm, or nowhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from deepcritical.domain import harms
from deepcritical.domain.patterns import bounded
from deepcritical.domain.text import Span
from deepcritical.reasoning import arms, directions, lexicon
from deepcritical.reasoning.clauses import bracketed, clauses, own_part
from deepcritical.reasoning.figures import CONTROL, Cue, Way, figures_cue, has_result_figures
from deepcritical.reasoning.names import ConditionNames, DrugNames
from deepcritical.reasoning.outcomes import Weight, weight_of
from deepcritical.vocabulary.drugs import DrugKind, find_drugs
from deepcritical.vocabulary.nodes import CONDITION_LABELS, vocabulary

__all__ = [
    "Cue",
    "Finding",
    "RecordNames",
    "Way",
    "clause_cue",
    "clauses",
    "is_against_another",
    "is_in_combination",
    "is_only_comparator",
    "span_findings",
]

_OTHER_CLASS = bounded(
    r"\b[\w-]+(?: \([^()]*\))? (?:inhibitors?|agonists?|antagonists?|blockers?) "
    r"(?:use|users?|was|were|"
    r"had|showed|treatment|therapy|reduced|improved)\b",
    re.IGNORECASE,
)
"""A class of drugs as a clause's own subject."""
_AT_STAKE = bounded(
    r"\b(?:risks?|incidence|odds|prevalence|onset|development|prevention|diagnos[ei]s|likelihood|rates?|"
    r"cases|hazard|probability)\s+(?:of|for)\s+(?:[^\s,;]+\s+){0,4}$|"
    r"\b(?:for|against|prevent\w*|develop\w*|without|having|had|"
    r"(?:effective|efficacy|beneficial|benefits?|used|approved|trials?) in|"
    r"(?:patients|people|adults|persons|individuals|those|subjects|associated|diagnosed) with)\s+"
    r"(?:[^\s,;]+\s+){0,2}$",
    re.IGNORECASE,
)
"""Before a condition that people get or have; what is merely lessened in them is an outcome."""
_STAKES = bounded(
    r"\s+(?:risks?|incidence|onset|development|prevalence|patients|cases|models?|mouse|mice|rates?|"
    r"prevention|diagnos[ei]s)\b",
    re.IGNORECASE,
)
"""Behind such a condition."""
_OWN = ("result", "finding", "conclusion", "interpretation", "main result")
_BUT_NOT = bounded(r"\bbut not (?:\w+ ){0,5}$", re.IGNORECASE)


class RecordNames(NamedTuple):
    """How one record names the drug and the condition."""

    drug: DrugNames
    condition: ConditionNames
    about_drug: bool
    """Whether the title names this drug alone: then a sentence without a drug is about it."""
    classes: tuple[str, ...] = ()
    """Classes that the record says the drug is one of."""
    healthy: tuple[str, ...] = ()
    """Abbreviations that the record gives to people without the condition."""
    primary: tuple[frozenset[str], ...] = ()
    """The word stems of the primary outcomes that the record defines."""


class Finding(NamedTuple):
    """A clause with a direction, and the sentence it stands in."""

    span: Span
    way: Way
    names_condition: bool
    names_other: bool
    """Whether the clause names another condition instead, such as dementia in general."""
    other_population: bool
    weight: Weight = Weight.OTHER
    before: bool = False
    """Whether it is what others have found before."""
    laboratory: bool = False
    """Whether it is about a laboratory value alone, and nothing that patients have or feel."""


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
    worded = _undone(clause) or _worded(clause)
    if worded and worded.way is Way.HARM and _is_of_control(clause, worded.at, names):
        worded = _worded(clause[: worded.at])
    cue = _with_figures(clause, worded, names)
    if cue and cue.way is Way.NO_EFFECT and not _names_outcome(clause, names):
        return None
    return cue


def _with_figures(clause: str, worded: Cue | None, names: RecordNames) -> Cue | None:
    """The cue of the words, or of the figures where they show no effect or stand alone."""
    places = names.drug.find(clause)
    figured = figures_cue(
        clause,
        places[0].start() if places else None,
        of_condition=names.condition.named(clause),
    )
    if figured is None or (worded and worded.way is Way.NO_EFFECT):
        return worded
    if figured.way is Way.NO_EFFECT:
        return Cue(Way.NO_EFFECT, worded.at if worded else figured.at)
    return worded or figured


def _is_of_control(clause: str, at: int, names: RecordNames) -> bool:
    """Whether harm is said of the other arm: "rose with examplol and worsened with placebo"."""
    of_drug = [p.end() for p in names.drug.find(clause) if p.end() <= at]
    joined = of_drug and re.search(r"\band\s+(?:\w+\s+)?$", clause[of_drug[-1] : at])
    return bool(joined) and bool(CONTROL.search(clause, at)) and not names.drug.named(clause[at:])


def _worded(clause: str) -> Cue | None:
    ways = (
        (Way.NO_EFFECT, directions.NO_EFFECT),
        (Way.HARM, directions.HARM),
        (Way.BENEFIT, directions.BENEFIT),
    )
    found = ((way, pattern.search(clause)) for way, pattern in ways)
    return next((Cue(way, match.start()) for way, match in found if match), None)


def _undone(clause: str) -> Cue | None:
    """The turned way of what "offset" and its like govern: to offset a higher risk is a benefit."""
    if spared := directions.SPARED.search(clause):
        return Cue(Way.BENEFIT, spared.start())
    undo = directions.UNDO.search(clause)
    governed = _worded(clause[undo.start() :].split(",")[0]) if undo else None
    if undo is None or governed is None:
        return None
    return Cue(Way.BENEFIT if governed.way.against else Way.HARM, undo.start())


def _names_outcome(clause: str, names: RecordNames) -> bool:
    if lexicon.OUTCOME.search(clause) or names.condition.named(clause):
        return True
    return bool(vocabulary().find(clause, CONDITION_LABELS))


def is_only_comparator(clause: str, names: RecordNames) -> bool:
    """Whether the clause has the drug as what others are compared with, alone or in both arms."""
    before = (
        clause[: place.start()]
        for place in names.drug.find(clause)
        if not ("respectively" in clause and arms.PAIRED.match(clause[place.end() :]))
    )
    return any(
        arms.COMPARATOR.search(b) and not arms.OPENING.match(b) and not arms.ABSENCE.search(b)
        for b in before
    )


def is_against_another(clause: str, names: RecordNames) -> bool:
    """Whether the clause compares the drug with another active one, and with no control.

    That it is not better than a drug that may work itself does not show that it does not work (ICH
    E10, section 1.5, on assay sensitivity). An add-on, "A with examplol than with A", is none.
    """
    if CONTROL.search(clause) or not names.drug.named(clause):
        return False
    known = names.drug.partners
    for match in (m for m in find_drugs(clause) if m.start in names.drug.others(clause)):
        before = clause[: match.start]
        compared = arms.COMPARATOR.search(before)
        earlier = {m.drug.name for m in find_drugs(before)} if compared else {match.drug.name}
        if not earlier & {match.drug.name, *known} and names.drug.named(before):
            return match.drug.kind is DrugKind.DRUG
    return False


def _is_subject(clause: str, cue: Cue, names: RecordNames) -> bool:
    """Whether the cue is about the drug and not about another one named before it.

    "Lenalidomide holds promise as a derivative of thalidomide": the first drug is the subject. A
    list ("A, B and metformin were associated") has the drug before the cue. A drug that stands only
    in brackets, or is given together with another one, is not what the clause is about.
    """
    places = names.drug.find(clause)
    brackets = bracketed(clause)
    open_places = [p for p in places if not any(a <= p.start() < b for a, b in brackets)]
    others = names.drug.others(clause)
    if not open_places and others:
        return False
    joined = (
        arms.COMBINED.match(clause[p.end() :]) or arms.COMBINED_WITH.search(clause[: p.start()])
        for p in places
    )
    if others and _is_one_of_two(clause, places, others):
        return False
    if (any(joined) and others) or is_in_combination(clause, names):
        return bool(arms.ALONE.search(clause))
    first = min(p.start() for p in places)
    return first < cue.at or not any(start < cue.at for start in others)


def is_in_combination(clause: str, names: RecordNames) -> bool:
    """Whether the clause names the drug with one that the record gives in one combination."""
    return any(m.drug.name in names.drug.together for m in find_drugs(clause))


def _is_one_of_two(clause: str, places: list[re.Match[str]], others: tuple[int, ...]) -> bool:
    """Whether the drug stands beside another one with only "or" between them."""
    after = (clause[p.end() : o] for p in places for o in others if o > p.end())
    if any(arms.OR_ANOTHER.fullmatch(between) for between in after):
        return True
    before = (clause[o : p.start()] for p in places for o in others if o < p.start())
    return any(re.fullmatch(r"[\w-]+\s+or\s+", between, re.IGNORECASE) for between in before)


def _speaks_of_drug(clause: str, sentence: str, cue: Cue, names: RecordNames) -> bool:
    if names.drug.named(clause):
        denied = all(
            clause[: p.start()].rstrip().lower().endswith(" not") for p in names.drug.find(clause)
        )
        return (
            not denied and not is_only_comparator(clause, names) and _is_subject(clause, cue, names)
        )
    if (
        cue.way.against
        and arms.CLASS_WIDE.search(clause)
        and not names.drug.others(clause, classes=False)
    ):
        return True
    if cue.way.against and any(c.casefold() in clause.casefold() for c in names.classes):
        return True
    if names.drug.named(sentence[: sentence.find(clause)]):
        # "Metformin lowered X but did not change Y": the second clause inherits its subject.
        other = names.drug.others(clause) or _OTHER_CLASS.search(clause)
        return not is_only_comparator(sentence, names) and not other
    if names.drug.named(sentence) and cue.way is not Way.NO_EFFECT:
        return False  # what is said before the drug is named is said of those without it
    unnamed = names.about_drug and not names.drug.others(sentence)
    return unnamed and bool(arms.OF_TREATMENT.search(clause))


def span_findings(span: Span, names: RecordNames, drug: str) -> Iterator[Finding]:
    """The clauses of a sentence that point somewhere for the drug; aims and safety left out."""
    parts = [own_part(c, names.drug, drug) for c in clauses(span.text)]
    for clause, following in zip(parts, [*parts[1:], ""], strict=True):
        cue = None if _is_aim(clause) else clause_cue(clause, names)
        if cue is None or _only_safety(clause, cue):
            continue
        if cue.way is Way.BENEFIT and _is_taken_back(following):
            cue = Cue(Way.NO_EFFECT, cue.at)
        if cue.way.against and is_against_another(clause, names):
            continue
        if _speaks_of_drug(clause, span.text, cue, names):
            yield Finding(
                span,
                cue.way,
                names_condition=names.condition.named(clause),
                names_other=_names_other(clause, names),
                other_population=_other_population(clause, names),
                weight=weight_of(clause, span.text, names.primary),
                before=_is_of_others(clause, span),
                laboratory=bool(
                    lexicon.LABORATORY.search(clause) and not lexicon.FELT.search(clause)
                ),
            )


def _is_taken_back(following: str) -> bool:
    """Whether the next clause says that the effect is not significant, or too small to matter."""
    if not directions.TAKEN_BACK.search(following):
        return False
    figured = figures_cue(following)
    return figured is None or figured.way is Way.NO_EFFECT


def _is_of_others(clause: str, span: Span) -> bool:
    """Whether the clause tells what was found before the study."""
    if arms.REPORTED_BEFORE.search(clause):
        return True
    return not span.label.startswith(_OWN) and bool(arms.SHOWN_TO.search(clause))


def _is_aim(clause: str) -> bool:
    """Whether the clause says what was planned; a clause with result figures does not."""
    return bool(lexicon.AIM.search(clause)) and not has_result_figures(clause)


def _only_safety(clause: str, cue: Cue) -> bool:
    """Whether the clause is about harms and tolerability, and not also about efficacy."""
    if not harms.SAFETY.search(clause):
        return False
    return cue.way is not Way.BENEFIT or not lexicon.EFFICACY.search(clause)


def _other_population(clause: str, names: RecordNames) -> bool:
    if arms.OTHER_POPULATION.search(clause):
        return True
    return any(re.search(rf"\b{re.escape(short)}\b", clause) for short in names.healthy)


def _names_other(clause: str, names: RecordNames) -> bool:
    """Whether the clause names a condition other than the one in question as what is at stake.

    "Examplol lowered the risk of dementia" is about dementia; "examplol lowered pain" in patients
    with testitis is about testitis.
    """
    if lexicon.OTHER_OUTCOME.search(clause):
        return True
    mentions = vocabulary().find(clause, CONDITION_LABELS)
    return any(
        not names.condition.named(m.text)
        and (_AT_STAKE.search(clause[: m.start]) or _STAKES.match(clause, m.end))
        for m in mentions
    )
