"""Sums up the votes of all studies as rows of a summary of findings, one for each outcome."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeVar

from deepcritical.appraisal.body.certainty import SUBSTANTIAL, Body, as_rated, bound, rated
from deepcritical.appraisal.body.scales import MOST, people_of, pooled_of
from deepcritical.appraisal.votes.main_vote import first_of, is_nowhere_more
from deepcritical.appraisal.votes.turning import turned
from deepcritical.domain.appraisal.effect_words import effect_size, kind_words, row_direction
from deepcritical.domain.appraisal.findings import StudyFinding
from deepcritical.domain.appraisal.votes import (
    NOT_STATED,
    TIERS,
    Directness,
    Importance,
    OutcomeRow,
    Polarity,
    PooledEffect,
    RowEffect,
    Vote,
    Way,
)
from deepcritical.domain.evidence.certainty import (
    LARGE,
    OPTIMAL_INFORMATION_SIZE,
    VERY_FEW,
    Certainty,
)
from deepcritical.domain.study.effects import RATIOS
from deepcritical.domain.text.spans import capitalised

_NEAR: tuple[Directness, ...] = ("direct", "broader", "related")
_WEIGHTS: tuple[Importance, ...] = ("critical", "important", "surrogate", "harm")


_DOUBT = Fraction(1, 10)
"""Share of the participants from which more deaths in one study are no longer taken for chance."""

_Item = TypeVar("_Item", Vote, OutcomeRow)


class _Cast(NamedTuple):
    """The vote of one study in one row."""

    vote: Vote
    evidence_ids: tuple[str, ...]


def outcome_rows(studies: Sequence[StudyFinding]) -> tuple[OutcomeRow, ...]:
    """Rows by weight, then by participants; each outcome and comparator makes one.

    What narrative reviews tell of a benefit makes rows only where no study at hand tells whether
    the drug helps.
    """
    groups: dict[tuple[str, str], list[_Cast]] = {}
    for study in studies:
        keys = dict.fromkeys((vote.row, vote.comparator) for vote in study.votes)
        for key in keys:
            own = [v for v in study.votes if (v.row, v.comparator) == key]
            groups.setdefault(key, []).append(_Cast(turned(first_of(own)), _ids(own)))
    rows = [_row(name, against, casts) for (name, against), casts in groups.items()]
    if any(_tells(row) and row.tier != "reported" for row in rows):
        rows = [row for row in rows if row.tier != "reported" or row.importance == "harm"]
    return tuple(sorted(rows, key=_order))


def _tells(row: OutcomeRow) -> bool:
    """Return whether a row tells if the drug helps those asked about, by itself or as was asked."""
    own = row.asked or not row.comparator
    return own and row.importance != "harm" and row.directness != "related"


def _ids(votes: Iterable[Vote]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(vote.evidence_id for vote in votes))


def _order(row: OutcomeRow) -> tuple[int, bool, int, int, str, str]:
    near, weight = _NEAR.index(row.directness), _WEIGHTS.index(row.importance)
    against = row.comparator
    return near, against != "", weight, -(row.people or 0), row.outcome, against


def closest(found: Sequence[_Item]) -> list[_Item]:
    """Return those of the best design in the closest people.

    Another condition counts only where nothing else does, and a design goes before closeness. Of
    one design the very people asked about go first, unless they are very few, and trials of the
    drug before those of its class. Cohorts of either stand together where one does not say how many
    it had: what parts them is more than the drug.
    """
    own = [one for one in found if one.directness != "related"] or list(found)
    tier = min(TIERS.index(one.tier) for one in own)
    best = [one for one in own if TIERS.index(one.tier) == tier]
    if TIERS[tier] == "randomised":
        own = [one for one in best if not one.of_class]
        best = best if sum(one.people or VERY_FEW for one in own) < VERY_FEW else own
    direct = [one for one in best if one.directness == "direct"]
    sizes = [one.people for one in direct]
    few = None not in sizes and sum(n or 0 for n in sizes) < VERY_FEW
    untold = None in sizes and TIERS[tier] == "controlled"
    return best if few or untold or not direct else direct


def _parted(casts: Sequence[_Cast]) -> tuple[list[_Cast], list[_Cast]]:
    """The casts that `closest` finds, and all others."""
    best = closest([cast.vote for cast in casts])
    held = [cast for cast in casts if any(cast.vote is vote for vote in best)]
    return held, [cast for cast in casts if all(cast is not one for one in held)]


def _counted(casts: Sequence[_Cast]) -> tuple[list[_Cast], list[_Cast]]:
    """Return what is weighed of trials and of reviews of trials, and what is told beside it.

    A review counts trials again, so that it is no evidence beside them (Cochrane Handbook, chapter
    V). Of reviews and trials the larger body is weighed: the trials at hand, or the first review
    with the trials that were published after it.
    """
    reviews = [c for c in casts if c.vote.review]
    trials = [c for c in casts if not c.vote.review]
    if not reviews:
        return trials, []
    first = _first_of(reviews)
    alike = [c for c in reviews if _rank(c) == _rank(first)]
    largest = first._replace(evidence_ids=_all_ids(alike))
    later = [c for c in trials if (c.vote.year or 0) > (largest.vote.year or 9999)]
    if trials and not _holds_more(largest, trials):
        return trials, reviews
    beside = [c for c in casts if c not in alike and c not in later]
    return [largest, *later], beside


def _first_of(reviews: Sequence[_Cast]) -> _Cast:
    """The newest of the reviews that hold at least half of the people that the largest holds."""
    largest = max(reviews, key=_rank)
    most = largest.vote.people or 0
    near = [c for c in reviews if most and 2 * (c.vote.people or 0) >= most] or [largest]
    newest = max(c.vote.year or 0 for c in near)
    return max((c for c in near if c.vote.year in (None, newest)), key=_rank)


def _rank(cast: _Cast) -> tuple[int, int, int, bool, str]:
    """By size, then the newer, then the one without a benefit; never by the order of arrival."""
    vote = cast.vote
    size, year = (vote.people or 0, vote.studies or 0), vote.year or 0
    said = vote.model_copy(update={"evidence_id": "", "start": None}).model_dump_json()
    return *size, year, vote.way is not Way.BENEFIT, said


def _holds_more(review: _Cast, trials: Sequence[_Cast]) -> bool:
    """Return whether a review has more people than the trials; of unknown numbers, more studies.

    Trials that are large enough by themselves stand before a review whose people are not told.
    """
    people = [c.vote.people for c in trials]
    if review.vote.network and not review.vote.people:
        return None not in people and sum(n or 0 for n in people) < OPTIMAL_INFORMATION_SIZE
    least = sum(n or 0 for n in people)
    if review.vote.people and (None not in people or least >= review.vote.people):
        return review.vote.people > least
    return least < LARGE and (review.vote.studies or 0) > len(trials)


def _combined(votes: Sequence[Vote], *, feared: bool = False) -> Way:
    """Return which way several votes point, by their participants.

    One finding stands from two thirds of them on. A study that does not say how many took part
    counts as the median one. Of what is feared, one third of them is a signal. Of what kills or
    disables, a tenth is a doubt that stands beside results without a difference.
    """
    grave = any(vote.is_grave for vote in votes)
    people = {way: people_of([v for v in votes if v.way is way], votes) for way in Way}
    total = sum(people.values())
    helps, harms = people[Way.BENEFIT] + people[Way.CONFLICT] / 2, people[Way.HARM]
    if feared and harms >= (1 - MOST) * total and not helps > harms:
        return Way.HARM
    for way, part in ((Way.BENEFIT, helps), (Way.HARM, harms)):
        if part >= MOST * total:
            return way
    if is_nowhere_more(votes):
        return Way.NO_DIFFERENCE
    doubted = bool(helps and harms) or (grave and harms >= _DOUBT * total)
    if max(helps, harms) <= (1 - MOST) * total and not doubted:
        return Way.NO_DIFFERENCE
    return Way.CONFLICT


def _row(name: str, comparator: str, casts: Sequence[_Cast]) -> OutcomeRow:
    of_asked = [cast for cast in casts if cast.vote.of_asked] or casts
    best, others = _parted(of_asked)
    weighed, rest = _counted(best)
    beside = [*rest, *others, *(c for c in casts if all(c is not one for one in of_asked))]
    votes = [c.vote for c in weighed]
    importance = min((v.importance for v in votes), key=_WEIGHTS.index)
    pooled, more_is_better = pooled_of(votes)
    way = _way(weighed, pooled, more_is_better, importance)
    fears = _fears(way, weighed, beside)
    body = Body(tuple(votes), Way.CONFLICT if fears else way, importance, pooled)
    certainty, reasons = rated(body)
    row = OutcomeRow(
        outcome=name,
        importance=importance,
        comparator=comparator,
        control=comparator or _control(votes),
        tested_as=_tested_as(votes),
        added_to=_common({vote.added_to for vote in votes}),
        given_with=_common({vote.given_with for vote in votes}),
        polarity=_polarity(votes),
        tier=votes[0].tier,
        way=body.way,
        studies=sum(max(1, v.studies or 1) for v in votes),
        people=body.people,
        effects=tuple(_effect(c) for c in weighed),
        pooled=None if _is_split(pooled, way) else pooled,
        certainty=certainty,
        reasons=reasons,
        most=bound(body),
        directness=max((v.directness for v in votes), key=_NEAR.index),
        primary=any(v.level == "primary" for v in votes),
        inconclusive=body.inconclusive,
        trivial=body.trivial,
        asked=any(v.against_asked for v in votes),
        evidence_ids=_all_ids([*weighed, *fears]),
        beside=_all_ids(c for c in beside if c not in fears),
    )
    row = row.model_copy(update={**_marks(votes), **_told(votes), "fears": _all_ids(fears)})
    return row.model_copy(update={"finding": _finding(row), "sentence": _sentence(row)})


def row_rated(row: OutcomeRow, level: Certainty | None) -> OutcomeRow:
    """Return a row, and its sentence, as certain as a model rates it: see `as_rated`."""
    told = as_rated(row, level)
    return told.model_copy(update={"sentence": _sentence(told)})


def _told(votes: Sequence[Vote]) -> dict[str, str]:
    """Return the words of an only record; drugs of a class; who else was studied."""
    names = [n for v in votes for n in v.members.split(" or ")]
    members = "" if "" in names else " or ".join(dict.fromkeys(names))
    only = votes[0] if len(votes) == 1 else None
    own = (only.outcome, only.one_arm, only.other_arm) if only else ("", "", "")
    told = dict(zip(("told_as", "one_arm", "other_arm"), own, strict=True))
    return {**told, "members": members, "population": _populations(votes)}


def _is_split(pooled: PooledEffect | None, way: Way) -> bool:
    """Return whether an estimate holds no effect since studies differ: no one figure fits them."""
    if pooled is None or way is Way.NO_DIFFERENCE:
        return False
    none = 1.0 if pooled.measure in RATIOS else 0.0
    return pooled.ci_low <= none <= pooled.ci_high and pooled.i2 >= SUBSTANTIAL


def _marks(votes: Sequence[Vote]) -> dict[str, bool]:
    """Return what holds of a row where it holds of one of its votes, or of all of them."""
    of_one = ("is_grave", "is_fatal", "wanted", "harm_asked", "of_course", "matched")
    of_all = ("review", "of_other_kind", "non_inferior", "as_good_asked", "prevention", "of_class")
    marks = {name: any(getattr(vote, name) for vote in votes) for name in of_one}
    return marks | {name: all(getattr(vote, name) for vote in votes) for name in of_all}


def _control(votes: Sequence[Vote]) -> str:
    """Return what stood in the place of the drug, as far as studies say."""
    told = dict.fromkeys(v.control for v in votes if v.control)
    known = [control for control in told if control != NOT_STATED]
    return " or ".join(known or told)


def _populations(votes: Sequence[Vote]) -> str:
    """In whom it was found, as words to put behind a sentence, if not in the people asked about."""
    told = {"" if v.directness == "direct" else v.population for v in votes}
    return f"in {told.pop()}" if len(told) == 1 and "" not in told else ""


def _polarity(votes: Sequence[Vote]) -> Polarity:
    """Return which way is better, as far as studies tell; `unclear` where they differ."""
    told = {vote.polarity for vote in votes if vote.polarity}
    return told.pop() if len(told) == 1 else "unclear" if told else ""


def _tested_as(votes: Sequence[Vote]) -> str:
    """Return what was tested as one, where no vote is of the drug by itself."""
    names = dict.fromkeys(vote.tested_as for vote in votes)
    return "" if "" in names else " or ".join(names)


def _common(told: set[str]) -> str:
    """Return what all votes tell alike; '' where they differ."""
    return told.pop() if len(told) == 1 else ""


def _fears(way: Way, weighed: Sequence[_Cast], beside: Sequence[_Cast]) -> list[_Cast]:
    """Return votes beside the weighed ones that alone found more of a harm: they are never lost."""
    feared = all(c.vote.feared or c.vote.harm_asked for c in weighed) and way is not Way.HARM
    return [cast for cast in beside if feared and cast.vote.way is Way.HARM]


def _all_ids(casts: Iterable[_Cast]) -> tuple[str, ...]:
    """In store order: E2 before E10."""
    return tuple(
        sorted({i for cast in casts for i in cast.evidence_ids}, key=lambda i: (len(i), i))
    )


def _effect(cast: _Cast) -> RowEffect:
    vote = cast.vote
    return RowEffect(
        evidence_ids=cast.evidence_ids,
        way=vote.way,
        level=vote.level,
        effect=vote.effect,
        from_arms=vote.from_arms,
        turned_from=vote.turned_from,
        rates=vote.rates,
        unit=vote.unit,
        people=vote.people,
        tested_as=vote.tested_as,
    )


def _way(
    casts: Sequence[_Cast],
    pooled: PooledEffect | None,
    more_is_better: bool | None,
    importance: Importance,
) -> Way:
    """By the pooled estimate where there is one, else by votes.

    Where trials differ substantially, an estimate that holds no effect says that they differ: only
    trials that all agree stand against it.
    """
    feared = importance == "harm"
    by_votes = _combined([cast.vote for cast in casts], feared=feared)
    if pooled is None or more_is_better is None:
        return by_votes
    none = 1.0 if pooled.measure in RATIOS else 0.0
    if pooled.ci_low <= none <= pooled.ci_high:
        if not feared and pooled.i2 < SUBSTANTIAL:
            return Way.NO_DIFFERENCE
        agreed = feared or len({cast.vote.way for cast in casts}) == 1
        return by_votes if agreed or by_votes is Way.NO_DIFFERENCE else Way.CONFLICT
    return Way.BENEFIT if (pooled.value > none) == more_is_better else Way.HARM


def _finding(row: OutcomeRow) -> str:
    """Return what was found, with the size of the effect; the outcome stands beside it."""
    other = f"{row.comparator} alone" if row.added_to == row.comparator else row.comparator
    against = f" than with {other}" if row.comparator else ""
    if row.comparator and row.way in (Way.NO_DIFFERENCE, Way.CONFLICT):
        against = f", against {other}"
    size = f" ({size})" if (size := effect_size(row)) else ""
    return f"{row_direction(row)}{against}{size}"


def _sentence(row: OutcomeRow) -> str:
    """The row in words: what was found, by how many studies in how many people, how surely."""
    one, several = kind_words("reported") if row.tier == "reported" else ("study", "studies")
    studies = f"{row.studies} {one if row.studies == 1 else several}"
    if row.review and row.studies == 1:
        studies = "a review"
    people = f", {row.people:,} people" if row.people else ""
    told = f"{row.outcome}: {_finding(row)}"
    return f"{capitalised(told)}: {studies}{people}, {row.certainty.value} certainty."
