"""Decides which results of a study count for a question, and says of each study why, or why not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, get_args

from deepcritical.appraisal.pico.arms import IN_NEITHER_ARM, Tested, written
from deepcritical.appraisal.pico.asked import Asked
from deepcritical.appraisal.pico.controls import control_of
from deepcritical.appraisal.pico.dosing import arms_told
from deepcritical.appraisal.pico.matching import (
    Relation,
    holds_by_rule,
    is_never_lost,
    is_of_other,
    of_others,
    related_by,
)
from deepcritical.appraisal.pico.outcomes import Placed, as_harm, is_composite, is_wanted, placed
from deepcritical.appraisal.pico.people import (
    concerns,
    directness,
    is_of_those_parted_off,
    is_prevention,
    people_in_words,
)
from deepcritical.appraisal.pico.stopped import compared_in
from deepcritical.appraisal.pico.ways import leans_of, polarity_of, way_of, with_polarity
from deepcritical.appraisal.votes.analysed import is_of_completers, is_of_subgroup, told_as_part
from deepcritical.appraisal.votes.main_vote import one_a_row
from deepcritical.appraisal.votes.pooling import estimated
from deepcritical.appraisal.votes.silent import SILENT_KINDS, is_narrative, is_reported, silence
from deepcritical.appraisal.votes.sizes import (
    is_of_network,
    is_of_review,
    people_of,
    rates_of,
    studies_of,
)
from deepcritical.appraisal.votes.turning import counted, with_bound
from deepcritical.domain.appraisal.findings import MOST_SHOWN, ResultMatch
from deepcritical.domain.appraisal.votes import OTHER_COMPARISON, Tier, Vote, Way
from deepcritical.domain.evidence.certainty import certainties_stated
from deepcritical.domain.evidence.grading import Grade
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.study.effects import oriented
from deepcritical.domain.study.reading import Effect, Result, StudyReading
from deepcritical.domain.text.patterns import bounded
from deepcritical.reading.sentences import quoted, telling
from deepcritical.vocabulary.outcomes import construct_of

_NO_MATCH = "it was judged not to answer the question"
_NOT_WEIGHED = {
    "cost": "costs say nothing of an effect",
    "pharmacokinetic": "levels of a drug say nothing of an effect",
    "mechanism": "a mechanism is no outcome of patients",
}
_NOT_RANDOMISED = bounded(r"\b(?:non|un)-? ?randomi|\bobservational\b|\bcohorts?\b", re.IGNORECASE)
_OF_TRIALS = bounded(r"randomi|\bRCTs?\b", re.IGNORECASE)
"""Parts of a review, by how those compared came to be apart."""
_LIST = bounded(r",(?: and)?\s|\band\b", re.IGNORECASE)
_PAIRED = frozenset({"crossover", "cluster"})
"""Designs whose counts do not give an interval as those of parallel groups of people do."""


class Ballot(NamedTuple):
    """The votes that a record's results count for."""

    votes: tuple[Vote, ...] = ()
    why: str = ""
    """Reason why none counts; '' where one does."""
    told: tuple[Result, ...] = ()
    """Results on the drug that are told and not weighed."""


class _Weighed(NamedTuple):
    vote: Vote | None
    why: str = ""


def ballot_of(
    study: StudyReading,
    evidence: Evidence,
    asked: Asked,
    grade: Grade,
    matches: Sequence[ResultMatch] | None = None,
) -> Ballot:
    """The votes of one record: for each outcome and comparator one, the primary result first.

    Only results of the whole population vote, in comparisons that isolate the drug, or of one group
    with before where nothing else is there; conclusions of authors never do.
    """
    if (why := silence(study)) and not is_narrative(study):
        return Ballot(why=why)
    by_result = {match.result: match for match in matches or ()}
    parts = [(i, part) for i, whole in enumerate(study.results) for part in _parts(whole)]
    weighed = [
        (i, p, _weigh_once(study, p, evidence, asked, grade, by_result.get(i))) for i, p in parts
    ]
    rows = {found.vote.row for i, _, found in weighed if i in by_result and found.vote}
    votes: list[Vote] = []
    reasons: list[str] = []
    told: list[Result] = []
    for i, result, found in weighed:
        judged = i in by_result or matches is None or i >= MOST_SHOWN
        if found.vote and (judged or is_never_lost(found.vote, rows)):
            votes.append(found.vote.model_copy(update={"matched": i in by_result}))
        else:
            reasons += [] if by_result and not judged else [_NO_MATCH if found.vote else found.why]
            told.append(result)
    return Ballot(one_a_row(votes), "" if votes else why or _why(reasons, study), tuple(told))


def may_count(
    study: StudyReading, evidence: Evidence, asked: Asked, grade: Grade
) -> tuple[int, ...]:
    """The places, from 0, of the results that count by rule or could by a model's match.

    The others code refuses, whatever is said of them.
    """
    if silence(study) and not is_narrative(study):
        return ()
    matches = (
        None,
        *(
            ResultMatch(result=0, side=side, outcome="", importance="critical", directness="direct")
            for side in get_args(Literal["a", "b"])
        ),
    )
    return tuple(
        i
        for i, whole in enumerate(study.results[:MOST_SHOWN])
        if any(
            _weigh(study, part, evidence, asked, grade, match).vote
            for part in _parts(whole)
            for match in matches
        )
    )


def _weigh_once(
    study: StudyReading,
    result: Result,
    evidence: Evidence,
    asked: Asked,
    grade: Grade,
    match: ResultMatch | None,
) -> _Weighed:
    """By the match, but for what stands by the written rules, whatever a model calls it."""
    by_rule = _weigh(study, result, evidence, asked, grade)
    if match is None or (by_rule.vote and holds_by_rule(by_rule.vote)):
        return by_rule
    return _weigh(study, result, evidence, asked, grade, match)


def _parts(result: Result) -> tuple[Result, ...]:
    """A result on several outcomes at once, as rules read them, as one on each that is known."""
    result = with_bound(result)
    if result.concept or is_composite(result):
        return (result,)
    named = [part.strip() for part in _LIST.split(result.outcome) if part.strip()]
    known = {c.name: part for part in reversed(named) if (c := construct_of("", part))}
    if len(known) < 2:
        return (result,)
    return tuple(result.model_copy(update={"outcome": part}) for part in known.values())


def _why(reasons: Sequence[str], study: StudyReading) -> str:
    """The reason that most results share; of as many, the first."""
    if not reasons:
        return "its text gives no result that could be read" if not study.results else ""
    # That other comparisons of the record are of other drugs is no reason where one has the drug.
    own = [reason for reason in reasons if reason != IN_NEITHER_ARM] or reasons
    return max(own, key=own.count)


def _weigh(
    study: StudyReading,
    result: Result,
    evidence: Evidence,
    asked: Asked,
    grade: Grade,
    match: ResultMatch | None = None,
) -> _Weighed:
    of_asked = is_of_those_parted_off(study, result, evidence, asked)
    why = _told_only(study, result, match) if not of_asked or result.restated else ""
    if why and not _is_signal(result, placed(result, asked), asked):
        return _Weighed(None, why)
    place, tested, near, wanted = _related(study, result, evidence, asked, match)
    if why_not := tested.why_not or (of_others(study, result) if near is None else ""):
        return _Weighed(None, why_not)
    if near is None or (near == "direct" and (tested.of_class or why)):
        near = "broader"
    estimate = estimated(counted(result, study), paired=not _PAIRED.isdisjoint(study.design))
    if (way := way_of(result, tested.side, place, estimate)) is None:
        return _Weighed(None, "which arm did better is not told")
    if (told_as := as_harm(place, result, way, asked, study.reader.kind)) is None:
        return _Weighed(None, "an outcome that does not bear on the condition")
    vote = _vote(study, result, evidence, told_as, tested, way)
    changes = {
        **_estimate(result, estimate, tested.side),
        "directness": near,
        "population": "" if why else people_in_words(study, evidence.content),
        "of_asked": of_asked,
        "tier": _tier(study, result, grade),
        "wanted": wanted,
        "harm_asked": wanted and asked.on_harm,
        "of_other_kind": not wanted and is_of_other(result, asked, match),
        "against_asked": tested.asked or (bool(match) and way is Way.BENEFIT),
        "non_inferior": vote.non_inferior and not asked.superior,
        "as_good_asked": asked.as_good,
        "prevention": not match and not asked.prevention and is_prevention(study, result, asked),
        "of_class": tested.of_class and not asked.is_class,
        "members": tested.members,
    }
    return _Weighed(vote.model_copy(update=changes))


def _related(
    study: StudyReading,
    result: Result,
    evidence: Evidence,
    asked: Asked,
    match: ResultMatch | None,
) -> Relation:
    """By the tables of outcomes and conditions, or as a model matched it."""
    near = directness(study, result, evidence, asked, matched=match is not None)
    if match:
        return related_by(match, study, result, asked, near, evidence)
    place, tested = placed(result, asked), compared_in(study, result, evidence, asked)
    wanted = is_wanted(result, place, asked)
    if beside := tested.why_not or _beside(result, asked, tested, place, wanted=wanted):
        tested = tested._replace(why_not=beside)
    return Relation(place, tested, near, wanted)


def _beside(result: Result, asked: Asked, tested: Tested, place: Placed, *, wanted: bool) -> str:
    """Return why a result on the drug is not on what was asked about; '' where it is."""
    if (asked.comparators or asked.between_doses) and not tested.asked:
        against = tested.comparator or "nothing or placebo"
        return f"it compares with {against}, {OTHER_COMPARISON}"
    if asked.on_harm and not wanted and place.importance != "harm":
        return "an outcome that was not asked about"
    if _is_of_another(result, asked) and not wanted:
        return "an outcome of another condition"
    return ""


def _told_only(study: StudyReading, result: Result, match: ResultMatch | None) -> str:
    """Return why a result is told and never weighed, whatever is asked.

    That words for people mean a part of them is no reason where a model found the people asked
    about in them.
    """
    if is_narrative(study) and not is_reported(study, result):
        return SILENT_KINDS["narrative_review"]
    if result.kind in _NOT_WEIGHED:
        return _NOT_WEIGHED[result.kind]
    if result.restated:
        return "told before in the same record"
    if result.level == "post_hoc" or is_of_subgroup(result, study):
        primaries = [r for r in study.results if r.level == "primary"]
        null = primaries and all(r.better == "no_difference" for r in primaries)
        kind = "a subgroup" if result.level == "subgroup" else "a post hoc result"
        return f"{kind} of a null primary outcome" if null else kind
    if (part := told_as_part(study, result)) and not (match and match.directness == "direct"):
        return part
    if result.contrast == "within" and _compares(study):
        return "before and after in one arm of a comparison"
    if result.contrast == "within" and result.better == "b":
        return "worse than before, with nobody to compare with"
    if result.contrast == "omnibus" and result.better == "no_difference":
        return ""
    if result.contrast not in ("between", "within"):
        return "no comparison between arms"
    return ""


def _is_signal(result: Result, place: Placed, asked: Asked) -> bool:
    """Return whether a result told only is of a harm, grave or asked about: it is kept."""
    ranked = result.level != "subgroup" and result.contrast == "between" and not result.restated
    of_asked = asked.on_harm and is_wanted(result, place, asked)
    return ranked and (of_asked or (result.kind == "safety" and place.is_grave))


def _is_of_another(result: Result, asked: Asked) -> bool:
    named = bool(result.condition) and result.kind != "safety"
    return named and not concerns((result.condition,), asked)


def _compares(study: StudyReading) -> bool:
    return any(r.contrast == "between" for r in study.results) or "single_arm" not in study.design


def _vote(
    study: StudyReading, result: Result, evidence: Evidence, place: Placed, tested: Tested, way: Way
) -> Vote:
    return Vote(
        row=place.row,
        outcome=_told_outcome(result),
        importance=place.importance,
        arm=result.a if tested.side == "a" else result.b,
        comparator=written(tested.comparator),
        control=""
        if tested.comparator
        else control_of(study, result, tested.side, stopped=tested.stopped),
        tested_as=tested.tested_as,
        added_to=written(tested.added_to),
        given_with=written(tested.given_with),
        way=way,
        leans=leans_of(result, tested.side, place),
        level=result.level,
        **_of_review(study, result, evidence),
        rates=rates_of(result, tested.side),
        higher_is_better=with_polarity(result, place).higher_is_better,
        polarity=polarity_of(result, place),
        unit=_unit(result),
        timepoint=result.timepoint,
        people=people_of(study, result),
        year=_year(evidence),
        is_grave=place.is_grave,
        of_course=place.of_course,
        is_fatal=place.is_fatal,
        feared=result.kind == "safety" or place.importance == "harm",
        of_completers=is_of_completers(result),
        open_label="open_label" in study.design,
        non_inferior=result.non_inferiority == "shown" and (tested.side == "a" or tested.is_less),
        start=telling(result, evidence),
        **arms_told(study, result, tested),
    )


def _of_review(study: StudyReading, result: Result, evidence: Evidence) -> dict[str, Any]:
    """Return the fields of a result of several studies, with the certainty that they state."""
    if not is_of_review(study, result):
        return {}
    own = " ".join(span.text for span in quoted(result.sentences, evidence))
    whole = certainties_stated(evidence.abstract)
    return {
        "review": True,
        "studies": studies_of(study, result),
        "network": is_of_network(study),
        # Of several levels in an abstract nobody knows which is of this outcome.
        "stated": certainties_stated(own) or (whole if len(whole) == 1 else ()),
    }


def _estimate(
    result: Result, estimate: Effect | None, side: Literal["a", "b"]
) -> dict[str, object]:
    """The estimate of the drug against the other side, and how it was calculated, if it was."""
    flipped = side == "b"
    told = result.effect if result.effect and result.effect.value is not None else None
    return {
        "effect": oriented(estimate, flipped=flipped),
        "from_arms": estimate is not result.effect,
        "turned_from": told if flipped and estimate is result.effect else None,
    }


def _told_outcome(result: Result) -> str:
    """The outcome with what was counted as it, where the record says so."""
    if not result.components or is_composite(result):
        return result.outcome
    return f"{result.outcome} ({' or '.join(result.components)})"


def _unit(result: Result) -> str:
    """The unit; of a difference of two shares, points: 5 % against 10 % is no 5 % less."""
    of_shares = result.effect is not None and result.effect.measure == "RD"
    return "percentage points" if of_shares and result.unit.startswith("%") else result.unit


def _year(evidence: Evidence) -> int | None:
    year = (evidence.citation.date or "")[:4]
    return int(year) if year.isdigit() else None


def _tier(study: StudyReading, result: Result, grade: Grade) -> Tier:
    """Return how those compared came to be apart; a reader of the text goes before the index."""
    if result.contrast == "within":
        return "uncontrolled"
    if is_narrative(study):
        return "reported"
    design, kinds = set(study.design), set(study.kinds)
    if study.reader.kind != "rules":
        if _NOT_RANDOMISED.search(result.people):
            return "controlled"
        if "randomised" in design or _OF_TRIALS.search(result.people):
            return "randomised"
        if kinds & {"observational"} or design & {"non_randomised", "cohort", "case_control"}:
            return "controlled"
        if "placebo_controlled" in design:  # who gets a placebo, chance decides
            return "randomised"
    return "randomised" if grade.level in (1, 2) else "controlled"
