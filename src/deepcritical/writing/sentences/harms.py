"""Writes what a brief says of harms: comparisons first, else what studies tell by themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deepcritical.domain.appraisal.effect_words import gravest_first, of_share, shows_more_harm
from deepcritical.domain.appraisal.verdict import Verdict, VerdictLabel
from deepcritical.domain.appraisal.votes import NOT_STATED, OutcomeRow, Way
from deepcritical.domain.evidence.certainty import Certainty
from deepcritical.domain.report.sentences import Sentence
from deepcritical.domain.text.spans import capitalised
from deepcritical.writing.sentences.words import (
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


def harm_sentences(verdict: Verdict, drug: str) -> tuple[Sentence, ...]:
    """Return what was more frequent with the drug; else that no excess, or nothing, was found."""
    return tuple(_harms(verdict, drug))


def harms_beside(answer: Sequence[Sentence], verdict: Verdict, drug: str) -> tuple[Sentence, ...]:
    """Return the harms that an answer does not tell already."""
    return tuple(s for s in harm_sentences(verdict, drug) if s not in answer)


def _harms(verdict: Verdict, drug: str) -> Iterator[Sentence]:
    harms = [r for r in verdict.rows if r.importance == "harm"]
    feared = [r for r in harms if not r.comparator or r.asked]
    grave = [r for r in verdict.rows if r.is_grave and (r in harms or shows_more_harm(r))]
    more = [r for r in dict.fromkeys((*grave, *feared)) if r.way in (Way.HARM, Way.CONFLICT)]
    beside = (r for r in harms if r not in more and r.way is Way.HARM)
    ordered = gravest_first((*more, *beside))
    told = ordered[:_TOLD]
    for row in told:
        yield _said(row, drug)
    none = [r for r in feared if r.way is Way.NO_DIFFERENCE]
    if verdict.label is VerdictLabel.NOT_ASSESSED and not told:
        text = f"Too few of the studies could be read to say anything of the harms of {drug}."
        yield Sentence(text=f"{text} That is not evidence of safety.")
        return
    if others := [r for r in ordered[_TOLD:] if r.way is Way.HARM and not r.harm_asked]:
        yield _listed(others, drug)
    if none and not told:
        yield from _no_excess(none[:3], drug)
    less = [r for r in feared if r.way is Way.BENEFIT]
    if (told or none) and not any(row.asked for row in less):
        less = [r for r in less if r.certainty is not Certainty.VERY_LOW]
    for row in less[:_TOLD]:
        yield _said(row, drug)
    if not feared and not told:
        against = " with placebo or no treatment" if harms else ""
        harms_told = "other harms" if any(row.harm_asked for row in verdict.rows) else "harms"
        text = f"No result that is weighed here compares {harms_told} of {drug}{against}."
        yield Sentence(text=f"{text} That is not evidence of safety.")


def _said(row: OutcomeRow, drug: str) -> Sentence:
    return Sentence(text=row_sentence(row, drug), evidence_ids=told_of(row))


def _listed(rows: Sequence[OutcomeRow], drug: str) -> Sentence:
    """Return the harms that have no sentence of their own, the gravest of them by name."""
    named = rows[:_LISTED]
    ids = tuple(dict.fromkeys(i for row in named for i in row.evidence_ids))
    by_kind: dict[str, dict[str, list[str]]] = {}
    for row in named:
        more = of_share("higher" if is_measured(row) else "more frequent", row.outcome)
        given = as_tested(row, drug) if row.tested_as or row.one_arm else ""
        against = row.other_arm or row.comparator or row.control.replace(NOT_STATED, "")
        beside = _than(against, given, who(row).removeprefix(", "))
        name = measured_as(row) or row.outcome
        by_kind.setdefault(more, {}).setdefault(beside, []).append(name)
    kinds = (
        f"{more}: {'; '.join(f'{listed(names)}{beside}' for beside, names in of_kind.items())}"
        for more, of_kind in by_kind.items()
    )
    beyond = len(rows) - len(named)
    left = (f"and {beyond} more {'outcome' if beyond == 1 else 'outcomes'}",) if beyond else ()
    return Sentence(text=f"Also {'; '.join((*kinds, *left))}.", evidence_ids=ids)


def _than(comparator: str, given: str, people: str) -> str:
    """Return what was given, where it was more than the drug, against which other, and in whom."""
    against = f"than with {comparator}" if comparator else ""
    with_it = f"with {given if against else given.rstrip(',')}" if given else ""
    told = " ".join(part for part in (with_it, against) if part)
    told = ", ".join(part for part in (told, people) if part)
    return f" ({told})" if told else ""


def _no_excess(rows: Sequence[OutcomeRow], drug: str) -> Iterator[Sentence]:
    """Yield that no clear effect was shown: a sentence for each certainty."""
    by_certainty: dict[Certainty, list[OutcomeRow]] = {}
    for row in rows:
        by_certainty.setdefault(row.certainty, []).append(row)
    for certainty, alike in by_certainty.items():
        names = listed([r.outcome for r in alike], "or")
        members, controls = {r.members for r in alike}, {r.control for r in alike}
        given = members.pop() if len(members) == 1 else ""
        control = controls.pop().replace(NOT_STATED, "") if len(controls) == 1 else ""
        against = f" compared with {control}" if control else ""
        told = f"{given or drug} showed no clear effect on {names}{against}"
        yield Sentence(
            text=capitalised(f"{told} ({certainty.value} certainty)."),
            evidence_ids=tuple(dict.fromkeys(i for r in alike for i in r.evidence_ids)),
        )
