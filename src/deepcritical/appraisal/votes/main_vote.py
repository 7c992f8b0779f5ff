"""Chooses the vote of a study for one outcome among several results on it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from deepcritical.domain.appraisal.votes import TIERS, Vote, Way
from deepcritical.domain.study.effects import RATIOS
from deepcritical.domain.text.patterns import bounded

_DOSES = 3
"""Doses of which one alone may differ by chance."""
_UNADJUSTED = bounded(r"\b(?:unadjusted|not adjusted|crude)\b", re.IGNORECASE)
_ADJUSTED = bounded(r"\b(?:adjust(?:ed|ing|ment)|multivaria(?:ble|te))\b", re.IGNORECASE)
_OF_A_TIME = bounded(
    r"\b(?:first \d+|first few|early|initial|interim|landmark|wilcoxon)\b", re.IGNORECASE
)
"""Words for a part of the time in which a study watched its people."""
_EXPLORATORY = bounded(
    r"\b(?:exploratory|explorative|post[- ]hoc|ad hoc|unplanned|hypothesis[- ]generating|"
    r"(?:not|never) (?:pre-?)?specified)\b",
    re.IGNORECASE,
)
_LEVELS = {"primary": 0, "secondary": 1, "unstated": 1}
"""An outcome whose rank the record does not give is no surer than a secondary one."""


def one_a_row(votes: Sequence[Vote]) -> tuple[Vote, ...]:
    """For each outcome and comparator one vote; see `first_of`."""
    rows: dict[tuple[str, str], list[Vote]] = {}
    for vote in votes:
        rows.setdefault((vote.row, vote.comparator), []).append(vote)
    return tuple(first_of(of_row) for of_row in rows.values())


def first_of(votes: Sequence[Vote]) -> Vote:
    """The vote of one study for one row: of the closest people and best design, then of the level.

    Several results of one level stand for each other, and most decide. Where as many found a
    benefit as found none, the study points both ways: to choose one would be to choose by result.
    Of two doses one that helps is enough, if none harms; of more, one alone may be chance.
    """
    leading = list(_leading(_estimated(votes)))
    doses = {vote.arm: [v for v in leading if v.arm == vote.arm] for vote in leading}
    if len(doses) > 1:
        of_doses = [_of_most(of_arm) for of_arm in doses.values()]
        helps = [vote for vote in of_doses if vote.way is Way.BENEFIT]
        if helps and not any(vote.way is Way.HARM for vote in of_doses):
            enough = len(helps) > 1 or len(of_doses) < _DOSES
            return helps[0] if enough else helps[0].model_copy(update={"way": Way.CONFLICT})
    return _of_most(leading)


def _of_most(leading: Sequence[Vote]) -> Vote:
    ways = [vote.way for vote in leading]
    most = max(map(ways.count, ways))
    ahead = [vote for vote in leading if ways.count(vote.way) == most]
    if len({vote.way for vote in ahead}) == 1:
        return max(ahead, key=_has_interval)
    worse = [vote for vote in ahead if vote.way is Way.HARM]
    if worse and all(vote.feared and vote.way is not Way.BENEFIT for vote in ahead):
        return worse[0]  # what is feared and was found once is not lost
    if is_nowhere_more(ahead):
        return next(vote for vote in ahead if vote.way is Way.NO_DIFFERENCE)
    # No one estimate stands for results that differ, and all of them are named.
    outcomes = "; ".join(dict.fromkeys(vote.outcome for vote in ahead))
    return ahead[0].model_copy(
        update={
            "way": Way.CONFLICT,
            "outcome": outcomes,
            "effect": None,
            "from_arms": False,
            "turned_from": None,
        }
    )


def is_nowhere_more(votes: Sequence[Vote]) -> bool:
    """Return whether some found what is feared less often, and all others no more often."""
    is_harm = all(vote.feared or vote.harm_asked for vote in votes)
    return is_harm and {vote.way for vote in votes} == {Way.BENEFIT, Way.NO_DIFFERENCE}


def _estimated(votes: Sequence[Vote]) -> list[Vote]:
    """The votes without ratios that shares come to, where the record gives a ratio.

    It goes before those of one level; of deaths, which nothing takes back, before those of any. No
    harm is taken out.
    """
    ratios = [
        (vote, (vote.arm, vote.tier, vote.directness, vote.is_fatal or vote.level == "primary"))
        for vote in votes
        if _is_ratio(vote) and vote.level in _LEVELS
    ]
    told = {whose for vote, whose in ratios if not vote.from_arms}
    calculated = [
        vote
        for vote, whose in ratios
        if vote.from_arms and whose in told and vote.way is not Way.HARM
    ]
    return [vote for vote in votes if all(vote is not one for one in calculated)]


def _is_ratio(vote: Vote) -> bool:
    return vote.effect is not None and vote.effect.measure in RATIOS


def _has_interval(vote: Vote) -> bool:
    return vote.effect is not None and None not in (vote.effect.ci_low, vote.effect.ci_high)


def _confounded(vote: Vote) -> int:
    """Return how far confounding is left in an estimate; chance parts the arms of trials."""
    if _UNADJUSTED.search(vote.outcome):
        return 2
    return vote.tier == "controlled" and not _ADJUSTED.search(vote.outcome)


def _leading(votes: Sequence[Vote]) -> Iterator[Vote]:
    def rank(vote: Vote) -> tuple[int, bool, bool, int, bool, int, bool, int]:
        near = ("direct", "broader", "related").index(vote.directness)
        told = f"{vote.outcome} {vote.timepoint}"
        part = _OF_A_TIME.search(told) is not None
        is_planned = vote.level in _LEVELS and not _EXPLORATORY.search(told)
        return (
            near,
            not vote.of_asked,
            vote.of_class,
            TIERS.index(vote.tier),
            vote.of_completers,
            _LEVELS[vote.level] if is_planned else len(_LEVELS),
            part,
            _confounded(vote),
        )

    best = min(map(rank, votes))
    return (vote for vote in votes if rank(vote) == best)
