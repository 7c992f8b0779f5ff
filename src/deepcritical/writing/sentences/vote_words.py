"""Puts one result of a study into words."""

from __future__ import annotations

from deepcritical.domain.appraisal.effect_words import (
    as_given,
    direction_words,
    importance_told,
    of_share,
    size_words,
)
from deepcritical.domain.appraisal.votes import CONTINUED, NOT_STATED, STOPPED_EARLY, Vote, Way
from deepcritical.domain.text.spans import capitalised
from deepcritical.writing.sentences.words import IN_OTHERS, as_tested, is_asset, sides, within


def vote_words(vote: Vote, *, named: bool = True, drug: str = "") -> str:
    """Return one study's result in a line: "Symptom score: better with the drug (…)".

    Args:
        vote: The result.
        named: Whether the outcome is said; else it stands beside.
        drug: What was given, where it is to be named.
    """
    if vote.row == STOPPED_EARLY:
        return f"{capitalised(vote.outcome)}." if named else vote.outcome
    size = size_words(vote)
    importance = "important" if is_asset(vote) else importance_told(vote)
    way = direction_words(importance, vote.way, vote.tier, vote.control)
    way = "results differ" if vote.way is Way.CONFLICT else of_share(way, vote.outcome)
    rank = {"subgroup": ", in a subgroup", "post_hoc": ", post hoc"}.get(vote.level, "")
    if drug:
        way = _between(way, vote, drug, against=not named)
        rank += _whom(vote)
    else:
        way = as_given(way, vote)
    told = f"{way}{f' ({size})' if size else ''}"
    return f"{capitalised(vote.outcome)}: {told}{rank}." if named else f"{told}{rank}"


def _between(way: str, vote: Vote, drug: str, *, against: bool) -> str:
    """Return words on a direction with what was given, and against what.

    Args:
        way: Such as "better with the drug".
        vote: The result.
        drug: What was asked about.
        against: Whether the comparator is told too.
    """
    given = as_tested(vote, drug)
    if vote.control == CONTINUED:
        return f"{way.removesuffix(' after stopping')} after stopping {given}".rstrip(",")
    if vote.tier == "uncontrolled":
        return f"{way} with {given}".rstrip(",")
    other = vote.other_arm or vote.comparator or vote.control.replace(NOT_STATED, "")
    if against and other:
        given, other = sides(vote, given, within(other))
    than = f" than with {other}" if against and other else ""
    told = way.replace(" with the drug", f" with {given}{than}")
    if vote.way is Way.NO_DIFFERENCE:
        told = f"{way} between {given} and {other}" if than else f"{way} with {given}"
    elif vote.way is Way.CONFLICT:
        told = f"{way} with {given} against {other}" if than else f"{way} with {given}"
    return told.replace(",,", ",").rstrip(",")


def _whom(vote: Vote) -> str:
    """Return in whom a result was found, where these are not just the people asked about."""
    if vote.directness == "direct":
        return ""
    if vote.population:
        return f", in {vote.population}"
    is_of_class = vote.directness == "broader" and vote.tested_as
    return "" if is_of_class else IN_OTHERS[vote.directness]
