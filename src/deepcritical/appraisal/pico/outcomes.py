"""Finds the row of a summary of findings that an outcome belongs to, and what that row decides."""

from __future__ import annotations

import re
from typing import NamedTuple

from deepcritical.appraisal.pico.asked import Asked
from deepcritical.domain.appraisal.votes import Importance, Way
from deepcritical.domain.study.effects import RATIOS
from deepcritical.domain.study.reading import ReaderKind, Result
from deepcritical.domain.text.patterns import bounded
from deepcritical.vocabulary.conditions import (
    condition_in,
    condition_named,
    find_conditions,
    is_kind_of,
)
from deepcritical.vocabulary.folding import key_of, tokens_of
from deepcritical.vocabulary.outcomes import (
    Construct,
    Term,
    construct_of,
    keys_naming,
    outcome_table,
    term_in,
    term_of,
    turned_by,
)

_CHANGE = bounded(
    r"\b(?:(?P<better>improve(?:ments?|d))|(?P<worse>worsen(?:ing|ed)|deteriorat(?:ions?|ed))|"
    r"(?P<less>reduc(?:tions?|ed)|decreas(?:es?|ed)|declin(?:es?|ed)|lowering|loss(?:es)?|drops?))\b",
    re.IGNORECASE,
)
"""Words that make an outcome a change of what it measures."""
_COMPOSITE = bounded(
    r"\b(?:a |the )?composite(?: (?:end ?point|outcome))?(?: of)?\b", re.IGNORECASE
)
_NEW = bounded(r"^(?:new-onset|incident) ")
_EITHER = bounded(r"\bor\b", re.IGNORECASE)
_OR = bounded(r"(?:,\s?)?\bor\b|,\s", re.IGNORECASE)


_OF_ANY = frozenset(
    "a acute adverse ae all an and any at associated attributed average by common comparable "
    "complication day did documented drug during effect emergent event experience experienced "
    "experiencing follow followup frequency for general generally group had harm having in "
    "incidence incident individual least long measure measured medication month more nature new "
    "number observed occurrence of on one or outcome over overall participant patient people per "
    "percentage period person possible possibly prespecified presence prevalence probable "
    "probably profile proportion rate reaction related report reported reporting risk safety "
    "score side similar study subject suspected symptom teae term the therapy time tolerability "
    "tolerance tolerated to total toxic toxicity treatment trial type undesirable undesired "
    "unwanted up week well were who with year".split()
)
"""Words, of which none says what kind of adverse event is counted; plurals are folded."""


_COURSE = frozenset(("relapse", "progression", "cancer"))
"""Families of events by which those who have a condition fare worse."""
_INSTRUMENT = bounded(
    r"(?:\b\w+ ){1,6}?(?:(?:sub)?scales?|scores?|index|inventory|questionnaire|assessment|"
    r"checklist|rating|examination|interview|battery|diary|scoring|staging|criteri(?:a|on)|(?:bio)?markers?)\b"
)
"""Words of a folded name up to an instrument or marker, which is not what it is named after."""


class Placed(NamedTuple):
    """An outcome in its row."""

    row: str
    importance: Importance
    higher_is_better: bool | None
    """As the table says of the words used; None where it does not know them."""
    more_is_better: bool | None = None
    """As the table says of what the row is named after, in the condition that is asked about."""
    is_grave: bool = False
    """True where it kills or disables."""
    is_fatal: bool = False
    """True where it is death."""
    bears: bool = True
    """True where it tells of the condition asked about, or how people fare with any condition."""
    of_course: bool = False
    """True where it is the condition that gets worse, where any grave harm is asked about."""


def is_composite(result: Result) -> bool:
    """Return whether a result counts the first of several outcomes, which is none of them."""
    terms = outcome_table().terms
    if any(key_of(text) in terms for text in (result.concept, result.outcome) if text):
        return False
    if len(result.components) > 1 or _COMPOSITE.search(f"{result.concept} {result.outcome}"):
        return True
    return any(_joins(text) for text in (result.concept, result.outcome))


def _joins(text: str) -> bool:
    """Return whether "or" joins known outcomes, or death with another one."""
    parts = [part for part in _OR.split(text) if part.strip()] if _EITHER.search(text) else []
    found = {term.construct.name: term.construct for part in parts if (term := term_in(part))}
    deaths = any(construct.family == "mortality" for construct in found.values())
    return len(parts) > 1 and (len(found) > 1 or deaths)


def is_of_other_kind(result: Result, asked: Asked) -> bool:
    """Return whether a result is of no kind of outcomes that the question names.

    A composite with one of them among its parts is of that kind. Where no table knows what the
    question names, nothing is of another kind.
    """
    told = result.components or _OR.split(f"{result.concept}, {result.outcome}")
    kinds = {c.family for text in told if (c := construct_of(text, text))}
    named = [construct_of(outcome, outcome) for outcome in asked.measured]
    if not named or not all(c and (not c.generic or c.family == "relapse") for c in named):
        return False
    # That a disease comes back, whatever it is, shows in how it goes on, and in deaths.
    wider = {*_COURSE, "mortality"} if any(c and c.generic for c in named) else set[str]()
    return kinds.isdisjoint({*wider, *(c.family for c in named if c)})


def _of_composite(result: Result, asked: Asked) -> Placed:
    """The row of a composite by the names of its parts; it weighs as the weightiest of them."""
    alone = {"concept": "", "components": ()}
    texts = result.components or _OR.split(_COMPOSITE.sub(" ", result.outcome))
    parts = [
        placed(result.model_copy(update={"outcome": text.strip(), **alone}), asked)
        for text in texts
        if text.strip()
    ]
    ranks: tuple[Importance, ...] = ("critical", "important", "surrogate", "harm")
    polarities = {part.higher_is_better for part in parts}
    weights = sorted((part.importance for part in parts), key=ranks.index)
    families = {c.family for text in texts if (c := construct_of(text, text))}
    if asked.outcomes and weights[-1] != "critical" and len(families) != 1:
        weights = ["important", *weights]  # a part of it is not what was asked for
    return Placed(
        row=f"composite ({', '.join(sorted({part.row for part in parts}))})",
        importance=weights[0],
        higher_is_better=polarities.pop() if len(polarities) == 1 else None,
        is_grave=any(part.is_grave for part in parts),
        is_fatal=all(part.is_fatal for part in parts),
        bears=any(part.bears for part in parts),
        of_course=any(part.of_course for part in parts),
    )


def placed(result: Result, asked: Asked) -> Placed:
    """The row of a result, and how much that row decides for the question.

    The table knows the row and its weight; an outcome that it does not know is a row of its own:
    critical where the record names it primary and it is of patients, else important (GRADE
    guidelines 2).
    """
    if is_composite(result):
        return _of_composite(result, asked)
    term, by_wording = term_of(result.concept, result.outcome), term_in(result.outcome)
    if term is None:
        name = " ".join((result.concept or result.outcome).casefold().split())
        if asked.on_harm and _is_asked(name, asked):
            return _asked_harm(asked)
        bears = not is_of_disorder(name) or _is_treated_or_kin(result, name, asked)
        weight, more = _of_unknown(result, asked, name), None if bears else False
        return Placed(condition_in(name) or name, weight, more, bears=bears)
    construct = term.construct
    told = f"{result.concept} {result.outcome}"
    if asked.on_harm and not _wanted(asked) and _is_asked(told, asked):
        # Of cancers that a drug may bring, the one that was asked about is a row of its own.
        return _asked_harm(asked)
    worded = by_wording if by_wording and by_wording.construct is construct else term
    higher = _polarity(worded, result, asked)
    of_course = _is_of_course(construct, result, asked)
    is_any = (asked.any_grave and construct.grave) or of_course
    weight = "critical" if is_any else _weight(construct, result, asked)
    kind = _kind_of_event(construct, result, asked)
    if kind or (weight == "harm" and construct.importance == "surrogate"):
        # What is feared of a laboratory value is told in the record's words: "hypocalcaemia".
        name = " ".join((kind or result.outcome).casefold().split())
        return Placed(condition_in(name) or name, weight, higher, is_grave=construct.grave)
    is_grave = construct.grave or of_course
    is_fatal = construct.grave and construct.family == "mortality"
    more = _in_condition(construct, asked)
    bears = is_any or _bears(construct, result, asked)
    return Placed(construct.name, weight, higher, more, is_grave, is_fatal, bears, of_course)


def _is_of_course(construct: Construct, result: Result, asked: Asked) -> bool:
    """Return whether any grave harm is asked about and the event is the condition's worsening."""
    decides = construct.importance == "critical" and construct.family in _COURSE
    return asked.any_grave and decides and not asked.in_anyone and _bears(construct, result, asked)


def _bears(construct: Construct, result: Result, asked: Asked) -> bool:
    """Return whether an outcome tells of what was asked, or how people fare with any condition."""
    names = {construct.name, construct.part_of}
    trees = outcome_table().systems.get(construct.family, ())
    is_own_disease = condition_named(_NEW.sub("", construct.name)) is not None
    return (
        ("*" in trees and not is_own_disease)
        or not names.isdisjoint(_wanted(asked) | _own(construct, asked))
        or _is_in(asked, (*trees, *construct.defines, *construct.conditions))
        or _names_what_is_treated(result, asked)
        or _is_form_of_wanted(result, asked)
    )


def is_of_disorder(outcome: str) -> bool:
    """Return whether an outcome counts who had a disorder, and nothing more."""
    found = find_conditions(outcome)
    named = " ".join(mention.text for mention in found)
    rest = {token.folded for token in tokens_of(outcome)} - {t.folded for t in tokens_of(named)}
    return bool(found) and rest <= _OF_ANY


def as_harm(
    place: Placed, result: Result, way: Way, asked: Asked, reader: ReaderKind
) -> Placed | None:
    """The place of what does not bear on the condition: more of it with the drug is a harm.

    Rules do not tell an aim of treatment from an adverse event: what they read of another disorder
    never decides whether the drug helps, and is left out where it is no harm. Of a condition that
    no table knows, nobody can say what bears on it.
    """
    if place.bears or place.importance == "harm" or result.level == "primary":
        return place
    if place.importance == "surrogate" and result.kind == "surrogate" and way is Way.HARM:
        return place  # a marker that got worse is no event that more people had
    is_known = any(condition_named(one.name) for one in asked.condition.each)
    by_rules = reader == "rules" and is_known
    if way is not Way.HARM and (not by_rules or place.importance == "surrogate"):
        return place
    if place.more_is_better is False:
        return place._replace(importance="harm")
    if place.higher_is_better is False:
        words = " ".join(result.outcome.casefold().split())
        return place._replace(importance="harm", row=condition_in(words) or words)
    return None if by_rules else place


def _kind_of_event(construct: Construct, result: Result, asked: Asked) -> str:
    """The words for adverse events of one kind, "bone-related adverse events"; '' for any."""
    if not (construct.generic and construct.family == "adverse events"):
        return ""
    drugs = {token.folded for name in asked.names for token in tokens_of(name)}
    for text in (result.outcome, result.concept):
        words = {token.folded for token in tokens_of(text) if not token.folded.isdigit()}
        if words - _OF_ANY - drugs:
            return text
    return ""


def _asked_harm(asked: Asked) -> Placed:
    return Placed(asked.outcomes[0], "critical", higher_is_better=False, more_is_better=False)


def _in_condition(construct: Construct, asked: Asked) -> bool | None:
    """Return whether more of a construct is better in those asked about; None where unknown."""
    higher = construct.higher_is_better
    return None if higher is None else higher != _is_in(asked, construct.reversed_in)


def _polarity(term: Term, result: Result, asked: Asked) -> bool | None:
    """Return whether more of what a result counts is better; None where that cannot be told.

    Of a change, such as a reduction, a ratio counts those who had it. The sign of a difference may
    be that of the change or that of the value.
    """
    higher = _in_condition(term.construct, asked)
    turned = turned_by(result.outcome, term.key)
    if higher is None and is_of_disorder(result.outcome):
        higher = False
    if higher is None or turned is None:
        return None
    higher = (higher != term.is_reversed) != turned
    found = _CHANGE.search(result.outcome)
    if found is None or key_of(found[0]) in term.key:
        return higher
    if result.effect is None or result.effect.measure not in RATIOS:
        return None
    if found.lastgroup in ("better", "worse"):
        return found.lastgroup == "better"
    return not higher


def _of_unknown(result: Result, asked: Asked, name: str) -> Importance:
    if result.kind == "safety":
        return "harm"
    if result.kind in ("surrogate", "pharmacokinetic", "mechanism"):
        return "surrogate"
    is_asked = _is_asked(name, asked)
    if not asked.on_harm and not _wanted(asked):  # it names none, or none that a table knows
        is_asked |= result.level == "primary" or _names_what_is_treated(result, asked)
    return "critical" if is_asked else "important"


def without_instruments(text: str) -> str:
    """The folded words of an outcome that name no scale or marker."""
    return _INSTRUMENT.sub(" ", key_of(text))


def _is_asked(name: str, asked: Asked) -> bool:
    """Return whether an outcome names what is asked about, and not a scale named after it."""
    told = f" {without_instruments(name)} "
    return any(f" {key_of(outcome)} " in told for outcome in asked.outcomes if key_of(outcome))


def _names_what_is_treated(result: Result, asked: Asked) -> bool:
    """Return whether an outcome has the condition in its name: "symptoms of" it, its "severity"."""
    told = key_of(f"{result.concept} {result.outcome}")
    names = (asked.condition.name, *asked.condition.names)
    return any(name and f" {key_of(name)} " in f" {told} " for name in names)


def _is_treated_or_kin(result: Result, name: str, asked: Asked) -> bool:
    """Return whether a disorder is the one treated, a form of it, or what that is a form of."""
    treated = [known for one in asked.condition.each if (known := condition_named(one.name))]
    named = [mention.condition for mention in find_conditions(name)]
    kin = (is_kind_of(a, b) or is_kind_of(b, a) for a in treated for b in named)
    return any(kin) or _names_what_is_treated(result, asked)


def _wanted(asked: Asked) -> set[str]:
    """The constructs that the question names."""
    return {c.name for o in asked.measured if (c := construct_of(o, o))}


def _is_form_of_wanted(result: Result, asked: Asked) -> bool:
    """Return whether an outcome is what is asked for in general: "relapse of psychosis"."""
    told = f" {key_of(f'{result.concept} {result.outcome}')} "
    wanted = [c for o in asked.measured if (c := construct_of(o, o)) and c.generic]
    return any(f" {key} " in told for construct in wanted for key in keys_naming(construct))


def is_wanted(result: Result, place: Placed, asked: Asked) -> bool:
    """Return whether the question names a result's outcome; of a name in no table by words."""
    if not asked.outcomes or place.importance != "critical":
        return False
    told = f"{result.concept} {result.outcome}"
    return bool(asked.on_harm or _wanted(asked)) or _is_asked(told, asked)


def _own(construct: Construct, asked: Asked) -> set[str]:
    """The constructs that the condition is; dyskinesia too, where tardive dyskinesia is treated."""
    called = [one.name for one in asked.condition.each]
    called += [known.name for name in called if (known := condition_named(name))]
    own = {c.name for name in called if (c := construct_of(name, ""))}
    is_wider = any(name.endswith(f" {construct.name}") for name in own)
    return own | {construct.name} if is_wider else own


def _weight(construct: Construct, result: Result, asked: Asked) -> Importance:
    wanted = _wanted(asked)
    of_it = result.kind == "clinical" and construct.generic and not wanted
    if of_it and _names_what_is_treated(result, asked):
        return "critical"
    own = _own(construct, asked)
    names = (construct.name, construct.part_of)
    if wanted.intersection(names) or _is_form_of_wanted(result, asked):
        return "critical"
    if asked.on_harm and asked.measured and not wanted:
        # A harm that no table knows is none of those that it does know.
        return "harm" if result.kind == "safety" else _at_most_important(construct)
    if _is_in(asked, construct.harm_in):
        return "harm"
    if own.intersection(names) and result.kind != "safety" and not wanted:
        return "critical"  # also where a reader calls it a surrogate: bone density in bone loss
    if result.kind == "surrogate":
        return "surrogate"
    if result.kind == "safety" or construct.importance == "harm":
        return "harm"
    if wanted:
        return _at_most_important(construct)
    if symptom_of(asked.condition.name):
        # Where a symptom is what is treated, its own measures decide, and survival beside them.
        return "critical" if construct.family == "mortality" else _at_most_important(construct)
    is_own = _is_in(asked, (*construct.defines, *construct.conditions))
    return "critical" if is_own else construct.importance


def _is_in(asked: Asked, heads: tuple[str, ...]) -> bool:
    """Return whether the condition is one of these, by MeSH tree or by name."""
    names = [condition.name for condition in asked.condition.each]
    trees = [tree for name in names if (known := condition_named(name)) for tree in known.trees]
    return any(n.casefold() in heads for n in names) or any(_below(t, heads) for t in trees)


def symptom_of(condition: str) -> Construct | None:
    """Return what measures a condition that is a symptom or a behaviour; None for a disease."""
    known = condition_named(condition)
    if known and not known.is_symptom:
        return None
    return construct_of(condition, "")


def _at_most_important(construct: Construct) -> Importance:
    return "important" if construct.importance == "critical" else construct.importance


def _below(tree: str, heads: tuple[str, ...]) -> bool:
    return any(tree == head or tree.startswith(f"{head}.") for head in heads)
