"""Finds the rows that decide a verdict, and which way they point together.

Rows on critical outcomes that were a primary outcome of their studies go first. Trials go before
other studies, the people asked about before others. A row that neither shows nor excludes a
relevant difference gives way to rows that tell more.
"""

from __future__ import annotations

from collections.abc import Sequence

from deepcritical.appraisal.body.rows import closest
from deepcritical.appraisal.body.scales import MOST
from deepcritical.appraisal.pico.arms import LESS_OF_IT
from deepcritical.domain.appraisal.findings import StudyFinding
from deepcritical.domain.appraisal.votes import Importance, OutcomeRow, RowEffect, Way
from deepcritical.domain.evidence.certainty import OPTIMAL_INFORMATION_SIZE, VERY_FEW, Certainty
from deepcritical.domain.study.effects import RATIOS

SURE = (Certainty.MODERATE, Certainty.HIGH)
_LEADING: tuple[tuple[Importance, bool], ...] = (
    ("critical", True),
    ("important", True),
    ("critical", False),
    ("important", False),
    ("surrogate", True),
    ("surrogate", False),
)
"""Rows that lead, first to last: by weight, and whether anybody was compared."""


def leading(rows: Sequence[OutcomeRow]) -> list[OutcomeRow]:
    """The rows that decide: of the greatest weight, of the best design in the closest people.

    Where the question asks for an outcome, its rows alone decide if there are any; rows on an
    outcome of another kind never do.

    Rows that were a primary outcome go before others, which stand beside them only if they surely
    show a benefit or harm. Rows that compared people with nobody lead only where no other one does.
    """
    efficacy = [row for row in rows if _is_efficacy(row)]
    told = [row for row in efficacy if row.wanted] or [
        row for row in efficacy if not row.of_other_kind
    ]
    for weight, compared in _LEADING:
        of_weight = [
            r for r in told if (r.importance, r.tier != "uncontrolled") == (weight, compared)
        ]
        own = [row for row in of_weight if not any(_outweighs(other, row) for other in told)]
        if own:
            best = closest(own)
            primary = any(row.primary for row in best)
            return [r for r in best if r.primary or not primary or _is_never_beside(r)]
    return []


def _is_one_way(row: OutcomeRow) -> bool:
    """Return whether a row shows a benefit or a harm that is not too small to matter."""
    return row.way in (Way.BENEFIT, Way.HARM) and not row.trivial


def _is_never_beside(row: OutcomeRow) -> bool:
    """Return whether a row leads beside a primary outcome: one way, or harm that was asked about.

    Harms are seldom a primary outcome.
    """
    feared = row.way is Way.HARM and row.harm_asked
    return feared or _is_surely_one_way(row)


def _is_surely_one_way(row: OutcomeRow) -> bool:
    precise = not any("imprecision" in reason for reason in row.reasons)
    return _is_one_way(row) and row.certainty in SURE and precise


def _outweighs(row: OutcomeRow, null: OutcomeRow) -> bool:
    """Return whether a row displaces one that shows no difference.

    A primary outcome that patients feel displaces one that was no primary outcome. Any other row
    displaces only one that does not exclude a relevant difference: by two thirds of the people of
    both, or, as a primary outcome, by its rank. Neither a weaker design nor other people displace.
    """
    if null.way is not Way.NO_DIFFERENCE or row.inconclusive or row.tier != null.tier:
        return False
    if null.directness == "direct" != row.directness:
        return False
    felt = row.importance != "surrogate"
    if row.primary and not null.primary and (null.inconclusive or (felt and _is_one_way(row))):
        return True
    own, other = row.people or 0, null.people or 0
    larger = own >= MOST * (own + other) or row.importance == null.importance
    return null.inconclusive and felt and larger and row.primary >= null.primary


def is_no_loss(row: OutcomeRow) -> bool:
    """Return whether no difference speaks for a drug that is to be as good as another.

    It does not where an interval holds a relevant loss, of a surrogate, or of few people; for a
    primary outcome a trial has as many as were thought to be needed.
    """
    wide = row.inconclusive and any(
        one.effect and one.effect.ci_low is not None for one in row.effects
    )
    enough = row.primary or row.review or (row.people or 0) >= VERY_FEW
    tested = row.review or row.tier == "randomised"
    return tested and enough and not wide and row.importance != "surrogate"


def together(first: Sequence[OutcomeRow]) -> tuple[Way, list[OutcomeRow]]:
    """Return which way the leading rows point together, and those of them that decide it.

    A row of very low certainty is set aside where another one is sure. Benefit on one outcome and
    harm on another point both ways; benefit on one stands beside others without a difference,
    unless one of these is the main outcome, or surely excludes a benefit in far more people.
    """
    sure = any(row.certainty in SURE for row in first)
    rows = [r for r in first if not (sure and r.certainty is Certainty.VERY_LOW)]
    by_way = {way: [row for row in rows if row.way is way and not row.trivial] for way in Way}
    helps, harms, split = by_way[Way.BENEFIT], by_way[Way.HARM], by_way[Way.CONFLICT]
    none = (*by_way[Way.NO_DIFFERENCE], *(row for row in rows if row.trivial))
    nulls = [row for row in none if not row.inconclusive]
    if helps and harms:
        return Way.CONFLICT, [*helps, *harms]
    if harms:
        return Way.HARM, harms
    if helps:
        against = [
            r
            for r in (*nulls, *split)
            if all(_is_main(r, other) or _is_surer(r, other) for other in helps)
        ]
        return (Way.CONFLICT, [*helps, *against]) if against else (Way.BENEFIT, helps)
    if split and not any(_is_main(null, row) for null in nulls for row in split):
        return Way.CONFLICT, split
    return Way.NO_DIFFERENCE, nulls or rows


def _is_main(row: OutcomeRow, other: OutcomeRow) -> bool:
    """Return whether a row is the main outcome beside another: primary, and of more people."""
    return row.primary and (not other.primary or (row.people or 0) > (other.people or 0))


def _is_surer(null: OutcomeRow, row: OutcomeRow) -> bool:
    """Return whether a null row on an outcome of the same weight is surer, of far more people."""
    sure = null.certainty in SURE and row.certainty not in SURE and null.way is not Way.CONFLICT
    people, own = null.people or 0, row.people or 0
    alike = null.importance == row.importance and row.primary <= null.primary
    return sure and alike and people >= MOST * (people + own)


def is_confirmed(rows: Sequence[OutcomeRow], studies: Sequence[StudyFinding]) -> bool:
    """Return whether several studies, or a review, of enough people found what the rows tell."""
    own = [e for row in rows for e in row.effects if _agrees(e, row)]
    ids = {i for effect in own for i in effect.evidence_ids}
    held = [study for study in studies if not ids.isdisjoint(study.evidence_ids)]
    several = len(held) > 1 or any(r.review or r.studies > len(r.effects) for r in rows)
    people = [
        max(e.people or 0 for e in own if not {*e.evidence_ids}.isdisjoint(s.evidence_ids))
        for s in held
    ]
    is_found = several and sum(people) >= OPTIMAL_INFORMATION_SIZE
    return is_found or _is_as_good_elsewhere(rows, studies)


def _is_as_good_elsewhere(rows: Sequence[OutcomeRow], studies: Sequence[StudyFinding]) -> bool:
    """Return whether trials of more people than asked about kept a margin beside one that did."""
    kept = {
        (row.outcome, row.comparator, i)
        for row in rows
        if row.way is Way.NO_DIFFERENCE and row.non_inferior and row.as_good_asked
        for i in row.beside
    }
    votes = [v for s in studies for v in s.votes if (v.row, v.comparator, v.evidence_id) in kept]
    people = sum(v.people or 0 for v in votes)
    sound = all(v.non_inferior and v.tier == "randomised" for v in votes)
    near = all(v.directness != "related" for v in votes)
    return people >= OPTIMAL_INFORMATION_SIZE and sound and near


def doubted(rows: Sequence[OutcomeRow], deciding: Sequence[OutcomeRow]) -> list[OutcomeRow]:
    """Rows on grave outcomes beside those that decide, on which a study found a harm.

    What others found keeps them from being proof; it does not take the doubt away.
    """
    return [
        row
        for row in rows
        if row.is_grave and row.way is Way.CONFLICT and row not in deciding
        if row.directness != "related" and any(e.way is Way.HARM for e in row.effects)
    ]


def _agrees(found: RowEffect, row: OutcomeRow) -> bool:
    """Return whether a study found what its row tells, or its estimate lies on that side."""
    pooled, value = row.pooled, found.effect.value if found.effect else None
    if pooled is None or value is None or row.way not in (Way.BENEFIT, Way.HARM):
        return found.way is row.way or pooled is not None
    none = 1.0 if pooled.measure in RATIOS else 0.0
    return (value - none) * (pooled.value - none) > 0


def _is_efficacy(row: OutcomeRow) -> bool:
    """Return whether a row tells whether the drug helps: against nothing, or just as was asked."""
    told = (row.asked or not row.comparator) and row.directness != "related"
    worse = row.way in (Way.HARM, Way.CONFLICT)
    return told and row.importance != "harm" and (worse or not row.of_course)


def is_against_active(row: OutcomeRow) -> bool:
    """Return whether a row of trials tells the drug against another one."""
    return _is_trial(row) and bool(row.comparator) and row.comparator not in LESS_OF_IT


def _is_trial(row: OutcomeRow) -> bool:
    decides = row.importance in ("critical", "important") and row.tier == "randomised"
    return decides and row.directness != "related"


def between_doses(rows: Sequence[OutcomeRow]) -> list[OutcomeRow]:
    """The critical rows that compare more of a drug with less of it, else the important ones."""
    own = [r for r in rows if _is_trial(r) and r.comparator in LESS_OF_IT and not r.of_other_kind]
    return [row for row in own if row.importance == "critical"] or own
