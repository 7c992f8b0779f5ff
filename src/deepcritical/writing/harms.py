"""Writes what a brief says of harms: comparisons first, else what studies tell by themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deepcritical.appraisal.certainty import LADDER
from deepcritical.domain.certainty import Certainty
from deepcritical.domain.effect_words import (
    EIGHTH,
    ELEVENTH,
    FIFTH,
    FIRST,
    FOURTH,
    LATEST,
    NINTH,
    THIRD,
    TWELFTH,
    gravest_first,
    of_share,
    shows_more_harm,
)
from deepcritical.domain.sentences import Sentence
from deepcritical.domain.text import capitalised
from deepcritical.domain.verdict import Verdict, VerdictLabel
from deepcritical.domain.votes import NOT_STATED, OutcomeRow, Way
from deepcritical.writing.words import (
    as_tested,
    is_measured,
    listed,
    measured_as,
    row_sentence,
    told_of,
    who,
)

_TOLD = 2
"""Harms that are told in a sentence of their own; the others are listed."""
_LISTED = 6
"""Of the others, those that are named."""


def harm_sentences(verdict: Verdict, drug: str, *, wording: int = LATEST) -> tuple[Sentence, ...]:
    """Return what was more frequent with the drug; else that no excess, or nothing, was found.

    Args:
        verdict: What was found.
        drug: Of what.
        wording: One of `WORDINGS`. The first left out harms against the drug asked about, those
            before the third harms beyond the second, and those before the ninth what was less
            frequent, where anything else was told.
    """
    return tuple(_harms(verdict, drug, wording))


def harms_beside(answer: Sequence[Sentence], verdict: Verdict, drug: str) -> tuple[Sentence, ...]:
    """Return the harms that an answer does not tell already."""
    return tuple(s for s in harm_sentences(verdict, drug) if s not in answer)


def _harms(verdict: Verdict, drug: str, wording: int) -> Iterator[Sentence]:
    harms = [r for r in verdict.rows if r.importance == "harm"]
    feared = [r for r in harms if not r.comparator or (r.asked and wording > FIRST)]
    grave = [r for r in verdict.rows if r.is_grave and _may_be_told(r, wording)]
    more = [r for r in dict.fromkeys((*grave, *feared)) if r.way in (Way.HARM, Way.CONFLICT)]
    if wording < THIRD:
        ordered = sorted(more, key=lambda r: (not r.is_grave, r.way is not Way.HARM))
    else:
        beside = (r for r in harms if r not in more and r.way is Way.HARM)
        ordered = gravest_first((*more, *beside))
    told = ordered[:_TOLD]
    for row in told:
        yield _said(row, drug, wording)
    none = [r for r in feared if r.way is Way.NO_DIFFERENCE]
    if verdict.label is VerdictLabel.NOT_ASSESSED and not told:
        text = f"Too few of the studies could be read to say anything of the harms of {drug}."
        yield Sentence(text=f"{text} That is not evidence of safety.")
        return
    others = [r for r in ordered[_TOLD:] if r.way is Way.HARM and wording >= THIRD]
    if others := [r for r in others if wording < FOURTH or not r.harm_asked]:
        yield _listed(others, drug, wording)
    if none and not told:
        yield from _no_excess(none[:3], drug, wording)
    less = [r for r in feared if r.way is Way.BENEFIT]
    two_sided = wording >= THIRD and any(row.asked for row in less)
    if (told or none) and not two_sided:
        sure = [r for r in less if r.certainty is not Certainty.VERY_LOW]
        less = sure if wording >= NINTH else []
    for row in less[:_TOLD]:
        yield _said(row, drug, wording)
    if not feared and not told:
        against = " with placebo or no treatment" if harms and wording > FIRST else ""
        text = f"No comparison{against} of harms of {drug} could be read from the records found."
        if wording >= FOURTH:
            is_of_one = wording > TWELFTH and any(row.harm_asked for row in verdict.rows)
            harms_told = "other harms" if is_of_one else "harms"
            text = f"No result that is weighed here compares {harms_told} of {drug}{against}."
        yield Sentence(text=f"{text} That is not evidence of safety.")


def _may_be_told(row: OutcomeRow, wording: int) -> bool:
    """Return whether a grave outcome may be told as a harm: more was found, or is in doubt."""
    if wording < THIRD:
        return row.way is Way.HARM
    return wording < FOURTH or row.importance == "harm" or shows_more_harm(row)


def _said(row: OutcomeRow, drug: str, wording: int) -> Sentence:
    text = row_sentence(row, drug, wording=wording)
    return Sentence(text=text, evidence_ids=told_of(row, wording))


def _listed(rows: Sequence[OutcomeRow], drug: str, wording: int) -> Sentence:
    """Return the harms that have no sentence of their own, the gravest of them by name."""
    named = rows[:_LISTED] if wording >= FOURTH else rows
    ids = tuple(dict.fromkeys(i for row in named for i in row.evidence_ids))
    if wording < FOURTH:
        told = listed([f"{row.outcome}{_than(row.comparator)}" for row in rows])
        return Sentence(text=f"Also more frequent: {told}.", evidence_ids=ids)
    by_kind: dict[str, dict[str, list[str]]] = {}
    for row in named:
        more = "higher" if wording >= FIFTH and is_measured(row) else "more frequent"
        is_own = not row.tested_as and (wording <= TWELFTH or not row.one_arm)
        given = "" if is_own else as_tested(row, drug, wording)
        more = of_share(more, row.outcome) if wording > ELEVENTH else more
        name = (measured_as(row, wording) if wording >= FIFTH else "") or row.outcome
        beside = _than(row.comparator, given if wording >= FIFTH else "")
        if wording > TWELFTH:
            control = row.control.replace(NOT_STATED, "")
            against = row.other_arm or row.comparator or control
            beside = _than(against, given, who(row, wording).removeprefix(", "))
        by_kind.setdefault(more, {}).setdefault(beside, []).append(name)
    kinds = (
        f"{more}: {'; '.join(f'{listed(names)}{beside}' for beside, names in of_kind.items())}"
        for more, of_kind in by_kind.items()
    )
    beyond = len(rows) - len(named)
    left = (f"and {beyond} more {'outcome' if beyond == 1 else 'outcomes'}",) if beyond else ()
    return Sentence(text=f"Also {'; '.join((*kinds, *left))}.", evidence_ids=ids)


def _than(comparator: str, given: str = "", people: str = "") -> str:
    """Return what was given, where it was more than the drug, against which other, and in whom."""
    against = f"than with {comparator}" if comparator else ""
    with_it = f"with {given if against else given.rstrip(',')}" if given else ""
    told = " ".join(part for part in (with_it, against) if part)
    told = ", ".join(part for part in (told, people) if part)
    return f" ({told})" if told else ""


def _no_excess(rows: Sequence[OutcomeRow], drug: str, wording: int) -> Iterator[Sentence]:
    """Yield that no clear effect was shown: a sentence for each certainty; formerly the least."""
    by_certainty: dict[Certainty | None, list[OutcomeRow]] = {}
    for row in rows:
        by_certainty.setdefault(row.certainty if wording >= NINTH else None, []).append(row)
    yield from (_none_of(alike, drug, wording) for alike in by_certainty.values())


def _none_of(rows: Sequence[OutcomeRow], drug: str, wording: int) -> Sentence:
    names = listed([r.outcome for r in rows], "or")
    ids = tuple(dict.fromkeys(i for r in rows for i in r.evidence_ids))
    least = min((r.certainty for r in rows), key=LADDER.index)
    members = {r.members for r in rows if wording >= FIFTH}
    given = members.pop() if len(members) == 1 else ""
    text = f"No excess of {names} was shown with {given or drug} ({least.value} certainty)."
    if wording >= EIGHTH:
        controls = {row.control.replace(NOT_STATED, "") for row in rows if wording > TWELFTH}
        control = controls.pop() if len(controls) == 1 else ""
        against = f" compared with {control}" if control else ""
        told = f"{given or drug} showed no clear effect on {names}{against}"
        text = capitalised(f"{told} ({least.value} certainty).")
    return Sentence(text=text, evidence_ids=ids)
