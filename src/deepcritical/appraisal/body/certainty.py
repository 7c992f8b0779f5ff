"""Rates how certain a row of a summary of findings is, by the domains of GRADE."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

from deepcritical.appraisal.votes.main_vote import is_nowhere_more
from deepcritical.appraisal.votes.pooling import Estimate, interval_by_p, variance
from deepcritical.domain.appraisal.findings import StudyFinding
from deepcritical.domain.appraisal.votes import (
    Importance,
    OutcomeRow,
    PooledEffect,
    Tier,
    Vote,
    Way,
)
from deepcritical.domain.evidence.certainty import (
    LARGE,
    OPTIMAL_INFORMATION_SIZE,
    VERY_FEW,
    Certainty,
    capped,
)
from deepcritical.domain.study.effects import RATIOS
from deepcritical.domain.study.reading import Effect

LADDER = (Certainty.VERY_LOW, Certainty.LOW, Certainty.MODERATE, Certainty.HIGH)
_START: dict[Tier, int] = {"randomised": 3, "controlled": 1, "reported": 0, "uncontrolled": 0}
"""Certainty at which a design starts (GRADE guidelines 3)."""
_RELEVANT = (0.75, 1.25)
"""Ratios from which an effect is appreciable (GRADE guidelines 6)."""
_RELEVANT_IF_GRAVE = (0.95, 1.05)
"""The same of deaths and of what disables, of which far smaller differences matter to patients."""
_SMALL = 0.2
"""Standardised mean difference of a small effect (Cochrane Handbook 15.5.3)."""
VERY_MANY = 2000
"""Participants from which an effect is precise without an interval (GRADE guidelines 6)."""
_FEW_EVENTS = 300
"""Events below which an effect on events is imprecise (GRADE guidelines 6)."""
_OF_EVENTS = frozenset({"RR", "OR", "HR", "IRR"})
_NOT_RANDOMISED = {
    "controlled": "risk of bias: the people were not randomised",
    "reported": "risk of bias: a narrative review tells of it, which does not weigh all studies",
    "uncontrolled": "risk of bias: there was no control group",
}
"""Why designs start lower than trials; their start has it in it already."""
_BROADER = "indirectness: the people or the drugs were not only those asked about"
_PEOPLE_UNREAD = "imprecision: how many people are behind it could not be read"
_NOT_EXCLUDED = "imprecision: a relevant difference is not excluded"
_NO_INTERVAL = "imprecision: no confidence interval could be read"
_ONE_REVIEW = "inconsistency: how far the trials of its one review agree is not told"
_ONE_TRIAL = "inconsistency: it rests on a single trial"
_JUDGED = "judgement: a model that read the records holds it to be less certain"
_UNKNOWN = frozenset({_PEOPLE_UNREAD, _NO_INTERVAL, _ONE_REVIEW, _ONE_TRIAL, _JUDGED})
"""Doubts for want of what was not read, or of a model: who has read the records may know better."""
_VERY_SERIOUS = 2  # steps by which very serious imprecision lowers the certainty
SUBSTANTIAL = 50.0
"""I² in percent from which trials may differ substantially (Cochrane Handbook, 10.10.2)."""


class Body(NamedTuple):
    """The votes of a row and what they come to."""

    votes: tuple[Vote, ...]
    way: Way
    importance: Importance
    pooled: PooledEffect | None

    @property
    def people(self) -> int | None:
        """Participants, as far as studies say."""
        known = [vote.people for vote in self.votes if vote.people]
        return sum(known) if known else None

    @property
    def keeps_a_margin(self) -> bool:
        """Return whether each trial showed noninferiority: a relevant loss is excluded then.

        What margin of deaths or disability is none a panel decides, and no trial.
        """
        shown = bool(self.agreeing) and all(vote.non_inferior for vote in self.agreeing)
        return shown and not self.is_grave

    @property
    def inconclusive(self) -> bool:
        """Return whether no difference is shown, and a relevant one is not excluded either.

        A result without an interval excludes one if it is of the primary outcome, for which studies
        are powered, and of very many people.
        """
        if self.way is not Way.NO_DIFFERENCE or self.keeps_a_margin:
            return False
        bare = [v for v in self.votes if _interval(v.effect) is None and v.level == "primary"]
        powered = sum(v.people or 0 for v in bare)
        tight = powered if powered >= (LARGE if self.is_grave else VERY_MANY) else 0
        return 3 * (tight + self.excluding) < 2 * (self.people or 1)

    @property
    def trivial(self) -> bool:
        """Return whether there is a difference, and its interval excludes that it is relevant.

        Ratios of what is feared may be relevant however near they are to 1.
        """
        effects = [self.pooled.as_effect()] if self.pooled else [v.effect for v in self.votes]
        of_events = any(e and e.measure in RATIOS for e in effects)
        wanted = {vote.higher_is_better for vote in self.votes} - {None} == {True}
        if self.way not in (Way.BENEFIT, Way.HARM) or (of_events and not wanted):
            return False
        return 3 * self.excluding >= 2 * (self.people or 1)

    @property
    def excluding(self) -> int:
        """People of the estimates that exclude a relevant difference."""
        if self.pooled:
            people = self.people or 1
            return people if self._excludes(self.pooled.as_effect(), people) else 0
        told = [(v.people or 0, v.effect) for v in self.votes]
        return sum(n for n, effect in told if effect and self._excludes(effect, n))

    @property
    def is_grave(self) -> bool:
        """Return whether it is of deaths, or of what kills or disables."""
        return any(vote.is_grave for vote in self.votes)

    def _excludes(self, effect: Effect, people: int) -> bool:
        ratios = _RELEVANT_IF_GRAVE if self.is_grave else _RELEVANT
        return _excludes_relevant(effect, people, ratios)

    @property
    def agreeing(self) -> tuple[Vote, ...]:
        """The votes for a benefit or harm: those that found it, or whose estimate is pooled for it.

        How sure a finding is, only they can tell: a study without it makes it no surer.
        """
        if self.way not in (Way.BENEFIT, Way.HARM):
            return self.votes
        return tuple(vote for vote in self.votes if self._agrees(vote)) or self.votes

    def _agrees(self, vote: Vote) -> bool:
        if self.pooled is None or vote.effect is None or vote.effect.value is None:
            return vote.way is self.way
        none = 1.0 if self.pooled.measure in RATIOS else 0.0
        return (vote.effect.value - none) * (self.pooled.value - none) > 0

    @property
    def information(self) -> float | None:
        """Number of events that would give intervals as narrow; None of other measures."""
        known = [vote.effect for vote in self.agreeing if _interval(vote.effect)]
        if not known or any(effect and effect.measure not in _OF_EVENTS for effect in known):
            return None
        estimates = [
            Estimate(effect.value, *interval, effect.ci_level)
            for effect in known
            if effect and effect.value is not None and (interval := _interval(effect))
        ]
        spreads = [found for e in estimates if (found := variance(e, ratio=True))]
        return sum(4 / spread for spread in spreads) if spreads else None

    @property
    def is_large(self) -> bool:
        """Return whether a single trial is large enough to stand by itself."""
        return (self.people or 0) >= VERY_MANY

    @property
    def is_timed(self) -> bool:
        """Return whether it is of the time to events, which who knows the treatment sees no other.

        That is so of events that are seen on images, in laboratories or in registers (GRADE
        guidelines 4); those that patients report themselves are not told apart.
        """
        effects = [vote.effect for vote in self.agreeing]
        return bool(effects) and all(effect and effect.measure == "HR" for effect in effects)

    @property
    def reaches_small(self) -> bool:
        """Return whether a ratio may be small, too."""
        effects = [self.pooled.as_effect()] if self.pooled else [v.effect for v in self.agreeing]
        known = [found for effect in effects if (found := _interval(effect))]
        return any(low < _RELEVANT[1] and high > _RELEVANT[0] for low, high in known)


def rated(body: Body) -> tuple[Certainty, tuple[str, ...]]:
    """The certainty of a row and what lowered it; no higher than its reviews all state it."""
    imprecise = [*_imprecision(body)]
    alone = len(imprecise) < _VERY_SERIOUS and not body.is_large
    differing = _inconsistency(body, doubts_alone=alone)
    down = [*_bias(body), *differing, *_indirectness(body), *imprecise]
    own = max(0, _START[body.votes[0].tier] - len(down))
    tier = body.votes[0].tier
    reasons = [*([_NOT_RANDOMISED[tier]] if tier in _NOT_RANDOMISED else ()), *down]
    told = _stated_at_most(body, own)
    if told < own:
        reasons.append(f"stated: the evidence is rated {LADDER[told].value} by its review")
    return LADDER[told], tuple(dict.fromkeys(reasons))


def _stated_at_most(body: Body, step: int) -> int:
    """Return a step of the ladder, no higher than reviews state it that make up all of a row."""
    if not all(vote.stated for vote in body.votes):
        return step
    return capped(step, tuple(level for vote in body.votes for level in vote.stated))


def bound(body: Body) -> Certainty:
    """Return how certain a row can be at most, whatever was not read were known.

    What is known against it lowers that: also an interval whose people are not told.
    """
    down = [
        *_bias(body),
        *_inconsistency(body, doubts_alone=False),
        *_indirectness(body),
        *_known_imprecision(body),
    ]
    known = {reason for reason in down if reason not in _UNKNOWN}
    return LADDER[_stated_at_most(body, max(0, _START[body.votes[0].tier] - len(known)))]


def _known_imprecision(body: Body) -> Iterator[str]:
    """Yield what makes it imprecise; where nobody tells how many people, what its interval says."""
    told = [*_imprecision(body)]
    if _PEOPLE_UNREAD not in told:
        yield from told
    elif body.way is Way.NO_DIFFERENCE:
        if body.inconclusive and any(_interval(vote.effect) for vote in body.votes):
            yield _NOT_EXCLUDED
    else:
        yield from _few_events(body)


def as_rated(row: OutcomeRow, level: Certainty | None) -> OutcomeRow:
    """Return a row as certain as a model rates it that saw what code could not read.

    Never above the row's bound; more of what kills or disables is not lowered; None leaves it.
    """
    if level is None or row.most is None:
        return row
    least = row.certainty if row.is_grave and row.way is Way.HARM else LADDER[0]
    found = max(least, min(level, row.most, key=LADDER.index), key=LADDER.index)
    if found is row.certainty:
        return row
    is_less = LADDER.index(found) < LADDER.index(row.certainty)
    known = (reason for reason in row.reasons if reason not in _UNKNOWN)
    reasons = (*row.reasons, _JUDGED) if is_less else tuple(known)
    return row.model_copy(update={"certainty": found, "reasons": reasons})


def certainty_told(row: OutcomeRow, level: Certainty | None) -> Certainty:
    """Return the certainty of a result of a row that a model told in other words, and rated.

    That it is of more people than were asked about does not lower it: it says so itself. Of deaths
    and of what disables it is not lowered.
    """
    if level is None or row.most is None:
        return row.certainty
    # What a review states of its certainty binds what is told of it.
    steps = LADDER.index(row.most) + (_BROADER in row.reasons and not row.review)
    told = min(level, LADDER[min(steps, _START[row.tier])], key=LADDER.index)
    return max(told, row.certainty, key=LADDER.index) if row.is_grave else told


def most_of(studies: Iterable[StudyFinding]) -> Certainty:
    """Return how certain a result that no row has can be at most, by the studies that it is of.

    That is where the weakest design starts, lowered where few people were randomised, or where how
    many is not known; what an expression of concern stands against is very low.
    """
    own = tuple(studies)
    if not own or any(study.concern or not study.clinical for study in own):
        return Certainty.VERY_LOW
    if not all(study.randomised for study in own):
        return Certainty.LOW
    people = sum(study.participants or 0 for study in own)
    few = (people < OPTIMAL_INFORMATION_SIZE) + (0 < people < VERY_FEW)
    return LADDER[_START["randomised"] - few]


def _bias(body: Body) -> Iterator[str]:
    weight = [vote.people or 1 for vote in body.agreeing]
    opened = sum(n for n, vote in zip(weight, body.agreeing, strict=True) if vote.open_label)
    if 2 * opened > sum(weight) and not (body.is_grave or body.is_timed):
        yield "risk of bias: most people knew what they were given"
    if any(vote.of_asked or vote.level == "subgroup" for vote in body.agreeing):
        yield "risk of bias: it is of a subgroup of a study"
    kept = sum(n for n, vote in zip(weight, body.agreeing, strict=True) if vote.of_completers)
    if 2 * kept > sum(weight):
        yield "risk of bias: only those who kept to the protocol were analysed"


def _inconsistency(body: Body, *, doubts_alone: bool) -> Iterator[str]:
    """Yield why results may differ; of a single trial, unless it is large or chance was counted.

    A single trial differs from no other one; what is feared of it is chance (GRADE guidelines 6 and
    7).
    """
    ways = {vote.way for vote in body.votes}
    several_ways = len(ways) > 1 and not is_nowhere_more(body.votes)
    differ = body.pooled.i2 >= SUBSTANTIAL if body.pooled else several_ways
    if body.way is Way.CONFLICT or Way.CONFLICT in ways or differ:
        yield "inconsistency: the results differ"
    elif len(body.agreeing) == 1 and body.votes[0].tier == "randomised":
        if body.agreeing[0].review:
            yield _ONE_REVIEW
        elif doubts_alone:
            yield _ONE_TRIAL


def _indirectness(body: Body) -> Iterator[str]:
    near = {vote.directness for vote in body.votes}
    if "broader" in near:
        yield _BROADER
    if "related" in near:
        yield "indirectness: the people had another condition"
    if body.importance == "surrogate" and not all(vote.wanted for vote in body.votes):
        yield "indirectness: the outcome is a surrogate"


def _imprecision(body: Body) -> Iterator[str]:
    known_sizes = [vote.people for vote in body.agreeing if vote.people]
    people, events = sum(known_sizes) if known_sizes else None, body.information
    known = people is not None or (events is not None and events >= _FEW_EVENTS)
    if not known:
        yield _PEOPLE_UNREAD
        return
    if people is not None and people < OPTIMAL_INFORMATION_SIZE:
        told = len(known_sizes) == len(body.agreeing)
        studied = "people were studied" if told else "people are known to be behind it"
        yield f"imprecision: fewer than {OPTIMAL_INFORMATION_SIZE} {studied}"
        if people < VERY_FEW:
            yield f"very serious imprecision: fewer than {VERY_FEW} {studied}"
        return
    if body.way is Way.NO_DIFFERENCE:
        yield from _unproven(body, people)
        return
    if not any(_interval(vote.effect) for vote in body.agreeing):
        yield _NO_INTERVAL
    yield from _few_events(body)


def _few_events(body: Body) -> Iterator[str]:
    """Yield that an interval is as wide as of few events."""
    events = body.information
    if events is not None and events < (_FEW_EVENTS if body.reaches_small else VERY_FEW):
        wide = f"the interval is as wide as of fewer than {_FEW_EVENTS}"
        yield f"imprecision: events were few ({wide})"
        if events < VERY_FEW and body.reaches_small:
            yield f"very serious imprecision: events were very few (as of fewer than {VERY_FEW})"


def _unproven(body: Body, people: int | None) -> Iterator[str]:
    """Yield why it is not shown that nothing differs."""
    if body.inconclusive:
        yield _NOT_EXCLUDED
    elif people is not None and people < VERY_MANY:
        yield f"imprecision: fewer than {VERY_MANY} people seldom show that nothing differs"


def _interval(effect: Effect | None) -> tuple[float, float] | None:
    if effect is None:
        return None
    if effect.ci_low is None or effect.ci_high is None:
        return interval_by_p(effect)
    return effect.ci_low, effect.ci_high


def estimate_of(effect: Effect) -> Estimate | None:
    """Return the estimate with its interval, to be pooled; None without an interval."""
    if effect.value is None or effect.ci_low is None or effect.ci_high is None:
        return None
    return Estimate(effect.value, effect.ci_low, effect.ci_high, effect.ci_level)


def _excludes_relevant(effect: Effect, people: int, ratios: tuple[float, float]) -> bool:
    """Return whether the interval excludes a relevant difference, for better and for worse.

    Args:
        effect: An estimate with its interval.
        people: Participants behind it.
        ratios: From which ratios on, down and up, a difference is relevant.
    """
    interval = _interval(effect)
    if interval is None:
        return False
    low, high = interval
    if effect.measure in RATIOS:
        return ratios[0] <= low and high <= ratios[1]
    farthest = max(abs(low), abs(high))
    if effect.measure == "SMD":
        return farthest <= _SMALL
    if effect.measure != "MD" or not people or low >= high:
        return False
    # The standard deviation follows from the interval and the people in two arms of one size
    # (Cochrane Handbook 6.5.2.3).
    deviate = NormalDist().inv_cdf(0.5 + effect.ci_level / 200)
    deviation = (high - low) / (2 * deviate) * sqrt(people) / 2
    return farthest <= _SMALL * deviation
