"""Puts a model's match of a result into the terms that results are weighed in, and checks it.

A model says which results answer the question, on which side the drug is and how near the people
are. What a result found, how sure it is and what it decides stays with code.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import Literal, NamedTuple

from deepcritical.appraisal.pico.arms import (
    AND,
    ANOTHER_WAY,
    LESS_OF_IT,
    MORE_OF_IT,
    Tested,
    is_compared_with,
    tested_on,
)
from deepcritical.appraisal.pico.asked import Asked
from deepcritical.appraisal.pico.outcomes import Placed, is_composite, is_of_other_kind, placed
from deepcritical.appraisal.pico.stopped import compared_in, stopped_by
from deepcritical.domain.appraisal.findings import ResultMatch
from deepcritical.domain.appraisal.votes import OTHER_COMPARISON, Directness, Vote, Way
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.study.reading import Arm, Result, StudyReading
from deepcritical.vocabulary.folding import key_of
from deepcritical.vocabulary.outcomes import Construct, construct_of, outcome_table


class Relation(NamedTuple):
    """The relation of a result to the question."""

    place: Placed
    tested: Tested
    near: Directness | None
    """None for people with another condition."""
    wanted: bool
    """True where it is on an outcome that the question names."""


def related_by(
    match: ResultMatch,
    study: StudyReading,
    result: Result,
    asked: Asked,
    by_tables: Directness | None,
    evidence: Evidence,
) -> Relation:
    """As a model matched it, within what arms and tables say.

    Args:
        match: The match.
        study: The study's reading.
        result: Its result.
        asked: What the question asks for.
        by_tables: How near the people are by their conditions: whom the tables have for others a
            model alone makes no direct evidence, and neither a drug that was given with another.
        evidence: The record.
    """
    feared = result.kind == "safety" and not (asked.on_harm or asked.outcomes)
    beside = _is_beside_named(result, asked)
    wanted = match.importance == "critical" and bool(asked.outcomes) and not (feared or beside)
    tested = _tested(match, study, result, asked, evidence)
    place = _placed(match, placed(result, asked), feared=feared)
    if beside and place.importance == "critical":
        place = place._replace(importance="important")
    near = match.directness
    if near == "direct" and (tested.given_with or by_tables in (None, "related")):
        near = "broader"
    return Relation(place, tested, near, wanted)


def is_of_other(result: Result, asked: Asked, match: ResultMatch | None) -> bool:
    """Return whether a result tells nothing of the outcome that the question names.

    So it is with a laboratory value that stands in for one that a table knows, too: what it
    foretells of an outcome that patients feel is not known (GRADE guidelines 8, indirectness).
    """
    kinds = {one.family for one in _named(asked)}
    own = construct_of(result.concept, result.outcome)
    stands_in = match is not None and match.importance == "surrogate" and bool(kinds)
    is_other = stands_in and (own is None or own.family not in kinds)
    return is_other or is_of_other_kind(result, asked)


def _named(asked: Asked) -> list[Construct]:
    """The outcomes that the question names, where the table knows all of them for one thing."""
    named = [construct_of(outcome, outcome) for outcome in asked.measured]
    known = [one for one in named if one and not one.generic]
    return known if len(known) == len(named) else []


def of_others(study: StudyReading, result: Result) -> str:
    """The reason why a result of other people does not count; '' of harms in anyone."""
    named = result.kind != "safety" or study.population.conditions
    return "its people have another condition" if named else ""


def ways_of(study: StudyReading, matches: Iterable[ResultMatch]) -> Iterator[Way]:
    """Yield what those results of a study found that a model has for deciding, by its figures.

    None is of a result that does not say which side did better.
    """
    for match in matches:
        better = study.results[match.result].better if match.result < len(study.results) else None
        if match.importance == "critical" and match.directness != "related":
            if better == "no_difference":
                yield Way.NO_DIFFERENCE
            elif better in ("a", "b"):
                yield Way.BENEFIT if better == match.side else Way.HARM


def _placed(match: ResultMatch, place: Placed, *, feared: bool) -> Placed:
    """The row of a result with the weight that it has for the question.

    What the table of outcomes knows keeps its row; other results get the name that they share by
    the match, so that those of several studies meet. Of an unwanted effect that was not asked about
    no benefit is made.
    """
    importance = "harm" if feared and place.importance == "harm" else match.importance
    if importance in ("critical", "important") and place.importance == "surrogate":
        importance = "surrogate"
    known = construct_of(place.row, place.row)
    row = place.row if known else " ".join(match.outcome.casefold().split()) or place.row
    return place._replace(row=row, importance=importance, bears=True)


def _is_beside_named(result: Result, asked: Asked) -> bool:
    """Return whether the table knows an outcome and those that the question names, as others.

    A narrower one is not beside: its words or its row hold a term of what is named, as "major
    bleeding" does, or its family is called so.
    """
    own, named = construct_of(result.concept, result.outcome), _named(asked)
    if own is None or own.generic or is_composite(result) or asked.on_harm or not named:
        return False
    near = {name for c in named for name in (c.name, c.part_of)}
    if not near.isdisjoint({own.name, own.part_of} - {""}):
        return False
    terms = outcome_table().terms.items()
    wider = {key for key, term in terms if term.construct in named and not term.is_reversed}
    told = f" {key_of(f'{result.concept} {result.outcome} {own.name}')} "
    return key_of(own.family) not in wider and not any(f" {key} " in told for key in wider)


def _tested(
    match: ResultMatch, study: StudyReading, result: Result, asked: Asked, evidence: Evidence
) -> Tested:
    """Return what the comparison tests: as its arms tell, else as the model judged it.

    An active drug on the other side is what was asked about only where the question names one.
    """
    found = compared_in(study, result, evidence, asked)
    if found.why_not and asked.stopping:
        on = tested_on("b" if match.side == "a" else "a", study, result, asked)
        found = stopped_by(on, study, result, evidence, asked)
    elif found.why_not:
        found = tested_on(match.side, study, result, asked)
    if form := _other_form(asked):
        side = _side_of_form(study, result, asked, form)
        return Tested(side, form, asked=True) if side else Tested(why_not=_NO_FORM)
    if asked.comparators and not (found.why_not or found.asked):
        if _is_beside(found, asked):
            return found._replace(asked=True)
        against = found.comparator or "nothing or placebo"
        return Tested(why_not=f"it compares with {against}, {OTHER_COMPARISON}")
    return found


_NO_FORM = "its arms do not tell which of them got the drug in the way asked about"


def _other_form(asked: Asked) -> str:
    """Return the drug itself, given in another way, that it is asked against; '' for none."""
    forms = (one for one in asked.comparators.values() if asked.names.intersection(one.split()))
    return next(forms, "")


def _side_of_form(
    study: StudyReading, result: Result, asked: Asked, other: str
) -> Literal["a", "b"] | None:
    """Return the side whose arm was given the drug as asked, by the words for its form.

    Such words stand in one arm alone: those of the form asked about, or those of the other one.
    """
    own, rest = ({*name.split()} - asked.names for name in (asked.drug.casefold(), other))
    told = [_told_of(study.arm(one)) for one in (result.a, result.b)]
    for words, is_own in ((own - rest, True), (rest - own, False)):
        has = [any(word in text for word in words) for text in told]
        if has[0] != has[1]:
            return "a" if has[0] is is_own else "b"
    return None


def _told_of(arm: Arm | None) -> str:
    return " ".join((arm.label, *(one.name for one in arm.interventions))).casefold() if arm else ""


def _is_beside(found: Tested, asked: Asked) -> bool:
    """Return whether the question compares with what the other side got, or with what no table has.

    That is what both sides got, where the other one got nothing else.
    """
    got = found.comparator or found.added_to
    if got in (*LESS_OF_IT, *MORE_OF_IT, ANOTHER_WAY):
        return False
    return is_compared_with(frozenset(got.split(AND)) if got else frozenset(), asked)


def speaks_against(vote: Vote) -> bool:
    """Return whether a trial in the people asked about, or a review of such, found no benefit."""
    leads = vote.importance == "critical" and (vote.level == "primary" or vote.review)
    own = vote.against_asked or not vote.comparator
    of_trials = vote.tier == "randomised" and vote.directness == "direct"
    return leads and own and of_trials and vote.way is not Way.BENEFIT


def holds_by_rule(vote: Vote) -> bool:
    """Return whether a vote by the written rules stands, however a model labels its result."""
    return speaks_against(vote) or (_is_worse(vote) and vote.directness == "direct")


def is_never_lost(vote: Vote, matched: Container[str]) -> bool:
    """Return whether a vote counts that a model did not match.

    That is on more deaths, and against the drug; and on harms in rows that it did not match.
    """
    feared = (_is_worse(vote) or vote.importance == "harm") and vote.row not in matched
    return speaks_against(vote) or (vote.is_fatal and _is_worse(vote)) or feared


def _is_worse(vote: Vote) -> bool:
    return vote.is_grave and vote.way is Way.HARM
